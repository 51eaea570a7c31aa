"""Rolling: where a stance foot is to be so that it rolls over the ground and does not slide."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from mocap_reroot.contact.footing import Footing
from mocap_reroot.contact.pinning import ramp, spread
from mocap_reroot.numerics.vectors import dot


@dataclass(frozen=True)
class Rolling:
    """How a foot stands.

    Attributes:
        ramp: s, at both ends of a stance, over which it comes to rest and leaves.
        sink: m, that a soft sole may be below the ground.
        above: m, that a sole may be above it.
        lower: m, at most, by which a foot that floats is brought down.
        bearing: m higher than the lowest, at which a point of the sole counts a third.
    """

    ramp: float = 0.01
    sink: float = 0.002
    above: float = 0.004
    lower: float = 0.02
    bearing: float = 0.00002


def rolling(foot: Footing, fps: float, numbers: Rolling = Rolling()) -> np.ndarray:
    """Return ``(3, F)`` m, the shifts by which a foot rolls over the ground without sliding.

    What bears is where the sole is lowest. Its way along the ground, added up over a stance, is
    taken back; the lowest point keeps its usual height, at the ground.

    Args:
        foot: With its stances.
        fps: Frames per second.
        numbers: How firmly it is held, and how deep it may be.
    """

    paths = []
    for start, stop in foot.stances:
        part = foot.cut(start, stop)
        rest = ramp(stop - start, fps, numbers.ramp)
        height, up = part.height, part.normal
        share = np.exp(-(height - height.min(axis=0)) / numbers.bearing)
        share /= share.sum(axis=0)
        between = (share[:, 1:] + share[:, :-1]) / 2
        slid = np.einsum("kf,kcf->cf", between, np.diff(part.corners, axis=2))
        slid -= up[:, 1:] * dot(up[:, 1:], slid)
        way = np.concatenate([np.zeros((3, 1)), np.cumsum(slid, axis=1)], axis=1)
        way -= np.average(way, axis=1, weights=rest + 1e-9)[:, None]
        low = height.min(axis=0)
        usual = float(np.average(low, weights=rest + 1e-9))
        rise = float(np.clip(usual, -numbers.sink, numbers.above)) - low
        rise = np.maximum(rise, -numbers.lower)
        paths.append(rest * (up * rise - way))
    shift = spread(foot.ankle.shape, foot.stances, paths, fps)
    height = foot.shifted(shift).height.min(axis=0, keepdims=True)
    sunk = [np.maximum(0, -numbers.sink - height[:, a:b]) for a, b in foot.stances]
    lifted = spread(height.shape, foot.stances, sunk, fps, cover=True)
    return np.asarray(shift + foot.normal * lifted)
