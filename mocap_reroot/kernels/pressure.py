"""Centre of pressure: where on a plane a wrench leaves a vertical couple only."""

from __future__ import annotations

from mocap_reroot.kernels.compiling import kernel


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
