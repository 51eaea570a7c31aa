"""One state of a tree: kinematics, inverse dynamics and energies, in ground coordinates.

Spatial vectors, angular first, in world axes and taken at one point ``c`` (``centre``) that is
fixed in the world for the instant. In that common basis a parent's vectors and its child's simply
add, and every recursion is one line (Featherstone 2008, section 5.3, in ground coordinates):

    V_i = V_p + S_i q̇_i
    A_i = A_p + S_i q̈_i + V_i × S_i q̇_i + R_i Ṡ_i q̇_i
    F_i = I_i (A_i − g) + V_i ×* I_i V_i + Σ F_child        τ_i = S_iᵀ F_i

``tree``: order, parents, offset, rest, kinds, axes and, for each body, where its coordinates and
its speeds start in ``q`` and ``speed``. ``bodies``: mass, com in the current frame, inertia.
"""

from __future__ import annotations

import numpy as np

from mocap_reroot.kernels.compiling import kernel
from mocap_reroot.kernels.joints import SPEEDS, drift, pose, subspace
from mocap_reroot.kernels.rotations import product, turned


@kernel
def place(tree, q, orientation, position):
    """Fill world orientations ``(n, 4)`` and positions ``(n, 3)``."""
    order, parents, offset, rest, kinds, axes, q_start, _ = tree
    turn, slide = np.empty(4), np.empty(3)
    for i in order:
        pose(kinds[i], rest[i], axes[i], q[q_start[i] :], turn, slide)
        for c in range(3):
            slide[c] += offset[i, c]
        p = parents[i]
        if p < 0:
            orientation[i] = turn
            position[i] = slide
        else:
            product(orientation[p], turn, orientation[i])
            turned(orientation[p], slide, slide)
            for c in range(3):
                position[i, c] = position[p, c] + slide[c]


@kernel
def add_cross(u, v, out):
    """Add u × v to out."""
    out[0] += u[1] * v[2] - u[2] * v[1]
    out[1] += u[2] * v[0] - u[0] * v[2]
    out[2] += u[0] * v[1] - u[1] * v[0]


@kernel
def to_world(q, position, centre, local, out):
    """Set out = a spatial motion vector, from a body's axes and origin to the world's at centre."""
    turned(q, local[0:3], out[0:3])
    turned(q, local[3:6], out[3:6])
    arm = position - centre
    add_cross(arm, out[0:3], out[3:6])


@kernel
def columns(tree, q, orientation, position, centre, s):
    """Fill ``s (speeds, 6)``: what one unit of each speed does to all bodies beyond its joint."""
    order, _, _, _, kinds, axes, q_start, v_start = tree
    local, column = np.empty((6, 6)), np.empty(6)
    for i in order:
        subspace(kinds[i], axes[i], q[q_start[i] :], local)
        for k in range(SPEEDS[kinds[i]]):
            for c in range(6):
                column[c] = local[c, k]
            to_world(orientation[i], position[i], centre, column, s[v_start[i] + k])


@kernel
def add_motion_cross(u, v, out):
    """Add the spatial product u × v of motion vectors to out."""
    add_cross(u[0:3], v[0:3], out[0:3])
    add_cross(u[3:6], v[0:3], out[3:6])
    add_cross(u[0:3], v[3:6], out[3:6])


@kernel
def rates(tree, q, speed, acceleration, orientation, position, centre, s, v, a):
    """Fill spatial velocities and accelerations ``(n, 6)`` of the bodies, gravity left out."""
    order, parents, _, _, kinds, axes, q_start, v_start = tree
    local, joint = np.empty(6), np.empty(6)
    for i in order:
        start, p = v_start[i], parents[i]
        drift(kinds[i], axes[i], q[q_start[i] :], speed[start:], local)
        to_world(orientation[i], position[i], centre, local, a[i])
        joint[:] = 0.0
        for k in range(start, start + SPEEDS[kinds[i]]):
            for c in range(6):
                joint[c] += s[k, c] * speed[k]
                a[i, c] += s[k, c] * acceleration[k]
        for c in range(6):
            v[i, c] = joint[c]
            if p >= 0:
                v[i, c] += v[p, c]
                a[i, c] += a[p, c]
        add_motion_cross(v[i], joint, a[i])


@kernel
def turn_tensors(local, orientation, out):
    """Fill ``out (n, 3, 3)`` with body tensors turned into world axes."""
    unit, turn = np.eye(3), np.empty((3, 3))
    for i in range(len(local)):
        for c in range(3):
            turned(orientation[i], unit[c], turn[c])
        for r in range(3):
            for c in range(3):
                total = 0.0
                for k in range(3):
                    for m in range(3):
                        total += turn[k, r] * local[i, k, m] * turn[m, c]
                out[i, r, c] = total


@kernel
def weigh(bodies, orientation, position, centre, arm, inertia):
    """Fill ``arm (n, 3)``, centre to centres of mass, and ``inertia (n, 3, 3)``, world axes."""
    _, com, local = bodies
    for i in range(len(com)):
        turned(orientation[i], com[i], arm[i])
        for c in range(3):
            arm[i, c] += position[i, c] - centre[c]
    turn_tensors(local, orientation, inertia)


@kernel
def momentum(mass, arm, inertia, v, out):
    """Set out = I v, the spatial inertia of one body at work; out must be another array."""
    for c in range(3):
        out[3 + c] = v[3 + c]
    add_cross(v[0:3], arm, out[3:6])
    for c in range(3):
        out[3 + c] *= mass
        out[c] = inertia[c, 0] * v[0] + inertia[c, 1] * v[1] + inertia[c, 2] * v[2]
    add_cross(arm, out[3:6], out[0:3])


@kernel
def body_forces(mass, arm, inertia, v, a, gravity, f):
    """Fill ``f (n, 6)``: the wrench that moves each body as it moves, gravity subtracted."""
    shifted, h = np.empty(6), np.empty(6)
    for i in range(len(mass)):
        for c in range(3):
            shifted[c] = a[i, c]
            shifted[3 + c] = a[i, 3 + c] - gravity[c]
        momentum(mass[i], arm[i], inertia[i], shifted, f[i])
        momentum(mass[i], arm[i], inertia[i], v[i], h)
        add_cross(v[i, 0:3], h[0:3], f[i, 0:3])
        add_cross(v[i, 3:6], h[3:6], f[i, 0:3])
        add_cross(v[i, 0:3], h[3:6], f[i, 3:6])


@kernel
def joint_forces(tree, s, f, tau):
    """Gather ``f`` towards the root, in place, and fill ``tau (speeds)`` with what joints carry."""
    order, parents, _, _, kinds, _, _, v_start = tree
    for at in range(len(order) - 1, -1, -1):
        i = order[at]
        start, p = v_start[i], parents[i]
        for k in range(start, start + SPEEDS[kinds[i]]):
            tau[k] = 0.0
            for c in range(6):
                tau[k] += s[k, c] * f[i, c]
        if p >= 0:
            for c in range(6):
                f[p, c] += f[i, c]


@kernel
def inverse_dynamics(tree, bodies, gravity, q, speed, acceleration, tau):
    """Fill ``tau (speeds)``: what the open tree needs at every joint, the root's included."""
    n = len(tree[0])
    orientation, position = np.empty((n, 4)), np.empty((n, 3))
    arm, inertia = np.empty((n, 3)), np.empty((n, 3, 3))
    s, v, a, f = np.empty((len(speed), 6)), np.empty((n, 6)), np.empty((n, 6)), np.empty((n, 6))
    place(tree, q, orientation, position)
    centre = position[tree[0][0]].copy()
    columns(tree, q, orientation, position, centre, s)
    rates(tree, q, speed, acceleration, orientation, position, centre, s, v, a)
    weigh(bodies, orientation, position, centre, arm, inertia)
    body_forces(bodies[0], arm, inertia, v, a, gravity, f)
    joint_forces(tree, s, f, tau)


@kernel
def energies(tree, bodies, gravity, q, speed):
    """Return kinetic and potential energy of one state, J (the latter 0 at the world's origin)."""
    n = len(tree[0])
    orientation, position = np.empty((n, 4)), np.empty((n, 3))
    arm, inertia = np.empty((n, 3)), np.empty((n, 3, 3))
    s, v, a, h = np.empty((len(speed), 6)), np.empty((n, 6)), np.empty((n, 6)), np.empty(6)
    still = np.zeros(len(speed))
    place(tree, q, orientation, position)
    centre = position[tree[0][0]].copy()
    columns(tree, q, orientation, position, centre, s)
    rates(tree, q, speed, still, orientation, position, centre, s, v, a)
    weigh(bodies, orientation, position, centre, arm, inertia)
    kinetic, potential = 0.0, 0.0
    for i in range(n):
        momentum(bodies[0][i], arm[i], inertia[i], v[i], h)
        for c in range(6):
            kinetic += 0.5 * v[i, c] * h[c]
        for c in range(3):
            potential -= bodies[0][i] * gravity[c] * (arm[i, c] + centre[c])
    return kinetic, potential


@kernel
def advance(tree, q, speed, step, out):
    """Set out = q moved along constant speeds for a time step, along the joints' own curves."""
    kinds, q_start, v_start = tree[4], tree[6], tree[7]
    turn, slide = np.empty(4), np.empty(3)
    for i in range(len(kinds)):
        a, b = q_start[i], v_start[i]
        w = speed[b:]
        if kinds[i] < 4:
            for k in range(SPEEDS[kinds[i]]):
                out[a + k] = q[a + k] + step * w[k]
            continue
        if kinds[i] == 5:
            # d moves in the joint's frame with J ν; the midpoint's J makes it second order
            half_turn(q[a + 3 :], w, 0.5 * step, turn)
            turned(turn, w[3:6], slide)
            for c in range(3):
                out[a + c] = q[a + c] + step * slide[c]
            a += 3
        half_turn(q[a:], w, step, turn)
        for c in range(4):
            out[a + c] = turn[c]


@kernel
def half_turn(q, w, step, out):
    """Set out = q exp(w step), normalised: a quaternion turned at a body-fixed rate."""
    angle = np.sqrt(w[0] * w[0] + w[1] * w[1] + w[2] * w[2]) * step
    more = np.empty(4)
    half = 0.5 * angle
    gain = 0.5 * step * (np.sin(half) / half if abs(half) > 1e-8 else 1.0)
    more[0] = np.cos(half)
    for c in range(3):
        more[1 + c] = gain * w[c]
    product(q, more, out)
    norm = np.sqrt(out[0] ** 2 + out[1] ** 2 + out[2] ** 2 + out[3] ** 2)
    for c in range(4):
        out[c] /= norm


@kernel
def coordinate_rates(tree, q, speed, out):
    """Set out = q̇: quaternions by ½ q ω, a free joint's slide by J ν, others the speeds."""
    kinds, q_start, v_start = tree[4], tree[6], tree[7]
    spin = np.zeros(4)
    for i in range(len(kinds)):
        a, b = q_start[i], v_start[i]
        if kinds[i] < 4:
            for k in range(SPEEDS[kinds[i]]):
                out[a + k] = speed[b + k]
            continue
        if kinds[i] == 5:
            turned(q[a + 3 : a + 7], speed[b + 3 : b + 6], out[a : a + 3])
            a += 3
        for c in range(3):
            spin[1 + c] = 0.5 * speed[b + c]
        product(q[a : a + 4], spin, out[a : a + 4])
