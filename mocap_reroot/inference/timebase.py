"""Frame rate: whether free fall and speeds make it plausible; reported, never changed.

A rate that no camera has is none (:func:`with_rate`). For others there are three clocks that every
clip may carry: free fall, the swing of the legs, which are pendulums, and the speed at which hands
and feet can move at all.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from statistics import median

import numpy as np

from mocap_reroot.config import RATES, is_rate
from mocap_reroot.errors import FileError
from mocap_reroot.inference.flights import Flight, Track
from mocap_reroot.types import STANDARD_GRAVITY, Recording

COMMON_RATES = (
    24, 25, 30, 48, 50, 60, 72, 90, 100, 120, 125, 144, 150, 180, 200, 240, 250, 300, 500, 1000,
)  # fmt: skip
"""Hz, of cameras and of programs that animate."""
_FASTEST = 14.0
"""m/s that ankles and wrists exceed in no more than 2 % of a clip, sprints and throws included."""
_STRIDE = (2.0, 9.5)
"""Stride period over √(leg/g): brisk walks reach 2.7, walks as slow as can be about 8."""


@dataclass(frozen=True)
class TimeBase:
    """Whether the frame time is believable, how sure (0–1), why, and what to tell the user."""

    plausible: bool
    confidence: float
    evidence: str
    warning: str = ""


def with_rate(recording: Recording, rate: float | None) -> Recording:
    """Return a recording with the rate that the user gave, or its own if that is a time base.

    Force plates of the same file keep their samples a frame, events their frames.

    Args:
        recording: As the importer found it.
        rate: Frames per second, or None.

    Raises:
        FileError: Neither is a time base.
    """
    stated = recording.fps
    if rate is None:
        if is_rate(stated):
            return recording
        raise FileError(
            recording.path,
            f"the frame rate is {stated:g} Hz, which is no time base; "
            f"{RATES[0]:g} to {RATES[1]:g} Hz were expected.",
            todo="Give it with --rate.",
        )
    assumed = recording.notes.get("assumed_rate")
    plates, events = recording.plates, recording.events
    if plates is not None:
        per_frame = max(plates.force.shape[-1] / max(recording.n_frames, 1), 1.0)
        plates = replace(plates, rate=rate * per_frame, start=plates.start * _over(stated, rate))
    return replace(
        recording,
        fps=float(rate),
        start_time=recording.start_time * _over(stated, rate),
        plates=plates,
        events=tuple(replace(e, time=e.time * _over(stated, rate)) for e in events),
        repairs=(
            *(text for text in recording.repairs if text != assumed),
            f"The frame rate of {rate:g} Hz was given; the file states "
            f"{'none' if assumed or not is_rate(stated) else f'{stated:g}'}.",
        ),
        warnings=tuple(text for text in recording.warnings if text != assumed),
    )


def _over(stated: float, rate: float) -> float:
    """Return by how much times of the file's clock are to be stretched."""
    return stated / rate if is_rate(stated) else 1.0


def check_frame_time(
    fps: float, scale: float, leg: float, track: list[Track], flights: list[Flight]
) -> TimeBase:
    """Hold the file's frame time against the clocks in the clip.

    Args:
        fps: As the file states it.
        scale: Metres per unit.
        leg: Length of thigh and shank, file units.
        track, flights: From :mod:`flights`.
    """
    stated = f"{1 / fps:.6g} s ({fps:.4g} frames per second)"
    if not 8 <= fps <= 2000:
        return TimeBase(
            False,
            0.3,
            "no camera runs at such a rate",
            f"A frame time of {stated} is unusual; check the file.",
        )
    doubts = [
        d for d in (_fall(fps, scale, flights), _stride(fps, scale, leg, track, flights)) if d
    ]
    wrong = [d for d in doubts if not d.plausible]
    if wrong:
        return wrong[0]
    sound = [d for d in doubts if d.plausible]
    fast = _speed(fps, scale, track)
    if fast is not None and not sound:
        return fast
    if sound:
        return TimeBase(
            True, max(d.confidence for d in sound), "; ".join(d.evidence for d in sound)
        )
    return TimeBase(True, 0.6, "as stated; nothing in the clip contradicts it")


def _fall(fps: float, scale: float, flights: list[Flight]) -> TimeBase | None:
    deep = [f for f in flights if f.depth > 0.03] or flights
    if not deep:
        return None
    fall = median(f.acceleration for f in deep) * scale
    ratio = fall / STANDARD_GRAVITY
    evidence = f"the body falls at {fall:.1f} m/s² in {len(deep)} flights"
    if 0.65 < ratio < 1.5:
        return TimeBase(True, 0.95, evidence)
    likely = fps / np.sqrt(ratio)
    return TimeBase(False, 0.1, evidence, _warning(fps, likely, evidence))


def _stride(
    fps: float, scale: float, leg: float, track: list[Track], flights: list[Flight]
) -> TimeBase | None:
    periods = [p for t in track if t.travel > 1.5 * leg for p in _periods(t.stride, 0.2 * leg)]
    if len(periods) < 2 or max(periods) > 1.5 * min(periods):  # a dance is no pendulum
        return None
    frames = float(median(periods))
    period = frames / fps
    pace = period / np.sqrt(leg * scale / STANDARD_GRAVITY)
    evidence = f"a stride takes {period:.2f} s"
    low, high = _STRIDE
    if flights:
        low *= 0.6  # running
    if low < pace < high:
        return TimeBase(True, 0.8, evidence)
    likely = fps * pace / 3.7  # a comfortable walk
    return TimeBase(False, 0.2, evidence, _warning(fps, likely, evidence))


def _periods(stride: np.ndarray, amplitude: float) -> list[int]:
    """Return the frames between every second exchange of the leading foot."""
    ahead = np.flatnonzero(np.abs(stride) > amplitude)
    if len(ahead) == 0:
        return []
    sign = np.sign(stride[ahead])
    changes = ahead[1:][np.diff(sign) != 0]
    return [int(p) for p in changes[2:] - changes[:-2]]


def _speed(fps: float, scale: float, track: list[Track]) -> TimeBase | None:
    speeds = [t.speed for t in track if len(t.speed)]
    if not speeds:
        return None
    fast = float(np.quantile(np.concatenate(speeds), 0.98)) * fps * scale
    if fast < _FASTEST:
        return None
    evidence = f"hands or feet move at more than {fast:.0f} m/s in 2 % of the frames"
    return TimeBase(False, 0.3, evidence, _warning(fps, fps * 5.0 / fast, evidence))


def _warning(fps: float, likely: float, evidence: str) -> str:
    near = min(COMMON_RATES, key=lambda rate: abs(np.log(rate / likely)))
    guess = (
        f"about {near} frames per second"
        if 0.8 < near / likely < 1.25
        else f"{likely:.3g} per second"
    )
    return (
        f"The frame time {1 / fps:.6g} s ({fps:.4g} frames per second) is doubtful: {evidence}. "
        f"{guess[0].upper() + guess[1:]} would fit better; it was not changed."
    )
