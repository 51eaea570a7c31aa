"""Scale: leg length and speed, by which a child and an adult have the same limits."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from mocap_reroot.contact.limbs import Limb
from mocap_reroot.types import STANDARD_GRAVITY


@dataclass(frozen=True, eq=False)
class Scale:
    """What makes lengths and speeds comparable between a child and an adult.

    Attributes:
        leg: m, hip to ankle along the bones (mean of the feet).
        speed: m/s, ``sqrt(g · leg)``: walking turns to running near half of it.
        fps: Frames a second.
        up: ``(3)`` unit vector.
    """

    leg: float
    speed: float
    fps: float
    up: np.ndarray

    @classmethod
    def of(cls, limbs: tuple[Limb, ...], fps: float, up: np.ndarray) -> Scale:
        """Take the scale from the legs."""
        lengths = [limb.length for limb in limbs if limb.kind == "foot" and limb.length > 0]
        leg = sum(lengths) / len(lengths) if lengths else 0.9
        return cls(leg, math.sqrt(STANDARD_GRAVITY * leg), fps, up)

    def frames(self, seconds: float, least: int = 1) -> int:
        """Return a duration in whole frames."""
        return max(least, round(seconds * self.fps))
