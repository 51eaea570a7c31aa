"""The whole body: wrench, momentum and inertia, from bodies in the world.

World axes. For a body with centre of mass ``c``, mass ``m``, inertia ``I`` about it (world axes):

    f = m (c̈ − g)        n = I α + w × I w        l = m ċ        h = I w

``world (n, 19, F)`` is what ``kernels.forward.motions`` fills: position, quaternion, velocity,
angular velocity, acceleration, angular acceleration.
"""

from __future__ import annotations

import numpy as np

from mocap_reroot.kernels.compiling import LANES, kernel


@kernel
def _centre(world, com, f, out):
    """Set out = position, velocity and acceleration of a centre of mass, (9)."""
    w, x, y, z = world[3, f], world[4, f], world[5, f], world[6, f]
    vx, vy, vz = com[0], com[1], com[2]
    tx, ty, tz = 2 * (y * vz - z * vy), 2 * (z * vx - x * vz), 2 * (x * vy - y * vx)
    rx, ry, rz = vx + w * tx + y * tz - z * ty, vy + w * ty + z * tx - x * tz, 0.0
    rz = vz + w * tz + x * ty - y * tx
    ox, oy, oz = world[10, f], world[11, f], world[12, f]
    ax, ay, az = world[16, f], world[17, f], world[18, f]
    cx, cy, cz = oy * rz - oz * ry, oz * rx - ox * rz, ox * ry - oy * rx
    out[0], out[1], out[2] = world[0, f] + rx, world[1, f] + ry, world[2, f] + rz
    out[3], out[4], out[5] = world[7, f] + cx, world[8, f] + cy, world[9, f] + cz
    out[6] = world[13, f] + ay * rz - az * ry + oy * cz - oz * cy
    out[7] = world[14, f] + az * rx - ax * rz + oz * cx - ox * cz
    out[8] = world[15, f] + ax * ry - ay * rx + ox * cy - oy * cx


@kernel
def _turn(world, inertia, f, out):
    """Set out = angular momentum I w and its rate I α + w × I w, world axes, (6)."""
    w, x, y, z = world[3, f], world[4, f], world[5, f], world[6, f]
    r00, r01, r02 = 1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)
    r10, r11, r12 = 2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)
    r20, r21, r22 = 2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)
    for k in range(2):
        row = 10 + 6 * k
        vx, vy, vz = world[row, f], world[row + 1, f], world[row + 2, f]
        bx = r00 * vx + r10 * vy + r20 * vz
        by = r01 * vx + r11 * vy + r21 * vz
        bz = r02 * vx + r12 * vy + r22 * vz
        lx = inertia[0, 0] * bx + inertia[0, 1] * by + inertia[0, 2] * bz
        ly = inertia[1, 0] * bx + inertia[1, 1] * by + inertia[1, 2] * bz
        lz = inertia[2, 0] * bx + inertia[2, 1] * by + inertia[2, 2] * bz
        out[3 * k] = r00 * lx + r01 * ly + r02 * lz
        out[3 * k + 1] = r10 * lx + r11 * ly + r12 * lz
        out[3 * k + 2] = r20 * lx + r21 * ly + r22 * lz
    ox, oy, oz = world[10, f], world[11, f], world[12, f]
    out[3] += oy * out[2] - oz * out[1]
    out[4] += oz * out[0] - ox * out[2]
    out[5] += ox * out[1] - oy * out[0]


@kernel
def add_parts(mass, com, inertia, part, gravity, world, about, wrench, momentum):
    """Add what moves every body to its part.

    Args:
        mass, com, inertia: ``(n)`` kg, ``(n, 3)`` m, ``(n, 3, 3)`` kg·m², capture frames.
        part: ``(n)`` to which part a body belongs, −1: to none.
        gravity: ``(3)`` m/s².
        world: ``(n, 19, F)`` as ``kernels.forward.motions`` fills it.
        about: ``(3, F)`` m, where moments are wanted.
        wrench: ``(p, 6, F)`` added to: force N, moment N·m about ``about``.
        momentum: ``(p, 9, F)`` added to: mass × centre kg·m, linear momentum kg·m/s, angular
            momentum about ``about`` kg·m²/s.
    """
    centre, turn = np.empty(9), np.empty(6)
    for i in range(len(mass)):
        p, m = part[i], mass[i]
        if p < 0:
            continue
        for f in range(world.shape[2]):
            _centre(world[i], com[i], f, centre)
            _turn(world[i], inertia[i], f, turn)
            rx, ry, rz = centre[0] - about[0, f], centre[1] - about[1, f], centre[2] - about[2, f]
            fx = m * (centre[6] - gravity[0])
            fy = m * (centre[7] - gravity[1])
            fz = m * (centre[8] - gravity[2])
            wrench[p, 0, f] += fx
            wrench[p, 1, f] += fy
            wrench[p, 2, f] += fz
            wrench[p, 3, f] += turn[3] + ry * fz - rz * fy
            wrench[p, 4, f] += turn[4] + rz * fx - rx * fz
            wrench[p, 5, f] += turn[5] + rx * fy - ry * fx
            lx, ly, lz = m * centre[3], m * centre[4], m * centre[5]
            for c in range(3):
                momentum[p, c, f] += m * centre[c]
            momentum[p, 3, f] += lx
            momentum[p, 4, f] += ly
            momentum[p, 5, f] += lz
            momentum[p, 6, f] += turn[0] + ry * lz - rz * ly
            momentum[p, 7, f] += turn[1] + rz * lx - rx * lz
            momentum[p, 8, f] += turn[2] + rx * ly - ry * lx


@kernel
def _add_centre(mass, com, world, a, lanes, out):
    """Add mass × place, velocity and acceleration of one body's centre of mass to out ``(9)``."""
    x, y, z = com[0], com[1], com[2]
    for k in range(lanes):
        f = a + k
        qw, qx, qy, qz = world[3, f], world[4, f], world[5, f], world[6, f]
        tx, ty, tz = 2 * (qy * z - qz * y), 2 * (qz * x - qx * z), 2 * (qx * y - qy * x)
        rx, ry, rz = (
            x + qw * tx + qy * tz - qz * ty,
            y + qw * ty + qz * tx - qx * tz,
            z + qw * tz + qx * ty - qy * tx,
        )
        wx, wy, wz = world[10, f], world[11, f], world[12, f]
        ax, ay, az = world[16, f], world[17, f], world[18, f]
        vx, vy, vz = wy * rz - wz * ry, wz * rx - wx * rz, wx * ry - wy * rx
        out[0, k] += mass * (world[0, f] + rx)
        out[1, k] += mass * (world[1, f] + ry)
        out[2, k] += mass * (world[2, f] + rz)
        out[3, k] += mass * (world[7, f] + vx)
        out[4, k] += mass * (world[8, f] + vy)
        out[5, k] += mass * (world[9, f] + vz)
        out[6, k] += mass * (world[13, f] + ay * rz - az * ry + wy * vz - wz * vy)
        out[7, k] += mass * (world[14, f] + az * rx - ax * rz + wz * vx - wx * vz)
        out[8, k] += mass * (world[15, f] + ax * ry - ay * rx + wx * vy - wy * vx)


@kernel
def _add_momentum(mass, com, inertia, world, a, lanes, whole):
    """Add one body's angular momentum, its rate and its inertia about the centre ``whole[:9]``."""
    x, y, z = com[0], com[1], com[2]
    for k in range(lanes):
        f = a + k
        qw, qx, qy, qz = world[3, f], world[4, f], world[5, f], world[6, f]
        m00, m01, m02 = (
            1 - 2 * (qy * qy + qz * qz), 2 * (qx * qy - qw * qz), 2 * (qx * qz + qw * qy),
        )  # fmt: skip
        m10, m11, m12 = (
            2 * (qx * qy + qw * qz), 1 - 2 * (qx * qx + qz * qz), 2 * (qy * qz - qw * qx),
        )  # fmt: skip
        m20, m21, m22 = (
            2 * (qx * qz - qw * qy), 2 * (qy * qz + qw * qx), 1 - 2 * (qx * qx + qy * qy),
        )  # fmt: skip
        ox, oy, oz = (
            m00 * x + m01 * y + m02 * z, m10 * x + m11 * y + m12 * z, m20 * x + m21 * y + m22 * z,
        )  # fmt: skip
        wx, wy, wz = world[10, f], world[11, f], world[12, f]
        ax, ay, az = world[16, f], world[17, f], world[18, f]
        sx, sy, sz = wy * oz - wz * oy, wz * ox - wx * oz, wx * oy - wy * ox
        rx, ry, rz = (
            world[0, f] + ox - whole[0, f], world[1, f] + oy - whole[1, f],
            world[2, f] + oz - whole[2, f],
        )  # fmt: skip
        vx, vy, vz = (
            world[7, f] + sx - whole[3, f], world[8, f] + sy - whole[4, f],
            world[9, f] + sz - whole[5, f],
        )  # fmt: skip
        cx, cy, cz = (
            world[13, f] + ay * oz - az * oy + wy * sz - wz * sy - whole[6, f],
            world[14, f] + az * ox - ax * oz + wz * sx - wx * sz - whole[7, f],
            world[15, f] + ax * oy - ay * ox + wx * sy - wy * sx - whole[8, f],
        )
        # inertia in world axes, R I Rᵀ
        a00 = m00 * inertia[0, 0] + m01 * inertia[1, 0] + m02 * inertia[2, 0]
        a01 = m00 * inertia[0, 1] + m01 * inertia[1, 1] + m02 * inertia[2, 1]
        a02 = m00 * inertia[0, 2] + m01 * inertia[1, 2] + m02 * inertia[2, 2]
        a10 = m10 * inertia[0, 0] + m11 * inertia[1, 0] + m12 * inertia[2, 0]
        a11 = m10 * inertia[0, 1] + m11 * inertia[1, 1] + m12 * inertia[2, 1]
        a12 = m10 * inertia[0, 2] + m11 * inertia[1, 2] + m12 * inertia[2, 2]
        a20 = m20 * inertia[0, 0] + m21 * inertia[1, 0] + m22 * inertia[2, 0]
        a21 = m20 * inertia[0, 1] + m21 * inertia[1, 1] + m22 * inertia[2, 1]
        a22 = m20 * inertia[0, 2] + m21 * inertia[1, 2] + m22 * inertia[2, 2]
        ixx = a00 * m00 + a01 * m01 + a02 * m02
        iyy = a10 * m10 + a11 * m11 + a12 * m12
        izz = a20 * m20 + a21 * m21 + a22 * m22
        ixy = a00 * m10 + a01 * m11 + a02 * m12
        ixz = a00 * m20 + a01 * m21 + a02 * m22
        iyz = a10 * m20 + a11 * m21 + a12 * m22
        hx = ixx * wx + ixy * wy + ixz * wz
        hy = ixy * wx + iyy * wy + iyz * wz
        hz = ixz * wx + iyz * wy + izz * wz
        whole[9, f] += mass * (ry * vz - rz * vy) + hx
        whole[10, f] += mass * (rz * vx - rx * vz) + hy
        whole[11, f] += mass * (rx * vy - ry * vx) + hz
        whole[12, f] += (
            mass * (ry * cz - rz * cy) + ixx * ax + ixy * ay + ixz * az + wy * hz - wz * hy
        )
        whole[13, f] += (
            mass * (rz * cx - rx * cz) + ixy * ax + iyy * ay + iyz * az + wz * hx - wx * hz
        )
        whole[14, f] += (
            mass * (rx * cy - ry * cx) + ixz * ax + iyz * ay + izz * az + wx * hy - wy * hx
        )
        whole[15, f] += mass * (ry * ry + rz * rz) + ixx
        whole[16, f] += mass * (rx * rx + rz * rz) + iyy
        whole[17, f] += mass * (rx * rx + ry * ry) + izz
        whole[18, f] += ixy - mass * rx * ry
        whole[19, f] += ixz - mass * rx * rz
        whole[20, f] += iyz - mass * ry * rz


@kernel
def whole_body(mass, com, inertia, world, whole):
    """Sum over bodies.

    Args:
        mass, com, inertia: ``(n)``, ``(n, 3)``, ``(n, 3, 3)`` as in a body model.
        world: ``(n, 19, F)`` place, quaternion, velocity, angular velocity, acceleration, angular
            acceleration, world axes.
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
                _add_centre(mass[i], com[i], world[i], a, lanes, block)
        for c in range(9):
            for k in range(lanes):
                whole[c, a + k] = block[c, k] / total
        for i in range(len(mass)):
            if mass[i] > 0.0:
                _add_momentum(mass[i], com[i], inertia[i], world[i], a, lanes, whole)
