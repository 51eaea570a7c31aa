"""Newton and Euler's laws for the whole body: wrench and momentum, segment by segment.

World axes. For a body with centre of mass ``c``, mass ``m``, inertia ``I`` about it (world axes):

    f = m (c̈ − g)        n = I α + w × I w        l = m ċ        h = I w
"""

from __future__ import annotations

import numpy as np

from mocap_reroot.kernels.compiling import kernel


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
