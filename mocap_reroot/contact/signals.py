"""Low-pass, derivative and interpolation of the series that contact detection uses."""

from __future__ import annotations

import math

import numpy as np

from mocap_reroot.kernels import quantiles
from mocap_reroot.numerics.frames import runs
from mocap_reroot.signals.filters import biquad_both_ways

_TWO_PASSES = 0.802
"""A second-order Butterworth run both ways has its −3 dB point here, in units of its cut-off."""


def padding(frames: int, fps: float, cutoff: float) -> int:
    """Return how many frames :func:`low_pass` needs at both ends; 0: the rate is too low for it."""
    if frames < 4 or _corner(fps, cutoff) >= 0.95:
        return 0
    return min(frames - 1, math.ceil(2 * fps / cutoff))


def low_pass(rows: np.ndarray, count: int, pad: int, fps: float, cutoff: float) -> None:
    """Low-pass the first rows of ``(r, pad + F + pad)`` without lag, in place.

    Both ends are continued by odd reflection; r must be a multiple of four, as the kernel takes
    four at a time. Without padding nothing is done.
    """
    if not pad:
        return
    inner, stop = rows[:count], rows.shape[1] - pad
    inner[:, :pad] = 2 * inner[:, pad : pad + 1] - inner[:, 2 * pad : pad : -1]
    inner[:, stop:] = 2 * inner[:, stop - 1 : stop] - inner[:, stop - 2 : stop - 2 - pad : -1]
    biquad_both_ways(rows, *_section(_corner(fps, cutoff)))


def padded_rows(count: int, frames: int, pad: int) -> np.ndarray:
    """Return an array ``(r, pad + F + pad)`` for :func:`low_pass`, r at least the count."""
    rows = np.empty((-(-count // 4) * 4, frames + 2 * pad))
    rows[count:] = 0.0
    return rows


def smooth(series: np.ndarray, fps: float, cutoff: float) -> np.ndarray:
    """Return series ``(…, F)`` low-passed without lag; unchanged where the rate is too low."""
    frames = series.shape[-1]
    pad = padding(frames, fps, cutoff)
    if not pad:
        return series
    flat = series.reshape(-1, frames)
    rows = padded_rows(len(flat), frames, pad)
    rows[: len(flat), pad : pad + frames] = flat
    low_pass(rows, len(flat), pad, fps, cutoff)
    return np.ascontiguousarray(rows[: len(flat), pad : pad + frames]).reshape(series.shape)


def _corner(fps: float, cutoff: float) -> float:
    """Return the corner of one pass, in units of half the rate."""
    return cutoff / _TWO_PASSES / (fps / 2)


def _section(corner: float) -> tuple[float, float, float, float, float]:
    """Return b0, b1, b2, a1, a2 of a second-order Butterworth; corner in units of half the rate."""
    k = math.tan(0.5 * math.pi * corner)
    norm = 1 / (1 + math.sqrt(2) * k + k * k)
    b0 = k * k * norm
    return b0, 2 * b0, b0, 2 * (k * k - 1) * norm, (1 - math.sqrt(2) * k + k * k) * norm


def differentiate(series: np.ndarray, fps: float) -> np.ndarray:
    """Return the rate of change ``(…, F)`` per second; zero for a single frame."""
    if series.shape[-1] < 2:
        return np.zeros_like(series)
    rate = np.empty_like(series)
    np.subtract(series[..., 2:], series[..., :-2], out=rate[..., 1:-1])
    rate[..., 1:-1] *= 0.5
    rate[..., 0] = series[..., 1] - series[..., 0]
    rate[..., -1] = series[..., -1] - series[..., -2]
    rate *= fps
    return rate


def bridge(series: np.ndarray, valid: np.ndarray) -> None:
    """Replace frames of series ``(…, F)`` that are not valid by straight lines, in place.

    A rest pose in front of the clip or a gap must not ring through the filter.
    """
    if valid.all() or not valid.any():
        return
    for start, stop in runs(~valid):
        before, after = series[..., start - 1 : start], series[..., stop : stop + 1]
        if start == 0:
            series[..., :stop] = after
        elif stop == len(valid):
            series[..., start:] = before
        else:
            slope = (after - before) / (stop - start + 1)
            series[..., start:stop] = slope * np.arange(1, stop - start + 1) + before


def horizontal(vectors: np.ndarray, up: np.ndarray) -> np.ndarray:
    """Return vectors ``(…, 3, F)`` without their vertical component."""
    return np.asarray(vectors - up[:, None] * height(vectors, up)[..., None, :])


def height(vectors: np.ndarray, up: np.ndarray) -> np.ndarray:
    """Return ``(…, F)`` components of vectors ``(…, 3, F)`` along up.

    Summed by hand: a matrix product's last bits depend on how many threads share it.
    """
    ux, uy, uz = up.tolist()
    return np.asarray(ux * vectors[..., 0, :] + uy * vectors[..., 1, :] + uz * vectors[..., 2, :])


def median(values: np.ndarray) -> float:
    """Return the median of ``(k)`` values, not empty: numpy's own takes long for few."""
    return float(quantiles.median(values.copy(), len(values)))


def medians(values: np.ndarray) -> np.ndarray:
    """Return ``(r)`` medians of ``(r, k)`` values, not empty."""
    return np.array([median(row) for row in values])


def quantile(values: np.ndarray, share: float) -> float:
    """Return a quantile of ``(k)`` values, not empty, between samples on a straight line."""
    return float(quantiles.quantile(values.copy(), len(values), share))
