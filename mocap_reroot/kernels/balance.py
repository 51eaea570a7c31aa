"""How far the required ground force passes the soles, seen along the vertical.

A sole is the line from its first point to its last: ``ends (l, 2, 3, F)`` m. The push passes the
height ``z`` at ``base + z · lean``, both ``(3, F)`` and level; where they are NaN, so are the
distances. ``up (3)`` is a unit vector.
"""

from __future__ import annotations

import numpy as np

from mocap_reroot.kernels.compiling import kernel


@kernel
def _to_line(x, y, z, wx, wy, wz):
    """Return the square of a point's distance from a line, both seen from where it begins."""
    share = (x * wx + y * wy + z * wz) / max(wx * wx + wy * wy + wz * wz, 1e-9)
    share = min(max(share, 0.0), 1.0)
    x, y, z = x - share * wx, y - share * wy, z - share * wz
    return x * x + y * y + z * z


@kernel
def _pass(ends, k, base, lean, up, f, sole):
    """Set a sole without its height and where the push passes it, ``(3, 3)``; return how far."""
    low = np.inf
    for e in range(2):
        x, y, z = ends[k, e, 0, f], ends[k, e, 1, f], ends[k, e, 2, f]
        rise = up[0] * x + up[1] * y + up[2] * z
        sole[e, 0], sole[e, 1], sole[e, 2] = x - up[0] * rise, y - up[1] * rise, z - up[2] * rise
        low = min(low, rise)
    for c in range(3):
        sole[2, c] = base[c, f] + low * lean[c, f]
    return _to_line(
        sole[2, 0] - sole[0, 0], sole[2, 1] - sole[0, 1], sole[2, 2] - sole[0, 2],
        sole[1, 0] - sole[0, 0], sole[1, 1] - sole[0, 1], sole[1, 2] - sole[0, 2],
    )  # fmt: skip


@kernel
def distances(ends, base, lean, up, out):
    """Fill ``out (l, F)`` m: how far, along the ground, the push passes every sole."""
    sole = np.empty((3, 3))
    for k in range(len(ends)):
        for f in range(base.shape[1]):
            out[k, f] = np.sqrt(_pass(ends, k, base, lean, up, f, sole))


@kernel
def unloaded(distance, near, far, out):
    """Fill ``out (l, F)`` with 0–1: 1 where the push passes near another sole, far from this one.

    Args:
        distance: ``(l, F)`` m, how far it passes every sole; where it is NaN, out is 0.
        near, far: m, a push this near a sole may be borne by it alone; this far, hardly.
        out: Filled.
    """
    for k in range(len(distance)):
        for f in range(distance.shape[1]):
            others = np.inf
            for j in range(len(distance)):
                if j != k:
                    others = min(others, distance[j, f])
            aside = (distance[k, f] - near) / (far - near)
            beside = (0.5 * (near + far) - others) / (0.5 * (far - near))
            sure = min(max(aside, 0.0), 1.0) * min(max(beside, 0.0), 1.0)
            out[k, f] = sure if distance[k, f] == distance[k, f] else 0.0  # not NaN


@kernel
def _between(mine, theirs):
    """Return the square of the push's distance from lines between thirds of two soles."""
    x, y = 0.5 * (mine[2, 0] + theirs[2, 0]), 0.5 * (mine[2, 1] + theirs[2, 1])
    z = 0.5 * (mine[2, 2] + theirs[2, 2])
    least = np.inf
    for i in range(4):
        u = i / 3
        ax = (1 - u) * mine[0, 0] + u * mine[1, 0]
        ay = (1 - u) * mine[0, 1] + u * mine[1, 1]
        az = (1 - u) * mine[0, 2] + u * mine[1, 2]
        for j in range(4):
            v = j / 3
            bx = (1 - v) * theirs[0, 0] + v * theirs[1, 0]
            by = (1 - v) * theirs[0, 1] + v * theirs[1, 1]
            bz = (1 - v) * theirs[0, 2] + v * theirs[1, 2]
            least = min(least, _to_line(x - ax, y - ay, z - az, bx - ax, by - ay, bz - az))
    return least


@kernel
def not_borne(ends, limbs, base, lean, up, start, stop, limit, width, out):
    """Set ``out (F)``, frames start to stop, to whether the push mostly passes outside the soles.

    The hull of several soles is covered by lines: along each, and from thirds of each to the
    others'. Frames in which the push is known vote, those of a window that stays within the range.

    Args:
        ends, base, lean, up: See above.
        limbs: ``(k)`` whose soles bear.
        start, stop: The range.
        limit: m, outside is farther from the hull than this.
        width: Frames of the window.
        out: bool.
    """
    soles = np.empty((len(limbs), 3, 3))
    votes = np.zeros((2, stop - start + 1), np.int64)  # outside, known: how many before a frame
    for f in range(start, stop):
        least = np.inf
        for k in range(len(limbs)):
            least = min(least, _pass(ends, limbs[k], base, lean, up, f, soles[k]))
            for j in range(k):
                least = min(least, _between(soles[j], soles[k]))
        known = base[0, f] == base[0, f]  # not NaN
        i = f - start
        votes[0, i + 1] = votes[0, i] + (known and np.sqrt(least) > limit)
        votes[1, i + 1] = votes[1, i] + known
    count = stop - start
    width = min(width, count)
    for i in range(count):
        a = min(max(i - width // 2, 0), count - width)
        outside, known = votes[0, a + width] - votes[0, a], votes[1, a + width] - votes[1, a]
        out[start + i] = outside / width > 0.5 * max(known / width, 0.5)
