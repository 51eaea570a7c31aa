"""Centres of pressure: where on a plane a wrench leaves a couple along up only."""

from __future__ import annotations

from mocap_reroot.kernels.compiling import kernel


@kernel
def pressure_at(force, moment, about, up, point, normal, f):
    """Return the point ``x, y, z`` of one plane in frame f, and the couple that remains there.

    With ``r`` from ``about`` to the point, split along and across up, the moment's part across up
    vanishes there if ``r_h = (up × M + z F_h) / v``; the plane fixes the height ``z``.

    Args:
        force, moment, about: ``(3, F)``.
        up: ``(3)``.
        point, normal: ``(3, F)`` the plane.
        f: Frame.
    """
    ux, uy, uz = up[0], up[1], up[2]
    fx, fy, fz = force[0, f], force[1, f], force[2, f]
    mx, my, mz = moment[0, f], moment[1, f], moment[2, f]
    nx, ny, nz = normal[0, f], normal[1, f], normal[2, f]
    v = ux * fx + uy * fy + uz * fz
    # up × M / v, and F_h / v
    bx, by, bz = (uy * mz - uz * my) / v, (uz * mx - ux * mz) / v, (ux * my - uy * mx) / v
    lx, ly, lz = (fx - ux * v) / v, (fy - uy * v) / v, (fz - uz * v) / v
    drop = (
        (about[0, f] - point[0, f] + bx) * nx
        + (about[1, f] - point[1, f] + by) * ny
        + (about[2, f] - point[2, f] + bz) * nz
    )
    z = -drop / ((ux + lx) * nx + (uy + ly) * ny + (uz + lz) * nz)
    x, y, z = bx + z * (lx + ux), by + z * (ly + uy), bz + z * (lz + uz)
    couple = (
        ux * (mx - (y * fz - z * fy))
        + uy * (my - (z * fx - x * fz))
        + uz * (mz - (x * fy - y * fx))
    )
    return about[0, f] + x, about[1, f] + y, about[2, f] + z, couple


@kernel
def pressures(force, moment, about, up, point, normal, place, couple):
    """Fill centres of pressure ``place (k, 3, F)`` on planes, and couples ``(k, F)`` along up.

    Args:
        force, moment: ``(k, 3, F)``, or ``(1, 3, F)`` for the same wrench on every plane.
        about: ``(3, F)``.
        up: ``(3)``.
        point, normal: ``(k, 3, F)`` the planes.
        place, couple: Out.
    """
    for k in range(len(point)):
        w = k if len(force) > 1 else 0
        for f in range(about.shape[1]):
            x, y, z, left = pressure_at(force[w], moment[w], about, up, point[k], normal[k], f)
            place[k, 0, f], place[k, 1, f], place[k, 2, f] = x, y, z
            couple[k, f] = left
