"""Sides: which of two mirrored limbs is the left one, from where the feet point and knees bend."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from mocap_reroot.inference.sampling import Poses, lengths
from mocap_reroot.inference.topology import BodyPlan

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


def find_sides(poses: Poses, plan: BodyPlan) -> Sides:
    """Tell left from right in a person found by shape."""
    if not plan.legs:
        return Sides(None, 0.0, "there are no legs to tell left from right by")
    joints = [
        (leg.points["thigh"], leg.points["shank"], leg.points.get("foot", leg.end), leg.end)
        for leg in plan.legs
    ]
    rows = [poses.row(joint) for pair in zip(*joints, strict=True) for joint in pair]
    hips, knees, ankles, ends = poses.points[rows].reshape(4, 2, 3, -1)  # of both legs
    up = hips.sum(axis=0) - ankles.sum(axis=0)
    if plan.arms:
        shoulders = [poses.points[arm.points["upper_arm"]] for arm in plan.arms]
        up = shoulders[0] + shoulders[1] - hips.sum(axis=0)
    up = _unit(up)
    to_a = _unit(hips[0] - hips[1])
    length = float(np.median(lengths(hips[0] - ankles[0])))
    feet = _level(ends - ankles, up).sum(axis=0)
    bends = _level(knees - hips, _unit(ankles - hips)).sum(axis=0)
    forward = np.array([feet, bends])
    sizes = lengths(forward)
    # up × forward is left; its share along a to b, by the triple product
    along = np.einsum("vks,ks->vs", forward, to_a[_NEXT] * up[_LAST] - to_a[_LAST] * up[_NEXT])
    clear = sizes > np.array([[0.08], [0.05]]) * length
    verdicts = []
    for k, name in enumerate(("feet point", "knees bend")):
        if clear[k].any():
            cosine = float(along[k] @ clear[k]) / float(sizes[k] @ clear[k])
            verdicts.append((name, cosine * float(clear[k].mean()) ** 0.5))
    sure = [(name, value) for name, value in verdicts if abs(value) > _SURE]
    if not sure:
        return Sides(None, 0.0, "neither feet nor knees show clearly where forward is")
    if len({value > 0 for _, value in sure}) == 2:
        return Sides(None, 0.0, "the feet point one way and the knees bend the other")
    strength = min(1.0, sum(abs(value) for _, value in sure))
    ways = " and ".join(f"the {name} (cosine {abs(value):.2f})" for name, value in sure)
    return Sides(sure[0][1] > 0, strength, f"left from the way {ways}")


def _unit(vectors: np.ndarray) -> np.ndarray:
    return vectors / np.maximum(lengths(vectors), 1e-300)[..., None, :]


def _level(vectors: np.ndarray, up: np.ndarray) -> np.ndarray:
    """Return the part of ``(…, 3, S)`` vectors that is square to ``up``."""
    return np.asarray(vectors - up * np.einsum("...ks,...ks->...s", vectors, up)[..., None, :])
