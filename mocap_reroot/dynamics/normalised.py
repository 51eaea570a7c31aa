"""Torques per body mass, or per weight and height."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from mocap_reroot.config import NORMALISATIONS
from mocap_reroot.errors import MocapRerootError, UnknownNameError
from mocap_reroot.types import STANDARD_GRAVITY, Dynamics

WAYS = NORMALISATIONS[1:]  # all but "none"


class Scaled(NamedTuple):
    """Torques ``(n, 3, F)`` and powers ``(n, F)`` over the size of the person."""

    torque: np.ndarray
    power: np.ndarray


@dataclass(frozen=True, eq=False)
class Normalised:
    """Torques and powers of a result over mass, or over weight × height."""

    dynamics: Dynamics
    kg: Scaled | None = None
    bwh: Scaled | None = None


def normalised(result: Dynamics, way: str) -> Normalised:
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
    return Normalised(result, **{way: Scaled(result.torque / scale, result.power / scale)})
