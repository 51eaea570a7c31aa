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
from mocap_reroot.kernels.joints import SPEEDS
from mocap_reroot.kernels.rotations import inverse, product, turned
from mocap_reroot.kernels.tree import add_cross, columns, place, rates


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
