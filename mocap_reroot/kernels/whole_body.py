"""The whole body: wrench, momentum and inertia, from bodies in the world.

World axes. For a body with centre of mass ``c``, mass ``m``, inertia ``I`` about it (world axes):

    f = m (c̈ − g)        n = I α + w × I w        l = m ċ        h = I w

``world (n, 19, F)`` is what ``kernels.forward.motions`` fills: position, quaternion, velocity,
angular velocity, acceleration, angular acceleration.
"""

from __future__ import annotations

import numpy as np

from mocap_reroot.kernels.compiling import LANES, inlined, kernel
from mocap_reroot.kernels.rotations import matrix, rotated


@inlined
def _centre(com, world, f):
    """Return position, velocity and acceleration of one body's centre of mass, nine numbers."""
    rx, ry, rz = rotated(
        world[3, f], world[4, f], world[5, f], world[6, f], com[0], com[1], com[2]
    )  # fmt: skip
    wx, wy, wz = world[10, f], world[11, f], world[12, f]
    ax, ay, az = world[16, f], world[17, f], world[18, f]
    vx, vy, vz = wy * rz - wz * ry, wz * rx - wx * rz, wx * ry - wy * rx
    return (
        world[0, f] + rx, world[1, f] + ry, world[2, f] + rz,
        world[7, f] + vx, world[8, f] + vy, world[9, f] + vz,
        world[13, f] + ay * rz - az * ry + wy * vz - wz * vy,
        world[14, f] + az * rx - ax * rz + wz * vx - wx * vz,
        world[15, f] + ax * ry - ay * rx + wx * vy - wy * vx,
    )  # fmt: skip


@inlined
def _spin(inertia, world, f):
    """Return ``R I Rᵀ`` (xx, yy, zz, xy, xz, yz), ``I w`` and its rate of one body."""
    m00, m01, m02, m10, m11, m12, m20, m21, m22 = matrix(
        world[3, f], world[4, f], world[5, f], world[6, f]
    )
    a00 = m00 * inertia[0, 0] + m01 * inertia[1, 0] + m02 * inertia[2, 0]
    a01 = m00 * inertia[0, 1] + m01 * inertia[1, 1] + m02 * inertia[2, 1]
    a02 = m00 * inertia[0, 2] + m01 * inertia[1, 2] + m02 * inertia[2, 2]
    a10 = m10 * inertia[0, 0] + m11 * inertia[1, 0] + m12 * inertia[2, 0]
    a11 = m10 * inertia[0, 1] + m11 * inertia[1, 1] + m12 * inertia[2, 1]
    a12 = m10 * inertia[0, 2] + m11 * inertia[1, 2] + m12 * inertia[2, 2]
    a20 = m20 * inertia[0, 0] + m21 * inertia[1, 0] + m22 * inertia[2, 0]
    a21 = m20 * inertia[0, 1] + m21 * inertia[1, 1] + m22 * inertia[2, 1]
    a22 = m20 * inertia[0, 2] + m21 * inertia[1, 2] + m22 * inertia[2, 2]
    xx, yy = a00 * m00 + a01 * m01 + a02 * m02, a10 * m10 + a11 * m11 + a12 * m12
    zz, xy = a20 * m20 + a21 * m21 + a22 * m22, a00 * m10 + a01 * m11 + a02 * m12
    xz, yz = a00 * m20 + a01 * m21 + a02 * m22, a10 * m20 + a11 * m21 + a12 * m22
    wx, wy, wz = world[10, f], world[11, f], world[12, f]
    ax, ay, az = world[16, f], world[17, f], world[18, f]
    hx, hy, hz = (
        xx * wx + xy * wy + xz * wz,
        xy * wx + yy * wy + yz * wz,
        xz * wx + yz * wy + zz * wz,
    )
    nx = xx * ax + xy * ay + xz * az + wy * hz - wz * hy
    ny = xy * ax + yy * ay + yz * az + wz * hx - wx * hz
    nz = xz * ax + yz * ay + zz * az + wx * hy - wy * hx
    return xx, yy, zz, xy, xz, yz, hx, hy, hz, nx, ny, nz


@kernel
def add_parts(mass, com, inertia, part, gravity, world, about, wrench, momentum):
    """Add what moves every body to its part.

    Args:
        mass, com, inertia: ``(n)`` kg, ``(n, 3)`` m, ``(n, 3, 3)`` kg·m², capture frames.
        part: ``(n)`` to which part a body belongs, −1: to none.
        gravity: ``(3)`` m/s².
        world: See above.
        about: ``(3, F)`` m, where moments are wanted.
        wrench: ``(p, 6, F)`` added to: force N, moment N·m about ``about``.
        momentum: ``(p, 9, F)`` added to: mass × centre kg·m, linear momentum kg·m/s, angular
            momentum about ``about`` kg·m²/s.
    """
    for i in range(len(mass)):
        p, m = part[i], mass[i]
        if p < 0:
            continue
        for f in range(world.shape[2]):
            x, y, z, vx, vy, vz, ax, ay, az = _centre(com[i], world[i], f)
            _, _, _, _, _, _, hx, hy, hz, nx, ny, nz = _spin(inertia[i], world[i], f)
            rx, ry, rz = x - about[0, f], y - about[1, f], z - about[2, f]
            fx, fy, fz = m * (ax - gravity[0]), m * (ay - gravity[1]), m * (az - gravity[2])
            lx, ly, lz = m * vx, m * vy, m * vz
            wrench[p, 0, f] += fx
            wrench[p, 1, f] += fy
            wrench[p, 2, f] += fz
            wrench[p, 3, f] += nx + ry * fz - rz * fy
            wrench[p, 4, f] += ny + rz * fx - rx * fz
            wrench[p, 5, f] += nz + rx * fy - ry * fx
            momentum[p, 0, f] += m * x
            momentum[p, 1, f] += m * y
            momentum[p, 2, f] += m * z
            momentum[p, 3, f] += lx
            momentum[p, 4, f] += ly
            momentum[p, 5, f] += lz
            momentum[p, 6, f] += hx + ry * lz - rz * ly
            momentum[p, 7, f] += hy + rz * lx - rx * lz
            momentum[p, 8, f] += hz + rx * ly - ry * lx


@kernel
def _add_centre(mass, com, world, out, a, lanes):
    """Add mass × place, velocity and acceleration of one body's centre of mass to out ``(9)``."""
    for k in range(lanes):
        x, y, z, vx, vy, vz, ax, ay, az = _centre(com, world, a + k)
        out[0, k] += mass * x
        out[1, k] += mass * y
        out[2, k] += mass * z
        out[3, k] += mass * vx
        out[4, k] += mass * vy
        out[5, k] += mass * vz
        out[6, k] += mass * ax
        out[7, k] += mass * ay
        out[8, k] += mass * az


@kernel
def _add_momentum(mass, com, inertia, world, whole, a, lanes):
    """Add one body's angular momentum, its rate and its inertia about the centre ``whole[:9]``."""
    for k in range(lanes):
        f = a + k
        x, y, z, vx, vy, vz, ax, ay, az = _centre(com, world, f)
        xx, yy, zz, xy, xz, yz, hx, hy, hz, nx, ny, nz = _spin(inertia, world, f)
        x, y, z = x - whole[0, f], y - whole[1, f], z - whole[2, f]
        vx, vy, vz = vx - whole[3, f], vy - whole[4, f], vz - whole[5, f]
        ax, ay, az = ax - whole[6, f], ay - whole[7, f], az - whole[8, f]
        whole[9, f] += mass * (y * vz - z * vy) + hx
        whole[10, f] += mass * (z * vx - x * vz) + hy
        whole[11, f] += mass * (x * vy - y * vx) + hz
        whole[12, f] += mass * (y * az - z * ay) + nx
        whole[13, f] += mass * (z * ax - x * az) + ny
        whole[14, f] += mass * (x * ay - y * ax) + nz
        whole[15, f] += mass * (y * y + z * z) + xx
        whole[16, f] += mass * (x * x + z * z) + yy
        whole[17, f] += mass * (x * x + y * y) + zz
        whole[18, f] += xy - mass * x * y
        whole[19, f] += xz - mass * x * z
        whole[20, f] += yz - mass * y * z


@kernel
def whole_body(mass, com, inertia, world, whole):
    """Sum over bodies.

    Args:
        mass, com, inertia: ``(n)``, ``(n, 3)``, ``(n, 3, 3)`` as in a body model.
        world: See above.
        whole: ``(21, F)`` of the whole: place, velocity and acceleration of the centre of mass;
            angular momentum about it and its rate; inertia xx, yy, zz, xy, xz, yz about it.
    """
    frames, total = world.shape[2], mass.sum()
    block = np.empty((9, LANES))
    whole[9:] = 0.0
    for a in range(0, frames, LANES):
        lanes = min(LANES, frames - a)
        block[:] = 0.0
        for i in range(len(mass)):
            if mass[i] > 0.0:
                _add_centre(mass[i], com[i], world[i], block, a, lanes)
        for c in range(9):
            for k in range(lanes):
                whole[c, a + k] = block[c, k] / total
        for i in range(len(mass)):
            if mass[i] > 0.0:
                _add_momentum(mass[i], com[i], inertia[i], world[i], whole, a, lanes)
