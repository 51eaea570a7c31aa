"""Motion with derivatives, external wrenches and torques, as simulators take them.

Where the ground pushes is told as a force and a torque at the centre of mass of every body, world
axes, which no choice of a root changes. What neither limbs nor pushes from elsewhere explain acts
on the capture root, so that the equations of motion hold in every frame.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any
from xml.etree import ElementTree as Xml

import numpy as np

from mocap_reroot.export.folders import complete_file
from mocap_reroot.mechanics.kinematics import World, forward
from mocap_reroot.mechanics.newton_euler import Push, newton_euler
from mocap_reroot.mechanics.world_axes import turn_between, with_up
from mocap_reroot.numerics.vectors import cross, matrices
from mocap_reroot.signals.resampling import Samples, resample
from mocap_reroot.types import STATES, BodyModel, Contacts, Dynamics, Ground, Motion, Plane

VERSION = 1
"""Of the arrays in the files; it changes when their meaning does."""


@dataclass(frozen=True, eq=False)
class Simulated:
    """A motion, captured or re-rooted, with all that simulators need to know of it.

    Attributes:
        motion: With derivatives; frames that are left out hold the nearest pose, at rest.
        body: Mass model.
        contacts: For the soles; in the captured frames.
        planes: Pieces of ground, world axes of the motion.
        push: ``(n, 6, F)`` N, N·m, force and torque on every body at its centre of mass.
        force, torque: ``(n, 3, F)`` N, N·m of the current parent on each body at its joint, in the
            body's axes; at the root nothing is left.
        valid: ``(F)`` False where the frame was left out.
    """

    motion: Motion
    body: BodyModel
    contacts: Contacts
    planes: tuple[Plane, ...]
    push: np.ndarray
    force: np.ndarray
    torque: np.ndarray
    valid: np.ndarray

    @property
    def com(self) -> np.ndarray:
        """``(n, 3)`` m, centres of mass in the bodies' current frames."""
        return self.body.com - self.motion.skeleton.origin


def body_pushes(ground: Ground) -> np.ndarray:
    """Return ``(n, 6, F)`` N, N·m: what limbs and pushes from elsewhere do, at centres of mass.

    World axes; 0 in frames left out.
    """
    motion, about = ground.motion, ground.total.about
    centre = _centres(forward(motion), ground.body)
    push = np.zeros((motion.skeleton.n_bodies, 6, motion.n_frames))

    def add(body: int, force: np.ndarray, moment: np.ndarray) -> None:
        push[body, :3] += force
        push[body, 3:] += moment + cross(about - centre[body], force)

    for k in range(len(ground.support.feet)):
        for part in ground.support.bodies(k):
            on = ground.support.part[k] == part
            add(part, on * ground.loads.force[k], on * ground.loads.moment[k])
    if ground.external is not None:
        assert ground.pushed is not None
        for body in np.unique(ground.pushed[ground.pushed >= 0]).tolist():
            on = ground.pushed == body
            add(body, on * ground.external[:3], on * ground.external[3:])
    return np.nan_to_num(push, copy=False)


def simulated(
    motion: Motion,
    ground: Ground,
    push: np.ndarray,
    *,
    fps: float | None = None,
    up: str | None = None,
) -> Simulated:
    """Return a motion as simulators take it.

    Args:
        motion: That of the ground, or a piece of it that is re-rooted.
        ground: What pushes it.
        push: ``(n, 6, F)`` of that piece, from :func:`body_pushes`.
        fps: Hz to resample to, from the smooth curve; None keeps the rate.
        up: Axis that shall point up; None keeps the file's.
    """
    if fps is not None and fps != motion.fps:
        push = Samples.of(motion, fps).linear(push)
        motion = resample(motion, fps)
    valid = motion.analysed & np.isfinite(motion.rotation).all(axis=(0, 1))
    motion, turn = with_up(_held(motion, valid), up)
    planes = tuple(
        Plane(turn @ plane.point, turn @ plane.normal) for plane in ground.contacts.planes
    )
    push = np.concatenate([turn @ push[:, :3], turn @ push[:, 3:]], axis=1)
    world, root = forward(motion), ground.motion.skeleton.root
    centre = _centres(world, ground.body)
    # What no push explains is what the root of the tree would need; it acts on the capture root.
    left, moment = newton_euler(motion, ground.body, _pushes(world, centre, push)).on_root()
    arm = world.position[motion.skeleton.root] - centre[root]
    push[root, :3] += left
    push[root, 3:] += moment + cross(arm, left)
    joints = newton_euler(motion, ground.body, _pushes(world, centre, push))
    return Simulated(
        motion, ground.body, ground.contacts, planes, push, joints.force, joints.moment, valid
    )


def _centres(world: World, body: BodyModel) -> np.ndarray:
    """Return ``(n, 3, F)`` m, where the bodies' centres of mass are."""
    return np.stack([world.point(i, body.com[i]) for i in range(len(body.mass))])


def _pushes(world: World, centre: np.ndarray, push: np.ndarray) -> list[Push]:
    """Return those wrenches that are any, about the bodies' origins."""
    return [
        Push(i, push[i, :3], push[i, 3:] + cross(centre[i] - world.position[i], push[i, :3]))
        for i in np.flatnonzero(push.any(axis=(1, 2))).tolist()
    ]


def _held(motion: Motion, valid: np.ndarray) -> Motion:
    """Return the motion with left-out frames at rest in the nearest pose that is known."""
    if valid.all() or not valid.any():
        return motion
    known = np.flatnonzero(valid)
    at = np.rint(np.interp(np.arange(len(valid)), known, np.arange(len(known)))).astype(int)
    held: dict[str, Any] = {name: getattr(motion, name)[..., known[at]] for name in STATES[:2]}
    still: dict[str, Any] = {
        name: np.where(valid, getattr(motion, name), 0.0) for name in STATES[2:]
    }
    return replace(motion, **held, **still)


def write_model(
    path: Path,
    model: Callable[[str], Xml.Element],
    arrays: dict[str, np.ndarray],
    ending: str,
    float32: bool,
) -> tuple[Path, Path]:
    """Write a model, made for a title, as XML, and its motion as ``<stem><ending>`` beside it."""
    with complete_file(path) as draft:
        tree = Xml.ElementTree(model(path.stem))
        Xml.indent(tree)
        tree.write(draft, encoding="utf-8", xml_declaration=True)
    return path, write_arrays(path.with_name(path.stem + ending), arrays, float32=float32)


def write_arrays(path: Path, arrays: dict[str, np.ndarray], *, float32: bool) -> Path:
    """Write named arrays, none of them pickled; the file appears when it is complete."""
    if float32:
        arrays = {
            name: a.astype(np.float32) if a.dtype == float and a.ndim else a
            for name, a in arrays.items()
        }
    with complete_file(path) as draft, draft.open("wb") as file:
        np.savez_compressed(file, allow_pickle=False, **arrays)
    return path


def numbers(values: Iterable[float]) -> str:
    """Return numbers as text that gives back the same bits."""
    return " ".join(repr(float(v) + 0.0) for v in values)


def unique(names: Iterable[str], taken: tuple[str, ...] = ()) -> list[str]:
    """Return names that XML can hold, each once and none of those taken."""
    found: list[str] = list(taken)
    for name in names:
        plain = "".join(c if c.isprintable() else "_" for c in name) or "_"
        while plain in found:
            plain += "_"
        found.append(plain)
    return found[len(taken) :]


def about(clip: Simulated) -> dict[str, np.ndarray]:
    """Return what every file of arrays says of itself: rate, frames, axes, units, version."""
    return {
        "fps": np.array(clip.motion.fps),
        "frame": clip.motion.frame,
        "valid": clip.valid,
        "up": np.array(clip.motion.up),
        "mass": np.array(clip.body.total_mass),
        "units": np.array("m, kg, s, rad, N, N m; quaternions w x y z"),
        "version": np.array(VERSION),
    }


def write_npz(
    clip: Simulated, result: Dynamics, grade: str, path: str | Path, *, float32: bool = False
) -> Path:
    """Write ``<stem>.npz``: one row a frame, bodies in the order of ``names``.

    Args:
        clip: The motion, at the rate and with the axis wanted.
        result: Its ground forces, in the frames and axes of the capture.
        grade: Of the clip.
        path: The file.
        float32: Whether arrays are in single precision.

    Raises:
        FileError: It cannot be written.
    """
    motion, skeleton = clip.motion, clip.motion.skeleton
    place = forward(motion).position
    at = np.clip(motion.frame * (result.fps / motion.fps) - result.start, 0, len(result.flags) - 1)
    before = np.floor(at + 1e-6).astype(int)
    after = np.minimum(before + 1, len(result.flags) - 1)
    share = np.clip(at - before, 0.0, 1.0)
    turn = matrices(turn_between(result.up, motion.up))

    def told(values: np.ndarray) -> np.ndarray:
        """Return ``(F, foot, 3)`` of ``(foot, 3, frame)`` of the result."""
        a, b = values[..., before], values[..., after]
        between = np.where(share > 0, a + share * (b - a), a)
        return np.asarray((turn @ between).transpose(2, 0, 1))

    contact = clip.contacts.touching[:, np.rint(at).astype(int)].T
    arrays = {
        "names": np.array(skeleton.names),
        "parents": np.array(skeleton.parents),
        "offsets": np.array(skeleton.offset),
        "positions": place.transpose(2, 0, 1),
        "rotations": motion.rotation.transpose(2, 0, 1),
        "contact_names": np.array(clip.contacts.part_names, dtype=str),
        "contacts": contact,
        "foot_names": np.array(result.foot_names, dtype=str),
        "ground_forces": np.nan_to_num(told(result.foot_force)),
        "pressures": told(result.foot_pressure),
        "torques": clip.torque.transpose(2, 0, 1),
        "grade": np.array(grade),
        **about(clip),
    }
    return write_arrays(Path(path), arrays, float32=float32)
