"""Spatial inertias, one state at a time: angular first, in the world's axes at one point.

In the common basis of :mod:`mocap_reroot.kernels.tree` the inertias of bodies that move together
simply add. A rigid one is ``mass, h, J``: first and second moment about the common point.
"""

from __future__ import annotations

import numpy as np

from mocap_reroot.kernels.compiling import kernel


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
