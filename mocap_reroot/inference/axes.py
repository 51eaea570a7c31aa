"""Up axis: which axis of the file points away from the ground, from several kinds of evidence."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from math import exp, hypot

import numpy as np

from mocap_reroot.inference.sampling import Poses, lengths
from mocap_reroot.inference.topology import BodyPlan

AXES = ("x", "y", "z", "-x", "-y", "-z")
_PRIOR = {"y": 0.6, "z": 0.4, "x": -1.0, "-x": -2.0, "-y": -1.5, "-z": -1.5}
_UPRIGHT = 0.8
"""Cosine within which a body counts as upright along an axis."""
_STANDING, _REST, _FLOOR, _TRAVEL = 4.0, 1.5, 2.5, -2.0
"""Weights of the witnesses, in units of log-odds.

One that stands along an axis in most frames outweighs all else, but for a clip spent on the ground,
where the rest pose and a floor at level zero together say more.
"""


@dataclass(frozen=True)
class Up:
    """The up axis, e.g. ``"y"`` or ``"-z"``, how sure (0–1), and why."""

    axis: str
    confidence: float
    evidence: str


def find_up(poses: Poses, plan: BodyPlan, segments: tuple[str, ...] = ()) -> Up:
    """Infer the up axis of a clip.

    Args:
        poses: Sampled frames.
        plan: The person found in them.
        segments: What names say, for skeletons without legs: a head is above a pelvis.
    """
    standing, rest = _upright(poses, plan)
    if standing is None and {"pelvis", "head"} <= set(segments):
        rise = poses.position[segments.index("head")] - poses.position[segments.index("pelvis")]
        standing = rise / np.maximum(lengths(rise), 1e-300)
    floor_weight = _FLOOR if standing is not None else 0.3 * _FLOOR
    size = poses.size
    root = poses.position[poses.parents.argmin()]
    travels = (root.max(axis=1) - root.min(axis=1)).tolist()
    scores, parts = {}, {}
    for axis in AXES:
        k, sign = "xyz".index(axis[-1]), -1.0 if axis.startswith("-") else 1.0
        upright = 0.0
        if standing is not None:
            upright = np.count_nonzero(standing[k] * sign > _UPRIGHT) / len(standing[k])
        at_rest = float(rest is not None and rest[k] * sign > _UPRIGHT)
        low, quarter, high = np.quantile(poses.lowest[int(sign < 0), k], [0.1, 0.25, 0.75])
        level = exp(-((quarter / (0.08 * size)) ** 2))
        steady = exp(-(((high - low) / (0.1 * size)) ** 2))
        travel = travels[k] / size
        parts[axis] = upright, at_rest, float(level * steady)
        scores[axis] = (
            _PRIOR[axis]
            + _STANDING * upright
            + _REST * at_rest
            + floor_weight * float(level * steady)
            + (_TRAVEL * min(travel, 1.0) if travel > 0.7 else 0.0)
        )
    best = max(AXES, key=lambda axis: scores[axis])
    odds = np.exp(np.array([scores[axis] - scores[best] for axis in AXES]))
    upright, at_rest, floor = parts[best]
    reasons = []
    if standing is not None:
        reasons.append(f"the body stands along it in {upright:.0%} of the frames looked at")
    if rest is not None:
        reasons.append("the rest pose does too" if at_rest else "the rest pose does not")
    if floor > 0.5:
        reasons.append("its lowest points keep to level zero")
    if not reasons or (standing is None and floor <= 0.5):
        reasons.append("nothing in the file speaks against the usual axis")
    return Up(best, float(1 / odds.sum()), "; ".join(reasons))


def _upright(poses: Poses, plan: BodyPlan) -> tuple[np.ndarray | None, np.ndarray | None]:
    """Return ``(3, S)`` unit vectors along the upright body, and ``(3)`` that of the rest pose.

    From the ankles to hips and shoulders; of animals to the hips only. None where there are no
    legs, and where the rest pose is none of a person: many rigs draw every bone along one axis;
    then legs and trunk do not stand in one line.
    """
    if not plan.legs:
        return None, None

    def middle(joints: Iterable[int]) -> np.ndarray:
        a, b = (poses.with_rest[poses.row(joint)] for joint in joints)
        return np.asarray((a + b) / 2)

    hips = middle(leg.points["thigh"] for leg in plan.legs)
    legs = hips - middle(leg.points.get("foot", leg.end) for leg in plan.legs)
    if not plan.arms:
        return (legs / np.maximum(lengths(legs), 1e-300))[:, :-1], None
    trunk = middle(arm.points["upper_arm"] for arm in plan.arms) - hips
    upright = legs + trunk if plan.human else legs
    upright = upright / np.maximum(lengths(upright), 1e-300)
    a, b = legs[:, -1].tolist(), trunk[:, -1].tolist()
    straight = sum(x * y for x, y in zip(a, b, strict=True)) > 0.85 * hypot(*a) * hypot(*b) > 0
    return upright[:, :-1], upright[:, -1] if straight else None
