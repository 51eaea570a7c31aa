"""Channels extended beyond their ends before smoothing, and derivatives of the result.

``rows`` is ``(r, w)``: one channel a row, ``pad`` samples of continuation before and after the
frames themselves. Rows hold what a channel departs from its ``base``, the
run's first frame: a joint that stands still then has derivatives of exactly zero, and rounding
stays in proportion to the motion. Recursions in time wait for their own last result, so several
rows are predicted at once, as many lanes as ``factor`` has. Value t of lane k is then at
``t · lanes + k`` of a flat array; all arrays are arguments, for only in such loops does the
compiler do several lanes at once.
"""

from __future__ import annotations

import numpy as np

from mocap_reroot.kernels.compiling import LANES, kernel
from mocap_reroot.kernels.rotations import disagreements

_TOGETHER = 48  # ends of rows that are predicted at once: their errors stay in the cache


@kernel
def _depart(source, sign, out):
    """Set out = sign · (source less its first value); return that value."""
    base = source[0]
    for k in range(len(source)):
        out[k] = sign * (source[k] - base)
    return sign * base


@kernel
def gather_turns(rotation, first, last, rows, base, pad, a, b):
    """Copy frames a to b of some bodies into rows less their base, with agreeing signs.

    Args:
        rotation: ``(n, 4, F)``.
        first: The first body; there are as many as ``rows`` hold, four rows each.
        last: ``(n, 4)`` quaternion the first frame must agree with (zero: any); left at the last
            frame for the run that follows.
        rows, base: ``(r, w)``, ``(r)``, filled.
        pad: Samples before the first frame and after the last.
        a, b: The run.
    """
    for i in range(len(rows) // 4):
        q, before, r = rotation[first + i], last[first + i], 4 * i
        w, x, y, z = q[0][a:b], q[1][a:b], q[2][a:b], q[3][a:b]
        dot = w[0] * before[0] + x[0] * before[1] + y[0] * before[2] + z[0] * before[3]
        sign = -1.0 if dot < 0 else 1.0
        for c in range(4):
            base[r + c] = _depart(q[c][a:b], sign, rows[r + c][pad : pad + b - a])
        if disagreements(q, a, b) > 0:
            turn = sign
            for f in range(1, b - a):
                if w[f] * w[f - 1] + x[f] * x[f - 1] + y[f] * y[f - 1] + z[f] * z[f - 1] < 0:
                    turn = -turn
                for c in range(4):
                    rows[r + c, pad + f] = turn * q[c, a + f] - base[r + c]
            sign = turn
        for c in range(4):
            before[c] = sign * q[c, b - 1]


@kernel
def gather_slides(displacement, rows, base, pad, a, b):
    """Copy frames a to b into rows less their base, three rows a joint; further rows are zero."""
    for k in range(displacement.shape[0]):
        for c in range(3):
            r = 3 * k + c
            base[r] = _depart(displacement[k, c][a:b], 1.0, rows[r][pad : pad + b - a])
    for r in range(3 * displacement.shape[0], rows.shape[0]):
        for k in range(rows.shape[1]):
            rows[r, k] = 0.0


@kernel
def _next_errors(ahead, backward, factor, common, power, count):
    """Predict one sample further, in place; set the factors of the step after that.

    ``ahead[t + 1]`` and ``backward[t]`` are errors of the same window. One loop does both updates
    and the two sums that Burg's next factor is made of; ``common`` and ``power`` hold them.
    """
    lanes = np.uint64(len(factor))
    for k in range(lanes):
        common[k] = power[k] = 0.0
    for t in range(np.uint64(count)):
        at = t * lanes
        for k in range(lanes):
            i = at + k
            u = i + lanes
            e = ahead[u] - factor[k] * backward[u]
            b = backward[i] - factor[k] * ahead[i]
            ahead[i] = e
            backward[i] = b
            common[k] += e * b
            power[k] = power[k] + e * e + b * b
    for k in range(lanes):
        factor[k] = 2 * common[k] / power[k] if power[k] > 0 else 0.0


@kernel
def _burg(ahead, backward, coefficients, factor, common, power):
    """Fit ``z_t ≈ Σ c_i z_(t-order+i)`` by Burg's method, which always gives a stable model.

    ``ahead`` and ``backward`` both hold z. After j steps, t of the one is the error of predicting
    z_(t+j) from the j samples before it, t of the other that of z_t from the j samples after it.
    ``coefficients`` are filled, the last that of the sample before; the other arrays are scratch.
    """
    lanes = len(factor)
    m, order = len(ahead) // lanes, len(coefficients) // lanes
    for k in range(lanes):
        factor[k] = 0.0
    for j in range(order):
        _next_errors(ahead, backward, factor, common, power, m - 1 - j)
        first = (order - j) * lanes
        for i in range((j + 1) // 2):  # Levinson's recursion
            for k in range(lanes):
                near, far = first + i * lanes + k, (order - 1 - i) * lanes + k
                low, high = coefficients[near], coefficients[far]
                coefficients[near] = low - factor[k] * high
                coefficients[far] = high - factor[k] * low
        for k in range(lanes):
            coefficients[first - lanes + k] = factor[k]


@kernel
def _forecast(coefficients, recent, total, count):
    """Continue the samples at the start of ``recent``, as many as coefficients, by so many."""
    lanes, size = np.uint64(len(total)), np.uint64(len(coefficients))
    for t in range(np.uint64(count)):
        at = t * lanes
        for k in range(lanes):
            total[k] = 0.0
        for i in range(np.uint64(0), size, lanes):
            for k in range(lanes):
                total[k] += coefficients[i + k] * recent[at + i + k]
        for k in range(lanes):
            recent[at + size + k] = total[k]


@kernel
def _stays(x, start, stop):
    """Say whether samples start to stop, half open, have one value."""
    k = start
    while k < stop and x[k] == x[start]:
        k += 1
    return k == stop


@kernel
def _steps_towards(x, begin, end, ahead, lanes, lane):
    """Set a lane to the steps from one sample to another, or back to it, less their mean."""
    step = 1 if end > begin else -1
    m = (end - begin) * step
    mean = (x[end] - x[begin]) / m
    for t in range(m):
        k = begin + step * t
        ahead[t * lanes + lane] = x[k + step] - x[k] - mean
    return mean


@kernel
def _moving_ends(window, rows, ends, pad, frames):
    """List the ends to predict, two times a row, plus one for its last; continue the others.

    What stands still within the window goes on to.
    """
    count, stop = 0, pad + frames
    for r in range(rows.shape[0]):
        if _stays(rows[r], pad, pad + window):
            for k in range(pad):
                rows[r, k] = rows[r, pad]
        else:
            ends[count] = 2 * r
            count += 1
        if _stays(rows[r], stop - window, stop):
            for k in range(stop, rows.shape[1]):
                rows[r, k] = rows[r, stop - 1]
        else:
            ends[count] = 2 * r + 1
            count += 1
    return count


@kernel
def extend(rows, pad, frames, window, order):
    """Continue every row beyond both ends by linear prediction of its steps.

    The steps within ``window`` frames of an end are modelled as their mean plus an autoregression;
    what follows is the model's forecast, which neither jumps nor stops nor runs away.
    """
    m, last = window - 1, pad + frames - 1
    ends = np.empty(2 * rows.shape[0], np.int64)
    count = _moving_ends(window, rows, ends, pad, frames)
    if count == 0:
        return
    lanes = -(-count // -(-count // _TOGETHER))
    ahead, backward = np.empty(m * lanes), np.empty(m * lanes)
    coefficients, recent = np.empty(order * lanes), np.empty((order + pad) * lanes)
    mean, factor, common, power = np.empty(lanes), np.empty(lanes), np.empty(lanes), np.empty(lanes)
    for first in range(0, count, lanes):
        some = ends[min(first, count - lanes) :]  # the last are as many, some once more
        for k in range(lanes):
            x, end = rows[some[k] // 2], last if some[k] % 2 == 1 else pad
            begin = end - m if end == last else end + m
            mean[k] = _steps_towards(x, begin, end, ahead, lanes, k)
        for k in range(len(ahead)):
            backward[k] = ahead[k]
        for k in range(len(coefficients)):
            recent[k] = ahead[len(ahead) - len(coefficients) + k]
        _burg(ahead, backward, coefficients, factor, common, power)
        _forecast(coefficients, recent, common, pad)
        for k in range(lanes):
            x, side = rows[some[k] // 2], some[k] % 2
            end, step = (last, 1) if side == 1 else (pad, -1)
            value = x[end]
            for t in range(pad):
                value += mean[k] + recent[(order + t) * lanes + k]
                x[end + step * (t + 1)] = value


@kernel
def _differences(x, base, value, first, second, fps):
    """Set value, first and second time derivative of one channel, nine-point central differences.

    ``x`` starts four samples before the first lane and ends four after the last. Three loops from
    0, because the compiler vectorises those; in one loop it took 13 times as long.
    """
    lanes = x.shape[0] - 8
    c1, c2, c3, c4 = fps * 4 / 5, -fps / 5, fps * 4 / 105, -fps / 280
    for k in range(lanes):
        first[k] = (
            c1 * (x[k + 5] - x[k + 3])
            + c2 * (x[k + 6] - x[k + 2])
            + c3 * (x[k + 7] - x[k + 1])
            + c4 * (x[k + 8] - x[k])
        )
    square = fps * fps
    e0, e1, e2 = -square * 205 / 72, square * 8 / 5, -square / 5
    e3, e4 = square * 8 / 315, -square / 560
    for k in range(lanes):
        second[k] = (
            e0 * x[k + 4]
            + e1 * (x[k + 5] + x[k + 3])
            + e2 * (x[k + 6] + x[k + 2])
            + e3 * (x[k + 7] + x[k + 1])
            + e4 * (x[k + 8] + x[k])
        )
    for k in range(lanes):
        value[k] = x[k + 4] + base


@kernel
def _spin(y, d1, d2, lanes):
    """Turn lanes of a smooth curve y, ẏ, ÿ ``(4, lanes)`` into unit quaternion, ω and α, in place.

    ω = 2 vec(ȳ ẏ) / y·y and its derivative; the change of length drops out of ω and leaves the
    second term of α = 2 vec(ȳ ÿ) / y·y - 2 (y·ẏ / y·y) ω. ω and α go to rows 1 to 3.
    """
    for k in range(lanes):
        w, x, v, z = y[0, k], y[1, k], y[2, k], y[3, k]
        dw, dx, dv, dz = d1[0, k], d1[1, k], d1[2, k], d1[3, k]
        aw, ax, av, az = d2[0, k], d2[1, k], d2[2, k], d2[3, k]
        inverse = 1 / (w * w + x * x + v * v + z * z)
        unit = np.sqrt(inverse)
        two = 2 * inverse
        growth = two * (w * dw + x * dx + v * dv + z * dz)
        ox = two * (w * dx - x * dw - v * dz + z * dv)
        oy = two * (w * dv + x * dz - v * dw - z * dx)
        oz = two * (w * dz - x * dv + v * dx - z * dw)
        d1[1, k], d1[2, k], d1[3, k] = ox, oy, oz
        d2[1, k] = two * (w * ax - x * aw - v * az + z * av) - growth * ox
        d2[2, k] = two * (w * av + x * az - v * aw - z * ax) - growth * oy
        d2[3, k] = two * (w * az - x * av + v * ax - z * aw) - growth * oz
        y[0, k], y[1, k], y[2, k], y[3, k] = w * unit, x * unit, v * unit, z * unit


@kernel
def _store(lanes, row, out, start, stop):
    """Copy rows of lanes, from one on, into frames start to stop of out."""
    for c in range(out.shape[0]):
        source, target = lanes[row + c], out[c][start:stop]
        for k in range(len(target)):
            target[k] = source[k]


@kernel
def rotation_rates(rows, base, pad, first, q, omega, alpha, fps, a, b):
    """Fill unit quaternions, angular velocities and accelerations of frames a to b.

    ``first`` is the body of ``(n, ·, F)`` that the first four rows belong to.
    """
    y, d1, d2 = np.empty((4, LANES)), np.empty((4, LANES)), np.empty((4, LANES))
    shift = pad - a
    for k in range(len(rows) // 4):
        i = first + k
        for start in range(a, b, LANES):
            stop = min(start + LANES, b)
            lanes = stop - start
            for c in range(4):
                r = 4 * k + c
                x = rows[r, start + shift - 4 : stop + shift + 4]
                _differences(x, base[r], y[c], d1[c], d2[c], fps)
            _spin(y, d1, d2, lanes)
            _store(y, np.int64(0), q[i], start, stop)
            _store(d1, np.int64(1), omega[i], start, stop)
            _store(d2, np.int64(1), alpha[i], start, stop)


@kernel
def slide_rates(rows, base, pad, displacement, velocity, acceleration, fps, a, b):
    """Fill displacements, their velocities and accelerations of frames a to b."""
    for k in range(displacement.shape[0]):
        for c in range(3):
            r = 3 * k + c
            x = rows[r, pad - 4 : pad + b - a + 4]
            place, speed = displacement[k, c, a:b], velocity[k, c, a:b]
            _differences(x, base[r], place, speed, acceleration[k, c, a:b], fps)
