"""Undo the smoothing spline that capture software applied to markers before storing them.

Vicon's Woltring filter lays through the points x of a marker the curve y that minimises
``Σ(x − y)² + λ Σ(Δ³y)²``. It passes a wave of frequency f by ``1 / (1 + (f / fc)⁶)``, and sets λ
for every marker so that the error expected under noise of a stated variance is least (Craven and
Wahba 1979, Woltring 1986). What it removed is not gone: ``x = y + λ Δ³ᵀΔ³y`` restores it as far as
the stored digits reach. The variance that it is customarily told to expect, 10 mm², is far above
what cameras err: feet are cut at 7 Hz, knees at 5, the slow trunk at 3 to 4, where forces of
walking are.

No file says that it was done. Three signs must agree: how spectra fall; that pelvis and trunk have
lost far more than legs, which other filters treat the same; and that feet stand stiller when theirs
is undone. Not all of the loss was motion of the body, for skin was shaken too: what pelvis and
trunk did together counts, what each did alone does not.
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from mocap_reroot.numerics.frames import runs
from mocap_reroot.skeletons.calibration import BODY_OF
from mocap_reroot.skeletons.labels import plain, subject_labels
from mocap_reroot.skeletons.landmarks import Landmarks
from mocap_reroot.skeletons.markersets import SIDES, MarkerSet
from mocap_reroot.skeletons.vectors import bridged_points
from mocap_reroot.types import Inference, Recording

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

FALL = (-7.0, -5.0)
"""Powers of frequency with which accelerations of legs fall beyond the cut: impacts are flat, the
spline adds −6. Butterworth filters that run both ways add −4 (second order) or −8 (fourth)."""
SLOW = 0.05
"""Of the acceleration of legs, that of pelvis and trunk at most, between 8 and 12 Hz: people who
walk have 0.1 to 1, after the spline 0.002 to 0.02."""
STILLER = (0.45, 2.2)
"""Times its loss, that a standing foot asks to be given back: it should ask for 1."""
_STANDING, _STANCE = 0.25, 0.2  # m/s, s: slower and longer than that, a foot stands
_LEGS = ("thigh", "shank", "toes")
_BY_CHANCE = 2.0  # times the agreement that strangers have in the mean, what passes for chance


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


def removed_by(spline: Spline, position: np.ndarray, fps: float) -> np.ndarray:
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


@dataclass(frozen=True, eq=False)
class SplineLoss:
    """What a spline took from a body.

    Attributes:
        rows: Of the markers on the upper body.
        path: ``(3, F)`` m, what pelvis and trunk lost together; NaN in gaps.
        cutoff: Hz, where it halves a wave.
    """

    rows: tuple[int, ...]
    path: np.ndarray
    cutoff: float

    @property
    def inference(self) -> Inference:
        """What was found, in words."""
        evidence = (
            "Spectra of the markers fall with the sixth power of frequency, as a smoothing spline "
            f"(Woltring filter, 10 mm²) leaves them; pelvis and trunk were cut at {self.cutoff:.1f}"
            " Hz. What was cut from the upper body was restored, as far as pelvis and trunk "
            "have it in common (fitting = 'stored' keeps markers as they are)."
        )
        return Inference("stored_smoothing_hz", round(self.cutoff, 1), 0.8, evidence)


def find_spline_loss(
    recording: Recording, marks: Landmarks, marker_set: MarkerSet
) -> SplineLoss | None:
    """Return what a spline took from the body of a recording; None where none did."""
    assert recording.markers is not None
    rows = subject_labels(recording.markers)[marks.subject]
    found = {
        landmark: [rows[plain(member)] for member in members]
        for landmark, members in marker_set.found(list(rows)).items()
    }
    parts: dict[str, list[int]] = {p: [] for p in ("pelvis", "trunk", "others", "legs", "foot")}
    for landmark, these in found.items():
        side, _, rest = landmark.partition("_")
        word = rest if side in SIDES else landmark
        body = next((body for body, words in BODY_OF.items() if word in words), "")
        part = body if body in parts else "legs" if body in _LEGS else "others"
        parts[part] += [row for row in these if row not in parts[part]]
    position = recording.markers.position * marks.unit_scale
    return spline_loss(position, recording.fps, **parts)


def restored(recording: Recording, marks: Landmarks, lost: SplineLoss) -> Recording:
    """Return a recording whose upper body is moved by what it lost."""
    assert recording.markers is not None
    path = lost.path
    position = recording.markers.position.copy()
    known = np.isfinite(path).all(axis=0)
    position[list(lost.rows)] += bridged_points(path, known) / marks.unit_scale
    return replace(recording, markers=replace(recording.markers, position=position))


def spline_loss(
    position: np.ndarray,
    fps: float,
    pelvis: Sequence[int],
    trunk: Sequence[int],
    others: Sequence[int],
    legs: Sequence[int],
    foot: Sequence[int],
) -> SplineLoss | None:
    """Return what a spline took from the body that bears markers, or None where none did.

    Args:
        position: ``(m, 3, F)`` m, NaN in gaps.
        fps: Frames per second.
        pelvis, trunk, others, legs, foot: Rows of the markers on each; others are head and arms,
            legs end above the feet.
    """
    if fps < 4 * BAND or not (len(pelvis) and len(trunk) and len(foot)):
        return None
    upper, core = (*pelvis, *trunk, *others), (*pelvis, *trunk)
    lower = (*legs, *foot)
    found = {row: find_spline(position[row], fps) for row in (*upper, *lower)}
    fall = _typical([spline.fall if (spline := found[row]) else np.nan for row in lower])
    slow, fast = (
        _typical([spline.fast if (spline := found[row]) else np.nan for row in rows])
        for rows in (core, lower)
    )
    if not (FALL[0] < fall < FALL[1] and slow < SLOW * fast):
        return None
    lost = {
        row: removed_by(spline, position[row], fps)
        for row, spline in found.items()
        if spline is not None
    }
    asked = factor_of_standing_feet(
        [(position[row], lost[row]) for row in foot if row in lost], fps
    )
    if not STILLER[0] < asked < STILLER[1]:
        return None
    groups = [[lost[row] for row in rows if row in lost] for rows in (pelvis, trunk)]
    if not all(groups):
        return None
    pelvic, thoracic = (_mean_of_longest(group) for group in groups)
    if np.isfinite(pelvic + thoracic).all(axis=0).mean() < 0.5:
        return None
    cutoff = float(np.median([s.cutoff for row in core if (s := found[row]) is not None]))
    return SplineLoss(
        rows=upper,
        path=_lost_together(pelvic, thoracic, fps),
        cutoff=cutoff,
    )


def _lost_together(one: np.ndarray, other: np.ndarray, fps: float) -> np.ndarray:
    """Return ``(3, F)`` what is common to two losses ``(3, F)``."""
    end = round(END * fps)
    gain = agreement(_without_ends(one, end), _without_ends(other, end))
    return np.asarray(gain @ (one + other) / 2)


def agreement(one: np.ndarray, other: np.ndarray) -> np.ndarray:
    """Return ``(3, 3)`` how much of the mean of two signals ``(3, F)`` both have (Wiener's gain).

    It is 1 along directions in which they agree and 0 where they do not, or agree no better than
    chance: slow signals have few independent samples. NaN frames are left out.
    """
    both = np.isfinite(one + other).all(axis=0)
    if both.sum() < 2:
        return np.zeros((3, 3))
    a, b = one[:, both], other[:, both]
    own, common = (a @ a.T + b @ b.T) / 2, (a @ b.T + b @ a.T) / 2
    sizes, axes = np.linalg.eigh(own)
    root = np.sqrt(np.maximum(sizes, 1e-12 * sizes[-1] + 1e-300))
    whiten, colour = axes / root @ axes.T, axes * root @ axes.T
    gains, ways = np.linalg.eigh(whiten @ common @ whiten)
    power = (np.abs(np.fft.fft(np.concatenate([a, b]), axis=1)) ** 2).sum(axis=0)
    alone = (power**2).sum() / power.sum() ** 2  # one over the number of independent samples
    chance = min(_BY_CHANCE * alone, 0.9)
    squares = (np.clip(gains, 0, 1) ** 2 - chance) / (1 - chance)
    each = np.sqrt(np.maximum(squares, 0))
    mean = 2 * each / (1 + each)  # in the mean of both, half of what is each one's own is gone
    return np.asarray(colour @ (ways * mean) @ ways.T @ whiten)


def factor_of_standing_feet(markers: Sequence[tuple[np.ndarray, np.ndarray]], fps: float) -> float:
    """Return how many times their loss makes markers stand stillest; NaN if none ever stands.

    Args:
        markers: Positions ``(3, F)`` m of markers on feet, and what each lost.
        fps: Frames per second.
    """
    asked, size = 0.0, 0.0
    for position, lost in markers:
        moved = _without_ends(position + 0 * lost, round(END * fps))
        velocity, other = (np.gradient(part, axis=1) * fps for part in (moved, lost))
        slow = np.where(np.linalg.norm(velocity, axis=0) < _STANDING, 0.0, np.nan)
        for start, stop in known_runs(np.stack([slow] * 3)):
            if stop - start < _STANCE * fps:
                continue
            edge = (stop - start) // 6
            inside = slice(start + edge, stop - edge)
            asked -= float((velocity[:, inside] * other[:, inside]).sum())
            size += float((other[:, inside] ** 2).sum())
    return asked / size if size > 0 else float("nan")


def _typical(values: Sequence[float]) -> float:
    """Return the median, NaN where fewer than half are known."""
    known = np.array(values)[np.isfinite(values)]
    return float(np.median(known)) if 2 * len(known) >= len(values) else float("nan")


def _mean_of_longest(parts: Sequence[np.ndarray]) -> np.ndarray:
    """Return ``(3, F)`` the mean of those ``(3, F)`` that are known longest: it must not jump."""
    known = [int(np.isfinite(part).all(axis=0).sum()) for part in parts]
    return np.mean([p for p, k in zip(parts, known, strict=True) if k == max(known)], axis=0)


def _without_ends(values: np.ndarray, count: int) -> np.ndarray:
    """Return ``(3, F)`` values with a number of frames at the ends of every run blanked."""
    result = np.full(values.shape, np.nan)
    for start, stop in known_runs(values):
        inside = slice(start + count, max(stop - count, start + count))
        result[:, inside] = values[:, inside]
    return result
