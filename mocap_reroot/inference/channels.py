"""Channels of a hierarchy: which numbers are positions, which rotations, about which axis."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from mocap_reroot.kernels.rotations import euler_to_quaternion
from mocap_reroot.numerics.vectors import product
from mocap_reroot.types import Hierarchy, read_only

AXES = "XYZ"


@dataclass(frozen=True, eq=False)
class Columns:
    """Where each body's channels stand in ``Hierarchy.values``; −1 where there is none.

    Attributes:
        position: ``(n, 3)`` rows of the x, y and z position.
        rotation: ``(n, 3)`` rows of the rotations, in the file's order.
        axes: ``(n, 3)`` axis of each of those.
        rotation_axes: ``(n)`` the axes of each body's rotations, as many as there are.
    """

    position: np.ndarray
    rotation: np.ndarray
    axes: np.ndarray
    rotation_axes: tuple[tuple[int, ...], ...]


def rotations(hierarchy: Hierarchy, frames: np.ndarray | None = None) -> np.ndarray:
    """Return ``(n, 4, F)`` sign-continuous quaternions of all frames, or of some."""
    columns = columns_of(hierarchy.channels)
    values = hierarchy.values if frames is None else hierarchy.values[:, frames]
    rotation = np.empty((len(hierarchy.names), 4, values.shape[1]))
    euler_to_quaternion(read_only(values), columns.rotation, columns.axes, rotation)
    if hierarchy.rest is not None:
        for body, rest in enumerate(hierarchy.rest):
            rotation[body] = product(rest[:, None], rotation[body])
    return read_only(rotation)


@lru_cache(maxsize=16)  # the clips of a data set share their skeleton
def columns_of(channels: tuple[tuple[str, ...], ...]) -> Columns:
    """Return where the channels of every body stand, counted through all of them."""
    position, rotation, axes = (np.full((len(channels), 3), -1) for _ in range(3))
    row = 0
    for body, words in enumerate(channels):
        k = 0
        for word in words:
            axis = AXES.index(word[0])
            if word.endswith("position"):
                position[body, axis] = row
            else:
                rotation[body, k], axes[body, k] = row, axis
                k += 1
            row += 1
    rotation_axes = tuple(tuple(axis for axis in row if axis >= 0) for row in axes.tolist())
    position, rotation, axes = (read_only(rows, np.int64) for rows in (position, rotation, axes))
    return Columns(position, rotation, axes, rotation_axes)
