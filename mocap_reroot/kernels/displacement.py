"""Linearised displacement constraints between solids in absolute coordinates (Faure, section 3).

A solid's motion is ``(rotation, translation)`` of its centre of mass, world axes. A scalar
constraint touches two solids at most: its row of ``J`` is two blocks of six numbers. The matrix
``A = J M⁻¹ Jᵀ`` (Eq. 13) is never formed; it is applied by spreading forces to the solids, moving
them, and gathering what the constraints see.
"""

from __future__ import annotations

import numpy as np

from mocap_reroot.kernels.closed_chain import constraint_rows
from mocap_reroot.kernels.compiling import kernel
from mocap_reroot.kernels.rotations import product
from mocap_reroot.kernels.tree import add_cross


@kernel
def blocks(closures, orientation, position, block, solid):
    """Fill ``block (m, 2, 6)`` and ``solid (m, 2)``: what each constraint does to which solid."""
    first, second, held = closures[0], closures[1], closures[6]
    rows = np.empty((len(block), 6))
    constraint_rows(closures, orientation, position, np.zeros(3), rows)
    row = 0
    for k in range(len(first)):
        for c in range(6):
            if not held[k, c]:
                continue
            for side in range(2):
                body = first[k] if side == 0 else second[k]
                sign = -1.0 if side == 0 else 1.0
                solid[row, side] = body
                if body >= 0:
                    one = block[row, side]
                    one[:] = rows[row]
                    add_cross(rows[row, 3:6], position[body], one[0:3])  # moment about its centre
                    for m in range(6):
                        one[m] *= sign
                else:
                    block[row, side] = 0.0
            row += 1


@kernel
def spread(block, solid, inverse_mass, inverse_inertia, multipliers, move):
    """Set ``move (n, 6) = M⁻¹ Jᵀ λ``."""
    move[:] = 0.0
    for row in range(len(block)):
        for side in range(2):
            body = solid[row, side]
            if body >= 0:
                for c in range(6):
                    move[body, c] += block[row, side, c] * multipliers[row]
    for i in range(len(move)):
        x, y, z = move[i, 0], move[i, 1], move[i, 2]
        for c in range(3):
            tensor = inverse_inertia[i, c]
            move[i, c] = tensor[0] * x + tensor[1] * y + tensor[2] * z
            move[i, 3 + c] *= inverse_mass[i]


@kernel
def gather(block, solid, move, out):
    """Set ``out (m) = J move``."""
    for row in range(len(block)):
        total = 0.0
        for side in range(2):
            body = solid[row, side]
            if body >= 0:
                for c in range(6):
                    total += block[row, side, c] * move[body, c]
        out[row] = total


@kernel
def diagonal(block, solid, inverse_mass, inverse_inertia, out):
    """Set ``out (m)`` = the diagonal of ``A``: how easily each constraint moves its solids."""
    for row in range(len(block)):
        total = 0.0
        for side in range(2):
            body = solid[row, side]
            if body < 0:
                continue
            one, tensor = block[row, side], inverse_inertia[body]
            for c in range(3):
                total += inverse_mass[body] * one[3 + c] * one[3 + c]
                for k in range(3):
                    total += one[c] * tensor[c, k] * one[k]
        out[row] = total


@kernel
def conjugate_residuals(
    block, solid, inverse_mass, inverse_inertia, b, scale, precision, most, x, past
):
    """Solve ``A x = b`` by biconjugate gradients in their minimum-residual form; return iterations.

    For a symmetric ``A`` that may be singular, starting the second sequence at ``A r`` makes the
    residual fall monotonically, to that of the least-squares solution if ``b`` cannot be reached.
    Rows, ``b`` and ``x`` come scaled by ``scale (m)``. Stops when no residual of the unscaled
    equation exceeds ``precision``, after ``most`` iterations, or when nothing more can be gained.
    ``past (most + 1)`` receives the norm of the scaled residual, iteration by iteration.
    """
    m, n = len(b), len(inverse_mass)
    move = np.empty((n, 6))
    r, p, ar, ap = b.copy(), b.copy(), np.empty(m), np.empty(m)
    x[:] = 0.0
    spread(block, solid, inverse_mass, inverse_inertia, r, move)
    gather(block, solid, move, ar)
    ap[:] = ar
    rho = np.dot(r, ar)
    past[0] = np.sqrt(np.dot(r, r))
    floor = 1e-30 * np.dot(ar, ar)
    for iteration in range(most):
        size = np.dot(ap, ap)
        if np.abs(r / scale).max() <= precision or size <= floor or rho <= 0:
            return iteration
        step = rho / size
        for k in range(m):
            x[k] += step * p[k]
            r[k] -= step * ap[k]
        past[iteration + 1] = np.sqrt(np.dot(r, r))
        spread(block, solid, inverse_mass, inverse_inertia, r, move)
        gather(block, solid, move, ar)
        new = np.dot(r, ar)
        ratio = new / rho
        rho = new
        for k in range(m):
            p[k] = r[k] + ratio * p[k]
            ap[k] = ar[k] + ratio * ap[k]
    return most


@kernel
def displace(move, truncation, position, orientation):
    """Move solids in place; a rotation longer than ``truncation`` rad is cut to that length."""
    turn, new = np.empty(4), np.empty(4)
    for i in range(len(move)):
        angle = np.sqrt(move[i, 0] ** 2 + move[i, 1] ** 2 + move[i, 2] ** 2)
        cut = min(1.0, truncation / angle) if angle > 0 else 1.0
        half = 0.5 * cut * angle
        gain = 0.5 * cut * (np.sin(half) / half if half > 1e-8 else 1.0)
        turn[0] = np.cos(half)
        for c in range(3):
            turn[1 + c] = gain * move[i, c]
            position[i, c] += move[i, 3 + c]
        product(turn, orientation[i], new)
        norm = np.sqrt(new[0] ** 2 + new[1] ** 2 + new[2] ** 2 + new[3] ** 2)
        for c in range(4):
            orientation[i, c] = new[c] / norm
