"""Composite rigid bodies: the joint-space inertia of a tree, one state (Featherstone, section 6.2).

In the common basis of :mod:`mocap_reroot.kernels.tree` a composite inertia is a plain sum over the
subtree, and ``M[k, l] = s_k · I_i s_l`` for every joint k on the way from body i to the root.
"""

from __future__ import annotations

import numpy as np

from mocap_reroot.kernels.compiling import kernel
from mocap_reroot.kernels.joints import SPEEDS
from mocap_reroot.kernels.spatial import inner, rigid, rigid_times
from mocap_reroot.kernels.tree import columns, place, weigh


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
