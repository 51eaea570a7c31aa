"""Sides: which of two mirrored limbs is the left one, from where the feet point and knees bend."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from mocap_reroot.prepare.sampling import Poses, lengths, middle
from mocap_reroot.prepare.topology import Person

_NEXT, _LAST = [1, 2, 0], [2, 0, 1]  # of x, y and z, for cross products
_SURE = 0.35
"""Mean cosine from which a direction is taken as evidence."""


@dataclass(frozen=True)
class Sides:
    """Whether the limbs called ``a`` are the left ones.

    Attributes:
        a_is_left: The verdict, or None where geometry cannot tell.
        strength: 0–1.
        why: Sentence.
    """

    a_is_left: bool | None
    strength: float
    why: str


def find_sides(poses: Poses, person: Person) -> Sides:
    """Tell left from right in a person found by shape."""
    if not person.legs:
        return Sides(None, 0.0, "there are no legs to tell left from right by")
    hips = [_point(poses, leg.points["thigh"]) for leg in person.legs]
    knees = [_point(poses, leg.points["shank"]) for leg in person.legs]
    ankles = [_point(poses, leg.points.get("foot", leg.end)) for leg in person.legs]
    ends = [_point(poses, leg.end) for leg in person.legs]
    up = np.add(*hips) - np.add(*ankles)
    if person.arms:
        shoulders = [_point(poses, arm.points["upper_arm"]) for arm in person.arms]
        up = np.add(*shoulders) - np.add(*hips)
    up = _unit(up)
    to_a = _unit(hips[0] - hips[1])
    length = float(middle(lengths(hips[0] - ankles[0])))

    feet = np.add(*(_level(end - ankle, up) for end, ankle in zip(ends, ankles, strict=True)))
    bends = np.add(*(_bend(*leg) for leg in zip(hips, knees, ankles, strict=True)))
    verdicts = []
    for name, forward, least in (("feet point", feet, 0.08), ("knees bend", bends, 0.05)):
        size = lengths(forward)
        clear = size > least * length
        if clear.any():
            # up × forward is left; its share along a to b, by the triple product
            along = np.einsum("ks,ks->s", up[_NEXT] * forward[_LAST], to_a)
            along -= np.einsum("ks,ks->s", up[_LAST] * forward[_NEXT], to_a)
            cosine = float(along[clear].sum() / size[clear].sum())
            verdicts.append((name, cosine * float(clear.mean()) ** 0.5))
    sure = [(name, value) for name, value in verdicts if abs(value) > _SURE]
    if not sure:
        return Sides(None, 0.0, "neither feet nor knees show clearly where forward is")
    if len({value > 0 for _, value in sure}) == 2:
        return Sides(None, 0.0, "the feet point one way and the knees bend the other")
    strength = min(1.0, sum(abs(value) for _, value in sure))
    ways = " and ".join(f"the {name} (cosine {abs(value):.2f})" for name, value in sure)
    return Sides(sure[0][1] > 0, strength, f"left from the way {ways}")


def _point(poses: Poses, joint: int) -> np.ndarray:
    return poses.site_position[-1 - joint] if joint < 0 else poses.position[joint]


def _unit(vectors: np.ndarray) -> np.ndarray:
    return vectors / np.maximum(lengths(vectors), 1e-300)


def _level(vectors: np.ndarray, up: np.ndarray) -> np.ndarray:
    """Return the part of ``(3, S)`` vectors that is square to ``up``."""
    return vectors - up * np.einsum("ks,ks->s", vectors, up)


def _bend(hip: np.ndarray, knee: np.ndarray, ankle: np.ndarray) -> np.ndarray:
    """Return ``(3, S)`` how far the knee stands off the line from hip to ankle."""
    return _level(knee - hip, _unit(ankle - hip))
