"""Joint types, in the one place where they branch: Featherstone's ``jcalc`` and its inverse.

Coordinates of a joint with rest rotation ``E`` and unit axes ``a0``, ``a1`` in its frame:

    type          q                      speed                    joint rotation J, slide d
    0 fixed       –                      –                        1, 0
    1 revolute    angle                  rate                     Rot(a0, q), 0
    2 prismatic   distance               rate                     1, a0 q
    3 universal   two angles             two rates                Rot(a0, q0) Rot(a1, q1), 0
    4 spherical   quaternion of J        ω, body axes             J, 0
    5 free        d, quaternion of J     ω, ν, body axes          J, d

The body's rotation against its parent is ``R = E J``; its displacement there ``u = E d``. Speeds of
a free joint are the spatial velocity in the body's axes, ``u̇ = R ν``. One state at a time.
"""

from __future__ import annotations

import numpy as np

from mocap_reroot.kernels.compiling import kernel
from mocap_reroot.kernels.rotations import about, inverse, product, turned

FIXED, REVOLUTE, PRISMATIC, UNIVERSAL, SPHERICAL, FREE = range(6)
COORDINATES = np.array([0, 1, 1, 2, 4, 7])
SPEEDS = np.array([0, 1, 1, 2, 3, 6])


@kernel
def pose(kind, rest, axes, q, rotation, displacement):
    """Set rotation ``R = E J (4)`` and displacement ``u = E d (3)`` from coordinates (jcalc)."""
    joint = np.zeros(4)
    joint[0] = 1.0
    displacement[:] = 0.0
    if kind == REVOLUTE:
        about(axes[0], q[0], joint)
    elif kind == PRISMATIC:
        for c in range(3):
            displacement[c] = axes[0, c] * q[0]
    elif kind == UNIVERSAL:
        first, second = np.empty(4), np.empty(4)
        about(axes[0], q[0], first)
        about(axes[1], q[1], second)
        product(first, second, joint)
    elif kind == SPHERICAL:
        for c in range(4):
            joint[c] = q[c]
    elif kind == FREE:
        for c in range(3):
            displacement[c] = q[c]
        for c in range(4):
            joint[c] = q[3 + c]
    product(rest, joint, rotation)
    turned(rest, displacement, displacement)


@kernel
def subspace(kind, axes, q, s):
    """Set the motion subspace ``S (6, 6)``, body axes; its first ``SPEEDS[kind]`` columns count."""
    s[:] = 0.0
    if kind == REVOLUTE:
        s[0:3, 0] = axes[0]
    elif kind == PRISMATIC:
        s[3:6, 0] = axes[0]
    elif kind == UNIVERSAL:
        back, first = np.empty(4), np.empty(3)
        about(axes[1], -q[1], back)
        turned(back, axes[0], first)
        s[0:3, 0] = first
        s[0:3, 1] = axes[1]
    elif kind == SPHERICAL:
        for c in range(3):
            s[c, c] = 1.0
    elif kind == FREE:
        for c in range(6):
            s[c, c] = 1.0


@kernel
def drift(kind, axes, q, speed, c):
    """Set ``c (6) = Ṡ q̇`` in body axes: not zero for universal joints only."""
    c[:] = 0.0
    if kind == UNIVERSAL:
        back, first = np.empty(4), np.empty(3)
        about(axes[1], -q[1], back)
        turned(back, axes[0], first)
        second = axes[1]
        k = -speed[0] * speed[1]
        c[0] = k * (second[1] * first[2] - second[2] * first[1])
        c[1] = k * (second[2] * first[0] - second[0] * first[2])
        c[2] = k * (second[0] * first[1] - second[1] * first[0])


@kernel
def twist(kind, axes, q, speed, acceleration, v, dv):
    """Set joint velocity and its componentwise derivative ``v, dv (6)``, body axes."""
    s = np.empty((6, 6))
    subspace(kind, axes, q, s)
    drift(kind, axes, q, speed, dv)
    v[:] = 0.0
    for k in range(SPEEDS[kind]):
        for c in range(6):
            v[c] += s[c, k] * speed[k]
            dv[c] += s[c, k] * acceleration[k]


@kernel
def slide_rates(rotation, v, dv, rate, rate2):
    """Set ``u̇ = R ν`` and ``ü = R (ν̇ + ω × ν)``, in the parent's axes, from a joint twist."""
    t = np.empty(3)
    t[0] = dv[3] + v[1] * v[5] - v[2] * v[4]
    t[1] = dv[4] + v[2] * v[3] - v[0] * v[5]
    t[2] = dv[5] + v[0] * v[4] - v[1] * v[3]
    turned(rotation, t, rate2)
    turned(rotation, v[3:6], rate)


@kernel
def _angle_about(axis, joint):
    """Return the angle of the turn about an axis that a quaternion contains (swing-twist)."""
    along = axis[0] * joint[1] + axis[1] * joint[2] + axis[2] * joint[3]
    angle = 2 * np.arctan2(along, joint[0])
    return angle - 2 * np.pi * np.round(angle / (2 * np.pi))


@kernel
def coordinates(kind, rest, axes, rotation, displacement, q):
    """Set coordinates from a pose, the inverse of :func:`pose`; what it cannot do is lost."""
    back, joint, slide = np.empty(4), np.empty(4), np.empty(3)
    inverse(rest, back)
    product(back, rotation, joint)
    turned(back, displacement, slide)
    if kind == REVOLUTE:
        q[0] = _angle_about(axes[0], joint)
    elif kind == PRISMATIC:
        q[0] = axes[0, 0] * slide[0] + axes[0, 1] * slide[1] + axes[0, 2] * slide[2]
    elif kind == UNIVERSAL:
        # Where the first turn takes the second axis is where J takes it.
        second, side, image, undo, rest_of = (
            np.empty(3),
            np.empty(3),
            np.empty(3),
            np.empty(4),
            np.empty(4),
        )
        lean = axes[0, 0] * axes[1, 0] + axes[0, 1] * axes[1, 1] + axes[0, 2] * axes[1, 2]
        for c in range(3):
            second[c] = axes[1, c] - lean * axes[0, c]
        side[0] = axes[0, 1] * second[2] - axes[0, 2] * second[1]
        side[1] = axes[0, 2] * second[0] - axes[0, 0] * second[2]
        side[2] = axes[0, 0] * second[1] - axes[0, 1] * second[0]
        turned(joint, axes[1], image)
        q[0] = np.arctan2(
            image[0] * side[0] + image[1] * side[1] + image[2] * side[2],
            image[0] * second[0] + image[1] * second[1] + image[2] * second[2],
        )
        about(axes[0], -q[0], undo)
        product(undo, joint, rest_of)
        q[1] = _angle_about(axes[1], rest_of)
    elif kind == SPHERICAL:
        for c in range(4):
            q[c] = joint[c]
    elif kind == FREE:
        for c in range(3):
            q[c] = slide[c]
        for c in range(4):
            q[3 + c] = joint[c]


@kernel
def speeds(kind, axes, q, v, dv, speed, acceleration):
    """Set speeds and accelerations from a joint twist: the inverse of :func:`twist`.

    Least squares for what the joint cannot do; exact for what it can.
    """
    n = SPEEDS[kind]
    s, c = np.empty((6, 6)), np.empty(6)
    subspace(kind, axes, q, s)
    if n == 2:  # the two axes of a universal joint need not be perpendicular
        g = 0.0
        for r in range(3):
            g += s[r, 0] * s[r, 1]
        gain = 1 / (1 - g * g)
        _solve_two(s, v, g, gain, speed)
        drift(kind, axes, q, speed, c)
        for r in range(6):
            c[r] = dv[r] - c[r]
        _solve_two(s, c, g, gain, acceleration)
        return
    for k in range(n):
        speed[k] = 0.0
        acceleration[k] = 0.0
        for r in range(6):
            speed[k] += s[r, k] * v[r]
            acceleration[k] += s[r, k] * dv[r]


@kernel
def _solve_two(s, v, g, gain, out):
    along0, along1 = 0.0, 0.0
    for r in range(3):
        along0 += s[r, 0] * v[r]
        along1 += s[r, 1] * v[r]
    out[0] = gain * (along0 - g * along1)
    out[1] = gain * (along1 - g * along0)
