"""smooth(): low-passed poses with their velocities and accelerations."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np

from mocap_reroot.errors import MocapRerootError, UnknownNameError
from mocap_reroot.mechanics.model import following, model_states
from mocap_reroot.numerics.frames import runs
from mocap_reroot.options import renamed
from mocap_reroot.signals import filters
from mocap_reroot.signals.cleaning import SHORTEST_RUN, clean
from mocap_reroot.signals.cutoff import least_error_cutoff
from mocap_reroot.signals.derivatives import States, fill_rows, fill_run
from mocap_reroot.types import Generalised, Inference, Motion

_LONGEST_SAMPLE = 2049  # frames looked at to choose a cut-off


@renamed(cutoff_hz="cutoff", method="smoother")
def smooth(
    motion: Motion, cutoff: float | str | None = "auto", smoother: str = "butterworth"
) -> Motion:
    """Smooth a motion and give it velocities and accelerations.

    Rotations are filtered as quaternions and normalised again; velocities and accelerations are
    the derivatives of that one smooth curve. Frames left out (rest pose, gaps) split the clip: each
    run is smoothed by itself, and frames left out become NaN.

    Args:
        motion: Captured joint states; cleaned first (:func:`mocap_reroot.signals.cleaning.clean`).
        cutoff: Cut-off in Hz, where a wave is reduced to 1/√2 (−3 dB) by the filter as a whole;
            ``"auto"`` chooses the one that leaves least error in the accelerations
            (:mod:`mocap_reroot.signals.cutoff`) and reports it in ``source.inferred``;
            None differentiates without smoothing.
        smoother: ``"butterworth"`` (second order, forwards and backwards) or ``"spline"``
            (penalises the third derivative; less noise in the forces at the same cut-off).

    Returns:
        Motion: With derivatives; ``source`` tells what was mended and which cut-off was used.

    Raises:
        MocapRerootError: Fewer than 5 usable frames in a row, or an impossible cut-off.
    """
    if smoother not in filters.METHODS:
        raise UnknownNameError("smoother", smoother, filters.METHODS)
    motion = clean(motion)
    spans = runs(motion.analysed)
    if not spans or max(stop - start for start, stop in spans) < SHORTEST_RUN:
        raise MocapRerootError(
            f"Velocities and accelerations need {SHORTEST_RUN} usable frames in a row; "
            f"this motion has {motion.n_frames} frames, {motion.analysed.sum()} of them usable. "
            "inspect says what was left out; convert --as-is takes a motion of any length."
        )
    hertz: float | None
    if cutoff == "auto":
        motion, hertz = _with_chosen_cutoff(motion, spans)
    else:
        hertz = None if cutoff is None else filters.check_cutoff(cutoff, motion.fps)
    low_pass = None if hertz is None else filters.make_filter(smoother, hertz, motion.fps)
    if motion.coordinates is not None:
        return _by_coordinates(motion, motion.coordinates, spans, hertz, low_pass)
    states = States.empty(motion.skeleton.n_bodies, len(motion.displacement), ~motion.analysed)
    last = np.zeros((motion.skeleton.n_bodies, 4))
    undersampled: dict[str, list[int]] = {}
    for start, stop in spans:
        for turn in fill_run(motion, states, last, start, stop, hertz, low_pass):
            name = motion.skeleton.names[turn.body]
            undersampled.setdefault(name, []).append(motion.start + start + turn.frame)
    source = motion.source.adding(warnings=_about_undersampled(undersampled, motion.fps))
    return replace(motion, source=source, **vars(states))


def _by_coordinates(
    motion: Motion,
    coordinates: Generalised,
    spans: list[tuple[int, int]],
    cutoff: float | None,
    low_pass: Callable[[np.ndarray], None] | None,
) -> Motion:
    """Return a motion whose model's coordinates were smoothed; its joints follow them exactly."""
    from mocap_reroot.kernels.rotations import make_continuous

    value, speed, acceleration = fill_rows(coordinates.value, motion.fps, spans, cutoff, low_pass)
    moved = following(replace(coordinates, value=value, speed=speed, acceleration=acceleration))
    states = model_states(moved, motion.skeleton)
    for start, stop in spans:
        run = np.ascontiguousarray(states["rotation"][..., start:stop])
        make_continuous(run)
        states["rotation"][..., start:stop] = run
    return replace(motion, coordinates=moved, **states)  # type: ignore[arg-type]


def _about_undersampled(undersampled: dict[str, list[int]], fps: float) -> list[str]:
    """Return a sentence about turns that were smoothed further, if any were."""
    if not undersampled:
        return []
    words = [
        f"{name} near frame {', '.join(map(str, at[:3]))}" for name, at in undersampled.items()
    ]
    more = f", and {len(words) - 4} more" if len(words) > 4 else ""
    return [
        f"Turns faster than {fps:.4g} frames a second can tell: {'; '.join(words[:4])}{more}. They "
        "were smoothed further there; torques there mean little."
    ]


def _with_chosen_cutoff(motion: Motion, spans: list[tuple[int, int]]) -> tuple[Motion, float]:
    """Choose a cut-off from the longest run and write it down."""
    from scipy.fft import prev_fast_len

    from mocap_reroot.kernels.rotations import make_continuous

    start, stop = max(spans, key=lambda span: span[1] - span[0])
    # One frame more than a length whose sine transform is quick.
    frames = prev_fast_len(min(stop - start, _LONGEST_SAMPLE) - 1, real=True) + 1
    first = (start + stop - frames) // 2
    sample = slice(first, first + frames)
    n, k = motion.skeleton.n_bodies, len(motion.displacement)
    channels = np.empty((4 * n + 3 * k, frames))
    turns = channels[: 4 * n].reshape(n, 4, frames)
    np.multiply(motion.rotation[..., sample], 2, out=turns)  # changes as the body turns, rad
    make_continuous(turns)
    channels[4 * n :].reshape(k, 3, frames)[...] = motion.displacement[..., sample]
    slot = int(motion.skeleton.slot[motion.skeleton.root])
    path = slice(4 * n + 3 * slot, 4 * n + 3 * slot + 3) if slot >= 0 else slice(0, 0)
    cutoff, evidence = least_error_cutoff(channels, path, motion.fps)
    known = [i for i in motion.source.inferred if i.what != "cutoff"]
    inference = Inference("cutoff", cutoff, 0.7, evidence)
    source = replace(motion.source, inferred=(*known, inference))
    return replace(motion, source=source), cutoff
