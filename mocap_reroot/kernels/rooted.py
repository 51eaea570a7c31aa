"""Inverse dynamics of a captured motion through support-rooted trees, phase by phase.

A block of frames is re-rooted, goes through Newton-Euler, and is brought into the capture tree's
convention (a joint on the chain is seen from its other side) while it stays in the cache; no
re-rooted motion is ever held as a whole.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from mocap_reroot.kernels.compiling import LANES, inlined, kernel
from mocap_reroot.kernels.newton_euler import gather, room_for, wrench_block
from mocap_reroot.kernels.reroot import chain_states, keep_slides, room_to_walk
from mocap_reroot.kernels.rotations import rotated


@kernel
def _other_side(q, v, out, lanes):
    """Set out = −R v; out is another array than v."""
    for f in range(lanes):
        w, x, y, z = q[0, f], q[1, f], q[2, f], q[3, f]
        vx, vy, vz = v[0, f], v[1, f], v[2, f]
        out[0, f], out[1, f], out[2, f] = rotated(w, x, y, z, -vx, -vy, -vz)


@kernel
def _carry(arm, force, moment, lanes):
    """Add arm × force to the moment, for a constant arm."""
    rx, ry, rz = arm[0], arm[1], arm[2]
    for f in range(lanes):
        x, y, z = force[0, f], force[1, f], force[2, f]
        moment[0, f] += ry * z - rz * y
        moment[1, f] += rz * x - rx * z
        moment[2, f] += rx * y - ry * x


@kernel
def _carry_slid(u, force, moment, lanes):
    """Add u × force to the moment, u how far the joint has slid."""
    for f in range(lanes):
        rx, ry, rz = u[0, f], u[1, f], u[2, f]
        x, y, z = force[0, f], force[1, f], force[2, f]
        moment[0, f] += ry * z - rz * y
        moment[1, f] += rz * x - rx * z
        moment[2, f] += rx * y - ry * x


@inlined
def to_capture_side(chain, arm, slot, rotation, displacement, force, moment, frames):
    """Give every joint of a chain from its parent's slot to its child's, in place, for a block.

    The child's own slot is free by then, as it is read one step earlier.

    Args:
        chain: (m) bodies from the current root to the capture root.
        arm: (n, 3) from each child's capture origin to where its joint now acts, its axes.
        slot: (n) rows of displacement.
        rotation, displacement: (n, 4, ≥ frames), (k, 3, ≥ frames) of the re-rooted motion.
        force, moment: (n, 3, ≥ frames) in and out.
        frames: How many.
    """
    lanes = np.uint64(frames)
    for j in range(len(chain) - 1):
        child, parent = chain[j], chain[j + 1]
        _other_side(rotation[parent], force[parent], force[child], lanes)
        _other_side(rotation[parent], moment[parent], moment[child], lanes)
        _carry(arm[child], force[child], moment[child], lanes)
        if slot[parent] >= 0:
            _carry_slid(displacement[slot[parent]], force[child], moment[child], lanes)


class Stack(NamedTuple):
    """Trees of the same bodies, one on another.

    Attributes:
        order, parents, slot: ``(t, n)`` as in a Skeleton.
        offset, origin: ``(t, n, 3)`` m, likewise.
        com: ``(t, n, 3)`` m, from the bodies' current origins.
        arm: ``(t, n, 3)`` m, from a child's capture origin to where its joint now acts.
        path: ``(t, n)`` the bodies from the current root to the capture root, then all others.
        length: ``(t)`` how many those first ones are.
    """

    order: np.ndarray
    parents: np.ndarray
    slot: np.ndarray
    offset: np.ndarray
    origin: np.ndarray
    com: np.ndarray
    arm: np.ndarray
    path: np.ndarray
    length: np.ndarray


class Clip(NamedTuple):
    """A captured motion with its mass model.

    Attributes:
        root: The capture root.
        offset, slot: ``(n, 3)``, ``(n)`` of the capture tree.
        mass, inertia: ``(n)`` kg, ``(n, 3, 3)`` kg·m².
        gravity: ``(3)`` m/s², world axes.
        state: rotation ``(n, 4, F)``, displacement ``(k, 3, F)``, angular velocity and
            acceleration ``(n, 3, F)``, those of displacement ``(k, 3, F)``.
    """

    root: int
    offset: np.ndarray
    slot: np.ndarray
    mass: np.ndarray
    inertia: np.ndarray
    gravity: np.ndarray
    state: tuple[np.ndarray, ...]


class Pushes(NamedTuple):
    """Wrenches from outside.

    Attributes:
        body: ``(e)`` on which body each acts.
        force, moment: ``(e, 3, F)`` about the bodies' capture origins, in their axes.
    """

    body: np.ndarray
    force: np.ndarray
    moment: np.ndarray


@kernel
def _room(bodies):
    """Return joint states of a block in a re-rooted tree, to be filled.

    Of the rows for joints that slide the last is that of a root which does not (its slot is −1).
    """
    rotation, slide = np.empty((bodies, 4, LANES)), np.empty((bodies + 1, 3, LANES))
    omega, alpha = np.empty((bodies, 3, LANES)), np.empty((bodies, 3, LANES))
    rate, rate2 = np.empty((bodies + 1, 3, LANES)), np.empty((bodies + 1, 3, LANES))
    return rotation, slide, omega, alpha, rate, rate2


@inlined
def _block(trees, t, clip, pushes, left_out, new, walk, room, wrench, a, frames, wanted):
    """Fill the wrenches of some frames by the tree t, still at its origins and in its sense.

    Of its first bodies only, as many as are wanted.
    """
    chain, kept = trees.path[t, : trees.length[t]], trees.path[t, trees.length[t] :]
    slot, shift = trees.slot[t], trees.origin[t, chain[0]]
    first, here, lanes = np.uint64(a), np.uint64(0), np.uint64(frames)
    chain_states(
        chain, clip.offset, clip.slot, slot, shift, clip.state, new, walk, True, first, here, lanes
    )
    keep_slides(kept, clip.slot, slot, clip.state, new, first, lanes)
    rotation, slide, omega, alpha, rate, rate2 = new
    gather(chain, rotation, omega, alpha, room, here, lanes)
    gather(kept, clip.state[0], clip.state[2], clip.state[3], room, first, lanes)
    slides = slide, rate, rate2
    tree = trees.order[t], trees.parents[t], trees.offset[t], slot
    model = clip.mass, trees.com[t], clip.inertia
    external = pushes.body, pushes.force, pushes.moment, trees.origin[t], left_out
    force, moment = wrench
    wrench_block(
        tree, model, clip.gravity, slides, external, force, moment, room, (here, first, here),
        lanes, wanted,
    )  # fmt: skip


@inlined
def _to_capture(trees, t, root, new, force, moment, frames):
    """Tell the wrenches of a block in the capture tree's convention."""
    chain, arm, slot = trees.path[t, : trees.length[t]], trees.arm[t], trees.slot[t]
    to_capture_side(chain, arm, slot, new[0], new[1], force, moment, frames)
    for c in range(3):
        for f in range(frames):
            force[root, c, f] = np.nan
            moment[root, c, f] = np.nan


@kernel
def _support_wrench(q, slide, stand, wrench, about, total, a, frames):
    """Write what a root bears, world axes, about a point: total (6, F), force and moment."""
    force, moment = wrench
    for k in range(frames):
        f, g = np.uint64(a + k), np.uint64(k)
        w, x, y, z = q[0, k], q[1, k], q[2, k], q[3, k]
        vx, vy, vz = force[0, g], force[1, g], force[2, g]
        fx, fy, fz = rotated(w, x, y, z, vx, vy, vz)
        vx, vy, vz = moment[0, g], moment[1, g], moment[2, g]
        mx, my, mz = rotated(w, x, y, z, vx, vy, vz)
        rx = stand[0] + slide[0, k] - about[0, f]
        ry = stand[1] + slide[1, k] - about[1, f]
        rz = stand[2] + slide[2, k] - about[2, f]
        total[0, f], total[1, f], total[2, f] = fx, fy, fz
        total[3, f] = mx + ry * fz - rz * fy
        total[4, f] = my + rz * fx - rx * fz
        total[5, f] = mz + rx * fy - ry * fx


@kernel
def _difference(moment, moment2, compare, start, frames):
    """Return the largest difference in some frames of a block, −1 where there is none."""
    worst = -1.0
    for i in range(moment.shape[0]):
        for c in range(3):
            for k in range(frames):
                if compare[start + k]:
                    gap = abs(moment[i, c, start + k] - moment2[i, c, k])
                    if gap > worst:  # never of a NaN
                        worst = gap
    return worst


@kernel
def _replace(block, replace, rows, start, frames):
    """Put some frames of a block in their place."""
    every = True
    for k in range(frames):
        every &= replace[start + k]
    first, lanes = np.uint64(start), np.uint64(frames)
    for i in range(block.shape[0]):
        for c in range(3):
            if every:
                for k in range(lanes):
                    rows[i, c, first + k] = block[i, c, k]
            else:
                for k in range(lanes):
                    if replace[first + k]:
                        rows[i, c, first + k] = block[i, c, k]


@kernel
def phase_wrenches(trees, phases, clip, pushes, left_out, about, total, force, moment, frames):
    """Compute every phase by its own tree; fill what its root bears and what its joints carry.

    Args:
        trees, clip, pushes: See above.
        phases: (p, 3) first frame, frame after the last, tree.
        left_out: (p, e) pushes that a phase does without.
        about: (3, F) where the total is wanted.
        total: (6, F) out, force and moment that the roots bear, world axes; (6, 0) if not wanted.
        force, moment: (n, 3, F) in and out, in the capture tree's convention; (n, 3, 0) likewise.
        frames: compare (F), replace (F): where moments given are compared with those found, and
            where wrenches found are put in place of those given.

    Returns:
        The largest difference of the moments compared, −1 if there are none.
    """
    compare, replace = frames
    n = trees.order.shape[1]
    new, walk, room = _room(n), room_to_walk(), room_for(n)
    force2, moment2 = np.empty((n, 3, LANES)), np.empty((n, 3, LANES))
    worst = -1.0
    for k in range(len(phases)):
        t = phases[k, 2]
        top = trees.order[t, 0]
        for start in range(phases[k, 0], phases[k, 1], LANES):
            lanes = min(LANES, phases[k, 1] - start)
            _block(
                trees, t, clip, pushes, left_out[k], new, walk, room, (force2, moment2), start,
                lanes, n if force.shape[2] > 0 else 1,
            )  # fmt: skip
            if total.shape[1] > 0:
                stand, slide = trees.offset[t, top], new[1][trees.slot[t, top]]
                wrench = force2[top], moment2[top]
                _support_wrench(new[0][top], slide, stand, wrench, about, total, start, lanes)
            if force.shape[2] > 0:
                _to_capture(trees, t, clip.root, new, force2, moment2, lanes)
                worst = max(worst, _difference(moment, moment2, compare, start, lanes))
                _replace(force2, replace, force, start, lanes)
                _replace(moment2, replace, moment, start, lanes)
    return worst


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
        fx, fy, fz = rotated(w, x, y, z, fx, fy, fz)
        mx, my, mz = rotated(w, x, y, z, mx, my, mz)
        out_force[0, f], out_force[1, f], out_force[2, f] = fx, fy, fz
        out_moment[0, f], out_moment[1, f], out_moment[2, f] = mx, my, mz
