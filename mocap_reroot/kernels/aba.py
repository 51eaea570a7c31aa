"""Articulated bodies: accelerations of a tree from its torques, one state (Featherstone, 7.3).

In the common basis of :mod:`mocap_reroot.kernels.tree`, with ``U = I_A S``, ``D = Sᵀ U``:

    I_a = I_A − U D⁻¹ Uᵀ        p_a = p_A + I_a c + U D⁻¹ (τ − Sᵀ p_A)       inwards, they add
    q̈ = D⁻¹ (τ − Sᵀ p_A − Uᵀ (a_p + c))        a = a_p + c + S q̈            outwards

``c`` is what the speeds alone accelerate, ``p_A`` starts as ``V ×* I V`` less outer wrenches.
"""

from __future__ import annotations

import numpy as np

from mocap_reroot.kernels.compiling import kernel
from mocap_reroot.kernels.joints import SPEEDS, drift
from mocap_reroot.kernels.spatial import full, inner, invert, rigid, times
from mocap_reroot.kernels.tree import (
    add_cross,
    add_motion_cross,
    body_forces,
    columns,
    place,
    to_world,
    weigh,
)


@kernel
def _velocities(tree, q, speed, orientation, position, centre, s, v, c):
    """Fill spatial velocities ``v (n, 6)`` and each joint's own velocity product ``c (n, 6)``."""
    order, parents, _, _, kinds, axes, q_start, v_start = tree
    local, joint = np.empty(6), np.empty(6)
    for i in order:
        start, p = v_start[i], parents[i]
        drift(kinds[i], axes[i], q[q_start[i] :], speed[start:], local)
        to_world(orientation[i], position[i], centre, local, c[i])
        joint[:] = 0.0
        for k in range(start, start + SPEEDS[kinds[i]]):
            for r in range(6):
                joint[r] += s[k, r] * speed[k]
        for r in range(6):
            v[i, r] = joint[r]
            if p >= 0:
                v[i, r] += v[p, r]
        add_motion_cross(v[i], joint, c[i])


@kernel
def _eliminate(c, s, tau, articulated, bias, u_rows, d_inverse, rest, start, count):
    """Take a joint's freedom out of an articulated body, in place.

    Leaves ``I_a`` in articulated and ``p_a`` in bias; fills ``U`` (rows), ``D⁻¹`` and
    ``rest = τ − Sᵀ p_A`` of the joint.
    """
    d = np.empty((count, count))
    for k in range(count):
        times(articulated, s[start + k], u_rows[start + k])
        rest[start + k] = tau[start + k] - inner(s[start + k], bias)
    for k in range(count):
        for m in range(count):
            d[k, m] = inner(s[start + k], u_rows[start + m])
    invert(d, count, d_inverse)
    product = np.empty(6)
    for k in range(count):
        gain = 0.0
        for r in range(6):
            product[r] = 0.0
        for m in range(count):
            gain += d_inverse[k, m] * rest[start + m]
            for r in range(6):
                product[r] += d_inverse[k, m] * u_rows[start + m, r]
        for r in range(6):
            bias[r] += u_rows[start + k, r] * gain
            for column in range(6):
                articulated[r, column] -= u_rows[start + k, r] * product[column]
    times(articulated, c, product)
    for r in range(6):
        bias[r] += product[r]


@kernel
def forward_dynamics(tree, bodies, gravity, q, speed, tau, external, acceleration):
    """Fill the joint accelerations ``(speeds)``.

    Args:
        tree: As in :mod:`mocap_reroot.kernels.tree`.
        bodies: mass (n), com (n, 3) in the current frames, inertia (n, 3, 3).
        gravity: (3) world axes.
        q, speed, tau: Coordinates, speeds, joint forces.
        external: (n, 6) moment about the world's origin and force on every body, world axes.
        acceleration: Out.
    """
    order, parents, _, _, kinds, _, _, v_start = tree
    n = len(order)
    orientation, position = np.empty((n, 4)), np.empty((n, 3))
    arm, inertia = np.empty((n, 3)), np.empty((n, 3, 3))
    s, u_rows, rest = np.empty((len(speed), 6)), np.empty((len(speed), 6)), np.empty(len(speed))
    v, c, bias = np.empty((n, 6)), np.empty((n, 6)), np.empty((n, 6))
    articulated, d_inverse = np.empty((n, 6, 6)), np.empty((n, 6, 6))
    place(tree, q, orientation, position)
    centre = position[order[0]].copy()
    columns(tree, q, orientation, position, centre, s)
    _velocities(tree, q, speed, orientation, position, centre, s, v, c)
    weigh(bodies, orientation, position, centre, arm, inertia)
    still = np.zeros((n, 6))
    body_forces(bodies[0], arm, inertia, v, still, gravity, bias)  # V ×* I V and weight
    h, second = np.empty(3), np.empty((3, 3))
    for i in range(n):
        rigid(bodies[0][i], arm[i], inertia[i], h, second)
        full(bodies[0][i], h, second, articulated[i])
        for r in range(6):
            bias[i, r] -= external[i, r]
        add_cross(centre, external[i, 3:6], bias[i, 0:3])
    for at in range(n - 1, -1, -1):
        i = order[at]
        p, count = parents[i], SPEEDS[kinds[i]]
        _eliminate(
            c[i], s, tau, articulated[i], bias[i], u_rows, d_inverse[i], rest, v_start[i], count
        )
        if p >= 0:
            for r in range(6):
                bias[p, r] += bias[i, r]
                for column in range(6):
                    articulated[p, r, column] += articulated[i, r, column]
    a = v  # velocities are done with
    for i in order:
        p, start, count = parents[i], v_start[i], SPEEDS[kinds[i]]
        for r in range(6):
            a[i, r] = c[i, r] + (a[p, r] if p >= 0 else 0.0)
        for k in range(count):
            total = 0.0
            for m in range(count):
                left = rest[start + m] - inner(u_rows[start + m], a[i])
                total += d_inverse[i, k, m] * left
            acceleration[start + k] = total
        for k in range(count):
            for r in range(6):
                a[i, r] += s[start + k, r] * acceleration[start + k]
