"""Positions and velocities of points fixed in bodies."""

from __future__ import annotations

import numpy as np

from mocap_reroot.kernels.compiling import kernel


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
        rows: ``(≥ 12 b, pad + F + …)`` position and matrix of bodies, as of ``kernels.survey``.
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
