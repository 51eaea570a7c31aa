"""Points of a recorded hierarchy in some of its frames: forward kinematics that keeps little."""

from __future__ import annotations

import numpy as np

from mocap_reroot.kernels.compiling import LANES, kernel
from mocap_reroot.kernels.quaternion import multiply


@kernel
def _gather(source, frames, start, count, out):
    """Set out = some frames of source, row by row; neighbours quickly."""
    first = frames[start]
    together = frames[start + count - 1] - first == count - 1
    for c in range(source.shape[0]):
        row, target = source[c], out[c]
        if together:
            row = row[first : first + count]
            for lane in range(len(row)):
                target[lane] = row[lane]
        else:
            for lane in range(count):
                target[lane] = row[np.uint64(frames[start + lane])]


@kernel
def _fill(vector, out, count):
    """Set all lanes of out to one vector."""
    for c in range(3):
        for lane in range(count):
            out[c, lane] = vector[c]


@kernel
def carry(q, arm, base, out, count):
    """Set out = base + R(q) arm."""
    for f in range(count):
        w, i, j, k = q[0, f], q[1, f], q[2, f], q[3, f]
        x, y, z = arm[0, f], arm[1, f], arm[2, f]
        tx = 2 * (j * z - k * y)
        ty = 2 * (k * x - i * z)
        tz = 2 * (i * y - j * x)
        out[0, f] = base[0, f] + x + w * tx + j * tz - k * ty
        out[1, f] = base[1, f] + y + w * ty + k * tx - i * tz
        out[2, f] = base[2, f] + z + w * tz + i * ty - j * tx


@kernel
def points(order, parents, offset, rows, values, rotation, frames, bearer, place, out):
    """Fill the world positions of points in some frames.

    Args:
        order: ``(m)`` the bodies that are needed, every parent before its children.
        parents, offset: ``(n)``, ``(n, 3)``.
        rows: ``(n, 3)`` row of ``values`` that replaces an offset, −1 where none does.
        values: ``(c, F)``.
        rotation: ``(n, 4, F)`` body to parent.
        frames: ``(S)`` of F.
        bearer, place: ``(p)``, ``(p, 3)`` the body that bears each point, and where.
        out: ``(p, 3, S)``, filled.
    """
    n = len(parents)
    q, p = np.empty((n, 4, LANES)), np.empty((n, 3, LANES))
    turn, arm = np.empty((4, LANES)), np.empty((3, LANES))
    for start in range(0, len(frames), LANES):
        count = min(LANES, len(frames) - start)
        lanes = np.uint64(count)  # unsigned, as for all who use carry: it is compiled once
        for i in order:
            parent = parents[i]
            _fill(offset[i], arm, count)
            for c in range(3):
                if rows[i, c] >= 0:
                    for lane in range(count):
                        arm[c, lane] = values[rows[i, c], np.uint64(frames[start + lane])]
            if parent < 0:
                _gather(rotation[i], frames, start, count, q[i])
                for c in range(3):
                    for lane in range(count):
                        p[i, c, lane] = arm[c, lane]
            else:
                _gather(rotation[i], frames, start, count, turn)
                multiply(q[parent], turn, q[i], np.uint64(0), lanes)
                carry(q[parent], arm, p[parent], p[i], lanes)
        for k in range(len(bearer)):
            i = bearer[k]
            _fill(place[k], arm, count)
            carry(q[i], arm, p[i], turn, lanes)
            for c in range(3):
                for lane in range(count):
                    out[k, c, start + lane] = turn[c, lane]
