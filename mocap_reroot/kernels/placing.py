"""Some bodies placed in the world, and the centre of mass of all; the others are not kept."""

from __future__ import annotations

import numpy as np

from mocap_reroot.kernels.compiling import LANES, kernel
from mocap_reroot.kernels.points import carry


@kernel
def _begin(rotation, offset, displacement, slot, q, p, a, lanes):
    """Place the root."""
    for c in range(4):
        for k in range(lanes):
            q[c, k] = rotation[c, a + k]
    for c in range(3):
        for k in range(lanes):
            p[c, k] = offset[c]
        if slot >= 0:
            for k in range(lanes):
                p[c, k] += displacement[slot, c, a + k]


@kernel
def _turn(q, rotation, out, a, lanes):
    """Set out = q rotation, rotation from frame a on."""
    for k in range(lanes):
        f = a + k
        w, x, y, z = q[0, k], q[1, k], q[2, k], q[3, k]
        rw, rx, ry, rz = rotation[0, f], rotation[1, f], rotation[2, f], rotation[3, f]
        out[0, k] = w * rw - x * rx - y * ry - z * rz
        out[1, k] = w * rx + x * rw + y * rz - z * ry
        out[2, k] = w * ry - x * rz + y * rw + z * rx
        out[3, k] = w * rz + x * ry - y * rx + z * rw


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
def _arm(offset, displacement, slot, arm, a, lanes):
    """Set arm = t + u, from the parent's origin to the body's, in the parent's axes."""
    for c in range(3):
        for k in range(lanes):
            arm[c, k] = offset[c]
        if slot >= 0:
            for k in range(lanes):
                arm[c, k] += displacement[slot, c, a + k]


@kernel
def _put(block, out, a, lanes):
    """Copy a block to its frames."""
    for c in range(block.shape[0]):
        for k in range(lanes):
            out[c, a + k] = block[c, k]


@kernel
def place_block(tree, rotation, displacement, a, lanes, q, p, arm):
    """Place all bodies, frames a to a + lanes.

    Args:
        tree: order (n), parents (n), offset (n, 3), slot (n).
        rotation, displacement: (n, 4, F), (k, 3, F).
        a, lanes: Unsigned, or the compiler does not vectorise the loops over frames.
        q, p: (n, 4, lanes), (n, 3, lanes) out.
        arm: (3, lanes) scratch.
    """
    order, parents, offset, slot = tree
    for i in order:
        up = parents[i]
        if up < 0:
            _begin(rotation[i], offset[i], displacement, slot[i], q[i], p[i], a, lanes)
        else:
            _arm(offset[i], displacement, slot[i], arm, a, lanes)
            carry(q[up], arm, p[up], p[i], lanes)
            _turn(q[up], rotation[i], q[i], a, lanes)


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
            _put(q[bodies[j]], orientation[j], a, lanes)
            _put(p[bodies[j]], position[j], a, lanes)
        _put(middle, centre, a, lanes)
