"""Normalised torques: comparable between people."""

from __future__ import annotations

import numpy as np

from mocap_reroot.columns import Columns, columns_of
from mocap_reroot.config import NORMALISATIONS
from mocap_reroot.errors import MocapRerootError, UnknownNameError
from mocap_reroot.types import STANDARD_GRAVITY, Dynamics

WAYS = NORMALISATIONS[1:]  # all but "none"


def normalised(result: Dynamics, way: str) -> Columns:
    """Return torques and powers per kg, or torques per body weight × height.

    Args:
        result: Torques.
        way: ``"kg"`` (N·m/kg, W/kg) or ``"bwh"`` (torque over weight × height, power likewise
            over weight × height).

    Raises:
        MocapRerootError: The height is not known and needed.
    """
    if way not in WAYS:
        raise UnknownNameError("normalisation", way, WAYS)
    scale = result.body.total_mass
    if way == "bwh":
        if not np.isfinite(result.body.height):
            raise MocapRerootError("Normalising by height needs a height; give one in metres.")
        scale *= STANDARD_GRAVITY * result.body.height
    names = [result.skeleton.names[i] for i in result.joints]
    suffixes = [f"{s}_per_{way}" for s in ("mx", "my", "mz", "power")]
    torque, power = result.torque / scale, result.power / scale
    return result.head("flag") | columns_of(names, suffixes, torque, power, bodies=result.joints)
