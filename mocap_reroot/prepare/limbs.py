"""Limbs: where hip, knee and ankle (shoulder, elbow, wrist) are along a branch of bones."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import combinations
from math import log

import numpy as np

LEG, ARM = "leg", "arm"
PARTS = {
    LEG: ("hip_dummy", "thigh", "shank", "foot"),
    ARM: ("clavicle", "upper_arm", "forearm", "hand"),
}
_END = {"foot": "toes", "hand": "fingers"}
_ODD_END = 3.0
"""The most that an odd foot or hand can cost: skis, or a sword."""
_NEXT = {"shank": "foot", "forearm": "hand", **_END}


@dataclass(frozen=True, eq=False)
class Fit:
    """The best reading of a branch as a limb.

    Attributes:
        parts: Part of every body of the branch's path.
        cost: How unlike a person's it is, 0 being perfect.
        length: Thigh and shank, or upper arm and forearm, together.
    """

    parts: tuple[str, ...]
    cost: float
    length: float


@dataclass(frozen=True, eq=False)
class Limb:
    """A limb that was found.

    Attributes:
        kind: ``"leg"`` or ``"arm"``.
        path: Bodies from the trunk outwards.
        fit: How the path was read.
        bodies: All bodies of the limb.
        points: The joint (a body's index) at which each part begins.
        end: The outermost point: a body's index, or −1 − site.
    """

    kind: str
    path: tuple[int, ...]
    fit: Fit
    bodies: frozenset[int]
    points: Mapping[str, int]
    end: int


def fit_limbs(kind: str, a: np.ndarray, b: np.ndarray, zero: float) -> tuple[Fit, Fit] | None:
    """Read two mirrored chains of bones as legs or arms; None if they have too few.

    Args:
        kind: ``LEG`` or ``ARM``.
        a, b: ``(bodies, 3, S)`` each bone from joint to joint, world axes.
        zero: Length below which a bone has none.
    """
    costs = [_readings(kind, steps, zero) for steps in (a, b)]
    if not all(costs):
        return None
    both = {cut: costs[0][cut] + costs[1][cut] for cut in costs[0].keys() & costs[1].keys()}
    cut = min(both, key=lambda c: (both[c], c))  # the sides are read alike
    return _fit(kind, a, zero, cut, costs[0][cut]), _fit(kind, b, zero, cut, costs[1][cut])


def _readings(kind: str, steps: np.ndarray, zero: float) -> dict[tuple[int, int, int], float]:
    """Return the cost of every reading of a chain."""
    lengths = _lengths(steps)
    solid = np.flatnonzero(lengths > zero)
    if len(solid) < 2:
        return {}
    angle, bend = _angles(steps[solid])
    reach = [0.0, *np.cumsum(lengths[solid]).tolist()]
    stiff = (0.8 + 3 * (1 - angle) + 20 * bend).tolist()
    return {cut: _cost(kind, reach, stiff, angle.tolist(), cut) for cut in _cuts(len(solid))}


def _lengths(steps: np.ndarray) -> np.ndarray:
    return np.asarray(np.median(np.linalg.norm(steps, axis=1), axis=1))


def _fit(kind: str, steps: np.ndarray, zero: float, cut: tuple[int, int, int], cost: float) -> Fit:
    """Name the bodies of a chain whose hip, knee and ankle are known."""
    lengths = _lengths(steps)
    solid = np.flatnonzero(lengths > zero)
    i, j, k = cut
    first, second, third, fourth = PARTS[kind]
    named = [first] * i + [second] * (j - i) + [third] * (k - j)
    if k < len(solid):
        named += [fourth] + [_END[fourth]] * (len(solid) - k - 1)
    parts: list[str] = [""] * len(lengths)
    for bone, part in zip(solid.tolist(), named, strict=True):
        parts[bone] = part
    for bone in range(
        len(parts) - 1, -1, -1
    ):  # no length: part of what follows, or of what bears it
        if not parts[bone] and bone + 1 < len(parts):
            parts[bone] = parts[bone + 1]
    for bone in range(1, len(parts)):
        previous = parts[bone - 1]
        if not parts[bone]:
            parts[bone] = _NEXT.get(previous, previous)  # a joint without a bone beyond it
        if parts[bone] == _END.get(previous) and lengths[bone - 1] <= zero and previous == "hand":
            parts[bone] = previous  # the wrist has no length: the palm is the next body
    return Fit(tuple(parts), cost, float(lengths[solid][i:k].sum()))


def _cuts(bones: int) -> Iterator[tuple[int, int, int]]:
    """Yield (hip, knee, ankle): how many bones lie before each; at most three before the hip."""
    for i, j, k in combinations(range(bones + 1), 3):
        if i <= 3 and k - i <= 6:
            yield i, j, k


def _angles(bones: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return ``(bones − 1)`` mean cosine between neighbours, and how much the angle varies, rad."""
    unit = bones / np.maximum(np.linalg.norm(bones, axis=1, keepdims=True), 1e-300)
    cosine = np.clip((unit[1:] * unit[:-1]).sum(axis=1), -1, 1)
    return cosine.mean(axis=1), np.arccos(cosine).std(axis=1)


def _cost(
    kind: str,
    reach: list[float],
    stiff: list[float],
    angle: list[float],
    cut: tuple[int, int, int],
) -> float:
    """Return how unlike a person's limb this reading is: half squares of deviations.

    Args:
        kind: ``LEG`` or ``ARM``.
        reach: Length of the chain before each bone, and of all.
        stiff: What it costs to take a joint for one inside a thigh: such joints do not bend.
        angle: Mean cosine at each joint.
        cut: How many bones lie before hip, knee and ankle.
    """
    i, j, k = cut
    before, upper, lower = reach[i], reach[j] - reach[i], reach[k] - reach[j]
    end, bones = reach[-1] - reach[k], len(reach) - 1
    limb = upper + lower
    cost = sum(stiff[i : j - 1]) + sum(stiff[j : k - 1])  # joints within thigh and shank
    if kind == LEG:
        cost += 0.5 * (log(upper / lower) / 0.2) ** 2
        cost += 0.5 * (before / limb / 0.15) ** 2 + 0.2 * i
        if k < bones:
            cost += (
                0.5 * ((end / limb - 0.25) / 0.15) ** 2 + 0.5 * ((angle[k - 1] - 0.3) / 0.5) ** 2
            )
        else:
            cost += 1.5
    else:
        cost += 0.5 * ((log(upper / lower) - 0.15) / 0.3) ** 2
        cost += 0.5 * ((before / limb - 0.3) / 0.25) ** 2 + 0.2 * (i - 1) if i else 1.5
        if k < bones:
            cost += min(0.5 * ((end / limb - 0.35) / 0.25) ** 2, _ODD_END)
        else:
            cost += 0.8
    return cost
