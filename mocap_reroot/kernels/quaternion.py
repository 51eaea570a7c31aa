"""Quaternions and vectors over lanes of frames: ``(4, F)`` and ``(3, F)`` arrays, frames a to b.

Every function is one short loop over contiguous rows, which is what the compiler vectorises.
Quaternions are ``w, x, y, z``. Outputs come last and may be the same array as an input unless said.
"""

from __future__ import annotations

from mocap_reroot.kernels.compiling import kernel


@kernel
def multiply(p, q, out, a, b):
    """Set out = p q (out must be another array)."""
    for f in range(a, b):
        pw, px, py, pz = p[0, f], p[1, f], p[2, f], p[3, f]
        qw, qx, qy, qz = q[0, f], q[1, f], q[2, f], q[3, f]
        out[0, f] = pw * qw - px * qx - py * qy - pz * qz
        out[1, f] = pw * qx + px * qw + py * qz - pz * qy
        out[2, f] = pw * qy - px * qz + py * qw + pz * qx
        out[3, f] = pw * qz + px * qy - py * qx + pz * qw


@kernel
def rotate(q, v, out, a, b):
    """Set out = R(q) v."""
    for f in range(a, b):
        w, x, y, z = q[0, f], q[1, f], q[2, f], q[3, f]
        vx, vy, vz = v[0, f], v[1, f], v[2, f]
        # v + 2 w (u × v) + 2 u × (u × v), u the vector part
        tx = 2 * (y * vz - z * vy)
        ty = 2 * (z * vx - x * vz)
        tz = 2 * (x * vy - y * vx)
        out[0, f] = vx + w * tx + y * tz - z * ty
        out[1, f] = vy + w * ty + z * tx - x * tz
        out[2, f] = vz + w * tz + x * ty - y * tx


@kernel
def add(u, v, out, a, b):
    """Set out = u + v, vectors."""
    for f in range(a, b):
        out[0, f] = u[0, f] + v[0, f]
        out[1, f] = u[1, f] + v[1, f]
        out[2, f] = u[2, f] + v[2, f]


@kernel
def copy(u, out, a, b):
    """Set out = u, row by row."""
    for c in range(u.shape[0]):
        for f in range(a, b):
            out[c, f] = u[c, f]


@kernel
def add_cross(u, v, out, a, b):
    """Add u × v to out."""
    for f in range(a, b):
        ux, uy, uz = u[0, f], u[1, f], u[2, f]
        vx, vy, vz = v[0, f], v[1, f], v[2, f]
        out[0, f] += uy * vz - uz * vy
        out[1, f] += uz * vx - ux * vz
        out[2, f] += ux * vy - uy * vx


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
