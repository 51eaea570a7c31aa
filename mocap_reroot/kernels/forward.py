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
def _pose(i, tree, joints, arm, q, p, q_parent, p_parent, start, stop):
    """Set a body's orientation q (4, F) and position p (3, F) from its parent's."""
    parents, offset, slot = tree
    rotation, displacement = joints
    _arm(offset[i], displacement, slot[i], arm, start, stop)
    if parents[i] < 0:
        copy(rotation[i], q, start, stop)
        for c in range(3):
            for f in range(start, stop):
                p[c, f] = arm[c, f - start]
    else:
        multiply(q_parent, rotation[i], q, start, stop)
        _rotate_shifted(q_parent, arm, arm, start, stop)
        _place(p_parent, arm, p, start, stop)


@kernel
def positions(order, parents, offset, slot, rotation, displacement, q, p, a, b):
    """Fill world orientations ``q (n, 4, F)`` and positions ``p (n, 3, F)``, frames a to b."""
    arm = np.empty((3, LANES))
    tree, joints = (parents, offset, slot), (rotation, displacement)
    for first in range(a, b, LANES):
        # unsigned, or the compiler does not vectorise the loops over frames
        start, stop = np.uint64(first), np.uint64(min(first + LANES, b))
        for i in order:
            up = max(parents[i], 0)
            _pose(i, tree, joints, arm, q[i], p[i], q[up], p[up], start, stop)


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
def _move(i, parents, slot, rates, body, parent, start, stop):
    """Set a body's velocities and accelerations from its parent's; rows (19, F) as below."""
    omega, alpha, rate, rate2 = rates
    q, v, w, acc, al = body[3:7], body[7:10], body[10:13], body[13:16], body[16:19]
    rotate(q, omega[i], w, start, stop)  # the joint's own share, for now
    rotate(q, alpha[i], al, start, stop)
    k = slot[i]
    if parents[i] < 0:
        if k >= 0:
            copy(rate[k], v, start, stop)
            copy(rate2[k], acc, start, stop)
        else:
            v[:, start:stop] = 0.0
            acc[:, start:stop] = 0.0
        return
    p_up, q_up, v_up, w_up = parent[0:3], parent[3:7], parent[7:10], parent[10:13]
    acc_up, al_up = parent[13:16], parent[16:19]
    _turn(w_up, al_up, w, al, w, al, start, stop)
    _carry(p_up, w_up, al_up, body[0:3], v_up, acc_up, v, acc, start, stop)
    if k >= 0:
        _slide(q_up, w_up, rate[k], rate2[k], v, acc, start, stop)


@kernel
def motions(order, parents, offset, slot, joints, rates, world, a, b):
    """Fill poses, velocities and accelerations of all bodies in the world, frames a to b.

    Args:
        order, parents, offset, slot: The tree, as in a Skeleton.
        joints: Rotation ``(n, 4, F)`` and displacement ``(k, 3, F)``.
        rates: Joint angular velocity, angular acceleration ``(n, 3, F)``, displacement velocity,
            acceleration ``(k, 3, F)``.
        world: ``(n, 19, F)`` out: position, orientation, velocity, angular velocity, acceleration,
            angular acceleration, a row a component, as the table of kinematics has its columns.
        a, b: First frame and the one after the last.
    """
    arm = np.empty((3, LANES))
    tree = parents, offset, slot
    for first in range(a, b, LANES):
        start, stop = np.uint64(first), np.uint64(min(first + LANES, b))
        for i in order:
            up = max(parents[i], 0)
            body, parent = world[i], world[up]
            p, q, p_up, q_up = body[0:3], body[3:7], parent[0:3], parent[3:7]
            _pose(i, tree, joints, arm, q, p, q_up, p_up, start, stop)
            _move(i, parents, slot, rates, body, parent, start, stop)
