"""Forward kinematics: where every body is in the world, and how it moves."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np

from mocap_reroot.errors import MocapRerootError
from mocap_reroot.numerics.vectors import matrices
from mocap_reroot.schema import Blocks, data_frame
from mocap_reroot.types import Motion, read_only

if TYPE_CHECKING:
    import pandas as pd


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
        return np.moveaxis(matrices(np.moveaxis(self.orientation, 1, 0)), (0, 1), (-2, -1))

    def point(self, body: int, local: np.ndarray) -> np.ndarray:
        """Return ``(3, F)`` world positions of a point fixed in a body's capture frame."""
        arm = np.asarray(local) - self.motion.skeleton.origin[body]
        turned = np.moveaxis(matrices(self.orientation[body]), -1, 0) @ arm
        return np.asarray(self.position[body] + turned.T)

    @property
    def kinematics(self) -> pd.DataFrame:
        """One row a frame: the columns of ``kinematics.parquet`` (capture frames)."""
        return data_frame("kinematics", _captured(self))

    def __repr__(self) -> str:
        n, _, frames = self.position.shape
        return f"<World: {n} bodies, {frames} frames>"


def _captured(world: World) -> World:
    """Return a world as it is if it can be a table's."""
    if np.any(world.motion.skeleton.origin != 0):
        raise MocapRerootError("kinematics are in capture frames; this motion is re-rooted.")
    return world


def kinematic_blocks(motion: Motion) -> Blocks:
    """Return ``kinematics.parquet`` of a captured motion, placed in the world block by block."""

    def make(rows: int) -> Iterator[World]:
        for start in range(0, max(motion.n_frames, 1), rows):
            whole = motion.n_frames <= rows
            part = motion if whole else motion.cut(start, min(start + rows, motion.n_frames))
            yield _captured(forward(part))

    each = 19 if motion.has_derivatives else 7
    return Blocks(motion.n_frames, 3 + each * motion.skeleton.n_bodies, make)


def forward(motion: Motion) -> World:
    """Place every body of a motion in the world, with derivatives where the motion has them.

    Args:
        motion: Any motion, captured or re-rooted.

    Returns:
        World: Orientations and positions, and their derivatives if ``motion.has_derivatives``.
    """
    from mocap_reroot.kernels import forward as kernels  # compiled code loads when first needed

    if motion.has_derivatives:
        return _world(motion, read_only(moving(motion)))
    skeleton, frames = motion.skeleton, motion.n_frames
    q, p = np.empty((skeleton.n_bodies, 4, frames)), np.empty((skeleton.n_bodies, 3, frames))
    tree = skeleton.order, skeleton.parents, skeleton.offset, skeleton.slot
    kernels.positions(*tree, motion.rotation, motion.displacement, q, p, 0, frames)
    return World(motion, read_only(q), read_only(p))


def _world(motion: Motion, found: np.ndarray) -> World:
    """Return views of ``(n, 19, F)`` poses and derivatives."""
    p, q, v, w, a, al = (found[:, i:j] for i, j in pairwise((0, 3, 7, 10, 13, 16, 19)))
    return World(motion, q, p, w, al, v, a)


def moving(motion: Motion) -> np.ndarray:
    """Return ``(n, 19, F)`` poses and derivatives of all bodies, as the table has its columns."""
    from mocap_reroot.kernels.forward import motions

    skeleton, frames = motion.skeleton, motion.n_frames
    tree = skeleton.order, skeleton.parents, skeleton.offset, skeleton.slot
    rates = (
        motion.angular_velocity, motion.angular_acceleration,
        motion.linear_velocity, motion.linear_acceleration,
    )  # fmt: skip
    found = np.empty((skeleton.n_bodies, 19, frames))
    motions(*tree, (motion.rotation, motion.displacement), rates, found, 0, frames)
    return found
