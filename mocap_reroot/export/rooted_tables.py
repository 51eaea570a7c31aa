"""The re-rooted motion as tables: joint states a frame, and the trees they belong to."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import Any

import numpy as np

from mocap_reroot.columns import WXYZ, XYZ, Blocks, Columns, columns_of
from mocap_reroot.types import LEFT_OUT, BodyModel, Motion, Phase, Rooted

_STATE = [f"q{a}" for a in WXYZ] + [f"w{a}" for a in XYZ] + [f"al{a}" for a in XYZ]
_SLIDE = [f"j{a}" for a in XYZ] + [f"jv{a}" for a in XYZ] + [f"ja{a}" for a in XYZ]
_ROOT = [f"p{a}" for a in XYZ] + [f"v{a}" for a in XYZ] + [f"a{a}" for a in XYZ]


def rooted_table(rooted: Rooted) -> Blocks:
    """Return joint states against the current parent, one row a frame: ``rooted.parquet``.

    Quaternions run on without a change of sign within a phase. Frames left out (phase −1) have
    empty values. A body has ``_j*`` columns if its joint translates in any phase; where it does
    not, or where the body is the root, they are empty.
    """
    sliding, moving = _sliding_bodies(rooted), rooted.captured.has_derivatives
    values = (10 if moving else 4) * rooted.captured.skeleton.n_bodies
    values += (9 if moving else 3) * (len(sliding) + 1)
    return Blocks(rooted.captured.n_frames, 4 + values, partial(_rows, rooted, sliding))


def _rows(rooted: Rooted, sliding: list[int], size: int) -> Iterator[Columns]:
    """Yield blocks of so many frames; every piece is asked for once."""
    captured, pieces = rooted.captured, iter(rooted)
    current = next(pieces, None)
    for start in range(0, max(captured.n_frames, 1), size):
        block = _Block(rooted, sliding, start, min(start + size, captured.n_frames))
        while current is not None:
            if block.take(*current):  # it goes on beyond this block
                break
            current = next(pieces, None)
        yield block.columns()


class _Block:
    """Some frames of the table, filled from the phases that reach into them."""

    def __init__(self, rooted: Rooted, sliding: list[int], start: int, stop: int) -> None:
        self.captured, self.sliding, self.start, self.stop = rooted.captured, sliding, start, stop
        n, frames = self.captured.skeleton.n_bodies, stop - start
        states, points = (10, 9) if self.captured.has_derivatives else (4, 3)
        self.state = np.full((n, states, frames), np.nan)
        self.slide = np.full((len(sliding), points, frames), np.nan)
        self.root = np.full((1, points, frames), np.nan)
        self.phase_of = np.full(frames, -1)
        self.root_of = np.full(frames, "", dtype=object)
        self.left_out = np.isin(self.captured.flags[start:stop], list(LEFT_OUT))

    def take(self, phase: Phase, motion: Motion) -> bool:
        """Copy the frames of a phase that are here; return whether it has more, further on."""
        begin = motion.start - self.captured.start
        first, last = max(begin, self.start), min(begin + motion.n_frames, self.stop)
        if first < last:
            here = slice(first - self.start, last - self.start)
            self._copy(phase, motion, here, slice(first - begin, last - begin))
        return begin + motion.n_frames > self.stop

    def _copy(self, phase: Phase, motion: Motion, here: slice, inside: slice) -> None:
        root = motion.skeleton.root
        self.phase_of[here] = phase.index
        self.root_of[here] = motion.skeleton.names[root]
        if phase.index < 0:
            return
        self.state[:, :4, here] = motion.rotation[..., inside]
        if motion.angular_velocity is not None and motion.angular_acceleration is not None:
            self.state[:, 4:7, here] = motion.angular_velocity[..., inside]
            self.state[:, 7:, here] = motion.angular_acceleration[..., inside]
        for row, body in enumerate(self.sliding):
            if body != root and motion.skeleton.slot[body] >= 0:
                self.slide[row, :, here] = _slides(motion, body, inside)
        self.root[0, :, here] = _root_point(motion, inside)
        left_out = self.left_out[here]
        if left_out.any():
            for block in (self.state, self.slide, self.root):
                block[..., here][..., left_out] = np.nan

    def columns(self) -> Columns:
        """Return the columns, views of what is here."""
        names = self.captured.skeleton.names
        frame = np.arange(self.start, self.stop) + self.captured.start
        table: dict[str, Any] = {"frame": frame, "time": frame / self.captured.fps}
        table |= {"phase": self.phase_of, "root": self.root_of}
        states, points = self.state.shape[1], self.root.shape[1]
        table |= columns_of(names, _STATE[:states], self.state)
        table |= columns_of([names[b] for b in self.sliding], _SLIDE[:points], self.slide)
        return table | columns_of(["root"], _ROOT[:points], self.root)


def rooted_tree_table(rooted: Rooted, body: BodyModel) -> Columns:
    """Return the support-rooted trees, one row a phase and body: ``rooted_tree.csv``.

    Args:
        rooted: The motion, a piece a phase.
        body: For the centres of mass; they are given in the frames of the tree in use.
    """
    pairs = zip(rooted.phases, rooted.trees, strict=True)
    trees = [(phase.index, tree) for phase, tree in pairs if phase.index >= 0]
    names, empty = rooted.captured.skeleton.names, np.empty((0, 3))
    table: dict[str, Any] = {
        "phase": [phase for phase, _ in trees for _ in names],
        "root": [names[tree.root] for _, tree in trees for _ in names],
        "body": list(names) * len(trees),
        "parent": [names[p] if p >= 0 else "" for _, tree in trees for p in tree.parents.tolist()],
    }
    offset = np.concatenate([empty, *(tree.offset for _, tree in trees)])
    com = np.concatenate([empty, *(body.com - tree.origin for _, tree in trees)])
    for prefix, vectors in (("offset", offset), ("com", com)):
        table |= {f"{prefix}_{axis}": vectors[:, k] for k, axis in enumerate(XYZ)}
    return table


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
