"""Centre of mass, angular momentum and inertia of the whole body, from world poses."""

from __future__ import annotations

import numpy as np

from mocap_reroot.kernels.compiling import LANES, kernel


@kernel
def _centre(mass, com, world, a, lanes, out):
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
def _momentum(mass, com, inertia, world, a, lanes, whole):
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
                _centre(mass[i], com[i], world[i], a, lanes, block)
        for c in range(9):
            for k in range(lanes):
                whole[c, a + k] = block[c, k] / total
        for i in range(len(mass)):
            if mass[i] > 0.0:
                _momentum(mass[i], com[i], inertia[i], world[i], a, lanes, whole)
