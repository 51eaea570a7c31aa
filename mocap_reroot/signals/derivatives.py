"""Velocities and accelerations of a smooth curve through a run of frames."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from mocap_reroot.signals import filters
from mocap_reroot.signals.easing import RESOLVED, Eased, ease_turns
from mocap_reroot.types import Motion

_TOGETHER = 1 << 20  # bytes of bodies that are smoothed together, so that they stay in the cache


@dataclass(frozen=True, eq=False)
class States:
    """Smooth joint states and their derivatives, filled run by run; NaN where nothing was filled.

    Attributes:
        rotation: ``(n, 4, F)`` unit quaternions.
        displacement: ``(k, 3, F)`` m.
        angular_velocity, angular_acceleration: ``(n, 3, F)`` rad/s, rad/s², body axes.
        linear_velocity, linear_acceleration: ``(k, 3, F)`` m/s, m/s².
    """

    rotation: np.ndarray
    displacement: np.ndarray
    angular_velocity: np.ndarray
    angular_acceleration: np.ndarray
    linear_velocity: np.ndarray
    linear_acceleration: np.ndarray

    @classmethod
    def empty(cls, n: int, k: int, left_out: np.ndarray) -> States:
        """Return states for n bodies, k translating joints; ``left_out`` ``(F)`` become NaN."""
        frames = len(left_out)
        shapes = ((n, 4), (k, 3), (n, 3), (n, 3), (k, 3), (k, 3))
        # One piece of memory, for large pages hold several arrays of a short clip.
        counts = [rows * parts * frames for rows, parts in shapes]
        pieces = np.split(np.empty(sum(counts)), np.cumsum(counts[:-1]))
        arrays = [
            piece.reshape(*shape, frames) for piece, shape in zip(pieces, shapes, strict=True)
        ]
        if left_out.any():
            for array in arrays:
                array[..., left_out] = np.nan
        return cls(*arrays)


def fill_run(
    motion: Motion,
    states: States,
    last: np.ndarray,
    start: int,
    stop: int,
    cutoff: float | None,
    low_pass: Callable[[np.ndarray], None] | None,
) -> list[Eased]:
    """Smooth frames start to stop of a motion and fill their states.

    Every channel is continued beyond both ends, filtered, and differentiated by nine-point central
    differences of the filtered samples (the continuation serves the ends); quaternions are
    normalised with their derivatives.

    Args:
        motion: Raw joint states, finite within the run.
        states: Where the result goes.
        last: ``(n, 4)`` quaternions the run's signs should agree with; updated.
        start, stop: The run, half open, at least 5 frames.
        cutoff: Hz, or None for no filter.
        low_pass: Filters rows in place, or None.

    Returns:
        list: Turns too fast for the frame rate, which were smoothed further.
    """
    from mocap_reroot.kernels import smoothing

    n, k, frames = motion.skeleton.n_bodies, len(motion.displacement), stop - start
    fps, pad = float(motion.fps), filters.padding(cutoff, motion.fps)
    width, slides = frames + 2 * pad, -(-3 * k // 4) * 4  # filters take four rows at once
    bodies = min(n, max(1, _TOGETHER // (4 * 8 * width)))
    memory = np.empty((4 * bodies + slides) * width)
    eased: list[Eased] = []
    for first in range(0, n, bodies):
        count = min(bodies, n - first)
        used = 4 * count + (slides if first + count == n else 0)  # the last take the slides along
        rows, base = memory[: used * width].reshape(-1, width), np.empty(used)
        turns, slid = (rows[: 4 * count], base[: 4 * count]), (rows[4 * count :], base[4 * count :])
        smoothing.gather_turns(motion.rotation, first, last, *turns, pad, start, stop)
        if used > 4 * count:
            smoothing.gather_slides(motion.displacement, *slid, pad, start, stop)
        filters.extend(rows, pad, frames, fps)
        if low_pass is not None:
            low_pass(rows)
            if cutoff is not None and cutoff > RESOLVED * fps:
                eased += ease_turns(*turns, first, pad, fps, low_pass)
        out = states.rotation, states.angular_velocity, states.angular_acceleration
        smoothing.rotation_rates(*turns, pad, first, *out, fps, start, stop)
        if used > 4 * count:
            out = states.displacement, states.linear_velocity, states.linear_acceleration
            smoothing.slide_rates(*slid, pad, *out, fps, start, stop)
    return eased


def fill_rows(
    values: np.ndarray,
    fps: float,
    pieces: list[tuple[int, int]],
    cutoff: float | None,
    low_pass: Callable[[np.ndarray], None] | None,
) -> np.ndarray:
    """Return ``(3, c, F)`` smooth rows and their first and second derivatives; NaN elsewhere.

    Args:
        values: ``(c, F)`` finite within the pieces.
        fps: Frames per second.
        pieces: Runs of frames, half open, at least 5 each.
        cutoff: Hz, or None for no filter.
        low_pass: Filters rows in place, or None.
    """
    from mocap_reroot.kernels import smoothing

    count, frames = values.shape
    triples, pad = -(-count // 3), filters.padding(cutoff, fps)
    slides = np.zeros((triples, 3, frames))
    slides.reshape(-1, frames)[:count] = values
    found = np.full((3, triples, 3, frames), np.nan)
    used = -(-3 * triples // 4) * 4  # filters take four rows at once
    for start, stop in pieces:
        rows, base = np.empty((used, stop - start + 2 * pad)), np.empty(used)
        smoothing.gather_slides(slides, rows, base, pad, start, stop)
        filters.extend(rows, pad, stop - start, float(fps))
        if low_pass is not None:
            low_pass(rows)
        smoothing.slide_rates(
            rows, base, pad, found[0], found[1], found[2], float(fps), start, stop
        )
    return found.reshape(3, -1, frames)[:, :count]
