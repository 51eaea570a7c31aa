"""Ground force on the whole body, from centre of mass and angular momentum over time."""

from __future__ import annotations

import numpy as np

from mocap_reroot.kernels.compiling import kernel
from mocap_reroot.kernels.tracks import rate


@kernel
def push(rise, centre, momentum, up, fps, gravity, least, size, base, lean):
    """Fill how hard the ground pushes, and where.

    The push passes where its moment about the origin, per weight, has no level component.

    Args:
        rise: ``(F)`` m, height of the centre of mass.
        centre: ``(3, F)`` m, the centre, smoother than the rise.
        momentum: ``(3, F)`` m²/s, angular momentum about the origin, per mass.
        up: ``(3)``.
        fps: Frames a second.
        gravity: m/s².
        least: Body weights: with no greater push nothing can be said about where it is.
        size: ``(F)`` body weights, filled.
        base, lean: ``(3, F)`` filled: the push passes the height ``z`` at ``base + z · lean``, both
            level; NaN where nothing can be said.
    """
    ux, uy, uz = up[0], up[1], up[2]
    once = np.empty(len(rise))
    rate(rise, fps, once)
    rate(once, fps, size)
    for c in range(3):
        rate(centre[c], fps, once)
        rate(once, fps, lean[c])
        rate(momentum[c], fps, base[c])
    for f in range(len(rise)):
        size[f] = 1 + size[f] / gravity
        fx, fy, fz = lean[0, f] / gravity + ux, lean[1, f] / gravity + uy, lean[2, f] / gravity + uz
        x, y, z = centre[0, f], centre[1, f], centre[2, f]
        mx = base[0, f] / gravity + y * uz - z * uy
        my = base[1, f] / gravity + z * ux - x * uz
        mz = base[2, f] / gravity + x * uy - y * ux
        v = ux * fx + uy * fy + uz * fz
        share = 1 / v if v > least and size[f] > least else np.nan
        base[0, f] = (uy * mz - uz * my) * share
        base[1, f] = (uz * mx - ux * mz) * share
        base[2, f] = (ux * my - uy * mx) * share
        lean[0, f] = (fx - ux * v) * share
        lean[1, f] = (fy - uy * v) * share
        lean[2, f] = (fz - uz * v) * share
