"""Unit: metres per unit of the file, from stature, naming convention and free fall.

The candidates are weighed by how well they make the person a person: a prior (how common the unit
is), the stature that the legs imply, and, where there is flight, how close the fall comes to
9.81 m/s². The weight of the winner among all is its confidence.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import exp, log
from statistics import median

import numpy as np

from mocap_reroot.inference.flights import Flight
from mocap_reroot.inference.sampling import Poses
from mocap_reroot.inference.topology import BodyPlan
from mocap_reroot.numerics.units import METRES
from mocap_reroot.types import STANDARD_GRAVITY

_UNNAMED = {"decimetres": 0.1}
"""Metres per unit of units that have no name on the command line; Blender's and MakeHuman's."""
_PRIOR = {"m": 0.2, "cm": 0.45, "mm": 0.12, "in": 0.18, "cmu": 0.05, "decimetres": 0.02}
_LEG_OF_STATURE = 0.491
"""Thigh and shank together over stature (Winter 2009, figure 4.1)."""
_ADULT, _SPREAD = 1.70, 0.09
"""Median stature, m, and its spread on a logarithmic scale, skeletons being drawn roughly."""
_CHILD = (0.75, 1.5)
_NAMED = 20.0
"""How much more likely a unit is if the naming convention usually comes with it."""


@dataclass(frozen=True)
class Unit:
    """The unit: name (empty for an unnamed one), metres per unit, how sure (0–1), and why."""

    name: str
    scale: float
    confidence: float
    evidence: str
    warning: str = ""


def find_unit(
    poses: Poses, plan: BodyPlan, usual: str, up: np.ndarray, flights: list[Flight]
) -> Unit:
    """Infer the file's unit.

    Args:
        poses: Sampled frames.
        plan: The person found in them.
        usual: Unit that the naming convention usually comes with, or empty.
        up: ``(3)``.
        flights: Stretches of free fall.
    """
    if not (plan.human and plan.legs):
        return _by_size(poses, up)
    leg = leg_length(plan)
    stature = leg / _LEG_OF_STATURE
    metres = METRES | _UNNAMED
    weight = {
        name: _PRIOR[name]
        * (_NAMED if name == usual else 1.0)
        * _plausible(stature * scale, children=name != "cmu")
        * _falls(flights, scale)
        for name, scale in metres.items()
    }
    best = max(weight, key=lambda name: weight[name])
    height = stature * metres[best]
    seen = f"thigh and shank measure {leg:.4g} units"
    if not 0.6 < height < 2.4:
        scale = _ADULT / stature
        return Unit(
            "",
            scale,
            0.3,
            f"{seen}: no usual unit makes that a person's, so it is scaled to a stature of 1.70 m",
            f"The unit is unknown: {seen}. One unit is taken as {scale:.4g} m, which makes the "
            "person 1.70 m tall; state it with --unit or the stature with --height.",
        )
    evidence = f"{seen}: a person of about {height:.2f} m"
    if best == usual:
        evidence += ", and the naming convention usually comes with this unit"
    if flights:
        fall = median(f.acceleration for f in flights) * metres[best]
        evidence += f"; falls at {fall:.1f} m/s² in {len(flights)} flights"
    confidence = weight[best] / sum(weight.values())
    warning = ""
    if confidence < 0.8:
        second = sorted(weight, key=lambda name: weight[name])[-2]
        warning = (
            f"The unit is uncertain: {best} makes a person of {height:.2f} m, {second} one of "
            f"{stature * metres[second]:.2f} m. State it with --unit."
        )
    if best in _UNNAMED:
        evidence += f", in {best}"
    return Unit(best if best in METRES else "", metres[best], confidence, evidence, warning)


def leg_length(plan: BodyPlan) -> float:
    """Return the length of thigh and shank, mean of both legs, file units."""
    return sum(leg.fit.length for leg in plan.legs) / len(plan.legs)


def _plausible(stature: float, *, children: bool) -> float:
    """Return the density of a stature, m, on a logarithmic scale: adults, children, never zero.

    All subjects of CMU's database are grown up.
    """
    adult = exp(-0.5 * (log(stature / _ADULT) / _SPREAD) ** 2) / (_SPREAD * 2.5066)
    low, high = _CHILD
    child = children * (low < stature < high) / log(high / low)
    return 0.93 * adult + 0.07 * child + 1e-9


def _falls(flights: list[Flight], scale: float) -> float:
    """Return how well free fall agrees; never small, for the frame time may be wrong instead."""
    if not flights:
        return 1.0
    ratio = median(f.acceleration for f in flights) * scale / STANDARD_GRAVITY
    return 0.15 + 0.85 * exp(-0.5 * (log(ratio) / 0.15) ** 2)


def _by_size(poses: Poses, up: np.ndarray) -> Unit:
    """Choose a unit where there is no person: from the height of the root, else from the size."""
    root = int(np.flatnonzero(poses.parents < 0)[0])
    height = abs(float(np.median(up @ poses.position[root])))
    size = poses.size
    asking = "State it with --unit."
    for name in ("cm", "m", "mm", "in", "cmu"):
        scale = METRES[name]
        if 0.5 < height * scale < 1.3 and 0.1 < size * scale < 3.5:
            evidence = f"the root is {height * scale:.2f} m above level zero"
            return Unit(name, scale, 0.5, evidence, f"The unit is a guess ({evidence}). {asking}")
    for name in ("cm", "m", "mm"):
        scale = METRES[name]
        if 0.1 < size * scale < 4.0:
            evidence = f"no person to measure; the skeleton is then {size * scale:.2f} m long"
            return Unit(name, scale, 0.3, evidence, f"The unit is a guess: {evidence}. {asking}")
    scale = 1.0 / size if size > 0 else 1.0
    evidence = "no person to measure and no usual unit fits; the skeleton is scaled to 1 m"
    return Unit("", scale, 0.1, evidence, f"The unit is unknown: {evidence}. {asking}")
