"""Recording: what an importer found in a file, in its own units and axes, nothing guessed."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from mocap_reroot.types.source import Event


@dataclass(frozen=True, eq=False)
class Hierarchy:
    """A tree with channels, as BVH has it. File units and degrees.

    Attributes:
        names: ``(n)`` unique names; parents come before their children.
        parents: ``(n)`` index, −1 at the root.
        offset: ``(n, 3)``.
        channels: ``(n)`` tuples of ``"Xposition"`` … ``"Zrotation"``, in the file's order.
        site_body, site_offset: ``(s)``, ``(s, 3)`` End Sites.
        values: ``(c, F)`` channel values, all channels of all joints in the file's order.
        rest: ``(n, 4)`` rest rotations ``E`` that the channels turn on from (``R = E J``), or None
            where a joint at rest is not turned against its parent, as in BVH.
    """

    names: tuple[str, ...]
    parents: np.ndarray
    offset: np.ndarray
    channels: tuple[tuple[str, ...], ...]
    site_body: np.ndarray
    site_offset: np.ndarray
    values: np.ndarray
    rest: np.ndarray | None = None


@dataclass(frozen=True, eq=False)
class Markers:
    """Labelled points. File units.

    Attributes:
        labels: ``(m)`` unique.
        position: ``(m, 3, F)``, NaN where missing.
    """

    labels: tuple[str, ...]
    position: np.ndarray


@dataclass(frozen=True, eq=False)
class SegmentPoses:
    """Segments with measured orientations (Theia). File units.

    Attributes:
        names: ``(s)``.
        rotation: ``(s, 3, 3, F)`` segment to world.
        position: ``(s, 3, F)``.
    """

    names: tuple[str, ...]
    rotation: np.ndarray
    position: np.ndarray


@dataclass(frozen=True, eq=False)
class StoredCoordinates:
    """Coordinates of a model that the file does not hold.

    Attributes:
        names: ``(c)`` unique, as in the file.
        value: ``(c, F)`` rad or degrees, and m.
        degrees: Whether angles are in degrees.
    """

    names: tuple[str, ...]
    value: np.ndarray
    degrees: bool


@dataclass(frozen=True, eq=False)
class RawPlates:
    """Force plates in SI units and world axes of the file, at their own sampling rate.

    Attributes:
        names: ``(p)``.
        corners: ``(p, 4, 3)`` m.
        force: ``(p, 3, S)`` N, on the body.
        moment: ``(p, 3, S)`` N·m, about the centre of the plate's surface.
        rate: Hz.
        start: s, time of the first sample on the file's own clock.
        outlined: Whether the file says where the plates' corners are.
    """

    names: tuple[str, ...]
    corners: np.ndarray
    force: np.ndarray
    moment: np.ndarray
    rate: float
    start: float = 0.0
    outlined: bool = True


@dataclass(frozen=True, eq=False)
class Analogs:
    """Analog channels as recorded: ``(a, S)`` values with labels, units and rate in Hz."""

    labels: tuple[str, ...]
    units: tuple[str, ...]
    values: np.ndarray
    rate: float


@dataclass(frozen=True, eq=False)
class Recording:
    """All that a file says.

    Attributes:
        path, format: The file and its kind, ``"bvh"``, ``"c3d"``, ``"trc"``, ``"amc"`` …
        n_frames: Rows that are really there.
        fps: Frames per second as the file states them.
        hierarchy, markers, segments, coordinates: What moves; at least one of them.
        outputs: Model outputs stored among the markers (angles, moments, powers, virtual points).
        plates, analogs, events: What else was recorded.
        unit: Length unit the file states, or empty.
        up: Up axis the file states (``"+z"``), or empty.
        first_frame: The file's number of its first frame.
        mass, height: kg, m, if stated.
        flags: ``(F)`` index into ``FLAGS``.
        repairs, warnings: Sentences.
        notes: Facts without a place of their own, e.g. how many points had no label.
        subject: Measures of the person under the file's own names and in its units.
        start_time: s, time of the first frame on the file's own clock (a C3D's begins at frame 1).
        events_complete: Whether the events tell every contact of the feet, from the first frame on.
    """

    path: Path
    format: str
    n_frames: int
    fps: float
    hierarchy: Hierarchy | None = None
    markers: Markers | None = None
    segments: SegmentPoses | None = None
    coordinates: StoredCoordinates | None = None
    outputs: Markers | None = None
    plates: RawPlates | None = None
    analogs: Analogs | None = None
    events: tuple[Event, ...] = ()
    unit: str = ""
    up: str = ""
    first_frame: int = 0
    mass: float | None = None
    height: float | None = None
    flags: np.ndarray | None = None
    repairs: tuple[str, ...] = ()
    warnings: tuple[str, ...] = ()
    notes: dict[str, str] = field(default_factory=dict)
    subject: dict[str, float] = field(default_factory=dict)
    start_time: float = 0.0
    events_complete: bool = False

    def __repr__(self) -> str:
        kinds = {"hierarchy": self.hierarchy, "markers": self.markers, "segments": self.segments}
        what = ", ".join(name for name, value in kinds.items() if value is not None)
        return f"<Recording: {self.path.name}, {self.n_frames} frames, {what}>"
