"""Scores of a limb's sole points, and heel and toe contact within its stances.

Of its ``P`` sole points, ``height (P, F)`` m and ``speed (P, F)`` m/s are known; the limb has one
part, or a foot and toes.
"""

from __future__ import annotations

import numpy as np

from mocap_reroot.kernels.compiling import kernel

TINY = 1e-300
"""Least limit: one over a smaller one is too large to be a number."""


@kernel
def point_scores(height, speed, falling, unloaded, limits, narrowed, out):
    """Fill ``out (P, F)`` with 0–1: low and slow is 1, high or fast is 0.

    Args:
        height, speed: See above.
        falling, unloaded: ``(F)`` 0–1 that it cannot carry.
        limits: m, m/s, at which a point is as likely off as on.
        narrowed: What is left of them where it is falling, and where it is unloaded.
        out: Scores.
    """
    high, fast = 1 / max(limits[0], TINY), 1 / max(limits[1], TINY)
    for p in range(len(height)):
        for f in range(height.shape[1]):
            narrow = 1 - max((1 - narrowed[0]) * falling[f], (1 - narrowed[1]) * unloaded[f])
            h = max(height[p, f], 0.0) * high / narrow
            v = speed[p, f] * fast / narrow
            h, v = h * h, v * v
            out[p, f] = np.sqrt(1 / ((1 + h * h) * (1 + v * v)))


@kernel
def _roll(height, rows, start, stop, lifted, sunk, brief, touching, carrier):
    """Say when the toes touch in one stance, when they carry, and when the foot is off."""
    heel, ball, tip = rows
    down, risen = stop, start
    for f in range(start, stop):
        ground = sunk
        for p in range(len(height)):
            ground = min(ground, height[p, f])
        if min(height[tip, f], height[ball, f]) - ground < lifted:
            down = min(down, f)  # the first
        if height[heel, f] - ground < lifted:
            risen = f + 1  # after the last
    down = start if down == stop else down
    for f in range(down, stop):
        touching[1, f] = True
    change = max((risen + stop + 1) // 2, down)
    if risen >= stop or stop - change < brief:
        return
    rolled = False
    for f in range(change, stop):
        ground = sunk
        for p in range(len(height)):
            ground = min(ground, height[p, f])
        rolled = rolled or height[ball, f] - ground > 0.5 * lifted
        touching[0, f] = not rolled
        carrier[f] = 1


@kernel
def share(edges, height, rows, lifted, sunk, brief, touching, carrier):
    """Say when heel end and toes touch within stances, and which of them carries.

    The toes touch from when they come down to the foot's off. The foot touches from the strike
    until its ball leaves; the support passes from foot to toes half way between heel-rise and
    foot-off, about where the centre of pressure passes the toe joint.

    Args:
        edges: ``(m, 2)`` first frame of a stance and the one after its last.
        height: See above.
        rows: Those of heel, ball and tip.
        lifted: m, a heel or tip this high above the lowest point no longer touches …
        sunk: m, … above this height, if the lowest point is higher.
        brief: Frames, toes that carry for fewer are not worth a change of support.
        touching: ``(parts, F)`` bool, so far False.
        carrier: ``(F)`` the part that carries, so far −1: none.
    """
    for k in range(len(edges)):
        start, stop = max(edges[k, 0], 0), min(edges[k, 1], len(carrier))
        for f in range(start, stop):
            touching[0, f] = True
            carrier[f] = 0
    for k in range(len(edges)):
        start, stop = max(edges[k, 0], 0), min(edges[k, 1], len(carrier))
        if len(touching) > 1 and start < stop:
            _roll(height, rows, start, stop, lifted, sunk, brief, touching, carrier)


@kernel
def most_likely(scores, height, speed, points, touching, valid, out):
    """Set ``out (3, F)`` to score, height and speed of whichever point has the best score.

    The score agrees with what was decided: at least a half where the part touches, at most where
    it does not, nothing in frames that take no part.

    Args:
        scores, height, speed: ``(P, F)``.
        points: ``(k)`` which of them belong to the part.
        touching, valid: ``(F)`` bool.
        out: Filled.
    """
    for f in range(len(valid)):
        best = points[0]
        for k in points[1:]:
            if scores[k, f] > scores[best, f]:
                best = k
        score = scores[best, f]
        score = max(score, 0.5) if touching[f] else min(score, 0.5)
        out[0, f] = score if valid[f] else 0.0
        out[1, f], out[2, f] = height[best, f], speed[best, f]
