"""Forward kinematics: where every body is in the world, and how it moves."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import pandas as pd

from mocap_reroot.columns import XYZ, Blocks, Columns, columns_of, data_frame
from mocap_reroot.errors import MocapRerootError
from mocap_reroot.kernels.memory import fresh
from mocap_reroot.types import Motion, read_only


@dataclass(frozen=True, eq=False)
class World:
    """Poses and their derivatives in world axes, of the bodies' current frames.

    Attributes:
        motion: What was placed in the world.
        orientation: ``(n, 4, F)`` body to world.
        position: ``(n, 3, F)`` m, of the frames' origins.
        angular_velocity, angular_acceleration: ``(n, 3, F)`` rad/s, rad/s², or None.
        velocity, acceleration: ``(n, 3, F)`` m/s, m/s², of the origins, or None.
    """

    motion: Motion
    orientation: np.ndarray
    position: np.ndarray
    angular_velocity: np.ndarray | None = None
    angular_acceleration: np.ndarray | None = None
    velocity: np.ndarray | None = None
    acceleration: np.ndarray | None = None

    @cached_property
    def matrix(self) -> np.ndarray:
        """``(n, F, 3, 3)`` rotation matrices, body to world."""
        return _matrices(np.moveaxis(self.orientation, 1, 0))

    def point(self, body: int, local: np.ndarray) -> np.ndarray:
        """Return ``(3, F)`` world positions of a point fixed in a body's capture frame."""
        arm = np.asarray(local) - self.motion.skeleton.origin[body]
        return np.asarray(self.position[body] + (_matrices(self.orientation[body]) @ arm).T)

    @property
    def kinematic_columns(self) -> dict[str, Any]:
        """The columns of ``kinematics.parquet`` (capture frames), views where possible."""
        motion, names = self.motion, self.motion.skeleton.names
        if np.any(motion.skeleton.origin != 0):
            raise MocapRerootError("kinematics speak of capture frames; this motion is re-rooted.")
        head: dict[str, Any] = {
            "frame": motion.frame,
            "time": motion.time,
            "flag": motion.flag_words,
        }
        parts = [self.position, self.orientation]
        suffixes = [f"p{a}" for a in XYZ] + [f"q{a}" for a in "wxyz"]
        if motion.has_derivatives:
            rates = (
                ("v", self.velocity),
                ("w", self.angular_velocity),
                ("a", self.acceleration),
                ("al", self.angular_acceleration),
            )
            for key, array in rates:
                parts.append(np.asarray(array))
                suffixes += [f"{key}{a}" for a in XYZ]
        return head | columns_of(names, suffixes, *parts)

    @property
    def kinematics(self) -> pd.DataFrame:
        """One row a frame: the columns of ``kinematics.parquet`` (capture frames)."""
        return data_frame(self.kinematic_columns)

    def __repr__(self) -> str:
        n, _, frames = self.position.shape
        return f"<World: {n} bodies, {frames} frames>"


def kinematic_table(motion: Motion) -> Blocks:
    """Return ``kinematics.parquet`` of a captured motion, placed in the world block by block."""

    def make(rows: int) -> Iterator[Columns]:
        for start in range(0, max(motion.n_frames, 1), rows):
            whole = motion.n_frames <= rows
            part = motion if whole else motion.cut(start, min(start + rows, motion.n_frames))
            yield forward(part).kinematic_columns

    each = 19 if motion.has_derivatives else 7
    return Blocks(motion.n_frames, 3 + each * motion.skeleton.n_bodies, make)


def _matrices(orientation: np.ndarray) -> np.ndarray:
    """Return ``(…, F, 3, 3)`` rotation matrices of quaternions ``(4, …, F)``."""
    w, x, y, z = orientation
    rows = [
        [1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
        [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
        [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)],
    ]
    return np.moveaxis(np.array(rows), (0, 1), (-2, -1))


def forward(motion: Motion) -> World:
    """Place every body of a motion in the world, with derivatives where the motion has them.

    Args:
        motion: Any motion, captured or re-rooted.

    Returns:
        World: Orientations and positions, and their derivatives if ``motion.has_derivatives``.
    """
    from mocap_reroot.kernels import forward as kernels  # compiled code loads when first needed

    skeleton, frames = motion.skeleton, motion.n_frames
    n = skeleton.n_bodies
    q, p = fresh((n, 4, frames)), fresh((n, 3, frames))
    tree = skeleton.order, skeleton.parents
    kernels.positions(
        *tree, skeleton.offset, skeleton.slot, motion.rotation, motion.displacement, q, p, 0, frames
    )
    if not motion.has_derivatives:
        return World(motion, read_only(q), read_only(p))
    w, al, v, a = (fresh((n, 3, frames)) for _ in range(4))
    rates = (
        motion.angular_velocity,
        motion.angular_acceleration,
        motion.linear_velocity,
        motion.linear_acceleration,
    )
    kernels.derivatives(*tree, skeleton.slot, rates, (q, p, w, al, v, a), 0, frames)
    return World(motion, *map(read_only, (q, p, w, al, v, a)))
