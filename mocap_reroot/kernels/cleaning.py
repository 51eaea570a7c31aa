"""How far every body turns from frame to frame, and how abruptly.

A step into a frame is 2 |Δq|, the roughness around it 2 |Δ²q|, rad. Neighbours may differ in sign,
which means nothing: each is compared with the sign that brings it nearer. Exact repeats give
exactly 0. The first frame has no step, the first and the last no roughness: 0 there. What is not
finite spreads to its neighbours.
"""

from __future__ import annotations

import numpy as np

from mocap_reroot.kernels.compiling import LANES, kernel


@kernel
def _steps(w, x, y, z, step):
    """Set the steps into the second and later of some frames; all arrays start at the same one."""
    for f in range(len(w) - 1):  # no frame waits for another: the compiler does several at once
        dot = w[f + 1] * w[f] + x[f + 1] * x[f] + y[f + 1] * y[f] + z[f + 1] * z[f]
        sign = -1.0 if dot < 0 else 1.0
        dw, dx = sign * w[f + 1] - w[f], sign * x[f + 1] - x[f]
        dy, dz = sign * y[f + 1] - y[f], sign * z[f + 1] - z[f]
        step[f + 1] = 2 * np.sqrt(dw * dw + dx * dx + dy * dy + dz * dz)


@kernel
def _roughness(w, x, y, z, rough):
    """Set the roughness around all but the first and the last of some frames."""
    for f in range(len(w) - 2):
        a, b, c, d = w[f + 1], x[f + 1], y[f + 1], z[f + 1]
        last = -1.0 if a * w[f] + b * x[f] + c * y[f] + d * z[f] < 0 else 1.0
        following = w[f + 2] * a + x[f + 2] * b + y[f + 2] * c + z[f + 2] * d
        sign = -1.0 if following < 0 else 1.0
        dw, dx = sign * w[f + 2] - a - (a - last * w[f]), sign * x[f + 2] - b - (b - last * x[f])
        dy, dz = sign * y[f + 2] - c - (c - last * y[f]), sign * z[f + 2] - d - (d - last * z[f])
        rough[f + 1] = 2 * np.sqrt(dw * dw + dx * dx + dy * dy + dz * dz)


@kernel
def turns(q, step, rough):
    """Fill step and roughness ``(F)`` of one body ``(4, F)``, F ≥ 1."""
    step[0], rough[0], rough[-1] = 0.0, 0.0, 0.0
    _steps(q[0], q[1], q[2], q[3], step)
    _roughness(q[0], q[1], q[2], q[3], rough)


@kernel
def flips(q, limit, step, rough, found):
    """Fill step and roughness ``(F)`` of one body ``(4, F)``; list where it flips.

    That is where the roughness exceeds a limit and half of the steps around it. Returns how many
    frames were written to ``found`` ``(F)``.
    """
    turns(q, step, rough)
    count = 0
    for f in range(1, len(step) - 1):
        if rough[f] > limit and rough[f] > 0.5 * (step[f] + step[f + 1]):
            found[count] = f
            count += 1
    return count


@kernel
def _largest(values, count, largest):
    """Return the largest of some values and one more; what is no number does not count."""
    for k in range(count):
        if values[k] > largest:
            largest = values[k]
    return largest


@kernel
def sum_turns(rotation, total, largest):
    """Fill the sum of all bodies' steps into each frame, and every body's largest values.

    Args:
        rotation: ``(n, 4, F)``, F ≥ 1.
        total: ``(F)`` rad, filled.
        largest: ``(2, n)`` rad, filled: largest step and largest roughness of each body.
    """
    n, _, frames = rotation.shape
    scratch = np.zeros(LANES + 2)
    for i in range(n):
        largest[0, i] = largest[1, i] = 0.0
    for f in range(frames):
        total[f] = 0.0
    for first in range(0, frames, LANES):
        begin, stop = max(first - 1, 0), min(first + LANES, frames)
        end = min(stop + 1, frames)  # the roughness looks one frame ahead
        count = stop - begin
        for i in range(n):
            q = rotation[i]
            _steps(q[0][begin:stop], q[1][begin:stop], q[2][begin:stop], q[3][begin:stop], scratch)
            scratch[0] = 0.0  # counted in the block before
            block = total[begin:stop]
            for k in range(count):
                block[k] += scratch[k]
            largest[0, i] = _largest(scratch, count, largest[0, i])
            _roughness(q[0][begin:end], q[1][begin:end], q[2][begin:end], q[3][begin:end], scratch)
            largest[1, i] = _largest(scratch, end - begin - 1, largest[1, i])
