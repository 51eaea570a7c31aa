"""Centre of mass, momentum and lowest points of the whole body over a clip."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from mocap_reroot.contact.paths import Paths
from mocap_reroot.contact.signals import bridge, height, low_pass, padded_rows, padding
from mocap_reroot.kernels.paths import body_paths
from mocap_reroot.mechanics.kinematics import World, forward
from mocap_reroot.types import BodyModel, Motion, Skeleton

_WHOLE, _BLOCK = 16384, 512
"""Frames: clips up to the first are placed in the world at once, longer ones in blocks that stay
in the cache."""


@dataclass(frozen=True, eq=False)
class BodySeries:
    """What was seen of the whole body.

    Attributes:
        valid: ``(F)`` frames that take part and in which every body is somewhere.
        path: Smooth paths of the parts that can touch.
        low: ``(F)`` m, height of the lowest joint of the person (of all, if it is none); of no
            meaning where not valid.
        centre: ``(3, F)`` m, the centre of the point masses; zero where not valid.
        swing: ``(3, F)`` m², ``Σ m p × (p' − p)`` from the valid frame before to this one.
    """

    valid: np.ndarray
    path: Paths
    low: np.ndarray
    centre: np.ndarray
    swing: np.ndarray


def body_series(
    motion: Motion, parts: Sequence[int], body: BodyModel | None, cutoff: float
) -> BodySeries:
    """Look at every frame of a captured motion once.

    Args:
        motion: The clip; what is known of its derivatives is not used: contacts do not depend on
            how it was smoothed.
        parts: Bodies whose paths are wanted.
        body: Its masses, taken as points at their centres; None: nothing is known of them.
        cutoff: Hz, low-pass of the paths.
    """
    frames = motion.n_frames
    bodies = tuple(dict.fromkeys(parts))
    pad = padding(frames, motion.fps, cutoff)
    rows = padded_rows(12 * len(bodies), frames, pad)
    valid, low = np.array(motion.analysed, bool), np.full(frames, np.inf)
    centre, swing = np.zeros((2, 3, frames))
    skeleton = motion.skeleton
    share, com = np.zeros(skeleton.n_bodies), np.zeros((skeleton.n_bodies, 3))
    if body is not None:
        share, com = body.mass / body.total_mass, body.com - skeleton.origin
    body_paths(
        (skeleton.order, skeleton.parents, skeleton.offset, skeleton.slot),
        (motion.rotation, motion.displacement), (share, com), motion.up, _own(skeleton),
        np.array(bodies, np.int64), rows, valid, low, centre, swing, pad,
    )  # fmt: skip
    if valid.any():
        swing[:, valid.argmax()] = 0.0  # there is none before the first
    bridge(rows[: 12 * len(bodies), pad : pad + frames], valid)
    low_pass(rows, 12 * len(bodies), pad, motion.fps, cutoff)
    return BodySeries(valid, Paths(bodies, rows, pad, motion.fps), low, centre, swing)


def _own(skeleton: Skeleton) -> np.ndarray:
    """Return ``(n)`` whether a body is part of the person; all are, if there is none.

    Roots, targets and props may be below the ground that the person stands on.
    """
    anatomy = skeleton.anatomy
    if anatomy is None or not anatomy.human:
        return np.ones(skeleton.n_bodies, bool)
    return np.array([segment != "" for segment in anatomy.segments])


def lowest(motion: Motion) -> np.ndarray:
    """Return ``(n)`` m the least height of every body, its end sites included."""
    skeleton, up = motion.skeleton, motion.up
    low = np.full(skeleton.n_bodies, np.inf)
    for _, world in _blocks(motion):
        valid = world.motion.analysed & np.isfinite(world.position).all(axis=(0, 1))
        if not valid.any():
            continue
        low = np.minimum(low, height(world.position, up)[:, valid].min(axis=1))
        for body, local in zip(skeleton.site_body, skeleton.site_offset, strict=True):
            low[body] = min(low[body], height(world.point(body, local), up)[valid].min())
    return low if np.isfinite(low).all() else np.zeros(skeleton.n_bodies)


def _blocks(motion: Motion) -> Iterator[tuple[int, World]]:
    """Yield the bodies in the world, a block of frames at a time, and where it starts."""
    size = _WHOLE if motion.n_frames <= _WHOLE else _BLOCK
    for start in range(0, motion.n_frames, size):
        part = slice(start, start + size)
        yield start, forward(
            Motion(
                motion.skeleton, motion.fps, motion.up, motion.rotation[..., part],
                motion.displacement[..., part], flags=motion.flags[part],
            )
        )  # fmt: skip
