"""NPZ out: positions, rotations, contacts, torques and ground forces as plain named arrays."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from mocap_reroot.export.simulators import Simulated, about, write_arrays
from mocap_reroot.mechanics.kinematics import forward
from mocap_reroot.mechanics.world_axes import turn_between
from mocap_reroot.numerics.vectors import matrices
from mocap_reroot.types import Dynamics


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
