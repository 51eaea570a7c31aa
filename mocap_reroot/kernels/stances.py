"""Stances of one limb: scores of its sole points, exact strikes and offs, foot and toes.

Of its ``P`` sole points, ``height (P, F)`` m, ``speed (P, F)`` m/s and ``velocity (P, 3, F)`` m/s
are known; the limb has one part, or a foot and toes.
"""

from __future__ import annotations

import numpy as np

from mocap_reroot.kernels.compiling import kernel
from mocap_reroot.kernels.quantiles import quantile

BEFORE = 3
"""Windows before a strike (after an off) within which the swing's top speed is looked for."""
FORWARDS, BACKWARDS = np.int64(1), np.int64(-1)
"""Steps; as numbers of one type they need one compilation."""


@kernel
def _likely(score, valid, leave, enter, gap, shortest, edges):
    """Fill ``edges (m, 2)`` of runs of high scores; return how many there are."""
    count, start, top, frames = 0, -1, 0.0, len(valid)
    for f in range(frames + 1):
        best = 0.0
        if f < frames and valid[f]:
            for p in range(len(score)):
                best = max(best, score[p, f])
        if best > leave:
            start = f if start < 0 else start
            top = max(top, best)
        elif start >= 0:
            if top > enter and count > 0 and start - edges[count - 1, 1] < gap:
                edges[count - 1, 1] = f
            elif top > enter:
                edges[count, 0], edges[count, 1] = start, f
                count += 1
            start, top = -1, 0.0
    kept = 0
    for k in range(count):
        if edges[k, 1] - edges[k, 0] >= min(shortest, frames):
            edges[kept, 0], edges[kept, 1] = edges[k, 0], edges[k, 1]
            kept += 1
    return kept


@kernel
def _slows_down(speed, limit, edge, step, back, ahead):
    """Return the time near the edge at which a speed falls below a limit, interpolated.

    Onwards from the edge, up to frame ``ahead``, if it is too fast there, else towards ``back``.
    Onwards is forwards in time or backwards, as ``step`` says.
    """
    k = edge
    if speed[k] >= limit:
        while k != ahead and speed[k] >= limit:
            k += step
        if speed[k] >= limit:
            return float(k)
    else:
        while k != back and speed[k - step] < limit:
            k -= step
        if k == back:
            return float(k)
    drop = speed[k - step] - speed[k]
    return k - step * (limit - speed[k]) / drop if drop > 0 else float(k)


@kernel
def _fastest(speed, start, stop):
    """Return the frame of the top speed."""
    fast = start
    for f in range(start, stop):
        if speed[f] > speed[fast]:
            fast = f
    return fast


@kernel
def _usual(speed, top):
    """Return the top speed of a swing that the clip cuts: at least what is usual in it."""
    return max(top, quantile(speed.copy(), len(speed), 0.95))


@kernel
def _vertical_share(velocity, up, frame):
    """Return cos² of the angle between a point's velocity ``(3, F)`` and the vertical."""
    f = min(max(frame, 0), velocity.shape[1] - 1)
    x, y, z = velocity[0, f], velocity[1, f], velocity[2, f]
    return (x * up[0] + y * up[1] + z * up[2]) ** 2 / max(x * x + y * y + z * z, 1e-12)


@kernel
def _sinking(velocity, up, f):
    """Return m/s how fast the sole as a whole sinks."""
    total = 0.0
    for p in range(len(velocity)):
        for c in range(3):
            total -= up[c] * velocity[p, c, f]
    return total / len(velocity)


@kernel
def _strike(speed, velocity, up, edge, first, last, reach, near, share):
    """Return when the limb lands, in frames; ``edge`` is where the score says so, roughly.

    Two signs are averaged: the landing point has slowed down to a share of the swing's top speed
    (after Ghoussayni 2004), and the sole as a whole sinks fastest (after O'Connor 2007): from then
    on the ground brakes it.
    """
    low, high = max(first, edge - BEFORE * reach), min(last, edge + reach)
    slowed, drop = np.inf, 0.0
    for p in range(len(speed)):
        mine, ahead = speed[p], max(high - 1, edge)
        fast = _fastest(mine, low, edge + 1)
        top = mine[fast] if fast > 1 else _usual(mine, mine[fast])
        half = _slows_down(mine, 0.5 * top, edge, FORWARDS, low, ahead)
        falls = _vertical_share(velocity[p], up, round(half))
        limit = (share[0] + share[1] * falls) * top
        time = _slows_down(mine, limit, edge, FORWARDS, low, ahead)
        if time < slowed or (time == slowed and falls < drop):
            slowed, drop = time, falls
    a, b = max(first, round(slowed) - near), min(last, round(slowed) + near)
    peak, most = a, -np.inf
    for f in range(a, b + 1):
        sinks = _sinking(velocity, up, f)
        if sinks > most:
            peak, most = f, sinks
    if not a < peak < b:  # the slope of a summit farther away
        return slowed
    left, right = _sinking(velocity, up, peak - 1), _sinking(velocity, up, peak + 1)
    bend = left - 2 * most + right
    summit = peak + (0.5 * (left - right) / bend if bend < 0 else 0.0)  # of their parabola
    weight = 0.5 * (1 - drop)
    return (1 - weight) * slowed + weight * summit


@kernel
def _off(speed, velocity, up, edge, first, last, reach, share):
    """Return when the limb leaves the ground, in frames: the given point of it moves off."""
    frames = len(speed)
    low, high = max(first, edge - reach), min(last, edge + BEFORE * reach, frames)
    fast = _fastest(speed, edge, max(high, edge + 1))
    top = speed[fast] if fast < frames - 2 else _usual(speed, speed[fast])
    limit = (share[0] + share[1] * _vertical_share(velocity, up, fast)) * top
    # Seen backwards in time, moving off is slowing down.
    return _slows_down(speed, limit, edge - 1, BACKWARDS, max(high, edge) - 1, min(low, edge - 1))


@kernel
def stances(score, valid, speed, velocity, up, ball, levels, least, within, landing, leaving, out):
    """Fill stances ``out (m, 2)`` as times in frames, strike and off; return how many there are.

    A stance that is cut by the ends of the clip, or by frames left out, has its edge there.

    Args:
        score: ``(P, F)`` 0–1, of the points.
        valid: ``(F)`` frames that take part.
        speed, velocity: See above.
        up: ``(3)``.
        ball: The point that moves off last.
        levels: A stance lasts while its score is above the first, if it is above the second once.
        least: Frames: swings shorter than the first are none, nor stances than the second.
        within: Frames: how far an event may lie from the edge of the score, and how far apart two
            signs of a strike may be.
        landing, leaving: Shares of the swing's top speed at a strike and at an off; the second of
            each is added in proportion to the vertical share of the velocity.
        out: ``(≥ F / 2 + 1, 2)``.
    """
    frames, (reach, near) = len(valid), within
    edges = np.empty((len(out), 2), np.int64)
    found = _likely(score, valid, levels[0], levels[1], least[0], least[1], edges)
    count = 0
    for k in range(found):
        start, stop = edges[k, 0], edges[k, 1]
        before = edges[k - 1, 1] if k > 0 else 0
        after = edges[k + 1, 0] if k + 1 < found else frames
        middle = (start + stop) // 2
        strike, off = float(start), float(stop)
        if start > 0 and valid[start - 1]:
            strike = _strike(speed, velocity, up, start, before, middle, reach, near, landing)
        if stop < frames and valid[stop]:
            off = _off(speed[ball], velocity[ball], up, stop, middle, after, reach, leaving)
        if off - strike >= 1:
            out[count, 0], out[count, 1] = strike, off
            count += 1
    return count


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
