"""Source: where a motion came from, what was inferred about it and what was repaired."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from mocap_reroot.errors import legible

if TYPE_CHECKING:
    from mocap_reroot.types.recording import Recording


@dataclass(frozen=True)
class Inference:
    """One thing the file does not say, what we take it to be, and why.

    Attributes:
        what: e.g. ``"unit"``, ``"up"``, ``"frame_time"``.
        value: What was decided, JSON-ready.
        confidence: 0–1.
        evidence: A sentence.
    """

    what: str
    value: Any
    confidence: float
    evidence: str


@dataclass(frozen=True)
class Event:
    """A stored or detected gait event.

    Attributes:
        event: ``"strike"``, ``"off"`` or a file's own word.
        side: ``"left"``, ``"right"`` or empty.
        time: s, from the first frame of the clip.
        subject: Whose it is, where the file says so.
    """

    event: str
    side: str
    time: float
    subject: str = ""


@dataclass(frozen=True, eq=False)
class Source:
    """Where a motion came from and what was done to it on the way in; carried along unchanged.

    Attributes:
        path, format: The file and its kind, ``"bvh"``, ``"c3d"``, ``"trc"``, ``"amc"`` …
        unit, unit_scale: Name of the file's unit and metres per unit.
        start_time: s, time of the first row on the file's own clock; 0 where it has none.
        inferred: Inferences with their evidence.
        repairs, warnings: Sentences.
        mass, height: kg and m where the file states them plausibly, else None.
        events: Gait events stored in the file.
        events_complete: Whether they tell every contact of the feet.
    """

    path: Path | None = None
    format: str = ""
    unit: str = "m"
    unit_scale: float = 1.0
    start_time: float = 0.0
    inferred: tuple[Inference, ...] = ()
    repairs: tuple[str, ...] = ()
    warnings: tuple[str, ...] = ()
    mass: float | None = None
    height: float | None = None
    events: tuple[Event, ...] = ()
    events_complete: bool = False

    def __post_init__(self) -> None:
        """Keep what files put into sentences within bounds."""
        object.__setattr__(self, "repairs", tuple(map(legible, self.repairs)))
        object.__setattr__(self, "warnings", tuple(map(legible, self.warnings)))

    @classmethod
    def of(
        cls,
        recording: Recording,
        unit: str,
        unit_scale: float,
        inferred: Sequence[Inference] = (),
        warnings: Sequence[str] = (),
    ) -> Source:
        """Return where a recording came from.

        Args:
            recording: What an importer found.
            unit, unit_scale: Name of the unit that was taken, and metres per unit.
            inferred: What was inferred on the way.
            warnings: Sentences besides those of the recording.
        """
        return cls(
            path=recording.path,
            format=recording.format,
            unit=unit,
            unit_scale=unit_scale,
            start_time=recording.start_time,
            inferred=tuple(inferred),
            repairs=recording.repairs,
            warnings=(*recording.warnings, *warnings),
            mass=recording.mass,
            height=recording.height,
            events=recording.events,
            events_complete=recording.events_complete,
        )

    def adding(
        self,
        *,
        inferred: Sequence[Inference] = (),
        repairs: Sequence[str] = (),
        warnings: Sequence[str] = (),
    ) -> Source:
        """Return the same source with more to tell."""
        return replace(
            self,
            inferred=self.inferred + tuple(inferred),
            repairs=self.repairs + tuple(repairs),
            warnings=self.warnings + tuple(warnings),
        )
