"""Zero-lag smoothing of many channels, and the derivatives of the curve that results.

``rows`` is ``(r, w)``: one channel a row, ``pad`` samples of continuation before and after the
frames themselves, r a multiple of four. Recursions in time wait for their own last result, so four
rows are carried along at once.
"""

from __future__ import annotations

import numpy as np

from mocap_reroot.kernels.compiling import LANES, kernel


@kernel
def gather(rotation, displacement, last, rows, pad, a, b):
    """Copy frames a to b into rows, quaternions with agreeing signs.

    ``last`` ``(n, 4)`` is the quaternion the first frame must agree with (zero: any), and is left
    at the last frame for the run that follows.
    """
    n = rotation.shape[0]
    for i in range(n):
        lw, lx, ly, lz = last[i, 0], last[i, 1], last[i, 2], last[i, 3]
        for f in range(a, b):
            w, x, y, z = rotation[i, 0, f], rotation[i, 1, f], rotation[i, 2, f], rotation[i, 3, f]
            if w * lw + x * lx + y * ly + z * lz < 0:
                w, x, y, z = -w, -x, -y, -z
            k = pad + f - a
            rows[4 * i, k], rows[4 * i + 1, k], rows[4 * i + 2, k], rows[4 * i + 3, k] = w, x, y, z
            lw, lx, ly, lz = w, x, y, z
        last[i, 0], last[i, 1], last[i, 2], last[i, 3] = lw, lx, ly, lz
    for k in range(displacement.shape[0]):
        for c in range(3):
            for f in range(a, b):
                rows[4 * n + 3 * k + c, pad + f - a] = displacement[k, c, f]


@kernel
def _burg(z, order, coefficients, forward, backward, previous):
    """Fit ``z_t ≈ Σ c_i z_(t-1-i)`` by Burg's method, which always gives a stable model."""
    m = z.shape[0]
    for t in range(m):
        forward[t] = z[t]
        backward[t] = z[t]
    for j in range(order):
        cross = 0.0
        power = 0.0
        for t in range(j + 1, m):
            cross += forward[t] * backward[t - 1]
            power += forward[t] * forward[t] + backward[t - 1] * backward[t - 1]
        reflection = 2 * cross / power if power > 0 else 0.0
        for i in range(j):
            previous[i] = coefficients[i]
        for i in range(j):
            coefficients[i] = previous[i] - reflection * previous[j - 1 - i]
        coefficients[j] = reflection
        for t in range(m - 1, j, -1):  # downwards: backward[t - 1] is still the old one
            ahead = forward[t] - reflection * backward[t - 1]
            backward[t] = backward[t - 1] - reflection * forward[t]
            forward[t] = ahead


@kernel
def extend(rows, pad, frames, window, order):
    """Continue every row beyond both ends by linear prediction of its steps.

    The steps within ``window`` frames of an end are modelled as their mean plus an autoregression;
    what follows is the model's forecast, which neither jumps nor stops nor runs away.
    """
    m = window - 1
    z = np.empty(m)
    forward, backward = np.empty(m), np.empty(m)
    coefficients, previous = np.empty(order), np.empty(order)
    recent = np.empty(order + pad)
    for r in range(rows.shape[0]):
        for side in range(2):
            end = pad + frames - 1 if side == 0 else pad
            step = 1 if side == 0 else -1
            mean = 0.0
            for t in range(m):  # z runs towards the end
                here = end - step * (m - 1 - t)
                z[t] = rows[r, here] - rows[r, here - step]
                mean += z[t]
            mean /= m
            for t in range(m):
                z[t] -= mean
            _burg(z, order, coefficients, forward, backward, previous)
            for i in range(order):
                recent[i] = z[m - order + i]
            value = rows[r, end]
            for k in range(pad):
                ahead = 0.0
                for i in range(order):
                    ahead += coefficients[i] * recent[order + k - 1 - i]
                recent[order + k] = ahead
                value += mean + ahead
                rows[r, end + step * (k + 1)] = value


@kernel
def _biquad(rows, r, start, stop, step, b0, b1, b2, a1, a2):
    """Run four rows through one second-order section, in place, from start to stop.

    Transposed direct form II, starting as if the first sample had lasted for ever.
    """
    x0, x1, x2, x3 = rows[r, start], rows[r + 1, start], rows[r + 2, start], rows[r + 3, start]
    p, q = b2 - a2, b1 - a1 + b2 - a2
    s0, s1, s2, s3 = q * x0, q * x1, q * x2, q * x3
    t0, t1, t2, t3 = p * x0, p * x1, p * x2, p * x3
    for f in range(start, stop, step):
        x0, x1, x2, x3 = rows[r, f], rows[r + 1, f], rows[r + 2, f], rows[r + 3, f]
        y0, y1, y2, y3 = b0 * x0 + s0, b0 * x1 + s1, b0 * x2 + s2, b0 * x3 + s3
        s0, s1 = b1 * x0 - a1 * y0 + t0, b1 * x1 - a1 * y1 + t1
        s2, s3 = b1 * x2 - a1 * y2 + t2, b1 * x3 - a1 * y3 + t3
        t0, t1, t2, t3 = b2 * x0 - a2 * y0, b2 * x1 - a2 * y1, b2 * x2 - a2 * y2, b2 * x3 - a2 * y3
        rows[r, f], rows[r + 1, f], rows[r + 2, f], rows[r + 3, f] = y0, y1, y2, y3


@kernel
def biquad_both_ways(rows, b0, b1, b2, a1, a2):
    """Filter every row forwards and backwards, in place."""
    width = rows.shape[1]
    for r in range(0, rows.shape[0], 4):
        _biquad(rows, r, 0, width, 1, b0, b1, b2, a1, a2)
        _biquad(rows, r, width - 1, -1, -1, b0, b1, b2, a1, a2)


@kernel
def _penalty_factor(width, weight, d, l1, l2, l3):
    """Factorise ``1 + weight · DᵀD = L diag(d) Lᵀ``, D the third differences.

    ``l1[i], l2[i], l3[i]`` are the entries of row i of L left of its diagonal. The bands of DᵀD
    are summed from the rows (-1, 3, -3, 1) that fit within the width.
    """
    stencil = (-1.0, 3.0, -3.0, 1.0)
    for i in range(width):
        band = np.zeros(4)  # entries (i, i - k)
        for k in range(min(4, i + 1)):
            for c in range(k, 4):  # rows of D that hold both i (at place c) and i - k
                row = i - c
                if row >= 0 and row + 3 < width:
                    band[k] += stencil[c] * stencil[c - k]
        a0, a1, a2, a3 = 1 + weight * band[0], weight * band[1], weight * band[2], weight * band[3]
        e3 = a3 / d[i - 3] if i >= 3 else 0.0
        e2 = (a2 - (e3 * d[i - 3] * l1[i - 2] if i >= 3 else 0.0)) / d[i - 2] if i >= 2 else 0.0
        e1 = 0.0
        if i >= 1:
            rest = a1
            if i >= 2:
                rest -= e2 * d[i - 2] * l1[i - 1]
            if i >= 3:
                rest -= e3 * d[i - 3] * l2[i - 1]
            e1 = rest / d[i - 1]
        d[i] = a0
        if i >= 1:
            d[i] -= e1 * e1 * d[i - 1]
        if i >= 2:
            d[i] -= e2 * e2 * d[i - 2]
        if i >= 3:
            d[i] -= e3 * e3 * d[i - 3]
        l1[i], l2[i], l3[i] = e1, e2, e3


@kernel
def _penalty_solve(rows, r, d, l1, l2, l3):
    """Solve with the factors for four rows at once, in place."""
    width = rows.shape[1]
    for f in range(3, width):  # l1..l3 of the first three rows: below
        u, v, w = l1[f], l2[f], l3[f]
        for k in range(r, r + 4):
            rows[k, f] -= u * rows[k, f - 1] + v * rows[k, f - 2] + w * rows[k, f - 3]
    for f in range(width):
        for k in range(r, r + 4):
            rows[k, f] /= d[f]
    for f in range(width - 1, -1, -1):
        u = l1[f + 1] if f + 1 < width else 0.0
        v = l2[f + 2] if f + 2 < width else 0.0
        w = l3[f + 3] if f + 3 < width else 0.0
        for k in range(r, r + 4):
            value = rows[k, f]
            if f + 1 < width:
                value -= u * rows[k, f + 1]
            if f + 2 < width:
                value -= v * rows[k, f + 2]
            if f + 3 < width:
                value -= w * rows[k, f + 3]
            rows[k, f] = value


@kernel
def penalise_jerk(rows, weight):
    """Replace every row by the curve z that makes Σ (y - z)² + weight Σ (Δ³z)² least."""
    width = rows.shape[1]
    d, l1, l2, l3 = np.empty(width), np.empty(width), np.empty(width), np.empty(width)
    _penalty_factor(width, weight, d, l1, l2, l3)
    for r in range(0, rows.shape[0], 4):
        for k in range(r, r + 4):  # the first rows of L are shorter
            rows[k, 1] -= l1[1] * rows[k, 0]
            rows[k, 2] -= l1[2] * rows[k, 1] + l2[2] * rows[k, 0]
        _penalty_solve(rows, r, d, l1, l2, l3)


@kernel
def _differences(rows, r, first, second, start, stop, fps):
    """Set first and second time derivatives of row r, nine-point central differences."""
    rate, rate2 = fps, fps * fps
    for f in range(start, stop):
        k = f - start
        here = rows[r, f]
        p1, p2, p3, p4 = rows[r, f + 1], rows[r, f + 2], rows[r, f + 3], rows[r, f + 4]
        m1, m2, m3, m4 = rows[r, f - 1], rows[r, f - 2], rows[r, f - 3], rows[r, f - 4]
        first[k] = rate * (
            (p1 - m1) * (4 / 5) - (p2 - m2) / 5 + (p3 - m3) * (4 / 105) - (p4 - m4) / 280
        )
        second[k] = rate2 * (
            (p1 + m1 - 2 * here) * (8 / 5)
            - (p2 + m2 - 2 * here) / 5
            + (p3 + m3 - 2 * here) * (8 / 315)
            - (p4 + m4 - 2 * here) / 560
        )


@kernel
def _spin(rows, r, shift, d1, d2, q, omega, alpha, a, b):
    """Set unit quaternion, ω and α of one body from its smooth curve y and ẏ, ÿ.

    ω = 2 vec(ȳ ẏ) / y·y and its derivative; the change of length drops out of ω and leaves the
    second term of α = 2 vec(ȳ ÿ) / y·y - 2 (y·ẏ / y·y) ω.
    """
    for f in range(a, b):
        k, s = f - a, f + shift
        w, x, y, z = rows[r, s], rows[r + 1, s], rows[r + 2, s], rows[r + 3, s]
        vw, vx, vy, vz = d1[0, k], d1[1, k], d1[2, k], d1[3, k]
        aw, ax, ay, az = d2[0, k], d2[1, k], d2[2, k], d2[3, k]
        inverse = 1 / (w * w + x * x + y * y + z * z)
        unit = np.sqrt(inverse)
        q[0, f], q[1, f], q[2, f], q[3, f] = w * unit, x * unit, y * unit, z * unit
        two = 2 * inverse
        growth = two * (w * vw + x * vx + y * vy + z * vz)
        ox = two * (w * vx - x * vw - y * vz + z * vy)
        oy = two * (w * vy + x * vz - y * vw - z * vx)
        oz = two * (w * vz - x * vy + y * vx - z * vw)
        omega[0, f], omega[1, f], omega[2, f] = ox, oy, oz
        alpha[0, f] = two * (w * ax - x * aw - y * az + z * ay) - growth * ox
        alpha[1, f] = two * (w * ay + x * az - y * aw - z * ax) - growth * oy
        alpha[2, f] = two * (w * az - x * ay + y * ax - z * aw) - growth * oz


@kernel
def rotation_rates(rows, pad, q, omega, alpha, fps, a, b):
    """Fill unit quaternions, angular velocities and accelerations of frames a to b."""
    d1, d2 = np.empty((4, LANES)), np.empty((4, LANES))
    shift = pad - a
    for i in range(q.shape[0]):
        for start in range(a, b, LANES):
            stop = min(start + LANES, b)
            for c in range(4):
                _differences(rows, 4 * i + c, d1[c], d2[c], start + shift, stop + shift, fps)
            _spin(rows, 4 * i, shift, d1, d2, q[i], omega[i], alpha[i], start, stop)


@kernel
def slide_rates(rows, first_row, pad, displacement, velocity, acceleration, fps, a, b):
    """Fill displacements, their velocities and accelerations of frames a to b."""
    d1, d2 = np.empty(LANES), np.empty(LANES)
    shift = pad - a
    for k in range(displacement.shape[0]):
        for c in range(3):
            r = first_row + 3 * k + c
            for start in range(a, b, LANES):
                stop = min(start + LANES, b)
                _differences(rows, r, d1, d2, start + shift, stop + shift, fps)
                for f in range(start, stop):
                    displacement[k, c, f] = rows[r, f + shift]
                    velocity[k, c, f] = d1[f - start]
                    acceleration[k, c, f] = d2[f - start]
