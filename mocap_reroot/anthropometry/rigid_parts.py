"""Rigid parts with mass fixed to bodies, summed to mass, centre of mass and inertia."""

from __future__ import annotations

import math
from bisect import bisect_right
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import accumulate, pairwise

import numpy as np

SHORT = 1e-4
"""m, bones shorter than this have no direction and carry nothing."""

_SLICES = 240  # per part that is spread over several bodies
_PLACES = (np.arange(_SLICES) + 0.5) / _SLICES - 0.5  # of their middles, −0.5 to 0.5
_EYE = np.eye(3)


@dataclass(frozen=True, eq=False)
class RigidPart:
    """Mass fixed to a body.

    Attributes:
        body: Index of the body that carries it.
        mass: kg, or any unit common to all parts.
        com: ``(3)`` m, in the body's frame.
        inertia: ``(3, 3)`` about the centre of mass, in the body's axes.
    """

    body: int
    mass: float
    com: np.ndarray
    inertia: np.ndarray


@dataclass(frozen=True, eq=False)
class Bone:
    """A stretch of a limb that moves as one.

    Attributes:
        body: Index of the body it belongs to.
        start: ``(3)`` m, its upper end in the body's frame.
        vector: ``(3)`` m, from there to its lower end.
        side: ``(3)`` unit vector to the left, in the body's axes.
    """

    body: int
    start: np.ndarray
    vector: np.ndarray
    side: np.ndarray

    @cached_property
    def length(self) -> float:
        """m."""
        return norm(self.vector)

    @property
    def along(self) -> np.ndarray:
        """``(3)`` unit vector; the bone must have a length."""
        return np.asarray(self.vector / self.length)


def norm(vector: np.ndarray) -> float:
    """Return the length of a vector ``(3)``."""
    return math.sqrt(vector @ vector)


def _cross(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """Return ``(3)`` the cross product; numpy's own takes ten times as long for a single one."""
    (ax, ay, az), (bx, by, bz) = a.tolist(), b.tolist()
    return np.array([ay * bz - az * by, az * bx - ax * bz, ax * by - ay * bx])


def combine(parts: Iterable[RigidPart], n: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return mass ``(n)``, centre of mass ``(n, 3)`` and inertia ``(n, 3, 3)`` of n bodies."""
    parts = [part for part in parts if part.mass > 0]
    body = np.array([part.body for part in parts], np.int64)
    own = np.array([part.mass for part in parts])
    place = np.array([part.com for part in parts]).reshape(-1, 3)
    mass, com, inertia = np.zeros(n), np.zeros((n, 3)), np.zeros((n, 3, 3))
    np.add.at(mass, body, own)
    np.add.at(com, body, own[:, None] * place)
    com[mass > 0] /= mass[mass > 0, None]
    arm = place - com[body]
    square = (arm * arm).sum(axis=1)[:, None, None] * _EYE - arm[:, :, None] * arm[:, None]
    moment = np.array([part.inertia for part in parts]).reshape(-1, 3, 3)
    np.add.at(inertia, body, moment + own[:, None, None] * square)
    return mass, com, inertia


def oriented(radii_squared: Sequence[float], along: np.ndarray, side: np.ndarray) -> np.ndarray:
    """Return the inertia ``(3, 3)`` per unit mass from squared radii of gyration.

    Args:
        radii_squared: About the fore-aft, the left-right and the long axis, m².
        along: ``(3)`` unit vector of the long axis.
        side: ``(3)`` direction to the left; made perpendicular to ``along``.
    """
    left = side - (side @ along) * along
    reach = norm(left)
    if reach < 0.2:  # an arm held sideways: its long axis is the left-right axis
        fore, left = _perpendicular(along)
        mean = (radii_squared[0] + radii_squared[1]) / 2
        radii_squared = (mean, mean, radii_squared[2])
    else:
        left = left / reach
        fore = _cross(along, left)
    axes = np.array([fore, left, along])
    return np.asarray((axes.T * radii_squared) @ axes)


def _perpendicular(along: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return two unit vectors that complete a frame."""
    other = _EYE[int(np.abs(along).argmin())]
    first = _cross(along, other)
    first /= norm(first)
    return first, _cross(along, first)


def spread(
    bones: Sequence[Bone],
    start: float,
    stop: float,
    mass: float,
    com: float,
    radii: Sequence[float],
) -> list[RigidPart]:
    """Lay a part of the body along a chain of bones.

    A part within one bone is placed exactly. One that reaches over several is cut into slices of
    linearly varying mass, with the part's centre of mass and, as far as thin slices allow, its
    radii of gyration.

    Args:
        bones: The chain, first bone first; the part may stick out at either end.
        start, stop: m along the chain, where the part begins and ends (stop may be the smaller).
        mass: Of the part.
        com: m along the chain.
        radii: m, about the fore-aft, left-right and long axis.
    """
    edges = [0.0, *accumulate(bone.length for bone in bones)]
    long_bones = [k for k, bone in enumerate(bones) if bone.length > SHORT]
    # What sticks out below rides on the first bone.
    starts = [-math.inf, *(edges[k] for k in long_bones[1:])]
    # A part that ends where the next bone begins has no share in it.
    low, high = min(start, stop), max(start, stop)
    first, middle, last = (
        long_bones[bisect_right(starts, place - 1e-6) - 1] for place in (low, com, high)
    )
    if first == last:
        return [_rigid_part(bones[middle], edges[middle], mass, com, 0.0, radii)]
    length = high - low
    lean = min(max(12 * ((com - low) / length - 0.5), -1.9), 1.9)
    weight = (1 + lean * _PLACES) / _SLICES
    at = low + (_PLACES + 0.5) * length
    variance = float(weight @ (at - weight @ at) ** 2)
    fore, left, long = (r * r for r in radii)
    fore, left = max(fore - variance, 0.05 * long), max(left - variance, 0.05 * long)
    thin = [math.sqrt(square) for square in (fore, left, min(long, fore + left))]
    cuts = np.searchsorted(at - 1e-6, starts[1:]).tolist()
    parts = []
    for k, (a, b) in zip(long_bones, pairwise([0, *cuts, _SLICES]), strict=True):
        if a == b:
            continue
        own, place = weight[a:b], at[a:b]
        share = float(own.sum())
        centre = float(own @ place) / share
        within = float(own @ (place - centre) ** 2) / share
        parts.append(_rigid_part(bones[k], edges[k], mass * share, centre, within, thin))
    return parts


def _rigid_part(
    bone: Bone, start: float, mass: float, at: float, variance: float, radii: Sequence[float]
) -> RigidPart:
    """Return mass on a bone: where along the chain, and how far it is spread along it (m²)."""
    along = bone.along
    com = bone.start + along * (at - start)
    fore, left, long = (float(r) ** 2 for r in radii)
    shape = oriented((fore + variance, left + variance, long), along, bone.side)
    return RigidPart(bone.body, mass, com, mass * shape)
