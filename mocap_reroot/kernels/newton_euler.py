"""Newton-Euler over blocks of frames: the wrench that every joint must carry.

Body axes throughout; ``R`` turns a body's axes into its parent's, ``t`` stands from the parent's
origin to the body's, ``c`` from the body's origin to its centre of mass. Outwards:

    w  = Rᵀ w_p + ω
    w' = Rᵀ w_p' + ω' + (Rᵀ w_p) × ω
    a  = Rᵀ (a_p + w_p' × t + w_p × (w_p × t) [+ ü + 2 w_p × u̇])       a of the root less gravity
    f  = m (a + w' × c + w × (w × c)) − f_ext
    n  = I w' + w × I w + c × (f + f_ext) − n_ext

and inwards: ``f_p += R f``, ``n_p += R n + t × R f``. A block of ``LANES`` frames goes through the
whole tree while its scratch stays in the cache; each step is one short loop over few arrays, which
is what the compiler turns into SIMD code.
"""

from __future__ import annotations

import numpy as np

from mocap_reroot.kernels.compiling import LANES, kernel


@kernel
def _matrix(q, e, a, lanes):
    """Set e (9, lanes) = the rotation matrix of q, row by row."""
    for k in range(lanes):
        f = a + k
        w, x, y, z = q[0, f], q[1, f], q[2, f], q[3, f]
        e[0, k] = 1 - 2 * (y * y + z * z)
        e[1, k] = 2 * (x * y - w * z)
        e[2, k] = 2 * (x * z + w * y)
        e[3, k] = 2 * (x * y + w * z)
        e[4, k] = 1 - 2 * (x * x + z * z)
        e[5, k] = 2 * (y * z - w * x)
        e[6, k] = 2 * (x * z - w * y)
        e[7, k] = 2 * (y * z + w * x)
        e[8, k] = 1 - 2 * (x * x + y * y)


@kernel
def _into(e, v, out, lanes):
    """Set out = Rᵀ v."""
    for k in range(lanes):
        x, y, z = v[0, k], v[1, k], v[2, k]
        out[0, k] = e[0, k] * x + e[3, k] * y + e[6, k] * z
        out[1, k] = e[1, k] * x + e[4, k] * y + e[7, k] * z
        out[2, k] = e[2, k] * x + e[5, k] * y + e[8, k] * z


@kernel
def _join(joint_w, joint_al, w, al, a, lanes):
    """Add the joint's own turning: w holds Rᵀ w_p and al Rᵀ w_p' on entry."""
    for k in range(lanes):
        f = a + k
        x, y, z = w[0, k], w[1, k], w[2, k]
        jx, jy, jz = joint_w[0, f], joint_w[1, f], joint_w[2, f]
        al[0, k] += joint_al[0, f] + y * jz - z * jy
        al[1, k] += joint_al[1, f] + z * jx - x * jz
        al[2, k] += joint_al[2, f] + x * jy - y * jx
        w[0, k] = x + jx
        w[1, k] = y + jy
        w[2, k] = z + jz


@kernel
def _swing(w, al, r, acc, out, lanes):
    """Set out = acc + w' × r + w × (w × r): the acceleration a constant arm r away."""
    rx, ry, rz = r[0], r[1], r[2]
    for k in range(lanes):
        x, y, z = w[0, k], w[1, k], w[2, k]
        cx, cy, cz = y * rz - z * ry, z * rx - x * rz, x * ry - y * rx
        ex, ey, ez = al[0, k], al[1, k], al[2, k]
        out[0, k] = acc[0, k] + ey * rz - ez * ry + y * cz - z * cy
        out[1, k] = acc[1, k] + ez * rx - ex * rz + z * cx - x * cz
        out[2, k] = acc[2, k] + ex * ry - ey * rx + x * cy - y * cx


@kernel
def _slide(w, al, u, rate, rate2, out, a, lanes):
    """Add what a joint slid by u adds to the acceleration of the child's origin."""
    for k in range(lanes):
        f = a + k
        x, y, z = w[0, k], w[1, k], w[2, k]
        rx, ry, rz = u[0, f], u[1, f], u[2, f]
        # w × (w × u + 2 u̇) holds both the centripetal and the Coriolis term
        vx, vy, vz = 2 * rate[0, f], 2 * rate[1, f], 2 * rate[2, f]
        cx, cy, cz = y * rz - z * ry + vx, z * rx - x * rz + vy, x * ry - y * rx + vz
        ex, ey, ez = al[0, k], al[1, k], al[2, k]
        out[0, k] += rate2[0, f] + ey * rz - ez * ry + y * cz - z * cy
        out[1, k] += rate2[1, f] + ez * rx - ex * rz + z * cx - x * cz
        out[2, k] += rate2[2, f] + ex * ry - ey * rx + x * cy - y * cx


@kernel
def _newton(w, al, c, acc, mass, force, a, lanes):
    """Set force = m (a + w' × c + w × (w × c))."""
    rx, ry, rz = c[0], c[1], c[2]
    for k in range(lanes):
        f = a + k
        x, y, z = w[0, k], w[1, k], w[2, k]
        cx, cy, cz = y * rz - z * ry, z * rx - x * rz, x * ry - y * rx
        ex, ey, ez = al[0, k], al[1, k], al[2, k]
        force[0, f] = mass * (acc[0, k] + ey * rz - ez * ry + y * cz - z * cy)
        force[1, f] = mass * (acc[1, k] + ez * rx - ex * rz + z * cx - x * cz)
        force[2, f] = mass * (acc[2, k] + ex * ry - ey * rx + x * cy - y * cx)


@kernel
def _euler(w, al, c, inertia, force, moment, a, lanes):
    """Set moment = I w' + w × I w + c × force."""
    xx, yy, zz = inertia[0, 0], inertia[1, 1], inertia[2, 2]
    xy, xz, yz = inertia[0, 1], inertia[0, 2], inertia[1, 2]
    rx, ry, rz = c[0], c[1], c[2]
    for k in range(lanes):
        f = a + k
        x, y, z = w[0, k], w[1, k], w[2, k]
        hx, hy, hz = xx * x + xy * y + xz * z, xy * x + yy * y + yz * z, xz * x + yz * y + zz * z
        ex, ey, ez = al[0, k], al[1, k], al[2, k]
        fx, fy, fz = force[0, f], force[1, f], force[2, f]
        moment[0, f] = xx * ex + xy * ey + xz * ez + y * hz - z * hy + ry * fz - rz * fy
        moment[1, f] = xy * ex + yy * ey + yz * ez + z * hx - x * hz + rz * fx - rx * fz
        moment[2, f] = xz * ex + yz * ey + zz * ez + x * hy - y * hx + rx * fy - ry * fx


@kernel
def _out_of(e, v, out, a, lanes):
    """Set out (3, lanes) = R v."""
    for k in range(lanes):
        f = a + k
        x, y, z = v[0, f], v[1, f], v[2, f]
        out[0, k] = e[0, k] * x + e[1, k] * y + e[2, k] * z
        out[1, k] = e[3, k] * x + e[4, k] * y + e[5, k] * z
        out[2, k] = e[6, k] * x + e[7, k] * y + e[8, k] * z


@kernel
def _pass_on(f, n, arm, force, moment, a, lanes):
    """Add a child's wrench f, n (3, lanes) at the arm to the parent's."""
    rx, ry, rz = arm[0], arm[1], arm[2]
    for k in range(lanes):
        i = a + k
        x, y, z = f[0, k], f[1, k], f[2, k]
        force[0, i] += x
        force[1, i] += y
        force[2, i] += z
        moment[0, i] += n[0, k] + ry * z - rz * y
        moment[1, i] += n[1, k] + rz * x - rx * z
        moment[2, i] += n[2, k] + rx * y - ry * x


@kernel
def _pass_on_slid(f, u, moment, a, at, lanes):
    """Add u × f to the parent's moment, u how far the child's joint has slid."""
    for k in range(lanes):
        i = a + k
        j = at + k
        x, y, z = f[0, k], f[1, k], f[2, k]
        rx, ry, rz = u[0, i], u[1, i], u[2, i]
        moment[0, j] += ry * z - rz * y
        moment[1, j] += rz * x - rx * z
        moment[2, j] += rx * y - ry * x


@kernel
def _hold(gravity, rate2, slot, out, a, lanes):
    """Set out = ü − g, the acceleration of the root with gravity turned into it."""
    for c in range(3):
        for k in range(lanes):
            out[c, k] = -gravity[c]
        if slot >= 0:
            for k in range(lanes):
                out[c, k] += rate2[slot, c, a + k]


@kernel
def _take(external, wrench, a, at, lanes):
    """Subtract what acts from outside."""
    for c in range(3):
        for k in range(lanes):
            wrench[c, at + k] -= external[c, a + k]


@kernel
def _take_moved(external, arm, moment, a, at, lanes):
    """Subtract the moment of an outer force whose point of reference is not the origin."""
    rx, ry, rz = arm[0], arm[1], arm[2]
    for k in range(lanes):
        f, g = a + k, at + k
        x, y, z = external[0, f], external[1, f], external[2, f]
        moment[0, g] += ry * z - rz * y
        moment[1, g] += rz * x - rx * z
        moment[2, g] += rx * y - ry * x


@kernel
def room_for(bodies):
    """Return what a block of frames needs while it goes through a tree of so many bodies."""
    e, w = np.empty((bodies, 9, LANES)), np.empty((bodies, 3, LANES))
    al, acc = np.empty((bodies, 3, LANES)), np.empty((bodies, 3, LANES))
    return e, w, al, acc, np.empty((3, LANES)), np.empty((3, LANES))


@kernel
def wrench_block(tree, model, gravity, state, external, force, moment, room, a, ext, put, lanes):
    """Fill the wrenches of at most ``LANES`` frames.

    Args:
        tree, model, gravity, state, force, moment: As in :func:`joint_wrenches`.
        external: bodies (e), force, moment (e, 3, F) in the bodies' axes, origin (n, 3): from the
            point about which a body's outer moment is given to its current origin, left out (e).
        room: Of :func:`room_for`.
        a, ext, put: First frame of the state, of the outer wrenches, and of the result. Unsigned:
            an index that may be negative needs a test, and tests are not vectorised.
        lanes: How many frames; unsigned.
    """
    order, parents, offset, slot = tree
    mass, com, inertia = model
    rotation, omega, alpha, slide, rate, rate2 = state
    pushed, push, couple, origin, left_out = external
    e, w, al, acc, tmp, tmp2 = room
    for i in order:
        p, s = parents[i], slot[i]
        _matrix(rotation[i], e[i], a, lanes)
        if p >= 0:
            _into(e[i], w[p], w[i], lanes)
            _into(e[i], al[p], al[i], lanes)
            _swing(w[p], al[p], offset[i], acc[p], tmp, lanes)
            if s >= 0:
                _slide(w[p], al[p], slide[s], rate[s], rate2[s], tmp, a, lanes)
        else:
            w[i] = 0.0
            al[i] = 0.0
            _hold(gravity, rate2, s, tmp, a, lanes)
        _into(e[i], tmp, acc[i], lanes)
        _join(omega[i], alpha[i], w[i], al[i], a, lanes)
        _newton(w[i], al[i], com[i], acc[i], mass[i], force[i], put, lanes)
        _euler(w[i], al[i], com[i], inertia[i], force[i], moment[i], put, lanes)
    for j in range(len(pushed)):
        if not left_out[j]:
            i = pushed[j]
            _take(push[j], force[i], ext, put, lanes)
            _take(couple[j], moment[i], ext, put, lanes)
            _take_moved(push[j], origin[i], moment[i], ext, put, lanes)
    for j in range(len(order) - 1, 0, -1):
        i = order[j]
        p, s = parents[i], slot[i]
        _out_of(e[i], force[i], tmp, put, lanes)
        _out_of(e[i], moment[i], tmp2, put, lanes)
        _pass_on(tmp, tmp2, offset[i], force[p], moment[p], put, lanes)
        if s >= 0:
            _pass_on_slid(tmp, slide[s], moment[p], a, put, lanes)


@kernel
def joint_wrenches(tree, model, gravity, state, external, force, moment, a, b, at):
    """Fill the wrench of every joint on its body, frames a to b (of the root: the world's).

    Args:
        tree: order (n), parents (n), offset (n, 3), slot (n).
        model: mass (n), com (n, 3) from the body's current origin, inertia (n, 3, 3) about it.
        gravity: (3) in world axes.
        state: rotation (n, 4, F), angular velocity, angular acceleration (n, 3, F), displacement,
            its velocity and acceleration (k, 3, F), as in a Motion.
        external: As in :func:`wrench_block`.
        force, moment: (n, 3, F) out, at the bodies' current origins, in their axes.
        a, b: Frames of the inputs.
        at: Frame of the outputs at which frame a is put.
    """
    room = room_for(len(tree[0]))
    for start in range(a, b, LANES):
        first, lanes = np.uint64(start), np.uint64(min(LANES, b - start))
        put = np.uint64(at + start - a)
        wrench_block(
            tree, model, gravity, state, external, force, moment, room, first, first, put, lanes
        )
