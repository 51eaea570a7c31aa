"""Centre of mass, momentum and lowest points over a clip, without keeping all bodies.

The body is placed in the world a block of frames at a time, and looked at while it is there: the
lowest joint, the paths of a few bodies, and the motion of a few point masses.
"""

from __future__ import annotations

import numpy as np

from mocap_reroot.kernels.compiling import LANES, kernel
from mocap_reroot.kernels.forward import place_block


@kernel
def _known(p, a, lanes, valid):
    """Strike out the frames that do not know where a body is."""
    for k in range(lanes):
        valid[a + k] &= abs(p[0, k] + p[1, k] + p[2, k]) < np.inf  # and no NaN


@kernel
def _lower(p, up, a, lanes, low):
    """Take a body's height into the lowest so far."""
    ux, uy, uz = up[0], up[1], up[2]
    for k in range(lanes):
        low[a + k] = min(low[a + k], ux * p[0, k] + uy * p[1, k] + uz * p[2, k])


@kernel
def _path(q, p, lanes, rows, row, at):
    """Write position and rotation matrix, row by row, into twelve rows from column ``at``."""
    for f in range(lanes):
        w, x, y, z = q[0, f], q[1, f], q[2, f], q[3, f]
        k = at + f
        rows[row, k], rows[row + 1, k], rows[row + 2, k] = p[0, f], p[1, f], p[2, f]
        rows[row + 3, k] = 1 - 2 * (y * y + z * z)
        rows[row + 4, k] = 2 * (x * y - w * z)
        rows[row + 5, k] = 2 * (x * z + w * y)
        rows[row + 6, k] = 2 * (x * y + w * z)
        rows[row + 7, k] = 1 - 2 * (x * x + z * z)
        rows[row + 8, k] = 2 * (y * z - w * x)
        rows[row + 9, k] = 2 * (x * z - w * y)
        rows[row + 10, k] = 2 * (y * z + w * x)
        rows[row + 11, k] = 1 - 2 * (x * x + y * y)


@kernel
def _centre(q, p, com, lanes, out):
    """Set out = p + R(q) com."""
    vx, vy, vz = com[0], com[1], com[2]
    for k in range(lanes):
        w, x, y, z = q[0, k], q[1, k], q[2, k], q[3, k]
        tx, ty, tz = 2 * (y * vz - z * vy), 2 * (z * vx - x * vz), 2 * (x * vy - y * vx)
        out[0, k] = p[0, k] + vx + w * tx + y * tz - z * ty
        out[1, k] = p[1, k] + vy + w * ty + z * tx - x * tz
        out[2, k] = p[2, k] + vz + w * tz + x * ty - y * tx


@kernel
def _swing(middle, mass, a, lanes, valid, last, centre, swing):
    """Add a point mass to the centre of mass, and its turn about the origin since ``last``."""
    lx, ly, lz = last[0], last[1], last[2]
    for k in range(lanes):
        f = a + k
        if not valid[f]:
            continue
        x, y, z = middle[0, k], middle[1, k], middle[2, k]
        dx, dy, dz = mass * (x - lx), mass * (y - ly), mass * (z - lz)
        swing[0, f] += ly * dz - lz * dy
        swing[1, f] += lz * dx - lx * dz
        swing[2, f] += lx * dy - ly * dx
        centre[0, f] += mass * x
        centre[1, f] += mass * y
        centre[2, f] += mass * z
        lx, ly, lz = x, y, z
    last[0], last[1], last[2] = lx, ly, lz


@kernel
def survey(tree, joints, masses, up, own, parts, rows, valid, low, centre, swing, pad):
    """Look at every frame.

    Args:
        tree: order ``(n)``, parents ``(n)``, offset ``(n, 3)``, slot ``(n)``.
        joints: rotation ``(n, 4, F)``, displacement ``(k, 3, F)`` m.
        masses: ``(n)`` shares of the whole mass; ``(n, 3)`` m, centres from current origins.
        up: ``(3)``.
        own: ``(n)`` False for bodies that are no part of the person: a sword, a target.
        parts: ``(b)`` bodies whose paths are kept.
        rows: ``(≥ 12 b, pad + F + …)`` position and matrix of the parts, from column ``pad`` on.
        valid: ``(F)`` frames that take part; those with a body nobody knows where are struck out.
        low: ``(F)`` m, lowered to the height of the lowest joint that is the person's own.
        centre: ``(3, F)`` m, the centre of the masses is added; nothing where not valid.
        swing: ``(3, F)`` m², ``Σ m p × (p' − p)`` since the last valid frame is added.
        pad: Columns before the first frame of the clip.
    """
    (rotation, displacement), (mass, com) = joints, masses
    n, frames = len(rotation), rotation.shape[2]
    q, p = np.empty((n, 4, LANES)), np.empty((n, 3, LANES))
    middle, last = np.empty((3, LANES)), np.zeros((len(mass), 3))
    for first in range(0, frames, LANES):
        a, lanes = np.uint64(first), np.uint64(min(LANES, frames - first))
        place_block(tree, rotation, displacement, a, lanes, q, p, middle)
        for i in range(n):
            _known(p[i], a, lanes, valid)
            if own[i]:
                _lower(p[i], up, a, lanes, low)
        for k in range(len(parts)):
            _path(q[parts[k]], p[parts[k]], lanes, rows, np.uint64(12 * k), np.uint64(pad) + a)
        for i in range(n):
            if mass[i] > 0:
                _centre(q[i], p[i], com[i], lanes, middle)
                _swing(middle, mass[i], a, lanes, valid, last[i], centre, swing)
