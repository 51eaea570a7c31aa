"""Points and soles, seen from above: the nearest point inside, and pressures that add up.

Outlines are ``(part, corner, 3, F)``: convex areas, corners in order around each; a part with fewer
corners repeats its last one.
"""

from __future__ import annotations

import numpy as np

from mocap_reroot.kernels.compiling import kernel


@kernel
def _nearest(x, y, z, corners, f, up):
    """Return the point nearest to one point that is inside one of the outlines in frame f."""
    ux, uy, uz = up[0], up[1], up[2]
    parts, count = corners.shape[0], corners.shape[1]
    best = np.inf
    fx, fy, fz = x, y, z
    for p in range(parts):
        left, right = True, True
        distance = np.inf
        nx, ny, nz = x, y, z
        for c in range(count):
            d = c + 1 if c + 1 < count else 0
            ex = corners[p, d, 0, f] - corners[p, c, 0, f]
            ey = corners[p, d, 1, f] - corners[p, c, 1, f]
            ez = corners[p, d, 2, f] - corners[p, c, 2, f]
            ax = x - corners[p, c, 0, f]
            ay = y - corners[p, c, 1, f]
            az = z - corners[p, c, 2, f]
            side = ux * (ey * az - ez * ay) + uy * (ez * ax - ex * az) + uz * (ex * ay - ey * ax)
            left = left and side >= 0
            right = right and side <= 0
            rise = ux * ex + uy * ey + uz * ez
            lx, ly, lz = ex - ux * rise, ey - uy * rise, ez - uz * rise
            square = max(lx * lx + ly * ly + lz * lz, 1e-12)
            share = min(max((ax * lx + ay * ly + az * lz) / square, 0.0), 1.0)
            high = ux * ax + uy * ay + uz * az
            gx = share * lx - (ax - ux * high)
            gy = share * ly - (ay - uy * high)
            gz = share * lz - (az - uz * high)
            length = np.sqrt(gx * gx + gy * gy + gz * gz)
            if length < distance:
                distance = length
                nx, ny, nz = x + gx, y + gy, z + gz
        if left or right:
            return x, y, z
        if distance < best:
            best = distance
            fx, fy, fz = nx, ny, nz
    return fx, fy, fz


@kernel
def nearest(point, corners, up, out):
    """Set ``out (3, F)`` to the points nearest to ``point (3, F)`` that are inside an outline."""
    for f in range(point.shape[1]):
        out[0, f], out[1, f], out[2, f] = _nearest(
            point[0, f], point[1, f], point[2, f], corners, f, up
        )


@kernel
def pressures(shares, centre, corners, up, rounds, place):
    """Move pressures inside the soles until their weighted mean comes near the centre.

    Args:
        shares: ``(k, F)`` of the load.
        centre: ``(3, F)`` m, where the mean should be.
        corners: ``(k, part, corner, 3, F)`` m.
        up: ``(3)``.
        rounds: How often every foot gets its turn.
        place: ``(k, 3, F)`` m, where the feet would like to bear; changed.
    """
    feet = shares.shape[0]
    for f in range(shares.shape[1]):
        for _ in range(rounds):
            for k in range(feet):
                s = shares[k, f]
                if not s > 1e-6:
                    continue
                mx, my, mz = centre[0, f], centre[1, f], centre[2, f]
                for j in range(feet):
                    mx -= shares[j, f] * place[j, 0, f]
                    my -= shares[j, f] * place[j, 1, f]
                    mz -= shares[j, f] * place[j, 2, f]
                high = up[0] * mx + up[1] * my + up[2] * mz
                place[k, 0, f], place[k, 1, f], place[k, 2, f] = _nearest(
                    place[k, 0, f] + (mx - up[0] * high) / s,
                    place[k, 1, f] + (my - up[1] * high) / s,
                    place[k, 2, f] + (mz - up[2] * high) / s,
                    corners[k],
                    f,
                    up,
                )
