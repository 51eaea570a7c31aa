"""Landmarks: markers by anatomical name, in metres, gaps filled."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np

from mocap_reroot.errors import ConfigError, FileError
from mocap_reroot.numerics.units import LENGTH_UNITS
from mocap_reroot.numerics.vectors import axis_vector, axis_word
from mocap_reroot.skeletons import gaps, markersets
from mocap_reroot.skeletons.labels import plain, subject_labels
from mocap_reroot.skeletons.markersets import MarkerSet
from mocap_reroot.types import Inference, Recording

_MEASURES = {
    # measure: (names in the file without side, lowest, highest in m)
    "leg_length": (("leglength",), 0.3, 1.4),
    "knee_width": (("kneewidth",), 0.04, 0.25),
    "ankle_width": (("anklewidth",), 0.03, 0.15),
    "asis_depth": (("asistrocanterdistance", "asistrochanterdistance"), 0.005, 0.2),
    "shoulder_offset": (("shoulderoffset",), 0.005, 0.15),
    "elbow_width": (("elbowwidth",), 0.03, 0.2),
    "wrist_width": (("wristwidth",), 0.015, 0.12),
    "asis_width": (("interasisdistance",), 0.1, 0.5),
    "marker_diameter": (("markerdiameter", "marker diameter"), 0.002, 0.06),
}
_USUAL_DIAMETER = 0.014  # m, of a marker, where the file does not say


@dataclass(frozen=True, eq=False)
class Landmarks:
    """Points of the anatomy over time.

    Attributes:
        points: ``{landmark: (3, F)}`` m, NaN where missing.
        filled: ``{landmark: (F)}`` True where a value was rebuilt or interpolated.
        fps: Frames per second.
        n_frames: Frames.
        measures: Lengths of the person in m: ``left_knee_width``, ``marker_diameter`` …
        clusters: ``{segment: {label: (3)}}`` m, shapes of the segments' clusters.
        unit, unit_scale: The file's unit.
        subject: Whose markers they are, where the file has several.
        others: Other subjects and objects in the file.
        pivots: ``{segment: joint above}`` of a static trial.
        by_joint: ``{segment: (F)}`` True where two markers and the joint above place it.
    """

    points: dict[str, np.ndarray]
    filled: dict[str, np.ndarray]
    fps: float
    n_frames: int
    measures: dict[str, float]
    clusters: dict[str, dict[str, np.ndarray]]
    unit: str
    unit_scale: float
    subject: str = ""
    others: tuple[str, ...] = field(default=())
    pivots: dict[str, gaps.Pivot] = field(default_factory=dict)
    by_joint: dict[str, np.ndarray] = field(default_factory=dict)

    def get(self, name: str) -> np.ndarray | None:
        """Return a landmark, or None where the markers do not give it."""
        return self.points.get(name)

    def mean(self, *names: str) -> np.ndarray | None:
        """Return the mean of the named landmarks, or None unless all are there."""
        found = [self.points[name] for name in names if name in self.points]
        return np.mean(found, axis=0) if len(found) == len(names) else None

    @property
    def marker_radius(self) -> float:
        """m."""
        return self.measures.get("marker_diameter", _USUAL_DIAMETER) / 2


def find_landmarks(
    recording: Recording,
    markerset: str | MarkerSet = "auto",
    static: Landmarks | None = None,
    *,
    unit: str | float = "auto",
) -> tuple[Landmarks, MarkerSet]:
    """Name the markers of a recording after the anatomy, and fill their gaps.

    Args:
        recording: With markers.
        markerset: ``"auto"``, a name, a TOML file, or a set.
        static: Landmarks of a static trial: its clusters rebuild markers that were taken off.
        unit: The file's unit, metres per unit, or ``"auto"``.

    Raises:
        FileError: If there are no markers or no set fits.
        ConfigError, UnknownNameError: If the set asked for cannot be read or does not exist.
    """
    if recording.markers is None:
        raise FileError(recording.path, "the file holds no markers to build a skeleton from.")
    subjects = subject_labels(recording.markers)
    wanted = None if markerset == "auto" else _as_set(markerset)
    subject = _main_subject(subjects, wanted, recording)
    rows = subjects[subject]
    usable = {k: r for k, r in rows.items() if _seen(recording.markers.position[r])}
    known = set(usable) | _rebuildable(usable, static)
    names = recording.markers.labels
    shown = [names[row].strip() for row in usable.values()]
    unseen = [names[row].strip() for label, row in rows.items() if label not in usable]
    try:
        chosen = wanted or markersets.choose(sorted(known), shown)
    except ConfigError as error:
        raise FileError(recording.path, f"{error}{_never_seen(unseen)}") from None
    missing = chosen.missing(known)
    if missing:
        raise FileError(
            recording.path,
            f"the marker set {chosen.name!r} needs {', '.join(missing[:8])}, which the labels "
            f"{', '.join(shown[:12])}{', …' if len(shown) > 12 else ''} do not give."
            f"{_never_seen(unseen)}",
            todo="Give a static trial with --static, or another set with --markerset.",
        )
    word, scale = length_unit(recording, unit)
    extra = sorted(known - set(usable))
    labels = [*usable, *extra]
    points = np.full((len(labels), 3, recording.n_frames), np.nan)
    points[: len(usable)] = recording.markers.position[list(usable.values())] * scale
    clusters = _clusters(points, labels, chosen, static)
    shapes = {segment: np.array(list(shape.values())) for segment, shape in clusters.items()}
    pivots = {} if static is None else static.pivots
    filled = gaps.fill(points, labels, clusters, recording.fps, shapes, pivots)
    by_joint = _by_joint(points, filled, labels, clusters, pivots)
    values: dict[str, np.ndarray] = {}
    touched: dict[str, np.ndarray] = {}
    where = {label: k for k, label in enumerate(labels)}
    for landmark, parts in chosen.found(labels).items():
        members = [where[plain(part)] for part in parts]
        value = filled[members].mean(axis=0)
        if np.isnan(value).all():
            continue
        values[landmark] = value
        worn = [k for k in members if k < len(usable)]  # the others were taken off: no gaps
        lost = np.isnan(points[worn]).any(axis=(0, 1))
        touched[landmark] = lost & ~np.isnan(value).any(axis=0)
    measures = _measures(recording.subject, scale)
    if static is not None:
        measures = {**static.measures, **measures}
    found = Landmarks(
        values,
        touched,
        recording.fps,
        recording.n_frames,
        measures,
        clusters,
        word,
        scale,
        subject,
        tuple(name or "(no prefix)" for name in subjects if name != subject),
        by_joint=by_joint,
    )
    return found, chosen


def _as_set(markerset: str | MarkerSet) -> MarkerSet:
    return markerset if isinstance(markerset, MarkerSet) else markersets.load(markerset)


def _main_subject(
    subjects: Mapping[str, Mapping[str, int]], wanted: MarkerSet | None, recording: Recording
) -> str:
    """Return the subject whose labels fit best; with several that fit, the one seen longest."""
    assert recording.markers is not None

    def rank(subject: str) -> tuple[int, float]:
        labels = subjects[subject]
        sets = (wanted,) if wanted else markersets.packaged()
        used = max(len(s.found(labels)) for s in sets)
        seen = ~np.isnan(recording.markers.position[list(labels.values())]).any(axis=1)  # type: ignore[union-attr]
        return used, float(seen.mean())

    return max(subjects, key=rank)


def _never_seen(labels: list[str]) -> str:
    """Say which labels have a column but no marker; nothing where there are none."""
    some = ", ".join(labels[:8]) + (", …" if len(labels) > 8 else "")
    return f" Labels that are there but hardly ever seen: {some}." if labels else ""


def _seen(position: np.ndarray) -> bool:
    """Say whether a marker is there often enough to be of use."""
    return bool((~np.isnan(position).any(axis=0)).mean() > 0.1)


def _rebuildable(usable: Mapping[str, int], static: Landmarks | None) -> set[str]:
    """Return labels of the static trial that three markers of the same segment can stand in for.

    Two and the joint above are enough where that is known.
    """
    found: set[str] = set()
    if static is None:
        return found
    for segment, shape in static.clusters.items():
        if sum(label in usable for label in shape) >= (2 if segment in static.pivots else 3):
            found |= {label for label, point in shape.items() if np.isfinite(point).all()}
    return found


def _clusters(
    points: np.ndarray, labels: list[str], chosen: MarkerSet, static: Landmarks | None
) -> dict[str, dict[str, np.ndarray]]:
    """Return the shape of every cluster, from the static trial where there is one."""
    rows = {label: k for k, label in enumerate(labels)}
    clusters = {}
    for segment, members in chosen.clusters.items():
        here = [name for m in members if (name := plain(m)) in rows]
        if len(here) < 3:
            continue
        if static is not None and segment in static.clusters:
            known = static.clusters[segment]
            clusters[segment] = {m: known.get(m, np.full(3, np.nan)) for m in here}
        else:
            shape = gaps.segment_shape(points[[rows[m] for m in here]])
            clusters[segment] = dict(zip(here, shape, strict=True))
    return clusters


def _by_joint(
    points: np.ndarray,
    filled: np.ndarray,
    labels: list[str],
    clusters: Mapping[str, Mapping[str, np.ndarray]],
    pivots: Mapping[str, gaps.Pivot],
) -> dict[str, np.ndarray]:
    """Return ``{segment: (F)}`` where fewer than three markers of a cluster place all of it."""
    found = {}
    for segment in pivots.keys() & clusters.keys():
        known = [m for m, at in clusters[segment].items() if np.isfinite(at).all()]
        rows = [labels.index(member) for member in known]
        few = np.isfinite(points[rows]).all(axis=1).sum(axis=0) < 3
        found[segment] = few & np.isfinite(filled[rows]).all(axis=(0, 1))
    return {segment: frames for segment, frames in sorted(found.items()) if frames.any()}


def length_unit(recording: Recording, wanted: str | float) -> tuple[str, float]:
    """Return the unit and metres per unit; where the file is silent, by the size of a person."""
    if not isinstance(wanted, str):
        return f"{wanted:g} m", float(wanted)
    if wanted in LENGTH_UNITS:
        return wanted, LENGTH_UNITS[wanted]
    if recording.unit in LENGTH_UNITS:
        return recording.unit, LENGTH_UNITS[recording.unit]
    assert recording.markers is not None
    position = recording.markers.position
    extent = np.nanmedian(np.nanmax(position, axis=0) - np.nanmin(position, axis=0), axis=1).max()
    for word, scale in (("mm", 1e-3), ("m", 1.0), ("cm", 1e-2)):
        if 0.5 < extent * scale < 3.0:
            return word, scale
    return "mm", 1e-3


def _measures(subject: Mapping[str, float], unit_scale: float) -> dict[str, float]:
    """Return the person's measures in m; a value is taken where some unit makes it plausible."""
    found: dict[str, float] = {}
    for name, value in subject.items():
        word = name.lower().lstrip("$%")
        for measure, (spellings, low, high) in _MEASURES.items():
            for prefix, side in (("l", "left_"), ("r", "right_"), ("", "")):
                if word not in {prefix + spelling for spelling in spellings}:
                    continue
                for scale in dict.fromkeys((unit_scale, 1e-3, 1e-2, 1.0)):
                    if low <= value * scale <= high:
                        found[side + measure] = value * scale
                        break
    return found


def find_up(recording: Recording, marks: Landmarks) -> tuple[np.ndarray, Inference, list[str]]:
    """Return the ``(3)`` up axis, why, and warnings.

    The file's word counts unless the body contradicts it: feet that are above the pelvis, or
    beside it while the plates lie square to another axis.

    Raises:
        FileError: Pelvis and feet are never seen together.
    """
    points = marks.points.items()
    low = [p for name, p in points if name.split("_", 1)[-1] in ("heel", "toe", "toe_tip")]
    low = low or [p for name, p in points if "ankle" in name]
    high = [p for name, p in points if name.endswith(("asis", "hip_centre"))]
    rise = np.nanmedian(np.mean(high, axis=0) - np.mean(low, axis=0), axis=1)
    if not np.linalg.norm(rise) > 0:
        raise FileError(recording.path, "pelvis and feet are never seen together.")
    rise = rise / np.linalg.norm(rise)
    stated = axis_vector(recording.up) if recording.up else None
    if stated is not None and (rise @ stated > 0.3 or _flat_plates(recording, stated, rise)):
        evidence = (
            f"the file says {recording.up} is up on the screen, and the pelvis is above the feet"
        )
        return stated, Inference("up", recording.up, 1.0, evidence), []
    word = axis_word(rise)
    up = axis_vector(word)
    evidence = f"the pelvis is above the feet along {word}"
    found = Inference("up", word, float(np.abs(rise).max()), evidence)
    if stated is None:
        return up, found, []
    warning = f"The file says {recording.up} is up, but {evidence}; {word} is used."
    return up, found, [warning]


def _flat_plates(recording: Recording, stated: np.ndarray, rise: np.ndarray) -> bool:
    """Say whether plates lie square to the stated axis while the body is not upside down."""
    if recording.plates is None or rise @ stated < -0.3:
        return False
    corners = recording.plates.corners
    normal = np.cross(corners[:, 2] - corners[:, 0], corners[:, 3] - corners[:, 1])
    normal = normal / np.linalg.norm(normal, axis=1, keepdims=True)
    return bool((np.abs(normal @ stated) > 0.9).any())
