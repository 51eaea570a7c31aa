"""How healthy adults walk and run: mean curves that the fit starts from, and ranges of peaks.

Curves of gait are rounded from the sources' plots, those of the squat are ours; by
hundredths of the stride from foot strike; angles in degrees, forces in body weights, moments in
N m/kg. Flexion, dorsiflexion, upward and forward are
positive; moments are the muscles' (extension and plantarflexion positive).

Walking at 1.3 m/s: D. A. Winter, The Biomechanics and Motor Control of Human Gait (1991); J. Perry
and J. Burnfield, Gait Analysis (2010). Running at 3 m/s: T. F. Novacheck, Gait and Posture 7
(1998); S. R. Hamner and S. L. Delp, J. Biomechanics 46 (2013).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.interpolate import CubicSpline, PchipInterpolator

TENTHS = tuple(range(0, 100, 10))
TWENTIETHS = tuple(range(0, 100, 5))

CURVES: dict[str, dict[str, tuple[tuple[float, ...], tuple[float, ...]]]] = {
    "walk": {
        "hip": (TENTHS, (22, 18, 10, 1, -7, -12, -5, 10, 20, 24)),
        "knee": (TWENTIETHS, (5, 11, 17, 19, 17, 13, 9, 7, 7, 10, 16, 26, 38, 51, 60, 60, 51, 36,
                              19, 7)),
        "ankle": (TWENTIETHS, (0, -4, -4, 0, 3, 5, 7, 8, 10, 10, 7, -3, -15, -17, -11, -4, 0, 1, 1,
                               0)),
        "vertical": ((0, 2, 6, 10, 13, 18, 24, 31, 38, 44, 48, 52, 56, 59, 62, 80),
                     (0, 0.1, 0.6, 1.0, 1.1, 1.03, 0.85, 0.76, 0.86, 1.03, 1.09, 0.98, 0.55, 0.2, 0,
                      0)),
        "forward": ((0, 2, 6, 11, 16, 22, 30, 38, 45, 50, 53, 57, 62, 80),
                    (0, -0.01, -0.11, -0.18, -0.15, -0.09, -0.01, 0.05, 0.13, 0.19, 0.19, 0.1, 0,
                     0)),
        "hip_moment": (TENTHS, (0.3, 0.55, 0.25, -0.1, -0.4, -0.7, -0.35, -0.1, 0.0, 0.25)),
        "knee_moment": (TWENTIETHS, (-0.2, 0.05, 0.5, 0.58, 0.42, 0.15, -0.05, -0.18, -0.25, -0.2,
                                      0,
                                     0.15, 0.12, 0.08, 0.05, 0, -0.05, -0.13, -0.25, -0.28)),
        "ankle_moment": (TWENTIETHS, (0, -0.1, 0.05, 0.25, 0.4, 0.55, 0.72, 0.95, 1.2, 1.42, 1.38,
                                      0.75,
                                      0.12, 0, 0, 0, 0, 0, 0, 0)),
    },
    "run": {
        "hip": (TENTHS, (30, 26, 16, 4, -4, 2, 18, 34, 42, 38)),
        "knee": (TWENTIETHS, (14, 27, 38, 42, 39, 31, 22, 17, 19, 28, 43, 60, 76, 87, 91, 86, 72,
                                      50,
                              27, 14)),
        "ankle": (TWENTIETHS, (4, 8, 16, 21, 21, 14, 1, -15, -20, -16, -10, -5, -1, 2, 4, 5, 6, 6,
                                      6,
                               5)),
        "vertical": ((0, 3, 6, 10, 14, 18, 22, 26, 30, 33, 35, 50, 90),
                     (0, 0.2, 0.8, 1.75, 2.4, 2.55, 2.15, 1.45, 0.65, 0.17, 0, 0, 0)),
        "forward": ((0, 3, 6, 9, 13, 17, 21, 25, 29, 33, 35, 50, 90),
                    (0, -0.08, -0.22, -0.27, -0.18, 0, 0.18, 0.25, 0.17, 0.04, 0, 0, 0)),
        "hip_moment": (TENTHS, (0.5, 1.2, 0.3, -0.6, -0.8, -0.8, -0.6, -0.2, 0.5, 1.0)),
        "knee_moment": (TWENTIETHS, (-0.2, 0.9, 2.1, 2.5, 2.1, 1.2, 0.4, 0.1, 0.1, 0.2, 0.25,
                                      0.25, 0.2,
                                     0.1, 0, -0.2, -0.4, -0.6, -0.7, -0.5)),
        "ankle_moment": (TWENTIETHS, (0, 0.2, 1.0, 1.9, 2.45, 2.1, 1.0, 0.15, 0, 0, 0, 0, 0, 0, 0,
                                      0,
                                      0, 0, 0, 0)),
    },
    "squat": {
        "hip": (TENTHS, (5, 14, 38, 66, 86, 92, 86, 66, 38, 14)),
        "knee": (TENTHS, (6, 15, 40, 68, 88, 95, 88, 68, 40, 15)),
        "ankle": (TENTHS, (3, 6, 14, 22, 28, 30, 28, 22, 14, 6)),
        "vertical": ((0, 50), (0.5, 0.5)),
        "forward": ((0, 50), (0, 0)),
    },
}  # fmt: skip


def mean_curve(gait: str, name: str, phase: np.ndarray) -> np.ndarray:
    """Return a mean curve of people at phases ``(F)`` of the stride."""
    at, values = (np.array(part, float) for part in CURVES[gait][name])
    at, values = np.append(at, 100 + at[0]), np.append(values, values[0])
    if name in ("vertical", "forward"):
        return PchipInterpolator(at / 100, values)(phase % 1)
    return CubicSpline(at / 100, values, bc_type="periodic")(phase % 1)


@dataclass(frozen=True)
class Range:
    """Where the largest or least value of a curve lies in published means of healthy adults.

    Attributes:
        curve: Of the left leg, as in ``CURVES``, or a power in W/kg.
        extreme: ``max`` or ``min``.
        between: Hundredths of the stride in which to look.
        low, high: In the curve's unit.
    """

    curve: str
    extreme: str
    between: tuple[int, int]
    low: float
    high: float


RANGES: dict[str, tuple[Range, ...]] = {
    "walk": (
        Range("hip", "max", (80, 100), 18, 38),
        Range("hip", "min", (40, 60), -20, -5),
        Range("knee", "max", (5, 25), 10, 25),
        Range("knee", "max", (60, 85), 54, 70),
        Range("ankle", "max", (30, 55), 6, 15),
        Range("ankle", "min", (55, 75), -25, -10),
        Range("vertical", "max", (5, 25), 1.0, 1.25),
        Range("vertical", "min", (22, 42), 0.6, 0.85),
        Range("vertical", "max", (40, 58), 1.0, 1.25),
        Range("forward", "min", (0, 30), -0.26, -0.13),
        Range("forward", "max", (35, 62), 0.15, 0.27),
        Range("hip_moment", "max", (0, 25), 0.4, 1.1),
        Range("hip_moment", "min", (35, 62), -1.2, -0.4),
        Range("knee_moment", "max", (5, 25), 0.4, 0.8),
        Range("knee_moment", "min", (25, 50), -0.5, -0.05),
        Range("ankle_moment", "max", (35, 58), 1.3, 1.7),
        Range("ankle_moment", "min", (0, 15), -0.25, 0.0),
        Range("hip_power", "max", (50, 75), 0.5, 1.6),
        Range("knee_power", "min", (50, 70), -1.8, -0.6),
        Range("ankle_power", "max", (45, 62), 2.0, 4.5),
    ),
    "run": (
        Range("hip", "max", (60, 100), 35, 65),
        Range("hip", "min", (25, 50), -15, 3),
        Range("knee", "max", (5, 25), 35, 50),
        Range("knee", "max", (50, 85), 75, 110),
        Range("ankle", "max", (8, 30), 15, 30),
        Range("ankle", "min", (28, 55), -32, -12),
        Range("vertical", "max", (5, 30), 2.1, 2.8),
        Range("forward", "min", (0, 20), -0.45, -0.2),
        Range("forward", "max", (15, 36), 0.15, 0.4),
        Range("hip_moment", "max", (0, 25), 0.8, 2.8),
        Range("knee_moment", "max", (5, 28), 1.7, 3.3),
        Range("ankle_moment", "max", (10, 30), 1.8, 3.0),
        Range("knee_power", "min", (0, 20), -12, -4),
        Range("ankle_power", "max", (15, 36), 5, 14),
    ),
}
"""Ranges of published peaks, read off and rounded: from the sources above, from G. Bovi et al.,
Gait and Posture 33 (2011), for walking, and T. S. Keller et al., Clinical Biomechanics
11 (1996), for the vertical force of runs."""


def peak(range_: Range, phase: np.ndarray, curve: np.ndarray) -> float:
    """Return the extreme value of a curve ``(F)`` at phases (0 to 1) that a range speaks of."""
    inside = (100 * phase >= range_.between[0]) & (100 * phase <= range_.between[1])
    return float(getattr(curve[inside], range_.extreme)())
