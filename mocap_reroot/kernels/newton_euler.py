"""Newton-Euler over blocks of frames: the wrench of every parent on its child.

Body axes throughout; ``R`` turns a body's axes into its parent's, ``t`` stands from the parent's
origin to the body's, ``c`` from the body's origin to its centre of mass. Outwards:

    w  = Rᵀ w_p + ω
    w' = Rᵀ w_p' + ω' + (Rᵀ w_p) × ω
    a  = Rᵀ (a_p + w_p' × t + w_p × (w_p × t) [+ ü + 2 w_p × u̇])       a of the root less gravity
    f  = m (a + w' × c + w × (w × c)) − f_ext
    n  = I w' + w × I w + c × (f + f_ext) − n_ext

and inwards: ``f_p += R f``, ``n_p += R n + t × R f``. A block of ``LANES`` frames goes through the
whole tree while it stays in the cache. All that is known of a body in a block lies in one row of
memory, component after component: a step reads its parent's row and its own, and the compiler makes
SIMD code of it because two rows need only one test that they do not overlap.
"""

from __future__ import annotations

import numpy as np

from mocap_reroot.kernels.compiling import LANES, inlined, kernel
from mocap_reroot.kernels.rotations import matrix, rotated

# Where the components begin in a body's row, and the steps from x to y and z (and w to z).
Y, Z, ZQ = LANES, 2 * LANES, 3 * LANES
Q, JOINT_W, JOINT_AL = 0, 4 * LANES, 7 * LANES
W, AL, ACC, F, N = 10 * LANES, 13 * LANES, 16 * LANES, 19 * LANES, 22 * LANES
SIZE = 25 * LANES
# As arguments: a function is compiled again for every number that is written out.
AT_Q, AT_JOINT_W, AT_JOINT_AL = np.int64(Q), np.int64(JOINT_W), np.int64(JOINT_AL)
AT_F, AT_N = np.int64(F), np.int64(N)


@kernel
def room_for(bodies):
    """Return a row for every body, one for the world, and one for a parent that is slid along."""
    room = np.empty((bodies + 2, SIZE))
    for k in range(SIZE):
        room[bodies, k] = 0.0  # the world stands
    return room


@kernel
def _gather(rows, i, me, at, a, lanes):
    """Copy the components of a body from frame a on into its row."""
    for c in range(rows.shape[1]):
        begin = np.uint64(at + c * LANES)
        for k in range(lanes):
            me[begin + k] = rows[i, c, a + k]


@kernel
def _scatter(me, at, rows, i, put, lanes):
    """Copy a vector of a body's row to its frames."""
    for c in range(3):
        begin = np.uint64(at + c * LANES)
        for k in range(lanes):
            rows[i, c, put + k] = me[begin + k]


@kernel
def _take(me, at, external, j, a, lanes):
    """Subtract what acts from outside."""
    for c in range(3):
        begin = np.uint64(at + c * LANES)
        for k in range(lanes):
            me[begin + k] -= external[j, c, a + k]


@kernel
def _take_moved(me, external, j, arm, a, lanes):
    """Subtract the moment of an outer force whose point of reference is not the origin."""
    rx, ry, rz = arm[0], arm[1], arm[2]
    for k in range(lanes):
        x, y, z = external[j, 0, a + k], external[j, 1, a + k], external[j, 2, a + k]
        me[N + k] += ry * z - rz * y
        me[N + Y + k] += rz * x - rx * z
        me[N + Z + k] += rx * y - ry * x


@kernel
def _hold(gravity, rate2, slot, me, a, lanes):
    """Let the world accelerate like the root's joint, with gravity turned into it: ü − g."""
    for c in range(3):
        begin = np.uint64(ACC + c * LANES)
        for k in range(lanes):
            me[begin + k] = -gravity[c]
        if slot >= 0:
            for k in range(lanes):
                me[begin + k] += rate2[slot, c, a + k]


@kernel
def _slide(up, u, rate, rate2, slid, s, a, lanes):
    """Set slid = the parent as seen by a joint that has slid by u: ACC has what that adds."""
    for k in range(lanes):
        f = a + k
        x, y, z = up[W + k], up[W + Y + k], up[W + Z + k]
        rx, ry, rz = u[s, 0, f], u[s, 1, f], u[s, 2, f]
        # w × (w × u + 2 u̇) holds both the centripetal and the Coriolis term
        cx = y * rz - z * ry + 2 * rate[s, 0, f]
        cy = z * rx - x * rz + 2 * rate[s, 1, f]
        cz = x * ry - y * rx + 2 * rate[s, 2, f]
        ex, ey, ez = up[AL + k], up[AL + Y + k], up[AL + Z + k]
        slid[W + k], slid[W + Y + k], slid[W + Z + k] = x, y, z
        slid[AL + k], slid[AL + Y + k], slid[AL + Z + k] = ex, ey, ez
        slid[ACC + k] = up[ACC + k] + rate2[s, 0, f] + ey * rz - ez * ry + y * cz - z * cy
        slid[ACC + Y + k] = up[ACC + Y + k] + rate2[s, 1, f] + ez * rx - ex * rz + z * cx - x * cz
        slid[ACC + Z + k] = up[ACC + Z + k] + rate2[s, 2, f] + ex * ry - ey * rx + x * cy - y * cx


@kernel
def _outwards(up, offset, mass, com, inertia, me, i, lanes):
    """Move with the parent, and write what the body itself needs: its force and its moment."""
    tx, ty, tz = offset[i, 0], offset[i, 1], offset[i, 2]
    cx, cy, cz = com[i, 0], com[i, 1], com[i, 2]
    xx, yy, zz = inertia[i, 0, 0], inertia[i, 1, 1], inertia[i, 2, 2]
    xy, xz, yz = inertia[i, 0, 1], inertia[i, 0, 2], inertia[i, 1, 2]
    m = mass[i]
    for k in range(lanes):
        w, x, y, z = me[Q + k], me[Q + Y + k], me[Q + Z + k], me[Q + ZQ + k]
        e0, e1, e2, e3, e4, e5, e6, e7, e8 = matrix(w, x, y, z)
        # the parent: w, w', and the acceleration of the joint
        px, py, pz = up[W + k], up[W + Y + k], up[W + Z + k]
        dx, dy, dz = up[AL + k], up[AL + Y + k], up[AL + Z + k]
        ux, uy, uz = py * tz - pz * ty, pz * tx - px * tz, px * ty - py * tx
        jx = up[ACC + k] + dy * tz - dz * ty + py * uz - pz * uy
        jy = up[ACC + Y + k] + dz * tx - dx * tz + pz * ux - px * uz
        jz = up[ACC + Z + k] + dx * ty - dy * tx + px * uy - py * ux
        # the same in the body's axes
        wx = e0 * px + e3 * py + e6 * pz
        wy = e1 * px + e4 * py + e7 * pz
        wz = e2 * px + e5 * py + e8 * pz
        ax = e0 * jx + e3 * jy + e6 * jz
        ay = e1 * jx + e4 * jy + e7 * jz
        az = e2 * jx + e5 * jy + e8 * jz
        # the joint's own turning
        ox, oy, oz = me[JOINT_W + k], me[JOINT_W + Y + k], me[JOINT_W + Z + k]
        lx = e0 * dx + e3 * dy + e6 * dz + me[JOINT_AL + k] + wy * oz - wz * oy
        ly = e1 * dx + e4 * dy + e7 * dz + me[JOINT_AL + Y + k] + wz * ox - wx * oz
        lz = e2 * dx + e5 * dy + e8 * dz + me[JOINT_AL + Z + k] + wx * oy - wy * ox
        wx, wy, wz = wx + ox, wy + oy, wz + oz
        me[W + k], me[W + Y + k], me[W + Z + k] = wx, wy, wz
        me[AL + k], me[AL + Y + k], me[AL + Z + k] = lx, ly, lz
        me[ACC + k], me[ACC + Y + k], me[ACC + Z + k] = ax, ay, az
        # Newton
        ux, uy, uz = wy * cz - wz * cy, wz * cx - wx * cz, wx * cy - wy * cx
        fx = m * (ax + ly * cz - lz * cy + wy * uz - wz * uy)
        fy = m * (ay + lz * cx - lx * cz + wz * ux - wx * uz)
        fz = m * (az + lx * cy - ly * cx + wx * uy - wy * ux)
        me[F + k], me[F + Y + k], me[F + Z + k] = fx, fy, fz
        # Euler
        hx, hy, hz = (
            xx * wx + xy * wy + xz * wz,
            xy * wx + yy * wy + yz * wz,
            xz * wx + yz * wy + zz * wz,
        )
        me[N + k] = xx * lx + xy * ly + xz * lz + wy * hz - wz * hy + cy * fz - cz * fy
        me[N + Y + k] = xy * lx + yy * ly + yz * lz + wz * hx - wx * hz + cz * fx - cx * fz
        me[N + Z + k] = xz * lx + yz * ly + zz * lz + wx * hy - wy * hx + cx * fy - cy * fx


@kernel
def _inwards(up, me, i, offset, lanes):
    """Add a body's wrench to its parent's."""
    tx, ty, tz = offset[i, 0], offset[i, 1], offset[i, 2]
    for k in range(lanes):
        w, x, y, z = me[Q + k], me[Q + Y + k], me[Q + Z + k], me[Q + ZQ + k]
        vx, vy, vz = me[F + k], me[F + Y + k], me[F + Z + k]
        fx, fy, fz = rotated(w, x, y, z, vx, vy, vz)
        vx, vy, vz = me[N + k], me[N + Y + k], me[N + Z + k]
        nx, ny, nz = rotated(w, x, y, z, vx, vy, vz)
        up[F + k] += fx
        up[F + Y + k] += fy
        up[F + Z + k] += fz
        up[N + k] += nx + ty * fz - tz * fy
        up[N + Y + k] += ny + tz * fx - tx * fz
        up[N + Z + k] += nz + tx * fy - ty * fx


@kernel
def _inwards_slid(up, me, u, s, a, lanes):
    """Add what a joint slid by u adds to the parent's moment: u × R f."""
    for k in range(lanes):
        w, x, y, z = me[Q + k], me[Q + Y + k], me[Q + Z + k], me[Q + ZQ + k]
        vx, vy, vz = me[F + k], me[F + Y + k], me[F + Z + k]
        fx, fy, fz = rotated(w, x, y, z, vx, vy, vz)
        rx, ry, rz = u[s, 0, a + k], u[s, 1, a + k], u[s, 2, a + k]
        up[N + k] += ry * fz - rz * fy
        up[N + Y + k] += rz * fx - rx * fz
        up[N + Z + k] += rx * fy - ry * fx


@inlined
def gather(bodies, rotation, omega, alpha, room, a, lanes):
    """Copy how the joints of some bodies turn, from frame a on, into the bodies' rows."""
    for i in bodies:
        me = room[i]
        _gather(rotation, i, me, AT_Q, a, lanes)
        _gather(omega, i, me, AT_JOINT_W, a, lanes)
        _gather(alpha, i, me, AT_JOINT_AL, a, lanes)


@inlined
def wrench_block(tree, model, gravity, slides, external, force, moment, room, at, lanes, wanted):
    """Fill the wrenches of at most ``LANES`` frames, whose turns are in the rows already.

    Args:
        tree, model, gravity, force, moment: As in :func:`joint_wrenches`.
        slides: displacement, its velocity and acceleration (k, 3, F).
        external: bodies (e), force, moment (e, 3, F) in the bodies' axes, origin (n, 3): from the
            point about which a body's outer moment is given to its current origin, left out (e).
        room: Of :func:`room_for`.
        at: First frame of the slides, of the outer wrenches, and of the result. Unsigned: an index
            that may be negative needs a test, and tests are not vectorised.
        lanes: How many frames; unsigned.
        wanted: Of how many bodies, in order, the wrench is wanted.
    """
    order, parents, offset, slot = tree
    mass, com, inertia = model
    slide, rate, rate2 = slides
    pushed, push, couple, origin, left_out = external
    a, ext, put = at
    n = len(order)
    for i in order:
        p, s, me = parents[i], slot[i], room[i]
        up = room[p] if p >= 0 else room[n]
        if p < 0:
            _hold(gravity, rate2, s, up, a, lanes)
        elif s >= 0:
            _slide(up, slide, rate, rate2, room[n + 1], s, a, lanes)
            up = room[n + 1]
        _outwards(up, offset, mass, com, inertia, me, i, lanes)
    for j in range(len(pushed)):
        if not left_out[j]:
            me = room[pushed[j]]
            _take(me, AT_F, push, j, ext, lanes)
            _take(me, AT_N, couple, j, ext, lanes)
            _take_moved(me, push, j, origin[pushed[j]], ext, lanes)
    for j in range(n - 1, -1, -1):
        i = order[j]
        p, s, me = parents[i], slot[i], room[i]
        if p >= 0:
            _inwards(room[p], me, i, offset, lanes)
            if s >= 0:
                _inwards_slid(room[p], me, slide, s, a, lanes)
        if j < wanted:
            _scatter(me, AT_F, force, i, put, lanes)
            _scatter(me, AT_N, moment, i, put, lanes)


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
    rotation, omega, alpha, slide, rate, rate2 = state
    slides = slide, rate, rate2
    for start in range(a, b, LANES):
        first, lanes = np.uint64(start), np.uint64(min(LANES, b - start))
        put = np.uint64(at + start - a)
        gather(tree[0], rotation, omega, alpha, room, first, lanes)
        wrench_block(
            tree, model, gravity, slides, external, force, moment, room, (first, first, put), lanes,
            len(tree[0]),
        )  # fmt: skip
