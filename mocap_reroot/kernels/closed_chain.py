"""Closed kinematic chains over a spanning tree (Yamane and Nakamura, sections 2 and 3).

One state at a time, in the common basis of :mod:`mocap_reroot.kernels.tree`. ``closures``: first
body, second body (−1 the world), their points ``(L, 3)`` and axes ``(L, 4)`` in current frames, and
``held (L, 6)``. A scalar constraint is a row ``w = (P × t, t)`` or ``(r, 0)`` that relative twists
of the second body against the first must not touch:

    w · (V_b − V_a) = 0            J_C θ̇ = 0                    (Eq. 11, 12)
    w · (A_b − A_a) + ẇ · (V_b − V_a) = 0                        (its derivative)
"""

from __future__ import annotations

import numpy as np

from mocap_reroot.kernels.compiling import kernel
from mocap_reroot.kernels.crba import mass_matrix
from mocap_reroot.kernels.joints import SPEEDS, inverse, product, turned
from mocap_reroot.kernels.tree import (
    add_cross,
    body_forces,
    columns,
    joint_forces,
    momentum,
    place,
    rates,
    weigh,
)

RANK_TOLERANCE = 1e-9  # against the largest pivot: far above rounding, far below a real constraint


@kernel
def frame_at(body, point, axes, orientation, position, at, turn):
    """Set where a closure's frame is in the world: origin ``at (3)`` and ``turn (4)``."""
    if body < 0:
        at[:] = point
        turn[:] = axes
        return
    turned(orientation[body], point, at)
    for c in range(3):
        at[c] += position[body, c]
    product(orientation[body], axes, turn)


@kernel
def rotation_vector(q, out):
    """Set out = axis times angle of a quaternion, the short way round."""
    sign = 1.0 if q[0] >= 0 else -1.0
    sine = np.sqrt(q[1] * q[1] + q[2] * q[2] + q[3] * q[3])
    gain = 2.0 * sign
    if sine > 1e-12:
        gain = 2.0 * sign * np.arctan2(sine, sign * q[0]) / sine
    for c in range(3):
        out[c] = gain * q[1 + c]


@kernel
def swing(between, free, out):
    """Set out = the shortest turn of one axis, ``free``, from the first frame to the second."""
    unit, image = np.zeros(3), np.empty(3)
    unit[free] = 1.0
    turned(between, unit, image)
    out[:] = 0.0
    add_cross(unit, image, out)
    sine = np.sqrt(out[0] * out[0] + out[1] * out[1] + out[2] * out[2])
    if sine > 1e-12:
        out *= np.arctan2(sine, image[free]) / sine
    elif image[free] < 0:  # turned over: any way back is as short
        out[(free + 1) % 3] = np.pi


@kernel
def turn_error(between, held, out):
    """Set out = what is wrong with a relative rotation, rad about i, j, k.

    Faure projects the rotation vector. Where two rotations are held, the turn of the free axis says
    the same without depending on how far the joint has turned about it, which keeps the linear
    equation exact at hinges turned by any angle.
    """
    count, free = 0, 0
    for c in range(3):
        if held[3 + c]:
            count += 1
        else:
            free = c
    if count == 2:
        swing(between, free, out)
    else:
        rotation_vector(between, out)


@kernel
def errors(closures, orientation, position, out):
    """Fill how far each held direction is from closed: m, then rad (Faure, section 3.2)."""
    first, second, point_a, point_b, axes_a, axes_b, held = closures
    at_a, at_b, turn_a, turn_b = np.empty(3), np.empty(3), np.empty(4), np.empty(4)
    back, between, gap, turn = np.empty(4), np.empty(4), np.empty(3), np.empty(3)
    row = 0
    for k in range(len(first)):
        frame_at(first[k], point_a[k], axes_a[k], orientation, position, at_a, turn_a)
        frame_at(second[k], point_b[k], axes_b[k], orientation, position, at_b, turn_b)
        inverse(turn_a, back)
        turned(back, at_b - at_a, gap)
        product(back, turn_b, between)
        turn_error(between, held[k], turn)
        for c in range(3):
            if held[k, c]:
                out[row] = gap[c]
                row += 1
        for c in range(3):
            if held[k, 3 + c]:
                out[row] = turn[c]
                row += 1


@kernel
def constraint_rows(closures, orientation, position, centre, w):
    """Fill ``w (rows, 6)``: the wrench at centre that holds each direction, on the second body.

    Translations are held at the second body's point, in directions of the first body's frame.
    """
    first, second, point_a, point_b, axes_a, axes_b, held = closures
    at, turn, unused, axis = np.empty(3), np.empty(4), np.empty(4), np.empty(3)
    unit = np.eye(3)
    row = 0
    for k in range(len(first)):
        frame_at(first[k], point_a[k], axes_a[k], orientation, position, at, turn)
        frame_at(second[k], point_b[k], axes_b[k], orientation, position, at, unused)
        for c in range(6):
            if not held[k, c]:
                continue
            turned(turn, unit[c % 3], axis)
            w[row] = 0.0
            if c < 3:
                w[row, 3:6] = axis
                add_cross(at - centre, axis, w[row, 0:3])
            else:
                w[row, 0:3] = axis
            row += 1


@kernel
def add_support(tree, body, sign, s, w, jacobian):
    """Add ``sign w · S`` for every speed that moves a body to one row of the Jacobian."""
    parents, kinds, v_start = tree[1], tree[4], tree[7]
    i = body
    while i >= 0:
        for k in range(v_start[i], v_start[i] + SPEEDS[kinds[i]]):
            for c in range(6):
                jacobian[k] += sign * w[c] * s[k, c]
        i = parents[i]


@kernel
def constraint_jacobian(tree, closures, s, w, jacobian):
    """Fill ``J_C (rows, speeds)`` (Eq. 12)."""
    first, second, held = closures[0], closures[1], closures[6]
    jacobian[:] = 0.0
    row = 0
    for k in range(len(first)):
        for c in range(6):
            if held[k, c]:
                add_support(tree, second[k], 1.0, s, w[row], jacobian[row])
                add_support(tree, first[k], -1.0, s, w[row], jacobian[row])
                row += 1


@kernel
def relative(first, second, vectors, out):
    """Set out = vectors[second] − vectors[first], zero for the world."""
    out[:] = 0.0
    if second >= 0:
        out += vectors[second]
    if first >= 0:
        out -= vectors[first]


@kernel
def constraint_drift(closures, orientation, position, centre, w, v, a, out):
    """Fill ``J̇_C θ̇ (rows)`` from twists and from accelerations at ``θ̈ = 0``."""
    first, second, _, point_b, _, axes_b, held = closures
    at, turn, twist, bias = np.empty(3), np.empty(4), np.empty(6), np.empty(6)
    axis_rate, force_rate, moment_rate, point_rate = (
        np.empty(3),
        np.empty(3),
        np.empty(3),
        np.empty(3),
    )
    row = 0
    for k in range(len(first)):
        relative(first[k], second[k], v, twist)
        relative(first[k], second[k], a, bias)
        frame_at(second[k], point_b[k], axes_b[k], orientation, position, at, turn)
        arm = at - centre
        point_rate[:] = 0.0
        if second[k] >= 0:
            point_rate[:] = v[second[k], 3:6]
            add_cross(v[second[k], 0:3], arm, point_rate)
        for c in range(6):
            if not held[k, c]:
                continue
            axis = w[row, 3:6] if c < 3 else w[row, 0:3]
            axis_rate[:] = 0.0
            if first[k] >= 0:
                add_cross(v[first[k], 0:3], axis, axis_rate)
            force_rate[:] = 0.0
            moment_rate[:] = 0.0
            if c < 3:
                force_rate[:] = axis_rate
                add_cross(point_rate, axis, moment_rate)
                add_cross(arm, axis_rate, moment_rate)
            else:
                moment_rate[:] = axis_rate
            total = 0.0
            for m in range(3):
                total += w[row, m] * bias[m] + w[row, 3 + m] * bias[3 + m]
                total += moment_rate[m] * twist[m] + force_rate[m] * twist[3 + m]
            out[row] = total
            row += 1


@kernel
def pivoted_qr(a, pivot, limit):
    """Reduce ``a`` in place by Householder reflections with column pivoting; return the rank.

    ``pivot`` becomes the order of the columns, independent ones first. At most ``limit`` steps.
    """
    rows, cols = a.shape
    for c in range(cols):
        pivot[c] = c
    largest = 0.0
    reflector = np.empty(rows)
    for step in range(min(rows, cols, limit)):
        best, norm = step, -1.0
        for c in range(step, cols):
            total = 0.0
            for r in range(step, rows):
                total += a[r, c] * a[r, c]
            if total > norm:
                best, norm = c, total
        norm = np.sqrt(norm)
        largest = max(largest, norm)
        if norm <= RANK_TOLERANCE * largest or norm == 0.0:
            return step
        if best != step:
            pivot[step], pivot[best] = pivot[best], pivot[step]
            for r in range(rows):
                a[r, step], a[r, best] = a[r, best], a[r, step]
        sign = 1.0 if a[step, step] >= 0 else -1.0
        size = 0.0
        for r in range(step, rows):
            reflector[r] = a[r, step]
            if r == step:
                reflector[r] += sign * norm
            size += reflector[r] * reflector[r]
        for c in range(step, cols):
            along = 0.0
            for r in range(step, rows):
                along += reflector[r] * a[r, c]
            along *= 2.0 / size
            for r in range(step, rows):
                a[r, c] -= along * reflector[r]
    return min(rows, cols, limit)


@kernel
def independent(jacobian, rows, order):
    """Find independent rows and columns of ``J_C``; return their number (Eq. 13 to 15).

    ``rows``: independent rows first. ``order``: the columns of ``J_S`` first, then those of
    ``J_G``, the generalized coordinates, in ascending order.
    """
    m, n = jacobian.shape
    rank = pivoted_qr(jacobian.T.copy(), rows, m)
    rows[:rank] = np.sort(rows[:rank])
    chosen = np.empty((rank, n))
    for r in range(rank):
        chosen[r] = jacobian[rows[r]]
    pivoted_qr(chosen, order, rank)
    order[:rank] = np.sort(order[:rank])
    order[rank:] = np.sort(order[rank:])
    return rank


@kernel
def mobility(jacobian, drift, rows, order, w):
    """Fill ``W (speeds, N_F)`` (Eq. 4, 18) and return ``Ḣθ̇_G`` spread over all speeds (Eq. 22).

    ``rows`` and ``order`` hold the independent rows and columns, ``N_F = speeds − rank``.
    """
    n = len(order)
    rank = n - w.shape[1]
    bias = np.zeros(n)
    w[:] = 0.0
    for g in range(n - rank):
        w[order[rank + g], g] = 1.0
    if rank == 0:
        return bias
    dependent, right = np.empty((rank, rank)), np.empty((rank, n - rank + 1))
    for r in range(rank):
        for c in range(rank):
            dependent[r, c] = jacobian[rows[r], order[c]]
        for c in range(n - rank):
            right[r, c] = -jacobian[rows[r], order[rank + c]]
        right[r, n - rank] = -drift[rows[r]]
    solved = np.linalg.solve(dependent, right)
    for r in range(rank):
        for c in range(n - rank):
            w[order[r], c] = solved[r, c]
        bias[order[r]] = solved[r, n - rank]
    return bias


@kernel
def structure(tree, closures, q, speed, jacobian, drift):
    """Fill ``J_C (rows, speeds)`` and ``J̇_C θ̇ (rows)`` of one state."""
    n = len(tree[0])
    orientation, position = np.empty((n, 4)), np.empty((n, 3))
    s, v, a = np.empty((len(speed), 6)), np.empty((n, 6)), np.empty((n, 6))
    w = np.empty((len(drift), 6))
    place(tree, q, orientation, position)
    centre = position[tree[0][0]].copy()
    columns(tree, q, orientation, position, centre, s)
    still = np.zeros(len(speed))
    rates(tree, q, speed, still, orientation, position, centre, s, v, a)
    constraint_rows(closures, orientation, position, centre, w)
    constraint_jacobian(tree, closures, s, w, jacobian)
    constraint_drift(closures, orientation, position, centre, w, v, a, drift)


@kernel
def closing_errors(tree, closures, q, out):
    """Fill ``out (rows)`` with how far the loops of one state are from closed."""
    n = len(tree[0])
    orientation, position = np.empty((n, 4)), np.empty((n, 3))
    place(tree, q, orientation, position)
    errors(closures, orientation, position, out)


@kernel
def forward(
    tree, bodies, closures, gravity, q, speed, torque, feedback, by_unit_vectors, acceleration
):
    """Fill ``acceleration (speeds)`` by the unit-vector method (section 3.2); return ``N_F``.

    Or, if not ``by_unit_vectors``, with ``A = Wᵀ M W`` from the tree's composite bodies.
    ``feedback (rows)`` is the relative acceleration asked of every constraint: zero for loops that
    stay closed, ``−2α ġ − β² g`` for Baumgarte's stabilisation.
    """
    n, nv, m = len(tree[0]), len(speed), len(feedback)
    orientation, position = np.empty((n, 4)), np.empty((n, 3))
    arm, inertia, s = np.empty((n, 3)), np.empty((n, 3, 3)), np.empty((nv, 6))
    v, a, f = np.empty((n, 6)), np.empty((n, 6)), np.empty((n, 6))
    wrenches, jacobian, drift = np.empty((m, 6)), np.empty((m, nv)), np.empty(m)
    rows, order, tau = np.empty(m, np.int64), np.empty(nv, np.int64), np.empty(nv)
    place(tree, q, orientation, position)
    centre = position[tree[0][0]].copy()
    columns(tree, q, orientation, position, centre, s)
    rates(tree, q, speed, np.zeros(nv), orientation, position, centre, s, v, a)
    weigh(bodies, orientation, position, centre, arm, inertia)
    constraint_rows(closures, orientation, position, centre, wrenches)
    constraint_jacobian(tree, closures, s, wrenches, jacobian)
    constraint_drift(closures, orientation, position, centre, wrenches, v, a, drift)
    rank = independent(jacobian, rows, order)
    free = nv - rank
    w = np.empty((nv, free))
    bias = mobility(jacobian, drift - feedback, rows, order, w)
    rates(tree, q, speed, bias, orientation, position, centre, s, v, a)
    body_forces(bodies[0], arm, inertia, v, a, gravity, f)
    joint_forces(tree, s, f, tau)  # step 2: the inverse dynamics of zero generalized acceleration
    right = w.T @ (torque - tau)
    pushes = np.empty((nv, free))
    if by_unit_vectors:
        for g in range(free):
            unit_forces(tree, bodies[0], arm, inertia, s, w[:, g].copy(), a, f, tau)
            pushes[:, g] = tau
    else:
        composite = np.empty((nv, nv))
        mass_matrix(tree, bodies, q, composite)
        pushes[:] = composite @ w
    mass = w.T @ pushes  # step 3: its columns are what unit accelerations take
    acceleration[:] = bias
    if free > 0:
        acceleration += w @ np.linalg.solve(mass, right)
    return free


@kernel
def unit_forces(tree, mass, arm, inertia, s, unit, a, f, tau):
    """Fill ``tau`` with what accelerations ``unit`` alone take: no velocity, no gravity."""
    order, parents, kinds, v_start = tree[0], tree[1], tree[4], tree[7]
    for i in order:
        p = parents[i]
        for c in range(6):
            a[i, c] = a[p, c] if p >= 0 else 0.0
        for k in range(v_start[i], v_start[i] + SPEEDS[kinds[i]]):
            for c in range(6):
                a[i, c] += s[k, c] * unit[k]
        momentum(mass[i], arm[i], inertia[i], a[i], f[i])
    joint_forces(tree, s, f, tau)
