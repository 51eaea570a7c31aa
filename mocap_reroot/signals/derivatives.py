"""Velocities and accelerations of a smooth curve through a run of frames.

Turns that are faster than the frame rate resolves are smoothed further, where they are. At 30
frames a second a throwing forearm turns by two radians within a frame. The low-pass spreads that
over its own width, but what remains is still rougher than the samples can hold: differences of them
disagree about the velocity, and so would any two readers of the results. There, and only there, the
curve is normalised and filtered again until they agree.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from mocap_reroot.signals import filters
from mocap_reroot.types import Motion

RESOLVED = 0.1
"""A curve whose cut-off is below this share of the frame rate is resolved by its samples."""
_DOUBT, _AGREED = 0.012, 0.003
"""rad a frame: where five- and nine-point differences of a turn disagree by more than the first,
it is smoothed until they differ by less than the second (turns of a whole limb add up)."""
_REACH = 0.3
"""s, how far to both sides of the roughest frames the further smoothing fades out."""
_PASSES = 8

# nine-point less five-point first differences
_DISAGREEMENT = np.array(
    [1 / 280, -4 / 105, 7 / 60, -2 / 15, 0, 2 / 15, -7 / 60, 4 / 105, -1 / 280]
)

_TOGETHER = 1 << 20  # bytes of bodies that are smoothed together, so that they stay in the cache


@dataclass(frozen=True)
class Undersampled:
    """A body whose turn was smoothed further: its index, and the frame of the run it is about."""

    body: int
    frame: int


def smooth_undersampled(
    rows: np.ndarray,
    base: np.ndarray,
    first: int,
    pad: int,
    fps: float,
    low_pass: Callable[[np.ndarray], None],
) -> list[Undersampled]:
    """Smooth turns that the samples do not resolve, in place.

    Args:
        rows: ``(r, w)`` filtered quaternions, four rows a body, less ``base``.
        base: ``(r)``.
        first: Index of the first body.
        pad: Samples before the first frame and after the last.
        fps: Frames per second.
        low_pass: Filters four rows in place.
    """
    undersampled = []
    for k in range(len(rows) // 4):
        mine = slice(4 * k, 4 * k + 4)
        q, rest = rows[mine], base[mine, None]
        doubt = _doubt(q, pad)
        if doubt.max(initial=0.0) <= _DOUBT:
            continue
        undersampled.append(Undersampled(first + k, int(doubt.argmax())))
        rough = doubt > _DOUBT
        fade = _fade(rough, pad, fps)
        for _ in range(_PASSES):
            again = q + rest
            again = np.ascontiguousarray(again / np.linalg.norm(again, axis=0) - rest)
            low_pass(again)
            q += fade * (again - q)
            if _doubt(q, pad)[rough].max() <= _AGREED:
                break
    return undersampled


def _doubt(q: np.ndarray, pad: int) -> np.ndarray:
    """Return ``(F)`` rad a frame by which differences of a turn ``(4, w)`` disagree."""
    frames = q.shape[1] - 2 * pad
    first = pad - 4
    rate = sum(c * q[:, first + k : first + k + frames] for k, c in enumerate(_DISAGREEMENT))
    return 2 * np.sqrt(np.einsum("cf,cf->f", rate, rate))


def _fade(rough: np.ndarray, pad: int, fps: float) -> np.ndarray:
    """Return ``(w)`` 1 near rough frames ``(F)``, falling smoothly to 0 farther away."""
    places = pad + np.flatnonzero(rough)
    at = np.arange(len(rough) + 2 * pad)
    after = np.searchsorted(places, at)
    far = np.minimum(
        np.abs(at - places[np.minimum(after, len(places) - 1)]),
        np.abs(at - places[np.maximum(after - 1, 0)]),
    )
    ramp = np.clip(1.5 - 1.5 * far / (_REACH * fps), 0, 1)
    return np.asarray(ramp * ramp * (3 - 2 * ramp))


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
) -> list[Undersampled]:
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
    width, slides = frames + 2 * pad, 3 * k
    bodies = min(n, max(1, _TOGETHER // (4 * 8 * width)))
    memory = np.empty((4 * bodies + slides) * width)
    undersampled: list[Undersampled] = []
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
                undersampled += smooth_undersampled(*turns, first, pad, fps, low_pass)
        out = states.rotation, states.angular_velocity, states.angular_acceleration
        smoothing.rotation_rates(*turns, pad, first, *out, fps, start, stop)
        if used > 4 * count:
            out = states.displacement, states.linear_velocity, states.linear_acceleration
            smoothing.slide_rates(*slid, pad, *out, fps, start, stop)
    return undersampled


def fill_rows(
    values: np.ndarray,
    fps: float,
    spans: list[tuple[int, int]],
    cutoff: float | None,
    low_pass: Callable[[np.ndarray], None] | None,
) -> np.ndarray:
    """Return ``(3, c, F)`` smooth rows and their first and second derivatives; NaN elsewhere.

    Args:
        values: ``(c, F)`` finite within the pieces.
        fps: Frames per second.
        spans: Runs of frames, half open, at least 5 each.
        cutoff: Hz, or None for no filter.
        low_pass: Filters rows in place, or None.
    """
    from mocap_reroot.kernels import smoothing

    count, frames = values.shape
    triples, pad = -(-count // 3), filters.padding(cutoff, fps)
    slides = np.zeros((triples, 3, frames))
    slides.reshape(-1, frames)[:count] = values
    found = np.full((3, triples, 3, frames), np.nan)
    used = 3 * triples
    for start, stop in spans:
        rows, base = np.empty((used, stop - start + 2 * pad)), np.empty(used)
        smoothing.gather_slides(slides, rows, base, pad, start, stop)
        filters.extend(rows, pad, stop - start, float(fps))
        if low_pass is not None:
            low_pass(rows)
        smoothing.slide_rates(
            rows, base, pad, found[0], found[1], found[2], float(fps), start, stop
        )
    return found.reshape(3, -1, frames)[:, :count]
