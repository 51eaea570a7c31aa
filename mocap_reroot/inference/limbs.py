"""Limbs: where hip, knee and ankle (shoulder, elbow, wrist) are along a branch of bones."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import accumulate, combinations, pairwise
from math import inf, log

import numpy as np

from mocap_reroot.inference.sampling import lengths

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


@dataclass(frozen=True, eq=False)
class Chain:
    """Bones from joint to joint, measured over the sampled frames.

    Attributes:
        lengths: ``(bones)`` medians.
        solid: Indices of the bones that have a length.
        reach: Length of the solid bones before each of them, and of all.
        angle: Mean cosine at each joint between solid bones.
        stiff: What it costs to take the joints before each for ones inside a thigh, which do not
            bend: sums from the first on.
        zero: Length below which a bone has none.
    """

    lengths: list[float]
    solid: list[int]
    reach: list[float]
    angle: list[float]
    stiff: list[float]
    zero: float


def measure(joints: np.ndarray, counts: Sequence[int], zero: float) -> list[Chain]:
    """Measure chains of bones, all at once, for each is small.

    Args:
        joints: ``(j, 3, S)`` from the first joint of the first chain to the last of the last.
        counts: Joints in each chain.
        zero: Length below which a bone has none.
    """
    steps = joints[1:] - joints[:-1]  # also from the end of a chain to the next: not used
    norms = lengths(steps)
    bones: list[float] = np.median(norms, axis=-1).tolist()
    starts = [0, *accumulate(counts)]
    solid = [[k for k in range(a, b - 1) if bones[k] > zero] for a, b in pairwise(starts)]
    before = [k for chain in solid for k in chain[:-1]]
    after = [k for chain in solid for k in chain[1:]]
    size = np.maximum(norms[before], 1e-300), np.maximum(norms[after], 1e-300)
    unit = steps[before] / size[0][:, None], steps[after] / size[1][:, None]
    cosine = np.einsum("bks,bks->bs", *unit[::-1])
    cosine = np.minimum(np.maximum(cosine, -1.0), 1.0)
    frames, angle = cosine.shape[1], np.arccos(cosine)
    mean, centre = cosine.sum(axis=1) / frames, angle.sum(axis=1) / frames
    angle -= centre[:, None]
    bend = np.sqrt(np.einsum("bs,bs->b", angle, angle) / frames)
    straight, stiff = mean.tolist(), (0.8 + 3 * (1 - mean) + 20 * bend).tolist()
    found, first = [], 0
    for (start, stop), chain in zip(pairwise(starts), solid, strict=True):
        last = first + max(len(chain) - 1, 0)
        found.append(
            Chain(
                bones[start : stop - 1],
                [k - start for k in chain],
                [0.0, *accumulate(bones[k] for k in chain)],
                straight[first:last],
                [0.0, *accumulate(stiff[first:last])],
                zero,
            )
        )
        first = last
    return found


def fit_limbs(kind: str, a: Chain, b: Chain) -> tuple[Fit, Fit] | None:
    """Read two mirrored chains of bones as legs or arms; None if they have too few."""
    bones = min(len(a.solid), len(b.solid))
    if bones < 2:
        return None
    best, chosen = inf, (0, 1, 2)
    stiff = [one + other for one, other in zip(a.stiff, b.stiff, strict=False)]
    for cut in _cuts(bones):  # the sides are read alike
        i, j, k = cut
        if stiff[j - 1] - stiff[i] + stiff[k - 1] - stiff[j] < best:
            both = _cost(kind, a, cut)
            if both < best:
                both += _cost(kind, b, cut)
                if both < best:
                    best, chosen = both, cut
    return _fit(kind, a, chosen), _fit(kind, b, chosen)


def _fit(kind: str, chain: Chain, cut: tuple[int, int, int]) -> Fit:
    """Name the bodies of a chain whose hip, knee and ankle are known."""
    i, j, k = cut
    solid = chain.solid
    first, second, third, fourth = PARTS[kind]
    named = [first] * i + [second] * (j - i) + [third] * (k - j)
    if k < len(solid):
        named += [fourth] + [_END[fourth]] * (len(solid) - k - 1)
    parts: list[str] = [""] * len(chain.lengths)
    for bone, part in zip(solid, named, strict=True):
        parts[bone] = part
    for bone in range(len(parts) - 2, -1, -1):  # no length: part of what follows
        if not parts[bone]:
            parts[bone] = parts[bone + 1]
    for bone in range(1, len(parts)):
        previous = parts[bone - 1]
        if not parts[bone]:
            parts[bone] = _NEXT.get(previous, previous)  # a joint without a bone beyond it
        flat = chain.lengths[bone - 1] <= chain.zero
        if parts[bone] == _END.get(previous) and flat and previous == "hand":
            parts[bone] = previous  # the wrist has no length: the palm is the next body
    return Fit(tuple(parts), _cost(kind, chain, cut), chain.reach[k] - chain.reach[i])


@cache
def _cuts(bones: int) -> tuple[tuple[int, int, int], ...]:
    """Return (hip, knee, ankle): how many bones lie before each; at most three before the hip."""
    return tuple(
        (i, j, k) for i, j, k in combinations(range(bones + 1), 3) if i <= 3 and k - i <= 6
    )


def _cost(kind: str, chain: Chain, cut: tuple[int, int, int]) -> float:
    """Return how unlike a person's limb this reading is: half squares of deviations."""
    i, j, k = cut
    reach = chain.reach
    before, upper, lower = reach[i], reach[j] - reach[i], reach[k] - reach[j]
    end, bones = reach[-1] - reach[k], len(reach) - 1
    limb = upper + lower
    stiff = chain.stiff  # joints inside thigh and shank do not bend
    cost = stiff[j - 1] - stiff[i] + stiff[k - 1] - stiff[j]
    if kind == LEG:
        cost += 0.5 * (log(upper / lower) / 0.2) ** 2
        cost += 0.5 * (before / limb / 0.15) ** 2 + 0.2 * i
        if k < bones:
            cost += 0.5 * ((end / limb - 0.25) / 0.15) ** 2
            cost += 0.5 * ((chain.angle[k - 1] - 0.3) / 0.5) ** 2
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
