"""Sampled poses: where the bodies of a hierarchy are in a few frames, in the file's own units.

Inference needs a look at the clip before anything is known about it. A few hundred frames are
enough for that, so this is plain array code; the whole clip is left to the compiled kernels.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from mocap_reroot.types import Hierarchy

MOST_FRAMES = 200
"""Frames that are looked at, evenly spread over the clip."""


@dataclass(frozen=True, eq=False)
class Poses:
    """World positions in some frames, in the file's units and axes.

    Attributes:
        names, parents: As in the hierarchy.
        offset: ``(n, 3)`` where each joint stands in its parent, averaged over the frames where
            position channels move it; the root's is zero.
        site_body, site_offset: ``(s)``, ``(s, 3)`` End Sites.
        frames: ``(S)`` rows of the file.
        position: ``(n, 3, S)`` body origins; NaN for bodies that were not asked for.
        site_position: ``(s, 3, S)``.
        rest: ``(n, 3)`` body origins with every rotation zero, relative to the root.
    """

    names: tuple[str, ...]
    parents: np.ndarray
    offset: np.ndarray
    site_body: np.ndarray
    site_offset: np.ndarray
    frames: np.ndarray
    position: np.ndarray
    site_position: np.ndarray
    rest: np.ndarray

    @property
    def n_bodies(self) -> int:
        """Number of bodies."""
        return len(self.names)

    @cached_property
    def size(self) -> float:
        """Length of the longest way through the body, joint to joint; what lengths compare with."""
        reach = np.zeros(self.n_bodies)
        np.maximum.at(reach, self.site_body, np.linalg.norm(self.site_offset, axis=1))
        longest = 0.0
        for body in range(self.n_bodies - 1, -1, -1):  # children come after their parents
            parent = self.parents[body]
            if parent >= 0:
                way = reach[body] + float(np.linalg.norm(self.offset[body]))
                longest = max(longest, way + reach[parent])
                reach[parent] = max(reach[parent], way)
        return max(longest, float(reach.max()))

    @cached_property
    def points(self) -> np.ndarray:
        """``(n + s, 3, S)`` origins and End Sites together."""
        return np.concatenate([self.position, self.site_position])


def sampled_frames(n_frames: int, most: int = MOST_FRAMES) -> np.ndarray:
    """Return at most so many rows, evenly spread, the first and last among them."""
    return np.unique(np.linspace(0, n_frames - 1, min(n_frames, most)).round().astype(int))


def poses(hierarchy: Hierarchy, frames: np.ndarray, bodies: np.ndarray | None = None) -> Poses:
    """Place the bodies of a hierarchy in the given frames.

    Args:
        hierarchy: As the importer found it.
        frames: ``(S)`` rows; those with values that are not finite are left out.
        bodies: ``(n)`` bool, which bodies are wanted (None: all). Their ancestors are added.
    """
    n = len(hierarchy.names)
    parents = np.asarray(hierarchy.parents)
    values = np.asarray(hierarchy.values)[:, frames]
    sound = np.isfinite(values.sum(axis=0))
    frames, values = np.asarray(frames)[sound], values[:, sound]
    posed = len(frames) > 0
    if not posed:  # nothing but the rest pose to look at
        frames, values = np.zeros(1, int), np.zeros((len(values), 1))
    wanted = np.ones(n, bool) if bodies is None else bodies.copy()
    for body in range(n - 1, 0, -1):
        wanted[parents[body]] |= wanted[body]
    position = np.full((n, 3, len(frames)), np.nan)
    axes: list[np.ndarray] = [np.empty(0)] * n  # (3, 3, S): the body's x, y and z in the world
    offset = np.array(hierarchy.offset, float)
    first = 0
    for body, channels in enumerate(hierarchy.channels):
        rows = values[first : first + len(channels)]
        first += len(channels)
        if not wanted[body]:
            continue
        parent = parents[body]
        local: list[np.ndarray | float] = list(offset[body])
        for channel, row in zip(channels, rows, strict=True):
            if posed and channel.lower().endswith("position"):
                local["xyz".index(channel[0].lower())] = row
        if parent < 0:
            for k in range(3):
                position[body, k] = local[k]
            offset[body] = 0.0
            frame = np.tile(np.eye(3)[:, :, None], len(frames))
        else:
            x, y, z = axes[parent]
            position[body] = position[parent] + local[0] * x + local[1] * y + local[2] * z
            offset[body] = [np.median(value) if np.ndim(value) else value for value in local]
            frame = axes[parent].copy()
        axes[body] = _turned(frame, channels, rows)
    site_body = np.asarray(hierarchy.site_body, int)
    site_offset = np.asarray(hierarchy.site_offset, float).reshape(-1, 3)
    site = np.full((len(site_body), 3, len(frames)), np.nan)
    for k, (body, at) in enumerate(zip(site_body, site_offset, strict=True)):
        if wanted[body]:
            site[k] = position[body] + np.tensordot(at, axes[body], 1)
    rest = np.zeros((n, 3))
    for body in range(1, n):
        rest[body] = rest[parents[body]] + offset[body]
    return Poses(
        tuple(hierarchy.names),
        parents,
        offset,
        site_body,
        site_offset,
        np.asarray(frames),
        position,
        site,
        rest,
    )


def _turned(axes: np.ndarray, channels: tuple[str, ...], rows: np.ndarray) -> np.ndarray:
    """Turn a frame, in place, by a joint's rotation channels in their order.

    Args:
        axes: ``(3, 3, S)`` x, y and z axis of the frame, in the world.
        channels, rows: The joint's channels and their ``(c, S)`` values, degrees.
    """
    for channel, row in zip(channels, rows, strict=True):
        if channel.lower().endswith("rotation"):
            axis = "xyz".index(channel[0].lower())
            a, b = (axis + 1) % 3, (axis + 2) % 3
            angle = np.radians(row)
            cos, sin = np.cos(angle), np.sin(angle)
            # a turn about one axis mixes the two others
            axes[a], axes[b] = axes[a] * cos + axes[b] * sin, axes[b] * cos - axes[a] * sin
    return axes
