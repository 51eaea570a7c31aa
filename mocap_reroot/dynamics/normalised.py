"""Normalised torques: comparable between people."""

from __future__ import annotations

import numpy as np
import pandas as pd

from mocap_reroot.columns import beside, body_columns, wide
from mocap_reroot.errors import MocapRerootError, UnknownNameError
from mocap_reroot.types import STANDARD_GRAVITY, Dynamics

WAYS = ("kg", "bwh")


def normalised(result: Dynamics, way: str) -> pd.DataFrame:
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
    joints = list(result.joints)
    values = np.concatenate([result.torque[joints], result.power[joints][:, None]], axis=1)
    names = [result.skeleton.names[i] for i in joints]
    head = result.torques[["frame", "time", "flag"]]
    columns = body_columns(names, [f"{s}_per_{way}" for s in ("mx", "my", "mz", "power")])
    return beside(head, wide(columns, values / scale))
