"""Up: which of the file's axes points away from the ground, weighed from several witnesses."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from math import exp

import numpy as np

from mocap_reroot.prepare.limbs import Limb
from mocap_reroot.prepare.sampling import Poses, lengths, share
from mocap_reroot.prepare.topology import Person

Point = Callable[[int], np.ndarray]
"""Where a joint (or a site, −1 − index) is, ``(3, S)``."""

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


def up_vector(axis: str) -> np.ndarray:
    """Return ``(3)`` the unit vector of an axis like ``"y"`` or ``"-z"``."""
    vector = np.zeros(3)
    vector["xyz".index(axis[-1])] = -1.0 if axis.startswith("-") else 1.0
    return vector


def find_up(poses: Poses, person: Person, segments: tuple[str, ...] = ()) -> Up:
    """Infer the up axis of a clip.

    Args:
        poses: Sampled frames.
        person: The person found in them.
        segments: What names say, for skeletons without legs: a head is above a pelvis.
    """
    standing = _standing(poses, person)
    if standing is None and {"pelvis", "head"} <= set(segments):
        rise = poses.position[segments.index("head")] - poses.position[segments.index("pelvis")]
        standing = rise / np.maximum(lengths(rise), 1e-300)
    floor_weight = _FLOOR if standing is not None else 0.3 * _FLOOR
    rest = _rest(poses, person)
    size = poses.size
    root = poses.position[poses.parents.argmin()]
    travels = (root.max(axis=1) - root.min(axis=1)).tolist()
    lowest = (poses.points.min(axis=0), -poses.points.max(axis=0))  # upright, upside down
    scores, parts = {}, {}
    for axis in AXES:
        k, sign = "xyz".index(axis[-1]), -1.0 if axis.startswith("-") else 1.0
        upright = 0.0
        if standing is not None:
            upright = np.count_nonzero(standing[k] * sign > _UPRIGHT) / len(standing[k])
        at_rest = float(rest is not None and rest[k] * sign > _UPRIGHT)
        low, quarter, high = share(lowest[sign < 0][k], 0.1, 0.25, 0.75)
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


def _standing(poses: Poses, person: Person) -> np.ndarray | None:
    """Return ``(3, S)`` unit vectors from the ankles to hips and shoulders, or None."""

    def point(joint: int) -> np.ndarray:
        return poses.site_position[-1 - joint] if joint < 0 else poses.position[joint]

    return _upright(person, point)


def _rest(poses: Poses, person: Person) -> np.ndarray | None:
    """Return ``(3)`` the upright of the rest pose, or None if that is no pose of a person.

    Many rigs draw every bone along one axis; then legs and trunk do not stand in one line.
    """
    sites = poses.rest[poses.site_body] + poses.site_offset

    def point(joint: int) -> np.ndarray:
        return (sites[-1 - joint] if joint < 0 else poses.rest[joint])[:, None]

    upright = _upright(person, point)
    if upright is None or not person.arms:
        return None
    legs = _legs(person.legs, point)
    shoulders = np.add(*(point(arm.points["upper_arm"]) for arm in person.arms)) / 2
    hips = np.add(*(point(leg.points["thigh"]) for leg in person.legs)) / 2
    trunk = shoulders - hips
    norms = np.linalg.norm(legs) * np.linalg.norm(trunk)
    straight = norms > 0 and float((legs * trunk).sum() / norms) > 0.85
    return upright[:, 0] if straight else None


def _legs(legs: tuple[Limb, ...], point: Point) -> np.ndarray:
    """Return ``(3, S)`` from the ankles to the hips."""
    hips = np.add(*(point(leg.points["thigh"]) for leg in legs)) / 2
    ankles = np.add(*(point(leg.points.get("foot", leg.end)) for leg in legs)) / 2
    return np.asarray(hips - ankles)


def _upright(person: Person, point: Point) -> np.ndarray | None:
    """Return ``(3, S)`` unit vectors along the upright body; of the legs only, for animals."""
    if not person.legs:
        return None
    upright = _legs(person.legs, point)
    if person.human and person.arms:
        shoulders = np.add(*(point(arm.points["upper_arm"]) for arm in person.arms)) / 2
        hips = np.add(*(point(leg.points["thigh"]) for leg in person.legs)) / 2
        upright = upright + (shoulders - hips)
    return upright / np.maximum(lengths(upright), 1e-300)
