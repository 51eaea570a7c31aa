"""The re-rooted motion as tables: joint states of every frame, trees of every phase."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import NamedTuple

import numpy as np

from mocap_reroot.schema import Blocks
from mocap_reroot.types import LEFT_OUT, BodyModel, Motion, Phase, Rooted


def rooted_blocks(rooted: Rooted) -> Blocks:
    """Return joint states against the current parent, one row a frame: ``rooted.parquet``.

    Quaternions run on without a change of sign within a phase. Frames left out (phase −1) have
    empty values. A body has ``_j*`` columns if its joint translates in any phase; where it does
    not, or where the body is the root, they are empty.
    """
    sliding, moving = _sliding_bodies(rooted), rooted.captured.has_derivatives
    values = (10 if moving else 4) * rooted.captured.skeleton.n_bodies
    values += (9 if moving else 3) * (len(sliding) + 1)
    return Blocks(rooted.captured.n_frames, 4 + values, partial(_rows, rooted, sliding))


def _rows(rooted: Rooted, sliding: list[int], size: int) -> Iterator[JointStates]:
    """Yield blocks of so many frames; every piece is asked for once."""
    captured, pieces = rooted.captured, iter(rooted)
    current = next(pieces, None)
    for start in range(0, max(captured.n_frames, 1), size):
        block = JointStates(rooted, sliding, start, min(start + size, captured.n_frames))
        while current is not None:
            if block.take(*current):  # it goes on beyond this block
                break
            current = next(pieces, None)
        yield block


class JointStates:
    """Joint states of some frames, filled from the phases that reach into them.

    Attributes:
        frame, time: ``(F)``, s.
        phase, root: ``(F)`` number of the phase, and the name of its root.
        names, sliding_names: Of the bodies, and of those whose joint translates.
        rotation, angular_velocity, angular_acceleration: ``(n, 4 or 3, F)`` as in a motion.
        displacement, linear_velocity, linear_acceleration: ``(s, 3, F)`` of joints that translate.
        root_position, root_velocity, root_acceleration: ``(3, F)`` of the support point, world.
            Derivatives are None where the motion has none.
    """

    def __init__(self, rooted: Rooted, sliding: list[int], start: int, stop: int) -> None:
        self._captured, self._sliding, self._start, self._stop = (
            rooted.captured,
            sliding,
            start,
            stop,
        )
        self.names = rooted.captured.skeleton.names
        self.sliding_names = [self.names[body] for body in sliding]
        frames, moving = stop - start, rooted.captured.has_derivatives
        self.frame = np.arange(start, stop) + rooted.captured.start
        self.time = rooted.captured.time[start:stop]
        self.phase = np.full(frames, -1)
        self.root = np.full(frames, "", dtype=object)
        self._state = np.full((len(self.names), 10 if moving else 4, frames), np.nan)
        self._slide = np.full((len(sliding), 9 if moving else 3, frames), np.nan)
        self._point = np.full((9 if moving else 3, frames), np.nan)
        self._left_out = np.isin(rooted.captured.flags[start:stop], list(LEFT_OUT))
        self.rotation, self.displacement = self._state[:, :4], self._slide[:, :3]
        self.root_position = self._point[:3]
        self.angular_velocity = self._state[:, 4:7] if moving else None
        self.angular_acceleration = self._state[:, 7:] if moving else None
        self.linear_velocity = self._slide[:, 3:6] if moving else None
        self.linear_acceleration = self._slide[:, 6:] if moving else None
        self.root_velocity = self._point[3:6] if moving else None
        self.root_acceleration = self._point[6:] if moving else None

    def take(self, phase: Phase, motion: Motion) -> bool:
        """Copy the frames of a phase that are here; return whether it has more, further on."""
        begin = motion.start - self._captured.start
        first, last = max(begin, self._start), min(begin + motion.n_frames, self._stop)
        if first < last:
            here = slice(first - self._start, last - self._start)
            self._copy(phase, motion, here, slice(first - begin, last - begin))
        return begin + motion.n_frames > self._stop

    def _copy(self, phase: Phase, motion: Motion, here: slice, inside: slice) -> None:
        root = motion.skeleton.root
        self.phase[here] = phase.index
        self.root[here] = self.names[root]
        if phase.index < 0:
            return
        self.rotation[..., here] = motion.rotation[..., inside]
        if self.angular_velocity is not None and self.angular_acceleration is not None:
            self.angular_velocity[..., here] = motion.angular_velocity[..., inside]  # type: ignore[index]
            self.angular_acceleration[..., here] = motion.angular_acceleration[..., inside]  # type: ignore[index]
        for row, body in enumerate(self._sliding):
            if body != root and motion.skeleton.slot[body] >= 0:
                self._slide[row, :, here] = _slides(motion, body, inside)
        self._point[:, here] = _root_point(motion, inside)
        left_out = self._left_out[here]
        if left_out.any():
            for block in (self._state, self._slide, self._point):
                block[..., here][..., left_out] = np.nan


class TreeRows(NamedTuple):
    """The trees of all phases by the columns of their table; vectors are ``(rows, 3)`` m."""

    phase: list[int]
    root: list[str]
    body: list[str]
    parent: list[str]
    offset: np.ndarray
    com: np.ndarray


def rooted_trees(rooted: Rooted, body: BodyModel) -> TreeRows:
    """Return the support-rooted trees, one row a phase and body: ``rooted_tree.csv``.

    Args:
        rooted: The motion, a piece a phase.
        body: For the centres of mass; they are given in the frames of the tree in use.
    """
    pairs = zip(rooted.phases, rooted.trees, strict=True)
    trees = [(phase.index, tree) for phase, tree in pairs if phase.index >= 0]
    names, empty = rooted.captured.skeleton.names, np.empty((0, 3))
    return TreeRows(
        phase=[phase for phase, _ in trees for _ in names],
        root=[names[tree.root] for _, tree in trees for _ in names],
        body=list(names) * len(trees),
        parent=[name for _, tree in trees for name in tree.parent_names],
        offset=np.concatenate([empty, *(tree.offset for _, tree in trees)]),
        com=np.concatenate([empty, *(body.com - tree.origin for _, tree in trees)]),
    )


def _sliding_bodies(rooted: Rooted) -> list[int]:
    """Return the bodies whose joint translates against another body in some phase."""
    found: set[int] = set()
    for phase, tree in zip(rooted.phases, rooted.trees, strict=True):
        if phase.index >= 0:
            found |= set(tree.translating.tolist()) - {tree.root}
    return sorted(found)


def _slides(motion: Motion, body: int, frames: slice) -> np.ndarray:
    """Return ``(3 or 9, F)`` displacement of a joint and its derivatives, parent's axes."""
    row = motion.skeleton.slot[body]
    arrays = (motion.displacement, motion.linear_velocity, motion.linear_acceleration)
    return np.concatenate([array[row, :, frames] for array in arrays if array is not None])


def _root_point(motion: Motion, frames: slice) -> np.ndarray:
    """Return ``(3 or 9, F)`` position, velocity and acceleration of the support point, world."""
    root = motion.skeleton.root
    point = np.zeros((9 if motion.has_derivatives else 3, frames.stop - frames.start))
    if motion.skeleton.slot[root] >= 0:
        point += _slides(motion, root, frames)
    point[:3] += motion.skeleton.offset[root][:, None]
    return point
