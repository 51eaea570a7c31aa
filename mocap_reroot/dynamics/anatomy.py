"""Clinical joint angles and moments, and their signs: flexion, adduction, rotation.

Angles are Cardan angles z, x, y between the anatomical frames of neighbouring segments (Grood and
Suntay; ISB): flexion about the proximal z axis, adduction about the floating axis, rotation about
the distal y axis. A moment is the internal one, of the proximal segment on the distal, about the
same axis; angle and moment are positive in the sense of the motion named.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import reduce

import numpy as np

from mocap_reroot.dynamics.anatomical_frames import Frames, anatomical_frames
from mocap_reroot.numerics.vectors import dot, matrices, product
from mocap_reroot.resources.memory import give_back
from mocap_reroot.types import Dynamics, Motion, Skeleton, Sole

_INVERSE = np.array([[1.0], [-1.0], [-1.0], [-1.0]])
"""Turns unit quaternions into their inverses, component by component."""
_AT_ONCE = 1 << 16
"""Frames: what is computed on the way need not be held for a whole long clip."""


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


def anatomy_columns(
    result: Dynamics, motion: Motion, soles: tuple[Sole, ...] = ()
) -> dict[str, np.ndarray] | None:
    """Return the columns of ``anatomy.parquet``, or None for a skeleton that is no person's.

    Args:
        result: Torques of the capture tree.
        motion: The captured motion.
        soles: Undersides of the feet, which tell when a foot is level.
    """
    frames = anatomical_frames(result.skeleton, soles)
    if frames is None:
        return None
    columns = {"frame": result.frame, "time": result.time, "flag": result.flag_words}
    for side in frames.rightwards:
        for joint in SIDED:
            columns |= _joint(result, motion, frames, joint, side)
            give_back(motion.rotation.nbytes)
    columns |= _joint(result, motion, frames, TRUNK, "")
    return columns | _pelvis(motion, frames)


def _joint(
    result: Dynamics, motion: Motion, frames: Frames, joint: Joint, side: str
) -> dict[str, np.ndarray]:
    """Return the columns of one joint; none where the skeleton lacks it."""
    found = ends(result.skeleton, frames, joint, side)
    if found is None:
        return {}
    near, far, bearing = found
    angles, about = np.empty((2, 3, motion.n_frames))
    for start in range(0, motion.n_frames, _AT_ONCE):
        some = slice(start, start + _AT_ONCE)
        turn = _between(motion, near, far, frames, some)
        angles[:, some] = cardan(turn)
        # In the axes of the proximal segment, as everything that follows.
        borne = turn if bearing == far else _between(motion, near, bearing, frames, some)
        moment = _apply(borne, frames.turn[bearing].T @ result.torque[bearing][:, some])
        z = angles[0, some]
        about[:, some] = (
            moment[2], np.cos(z) * moment[0] + np.sin(z) * moment[1], dot(turn[:, 1], moment)
        )  # fmt: skip
    word = f"{side}_{joint.name}" if side else joint.name
    columns = {}
    for k, (name, sense) in enumerate(joint.motions):
        if k and side:
            sense *= frames.rightwards[side]
        columns[f"{word}_{name}_deg"] = sense * np.rad2deg(_continuous(angles[k]))
        columns[f"{word}_{name}_moment"] = sense * about[k]
    return columns


def ends(
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
                above = int(skeleton.parents[distal[0]])
                through = above >= 0 and anatomy.segments[above] == f"{side}_talus"
                return proximal[-1], distal[0], above if through else distal[0]
    return None


def _between(motion: Motion, near: int, far: int, frames: Frames, some: slice) -> np.ndarray:
    """Return ``(3, 3, some)`` anatomical axes (columns) of a body in those of another, by frame."""
    turn = matrices(relative(motion, near, far, some))
    # Aᵀ R B is linear in R: one product of small matrices for all frames.
    mix = np.kron(frames.turn[near], frames.turn[far]).T
    return np.asarray((mix @ turn.reshape(9, -1)).reshape(turn.shape))


def relative(motion: Motion, near: int, far: int, some: slice = slice(None)) -> np.ndarray:
    """Return ``(4, F)`` rotations of a body's axes into another's; −1 is the world."""
    up, down = (motion.skeleton.chain(body) if body >= 0 else () for body in (near, far))
    while up and down and up[-1] == down[-1]:
        up, down = up[:-1], down[:-1]
    rotation = motion.rotation[..., some]
    chain = [rotation[b] * _INVERSE for b in up]
    chain += [rotation[b] for b in reversed(down)]
    if not chain:
        return np.repeat([[1.0], [0.0], [0.0], [0.0]], rotation.shape[-1], axis=1)
    return reduce(product, chain)


def _apply(turn: np.ndarray, vectors: np.ndarray) -> np.ndarray:
    """Return ``(3, F)`` vectors turned by matrices ``(3, 3, F)``."""
    return np.stack([dot(row, vectors) for row in turn])


def cardan(turn: np.ndarray) -> np.ndarray:
    """Return ``(3, F)`` rad, angles about z, x' and y'' of rotation matrices ``(3, 3, F)``."""
    with np.errstate(invalid="ignore"):
        about_x = np.arcsin(np.clip(turn[2, 1], -1, 1))
        about_z = np.arctan2(-turn[0, 1], turn[1, 1])
        about_y = np.arctan2(-turn[2, 0], turn[2, 2])
    return np.stack([about_z, about_x, about_y])


def _continuous(angle: np.ndarray) -> np.ndarray:
    """Return an angle without jumps of a whole turn; NaN are stepped over."""
    known = np.isfinite(angle)
    run = angle[known]
    if not (np.abs(np.diff(run)) > np.pi).any():
        return angle
    result = np.array(angle)
    result[known] = run = np.unwrap(run)
    result -= 2 * np.pi * np.round(np.median(run) / (2 * np.pi))
    return result


def _pelvis(motion: Motion, frames: Frames) -> dict[str, np.ndarray]:
    """Return tilt, obliquity and rotation of the pelvis against the way it faces on the whole.

    Tilt is positive forwards, obliquity with the right side up, rotation with the left side back.
    """
    anatomy = motion.skeleton.anatomy
    assert anatomy is not None
    pelvis = [b for b in anatomy.find("pelvis") if b in frames.turn]
    if not pelvis:
        return {}
    up = motion.up
    turn = matrices(relative(motion, -1, pelvis[0]))
    facing = np.nanmean(turn, axis=2) @ frames.turn[pelvis[0]][:, 0]
    facing = facing - up * (up @ facing)
    if not np.linalg.norm(facing) > 1e-6:
        return {}
    facing /= np.linalg.norm(facing)
    level = np.stack([facing, up, np.cross(facing, up)], axis=1)
    turn = (np.kron(level, frames.turn[pelvis[0]]).T @ turn.reshape(9, -1)).reshape(turn.shape)
    # about y first, then x', then z'': which way it faces, then how it is tilted
    with np.errstate(invalid="ignore"):
        obliquity = np.arcsin(np.clip(-turn[1, 2], -1, 1))
        rotation = np.arctan2(turn[0, 2], turn[2, 2])
        tilt = np.arctan2(turn[1, 0], turn[1, 1])
    return {
        "pelvis_tilt_deg": -np.rad2deg(tilt),
        "pelvis_obliquity_deg": -np.rad2deg(obliquity),
        "pelvis_rotation_deg": np.rad2deg(_continuous(rotation)),
    }
