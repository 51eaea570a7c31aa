"""Newton-Euler on support-rooted trees and capture tree: always capture parent on child."""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from mocap_reroot.contact.poses import ContactPoses
from mocap_reroot.errors import MocapRerootError
from mocap_reroot.mechanics.kinematics import forward
from mocap_reroot.mechanics.newton_euler import require_derivatives
from mocap_reroot.mechanics.whole_body import origin_of_root
from mocap_reroot.types import (
    STANDARD_GRAVITY,
    BodyModel,
    Ground,
    Motion,
    Rooted,
    Skeleton,
    Support,
    Total,
    default,
    read_only,
)

if TYPE_CHECKING:
    from mocap_reroot.kernels import rooted as kernels


@dataclass(frozen=True, eq=False)
class JointWrenches:
    """What every capture joint exerts on its body: force and moment ``(n, 3, F)``, N, N·m.

    At the body's capture origin, in its axes; NaN at the capture root.
    """

    force: np.ndarray
    moment: np.ndarray


@dataclass(frozen=True, eq=False)
class BodyLoads:
    """Wrenches of the ground on bodies.

    Attributes:
        bodies: ``(e)`` on which body each acts.
        feet: ``(e)`` of which foot it is the load, counted as in a support; one more: of none.
        force, moment: ``(e, 3, F)`` N, N·m, about the bodies' capture origins, in their axes.
    """

    bodies: np.ndarray
    feet: np.ndarray
    force: np.ndarray
    moment: np.ndarray

    @staticmethod
    def none(frames: int) -> BodyLoads:
        """Return no loads at all."""
        nobody, nothing = read_only([], np.int64), read_only(np.empty((0, 3, frames)))
        return BodyLoads(nobody, nobody, nothing, nothing)

    @property
    def arrays(self) -> kernels.Pushes:
        """As the kernels take them."""
        from mocap_reroot.kernels.rooted import Pushes

        return Pushes(self.bodies, self.force, self.moment)


class Trees:
    """The trees of a motion's phases, stacked as the kernels take them.

    Args:
        captured: The capture tree.
        trees: One a phase; phases may share one.
        body: Mass model.
    """

    def __init__(self, captured: Skeleton, trees: Sequence[Skeleton], body: BodyModel) -> None:
        if np.any(captured.origin != 0):
            raise MocapRerootError(
                f"This motion is re-rooted at {captured.names[captured.root]!r}; joint torques are "
                "those of the capture tree. Use the captured motion."
            )
        if body.skeleton.names != captured.names:
            raise MocapRerootError("The body model was made for another skeleton: names differ.")
        from mocap_reroot.kernels.rooted import Stack

        distinct = {id(tree): tree for tree in trees}
        number = {key: k for k, key in enumerate(distinct)}
        self.of_phase = [number[id(tree)] for tree in trees]
        rows = [_row(captured, tree, body) for tree in distinct.values()]
        kinds = (*[np.int64] * 3, *[np.float64] * 4, *[np.int64] * 2)
        columns = [np.array(column) for column in zip(*rows, strict=True)]
        self.arrays = Stack(*map(read_only, columns, kinds))


def _row(captured: Skeleton, tree: Skeleton, body: BodyModel) -> tuple[np.ndarray | int, ...]:
    """Return one tree as a row of a ``Stack``."""
    chain = list(captured.chain(tree.root))
    others = [i for i in range(tree.n_bodies) if i not in set(chain)]
    # Each joint of the chain waits in the slot of its capture parent, see kernels.rooted.
    arm = np.zeros((tree.n_bodies, 3))
    arm[chain[:-1]] = tree.offset[chain[1:]] + tree.origin[chain[:-1]]
    return (
        tree.order, tree.parents, tree.slot, tree.offset, tree.origin, body.com - tree.origin,
        arm, np.array(chain + others), len(chain),
    )  # fmt: skip


@dataclass(frozen=True, eq=False)
class Clip:
    """A captured motion with its mass model, and the phases it is looked at in.

    Attributes:
        motion: Captured, with derivatives.
        body: Its mass model.
        trees: Of the phases.
        phases: ``(p, 3)`` first frame, frame after the last, tree.
    """

    motion: Motion
    body: BodyModel
    trees: Trees
    phases: np.ndarray

    @staticmethod
    def captured(motion: Motion, body: BodyModel) -> Clip:
        """Return a motion as one phase, seen from its capture root."""
        require_derivatives(motion)
        trees = Trees(motion.skeleton, [motion.skeleton], body)
        return Clip(motion, body, trees, read_only([[0, motion.n_frames, 0]], np.int64))

    @staticmethod
    def rooted(rooted: Rooted, body: BodyModel) -> Clip:
        """Return the phases of a motion that take part, each seen from its own root."""
        require_derivatives(rooted.captured)
        trees = Trees(rooted.captured.skeleton, rooted.trees, body)
        rows = [
            (*rooted.span(k), trees.of_phase[k])
            for k, phase in enumerate(rooted.phases)
            if phase.mode != "none"
        ]
        phases = read_only(np.reshape(rows, (-1, 3)), np.int64)
        return Clip(rooted.captured, body, trees, phases)

    @cached_property
    def arrays(self) -> kernels.Clip:
        """As the kernels take them."""
        from mocap_reroot.kernels.rooted import Clip

        motion, skeleton = self.motion, self.motion.skeleton
        state: Any = (
            motion.rotation, motion.displacement, motion.angular_velocity,
            motion.angular_acceleration, motion.linear_velocity, motion.linear_acceleration,
        )  # fmt: skip
        down = read_only(-STANDARD_GRAVITY * motion.up)
        tree = skeleton.root, skeleton.offset, skeleton.slot
        return Clip(*tree, self.body.mass, self.body.inertia, down, state)


def support_rooted(clip: Clip, threads: int = 1) -> tuple[JointWrenches, Total]:
    """Return joint wrenches as if each phase's root bore everything, and what it bears.

    Frames that are left out stay NaN. Threads share the phases; the result is the same to the last
    bit.
    """
    motion, frames = clip.motion, clip.motion.n_frames
    about = origin_of_root(motion)
    shape = motion.skeleton.n_bodies, 3, frames
    found, total = JointWrenches(np.empty(shape), np.empty(shape)), np.empty((6, frames))
    for rest in _between(clip.phases, frames):
        found.force[..., rest] = found.moment[..., rest] = np.nan
        total[:, rest] = np.nan
    everywhere = np.ones(frames, bool)

    def work(phases: np.ndarray) -> None:
        _compute(replace(clip, phases=phases), found, about=about, total=total, put=everywhere)

    if threads <= 1:
        work(clip.phases)
    else:
        with ThreadPoolExecutor(threads) as pool:
            list(pool.map(work, _portions(clip.phases, threads)))
    return found, Total(total[:3], total[3:], about, motion.up)


def put_loads(
    found: JointWrenches, clip: Clip, loads: BodyLoads, where: np.ndarray, compare: np.ndarray
) -> float:
    """Compute by the capture tree under loads; return how far that is from what was found.

    Args:
        found: Wrenches without the loads; those of the frames ``where`` are replaced.
        clip: The motion.
        loads: Wrenches of the ground.
        where: ``(F)`` frames in which the loads are to decide.
        compare: ``(F)`` frames whose torques should be the same.

    Returns:
        float: Largest difference in N·m, −1 where nothing could be compared.
    """
    whole = Clip.captured(clip.motion, clip.body)
    return _compute(whole, found, loads, compare=compare, put=where)


def other_feet_agree(
    found: JointWrenches,
    rooted: Rooted,
    clip: Clip,
    support: Support,
    loads: BodyLoads,
    compare: np.ndarray,
) -> float:
    """Return how far torques are from those of the support-rooted trees under the other feet.

    Args:
        found: Wrenches under the loads.
        rooted: For the roots of the phases.
        clip: Its trees.
        support: Who carries.
        loads: Wrenches of the ground; a root needs none on its own foot.
        compare: ``(F)`` frames in which several feet carry.

    Returns:
        float: Largest difference in N·m, −1 where nothing could be compared.
    """
    feet = [*(support.bodies(k) for k in range(len(support.feet))), ()]
    roots = [phase.root for phase in rooted.phases if phase.mode != "none"]
    bears = [bool(compare[a:b].any()) for a, b in clip.phases[:, :2].tolist()]
    own = [[root in feet[k] for k in loads.feet] for root in roots]
    chosen = replace(clip, phases=read_only(clip.phases[bears], np.int64))
    left_out = np.reshape(own, (len(roots), -1)).astype(bool)[bears]
    return _compute(chosen, found, loads, left_out, compare=compare)


def _compute(
    clip: Clip,
    found: JointWrenches,
    loads: BodyLoads | None = None,
    left_out: np.ndarray | None = None,
    *,
    about: np.ndarray | None = None,
    total: np.ndarray | None = None,
    compare: np.ndarray | None = None,
    put: np.ndarray | None = None,
) -> float:
    """Run the kernel; what is not given is not wanted. Return the largest difference compared."""
    from mocap_reroot.kernels.rooted import phase_wrenches

    frames = clip.motion.n_frames
    loads = loads or BodyLoads.none(frames)
    left_out = default(left_out, np.zeros((len(clip.phases), len(loads.bodies)), bool))
    nowhere = np.zeros(frames, bool)
    about, total = default(about, np.empty((3, 0))), default(total, np.empty((6, 0)))
    return float(
        phase_wrenches(
            clip.trees.arrays, clip.phases, clip.arrays, loads.arrays, left_out, read_only(about),
            total, found.force, found.moment, (default(compare, nowhere), default(put, nowhere)),
        )
    )  # fmt: skip


def _between(phases: np.ndarray, frames: int) -> list[slice]:
    """Return the frames that no phase covers."""
    edges = [0, *phases[:, :2].ravel().tolist(), frames]
    return [slice(a, b) for a, b in zip(edges[::2], edges[1::2], strict=True) if a < b]


def _portions(phases: np.ndarray, threads: int) -> list[np.ndarray]:
    """Share phases among threads, about alike; long ones are cut between blocks of frames."""
    from mocap_reroot.kernels.compiling import LANES

    frames = int((phases[:, 1] - phases[:, 0]).sum())
    longest = max(LANES, -(-frames // (8 * threads * LANES)) * LANES)
    pieces = [
        (start, min(start + longest, stop), tree)
        for first, stop, tree in phases.tolist()
        for start in range(first, stop, longest)
    ]
    done = np.cumsum([0] + [b - a for a, b, _ in pieces])
    cuts = np.searchsorted(done, [frames * k // threads for k in range(threads + 1)])
    return [
        read_only(np.reshape(pieces[a:b], (-1, 3)), np.int64)
        for a, b in zip(cuts[:-1].tolist(), cuts[1:].tolist(), strict=True)
    ]


def loads_on_bodies(world: ContactPoses, ground: Ground, about: np.ndarray) -> BodyLoads:
    """Return the loads of all feet, and pushes from elsewhere, as wrenches on bodies.

    What acts on the capture root is left out, like a residual: it is the rest.
    """
    from mocap_reroot.kernels.rooted import on_body

    support, motion = ground.support, world.motion
    pairs = [(k, part) for k in range(len(support.feet)) for part in support.bodies(k)]
    rows = list(zip(support.part, ground.loads.force, ground.loads.moment, strict=True))
    pose: Any = world
    if ground.pushed is not None and ground.external is not None:
        root = motion.skeleton.root
        pushed = [int(b) for b in np.unique(ground.pushed) if b not in (-1, root)]
        pairs += [(len(rows), body) for body in pushed]
        rows.append((ground.pushed, ground.external[:3], ground.external[3:]))
        pose = forward(poses_only(motion)) if pushed else world
    forces, moments = np.empty((2, len(pairs), 3, motion.n_frames))
    point = read_only(about)
    for e, (k, part) in enumerate(pairs):
        who, force, moment = rows[k]
        on_body(
            part, read_only(who, np.int64), read_only(pose.orientation[part]),
            read_only(pose.position[part]), read_only(force), read_only(moment), point, forces[e],
            moments[e],
        )  # fmt: skip
    feet, bodies = (read_only(ids, np.int64) for ids in np.reshape(pairs, (-1, 2)).T)
    return BodyLoads(bodies, feet, read_only(forces), read_only(moments))


def poses_only(motion: Motion) -> Motion:
    """Return the motion without derivatives: placing it in the world is then cheaper."""
    return Motion(
        motion.skeleton, motion.fps, motion.up, motion.rotation, motion.displacement,
        flags=motion.flags, start=motion.start,
    )  # fmt: skip
