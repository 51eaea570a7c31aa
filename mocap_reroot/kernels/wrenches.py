"""Wrenches of the ground: where they act, and what the centre of mass says of them."""

from __future__ import annotations

import numpy as np

from mocap_reroot.kernels.compiling import kernel
from mocap_reroot.kernels.paths import rate


@kernel
def pressures(force, moment, about, up, point, normal, place, couple):
    """Fill centres of pressure ``place (k, 3, F)`` on planes, and couples ``(k, F)`` along up.

    With ``r`` from ``about`` to the point, split along and across up, the moment's part across up
    vanishes there if ``r_h = (up × M + z F_h) / v``; the plane fixes the height ``z``.

    Args:
        force, moment: ``(k, 3, F)``, or ``(1, 3, F)`` for the same wrench on every plane.
        about: ``(3, F)``.
        up: ``(3)``.
        point, normal: ``(k, 3, F)`` the planes.
        place, couple: Out.
    """
    ux, uy, uz = up[0], up[1], up[2]
    for k in range(len(point)):
        w = k if len(force) > 1 else 0
        for f in range(about.shape[1]):
            fx, fy, fz = force[w, 0, f], force[w, 1, f], force[w, 2, f]
            mx, my, mz = moment[w, 0, f], moment[w, 1, f], moment[w, 2, f]
            nx, ny, nz = normal[k, 0, f], normal[k, 1, f], normal[k, 2, f]
            v = ux * fx + uy * fy + uz * fz
            # up × M / v, and F_h / v
            bx, by, bz = (uy * mz - uz * my) / v, (uz * mx - ux * mz) / v, (ux * my - uy * mx) / v
            lx, ly, lz = (fx - ux * v) / v, (fy - uy * v) / v, (fz - uz * v) / v
            drop = (
                (about[0, f] - point[k, 0, f] + bx) * nx
                + (about[1, f] - point[k, 1, f] + by) * ny
                + (about[2, f] - point[k, 2, f] + bz) * nz
            )
            high = -drop / ((ux + lx) * nx + (uy + ly) * ny + (uz + lz) * nz)
            x, y, z = bx + high * (lx + ux), by + high * (ly + uy), bz + high * (lz + uz)
            place[k, 0, f] = about[0, f] + x
            place[k, 1, f] = about[1, f] + y
            place[k, 2, f] = about[2, f] + z
            couple[k, f] = (
                ux * (mx - (y * fz - z * fy))
                + uy * (my - (z * fx - x * fz))
                + uz * (mz - (x * fy - y * fx))
            )


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
