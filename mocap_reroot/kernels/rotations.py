"""Rotations: quaternions ``w, x, y, z`` and Euler angles, one at a time and over frames.

``rotated`` and ``composed`` are the arithmetic that every kernel uses, written into the loop that
calls them. Over frames arrays are ``(4, F)`` and ``(3, F)``: one short loop over contiguous rows,
which is what the compiler vectorises. Outputs come last and may be the same array as an input
unless said. Euler angles are in degrees, intrinsic and in the order of the channels:
``R = R_1 R_2 R_3``, as BVH has it.
"""

from __future__ import annotations

import math

import numpy as np

from mocap_reroot.kernels.compiling import LANES, inlined, kernel


@inlined
def rotated(w, x, y, z, vx, vy, vz):
    """Return R(q) v: ``v + 2 w (u × v) + 2 u × (u × v)``, u the vector part of q."""
    tx, ty, tz = 2 * (y * vz - z * vy), 2 * (z * vx - x * vz), 2 * (x * vy - y * vx)
    return (
        vx + w * tx + y * tz - z * ty,
        vy + w * ty + z * tx - x * tz,
        vz + w * tz + x * ty - y * tx,
    )


@inlined
def composed(pw, px, py, pz, qw, qx, qy, qz):
    """Return p q."""
    return (
        pw * qw - px * qx - py * qy - pz * qz,
        pw * qx + px * qw + py * qz - pz * qy,
        pw * qy - px * qz + py * qw + pz * qx,
        pw * qz + px * qy - py * qx + pz * qw,
    )


@inlined
def matrix(w, x, y, z):
    """Return the nine numbers of R(q), row after row."""
    return (
        1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y),
        2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x),
        2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y),
    )  # fmt: skip


@kernel
def product(p, q, out):
    """Set out = p q, one quaternion each; out must be another array."""
    out[0], out[1], out[2], out[3] = composed(p[0], p[1], p[2], p[3], q[0], q[1], q[2], q[3])


@kernel
def turned(q, v, out):
    """Set out = R(q) v, one vector; out may be v."""
    out[0], out[1], out[2] = rotated(q[0], q[1], q[2], q[3], v[0], v[1], v[2])


@kernel
def inverse(q, out):
    """Set out = q̄."""
    out[0], out[1], out[2], out[3] = q[0], -q[1], -q[2], -q[3]


@kernel
def about(axis, angle, out):
    """Set out = the quaternion of a turn about a unit axis."""
    s = np.sin(0.5 * angle)
    out[0] = np.cos(0.5 * angle)
    out[1], out[2], out[3] = s * axis[0], s * axis[1], s * axis[2]


@kernel
def rotate(q, v, out, a, b):
    """Set out = R(q) v."""
    for f in range(a, b):
        w, x, y, z = q[0, f], q[1, f], q[2, f], q[3, f]
        vx, vy, vz = v[0, f], v[1, f], v[2, f]
        out[0, f], out[1, f], out[2, f] = rotated(w, x, y, z, vx, vy, vz)


@kernel
def copy(u, out, a, b):
    """Set out = u, row by row."""
    for c in range(u.shape[0]):
        for f in range(a, b):
            out[c, f] = u[c, f]


@kernel
def disagreements(q, a, b):
    """Return how many of frames a to b of ``(4, F)`` do not agree in sign with the one before.

    Those beside a frame that is not finite are among them. No frame waits for another, so this is
    many times quicker than to make them agree, which is seldom needed.
    """
    w, x, y, z = q[0][a:b], q[1][a:b], q[2][a:b], q[3][a:b]
    count = 0
    for f in range(len(w) - 1):
        dot = w[f + 1] * w[f] + x[f + 1] * x[f] + y[f + 1] * y[f] + z[f + 1] * z[f]
        count += 0 if dot >= 0 else 1
    return count


@kernel
def agree(q):
    """Flip signs in place so that neighbouring quaternions of ``(4, F)`` agree in sign.

    A frame that is not finite is stepped over: its neighbours are compared with each other.
    """
    if disagreements(q, 0, q.shape[1]) == 0:
        return
    lw, lx, ly, lz = q[0, 0], q[1, 0], q[2, 0], q[3, 0]
    for f in range(1, q.shape[1]):
        w, x, y, z = q[0, f], q[1, f], q[2, f], q[3, f]
        if w * lw + x * lx + y * ly + z * lz < 0:
            w, x, y, z = -w, -x, -y, -z
            q[0, f], q[1, f], q[2, f], q[3, f] = w, x, y, z
        if w == w and x == x and y == y and z == z:
            lw, lx, ly, lz = w, x, y, z


@kernel
def make_continuous(q):
    """Make neighbouring quaternions of ``(n, 4, F)`` agree in sign, in place."""
    for i in range(q.shape[0]):
        agree(q[i])


_RADIANS = math.pi / 180
_DEGREES = 180 / math.pi


@kernel
def _sine_cosine(degrees, sine, cosine):
    """Sine and cosine of half of each angle, to rounding.

    The quadrant is taken off in degrees, where it is exact; on ±45° Cephes' polynomials suffice.
    Straight-line code over arrays indexed from 0: the compiler then does several frames at once
    (three times faster than with an index ``first + lane``, which might be negative for all it
    knows).
    """
    for lane in range(len(degrees)):
        half = 0.5 * degrees[lane]
        quadrant = np.rint(half / 90.0)
        x = (half - 90.0 * quadrant) * _RADIANS
        z = x * x
        s = 1.58962301576546568060e-10 * z - 2.50507477628578072866e-8
        s = s * z + 2.75573136213857245213e-6
        s = s * z - 1.98412698295895385996e-4
        s = s * z + 8.33333333332211858878e-3
        s = s * z - 1.66666666666666307295e-1
        s = x + x * z * s
        c = -1.13585365213876817300e-11 * z + 2.08757008419747316778e-9
        c = c * z - 2.75573141792967388112e-7
        c = c * z + 2.48015872888517045348e-5
        c = c * z - 1.38888888888730564116e-3
        c = c * z + 4.16666666666665929218e-2
        c = 1.0 - 0.5 * z + z * z * c
        turn = quadrant - 4.0 * np.floor(quadrant * 0.25)  # 0, 1, 2 or 3
        odd = turn - 2.0 * np.floor(turn * 0.5)
        a = c if odd > 0.5 else s
        b = s if odd > 0.5 else c
        sine[lane] = -a if turn > 1.5 else a
        cosine[lane] = -b if abs(turn - 1.5) < 1.0 else b


@kernel
def _turn(sine, cosine, w, x, y, z):
    """Multiply quaternions from the right by turns about x; cyclic permutations give y and z."""
    for lane in range(len(w)):
        s, c = sine[lane], cosine[lane]
        qw, qx, qy, qz = w[lane], x[lane], y[lane], z[lane]
        w[lane] = qw * c - qx * s
        x[lane] = qx * c + qw * s
        y[lane] = qy * c + qz * s
        z[lane] = qz * c - qy * s


@kernel
def _identity(q, a, b):
    """Set frames a to b of ``(4, F)`` to no rotation at all."""
    for c in range(4):
        row, value = q[c][a:b], 1.0 if c == 0 else 0.0
        for lane in range(len(row)):
            row[lane] = value


@kernel
def euler_to_quaternion(values, rows, axes, rotation):
    """Turn rotation channels into sign-continuous quaternions.

    Args:
        values: ``(c, F)`` channel values; angles in degrees.
        rows: ``(n, 3)`` int64, row of each body's rotation channels in their order, −1 for none.
        axes: ``(n, 3)`` int64, 0, 1 or 2: the axis each of them turns about.
        rotation: ``(n, 4, F)``, filled; ``w, x, y, z``.
    """
    frames = values.shape[1]
    sine, cosine = np.empty(LANES), np.empty(LANES)
    for body in range(rows.shape[0]):
        for first in range(0, frames, LANES):
            stop = min(first + LANES, frames)
            _identity(rotation[body], first, stop)
            for k in range(3):
                if rows[body, k] >= 0:
                    _sine_cosine(values[rows[body, k]][first:stop], sine, cosine)
                    x, y, z = axes[body, k], (axes[body, k] + 1) % 3, (axes[body, k] + 2) % 3
                    _turn(
                        sine,
                        cosine,
                        rotation[body, 0][first:stop],
                        rotation[body, 1 + x][first:stop],
                        rotation[body, 1 + y][first:stop],
                        rotation[body, 1 + z][first:stop],
                    )
        if frames > 0:
            agree(rotation[body])


@kernel
def quaternion_to_euler(rotation, axes, angles):
    """Turn quaternions into three angles each, as continuous in time as the sequence allows.

    Bernardes and Viollet, "Quaternion to Euler angles conversion: a direct, general and
    computationally efficient method", PLoS ONE 17 (2022). Of the two solutions, and of all whole
    turns, the one nearest to the frame before is taken; where the first and the third axis
    coincide (gimbal lock) the third angle is kept.

    Args:
        rotation: ``(n, 4, F)``.
        axes: ``(n, 3)`` int64, the sequence of each body; neighbours must differ.
        angles: ``(n, 3, F)``, filled; degrees; NaN where the quaternion is.
    """
    for body in range(rotation.shape[0]):
        first, second, third = 0.0, 0.0, 0.0
        started = False
        for frame in range(rotation.shape[2]):
            a, b, c, locked = _angles(rotation, body, frame, axes)
            angles[body, 0, frame], angles[body, 1, frame], angles[body, 2, frame] = a, b, c
            if math.isnan(a + b + c):
                continue
            if locked != 0 and started:  # only a ± c is determined
                a, c = a + locked * (c - third), third
            if started:
                mirror = -b if axes[body, 0] == axes[body, 2] else 180.0 - b
                a, b, c = _nearer(a, b, c, mirror, first, second, third)
            first, second, third, started = a, b, c, True
            angles[body, 0, frame], angles[body, 1, frame], angles[body, 2, frame] = a, b, c


@kernel
def _nearer(a, b, c, mirror, first, second, third):
    """Return the solution nearest to the angles before, whole turns taken off."""
    a1, b1, c1 = _near(a, first), _near(b, second), _near(c, third)
    a2, b2, c2 = _near(a + 180.0, first), _near(mirror, second), _near(c + 180.0, third)
    one = abs(a1 - first) + abs(b1 - second) + abs(c1 - third)
    other = abs(a2 - first) + abs(b2 - second) + abs(c2 - third)
    if other < one:
        return a2, b2, c2
    return a1, b1, c1


@kernel
def _near(angle, before):
    return angle - 360.0 * np.rint((angle - before) / 360.0)


@kernel
def _angles(rotation, body, frame, axes):
    """Return the principal angles, degrees, and ±1 where only their sum or difference counts."""
    # The method is written for turns about fixed axes: the sequence reversed.
    i, j, k = axes[body, 2], axes[body, 1], axes[body, 0]
    proper = i == k
    if proper:
        k = 3 - i - j
    sign = ((i - j) * (j - k) * (k - i)) // 2
    w, qi = rotation[body, 0, frame], rotation[body, 1 + i, frame]
    qj, qk = rotation[body, 1 + j, frame], rotation[body, 1 + k, frame] * sign
    if proper:
        a, b, c, d = w, qi, qj, qk
    else:
        a, b, c, d = w - qj, qi + qk, qj + w, qk - qi
    middle = 2.0 * math.atan2(math.sqrt(c * c + d * d), math.sqrt(a * a + b * b))
    half_sum, half_difference = math.atan2(b, a), math.atan2(d, c)
    locked = 0
    if abs(middle) <= 1e-9:
        locked, half_difference = 1, half_sum
    elif abs(middle - math.pi) <= 1e-9:
        locked, half_sum = -1, half_difference
    last = half_sum - half_difference
    front = half_sum + half_difference
    if not proper:
        front *= sign
        middle -= 0.5 * math.pi
        locked *= sign
    return front * _DEGREES, middle * _DEGREES, last * _DEGREES, locked
