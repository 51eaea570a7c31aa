"""Sign of joint wrenches: support-rooted parent's side changed to the capture parent's."""

from __future__ import annotations

import numpy as np

from mocap_reroot.kernels.compiling import inlined, kernel


@kernel
def _other_side(q, v, out, lanes):
    """Set out = −R v; out is another array than v."""
    for f in range(lanes):
        w, x, y, z = q[0, f], q[1, f], q[2, f], q[3, f]
        vx, vy, vz = v[0, f], v[1, f], v[2, f]
        tx = 2 * (y * vz - z * vy)
        ty = 2 * (z * vx - x * vz)
        tz = 2 * (x * vy - y * vx)
        out[0, f] = -(vx + w * tx + y * tz - z * ty)
        out[1, f] = -(vy + w * ty + z * tx - x * tz)
        out[2, f] = -(vz + w * tz + x * ty - y * tx)


@kernel
def _carry(arm, force, moment, lanes):
    """Add arm × force to the moment, for a constant arm."""
    rx, ry, rz = arm[0], arm[1], arm[2]
    for f in range(lanes):
        x, y, z = force[0, f], force[1, f], force[2, f]
        moment[0, f] += ry * z - rz * y
        moment[1, f] += rz * x - rx * z
        moment[2, f] += rx * y - ry * x


@kernel
def _carry_slid(u, force, moment, lanes):
    """Add u × force to the moment, u how far the joint has slid."""
    for f in range(lanes):
        rx, ry, rz = u[0, f], u[1, f], u[2, f]
        x, y, z = force[0, f], force[1, f], force[2, f]
        moment[0, f] += ry * z - rz * y
        moment[1, f] += rz * x - rx * z
        moment[2, f] += rx * y - ry * x


@inlined
def hand_down(chain, arm, slot, rotation, displacement, force, moment, frames):
    """Give every joint of a chain from its parent's slot to its child's, in place, for a block.

    The child's own slot is free by then, as it is read one step earlier.

    Args:
        chain: (m) bodies from the current root to the capture root.
        arm: (n, 3) from each child's capture origin to where its joint now acts, its axes.
        slot: (n) rows of displacement.
        rotation, displacement: (n, 4, ≥ frames), (k, 3, ≥ frames) of the re-rooted motion.
        force, moment: (n, 3, ≥ frames) in and out.
        frames: How many.
    """
    lanes = np.uint64(frames)
    for j in range(len(chain) - 1):
        child, parent = chain[j], chain[j + 1]
        _other_side(rotation[parent], force[parent], force[child], lanes)
        _other_side(rotation[parent], moment[parent], moment[child], lanes)
        _carry(arm[child], force[child], moment[child], lanes)
        if slot[parent] >= 0:
            _carry_slid(displacement[slot[parent]], force[child], moment[child], lanes)
