"""Velocities and accelerations of a smooth curve through a run of frames."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from mocap_reroot.prepare import filters
from mocap_reroot.prepare.easing import RESOLVED, Eased, ease_turns
from mocap_reroot.types import Motion


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
        arrays = [np.empty((*shape, frames)) for shape in shapes]
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

    n, frames = motion.skeleton.n_bodies, stop - start
    pad = filters.padding(cutoff, motion.fps)
    used = 4 * n + 3 * len(motion.displacement)
    rows = np.empty((-(-used // 4) * 4, frames + 2 * pad))
    rows[used:] = 0.0
    base = np.zeros(len(rows))
    smoothing.gather(motion.rotation, motion.displacement, last, rows, base, pad, start, stop)
    filters.extend(rows, pad, frames, motion.fps)
    if low_pass is not None:
        low_pass(rows)
    eased = []
    if low_pass is not None and cutoff is not None and cutoff > RESOLVED * motion.fps:
        eased = ease_turns(rows, base, n, pad, motion.fps, low_pass)
    smoothing.rotation_rates(
        rows,
        base,
        pad,
        states.rotation,
        states.angular_velocity,
        states.angular_acceleration,
        float(motion.fps),
        start,
        stop,
    )
    smoothing.slide_rates(
        rows,
        base,
        4 * n,
        pad,
        states.displacement,
        states.linear_velocity,
        states.linear_acceleration,
        float(motion.fps),
        start,
        stop,
    )
    return eased
