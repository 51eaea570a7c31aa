"""What a smoothing spline did to a marker, told from the curve that it left.

Vicon's Woltring filter lays through the points x of a marker the curve y that minimises
``Σ(x − y)² + λ Σ(Δ³y)²``. It passes a wave of frequency f by ``1 / (1 + (f / fc)⁶)``, and sets λ
for every marker so that the error expected under noise of a stated variance is least (Craven and
Wahba 1979, Woltring 1986). What was lost is not gone: ``x = y + λ Δ³ᵀΔ³y`` gives it back as far as
the stored digits reach.
"""

from __future__ import annotations

import itertools
from dataclasses import dataclass

import numpy as np

from mocap_reroot.numerics.frames import runs

VARIANCE = 1e-5
"""m², noise that the spline is told to expect: 10 mm², as laboratories leave it."""

BAND = 15.0
"""Hz, up to which is given back: well above the cut-offs that are used for forces."""

END = 0.1
"""s at the ends of a run, where too little is known to judge what was taken."""

_COMPARED = (8.0, 12.0)  # Hz
_BEYOND = (1.7, 3.5)  # cut-offs between which the fall is measured
_CUTS = (2.0, 12.0)  # Hz, between which a cut-off can be told
_ABOVE_ROUNDING = 10.0  # how far above rounding errors a spectrum must be to say something
_LEAST_BANDS = 4  # through which a fall is laid
_WILD = 4.0  # times the largest inside, what is told wrong at an end
_SHORTEST, _LONGEST = 64, 4096  # frames of a run that can be judged, and that are looked at


@dataclass(frozen=True)
class Spline:
    """What a spline did to a marker.

    Attributes:
        cutoff: Hz, where it halves a wave.
        weight: λ, of squared third differences.
        fall: Power of frequency with which the acceleration falls beyond; NaN if unknown.
        fast: Size of the acceleration between 8 and 12 Hz, in some unit.
    """

    cutoff: float
    weight: float
    fall: float
    fast: float


def find_spline(position: np.ndarray, fps: float) -> Spline | None:
    """Return the spline that would have left a marker ``(3, F)`` as it is; None if it cannot be.

    Of all λ, it is the one that the least expected error selects for ``y + λ Δ³ᵀΔ³y``: where
    ``Σ |Δ³y|² (1 − A) = 3 σ² Σ s A²``, sums over frequencies with ``s = (2 sin πf/fps)⁶`` and
    ``A = 1 / (1 + λ s)``.
    """
    start, stop = max(known_runs(position), key=lambda run: run[1] - run[0], default=(0, 0))
    if stop - start < _SHORTEST:
        return None
    start = max(start, (start + stop - _LONGEST) // 2)
    bent = np.diff(position[:, start : min(stop, start + _LONGEST)], n=3, axis=1)
    window = np.hanning(bent.shape[1])
    power = (np.abs(np.fft.rfft(bent * window, axis=1)) ** 2).sum(axis=0) / (window**2).sum()
    frequency = np.fft.rfftfreq(bent.shape[1], 1 / fps)
    s = (2 * np.sin(np.pi * frequency / fps)) ** 6

    def surplus(cutoff: float) -> float:
        passed = 1 / (1 + s / (2 * np.sin(np.pi * cutoff / fps)) ** 6)
        return float((power * (1 - passed)).sum() - 3 * VARIANCE * (s * passed**2).sum())

    low, high = _CUTS
    if not surplus(low) > 0 > surplus(high):
        return None
    for _ in range(30):
        middle = (low + high) / 2
        low, high = (middle, high) if surplus(middle) > 0 else (low, middle)
    compared = (frequency >= _COMPARED[0]) & (frequency < _COMPARED[1])
    fast = float(np.sqrt((power[compared] / s[compared] ** (1 / 3)).sum()))
    return Spline(low, spline_weight(low, fps), _fall(frequency[1:], power[1:] / s[1:], low), fast)


def taken_by(spline: Spline, position: np.ndarray, fps: float) -> np.ndarray:
    """Return ``(3, F)`` m, what a spline took from a marker ``(3, F)``: λ Δ³ᵀΔ³y.

    Given up to :data:`BAND`; NaN in gaps and short runs. A clip is cut after it was smoothed: at
    the three frames of an end, some of whose neighbours are missing, it goes on as mirrored.
    """
    result = np.full(position.shape, np.nan)
    for start, stop in known_runs(position):
        if stop - start < _SHORTEST:
            continue
        sixth = -np.diff(position[:, start:stop], n=6, axis=1)
        mirrored = np.concatenate([sixth[:, ::-1], sixth, sixth[:, ::-1]], axis=1)
        size = mirrored.shape[1]
        gain = 1 / (1 + (np.fft.rfftfreq(size, 1 / fps) / BAND) ** 8)
        low = np.fft.irfft(np.fft.rfft(mirrored, axis=1) * gain, n=size, axis=1)
        first = sixth.shape[1] - 3
        result[:, start:stop] = _calm(low[:, first : first + stop - start], round(END * fps))
    return spline.weight * result


def smooth_step(part: np.ndarray) -> np.ndarray:
    """Return how far a fade has come, 0 to 1, at parts of its way; it neither jumps nor bends."""
    part = np.clip(part, 0, 1)
    return np.asarray(part**3 * (10 - 15 * part + 6 * part**2))


def _calm(lost: np.ndarray, end: int) -> np.ndarray:
    """Return a loss ``(3, F)`` that fades at ends where it is wilder than anywhere inside.

    What lies beyond an end decides how slow waves are given back there, and some clips were
    smoothed after they were cut: then the mirrored way on is a bad guess.
    """
    frames = lost.shape[1]
    bent = np.linalg.norm(np.diff(lost, n=2, axis=1), axis=0)
    if not end or frames < 6 * end:
        return lost
    usual = _WILD * bent[end:-end].max()
    fade = smooth_step(np.arange(frames) / end - 0.5)
    first = fade if bent[:end].max() > usual else 1.0
    last = fade[::-1] if bent[-end:].max() > usual else 1.0
    return np.asarray(lost * first * last)


def spline_weight(cutoff: float, fps: float) -> float:
    """Return λ of a spline that halves waves at a cut-off, Hz."""
    return float((2 * np.sin(np.pi * cutoff / fps)) ** -6)


def known_runs(values: np.ndarray) -> list[tuple[int, int]]:
    """Return where columns of ``(3, F)`` are known, as half-open intervals."""
    return runs(np.isfinite(values).all(axis=0))


def _fall(frequency: np.ndarray, power: np.ndarray, cutoff: float) -> float:
    """Return the power of frequency with which accelerations fall beyond a cut-off, or NaN.

    Args:
        frequency: Hz, without 0.
        power: Of positions, at these frequencies.
        cutoff: Hz.
    """
    edges = cutoff * np.geomspace(*_BEYOND, 9)
    floor = _ABOVE_ROUNDING**2 * np.median(power[-len(power) // 8 :])
    middles, levels = [], []
    for low, high in itertools.pairwise(edges):
        inside = (frequency >= low) & (frequency < high)
        level = power[inside].mean() if inside.any() else 0.0
        if level > floor:
            middles.append(np.log(low * high) / 2)
            levels.append(np.log(level) / 2)
    if len(levels) < _LEAST_BANDS:
        return float("nan")
    return float(np.polyfit(middles, levels, 1)[0] + 2)
