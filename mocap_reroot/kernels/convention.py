"""A joint's wrench seen from its other side, over blocks of frames."""

from __future__ import annotations

import numpy as np

from mocap_reroot.kernels.compiling import LANES, kernel


@kernel
def _other_side(q, v, out, a, at, lanes):
    """Set out = −R v; q starts at frame a, v and out (another array) at frame ``at``."""
    for k in range(lanes):
        f, g = a + k, at + k
        w, x, y, z = q[0, f], q[1, f], q[2, f], q[3, f]
        vx, vy, vz = v[0, g], v[1, g], v[2, g]
        tx = 2 * (y * vz - z * vy)
        ty = 2 * (z * vx - x * vz)
        tz = 2 * (x * vy - y * vx)
        out[0, g] = -(vx + w * tx + y * tz - z * ty)
        out[1, g] = -(vy + w * ty + z * tx - x * tz)
        out[2, g] = -(vz + w * tz + x * ty - y * tx)


@kernel
def _carry(arm, force, moment, at, lanes):
    """Add arm × force to the moment, for a constant arm."""
    rx, ry, rz = arm[0], arm[1], arm[2]
    for k in range(lanes):
        g = at + k
        x, y, z = force[0, g], force[1, g], force[2, g]
        moment[0, g] += ry * z - rz * y
        moment[1, g] += rz * x - rx * z
        moment[2, g] += rx * y - ry * x


@kernel
def _carry_slid(u, force, moment, a, at, lanes):
    """Add u × force to the moment, u how far the joint has slid."""
    for k in range(lanes):
        f, g = a + k, at + k
        rx, ry, rz = u[0, f], u[1, f], u[2, f]
        x, y, z = force[0, g], force[1, g], force[2, g]
        moment[0, g] += ry * z - rz * y
        moment[1, g] += rz * x - rx * z
        moment[2, g] += rx * y - ry * x


@kernel
def hand_down(chain, arm, slot, rotation, displacement, force, moment, frames, at):
    """Give every joint of a chain from its parent's slot to its child's, in place.

    Args:
        chain: (m) bodies from the current root to the capture root.
        arm: (n, 3) from each child's capture origin to where its joint now acts, its axes.
        slot: (n) rows of displacement.
        rotation, displacement: (n, 4, F), (k, 3, F) of the re-rooted motion.
        force, moment: (n, 3, ≥ F) in and out.
        frames: F.
        at: Frame of force and moment that belongs to frame 0.
    """
    for start in range(0, frames, LANES):
        a, lanes = np.uint64(start), np.uint64(min(LANES, frames - start))
        put = np.uint64(at + start)
        for j in range(len(chain) - 1):
            child, parent = chain[j], chain[j + 1]
            _other_side(rotation[parent], force[parent], force[child], a, put, lanes)
            _other_side(rotation[parent], moment[parent], moment[child], a, put, lanes)
            _carry(arm[child], force[child], moment[child], put, lanes)
            if slot[parent] >= 0:
                u = displacement[slot[parent]]
                _carry_slid(u, force[child], moment[child], a, put, lanes)
