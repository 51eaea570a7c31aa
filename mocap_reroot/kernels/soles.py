"""Soles seen from above: points in their outlines, and how far the ground's push passes them.

Outlines are ``(part, corner, 3, F)``: convex areas, corners in order around each. From above, by
two level axes ``(2, 3)``, an outline of one frame is ``(part, corner, 5)``: where each corner is,
the way to the next one, and one over the square of its length.

For the push, a sole is the line from its first point to its last: ``ends (l, 2, 3, F)`` m. The push
passes the height ``z`` at ``base + z · lean``, both ``(3, F)`` and level; where they are NaN, so
are the distances. ``up (3)`` is a unit vector.
"""

from __future__ import annotations

import numpy as np

from mocap_reroot.kernels.compiling import kernel
from mocap_reroot.kernels.rotations import rotated

OUTLINE = 5
"""Numbers a corner in an outline seen from above."""


@kernel
def place_corners(orientation, position, local, out):
    """Set ``out (corner, 3, F)`` to where points ``(corner, 3)`` of a body are in the world.

    ``orientation (4, F)`` and ``position (3, F)`` say where the body is.
    """
    for c in range(len(local)):
        vx, vy, vz = local[c, 0], local[c, 1], local[c, 2]
        for f in range(np.uint64(position.shape[1])):
            w, x, y, z = orientation[0, f], orientation[1, f], orientation[2, f], orientation[3, f]
            rx, ry, rz = rotated(w, x, y, z, vx, vy, vz)
            out[c, 0, f] = position[0, f] + rx
            out[c, 1, f] = position[1, f] + ry
            out[c, 2, f] = position[2, f] + rz


@kernel
def seen_from_above(corners, axes, f, outline):
    """Set ``outline (part, corner, 5)`` to a sole in frame f."""
    parts, count = corners.shape[0], corners.shape[1]
    for p in range(parts):
        for c in range(count):
            x, y, z = corners[p, c, 0, f], corners[p, c, 1, f], corners[p, c, 2, f]
            outline[p, c, 0] = axes[0, 0] * x + axes[0, 1] * y + axes[0, 2] * z
            outline[p, c, 1] = axes[1, 0] * x + axes[1, 1] * y + axes[1, 2] * z
        for c in range(count):
            d = c + 1 if c + 1 < count else 0
            x = outline[p, d, 0] - outline[p, c, 0]
            y = outline[p, d, 1] - outline[p, c, 1]
            outline[p, c, 2], outline[p, c, 3] = x, y
            outline[p, c, 4] = 1 / max(x * x + y * y, 1e-12)


@kernel
def nearest_in(outline, x, y):
    """Return the way from one point to the nearest that is inside the outline, seen from above."""
    parts, count = outline.shape[0], outline.shape[1]
    best = np.inf
    wx, wy = 0.0, 0.0
    for p in range(parts):
        left, right = True, True
        for c in range(count):
            ax, ay = x - outline[p, c, 0], y - outline[p, c, 1]
            ex, ey = outline[p, c, 2], outline[p, c, 3]
            side = ex * ay - ey * ax
            left = left and side >= 0
            right = right and side <= 0
            share = min(max((ax * ex + ay * ey) * outline[p, c, 4], 0.0), 1.0)
            gx, gy = share * ex - ax, share * ey - ay
            square = gx * gx + gy * gy
            if square < best:
                best = square
                wx, wy = gx, gy
        if left or right:
            return 0.0, 0.0
    return wx, wy


@kernel
def nearest(point, corners, axes, where, out):
    """Set ``out (3, F)`` to the points nearest to ``point (3, F)`` that are inside an outline.

    Where nobody asks, ``where (F)``, the points stay.
    """
    outline = np.empty((corners.shape[0], corners.shape[1], OUTLINE))
    for f in range(point.shape[1]):
        x, y, z = point[0, f], point[1, f], point[2, f]
        if not where[f]:
            out[0, f], out[1, f], out[2, f] = x, y, z
            continue
        seen_from_above(corners, axes, f, outline)
        dx, dy = nearest_in(
            outline,
            axes[0, 0] * x + axes[0, 1] * y + axes[0, 2] * z,
            axes[1, 0] * x + axes[1, 1] * y + axes[1, 2] * z,
        )
        out[0, f] = x + dx * axes[0, 0] + dy * axes[1, 0]
        out[1, f] = y + dx * axes[0, 1] + dy * axes[1, 1]
        out[2, f] = z + dx * axes[0, 2] + dy * axes[1, 2]


@kernel
def slowest(corners, on, out):
    """Set ``out (F)`` to the way, a frame, of the slowest corner of a sole where it is on.

    Central differences, one-sided at the ends; NaN where the sole is off or a corner is unknown.
    """
    frames = len(on)
    for f in range(frames):
        out[f] = np.nan
        if not on[f]:
            continue
        a, b = max(f - 1, 0), min(f + 1, frames - 1)
        least, total = np.inf, 0.0
        for p in range(corners.shape[0]):
            for c in range(corners.shape[1]):
                square = 0.0
                for i in range(3):
                    square += (corners[p, c, i, b] - corners[p, c, i, a]) ** 2
                least = min(least, square)
                total += square
        if total < np.inf:  # isfinite() subtracts: fast sums cancel
            out[f] = np.sqrt(least) / (b - a)


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
def outside_soles(ends, limbs, base, lean, up, start, stop, limit, width, out):
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
