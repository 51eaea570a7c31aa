"""Sharing of one load by several feet: where they press, what gives way, and what adds up.

``k`` feet stand on planes, ``point, normal (k, 3, F)``. ``axes (2, 3)`` are level and with
``up (3)`` a right-handed frame; pressures of a frame seen from above are ``(k, 2)``.
"""

from __future__ import annotations

import numpy as np

from mocap_reroot.kernels.compiling import kernel
from mocap_reroot.kernels.handover import run_end
from mocap_reroot.kernels.soles import OUTLINE, nearest_in, seen_from_above

ARRIVED = 1e-24
"""m²: a mean so near the centre is there."""


@kernel
def _dot(u, v, k, f):
    """Return ``u · v`` of a constant vector with foot k's in frame f."""
    return u[0] * v[k, 0, f] + u[1] * v[k, 1, f] + u[2] * v[k, 2, f]


@kernel
def hold(on, alone, place):
    """Let every stance keep the pressure of the nearest frame alone, where it has one.

    Args:
        on, alone: ``(F)`` whether a foot carries, and whether it carries all.
        place: ``(3, F)`` its pressures, known where it is alone; changed.
    """
    for start in range(len(on)):
        last, count = -1, 0
        stop = run_end(on, start)
        for f in range(start, stop):
            if not alone[f]:
                continue
            for g in range(start if last < 0 else last + 1, f):
                later = last < 0 or 2 * (g - last) > f - last
                tie = 2 * (g - last) == f - last and count % 2 == 0
                for c in range(3):
                    place[c, g] = place[c, f if later or tie else last]
            last, count = f, count + 1
        if last >= 0:
            for g in range(last + 1, stop):
                for c in range(3):
                    place[c, g] = place[c, last]


@kernel
def _press(shares, x, y, outlines, rounds, place):
    """Move pressures inside the soles until their weighted mean is at x, y or comes no nearer.

    Returns the way from the mean to x, y.
    """
    feet = len(shares)
    for j in range(feet):
        x -= shares[j] * place[j, 0]
        y -= shares[j] * place[j, 1]
    for _ in range(rounds):
        farthest = 0.0
        for k in range(feet):
            s = shares[k]
            if not s > 1e-6:
                continue
            wx, wy = x / s, y / s
            dx, dy = nearest_in(outlines[k], place[k, 0] + wx, place[k, 1] + wy)
            wx, wy = wx + dx, wy + dy
            place[k, 0] += wx
            place[k, 1] += wy
            x -= s * wx
            y -= s * wy
            farthest = max(farthest, wx * wx + wy * wy)
        if x * x + y * y < ARRIVED or farthest < ARRIVED:
            break
    return x, y


@kernel
def _reach(outline, x, y):
    """Return how far a sole reaches along x, y."""
    most = -np.inf
    for p in range(outline.shape[0]):
        for c in range(outline.shape[1]):
            most = max(most, x * outline[p, c, 0] + y * outline[p, c, 1])
    return most


@kernel
def _trade(here, x, y, outlines, limits, start, shares, place):
    """Change the shares of two feet, in small steps, while that brings their mean nearer to x, y.

    Args:
        here: ``(k)`` whether a foot carries; two do.
        x, y: Where the mean should be, seen from above.
        outlines: Of :func:`seen_from_above`, one a foot.
        limits: As in :func:`give_way`.
        start: ``(k, 2)`` where the feet would like to bear.
        shares, place: ``(k)``, ``(k, 2)`` changed to the best that is found.

    Returns how far the mean misses.
    """
    tolerance, step, steps, rounds = limits
    feet = len(shares)
    trial, there = np.zeros(feet), np.empty((feet, 2))
    first, second = 0, 0
    for k in range(feet):
        if here[k]:
            first, second = second, k
    wanted = shares[first]
    dx, dy = _press(shares, x, y, outlines, rounds, place)
    miss = np.sqrt(dx * dx + dy * dy)
    for i in range(2 * steps):
        if not miss > tolerance:
            break
        change = (i // 2 + 1) * step if i % 2 == 0 else -(i // 2 + 1) * step
        trial[first] = min(max(wanted + change, 0.0), 1.0)
        trial[second] = 1 - trial[first]
        # No pressures inside the soles are nearer than this; mostly it says: do not even try.
        gap = x * dx + y * dy
        for k in (first, second):
            gap -= trial[k] * _reach(outlines[k], dx, dy)
        if gap > (miss - 0.5 * tolerance) * miss:
            continue
        for k in range(feet):
            there[k, 0], there[k, 1] = start[k, 0], start[k, 1]
        nx, ny = _press(trial, x, y, outlines, rounds, there)
        if np.sqrt(nx * nx + ny * ny) < miss - 0.5 * tolerance:
            dx, dy, miss = nx, ny, np.sqrt(nx * nx + ny * ny)
            for k in range(feet):
                shares[k] = trial[k]
                place[k, 0], place[k, 1] = there[k, 0], there[k, 1]
    return miss


@kernel
def give_way(base, wanted, centre, on, corners, axes, ease, limits, shares, place, miss):
    """Press inside the soles, with shares of two feet changed where soles demand it.

    Args:
        base: ``(k, 3, F)`` where the feet would like to bear.
        wanted: ``(k, F)`` shares.
        centre: ``(3, F)`` where the mean of the pressures should be.
        on: ``(k, F)`` whether a foot carries; frames with fewer than two are left as they are.
        corners: ``(k, part, corner, 3, F)``.
        axes: ``(2, 3)``.
        ease: ``(F)`` how much of what is found counts.
        limits: How far the mean may miss, m; step of the shares, steps, rounds of pressing.
        shares, place: Out, given as copies of wanted and base.
        miss: ``(F)`` out, given as zeros: how far the mean misses, seen from above.
    """
    feet, frames = on.shape
    outlines = np.empty((feet, corners.shape[1], corners.shape[2], OUTLINE))
    start, there, found = np.empty((feet, 2)), np.empty((feet, 2)), np.empty(feet)
    here = np.empty(feet, np.bool_)
    for f in range(frames):
        count = 0
        for k in range(feet):
            here[k] = on[k, f]
            count += here[k]
        x = axes[0, 0] * centre[0, f] + axes[0, 1] * centre[1, f] + axes[0, 2] * centre[2, f]
        y = axes[1, 0] * centre[0, f] + axes[1, 1] * centre[1, f] + axes[1, 2] * centre[2, f]
        if count < 2 or not np.isfinite(x + y):
            continue
        for k in range(feet):
            seen_from_above(corners[k], axes, f, outlines[k])
            start[k, 0], start[k, 1] = _dot(axes[0], base, k, f), _dot(axes[1], base, k, f)
            there[k, 0], there[k, 1] = start[k, 0], start[k, 1]
            found[k] = wanted[k, f]
        if count == 2:
            miss[f] = _trade(here, x, y, outlines, limits, start, found, there)
        else:
            x, y = _press(found, x, y, outlines, limits[3], there)
            miss[f] = np.sqrt(x * x + y * y)
        for k in range(feet):
            shares[k, f] += ease[f] * (found[k] - wanted[k, f])
            dx, dy = ease[f] * (there[k, 0] - start[k, 0]), ease[f] * (there[k, 1] - start[k, 1])
            for c in range(3):
                place[k, c, f] += dx * axes[0, c] + dy * axes[1, c]
