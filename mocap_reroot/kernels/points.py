"""Points of a recorded hierarchy in some of its frames: forward kinematics that keeps little."""

from __future__ import annotations

import numpy as np

from mocap_reroot.kernels.compiling import LANES, kernel
from mocap_reroot.kernels.quaternion import multiply


@kernel
def _copy(source, out):
    for lane in range(len(source)):  # from 0: an index that might be negative is slow
        out[lane] = source[lane]


@kernel
def _gather(source, frames, start, count, out):
    """Set out = some frames of source, row by row."""
    first = frames[start]
    if frames[start + count - 1] - first == count - 1:
        for c in range(source.shape[0]):
            _copy(source[c][first : first + count], out[c])
    else:
        for c in range(source.shape[0]):
            for lane in range(count):
                out[c, lane] = source[c, np.uint64(frames[start + lane])]


@kernel
def _carry_fixed(q, x, y, z, base, out, count):
    """Set out = base + R(q) v for one constant vector v."""
    for f in range(count):
        w, i, j, k = q[0, f], q[1, f], q[2, f], q[3, f]
        tx = 2 * (j * z - k * y)
        ty = 2 * (k * x - i * z)
        tz = 2 * (i * y - j * x)
        out[0, f] = base[0, f] + x + w * tx + j * tz - k * ty
        out[1, f] = base[1, f] + y + w * ty + k * tx - i * tz
        out[2, f] = base[2, f] + z + w * tz + i * ty - j * tx


@kernel
def _carry(q, arm, base, out, count):
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
        for i in order:
            parent = parents[i]
            moves = rows[i, 0] >= 0 or rows[i, 1] >= 0 or rows[i, 2] >= 0
            if moves or parent < 0:
                for c in range(3):
                    row = rows[i, c]
                    for lane in range(count):
                        there = values[row, frames[start + lane]] if row >= 0 else offset[i, c]
                        arm[c, lane] = there
            if parent < 0:
                _gather(rotation[i], frames, start, count, q[i])
                for c in range(3):
                    for lane in range(count):
                        p[i, c, lane] = arm[c, lane]
                continue
            _gather(rotation[i], frames, start, count, turn)
            multiply(q[parent], turn, q[i], 0, count)
            if moves:
                _carry(q[parent], arm, p[parent], p[i], count)
            else:
                x, y, z = offset[i, 0], offset[i, 1], offset[i, 2]
                _carry_fixed(q[parent], x, y, z, p[parent], p[i], count)
        for k in range(len(bearer)):
            i = bearer[k]
            _carry_fixed(q[i], place[k, 0], place[k, 1], place[k, 2], p[i], arm, count)
            for c in range(3):
                _copy(arm[c][:count], out[k, c][start : start + count])
