"""World poses of some bodies, and the centre of mass of all."""

from __future__ import annotations

import numpy as np

from mocap_reroot.kernels.compiling import LANES, kernel
from mocap_reroot.kernels.forward import place_block, put


@kernel
def _weigh(q, p, com, share, out, lanes):
    """Add share (p + R(q) com) to out."""
    vx, vy, vz = com[0], com[1], com[2]
    for k in range(lanes):
        w, x, y, z = q[0, k], q[1, k], q[2, k], q[3, k]
        tx = 2 * (y * vz - z * vy)
        ty = 2 * (z * vx - x * vz)
        tz = 2 * (x * vy - y * vx)
        out[0, k] += share * (p[0, k] + vx + w * tx + y * tz - z * ty)
        out[1, k] += share * (p[1, k] + vy + w * ty + z * tx - x * tz)
        out[2, k] += share * (p[2, k] + vz + w * tz + x * ty - y * tx)


@kernel
def place(tree, rotation, displacement, share, com, bodies, orientation, position, centre):
    """Fill poses of some bodies and the centre of mass of all.

    Args:
        tree: order (n), parents (n), offset (n, 3), slot (n).
        rotation, displacement: (n, 4, F), (k, 3, F).
        share: (n) mass of every body as a share of the whole.
        com: (n, 3) from the bodies' current origins.
        bodies: (m) which poses are wanted.
        orientation, position: (m, 4, F), (m, 3, F) out.
        centre: (3, F) out.
    """
    n, frames = len(rotation), rotation.shape[2]
    q, p = np.empty((n, 4, LANES)), np.empty((n, 3, LANES))
    arm, middle = np.empty((3, LANES)), np.empty((3, LANES))
    for first in range(0, frames, LANES):
        a, lanes = np.uint64(first), np.uint64(min(LANES, frames - first))
        place_block(tree, rotation, displacement, a, lanes, q, p, arm)
        middle[:] = 0.0
        for i in tree[0]:
            _weigh(q[i], p[i], com[i], share[i], middle, lanes)
        for j in range(len(bodies)):
            put(q[bodies[j]], orientation[j], a, lanes)
            put(p[bodies[j]], position[j], a, lanes)
        put(middle, centre, a, lanes)
