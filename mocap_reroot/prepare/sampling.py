"""Sampled poses: where the bodies of a hierarchy are in a few frames, in the file's own units.

Inference needs a look at the clip before anything is known about it: a few hundred frames of all
bodies, or a few thousand of some.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from math import hypot

import numpy as np

from mocap_reroot.hierarchy import columns_of, rotations
from mocap_reroot.kernels.points import points
from mocap_reroot.types import Hierarchy, Recording, flag_code, read_only

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
        points: ``(n + s, 3, S)`` body origins, then End Sites.
        rest: ``(n, 3)`` body origins with every rotation zero, relative to the root.
    """

    names: tuple[str, ...]
    parents: np.ndarray
    offset: np.ndarray
    site_body: np.ndarray
    site_offset: np.ndarray
    frames: np.ndarray
    points: np.ndarray
    rest: np.ndarray

    @property
    def n_bodies(self) -> int:
        """Number of bodies."""
        return len(self.names)

    @cached_property
    def size(self) -> float:
        """Length of the longest way through the body, joint to joint; what lengths compare with."""
        reach = [0.0] * self.n_bodies
        for body, at in zip(self.site_body.tolist(), self.site_offset.tolist(), strict=True):
            reach[body] = max(reach[body], hypot(*at))
        longest = 0.0
        parents, bones = self.parents.tolist(), self.offset.tolist()
        for body in range(self.n_bodies - 1, -1, -1):  # children come after their parents
            parent = parents[body]
            if parent >= 0:
                way = reach[body] + hypot(*bones[body])
                longest = max(longest, way + reach[parent])
                reach[parent] = max(reach[parent], way)
        return max(longest, *reach)

    @property
    def position(self) -> np.ndarray:
        """``(n, 3, S)`` body origins."""
        return self.points[: self.n_bodies]

    @property
    def site_position(self) -> np.ndarray:
        """``(s, 3, S)`` End Sites."""
        return self.points[self.n_bodies :]

    @cached_property
    def with_rest(self) -> np.ndarray:
        """``(n + s, 3, S + 1)`` points, with those of the rest pose as the last frame."""
        rest = np.concatenate([self.rest, self.rest[self.site_body] + self.site_offset])
        return np.concatenate([self.points, rest[..., None]], axis=2)


def sound_frames(recording: Recording) -> np.ndarray:
    """Return ``(F)`` bool, where all values of a frame are finite."""
    if recording.flags is not None:
        return np.asarray(recording.flags != flag_code("not_finite"))
    assert recording.hierarchy is not None
    return np.asarray(np.isfinite(recording.hierarchy.values.sum(axis=0)))


def sampled_frames(sound: np.ndarray, most: int = MOST_FRAMES) -> np.ndarray:
    """Return at most so many rows, evenly spread, the first and last among them; sound ones."""
    count = min(len(sound), most)
    frames = np.linspace(0, len(sound) - 1, count).round().astype(int)
    return frames[sound[frames]]


def poses(hierarchy: Hierarchy, frames: np.ndarray) -> Poses:
    """Place the bodies of a hierarchy in the given frames.

    Args:
        hierarchy: As the importer found it.
        frames: ``(S)`` rows whose values are finite; if there are none, the rest pose is placed.
    """
    n, sites = len(hierarchy.names), len(hierarchy.site_body)
    joints = [*range(n), *range(-1, -1 - sites, -1)]
    offset = np.array(hierarchy.offset, float)
    if len(frames):
        sample = replace(hierarchy, values=hierarchy.values[:, frames])
        placed = place(sample, np.arange(len(frames)), joints, rotations(sample))
        for body, rows in enumerate(columns_of(hierarchy.channels).position.tolist()):
            for axis, row in enumerate(rows):
                if row >= 0 and body > 0:
                    offset[body, axis] = middle(sample.values[row])
    else:  # nothing but the rest pose to look at
        frames, rotation = np.zeros(1, int), np.zeros((n, 4, 1))
        rotation[:, 0] = 1.0
        still = replace(hierarchy, channels=((),) * n, values=np.empty((0, 1)))
        placed = place(still, frames, joints, rotation)
    offset[0] = 0.0
    parents = np.asarray(hierarchy.parents)
    site_offset = np.asarray(hierarchy.site_offset, float).reshape(-1, 3)
    site_body = np.asarray(hierarchy.site_body, int)
    names = tuple(hierarchy.names)
    rest = _rest(parents.tolist(), offset.tolist())
    return Poses(names, parents, offset, site_body, site_offset, frames, placed, rest)


def _rest(parents: list[int], offset: list[list[float]]) -> np.ndarray:
    """Return ``(n, 3)`` body origins with every rotation zero; few numbers, so plain ones."""
    rest: list[list[float]] = []
    for parent, step in zip(parents, offset, strict=True):
        above = rest[parent] if parent >= 0 else (0.0, 0.0, 0.0)
        rest.append([a + b for a, b in zip(above, step, strict=True)])
    return np.array(rest)


def place(
    hierarchy: Hierarchy, frames: np.ndarray, joints: Sequence[int], rotation: np.ndarray
) -> np.ndarray:
    """Return ``(m, 3, S)`` where joints (a site as −1 − index) are in the given frames."""
    n = len(hierarchy.names)
    at, bearer = np.zeros((len(joints), 3)), np.array(joints, dtype=np.int64)
    for k, joint in enumerate(joints):
        if joint < 0:
            at[k] = hierarchy.site_offset[-1 - joint]
            bearer[k] = hierarchy.site_body[-1 - joint]
    parents: list[int] = hierarchy.parents.tolist()
    wanted = [False] * n
    for body in bearer.tolist():
        wanted[body] = True
    for body in range(n - 1, 0, -1):  # parents come before their children
        wanted[parents[body]] |= wanted[body]
    placed = np.empty((len(joints), 3, len(frames)))
    points(
        read_only(np.flatnonzero(wanted), np.int64),
        read_only(hierarchy.parents, np.int64),
        read_only(hierarchy.offset),
        columns_of(hierarchy.channels).position,
        read_only(hierarchy.values),
        read_only(rotation),
        read_only(frames, np.int64),
        read_only(bearer, np.int64),
        read_only(at),
        placed,
    )
    return placed


def share(values: np.ndarray, *shares: float) -> list[float]:
    """Return the values below which these shares (0–1) of all lie; ``np.percentile``, but quick."""
    ordered = np.sort(values, axis=None)
    found = []
    for where in shares:
        at = where * (len(ordered) - 1)
        low = int(at)
        high = min(low + 1, len(ordered) - 1)
        found.append(float(ordered[low] + (at - low) * (ordered[high] - ordered[low])))
    return found


def middle(values: np.ndarray) -> np.ndarray:
    """Return medians along the last axis; ``np.median``, but quick."""
    ordered, half = np.sort(values, axis=-1), values.shape[-1] // 2
    if values.shape[-1] % 2:
        return np.asarray(ordered[..., half])
    return np.asarray(0.5 * (ordered[..., half - 1] + ordered[..., half]))


def lengths(vectors: np.ndarray) -> np.ndarray:
    """Return the lengths of ``(…, 3, S)`` vectors; ``np.linalg.norm``, but quick."""
    return np.asarray(np.sqrt(np.einsum("...ks,...ks->...s", vectors, vectors)))
