"""Points and sole outlines in the horizontal plane.

Outlines are ``(part, corner, 3, F)``: convex areas, corners in order around each. From above, by
two level axes ``(2, 3)``, an outline of one frame is ``(part, corner, 5)``: where each corner is,
the way to the next one, and one over the square of its length.
"""

from __future__ import annotations

import numpy as np

from mocap_reroot.kernels.compiling import kernel

OUTLINE = 5
"""Numbers a corner in an outline seen from above."""


@kernel
def place(orientation, position, local, out):
    """Set ``out (corner, 3, F)`` to where points ``(corner, 3)`` of a body are in the world.

    ``orientation (4, F)`` and ``position (3, F)`` say where the body is.
    """
    for c in range(len(local)):
        vx, vy, vz = local[c, 0], local[c, 1], local[c, 2]
        for f in range(np.uint64(position.shape[1])):
            w, x, y, z = orientation[0, f], orientation[1, f], orientation[2, f], orientation[3, f]
            tx = 2 * (y * vz - z * vy)
            ty = 2 * (z * vx - x * vz)
            tz = 2 * (x * vy - y * vx)
            out[c, 0, f] = position[0, f] + vx + w * tx + y * tz - z * ty
            out[c, 1, f] = position[1, f] + vy + w * ty + z * tx - x * tz
            out[c, 2, f] = position[2, f] + vz + w * tz + x * ty - y * tx


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
