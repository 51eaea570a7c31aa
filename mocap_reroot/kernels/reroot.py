"""Re-rooting over blocks of frames: joint states along the chain of inversion.

A chain joint ``i`` with parent ``p`` is seen from its other side; ``R``, ``u``, ``ω``, ``α`` are
the old state of ``i``, primes the new state of ``p``, and ``y = Rᵀ u``:

    R' = Rᵀ         ω' = −R ω                  α' = −R α                    (ω × ω = 0)
    u' = −y         u̇' = −(Rᵀ u̇ − ω × y)       ü' = −(Rᵀ ü − ω × Rᵀ u̇ − α × y − ω × ẏ)

The new root is placed by forward kinematics along the chain alone, from the old root to the support
point; bodies off the chain keep their state, which is copied. Frames ``a`` to ``b`` of the old
arrays become frames 0 to ``b − a`` of the new ones.

Loops are kernels; what calls them is written into the caller, and hands over arrays with the index
of a body instead of parts of them: half as much to compile.
"""

from __future__ import annotations

import numpy as np

from mocap_reroot.kernels.compiling import LANES, inlined, kernel
from mocap_reroot.kernels.rotations import composed, rotated


@kernel
def _keep(u, i, out, j, a, frames):
    """Copy the rows of a body whose joint stays as it is."""
    for c in range(u.shape[1]):
        for k in range(frames):
            out[j, c, k] = u[i, c, a + k]


@kernel
def _invert_rotation(q, i, out, p, a, to, lanes):
    """Set out = q̄."""
    for k in range(lanes):
        out[p, 0, to + k] = q[i, 0, a + k]
        out[p, 1, to + k] = -q[i, 1, a + k]
        out[p, 2, to + k] = -q[i, 2, a + k]
        out[p, 3, to + k] = -q[i, 3, a + k]


@kernel
def _invert_vector(q, v, i, out, p, a, to, lanes):
    """Set out = −R v: the same turning, seen by the other body."""
    for k in range(lanes):
        f = a + k
        w, x, y, z = q[i, 0, f], q[i, 1, f], q[i, 2, f], q[i, 3, f]
        vx, vy, vz = -v[i, 0, f], -v[i, 1, f], -v[i, 2, f]
        out[p, 0, to + k], out[p, 1, to + k], out[p, 2, to + k] = rotated(w, x, y, z, vx, vy, vz)


@kernel
def _back(q, i, v, s, out, a, lanes):
    """Set out (3, lanes) = −Rᵀ v, q and v starting at frame a."""
    for k in range(lanes):
        f = a + k
        w, x, y, z = q[i, 0, f], -q[i, 1, f], -q[i, 2, f], -q[i, 3, f]
        vx, vy, vz = -v[s, 0, f], -v[s, 1, f], -v[s, 2, f]
        out[0, k], out[1, k], out[2, k] = rotated(w, x, y, z, vx, vy, vz)


@kernel
def _put(v, out, j, to, lanes):
    """Copy a block of lanes to its frames."""
    for c in range(v.shape[0]):
        for k in range(lanes):
            out[j, c, to + k] = v[c, k]


@kernel
def _invert_slide_rates(omega, alpha, i, y, dy, ddy, rate, rate2, s, a, to, lanes):
    """Set u̇' and ü' from y = −Rᵀ u, dy = −Rᵀ u̇, ddy = −Rᵀ ü (equations above)."""
    for k in range(lanes):
        f = a + k
        wx, wy, wz = omega[i, 0, f], omega[i, 1, f], omega[i, 2, f]
        ex, ey, ez = alpha[i, 0, f], alpha[i, 1, f], alpha[i, 2, f]
        ux, uy, uz = y[0, k], y[1, k], y[2, k]
        vx = dy[0, k] - (wy * uz - wz * uy)
        vy = dy[1, k] - (wz * ux - wx * uz)
        vz = dy[2, k] - (wx * uy - wy * ux)
        # ω × Rᵀ u̇ + ω × ẏ = ω × (both added)
        sx, sy, sz = dy[0, k] + vx, dy[1, k] + vy, dy[2, k] + vz
        rate[s, 0, to + k] = vx
        rate[s, 1, to + k] = vy
        rate[s, 2, to + k] = vz
        rate2[s, 0, to + k] = ddy[0, k] - (wy * sz - wz * sy) - (ey * uz - ez * uy)
        rate2[s, 1, to + k] = ddy[1, k] - (wz * sx - wx * sz) - (ez * ux - ex * uz)
        rate2[s, 2, to + k] = ddy[2, k] - (wx * sy - wy * sx) - (ex * uy - ey * ux)


@kernel
def _turn(q, v, lanes):
    """Set v = Q v in place, lanes both."""
    for k in range(lanes):
        w, x, y, z = q[0, k], q[1, k], q[2, k], q[3, k]
        vx, vy, vz = v[0, k], v[1, k], v[2, k]
        v[0, k], v[1, k], v[2, k] = rotated(w, x, y, z, vx, vy, vz)


@kernel
def _turn_into(q, v, out, j, to, lanes):
    """Set out = Qᵀ v, from lanes to frames."""
    for k in range(lanes):
        w, x, y, z = q[0, k], -q[1, k], -q[2, k], -q[3, k]
        vx, vy, vz = v[0, k], v[1, k], v[2, k]
        out[j, 0, to + k], out[j, 1, to + k], out[j, 2, to + k] = rotated(w, x, y, z, vx, vy, vz)


@kernel
def _compose(q, r, i, a, lanes):
    """Set Q = Q R in place; r starts at frame a."""
    for k in range(lanes):
        f = a + k
        pw, px, py, pz = q[0, k], q[1, k], q[2, k], q[3, k]
        rw, rx, ry, rz = r[i, 0, f], r[i, 1, f], r[i, 2, f], r[i, 3, f]
        q[0, k], q[1, k], q[2, k], q[3, k] = composed(pw, px, py, pz, rw, rx, ry, rz)


@kernel
def _arm(offset, i, displacement, slot, r, a, lanes):
    """Set r (3, lanes) = t + u."""
    for c in range(3):
        t = offset[i, c]
        for k in range(lanes):
            r[c, k] = t
        if slot >= 0:
            for k in range(lanes):
                r[c, k] += displacement[slot, c, a + k]


@kernel
def _step(p, r, lanes):
    """Add an arm, world axes, to a position."""
    for c in range(3):
        for k in range(lanes):
            p[c, k] += r[c, k]


@kernel
def _carry(w, al, r, v, acc, lanes):
    """Carry velocity and acceleration along an arm r of a turning body, world axes."""
    for k in range(lanes):
        rx, ry, rz = r[0, k], r[1, k], r[2, k]
        wx, wy, wz = w[0, k], w[1, k], w[2, k]
        ex, ey, ez = al[0, k], al[1, k], al[2, k]
        cx, cy, cz = wy * rz - wz * ry, wz * rx - wx * rz, wx * ry - wy * rx
        v[0, k] += cx
        v[1, k] += cy
        v[2, k] += cz
        acc[0, k] += ey * rz - ez * ry + wy * cz - wz * cy
        acc[1, k] += ez * rx - ex * rz + wz * cx - wx * cz
        acc[2, k] += ex * ry - ey * rx + wx * cy - wy * cx


@kernel
def _slide(w, s, s2, v, acc, lanes):
    """Add a sliding joint: v += Q u̇, a += Q ü + 2 w × Q u̇; s, s2 are Q u̇ and Q ü."""
    for k in range(lanes):
        wx, wy, wz = w[0, k], w[1, k], w[2, k]
        sx, sy, sz = s[0, k], s[1, k], s[2, k]
        v[0, k] += sx
        v[1, k] += sy
        v[2, k] += sz
        acc[0, k] += s2[0, k] + 2 * (wy * sz - wz * sy)
        acc[1, k] += s2[1, k] + 2 * (wz * sx - wx * sz)
        acc[2, k] += s2[2, k] + 2 * (wx * sy - wy * sx)


@kernel
def _join(j, j2, w, al, lanes):
    """Add a joint's turning j, j2 (world axes) to angular velocity and acceleration."""
    for k in range(lanes):
        wx, wy, wz = w[0, k], w[1, k], w[2, k]
        jx, jy, jz = j[0, k], j[1, k], j[2, k]
        al[0, k] += j2[0, k] + wy * jz - wz * jy
        al[1, k] += j2[1, k] + wz * jx - wx * jz
        al[2, k] += j2[2, k] + wx * jy - wy * jx
        w[0, k] = wx + jx
        w[1, k] = wy + jy
        w[2, k] = wz + jz


@kernel
def _take(v, i, out, a, lanes):
    """Copy frames to a block of lanes."""
    for c in range(out.shape[0]):
        for k in range(lanes):
            out[c, k] = v[i, c, a + k]


@inlined
def _start(root, offset, slot, old, world, moving, a, lanes):
    """Place the old root in the world."""
    rotation, displacement, omega, alpha, rate, rate2 = old
    q, p, w, al, v, acc = world
    _take(rotation, root, q, a, lanes)
    _arm(offset, root, displacement, slot[root], p, a, lanes)
    if not moving:
        return
    _take(omega, root, w, a, lanes)
    _take(alpha, root, al, a, lanes)
    _turn(q, w, lanes)
    _turn(q, al, lanes)
    v[:] = 0.0
    acc[:] = 0.0
    if slot[root] >= 0:
        _take(rate, slot[root], v, a, lanes)
        _take(rate2, slot[root], acc, a, lanes)


@inlined
def _invert(i, p, slot, new_slot, old, new, spare, moving, a, to, lanes):
    """Give body p the joint that i used, seen from the other side."""
    rotation, displacement, omega, alpha, rate, rate2 = old
    rotation2, displacement2, omega2, alpha2, first, second = new
    y, dy, ddy = spare
    _invert_rotation(rotation, i, rotation2, p, a, to, lanes)
    if moving:
        _invert_vector(rotation, omega, i, omega2, p, a, to, lanes)
        _invert_vector(rotation, alpha, i, alpha2, p, a, to, lanes)
    if slot[i] >= 0:
        k, m = slot[i], new_slot[p]
        _back(rotation, i, displacement, k, y, a, lanes)
        _put(y, displacement2, m, to, lanes)
        if moving:
            _back(rotation, i, rate, k, dy, a, lanes)
            _back(rotation, i, rate2, k, ddy, a, lanes)
            _invert_slide_rates(
                omega, alpha, i, y, dy, ddy, first, second, m, a, to, lanes
            )  # fmt: skip


@inlined
def _descend(i, offset, slot, old, world, spare, moving, a, lanes):
    """Go from the parent of chain body i to i: forward kinematics of one joint."""
    rotation, displacement, omega, alpha, rate, rate2 = old
    q, p, w, al, v, acc = world
    r, s, s2 = spare
    _arm(offset, i, displacement, slot[i], r, a, lanes)
    _turn(q, r, lanes)
    _step(p, r, lanes)
    if moving:
        _carry(w, al, r, v, acc, lanes)
        if slot[i] >= 0:
            _take(rate, slot[i], s, a, lanes)
            _take(rate2, slot[i], s2, a, lanes)
            _turn(q, s, lanes)
            _turn(q, s2, lanes)
            _slide(w, s, s2, v, acc, lanes)
    _compose(q, rotation, i, a, lanes)
    if moving:
        _take(omega, i, s, a, lanes)
        _take(alpha, i, s2, a, lanes)
        _turn(q, s, lanes)
        _turn(q, s2, lanes)
        _join(s, s2, w, al, lanes)


@inlined
def _finish(top, root, shift, offset, new_slot, new, world, spare, moving, to, lanes):
    """Move from the new root's old origin to the support point, and write its free joint."""
    rotation2, displacement2, omega2, alpha2, first, second = new
    q, p, w, al, v, acc = world
    r, m = spare[0], new_slot[top]
    for c in range(3):
        for k in range(lanes):
            r[c, k] = shift[c]
            p[c, k] -= offset[root, c]
    _turn(q, r, lanes)
    _step(p, r, lanes)
    _put(q, rotation2, top, to, lanes)
    _put(p, displacement2, m, to, lanes)
    if moving:
        _carry(w, al, r, v, acc, lanes)
        _turn_into(q, w, omega2, top, to, lanes)
        _turn_into(q, al, alpha2, top, to, lanes)
        _put(v, first, m, to, lanes)
        _put(acc, second, m, to, lanes)


@inlined
def _keep_all(kept, slot, new_slot, old, new, moving, a, frames):
    """Copy the states of the bodies off the chain."""
    rotation, displacement, omega, alpha, rate, rate2 = old
    rotation2, displacement2, omega2, alpha2, first, second = new
    for i in kept:
        _keep(rotation, i, rotation2, i, a, frames)
        if slot[i] >= 0:
            _keep(displacement, slot[i], displacement2, new_slot[i], a, frames)
        if moving:
            _keep(omega, i, omega2, i, a, frames)
            _keep(alpha, i, alpha2, i, a, frames)
            if slot[i] >= 0:
                _keep(rate, slot[i], first, new_slot[i], a, frames)
                _keep(rate2, slot[i], second, new_slot[i], a, frames)


@inlined
def keep_slides(kept, slot, new_slot, old, new, a, frames):
    """Copy how the joints of the bodies off the chain slide, where they do."""
    _, displacement, _, _, rate, rate2 = old
    _, displacement2, _, _, first, second = new
    for i in kept:
        if slot[i] >= 0:
            _keep(displacement, slot[i], displacement2, new_slot[i], a, frames)
            _keep(rate, slot[i], first, new_slot[i], a, frames)
            _keep(rate2, slot[i], second, new_slot[i], a, frames)


@kernel
def room_to_walk():
    """Return room for one body in the world (poses, velocities, accelerations), and some to spare.

    For :func:`chain_states`, in blocks of ``LANES`` frames.
    """
    q, p = np.empty((4, LANES)), np.empty((3, LANES))
    w, al = np.empty((3, LANES)), np.empty((3, LANES))
    v, acc = np.empty((3, LANES)), np.empty((3, LANES))
    spare = np.empty((3, LANES)), np.empty((3, LANES)), np.empty((3, LANES))
    return (q, p, w, al, v, acc), spare


@inlined
def chain_states(chain, offset, slot, new_slot, shift, old, new, room, moving, a, to, lanes):
    """Fill the states of the chain's bodies, at most ``LANES`` frames from ``a`` on, at ``to``.

    Arguments as in :func:`states`; ``room`` of :func:`room_to_walk`. Frames are unsigned: no index
    can count from the end, which leaves loops the compiler vectorises.
    """
    world, spare = room
    top, root = chain[0], chain[-1]
    _start(root, offset, slot, old, world, moving, a, lanes)
    for j in range(len(chain) - 2, -1, -1):
        i = chain[j]
        _invert(i, chain[j + 1], slot, new_slot, old, new, spare, moving, a, to, lanes)
        _descend(i, offset, slot, old, world, spare, moving, a, lanes)
    _finish(top, root, shift, offset, new_slot, new, world, spare, moving, to, lanes)


@kernel
def states(chain, kept, offset, slot, new_slot, shift, old, new, moving, a, b):
    """Fill the states of a re-rooted motion from frames a to b of the old one.

    ``chain``: bodies from the new root to the old one; ``kept``: all others. ``offset (n, 3)``,
    ``slot (n)`` of the old tree, ``new_slot (n)`` of the new; ``shift (3)`` from the new root's old
    origin to the support point, body axes. ``old`` and ``new``: rotation ``(n, 4, F)``,
    displacement ``(k, 3, F)``, angular velocity, angular acceleration ``(n, 3, F)``, displacement
    velocity, acceleration ``(k, 3, F)``; the last four may be empty if not ``moving``.
    """
    _keep_all(kept, slot, new_slot, old, new, moving, np.uint64(a), np.uint64(b - a))
    room = room_to_walk()
    for start in range(a, b, LANES):
        lanes, f, to = np.uint64(min(LANES, b - start)), np.uint64(start), np.uint64(start - a)
        chain_states(chain, offset, slot, new_slot, shift, old, new, room, moving, f, to, lanes)
