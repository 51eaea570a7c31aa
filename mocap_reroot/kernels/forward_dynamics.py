"""Forward dynamics of one state: composite rigid bodies and articulated bodies (Featherstone).

Spatial vectors, angular first, in the world's axes at one point. In that common basis
(:mod:`mocap_reroot.kernels.tree`) the inertias of bodies that move together simply add. A rigid one
is ``mass, h, J``: first and second moment about the common point. A composite inertia (section 6.2)
is a plain sum over the subtree, and ``M[k, l] = s_k · I_i s_l`` for every joint k on the way from
body i to the root. Articulated bodies (section 7.3), with ``U = I_A S``, ``D = Sᵀ U``:

    I_a = I_A − U D⁻¹ Uᵀ        p_a = p_A + I_a c + U D⁻¹ (τ − Sᵀ p_A)       inwards, they add
    q̈ = D⁻¹ (τ − Sᵀ p_A − Uᵀ (a_p + c))        a = a_p + c + S q̈            outwards

``c`` is what the speeds alone accelerate, ``p_A`` starts as ``V ×* I V`` less outer wrenches.
"""

from __future__ import annotations

import numpy as np

from mocap_reroot.kernels.compiling import kernel
from mocap_reroot.kernels.joints import SPEEDS, drift
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
def rigid(mass, arm, inertia, h, second):
    """Set ``h (3) = m c`` and ``second (3, 3)``: inertia about a point the arm c from the com."""
    square = arm[0] * arm[0] + arm[1] * arm[1] + arm[2] * arm[2]
    for r in range(3):
        h[r] = mass * arm[r]
        for c in range(3):
            second[r, c] = inertia[r, c] - mass * arm[r] * arm[c]
        second[r, r] += mass * square


@kernel
def rigid_times(mass, h, second, v, out):
    """Set out = I v: angular and linear momentum; out must be another array."""
    for c in range(3):
        out[c] = second[c, 0] * v[0] + second[c, 1] * v[1] + second[c, 2] * v[2]
        out[3 + c] = mass * v[3 + c]
    out[0] += h[1] * v[5] - h[2] * v[4]
    out[1] += h[2] * v[3] - h[0] * v[5]
    out[2] += h[0] * v[4] - h[1] * v[3]
    out[3] += v[1] * h[2] - v[2] * h[1]
    out[4] += v[2] * h[0] - v[0] * h[2]
    out[5] += v[0] * h[1] - v[1] * h[0]


@kernel
def full(mass, h, second, out):
    """Set ``out (6, 6)`` = the matrix of a rigid inertia."""
    out[:] = 0.0
    for r in range(3):
        for c in range(3):
            out[r, c] = second[r, c]
        out[3 + r, 3 + r] = mass
    out[0, 4], out[0, 5] = -h[2], h[1]
    out[1, 3], out[1, 5] = h[2], -h[0]
    out[2, 3], out[2, 4] = -h[1], h[0]
    for r in range(3):
        for c in range(3, 6):
            out[c, r] = out[r, c]


@kernel
def times(matrix, v, out):
    """Set out = matrix v, six by six; out must be another array."""
    for r in range(6):
        total = 0.0
        for c in range(6):
            total += matrix[r, c] * v[c]
        out[r] = total


@kernel
def inner(u, v):
    """Return u · v of six-vectors."""
    total = 0.0
    for c in range(6):
        total += u[c] * v[c]
    return total


@kernel
def invert(d, n, out):
    """Set out = the inverse of the symmetric positive ``d (n, n)``, by Gauss and Jordan."""
    work = np.empty((n, n))
    for r in range(n):
        for c in range(n):
            work[r, c] = d[r, c]
            out[r, c] = 1.0 if r == c else 0.0
    for k in range(n):
        pivot = 1.0 / work[k, k]
        for c in range(n):
            work[k, c] *= pivot
            out[k, c] *= pivot
        for r in range(n):
            if r != k:
                factor = work[r, k]
                for c in range(n):
                    work[r, c] -= factor * work[k, c]
                    out[r, c] -= factor * out[k, c]


@kernel
def mass_matrix(tree, bodies, q, matrix):
    """Fill ``matrix (speeds, speeds)``, kg, kg·m, kg·m².

    Args:
        tree: As in :mod:`mocap_reroot.kernels.tree`.
        bodies: mass (n), com (n, 3) in the current frames, inertia (n, 3, 3).
        q: Coordinates.
        matrix: Out.
    """
    order, parents, _, _, kinds, _, _, v_start = tree
    n = len(order)
    orientation, position = np.empty((n, 4)), np.empty((n, 3))
    arm, inertia, s = np.empty((n, 3)), np.empty((n, 3, 3)), np.empty((matrix.shape[0], 6))
    place(tree, q, orientation, position)
    centre = position[order[0]].copy()
    columns(tree, q, orientation, position, centre, s)
    weigh(bodies, orientation, position, centre, arm, inertia)
    mass, h, second = bodies[0].copy(), np.empty((n, 3)), np.empty((n, 3, 3))
    for i in range(n):
        rigid(mass[i], arm[i], inertia[i], h[i], second[i])
    matrix[:] = 0.0
    column = np.empty(6)
    for at in range(n - 1, -1, -1):
        i = order[at]
        for k in range(v_start[i], v_start[i] + SPEEDS[kinds[i]]):
            rigid_times(mass[i], h[i], second[i], s[k], column)
            j = i
            while j >= 0:
                for m in range(v_start[j], v_start[j] + SPEEDS[kinds[j]]):
                    matrix[k, m] = inner(s[m], column)
                    matrix[m, k] = matrix[k, m]
                j = parents[j]
        p = parents[i]
        if p >= 0:
            mass[p] += mass[i]
            for r in range(3):
                h[p, r] += h[i, r]
                for c in range(3):
                    second[p, r, c] += second[i, r, c]


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
