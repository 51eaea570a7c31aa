"""Anatomy: joint angles and moments in the words of a clinic, for human skeletons.

Angles are Cardan angles z, x, y between the anatomical frames of neighbouring segments (Grood and
Suntay; ISB): flexion about the proximal z axis, adduction about the floating axis, rotation about
the distal y axis. A moment is the internal one, of the proximal segment on the distal, about the
same axis; angle and moment are positive in the sense of the motion named.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pandas as pd

from mocap_reroot.columns import beside
from mocap_reroot.dynamics.anatomical_frames import Frames, anatomical_frames
from mocap_reroot.kinematics import World
from mocap_reroot.types import Dynamics, Skeleton, Sole


@dataclass(frozen=True)
class Joint:
    """A joint of a person.

    Attributes:
        name: As in the columns.
        distal: Segment whose joint it is, without its side.
        proximal: Segments it is measured against; the first that exists counts.
        motions: Name of the motion about z, x and y, and the sense of the turn that it means on
            the right side; motions about x and y change their sense with the side.
    """

    name: str
    distal: str
    proximal: tuple[str, ...]
    motions: tuple[tuple[str, int], ...]


SIDED = (
    Joint("hip", "thigh", ("pelvis",), (("flexion", 1), ("adduction", 1), ("rotation", 1))),
    Joint("knee", "shank", ("thigh",), (("flexion", -1), ("adduction", 1), ("rotation", 1))),
    Joint("ankle", "foot", ("shank",), (("dorsiflexion", 1), ("inversion", 1), ("rotation", 1))),
    Joint(
        "shoulder", "upper_arm", ("trunk", "pelvis"),
        (("flexion", 1), ("adduction", 1), ("rotation", 1)),
    ),
    Joint(
        "elbow", "forearm", ("upper_arm",), (("flexion", 1), ("adduction", 1), ("pronation", 1))
    ),
)  # fmt: skip
TRUNK = Joint("trunk", "trunk", ("pelvis",), (("flexion", -1), ("bending", 1), ("rotation", 1)))
"""Bending is positive to the right, rotation to the left."""


def anatomy_table(
    result: Dynamics, world: World, soles: tuple[Sole, ...] = ()
) -> pd.DataFrame | None:
    """Return the columns of ``anatomy.parquet``, or None for a skeleton that is no person's.

    Args:
        result: Torques of the capture tree.
        world: The captured motion placed in the world.
        soles: Undersides of the feet, which tell when a foot is level.
    """
    frames = anatomical_frames(result.skeleton, soles)
    if frames is None:
        return None
    columns: dict[str, np.ndarray] = {}
    for side in frames.rightwards:
        for joint in SIDED:
            columns |= _joint(result, world, frames, joint, side)
    columns |= _joint(result, world, frames, TRUNK, "")
    columns |= _pelvis(world, frames)
    return beside(result.torques[["frame", "time", "flag"]], pd.DataFrame(columns))


def _joint(
    result: Dynamics, world: World, frames: Frames, joint: Joint, side: str
) -> dict[str, np.ndarray]:
    """Return the columns of one joint; none where the skeleton lacks it."""
    found = _ends(result.skeleton, frames, joint, side)
    if found is None:
        return {}
    near, far, bearing = found
    a, b = _oriented(world, frames, near), _oriented(world, frames, far)
    angles = cardan(np.swapaxes(a, 1, 2) @ b)
    axes = _axes(a, b, angles[0])
    moment = np.einsum("fij,jf->if", world.matrix[bearing], result.torque[bearing])
    start = f"{side}_{joint.name}" if side else joint.name
    columns = {}
    for k, (motion, sense) in enumerate(joint.motions):
        if k and side:
            sense *= frames.rightwards[side]
        columns[f"{start}_{motion}_deg"] = sense * np.rad2deg(_continuous(angles[k]))
        columns[f"{start}_{motion}_moment"] = sense * np.einsum("if,if->f", axes[k], moment)
    return columns


def _ends(
    skeleton: Skeleton, frames: Frames, joint: Joint, side: str
) -> tuple[int, int, int] | None:
    """Return the proximal body, the distal body, and the body whose joint bears the moment."""
    anatomy = skeleton.anatomy
    assert anatomy is not None
    segment = f"{side}_{joint.distal}" if side else joint.distal
    distal = [b for b in anatomy.find(segment) if b in frames.turn]
    for name in joint.proximal:
        for segment in (f"{side}_{name}", name) if side else (name,):
            proximal = [b for b in anatomy.find(segment) if b in frames.turn]
            if distal and proximal:
                # A segment of several bodies: a trunk is measured at its top, borne at its base.
                order = list(skeleton.order)
                distal.sort(key=order.index)
                proximal.sort(key=order.index)
                if joint is TRUNK:
                    return proximal[0], distal[-1], distal[0]
                return proximal[-1], distal[0], distal[0]
    return None


def _oriented(world: World, frames: Frames, body: int) -> np.ndarray:
    """Return ``(F, 3, 3)`` anatomical axes of a body in the world."""
    return np.asarray(world.matrix[body] @ frames.turn[body])


def cardan(turn: np.ndarray) -> np.ndarray:
    """Return ``(3, F)`` rad, angles about z, x' and y'' of rotation matrices ``(F, 3, 3)``."""
    with np.errstate(invalid="ignore"):
        about_x = np.arcsin(np.clip(turn[:, 2, 1], -1, 1))
        about_z = np.arctan2(-turn[:, 0, 1], turn[:, 1, 1])
        about_y = np.arctan2(-turn[:, 2, 0], turn[:, 2, 2])
    return np.stack([about_z, about_x, about_y])


def _axes(near: np.ndarray, far: np.ndarray, about_z: np.ndarray) -> np.ndarray:
    """Return ``(3, 3, F)`` the axes the angles are about, in the world: z, floating, y."""
    floating = near[:, :, 0].T * np.cos(about_z) + near[:, :, 1].T * np.sin(about_z)
    return np.stack([near[:, :, 2].T, floating, far[:, :, 1].T])


def _continuous(angle: np.ndarray) -> np.ndarray:
    """Return an angle without jumps of a whole turn; NaN are stepped over."""
    result = np.array(angle)
    known = np.isfinite(result)
    result[known] = np.unwrap(result[known])
    if known.any():
        result -= 2 * np.pi * np.round(np.median(result[known]) / (2 * np.pi))
    return result


def _pelvis(world: World, frames: Frames) -> dict[str, np.ndarray]:
    """Return tilt, obliquity and rotation of the pelvis against the way it faces on the whole.

    Tilt is positive forwards, obliquity with the right side up, rotation with the left side back.
    """
    anatomy = world.motion.skeleton.anatomy
    assert anatomy is not None
    pelvis = [b for b in anatomy.find("pelvis") if b in frames.turn]
    if not pelvis:
        return {}
    up = world.motion.up
    axes = _oriented(world, frames, pelvis[0])
    facing = np.nanmean(axes[:, :, 0], axis=0)
    facing = facing - up * (up @ facing)
    if not np.linalg.norm(facing) > 1e-6:
        return {}
    facing /= np.linalg.norm(facing)
    level = np.stack([facing, up, np.cross(facing, up)], axis=1)
    turn = level.T @ axes
    # about y first, then x', then z'': which way it faces, then how it is tilted
    with np.errstate(invalid="ignore"):
        obliquity = np.arcsin(np.clip(-turn[:, 1, 2], -1, 1))
        rotation = np.arctan2(turn[:, 0, 2], turn[:, 2, 2])
        tilt = np.arctan2(turn[:, 1, 0], turn[:, 1, 1])
    return {
        "pelvis_tilt_deg": -np.rad2deg(tilt),
        "pelvis_obliquity_deg": -np.rad2deg(obliquity),
        "pelvis_rotation_deg": np.rad2deg(_continuous(rotation)),
    }
