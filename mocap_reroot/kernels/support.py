"""Inverse dynamics of a captured motion through support-rooted trees, phase by phase.

A block of frames is re-rooted, goes through Newton-Euler, and is told in the capture tree's
convention while it stays in the cache; no re-rooted motion is ever held as a whole.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from mocap_reroot.kernels.compiling import LANES, inlined, kernel
from mocap_reroot.kernels.convention import hand_down
from mocap_reroot.kernels.newton_euler import gather, room_for, wrench_block
from mocap_reroot.kernels.reroot import chain_states, keep_slides, room_to_walk


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
def _told(trees, t, root, new, force, moment, frames):
    """Tell the wrenches of a block in the capture tree's convention."""
    chain, arm, slot = trees.path[t, : trees.length[t]], trees.arm[t], trees.slot[t]
    hand_down(chain, arm, slot, new[0], new[1], force, moment, frames)
    for c in range(3):
        for f in range(frames):
            force[root, c, f] = np.nan
            moment[root, c, f] = np.nan


@kernel
def _bear(q, slide, stand, wrench, about, total, a, frames):
    """Write what a root bears, world axes, about a point: total (6, F), force and moment."""
    force, moment = wrench
    for k in range(frames):
        f, g = np.uint64(a + k), np.uint64(k)
        w, x, y, z = q[0, k], q[1, k], q[2, k], q[3, k]
        vx, vy, vz = force[0, g], force[1, g], force[2, g]
        tx, ty, tz = 2 * (y * vz - z * vy), 2 * (z * vx - x * vz), 2 * (x * vy - y * vx)
        fx, fy, fz = (
            vx + w * tx + y * tz - z * ty,
            vy + w * ty + z * tx - x * tz,
            vz + w * tz + x * ty - y * tx,
        )
        vx, vy, vz = moment[0, g], moment[1, g], moment[2, g]
        tx, ty, tz = 2 * (y * vz - z * vy), 2 * (z * vx - x * vz), 2 * (x * vy - y * vx)
        rx = stand[0] + slide[0, k] - about[0, f]
        ry = stand[1] + slide[1, k] - about[1, f]
        rz = stand[2] + slide[2, k] - about[2, f]
        total[0, f], total[1, f], total[2, f] = fx, fy, fz
        total[3, f] = vx + w * tx + y * tz - z * ty + ry * fz - rz * fy
        total[4, f] = vy + w * ty + z * tx - x * tz + rz * fx - rx * fz
        total[5, f] = vz + w * tz + x * ty - y * tx + rx * fy - ry * fx


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
                _bear(new[0][top], slide, stand, wrench, about, total, start, lanes)
            if force.shape[2] > 0:
                _told(trees, t, clip.root, new, force2, moment2, lanes)
                worst = max(worst, _difference(moment, moment2, compare, start, lanes))
                _replace(force2, replace, force, start, lanes)
                _replace(moment2, replace, moment, start, lanes)
    return worst
