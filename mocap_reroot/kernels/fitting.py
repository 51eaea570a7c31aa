"""Fit a tree to markers, frame by frame, in relative coordinates.

Markers with weights are point masses carried by the bodies: the normal matrix ``H = Σ w JᵀJ`` of
their displacement constraints is the mass matrix of the tree that bears these masses. It is built
by the composite-rigid-body recursion and, because a marker moves only with its own branch, it
factors as ``LᵀL`` without fill-in (Featherstone 2008, sections 6.2 and 6.5).

Coordinates of a step: translation of the root in world axes, then three rotations a body, in its
own axes, body after body in the tree's ``order``. ``tree``: order, parents, offset ``(1, n, 3)`` or
``(F, n, 3)`` where joints slide as captured, first (where each body's rotations stand), above (the
coordinate before each on its way to the root, −1 at the end). ``markers``: body, local ``(m, 3)``,
weight ``(1, m)`` or ``(F, m)``, position ``(F, m, 3)`` with NaN in gaps. ``rotation (F, n, 4)`` and
``root (F, 3)`` are the poses, frames first: a frame is one piece.
"""

from __future__ import annotations

import numpy as np

from mocap_reroot.kernels.compiling import kernel
from mocap_reroot.kernels.rotations import inverse, product, turned


@kernel
def place(tree, frame, rotation, root, orientation, position):
    """Fill world orientations ``(n, 4)`` and positions ``(n, 3)`` of one frame."""
    order, parents = tree[0], tree[1]
    offset = tree[2][min(frame, len(tree[2]) - 1)]
    for i in order:
        p = parents[i]
        if p < 0:
            for c in range(4):
                orientation[i, c] = rotation[i, c]
            for c in range(3):
                position[i, c] = offset[i, c] + root[c]
        else:
            product(orientation[p], rotation[i], orientation[i])
            turned(orientation[p], offset[i], position[i])
            for c in range(3):
                position[i, c] += position[p, c]


@kernel
def load(markers, frame, huge, orientation, position, centre, carried, pull):
    """Fill what the markers of one frame weigh and how they pull on each body.

    ``carried (n, 10)``: weight, first moment, second moment (xx, yy, zz, xy, xz, yz) about
    ``centre``. ``pull (n, 6)``: moment and force of the weighted errors. The farther off a marker
    is beyond ``huge``, the less it counts (Cauchy's weights). Returns Σ w error² and Σ w.
    """
    body, local, measured = markers[0], markers[1], markers[3]
    weight = markers[2][min(frame, len(markers[2]) - 1)]
    for i in range(len(pull)):
        for c in range(10):
            carried[i, c] = 0.0
        for c in range(6):
            pull[i, c] = 0.0
    x = np.empty(3)
    total, weights = 0.0, 0.0
    for m in range(len(body)):
        if not np.isfinite(measured[frame, m, 0]):
            continue
        i = body[m]
        turned(orientation[i], local[m], x)
        rx = measured[frame, m, 0] - position[i, 0] - x[0]
        ry = measured[frame, m, 1] - position[i, 1] - x[1]
        rz = measured[frame, m, 2] - position[i, 2] - x[2]
        square = rx * rx + ry * ry + rz * rz
        w = weight[m]
        total += w * square
        weights += w
        w /= 1 + square / (huge * huge)
        ax = position[i, 0] + x[0] - centre[0]
        ay = position[i, 1] + x[1] - centre[1]
        az = position[i, 2] + x[2] - centre[2]
        one, force = carried[i], pull[i]
        one[0] += w
        one[1] += w * ax
        one[2] += w * ay
        one[3] += w * az
        one[4] += w * ax * ax
        one[5] += w * ay * ay
        one[6] += w * az * az
        one[7] += w * ax * ay
        one[8] += w * ax * az
        one[9] += w * ay * az
        force[0] += w * (ay * rz - az * ry)
        force[1] += w * (az * rx - ax * rz)
        force[2] += w * (ax * ry - ay * rx)
        force[3] += w * rx
        force[4] += w * ry
        force[5] += w * rz
    return total, weights


@kernel
def columns(tree, orientation, position, centre, s):
    """Fill ``s (N, 6)``: rotation, and velocity at ``centre``, of one unit of each coordinate."""
    order, first = tree[0], tree[3]
    axis = np.zeros(3)
    for row in range(3):
        for c in range(6):
            s[row, c] = 1.0 if c == row + 3 else 0.0
    for i in order:
        ax, ay = centre[0] - position[i, 0], centre[1] - position[i, 1]
        az = centre[2] - position[i, 2]
        for c in range(3):
            for d in range(3):
                axis[d] = 1.0 if c == d else 0.0
            one = s[first[i] + c]
            turned(orientation[i], axis, one)
            one[3] = one[1] * az - one[2] * ay
            one[4] = one[2] * ax - one[0] * az
            one[5] = one[0] * ay - one[1] * ax


@kernel
def momentum(carried, s, out):
    """Set ``out (6)``: moment and force that one unit of a coordinate needs (inertia times s)."""
    w, hx, hy, hz = carried[0], carried[1], carried[2], carried[3]
    sxx, syy, szz = carried[4], carried[5], carried[6]
    sxy, sxz, syz = carried[7], carried[8], carried[9]
    ex, ey, ez, vx, vy, vz = s[0], s[1], s[2], s[3], s[4], s[5]
    out[0] = hy * vz - hz * vy + (syy + szz) * ex - sxy * ey - sxz * ez
    out[1] = hz * vx - hx * vz - sxy * ex + (sxx + szz) * ey - syz * ez
    out[2] = hx * vy - hy * vx - sxz * ex - syz * ey + (sxx + syy) * ez
    out[3] = w * vx + ey * hz - ez * hy
    out[4] = w * vy + ez * hx - ex * hz
    out[5] = w * vz + ex * hy - ey * hx


@kernel
def normal(tree, s, carried, pull, matrix, gradient):
    """Fill the normal matrix (its branches, lower half) and the gradient; consumes the loads."""
    order, parents, _, first, above = tree
    force = np.empty(6)
    for k in range(len(order) - 1, -1, -1):
        i = order[k]
        p = parents[i]
        for c in range(3):
            row = first[i] + c
            momentum(carried[i], s[row], force)
            column = row
            while column >= 0:
                total = 0.0
                for d in range(6):
                    total += s[column, d] * force[d]
                matrix[row, column] = total
                column = above[column]
            total = 0.0
            for d in range(6):
                total += s[row, d] * pull[i, d]
            gradient[row] = total
        if p >= 0:
            for d in range(10):
                carried[p, d] += carried[i, d]
            for d in range(6):
                pull[p, d] += pull[i, d]
        else:
            for row in range(3):
                for column in range(row + 1):
                    matrix[row, column] = carried[i, 0] if row == column else 0.0
                gradient[row] = pull[i, 3 + row]


@kernel
def solve(above, matrix, x):
    """Factor ``H = LᵀL`` along the branches and solve in place; returns False if singular."""
    n = len(x)
    for k in range(n - 1, -1, -1):
        pivot = matrix[k, k]
        if not pivot > 1e-14:
            return False
        pivot = np.sqrt(pivot)
        matrix[k, k] = pivot
        i = above[k]
        while i >= 0:
            matrix[k, i] /= pivot
            i = above[i]
        i = above[k]
        while i >= 0:
            j = i
            while j >= 0:
                matrix[i, j] -= matrix[k, i] * matrix[k, j]
                j = above[j]
            i = above[i]
    for k in range(n - 1, -1, -1):  # Lᵀ y = g
        x[k] /= matrix[k, k]
        i = above[k]
        while i >= 0:
            x[i] -= matrix[k, i] * x[k]
            i = above[i]
    for k in range(n):  # L δ = y
        i = above[k]
        while i >= 0:
            x[k] -= matrix[k, i] * x[i]
            i = above[i]
        x[k] /= matrix[k, k]
    return True


@kernel
def apart(p, q, out):
    """Set ``out (3)`` = log(p̄ q), the turn from one rotation to another in the first's axes."""
    w = p[0] * q[0] + p[1] * q[1] + p[2] * q[2] + p[3] * q[3]
    x = p[0] * q[1] - p[1] * q[0] - p[2] * q[3] + p[3] * q[2]
    y = p[0] * q[2] + p[1] * q[3] - p[2] * q[0] - p[3] * q[1]
    z = p[0] * q[3] - p[1] * q[2] + p[2] * q[1] - p[3] * q[0]
    if w < 0:
        w, x, y, z = -w, -x, -y, -z
    sine = np.sqrt(x * x + y * y + z * z)
    gain = 2 * np.arctan2(sine, w) / sine if sine > 1e-12 else 2.0
    out[0], out[1], out[2] = gain * x, gain * y, gain * z


@kernel
def turn(q, move):
    """Turn a quaternion in place by a rotation vector in its own axes."""
    angle = np.sqrt(move[0] ** 2 + move[1] ** 2 + move[2] ** 2)
    gain = 0.5 if angle < 1e-8 else np.sin(0.5 * angle) / angle
    w, x, y, z = np.cos(0.5 * angle), gain * move[0], gain * move[1], gain * move[2]
    a, b, c, d = q[0], q[1], q[2], q[3]
    e = a * w - b * x - c * y - d * z
    f = a * x + b * w + c * z - d * y
    g = a * y - b * z + c * w + d * x
    h = a * z + b * y - c * x + d * w
    size = np.sqrt(e * e + f * f + g * g + h * h)
    q[0], q[1], q[2], q[3] = e / size, f / size, g / size, h / size


@kernel
def hold(tree, anchors, frame, rotation, matrix, gradient):
    """Add what pulls joints towards their anchors: ``rotation (F, n, 4)`` with ``(n, 3)`` weights.

    The weights count about the axes of the body; about a hinge's own axis there is none.
    """
    order, first = tree[0], tree[3]
    target, weight = anchors
    error = np.empty(3)
    for i in order:
        apart(rotation[i], target[frame, i], error)
        for c in range(3):
            row = first[i] + c
            matrix[row, row] += weight[i, c]
            gradient[row] += weight[i, c] * error[c]


@kernel
def ease(tree, stiffness, frame, rotation, root, matrix, gradient):
    """Add the pull towards small second differences in time; ``stiffness (N)`` a coordinate."""
    order, first = tree[0], tree[3]
    frames = len(rotation)
    error = np.empty(3)
    # Second differences centred at f−1, f, f+1, where they exist, with their part at f.
    for middle in range(max(frame - 1, 1), min(frame + 1, frames - 2) + 1):
        at = frame - middle
        own = -2.0 if at == 0 else 1.0
        for c in range(3):
            second = root[middle - 1, c] - 2 * root[middle, c] + root[middle + 1, c]
            matrix[c, c] += own * own * stiffness[c]
            gradient[c] -= own * stiffness[c] * second
        for i in order:
            row = first[i]
            for c in range(3):
                matrix[row + c, row + c] += own * own * stiffness[row + c]
            for near in range(-1, 2):
                if near == at:
                    continue
                apart(rotation[frame, i], rotation[middle + near, i], error)
                gain = -own * (-2.0 if near == 0 else 1.0)
                for c in range(3):
                    gradient[row + c] += gain * stiffness[row + c] * error[c]


@kernel
def step(tree, markers, anchors, stiffness, huge, truncation, frame, rotation, root, work):
    """Improve the pose of one frame by one displacement; returns its Σ w error² and Σ w before."""
    order, first, above = tree[0], tree[3], tree[4]
    orientation, position, carried, pull, s, matrix, x = work
    place(tree, frame, rotation[frame], root[frame], orientation, position)
    centre = position[order[0]]
    total, weights = load(markers, frame, huge, orientation, position, centre, carried, pull)
    columns(tree, orientation, position, centre, s)
    normal(tree, s, carried, pull, matrix, x)
    hold(tree, anchors, frame, rotation[frame], matrix, x)
    ease(tree, stiffness, frame, rotation, root, matrix, x)
    if solve(above, matrix, x):
        longest = 0.0
        for k in range(3, len(x)):
            longest = max(longest, abs(x[k]))
        cut = min(1.0, truncation / longest) if longest > 0 else 1.0
        for c in range(3):
            root[frame, c] += cut * x[c]
        for i in order:
            for c in range(3):
                x[first[i] + c] *= cut
            turn(rotation[frame, i], x[first[i] :])
    return total, weights


@kernel
def workspace(n):
    """Return what one frame needs."""
    size = 3 + 3 * n
    return (
        np.empty((n, 4)), np.empty((n, 3)), np.empty((n, 10)), np.empty((n, 6)),
        np.empty((size, 6)), np.zeros((size, size)), np.empty(size),
    )  # fmt: skip


@kernel
def sweep(tree, markers, anchors, stiffness, huge, truncation, backwards, rotation, root):
    """Improve all frames once, one after the other, in place; returns the weighted mean square."""
    frames = len(root)
    work = workspace(len(tree[0]))
    total, weights = 0.0, 0.0
    for k in range(frames):
        frame = frames - 1 - k if backwards else k
        t, w = step(
            tree, markers, anchors, stiffness, huge, truncation, frame, rotation, root, work
        )
        total += t
        weights += w
    return total / weights if weights > 0 else 0.0


@kernel
def determined(tree, markers, huge, rotation, root, out):
    """Fill ``out (F, N)``: how firmly markers hold each coordinate, those above it being fixed."""
    n = len(tree[0])
    above = tree[4]
    orientation, position, carried, pull, s, matrix, x = workspace(n)
    for frame in range(len(root)):
        place(tree, frame, rotation[frame], root[frame], orientation, position)
        centre = position[tree[0][0]]
        load(markers, frame, huge, orientation, position, centre, carried, pull)
        columns(tree, orientation, position, centre, s)
        normal(tree, s, carried, pull, matrix, x)
        for k in range(len(x) - 1, -1, -1):
            pivot = matrix[k, k]
            out[frame, k] = pivot
            if pivot <= 1e-9:
                continue
            i = above[k]
            while i >= 0:
                j = i
                while j >= 0:
                    matrix[i, j] -= matrix[k, i] * matrix[k, j] / pivot
                    j = above[j]
                i = above[i]


@kernel
def compare(tree, markers, rotation, root, error, carried):
    """Fill ``error (F, m)``, from a marker to its place, and where bodies have it ``(F, m, 3)``."""
    body, local, measured = markers[0], markers[1], markers[3]
    n = len(tree[0])
    orientation, position = np.empty((n, 4)), np.empty((n, 3))
    back, x = np.empty(4), np.empty(3)
    for frame in range(len(root)):
        place(tree, frame, rotation[frame], root[frame], orientation, position)
        for m in range(len(body)):
            i = body[m]
            for c in range(3):
                x[c] = measured[frame, m, c] - position[i, c]
            inverse(orientation[i], back)
            turned(back, x, x)
            total = 0.0
            for c in range(3):
                carried[frame, m, c] = x[c]
                total += (x[c] - local[m, c]) ** 2
            error[frame, m] = np.sqrt(total)
