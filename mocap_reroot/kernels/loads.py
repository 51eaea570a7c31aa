"""Ground wrenches on single bodies, over frames."""

from __future__ import annotations

import numpy as np

from mocap_reroot.kernels.compiling import kernel


@kernel
def on_body(body, carrier, q, p, force, moment, about, out_force, out_moment):
    """Set what a foot's load is on a body of it, about the body's origin and in its axes.

    Args:
        body: Its number.
        carrier: ``(F)`` the body that carries for the foot; the wrench on others is zero.
        q, p: ``(4, F)``, ``(3, F)`` orientation and origin of the body.
        force, moment: ``(3, F)`` of the foot's load, world axes, moment about ``about (3, F)``.
        about: See above.
        out_force, out_moment: ``(3, F)`` out.
    """
    for f in range(len(carrier)):
        if carrier[f] != body:
            for c in range(3):
                out_force[c, f] = 0.0
                out_moment[c, f] = 0.0
            continue
        fx, fy, fz = force[0, f], force[1, f], force[2, f]
        rx, ry, rz = about[0, f] - p[0, f], about[1, f] - p[1, f], about[2, f] - p[2, f]
        mx = moment[0, f] + ry * fz - rz * fy
        my = moment[1, f] + rz * fx - rx * fz
        mz = moment[2, f] + rx * fy - ry * fx
        w, x, y, z = q[0, f], -q[1, f], -q[2, f], -q[3, f]
        tx, ty, tz = 2 * (y * fz - z * fy), 2 * (z * fx - x * fz), 2 * (x * fy - y * fx)
        out_force[0, f] = fx + w * tx + y * tz - z * ty
        out_force[1, f] = fy + w * ty + z * tx - x * tz
        out_force[2, f] = fz + w * tz + x * ty - y * tx
        tx, ty, tz = 2 * (y * mz - z * my), 2 * (z * mx - x * mz), 2 * (x * my - y * mx)
        out_moment[0, f] = mx + w * tx + y * tz - z * ty
        out_moment[1, f] = my + w * ty + z * tx - x * tz
        out_moment[2, f] = mz + w * tz + x * ty - y * tx


@kernel
def least_borne(force, moment, about, middle, feet, lever, start, stop):
    """Return the frame in which least would be borne amid the soles of some feet.

    Force and moment count as one, the moment by a lever; the first frame if none is known.

    Args:
        force, moment, about: ``(3, F)`` the wrench of the whole body, and its point.
        middle: ``(k, 3, F)`` middles of the soles.
        feet: ``(k)`` whether a foot is one of them.
        lever: m.
        start, stop: Which frames.
    """
    best, least = start, np.inf
    for f in range(start, stop):
        x, y, z, count = 0.0, 0.0, 0.0, 0
        for k in range(len(feet)):
            if feet[k]:
                x, y, z = x + middle[k, 0, f], y + middle[k, 1, f], z + middle[k, 2, f]
                count += 1
        rx, ry, rz = about[0, f] - x / count, about[1, f] - y / count, about[2, f] - z / count
        fx, fy, fz = force[0, f], force[1, f], force[2, f]
        mx = moment[0, f] + ry * fz - rz * fy
        my = moment[1, f] + rz * fx - rx * fz
        mz = moment[2, f] + rx * fy - ry * fx
        size = np.sqrt(fx * fx + fy * fy + fz * fz) + np.sqrt(mx * mx + my * my + mz * mz) / lever
        if size < least:  # never of a NaN
            best, least = f, size
    return best
