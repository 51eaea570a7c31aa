"""Points of a recorded hierarchy in some of its frames: forward kinematics that keeps little."""

from __future__ import annotations

import numpy as np

from mocap_reroot.kernels.compiling import LANES, kernel
from mocap_reroot.kernels.quaternion import multiply


@kernel
def _gather(source, frames, start, count, out):
    """Set out = some frames of source, row by row."""
    for c in range(source.shape[0]):
        for lane in range(count):
            out[c, lane] = source[c, frames[start + lane]]


@kernel
def _add_turned(q, arm, out, count):
    """Add R(q) arm to out."""
    for f in range(count):
        w, x, y, z = q[0, f], q[1, f], q[2, f], q[3, f]
        vx, vy, vz = arm[0, f], arm[1, f], arm[2, f]
        tx = 2 * (y * vz - z * vy)
        ty = 2 * (z * vx - x * vz)
        tz = 2 * (x * vy - y * vx)
        out[0, f] += vx + w * tx + y * tz - z * ty
        out[1, f] += vy + w * ty + z * tx - x * tz
        out[2, f] += vz + w * tz + x * ty - y * tx


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
            for c in range(3):
                if rows[i, c] < 0:
                    arm[c] = offset[i, c]
                else:
                    for lane in range(count):
                        arm[c, lane] = values[rows[i, c], frames[start + lane]]
            if parent < 0:
                _gather(rotation[i], frames, start, count, q[i])
                p[i] = arm
            else:
                _gather(rotation[i], frames, start, count, turn)
                multiply(q[parent], turn, q[i], 0, count)
                p[i] = p[parent]
                _add_turned(q[parent], arm, p[i], count)
        for k in range(len(bearer)):
            i = bearer[k]
            for c in range(3):
                arm[c] = place[k, c]
            turn[:3] = p[i]
            _add_turned(q[i], arm, turn, count)
            for c in range(3):
                for lane in range(count):
                    out[k, c, start + lane] = turn[c, lane]
