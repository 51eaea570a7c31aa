"""Sampled poses: positions of all bodies in a few frames, in the file's own units.

Inference needs a look at the clip before anything is known about it: a few hundred frames of all
bodies, or a few thousand of some.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from mocap_reroot.inference.channels import columns_of, rotations
from mocap_reroot.kernels.forward import positions
from mocap_reroot.numerics.vectors import product, turn
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
        with_rest: ``(n + s, 3, S + 1)`` body origins, then End Sites; the last frame is the rest
            pose, every rotation zero, relative to the root.
    """

    names: tuple[str, ...]
    parents: np.ndarray
    offset: np.ndarray
    site_body: np.ndarray
    site_offset: np.ndarray
    frames: np.ndarray
    with_rest: np.ndarray

    @property
    def n_bodies(self) -> int:
        """Number of bodies."""
        return len(self.names)

    @cached_property
    def size(self) -> float:
        """Length of the longest way through the body, joint to joint; what lengths compare with.

        How far the body is from a root that bears nothing else does not count.
        """
        above = self.parents.tolist()
        bones = np.linalg.norm(self.offset, axis=1)
        bones[_stem(above)] = 0.0
        reach = [0.0] * len(above)
        for body, at in zip(self.site_body, self.site_offset, strict=True):
            reach[body] = max(reach[body], float(np.linalg.norm(at)))
        longest = 0.0
        for body in range(len(above) - 1, 0, -1):  # children come after their parents
            way, parent = reach[body] + float(bones[body]), above[body]
            longest = max(longest, way + reach[parent])
            reach[parent] = max(reach[parent], way)
        return max(longest, *reach)

    @property
    def points(self) -> np.ndarray:
        """``(n + s, 3, S)`` body origins, then End Sites."""
        return self.with_rest[..., :-1]

    @property
    def position(self) -> np.ndarray:
        """``(n, 3, S)`` body origins."""
        return self.points[: self.n_bodies]

    @cached_property
    def lowest(self) -> np.ndarray:
        """``(2, 3, S)`` lowest points along x, y and z, then along −x, −y and −z."""
        return np.array([self.points.min(axis=0), -self.points.max(axis=0)])

    def row(self, joint: int) -> int:
        """Return the row of a joint (a site as −1 − index) among the points."""
        return joint if joint >= 0 else self.n_bodies - 1 - joint


def _stem(parents: list[int]) -> list[int]:
    """Return the bodies below the root down to the first that bears several; none if none does.

    Files put the body under a root far away, at the origin of the stage.
    """
    bears = Counter(parents)
    stem, body = [], 0
    while bears[body] == 1:
        body = parents.index(body)
        stem.append(body)
    return stem if bears[body] else []


def sound_frames(recording: Recording) -> np.ndarray:
    """Return ``(F)`` bool, where all values of a frame are finite."""
    if recording.flags is not None:
        return np.asarray(recording.flags != flag_code("not_finite"))
    assert recording.hierarchy is not None
    return np.asarray(np.isfinite(recording.hierarchy.values.sum(axis=0)))


def sampled_frames(sound: np.ndarray, most: int = MOST_FRAMES) -> np.ndarray:
    """Return at most so many rows, evenly spread, the first and last among them; sound ones."""
    count, last = min(len(sound), most), len(sound) - 1
    frames = np.rint(np.arange(count) * (last / max(count - 1, 1))).astype(int)
    return frames[sound[frames]]


def poses(hierarchy: Hierarchy, frames: np.ndarray, rotation: np.ndarray | None = None) -> Poses:
    """Place the bodies of a hierarchy in the given frames.

    Args:
        hierarchy: As the importer found it.
        frames: ``(S)`` rows whose values are finite; if there are none, the rest pose is placed.
        rotation: ``(n, 4, F)`` the clip's quaternions, if they are known.
    """
    n, sites = len(hierarchy.names), len(hierarchy.site_body)
    joints = [*range(n), *range(-1, -1 - sites, -1)]
    offset = np.array(hierarchy.offset, float)
    placed = np.empty((len(joints), 3, max(len(frames), 1) + 1))
    if len(frames):
        sample, rows = hierarchy, frames
        if rotation is None:
            sample = replace(hierarchy, values=hierarchy.values[:, frames])
            rows, rotation = np.arange(len(frames)), rotations(sample)
        place(sample, rows, joints, rotation, placed)
        for body, channels in enumerate(columns_of(hierarchy.channels).position.tolist()):
            if body > 0 and max(channels) >= 0:
                for axis, row in enumerate(channels):
                    if row >= 0:
                        offset[body, axis] = np.median(hierarchy.values[row][frames])
    else:  # nothing but the rest pose to look at
        frames, rotation = np.zeros(1, int), _rest_turns(hierarchy)[:, :, None]
        still = replace(hierarchy, channels=((),) * n, values=np.empty((0, 1)))
        place(still, frames, joints, rotation, placed)
    offset[0] = 0.0
    parents = np.asarray(hierarchy.parents)
    site_offset = np.asarray(hierarchy.site_offset, float).reshape(-1, 3)
    site_body = np.asarray(hierarchy.site_body, int)
    turns, rest = _rest_turns(hierarchy).copy(), np.zeros((n, 3))
    for body, parent in enumerate(parents.tolist()):  # parents come first
        if parent >= 0:
            rest[body] = rest[parent] + turn(turns[parent], offset[body])
            turns[body] = product(turns[parent], turns[body])
    placed[:n, :, -1] = rest
    placed[n:, :, -1] = rest[site_body] + turn(turns[site_body].T, site_offset.T).T
    names = tuple(hierarchy.names)
    return Poses(names, parents, offset, site_body, site_offset, frames, placed)


def _rest_turns(hierarchy: Hierarchy) -> np.ndarray:
    """Return ``(n, 4)`` how every body is turned against its parent at rest."""
    if hierarchy.rest is not None:
        return np.asarray(hierarchy.rest, float)
    return np.tile([1.0, 0.0, 0.0, 0.0], (len(hierarchy.names), 1))


def place(
    hierarchy: Hierarchy,
    frames: np.ndarray,
    joints: Sequence[int],
    rotation: np.ndarray,
    placed: np.ndarray,
) -> None:
    """Fill ``(m, 3, ≥ S)`` where joints (a site as −1 − index) are in the given frames."""
    n = len(hierarchy.names)
    at, bearer = np.zeros((len(joints), 3)), np.array(joints, dtype=np.int64)
    sites = bearer < 0
    if sites.any():
        which = -1 - bearer[sites]
        at[sites], bearer[sites] = hierarchy.site_offset[which], hierarchy.site_body[which]
    parents: list[int] = hierarchy.parents.tolist()
    wanted = [False] * n
    for body in bearer.tolist():
        wanted[body] = True
    for body in range(n - 1, 0, -1):  # parents come before their children
        if wanted[body]:
            wanted[parents[body]] = True
    offset, columns = np.array(hierarchy.offset, float), columns_of(hierarchy.channels).position
    slot, slides = np.full(n, -1), [k for k in range(n) if wanted[k] and columns[k].max() >= 0]
    slot[slides] = np.arange(len(slides))
    displacement = np.zeros((len(slides), 3, len(frames)))
    for k, body in enumerate(slides):  # channels replace an offset, axis by axis
        for axis in np.flatnonzero(columns[body] >= 0):
            offset[body, axis] = 0.0
            displacement[k, axis] = hierarchy.values[columns[body, axis]][frames]
    q, p = np.empty((n, 4, len(frames))), np.empty((n, 3, len(frames)))
    positions(
        read_only([body for body in range(n) if wanted[body]], np.int64),
        read_only(hierarchy.parents, np.int64),
        read_only(offset),
        read_only(slot, np.int64),
        read_only(rotation[..., frames]),
        read_only(displacement),
        q,
        p,
        0,
        len(frames),
    )
    found = placed[:, :, : len(frames)]
    found[:] = p[bearer]
    if sites.any():
        arms = turn(np.moveaxis(q[bearer[sites]], 1, 0), at[sites].T[:, :, None])
        found[sites] += np.moveaxis(arms, 0, 1)


def lengths(vectors: np.ndarray) -> np.ndarray:
    """Return the lengths of ``(…, 3, S)`` vectors."""
    return np.asarray(np.linalg.norm(vectors, axis=-2))
