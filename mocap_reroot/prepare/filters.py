"""Low-pass filters without lag, and the choice of their cut-off.

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
_BANDS = 400  # of the spectrum, at most
_ROWS = 8  # transformed together, so that they stay in the cache
_ORDER = 0.2  # s spanned by the coefficients of the prediction
SLOWEST, FASTEST = 4.0, 8.0
"""Hz, bounds of the automatic cut-off: slower blurs a step, faster lets noise into the forces."""


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
            f"choose one between 0 and {0.4 * fps:g} Hz."
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
    """Return a function that filters ``(r, w)`` rows in place; r a multiple of four."""
    from mocap_reroot.kernels import smoothing

    if method == "butterworth":
        section = _butterworth_section(cutoff, fps)
        return lambda rows: smoothing.biquad_both_ways(rows, *section)
    if method == "spline":
        weight = _HALF_POWER / (2 * math.sin(math.pi * cutoff / fps)) ** 6
        return lambda rows: smoothing.penalise_jerk(rows, weight)
    raise UnknownNameError("smoothing method", method, METHODS)


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


def residual_cutoff(channels: np.ndarray, fps: float) -> tuple[float, str]:
    """Choose a cut-off by residual analysis.

    For every channel the residual (raw minus filtered, RMS) is drawn against the cut-off. Where
    only noise is removed it falls along a line; that line's height at 0 Hz is the noise in the
    channel. The channel's cut-off is where the residual has grown to that height: as much signal
    is lost as noise is let through. The clip gets the median over its moving channels, within
    sane bounds.

    Args:
        channels: ``(r, F)`` rad or m, F ≥ 5, finite.
        fps: Frames per second.

    Returns:
        tuple: Hz, and a sentence of evidence.
    """
    slowest, fastest = min(SLOWEST, 0.2 * fps), min(FASTEST, 0.3 * fps)
    grid = np.arange(1.0, min(25.0, 0.42 * fps), 0.25)
    power, frequency = _spectrum(channels, fps)
    moving = power.sum(axis=1) > 0.01**2  # about half a degree RMS, a centimetre
    if len(grid) < 8 or not moving.any() or channels.shape[1] < 16:
        cutoff = min(max(6.0, slowest), fastest)
        return cutoff, f"Too little motion for a residual analysis; {cutoff:g} Hz is customary."
    removed = (1 - gain(frequency, grid[:, None], fps)) ** 2
    residual = np.sqrt(power[moving] @ removed.T)
    tail = grid >= min(10.0, 0.25 * fps)
    slope_noise = np.polyfit(grid[tail], residual[:, tail].T, 1)
    noise = slope_noise[1]
    below = residual <= noise[:, None]
    choice = np.where(below.any(axis=1), grid[below.argmax(axis=1)], grid[-1])
    median = float(np.median(choice))
    cutoff = round(min(max(median, slowest), fastest), 2)
    low, high = np.percentile(choice, [25, 75])
    sentence = (
        f"Residual analysis of {len(choice)} moving channels: half of them ask for {low:.3g} to "
        f"{high:.3g} Hz, median {median:.3g} Hz, noise {np.median(noise):.2g} rad or m RMS."
    )
    if cutoff != round(median, 2):
        sentence += f" Kept within {slowest:g} to {fastest:g} Hz."
    return cutoff, sentence


def fast_length(frames: int) -> int:
    """Return the most frames, at most so many, whose spectrum is quick to compute."""
    while frames > 16 and not _is_quick(frames - 1):
        frames -= 1
    return frames


def _is_quick(length: int) -> bool:
    """Whether a Fourier transform of this length is quick: no prime factor above five."""
    for prime in (2, 3, 5):
        while length % prime == 0:
            length //= prime
    return length == 1


def _spectrum(channels: np.ndarray, fps: float) -> tuple[np.ndarray, np.ndarray]:
    """Return mean-square content ``(r, b)`` of bands and their frequency, Hz.

    The line through both ends is taken off and what remains is continued oddly (sine transform):
    a curve without steps or kinks, so that its ends do not look like noise.
    """
    frames = channels.shape[1]
    along = np.linspace(0, 1, frames)
    bent = channels - channels[:, :1]
    bent -= (channels[:, -1:] - channels[:, :1]) * along
    sines = _sines(bent)
    frequency = np.arange(1, frames - 1) / (frames - 1) * fps / 2  # ends below Nyquist
    width = max(1, math.ceil((frames - 2) / _BANDS))
    starts = np.arange(0, frames - 2, width)
    counts = np.diff(np.append(starts, frames - 2))
    content = np.add.reduceat(sines * sines, starts, axis=1) / (frames - 2)
    return content, np.add.reduceat(frequency, starts) / counts


def _sines(bent: np.ndarray) -> np.ndarray:
    """Return the orthonormal sine transform ``(r, n − 2)`` of ``(r, n)`` rows whose ends are zero.

    ``scipy.fft.dst(bent[:, 1:-1], 1)`` to the last bit; but loading that takes longer than most
    clips.
    """
    rows, half = bent.shape[0], bent.shape[1] - 1
    sines = np.empty((rows, half - 1))
    odd = np.zeros((_ROWS, 2 * half))
    for first in range(0, rows, _ROWS):
        part = bent[first : first + _ROWS, 1:-1]
        odd[: len(part), 1:half] = part
        np.negative(part[:, ::-1], out=odd[: len(part), half + 1 :])
        sines[first : first + _ROWS] = np.fft.rfft(odd[: len(part)], axis=1).imag[:, 1:half]
    sines *= -1 / math.sqrt(2 * half)
    return sines
