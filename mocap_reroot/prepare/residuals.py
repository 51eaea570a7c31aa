"""Residual analysis: which cut-off a clip asks for.

For every channel the residual (raw minus filtered, RMS) is drawn against the cut-off. Where only
noise is removed it falls along a line; that line's height at 0 Hz is the noise in the channel. The
channel's cut-off is where the residual has grown to that height: as much signal is lost as noise is
let through (Winter 2009, section 3.4.4.3). Filters are applied to the spectrum: one transform a
channel does for all cut-offs.
"""

from __future__ import annotations

import math

import numpy as np

from mocap_reroot.prepare.filters import removal
from mocap_reroot.prepare.sampling import middle, share

SLOWEST, FASTEST = 4.0, 8.0
"""Hz, bounds of the automatic cut-off: slower blurs a step, faster lets noise into the forces."""

FASTEST_IF_SMOOTHED = 12.0
"""Hz, the upper bound where noise was removed before the file was written."""

_BANDS = 400  # of the spectrum, at most
_BYTES = 1 << 17  # of channels transformed together, so that they stay in the cache
_TOGETHER, _ADDED = (
    24,
    100,
)  # channels and bands multiplied at once: BLAS starts no threads for them
_MOVING = 0.01**2  # mean square; about half a degree RMS, a centimetre


def residual_cutoff(
    channels: np.ndarray, fps: float, fastest: float = FASTEST
) -> tuple[float, str]:
    """Choose a cut-off: the median of what the moving channels ask for, within sane bounds.

    Args:
        channels: ``(r, F)`` rad or m, F ≥ 5, finite.
        fps: Frames per second.
        fastest: Hz, upper bound.

    Returns:
        tuple: Hz, and a sentence of evidence.
    """
    slowest, fastest = min(SLOWEST, 0.2 * fps), min(fastest, 0.3 * fps)
    grid = np.arange(1.0, min(25.0, 0.42 * fps), 0.25)
    power, frequency = _spectrum(channels, fps)
    power = power[power.sum(axis=1) > _MOVING]
    if len(grid) < 8 or len(power) == 0 or channels.shape[1] < 16:
        cutoff = min(max(6.0, slowest), fastest)
        return cutoff, f"Too little motion for a residual analysis; {cutoff:g} Hz is customary."
    residual = _residuals(power, removal(frequency, grid, fps))
    noise = _height_at_zero(grid, residual, grid >= min(10.0, 0.25 * fps))
    below = residual <= noise[:, None]
    choice = np.where(below.any(axis=1), grid[below.argmax(axis=1)], grid[-1])
    low, median, high = share(choice, 0.25, 0.5, 0.75)
    cutoff = round(min(max(median, slowest), fastest), 2)
    sentence = (
        f"Residual analysis of {len(choice)} moving channels: half of them ask for {low:.3g} to "
        f"{high:.3g} Hz, median {median:.3g} Hz, noise {float(middle(noise)):.2g} rad or m RMS."
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


def _residuals(power: np.ndarray, removed: np.ndarray) -> np.ndarray:
    """Return ``(r, g)`` RMS of what filters ``(b, g)`` remove from spectra ``(r, b)``."""
    rows, bands = power.shape
    filled = np.zeros((-(-rows // _TOGETHER) * _TOGETHER, bands))
    filled[:rows] = power
    filled = filled.reshape(-1, _TOGETHER, bands)
    square = filled[..., :_ADDED] @ removed[:_ADDED]
    for band in range(_ADDED, bands, _ADDED):
        square += filled[..., band : band + _ADDED] @ removed[band : band + _ADDED]
    return np.sqrt(square.reshape(-1, removed.shape[1])[:rows])


def _height_at_zero(grid: np.ndarray, residual: np.ndarray, tail: np.ndarray) -> np.ndarray:
    """Return ``(r)`` the height at 0 Hz of the straight lines that fit the tails best."""
    at, values = grid[tail], residual[:, tail]
    centre = at.sum() / len(at)
    apart = at - centre
    mean = values.sum(axis=1) / len(at)
    slope = np.einsum("rg,g->r", values, apart) / np.einsum("g,g->", apart, apart)
    return np.asarray(mean - slope * centre)


def _spectrum(channels: np.ndarray, fps: float) -> tuple[np.ndarray, np.ndarray]:
    """Return mean-square content ``(m, b)`` of bands of moving channels, and their frequency, Hz.

    The line through both ends is taken off and what remains is continued oddly (sine transform):
    a curve without steps or kinks, so that its ends do not look like noise.
    """
    from mocap_reroot.kernels.spectrum import band_power, fold_rows, uneven_rows

    half = channels.shape[1] - 1
    chosen = np.empty(len(channels), np.int64)
    rows = uneven_rows(channels, 0.9 * _MOVING * (half - 1), chosen)  # and those on the verge
    frequency = np.arange(1, half) / half * fps / 2  # ends below Nyquist
    width = max(1, math.ceil((half - 1) / _BANDS))
    starts = np.arange(0, half - 1, width)
    counts = np.diff(np.append(starts, half - 1))
    weight = np.sin(np.arange(half) * (math.pi / half))
    content = np.empty((rows, len(starts)))
    together = max(1, min(rows, _BYTES // (8 * half)))
    folded = np.empty((together, half))
    for first in range(0, rows, together):
        part = chosen[first : min(first + together, rows)]
        fold_rows(channels, part, weight, folded[: len(part)])
        waves = np.fft.rfft(folded[: len(part)], axis=1).view(np.float64)
        band_power(waves, half - 1, width, content[first : first + together])
    content *= 2 / half / (half - 1)
    return content, np.add.reduceat(frequency, starts) / counts
