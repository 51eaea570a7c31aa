"""Feet: the bodies of each, and the points under them; other limbs are in ``pads``."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np

from mocap_reroot.numerics.vectors import matrices
from mocap_reroot.types import Skeleton

SIDES = ("left", "right")
_SHORT_LEAF = 0.3
"""A last bone shorter than this share of its limb is the toes of the body above it."""
_REACH = 0.12
"""How near the lowest point of the body a leaf must come to be a foot, share of the limb."""


@dataclass(frozen=True, eq=False)
class Point:
    """A point that may touch: on which body, ``(3)`` m where in its capture frame, which role."""

    body: int
    local: np.ndarray
    role: str


@dataclass(frozen=True, eq=False)
class Limb:
    """A limb that may carry.

    Attributes:
        foot: The body that stands for the limb (foot, hand, shank of a knee …).
        parts: Bodies that can touch: the foot, and the toes if there are any.
        kind: ``"foot"``, or one of ``pads.KINDS``.
        side: ``"left"``, ``"right"`` or empty.
        points: Heel, ball and tip, as far as the skeleton knows them.
        length: m, from the joint at its top (hip, shoulder) to the foot along the bones.
        radius: m, of a round part about its points; 0 of a foot.
        ankle: ``(3)`` m, the ankle in the foot's frame: its origin, but where a talus is between.
    """

    foot: int
    parts: tuple[int, ...]
    kind: str
    side: str
    points: tuple[Point, ...]
    length: float
    radius: float = 0.0
    ankle: np.ndarray = field(default_factory=lambda: np.zeros(3))


def find_feet(skeleton: Skeleton, lowest: Callable[[], np.ndarray]) -> tuple[Limb, ...]:
    """Return the feet.

    Args:
        skeleton: A captured tree, with anatomy if it is a person.
        lowest: Tells ``(n)`` m, the least height each body's origin or end sites reach in the
            clip; asked only where names do not tell the feet.
    """
    limbs: list[Limb] = []
    anatomy = skeleton.anatomy
    if anatomy is not None:
        limbs += [limb for side in SIDES if (limb := _named_foot(skeleton, side)) is not None]
    if not limbs:
        limbs = _feet_by_topology(skeleton, lowest())
    return tuple(limbs)


def _sites(skeleton: Skeleton, body: int) -> np.ndarray:
    return np.asarray(skeleton.site_offset[skeleton.site_body == body])


def _ends(skeleton: Skeleton, body: int) -> list[np.ndarray]:
    """Return where a body ends: its End Sites and its children's joints, away from its own."""
    ends = [*_sites(skeleton, body), *(skeleton.offset[c] for c in skeleton.children[body])]
    return [end for end in ends if _size(end) > 1e-4]


def first_of(skeleton: Skeleton, segment: str) -> int | None:
    """Return the body of a segment nearest the root, or None."""
    assert skeleton.anatomy is not None
    found = skeleton.anatomy.find(segment)
    if len(found) < 2:
        return found[0] if found else None
    return min(found, key=lambda b: len(skeleton.chain(b)))


def _size(vector: np.ndarray) -> float:
    """Return the length of ``(3)``: numpy's own takes long for three numbers."""
    return math.hypot(*vector.tolist())


def _bone(skeleton: Skeleton, body: int) -> float:
    return _size(skeleton.offset[body])


def _chain_length(skeleton: Skeleton, body: int, top: int | None) -> float:
    """Return the length of the bones from body up to the joint of ``top``."""
    total = 0.0
    for member in skeleton.chain(body):
        if member == top:
            break
        if top is None and len(skeleton.children[skeleton.parents[member]]) > 1:
            break
        total += _bone(skeleton, member)
    return total


def _named_foot(skeleton: Skeleton, side: str) -> Limb | None:
    foot = first_of(skeleton, f"{side}_foot")
    if foot is None:
        return None
    length = _chain_length(skeleton, foot, first_of(skeleton, f"{side}_thigh"))
    below = [b for b in skeleton.subtree(foot) if b != foot]
    assert skeleton.anatomy is not None
    toes = [b for b in below if skeleton.anatomy.segments[b] == f"{side}_toes"]
    direct = [b for b in toes if skeleton.parents[b] == foot] or toes
    toe = max(direct, key=lambda b: _bone(skeleton, b)) if direct else None
    return Limb(
        foot, (foot,) if toe is None else (foot, toe), "foot", side,
        _foot_points(skeleton, foot, toe), length, ankle=_ankle(skeleton, foot, side),
    )  # fmt: skip


def _ankle(skeleton: Skeleton, foot: int, side: str) -> np.ndarray:
    """Return ``(3)`` m, the ankle at rest in the foot's frame."""
    talus = int(skeleton.parents[foot])
    if talus < 0 or skeleton.segments[talus] != f"{side}_talus":
        return np.zeros(3)
    return -matrices(skeleton.rest[foot]).T @ skeleton.offset[foot]


def _foot_points(skeleton: Skeleton, foot: int, toe: int | None) -> tuple[Point, ...]:
    """Return heel, ball and tip as far as known: sites behind and before the ankle, toe joint."""
    points = []
    forward = None
    if toe is not None:
        forward = skeleton.offset[toe]
        points.append(Point(foot, np.array(skeleton.offset[toe]), "ball"))
        ends = _ends(skeleton, toe)
        if ends:
            points.append(Point(toe, np.array(max(ends, key=_size)), "tip"))
    ends = [*_sites(skeleton, foot)]
    if toe is None:
        ends = _ends(skeleton, foot)
        if len(ends) > 1:
            # Heel and tip are the two ends farthest apart; the tip is farther from the ankle.
            far = max(ends, key=_size)
            near = max(ends, key=lambda e: _size(e - far))
            if _size(near - far) > _size(far):
                points.append(Point(foot, np.array(near), "heel"))
            points.append(Point(foot, np.array(far), "tip"))
        elif ends:
            points.append(Point(foot, np.array(ends[0]), "tip"))
    elif ends and forward is not None:
        # A site on the far side of the ankle from the toes (measured along the sole) is the heel.
        heel = min(ends, key=lambda e: float(e @ forward))
        span = _size(heel - forward)
        if span > _size(forward) and span > 0:
            points.append(Point(foot, np.array(heel), "heel"))
    return tuple(points)


def _feet_by_topology(skeleton: Skeleton, lowest: np.ndarray) -> list[Limb]:
    """Return leaf chains that reach the lowest level of the clip, as feet."""
    leaves = [b for b in range(skeleton.n_bodies) if not skeleton.children[b]]
    leaves = [b for b in leaves if skeleton.parents[b] >= 0]
    floor = float(np.min(lowest))
    limbs: dict[int, Limb] = {}
    for leaf in leaves:
        length = _chain_length(skeleton, leaf, None)
        reach = np.linalg.norm(_sites(skeleton, leaf), axis=1).max(initial=0.0)
        if length + reach <= 0 or lowest[leaf] - floor > _REACH * (length + reach):
            continue
        parent = int(skeleton.parents[leaf])
        lone = skeleton.children[parent] == (leaf,) and skeleton.parents[parent] >= 0
        if lone and _bone(skeleton, leaf) < _SHORT_LEAF * length:
            foot, toe = parent, leaf
        else:
            foot, toe = leaf, None
        points = _foot_points(skeleton, foot, toe) or (Point(foot, np.zeros(3), "tip"),)
        parts = (foot,) if toe is None else (foot, toe)
        limbs.setdefault(foot, Limb(foot, parts, "foot", "", points, length + reach))
    return list(limbs.values())
