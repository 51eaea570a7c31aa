"""Zero-lag low-pass filters.

Two filters, both without phase shift, both with a gain of −3 dB at the cut-off the user writes:

``butterworth``
    Second order, run forwards and backwards (the "fourth-order zero-lag" filter of biomechanics).
    Two passes would lower the cut-off by a fifth; each pass is designed for a higher one. Gain
    ``1 / (1 + (√2 − 1) (tan πf/fps / tan πc/fps)⁴)``.

``spline``
    The curve that balances closeness to the samples against the sum of its squared third
    differences (Whittaker–Henderson; the discrete quintic smoothing spline). Gain
    ``1 / (1 + (√2 − 1) (sin πf/fps / sin πc/fps)⁶)``: flatter below the cut-off, steeper above, so
    that accelerations, and forces, carry a third less noise at the same cut-off.

Both see each end continued by linear prediction for two periods of the cut-off: a stable
autoregression (Burg) on the steps of the last 2.5 s. Odd reflection, the usual choice, makes the
acceleration vanish at the ends.
"""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np

from mocap_reroot.errors import MocapRerootError, UnknownNameError

METHODS = ("butterworth", "spline")
STENCIL = 4
"""Samples beyond each end that the differences need."""

_HALF_POWER = math.sqrt(2) - 1
_MEMORY = 2.5  # s of motion near an end from which its continuation is predicted
_ORDER = 0.2  # s spanned by the coefficients of the prediction


def check_cutoff(cutoff_hz: float | str, fps: float) -> float:
    """Return the cut-off as a number, or say why it cannot be one."""
    try:
        cutoff = float(cutoff_hz)
    except (TypeError, ValueError):
        raise MocapRerootError(
            f"The cut-off must be a number of Hz or 'auto'; found {cutoff_hz!r}."
        ) from None
    if not (math.isfinite(cutoff) and 0 < cutoff < fps / 2 * 0.8):
        raise MocapRerootError(
            f"A cut-off of {cutoff:g} Hz cannot be used at {fps:g} frames a second; "
            f"choose one above 0 and below {0.4 * fps:g} Hz."
        )
    return cutoff


def gain(
    frequency: np.ndarray | float,
    cutoff: np.ndarray | float,
    fps: float,
    method: str = "butterworth",
) -> np.ndarray:
    """Return the factor by which a filter changes the amplitude of waves of these frequencies."""
    wave, edge = np.pi * np.asarray(frequency) / fps, np.pi * np.asarray(cutoff) / fps
    if method == "spline":
        square = (np.sin(wave) / np.sin(edge)) ** 2
        return np.asarray(1 / (1 + _HALF_POWER * square * square * square))
    square = (np.tan(wave) / np.tan(edge)) ** 2
    return np.asarray(1 / (1 + _HALF_POWER * square * square))


def make_filter(method: str, cutoff: float, fps: float) -> Callable[[np.ndarray], None]:
    """Return a function that filters ``(r, w)`` rows in place."""
    if method == "butterworth":
        section = _butterworth_section(cutoff, fps)
        return lambda rows: biquad_both_ways(rows, *section)
    if method == "spline":
        weight = _HALF_POWER / (2 * math.sin(math.pi * cutoff / fps)) ** 6
        return lambda rows: penalise_jerk(rows, weight)
    raise UnknownNameError("smoothing method", method, METHODS)


def low_pass(
    values: np.ndarray, cutoff: float, fps: float, method: str = "butterworth"
) -> np.ndarray:
    """Return values ``(…, F)`` low-passed, their ends continued as those of a motion."""
    flat = values.reshape(-1, values.shape[-1])
    pad, frames = padding(cutoff, fps), values.shape[-1]
    rows = np.empty((len(flat), frames + 2 * pad))
    rows[:, pad : pad + frames] = flat
    extend(rows, pad, frames, fps)
    make_filter(method, cutoff, fps)(rows)
    return rows[:, pad : pad + frames].reshape(values.shape)


def biquad_both_ways(
    rows: np.ndarray, b0: float, b1: float, b2: float, a1: float, a2: float
) -> None:
    """Filter rows ``(r, w)`` forwards and backwards through one second-order section, in place.

    Each pass starts as if its first sample had lasted for ever.
    """
    from scipy.signal import lfilter

    lasting = np.array([b1 - a1 + b2 - a2, b2 - a2])
    for way in (rows, rows[:, ::-1]):
        way[:] = lfilter([b0, b1, b2], [1.0, a1, a2], way, axis=1, zi=way[:, :1] * lasting)[0]


def penalise_jerk(rows: np.ndarray, weight: float) -> None:
    """Replace every row by the curve z that makes Σ (y - z)² + weight Σ (Δ³z)² least."""
    from scipy.linalg import solveh_banded

    width, stencil = rows.shape[1], (-1.0, 3.0, -3.0, 1.0)
    bands = np.zeros((4, width))  # of 1 + weight · DᵀD, D the third differences
    bands[0] = 1.0
    for k in range(4):
        for c in range(4 - k):
            bands[k, c : width - 3 + c] += weight * stencil[c] * stencil[c + k]
    rows[:] = solveh_banded(bands, rows.T, lower=True).T


def _butterworth_section(cutoff: float, fps: float) -> tuple[float, float, float, float, float]:
    """Return b0, b1, b2, a1, a2 of one pass whose two passes have −3 dB at the cut-off.

    Second-order Butterworth by the bilinear transform, with the cut-off pre-warped and raised by
    (2^½ − 1)^(−¼) in the warped frequency, so that the corrected gain is exact and not only
    nearly so at low frame rates.
    """
    k = math.tan(math.pi * cutoff / fps) / _HALF_POWER**0.25
    norm = 1 / (1 + math.sqrt(2) * k + k * k)
    b0 = k * k * norm
    return b0, 2 * b0, b0, 2 * (k * k - 1) * norm, (1 - math.sqrt(2) * k + k * k) * norm


def padding(cutoff: float | None, fps: float) -> int:
    """Return how many samples to continue each end by."""
    return STENCIL + (0 if cutoff is None else math.ceil(2 * fps / cutoff))


def extend(rows: np.ndarray, pad: int, frames: int, fps: float) -> None:
    """Fill the ``pad`` samples before and after the frames of ``(r, w)`` rows, in place."""
    from mocap_reroot.kernels import smoothing

    window = min(frames, max(5, round(_MEMORY * fps)))
    order = max(1, min(round(_ORDER * fps), 64, (window - 1) // 3))
    smoothing.extend(rows, pad, frames, window, order)
