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
from mocap_reroot.kernels.rotations import composed, copy, rotate, rotated


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
def carry(q, arm, base, out, count):
    """Set out = base + R(q) arm."""
    for f in range(count):
        w, i, j, k = q[0, f], q[1, f], q[2, f], q[3, f]
        x, y, z = arm[0, f], arm[1, f], arm[2, f]
        x, y, z = rotated(w, i, j, k, x, y, z)
        out[0, f] = base[0, f] + x
        out[1, f] = base[1, f] + y
        out[2, f] = base[2, f] + z


@kernel
def _compose(q, rotation, out, a, lanes):
    """Set out = q rotation, rotation from frame a on."""
    for k in range(lanes):
        f = a + k
        w, x, y, z = q[0, k], q[1, k], q[2, k], q[3, k]
        rw, rx, ry, rz = rotation[0, f], rotation[1, f], rotation[2, f], rotation[3, f]
        out[0, k], out[1, k], out[2, k], out[3, k] = composed(w, x, y, z, rw, rx, ry, rz)


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
def put(block, out, a, lanes):
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
            _compose(q[up], rotation[i], q[i], a, lanes)


@kernel
def positions(order, parents, offset, slot, rotation, displacement, q, p, a, b):
    """Fill world orientations ``q (n, 4, F)`` and positions ``p (n, 3, F)``, frames a to b."""
    n, tree = len(parents), (order, parents, offset, slot)
    q_block, p_block = np.empty((n, 4, LANES)), np.empty((n, 3, LANES))
    arm = np.empty((3, LANES))
    for first in range(a, b, LANES):
        start, lanes = np.uint64(first), np.uint64(min(LANES, b - first))
        place_block(tree, rotation, displacement, start, lanes, q_block, p_block, arm)
        for i in order:
            put(q_block[i], q[i], start, lanes)
            put(p_block[i], p[i], start, lanes)


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
    for f in range(a, b):
        w, x, y, z = q_parent[0, f], q_parent[1, f], q_parent[2, f], q_parent[3, f]
        sx, sy, sz = rotated(w, x, y, z, rate[0, f], rate[1, f], rate[2, f])
        ax, ay, az = rotated(w, x, y, z, rate2[0, f], rate2[1, f], rate2[2, f])
        wx, wy, wz = w_parent[0, f], w_parent[1, f], w_parent[2, f]
        v[0, f] += sx
        v[1, f] += sy
        v[2, f] += sz
        acc[0, f] += ax + 2 * (wy * sz - wz * sy)
        acc[1, f] += ay + 2 * (wz * sx - wx * sz)
        acc[2, f] += az + 2 * (wx * sy - wy * sx)


@kernel
def _move(i, parents, slot, rates, parent, body, start, stop):
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
    n, tree = len(parents), (order, parents, offset, slot)
    q_block, p_block = np.empty((n, 4, LANES)), np.empty((n, 3, LANES))
    arm = np.empty((3, LANES))
    rotation, displacement = joints
    for first in range(a, b, LANES):
        start, lanes = np.uint64(first), np.uint64(min(LANES, b - first))
        place_block(tree, rotation, displacement, start, lanes, q_block, p_block, arm)
        for i in order:
            body, parent = world[i], world[max(parents[i], 0)]
            put(p_block[i], body[0:3], start, lanes)
            put(q_block[i], body[3:7], start, lanes)
            _move(i, parents, slot, rates, parent, body, start, start + lanes)


@kernel
def _add_centre(q, p, com, share, out, lanes):
    """Add share (p + R(q) com) to out."""
    vx, vy, vz = com[0], com[1], com[2]
    for k in range(lanes):
        w, x, y, z = q[0, k], q[1, k], q[2, k], q[3, k]
        rx, ry, rz = rotated(w, x, y, z, vx, vy, vz)
        out[0, k] += share * (p[0, k] + rx)
        out[1, k] += share * (p[1, k] + ry)
        out[2, k] += share * (p[2, k] + rz)


@kernel
def place_some(tree, rotation, displacement, share, com, bodies, orientation, position, centre):
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
            _add_centre(q[i], p[i], com[i], share[i], middle, lanes)
        for j in range(len(bodies)):
            put(q[bodies[j]], orientation[j], a, lanes)
            put(p[bodies[j]], position[j], a, lanes)
        put(middle, centre, a, lanes)
