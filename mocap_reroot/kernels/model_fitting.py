"""Inverse kinematics of a model: least squares of its markers in its own coordinates.

Frame by frame, Gauss-Newton with Levenberg's damping, each from the pose of the one before. Arrays
of the model are tuples: ``tree`` (parents, turn and place of F, turn of M, axes, coordinate and
function of each step, first coordinate on the way to the ground), ``functions`` (first piece, left
ends, centres, coefficients), ``unknowns`` (of every coordinate: its unknown, the coordinate it
follows, the function it does so by).
"""

from __future__ import annotations

import numpy as np

from mocap_reroot.kernels.compiling import kernel


@kernel
def _evaluate(functions, f, x):
    """Return value and slope of function f at x."""
    first, left, centre, coefficients = functions
    piece = first[f]
    while piece + 1 < first[f + 1] and left[piece + 1] <= x:
        piece += 1
    away, value, slope = x - centre[piece], 0.0, 0.0
    for k in range(coefficients.shape[1] - 1, -1, -1):
        slope = slope * away + value
        value = value * away + coefficients[piece, k]
    return value, slope


@kernel
def _turn(axis, angle, by, out):
    """Fill ``out = by · Rot(axis, angle)``, all ``(3, 3)``."""
    c, s = np.cos(angle), np.sin(angle)
    x, y, z = axis[0], axis[1], axis[2]
    d = 1 - c
    r00, r01, r02 = c + d * x * x, d * x * y - s * z, d * x * z + s * y
    r10, r11, r12 = d * x * y + s * z, c + d * y * y, d * y * z - s * x
    r20, r21, r22 = d * x * z - s * y, d * y * z + s * x, c + d * z * z
    for i in range(3):
        a, b, e = by[i, 0], by[i, 1], by[i, 2]
        out[i, 0] = a * r00 + b * r10 + e * r20
        out[i, 1] = a * r01 + b * r11 + e * r21
        out[i, 2] = a * r02 + b * r12 + e * r22


@kernel
def _follow(functions, unknowns, q, slope):
    """Set the coordinates that follow others, and the slope of every coordinate by its unknown."""
    _, of, via = unknowns
    for c in range(len(q)):
        slope[c] = 1.0
        if via[c] >= 0:
            q[c], slope[c] = _evaluate(functions, via[c], q[of[c]])


@kernel
def _place(tree, functions, q, orientation, position, turning, sliding):
    """Place every body; of every coordinate, what its rate does: turning, sliding ``(c, 3)``."""
    parents, at_turn, at_place, on_turn, axes, coordinate, function = tree
    frame, turned, other = np.empty((3, 3)), np.empty((3, 3)), np.empty((3, 3))
    turning[:] = 0.0
    sliding[:] = 0.0
    for body in range(len(parents)):
        parent = parents[body]
        for i in range(3):
            if parent < 0:
                position[body, i] = at_place[body, i]
                for j in range(3):
                    frame[i, j] = at_turn[body, i, j]
            else:
                up = orientation[parent]
                position[body, i] = position[parent, i]
                for k in range(3):
                    position[body, i] += up[i, k] * at_place[body, k]
                for j in range(3):
                    frame[i, j] = 0.0
                    for k in range(3):
                        frame[i, j] += up[i, k] * at_turn[body, k, j]
        turned[:] = frame
        for step in range(6):
            c = coordinate[body, step]
            value, slope = _evaluate(functions, function[body, step], q[c] if c >= 0 else 0.0)
            axis = axes[body, step]
            by = turned if step < 3 else frame
            for i in range(3):
                along = by[i, 0] * axis[0] + by[i, 1] * axis[1] + by[i, 2] * axis[2]
                if step >= 3:
                    position[body, i] += value * along
                if c >= 0 and step < 3:
                    turning[c, i] += slope * along
                elif c >= 0:
                    sliding[c, i] += slope * along
            if step < 3 and (c >= 0 or value != 0.0):
                _turn(axis, value, turned, other)
                turned[:] = other
        for i in range(3):
            for j in range(3):
                orientation[body, i, j] = 0.0
                for k in range(3):
                    orientation[body, i, j] += turned[i, k] * on_turn[body, j, k]


@kernel
def _marker(markers, orientation, position, m, x):
    """Set ``x (3)`` to where a marker of the model is."""
    body, place = markers[0][m], markers[1][m]
    for i in range(3):
        x[i] = position[body, i]
        for k in range(3):
            x[i] += orientation[body, i, k] * place[k]


@kernel
def _cost(markers, prior, target, orientation, position, q):
    """Return the sum of squared errors, weighted, with what is drawn to the default."""
    total, x = 0.0, np.empty(3)
    for m in range(len(markers[0])):
        if np.isnan(target[m, 0]):
            continue
        _marker(markers, orientation, position, m, x)
        for i in range(3):
            total += markers[2][m] * (target[m, i] - x[i]) ** 2
    for c in range(len(q)):
        total += prior[1] * (q[c] - prior[0][c]) ** 2
    return total


@kernel
def _normal_equations(tree, unknowns, markers, prior, target, state, a, g):
    """Fill ``a (k, k)`` and ``g (k)``; ``state`` holds poses, motions, slopes and q."""
    orientation, position, turning, sliding, slope, q, bearer = state
    unknown, of, _ = unknowns
    a[:] = 0.0
    g[:] = 0.0
    x, columns, index = np.empty(3), np.empty((len(q), 3)), np.empty(len(q), np.int64)
    for m in range(len(markers[0])):
        if np.isnan(target[m, 0]):
            continue
        _marker(markers, orientation, position, m, x)
        count, body = 0, markers[0][m]
        while body >= 0:
            for c in range(bearer[body], bearer[body + len(tree[0])]):
                k = unknown[of[c]]
                if k < 0:
                    continue
                w, v, o = turning[c], sliding[c], position[body]
                rx, ry, rz = x[0] - o[0], x[1] - o[1], x[2] - o[2]
                columns[count, 0] = slope[c] * (w[1] * rz - w[2] * ry + v[0])
                columns[count, 1] = slope[c] * (w[2] * rx - w[0] * rz + v[1])
                columns[count, 2] = slope[c] * (w[0] * ry - w[1] * rx + v[2])
                index[count] = k
                count += 1
            body = tree[0][body]
        weight = markers[2][m]
        for i in range(count):
            p = columns[i]
            for d in range(3):
                g[index[i]] += weight * p[d] * (target[m, d] - x[d])
            for j in range(i + 1):
                r = columns[j]
                value = weight * (p[0] * r[0] + p[1] * r[1] + p[2] * r[2])
                a[index[i], index[j]] += value
                if i != j:
                    a[index[j], index[i]] += value
    for c in range(len(q)):
        k = unknown[c]
        if k >= 0:
            a[k, k] += prior[1]
            g[k] += prior[1] * (prior[0][c] - q[c])


@kernel
def _solve(a, g, damping, free, step):
    """Set ``step`` to ``(a + damping · diag a)⁻¹ g`` over the free unknowns: Cholesky."""
    n = len(g)
    low = np.zeros((n, n))
    for i in range(n):
        step[i] = 0.0
        if not free[i]:
            continue
        for j in range(i + 1):
            if not free[j]:
                continue
            total = a[i, j]
            if i == j:
                total = total * (1 + damping) + 1e-12
            for k in range(j):
                total -= low[i, k] * low[j, k]
            low[i, j] = np.sqrt(max(total, 1e-15)) if i == j else total / low[j, j]
    for i in range(n):
        if free[i]:
            total = g[i]
            for k in range(i):
                total -= low[i, k] * step[k]
            step[i] = total / low[i, i]
    for i in range(n - 1, -1, -1):
        if free[i]:
            total = step[i]
            for k in range(i + 1, n):
                total -= low[k, i] * step[k]
            step[i] = total / low[i, i]


@kernel
def fit_frames(
    tree, bearer, functions, unknowns, bounds, markers, prior, targets, frames, limits, value, firm
):
    """Fit frame after frame, each from the one before.

    Args:
        tree, bearer, functions, unknowns: The model; ``bearer (2 n)`` first and last coordinate of
            every body's joint.
        bounds: ``(c, 2)`` that coordinates keep to.
        markers: Bodies ``(m)``, places ``(m, 3)``, weights ``(m)``.
        prior: Default ``(c)``, and how strongly coordinates are drawn there, m².
        targets: ``(F, m, 3)`` m, NaN where missing.
        frames: ``(f)`` in the order in which they are fitted; the first starts from its value.
        limits: Steps at most, and the largest step at which a frame is done, rad and m.
        value: ``(F, c)`` in and out.
        firm: ``(F, k)`` how firmly markers hold each unknown, m².

    Returns:
        float: The cost of the last frame, m².
    """
    n, count = len(tree[0]), value.shape[1]
    unknown = unknowns[0]
    k_unknowns = firm.shape[1]
    orientation, position = np.empty((n, 3, 3)), np.empty((n, 3))
    turning, sliding, slope = np.empty((count, 3)), np.empty((count, 3)), np.empty(count)
    a, g, step = np.empty((k_unknowns, k_unknowns)), np.empty(k_unknowns), np.empty(k_unknowns)
    free = np.empty(k_unknowns, np.bool_)
    q, tried = np.empty(count), np.empty(count)
    q[:] = value[frames[0]]
    cost = 0.0
    for f in frames:
        target = targets[f]
        damping = 1e-6
        _follow(functions, unknowns, q, slope)
        _place(tree, functions, q, orientation, position, turning, sliding)
        cost = _cost(markers, prior, target, orientation, position, q)
        for _ in range(int(limits[0])):
            state = (orientation, position, turning, sliding, slope, q, bearer)
            _normal_equations(tree, unknowns, markers, prior, target, state, a, g)
            for c in range(count):
                k = unknown[c]
                if k >= 0:
                    low, high = q[c] <= bounds[c, 0], q[c] >= bounds[c, 1]
                    free[k] = not ((low and g[k] < 0) or (high and g[k] > 0))
            moved, better = 0.0, False
            for _ in range(8):
                _solve(a, g, damping, free, step)
                moved = 0.0
                for c in range(count):
                    tried[c] = q[c]
                    k = unknown[c]
                    if k >= 0:
                        tried[c] = min(max(q[c] + step[k], bounds[c, 0]), bounds[c, 1])
                        moved = max(moved, abs(tried[c] - q[c]))
                _follow(functions, unknowns, tried, slope)
                _place(tree, functions, tried, orientation, position, turning, sliding)
                now = _cost(markers, prior, target, orientation, position, tried)
                if now <= cost or moved < limits[1]:
                    better = True
                    break
                damping = max(10 * damping, 1e-4)
            if not better:
                _follow(functions, unknowns, q, slope)
                _place(tree, functions, q, orientation, position, turning, sliding)
                break
            q[:] = tried
            cost = now
            damping = max(0.1 * damping, 1e-9)
            if moved < limits[1]:
                break
        value[f] = q
        for k in range(k_unknowns):
            firm[f, k] = a[k, k]
    return cost


@kernel
def place_markers(tree, functions, markers, value, points, orientations, positions):
    """Fill where markers are, ``(F, m, 3)``, and bodies: ``(F, n, 3, 3)``, ``(F, n, 3)``."""
    count = value.shape[1]
    turning, sliding = np.empty((count, 3)), np.empty((count, 3))
    for f in range(len(value)):
        _place(tree, functions, value[f], orientations[f], positions[f], turning, sliding)
        for m in range(len(markers[0])):
            _marker(markers, orientations[f], positions[f], m, points[f, m])
