"""How far every body turns from frame to frame, and how abruptly."""

from __future__ import annotations

import numpy as np

from mocap_reroot.kernels.compiling import kernel


@kernel
def turns(rotation, step, jerk):
    """Fill ``step (n, F)`` and ``jerk (n, F)``, rad: 2 |Δq| into a frame, 2 |Δ²q| around it.

    Signs of quaternions are chosen to agree; exact repeats give exactly 0. The first frame has no
    step, the first and last no jerk: 0 there. What is not finite spreads to its neighbours.
    """
    n, _, frames = rotation.shape
    for i in range(n):
        step[i, 0] = 0.0
        jerk[i, 0] = 0.0
        lw = lx = ly = lz = 0.0
        w, x, y, z = rotation[i, 0, 0], rotation[i, 1, 0], rotation[i, 2, 0], rotation[i, 3, 0]
        sign = 1.0
        for f in range(1, frames):
            nw, nx = sign * rotation[i, 0, f], sign * rotation[i, 1, f]
            ny, nz = sign * rotation[i, 2, f], sign * rotation[i, 3, f]
            if nw * w + nx * x + ny * y + nz * z < 0:
                sign = -sign
                nw, nx, ny, nz = -nw, -nx, -ny, -nz
            dw, dx, dy, dz = nw - w, nx - x, ny - y, nz - z
            step[i, f] = 2 * np.sqrt(dw * dw + dx * dx + dy * dy + dz * dz)
            bw, bx, by, bz = dw - lw, dx - lx, dy - ly, dz - lz
            if f > 1:
                jerk[i, f - 1] = 2 * np.sqrt(bw * bw + bx * bx + by * by + bz * bz)
            lw, lx, ly, lz = dw, dx, dy, dz
            w, x, y, z = nw, nx, ny, nz
        jerk[i, frames - 1] = 0.0
