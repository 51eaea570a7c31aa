"""Newton-Euler on a motion's pieces and on its capture tree, told in one convention."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from mocap_reroot.dynamics.convention import to_capture
from mocap_reroot.dynamics.ground import Loads, Support, Total, origin_of_root, total_of
from mocap_reroot.dynamics.newton_euler import Push, newton_euler
from mocap_reroot.dynamics.vectors import cross
from mocap_reroot.kinematics import World
from mocap_reroot.types import BodyModel, Motion, Phase, Rooted


@dataclass(frozen=True, eq=False)
class JointWrenches:
    """What every capture joint exerts on its body: force and moment ``(n, 3, F)``, N, N·m.

    At the body's capture origin, in its axes; NaN at the capture root.
    """

    force: np.ndarray
    moment: np.ndarray

    @staticmethod
    def empty(bodies: int, frames: int) -> JointWrenches:
        """Return wrenches to be filled in; NaN until then."""
        return JointWrenches(*(np.full((bodies, 3, frames), np.nan) for _ in range(2)))


def support_rooted(
    rooted: Rooted, body: BodyModel, threads: int = 1
) -> tuple[JointWrenches, Total]:
    """Return joint wrenches as if each phase's root bore everything, and what it bears.

    Frames that are left out stay NaN.
    """
    captured = rooted.captured
    about, frames = origin_of_root(captured), captured.n_frames
    found = JointWrenches.empty(captured.skeleton.n_bodies, frames)
    force, moment = np.full((3, frames), np.nan), np.full((3, frames), np.nan)
    for _, motion, where in _analysed(rooted):
        out = found.force, found.moment
        wrenches = newton_euler(motion, body, threads=threads, out=out, at=where.start)
        total = total_of(motion, *wrenches.on_root(), about[:, where])
        force[:, where], moment[:, where] = total.force, total.moment
        to_capture(captured.skeleton, motion, *out, at=where.start)
    return found, Total(force, moment, about, captured.up)


def capture_rooted(
    captured: Motion, body: BodyModel, pushes: list[Push], threads: int = 1
) -> JointWrenches:
    """Return joint wrenches of the capture tree under given wrenches of the ground."""
    wrenches = newton_euler(captured, body, pushes, threads=threads)
    to_capture(captured.skeleton, captured, wrenches.force, wrenches.moment)
    return JointWrenches(wrenches.force, wrenches.moment)


def with_other_feet(
    rooted: Rooted,
    body: BodyModel,
    support: Support,
    loads: Loads,
    about: np.ndarray,
    frames: np.ndarray,
    found: JointWrenches,
) -> JointWrenches:
    """Return support-rooted wrenches with every foot but the root pushed by its own load.

    Args:
        rooted: The pieces.
        body: Mass model.
        support, loads: Who carries, and what.
        about: ``(3, F)`` m, point of the loads' moments.
        frames: ``(F)`` where several feet carry; elsewhere nothing is computed again.
        found: Wrenches without them.
    """
    result = JointWrenches(found.force.copy(), found.moment.copy())
    for phase, motion, where in _analysed(rooted):
        if not frames[where].any():
            continue
        others = [k for k in range(len(support.feet)) if phase.root not in support.bodies(k)]
        pushes = []
        for k in others:
            pushes += _pushes_of(k, motion, _placed(motion), support, loads, about, where)
        out = result.force, result.moment
        newton_euler(motion, body, pushes, out=out, at=where.start)
        to_capture(rooted.captured.skeleton, motion, *out, at=where.start)
    return result


def pushes_on(world: World, support: Support, loads: Loads, about: np.ndarray) -> list[Push]:
    """Return the loads of all feet as pushes on the bodies of a motion placed in the world."""
    everything = slice(0, world.motion.n_frames)
    pushes = []
    for k in range(len(support.feet)):
        pushes += _pushes_of(k, world.motion, world, support, loads, about, everything)
    return pushes


def _pushes_of(
    k: int,
    motion: Motion,
    world: World,
    support: Support,
    loads: Loads,
    about: np.ndarray,
    where: slice,
) -> list[Push]:
    """Return the load of one foot as pushes, one for each of its parts that carries."""
    pushes = []
    for part in support.bodies(k):
        on = support.part[k, where] == part
        if not on.any():
            continue
        force = np.where(on, loads.force[k][:, where], 0.0)
        moment = np.where(on, loads.moment[k][:, where], 0.0)
        moment = moment + cross(about[:, where] - world.position[part], force)
        pushes.append(Push(part, force, np.where(on, moment, 0.0)))
    return pushes


def _placed(motion: Motion) -> World:
    from mocap_reroot.kinematics import forward

    return forward(poses_only(motion))


def poses_only(motion: Motion) -> Motion:
    """Return the motion without derivatives: placing it in the world is then cheaper."""
    return Motion(
        motion.skeleton, motion.fps, motion.up, motion.rotation, motion.displacement,
        flags=motion.flags, start=motion.start,
    )  # fmt: skip


def _analysed(rooted: Rooted) -> list[tuple[Phase, Motion, slice]]:
    """Return phase, motion and frames of every piece that takes part."""
    start = rooted.captured.start
    return [
        (phase, motion, slice(phase.start - start, phase.stop - start))
        for phase, motion in rooted
        if phase.mode != "none"
    ]
