"""Paths of bodies and of points of their soles, over a whole clip.

The body is placed in the world a block of frames at a time, and what contacts need of it is taken
while it is there: the lowest joint, the paths of a few bodies, and the motion of point masses. From
the smooth paths follow what sole points do, and footprints: where a limb is during runs of frames,
judged by the frames in which it is not faster than in half of them.
"""

from __future__ import annotations

import numpy as np

from mocap_reroot.kernels.compiling import LANES, kernel
from mocap_reroot.kernels.forward import place_block
from mocap_reroot.kernels.quantiles import median
from mocap_reroot.kernels.rotations import matrix, rotated


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
def _write_path(q, p, lanes, rows, row, at):
    """Write position and rotation matrix, row by row, into twelve rows from column ``at``."""
    for f in range(lanes):
        w, x, y, z = q[0, f], q[1, f], q[2, f], q[3, f]
        k = at + f
        rows[row, k], rows[row + 1, k], rows[row + 2, k] = p[0, f], p[1, f], p[2, f]
        r = matrix(w, x, y, z)
        for c in range(9):
            rows[row + 3 + c, k] = r[c]


@kernel
def _centre_of_mass(q, p, com, lanes, out):
    """Set out = p + R(q) com."""
    vx, vy, vz = com[0], com[1], com[2]
    for k in range(lanes):
        w, x, y, z = q[0, k], q[1, k], q[2, k], q[3, k]
        rx, ry, rz = rotated(w, x, y, z, vx, vy, vz)
        out[0, k], out[1, k], out[2, k] = p[0, k] + rx, p[1, k] + ry, p[2, k] + rz


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
def body_paths(tree, joints, masses, up, own, parts, rows, valid, low, centre, swing, pad):
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
            _write_path(
                q[parts[k]], p[parts[k]], lanes, rows, np.uint64(12 * k), np.uint64(pad) + a
            )
        for i in range(n):
            if mass[i] > 0:
                _centre_of_mass(q[i], p[i], com[i], lanes, middle)
                _swing(middle, mass[i], a, lanes, valid, last[i], centre, swing)


@kernel
def rate(series, fps, out):
    """Set out = the rate of change per second: central differences, one-sided at the ends."""
    last = len(series) - 1
    if last < 1:
        out[:] = 0.0
        return
    half = 0.5 * fps
    for f in range(1, last):
        out[f] = (series[f + 1] - series[f - 1]) * half
    out[0] = (series[1] - series[0]) * fps
    out[last] = (series[last] - series[last - 1]) * fps


@kernel
def track(rows, pad, bearer, local, up, fps, position, velocity, height, speed):
    """Fill what points do.

    Args:
        rows: ``(≥ 12 b, pad + F + …)`` position and matrix of bodies, as of ``kernels.paths``.
        pad: Columns before the first frame.
        bearer, local: ``(P)`` which body of the rows, ``(P, 3)`` m where in its frame.
        up: ``(3)``.
        fps: Frames a second.
        position, velocity: ``(P, 3, F)`` m, m/s; ``(1, 3, F)`` where they are not wanted.
        height, speed: ``(P, F)`` m along up, m/s.
    """
    frames = position.shape[2]
    for k in range(len(bearer)):
        p, v = position[min(k, len(position) - 1)], velocity[min(k, len(velocity) - 1)]
        x, y, z = local[k, 0], local[k, 1], local[k, 2]
        for c in range(3):
            origin = rows[12 * bearer[k] + c][pad : pad + frames]
            first = 12 * bearer[k] + 3 + 3 * c
            mx = rows[first][pad : pad + frames]
            my = rows[first + 1][pad : pad + frames]
            mz = rows[first + 2][pad : pad + frames]
            out = p[c]
            for f in range(frames):
                out[f] = origin[f] + (mx[f] * x + my[f] * y + mz[f] * z)
            rate(out, fps, v[c])
        for f in range(frames):
            height[k, f] = up[0] * p[0, f] + up[1] * p[1, f] + up[2] * p[2, f]
            speed[k, f] = np.sqrt(v[0, f] * v[0, f] + v[1, f] * v[1, f] + v[2, f] * v[2, f])


@kernel
def lowest_points(position, height, out):
    """Set ``out (≥ 4, F)`` to place and height of the lowest point.

    Of positions ``(P, 3, F)`` and heights ``(P, F)``.
    """
    for f in range(height.shape[1]):
        low = 0
        for p in range(1, len(height)):
            if height[p, f] < height[low, f]:
                low = p
        for c in range(3):
            out[c, f] = position[low, c, f]
        out[3, f] = height[low, f]


@kernel
def summits(low, edges, limit, reach, out):
    """Fill ``out (m)`` with whether a limb is below a limit both before and after a run.

    Args:
        low: ``(F)`` m, height of its lowest point.
        edges: ``(m, 2)`` the runs, half open.
        limit: ``(m)`` m.
        reach: Frames before and after that are looked at; no run nearer an end is a summit.
        out: bool.
    """
    for k in range(len(edges)):
        start, stop = edges[k, 0], edges[k, 1]
        before, after = np.inf, np.inf
        if start >= reach and stop + reach <= len(low):
            for i in range(reach):
                before, after = min(before, low[start - 1 - i]), min(after, low[stop + i])
        out[k] = before < limit[k] and after < limit[k]


@kernel
def footprints(speed, series, edges, out):
    """Fill ``out (m, r, 2)`` with median and maximum of series in the calm frames of runs.

    Args:
        speed: ``(F)`` by which frames are calm.
        series: ``(r, F)``.
        edges: ``(m, 2)`` the runs, half open, none of them empty.
        out: Medians and maxima.
    """
    longest = 0
    for k in range(len(edges)):
        longest = max(longest, edges[k, 1] - edges[k, 0])
    values, calm = np.empty(longest), np.empty(longest, np.int64)
    for k in range(len(edges)):
        start, stop = edges[k, 0], edges[k, 1]
        for f in range(start, stop):
            values[f - start] = speed[f]
        limit, count = median(values, stop - start), np.int64(0)
        for f in range(start, stop):
            if speed[f] <= limit:
                calm[count] = f
                count += 1
        for r in range(len(series)):
            top = -np.inf
            for i in range(count):
                values[i] = series[r, calm[i]]
                top = max(top, values[i])
            out[k, r, 0], out[k, r, 1] = median(values, count), top
