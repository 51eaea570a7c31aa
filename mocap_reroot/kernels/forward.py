"""Forward kinematics: from joint states to the world, over blocks of frames.

World axes throughout. With ``r = R_p (t + u)`` from the parent's origin to the body's:

    Q = Q_p q                p = p_p + r
    w = w_p + R ω            v = v_p + w_p × r + R_p u̇
    α = α_p + R α_J + w_p × R ω
    a = a_p + α_p × r + w_p × (w_p × r) + 2 w_p × R_p u̇ + R_p ü
"""

from __future__ import annotations

import numpy as np

from mocap_reroot.kernels.compiling import LANES, kernel
from mocap_reroot.kernels.quaternion import copy, multiply, rotate


@kernel
def _arm(offset, displacement, slot, out, a, b):
    """Set out = t + u, from the parent's origin to the body's, in the parent's axes."""
    for c in range(3):
        t = offset[c]
        if slot < 0:
            for f in range(a, b):
                out[c, f - a] = t
        else:
            for f in range(a, b):
                out[c, f - a] = t + displacement[slot, c, f]


@kernel
def _rotate_shifted(q, v, out, a, b):
    """Set out = R(q) v where v and out start at lane 0 and q at frame a."""
    for f in range(a, b):
        k = f - a
        w, x, y, z = q[0, f], q[1, f], q[2, f], q[3, f]
        vx, vy, vz = v[0, k], v[1, k], v[2, k]
        tx = 2 * (y * vz - z * vy)
        ty = 2 * (z * vx - x * vz)
        tz = 2 * (x * vy - y * vx)
        out[0, k] = vx + w * tx + y * tz - z * ty
        out[1, k] = vy + w * ty + z * tx - x * tz
        out[2, k] = vz + w * tz + x * ty - y * tx


@kernel
def _place(parent, arm, out, a, b):
    """Set out = position of the parent + arm."""
    for c in range(3):
        for f in range(a, b):
            out[c, f] = parent[c, f] + arm[c, f - a]


@kernel
def positions(order, parents, offset, slot, rotation, displacement, q, p, a, b):
    """Fill world orientations ``q (n, 4, F)`` and positions ``p (n, 3, F)``, frames a to b."""
    arm = np.empty((3, LANES))
    for first in range(a, b, LANES):
        # unsigned, or the compiler does not vectorise the loops over frames
        start, stop = np.uint64(first), np.uint64(min(first + LANES, b))
        for i in order:
            parent = parents[i]
            _arm(offset[i], displacement, slot[i], arm, start, stop)
            if parent < 0:
                copy(rotation[i], q[i], start, stop)
                for c in range(3):
                    for f in range(start, stop):
                        p[i, c, f] = arm[c, f - start]
            else:
                multiply(q[parent], rotation[i], q[i], start, stop)
                _rotate_shifted(q[parent], arm, arm, start, stop)
                _place(p[parent], arm, p[i], start, stop)


@kernel
def _turn(w_parent, al_parent, joint_w, joint_al, w, al, a, b):
    """Compose angular velocity and acceleration; joint terms are in world axes."""
    for f in range(a, b):
        px, py, pz = w_parent[0, f], w_parent[1, f], w_parent[2, f]
        jx, jy, jz = joint_w[0, f], joint_w[1, f], joint_w[2, f]
        al[0, f] = al_parent[0, f] + joint_al[0, f] + py * jz - pz * jy
        al[1, f] = al_parent[1, f] + joint_al[1, f] + pz * jx - px * jz
        al[2, f] = al_parent[2, f] + joint_al[2, f] + px * jy - py * jx
        w[0, f] = px + jx
        w[1, f] = py + jy
        w[2, f] = pz + jz


@kernel
def _carry(p_parent, w_parent, al_parent, p, v_parent, a_parent, v, acc, a, b):
    """Carry velocity and acceleration from the parent's origin to the body's, as if rigid."""
    for f in range(a, b):
        rx = p[0, f] - p_parent[0, f]
        ry = p[1, f] - p_parent[1, f]
        rz = p[2, f] - p_parent[2, f]
        wx, wy, wz = w_parent[0, f], w_parent[1, f], w_parent[2, f]
        cx = wy * rz - wz * ry
        cy = wz * rx - wx * rz
        cz = wx * ry - wy * rx
        v[0, f] = v_parent[0, f] + cx
        v[1, f] = v_parent[1, f] + cy
        v[2, f] = v_parent[2, f] + cz
        ex, ey, ez = al_parent[0, f], al_parent[1, f], al_parent[2, f]
        acc[0, f] = a_parent[0, f] + ey * rz - ez * ry + wy * cz - wz * cy
        acc[1, f] = a_parent[1, f] + ez * rx - ex * rz + wz * cx - wx * cz
        acc[2, f] = a_parent[2, f] + ex * ry - ey * rx + wx * cy - wy * cx


@kernel
def _slide(q_parent, w_parent, rate, rate2, v, acc, a, b):
    """Add what a translating joint adds: R_p u̇ to v, R_p ü + 2 w_p × R_p u̇ to the acceleration."""
    s = np.empty((3, LANES))
    s2 = np.empty((3, LANES))
    for c in range(3):
        for f in range(a, b):
            s[c, f - a] = rate[c, f]
            s2[c, f - a] = rate2[c, f]
    _rotate_shifted(q_parent, s, s, a, b)
    _rotate_shifted(q_parent, s2, s2, a, b)
    for f in range(a, b):
        k = f - a
        wx, wy, wz = w_parent[0, f], w_parent[1, f], w_parent[2, f]
        v[0, f] += s[0, k]
        v[1, f] += s[1, k]
        v[2, f] += s[2, k]
        acc[0, f] += s2[0, k] + 2 * (wy * s[2, k] - wz * s[1, k])
        acc[1, f] += s2[1, k] + 2 * (wz * s[0, k] - wx * s[2, k])
        acc[2, f] += s2[2, k] + 2 * (wx * s[1, k] - wy * s[0, k])


@kernel
def derivatives(order, parents, slot, rates, world, a, b):
    """Fill world velocities and accelerations, frames a to b; poses must be there.

    ``rates``: joint angular velocity, angular acceleration ``(n, 3, F)``, displacement velocity,
    acceleration ``(k, 3, F)``. ``world``: orientations, positions (in), angular velocity, angular
    acceleration, velocity, acceleration ``(n, 3, F)`` (out).
    """
    omega, alpha, rate, rate2 = rates
    q, p, w, al, v, acc = world
    for first in range(a, b, LANES):
        # unsigned, or the compiler does not vectorise the loops over frames
        start, stop = np.uint64(first), np.uint64(min(first + LANES, b))
        for i in order:
            parent = parents[i]
            rotate(q[i], omega[i], w[i], start, stop)  # the joint's own share, for now
            rotate(q[i], alpha[i], al[i], start, stop)
            if parent < 0:
                if slot[i] >= 0:
                    copy(rate[slot[i]], v[i], start, stop)
                    copy(rate2[slot[i]], acc[i], start, stop)
                else:
                    v[i, :, start:stop] = 0.0
                    acc[i, :, start:stop] = 0.0
                continue
            _turn(w[parent], al[parent], w[i], al[i], w[i], al[i], start, stop)
            _carry(
                p[parent], w[parent], al[parent], p[i],
                v[parent], acc[parent], v[i], acc[i], start, stop,
            )  # fmt: skip
            if slot[i] >= 0:
                k = slot[i]
                _slide(q[parent], w[parent], rate[k], rate2[k], v[i], acc[i], start, stop)
