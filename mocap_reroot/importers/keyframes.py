"""Keyframes at any times resampled to a constant frame rate."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from mocap_reroot.importers.frame_time import nominal_rate

_ROUNDING = 4 * float(np.finfo(np.float32).eps)
"""Of a time: what single precision makes of it."""
_ON_GRID = 0.02
"""Of a frame: how far a key may lie beside it and still be one of its keys."""
_SPARSE = 8
"""Frames per key, at the most, for keys that lie on a common grid; beyond it the grid is chance."""
_SPARSEST, _FEW = 64, 10_000
"""Frames per key, at the most, for other keys, and frames that are never too many."""
_FASTEST = 2000.0
"""Hz; programs that animate write no faster."""


@dataclass(frozen=True, eq=False)
class Clock:
    """When the frames are: ``times`` ``(F)`` s, their rate, and whether all keys lie on them."""

    times: np.ndarray
    fps: float
    exact: bool


def clock_of(keys: list[np.ndarray], most: int) -> Clock:
    """Return the frames that keys stand for.

    Keys that are evenly spaced, or some of evenly spaced ones, are frames. Others are sampled at
    the nominal rate of their median distance.

    Args:
        keys: Times of the keys of every channel, ascending, s; at least one key in all.
        most: The largest number of frames.
    """
    times = np.unique(np.concatenate(keys))
    times = times[np.concatenate([[True], np.diff(times) > 2 * _rounding(times[1:])])]
    first, span = float(times[0]), float(times[-1] - times[0])
    if len(times) < 2:
        return Clock(np.array([first]), 30.0, True)
    step = _common_step(times - first, _rounding(times))
    if step is not None and span / step + 1 <= min(_SPARSE * len(times), most):
        count = round(span / step)
        rate = _nominal(count / span, float(_rounding(times).max()) / span)
        return Clock(first + np.arange(count + 1) / rate, rate, True)
    rate = min(_nominal(1 / float(np.median(np.diff(times))), 1e-3), _FASTEST)
    most = min(most, max(_SPARSEST * len(times), _FEW))
    rate = min(rate, (most - 1) / span)
    count = int(np.floor(span * rate + 1e-6))
    return Clock(first + np.arange(count + 1) / rate, rate, False)


def _rounding(times: np.ndarray) -> np.ndarray:
    """Return s, by how much times may be off."""
    return np.asarray(_ROUNDING * np.maximum(np.abs(times), 1e-3))


def _common_step(times: np.ndarray, rounding: np.ndarray) -> float | None:
    """Return s, the distance of which all times are multiples, or None."""
    steps = np.diff(times)
    step = float(steps.min())
    for part in (1, 2, 3, 4):  # keys 2 and 3 frames apart have a frame between them
        fine = step / part
        count = np.rint(steps / fine)
        # Refined by all keys: the smallest step alone bears the rounding of two times.
        fine = float(times[-1] / count.sum())
        beside = np.abs(times / fine - np.rint(times / fine))
        if (beside * fine <= np.maximum(_ON_GRID * fine, 2 * rounding)).all():
            return fine
    return None


def _nominal(rate: float, doubt: float) -> float:
    """Return the whole or broadcast rate that is meant, where it lies within the doubt."""
    whole = round(rate)
    for candidate in (whole, whole * 1000 / 1001):
        if candidate and abs(candidate / rate - 1) <= max(doubt, 1e-6):
            return float(candidate)
    printed = f"{1 / rate:.6f}"
    return nominal_rate(printed) if doubt > 1e-4 and float(printed) > 0 else rate


def sampled(
    times: np.ndarray, keys: np.ndarray, values: np.ndarray, how: str, turning: bool
) -> np.ndarray:
    """Return ``(w, F)`` values at the given times, as glTF interpolates.

    Args:
        times: ``(F)`` s.
        keys: ``(k)`` s, ascending.
        values: ``(k, w)``, or ``(k, 3, w)`` in tangent, value, out tangent for ``CUBICSPLINE``.
        how: ``STEP``, ``LINEAR`` or ``CUBICSPLINE``.
        turning: Whether values are quaternions.
    """
    points = values[:, 1] if how == "CUBICSPLINE" else values
    if len(keys) == 1:
        found = np.repeat(points[0][:, None], len(times), axis=1)
        return _normalised(found) if turning else found
    if len(keys) == len(times) and _are_frames(times, keys):
        found = np.ascontiguousarray(points.T)
        return _normalised(found) if turning else found
    before = np.clip(np.searchsorted(keys, times, side="right") - 1, 0, len(keys) - 2)
    width = keys[before + 1] - keys[before]
    share = np.clip((times - keys[before]) / np.where(width > 0, width, 1.0), 0.0, 1.0)
    # A key within rounding of a frame is that frame: no interpolation between the two.
    near = np.minimum(_nearness(times, width), 0.5)
    share = np.where(share < near, 0.0, np.where(share > 1 - near, 1.0, share))
    start, stop = points[before].T, points[before + 1].T
    if how == "STEP":
        found = np.where(share >= 1.0, stop, start)
    elif how == "CUBICSPLINE":
        out, into = values[before, 2].T * width, values[before + 1, 0].T * width
        s2, s3 = share**2, share**3
        found = (2 * s3 - 3 * s2 + 1) * start + (s3 - 2 * s2 + share) * out
        found = found + (3 * s2 - 2 * s3) * stop + (s3 - s2) * into
    elif turning:
        found = _slerp(_normalised(start), _normalised(stop), share)
    else:
        found = start + share * (stop - start)
    return _normalised(found) if turning else found


def _are_frames(times: np.ndarray, keys: np.ndarray) -> bool:
    """Whether there is a key at every time, but for rounding."""
    width = (times[-1] - times[0]) / max(len(times) - 1, 1)
    return bool((np.abs(times - keys) <= _nearness(times, width) * width).all())


def _nearness(times: np.ndarray, width: Any) -> Any:
    """Return how near to a key, in widths, a time is still that key: rounding is no motion."""
    rounding = _ROUNDING * float(np.abs(times).max())
    return np.maximum(_ON_GRID / 10, rounding / np.where(width > 0, width, 1.0))


def _slerp(start: np.ndarray, stop: np.ndarray, share: np.ndarray) -> np.ndarray:
    """Return quaternions between two, along the shorter way."""
    cosine = (start * stop).sum(axis=0)
    stop = np.where(cosine < 0, -stop, stop)
    angle = np.arccos(np.clip(np.abs(cosine), 0.0, 1.0))
    sine = np.sin(angle)
    safe = np.where(sine > 1e-6, sine, 1.0)
    a = np.where(sine > 1e-6, np.sin((1 - share) * angle) / safe, 1 - share)
    b = np.where(sine > 1e-6, np.sin(share * angle) / safe, share)
    return np.asarray(a * start + b * stop)


def _normalised(q: np.ndarray) -> np.ndarray:
    length = np.sqrt((q * q).sum(axis=0))
    return np.asarray(q / np.where(length > 1e-12, length, np.nan))
