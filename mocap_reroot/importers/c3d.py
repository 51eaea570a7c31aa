"""C3D to Recording: markers, model outputs, segment poses, force plates, analogs and events."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from mocap_reroot.config import is_rate
from mocap_reroot.errors import FileError
from mocap_reroot.importers.c3d_data import C3DData, Sorted, decode, sort_labels
from mocap_reroot.importers.c3d_parameters import Layout, read_layout
from mocap_reroot.importers.files import read_bytes
from mocap_reroot.importers.numbers import drop_impossible
from mocap_reroot.importers.plates import CHANNELS, PlateSpec, to_raw_plates
from mocap_reroot.numerics.units import LENGTH_UNITS
from mocap_reroot.numerics.vectors import axis_vector
from mocap_reroot.types import Analogs, Event, Markers, RawPlates, Recording, SegmentPoses

_SUBJECT_GROUPS = ("PROCESSING", "SUBJECTS", "SUBJECT", "PATIENT", "ANTHROPOMETRY", "THEIA3D")
_MASS = re.compile(r"^\W*(body_?)?(mass|weight)(_?kg)?$", re.I)
_HEIGHT = re.compile(r"^\W*(body_?)?(height|stature)(_?(mm|cm|m))?$", re.I)
_STRIKE = re.compile(r"strike|contact|foot.?on|touch|^[lr]?(hs|fs|ic|td)$", re.I)
_OFF = re.compile(r"off|lift|^[lr]?(to|fo)$", re.I)


def read_c3d(path: str | Path) -> Recording:
    """Read a C3D file.

    Args:
        path: The file; written on any processor type.

    Returns:
        Recording: In the file's units and axes; force plates in SI.

    Raises:
        FileError: In one sentence, if there is nothing to read or the file is damaged.
    """
    path = Path(path)
    content = read_bytes(path)
    layout = read_layout(path, content)
    data = decode(path, content, layout)
    repairs = drop_impossible(data.points)
    sorted_ = sort_labels(layout, data.points)
    unit = _unit(layout)
    rate = layout.number("POINT", "RATE", layout.rate)
    if not is_rate(rate) and is_rate(layout.rate):
        repairs.append(f"POINT:RATE is {rate:g}; the header's {layout.rate:g} Hz were taken.")
        rate = layout.rate
    segments = _segments(layout, data)
    frames = data.points.shape[-1] if len(data.points) else _rotation_frames(data)
    markers = _chosen(sorted_, data.points, "marker")
    if markers is None and segments is None:
        raise FileError(path, "the file holds no markers and no segment rotations.")
    stated = layout.last_frame - layout.first_frame + 1
    if len(data.points) and stated != frames:
        repairs.append(f"The header promises {stated} frames; {frames} are there.")
    repairs += sorted_.repairs
    repairs += [f"The file bends the C3D rules: {doubt}." for doubt in layout.doubts]
    up = _up(layout)
    plates, plate_repairs, plate_warnings = _plates(
        layout, data, LENGTH_UNITS.get(unit, 1e-3), up, rate
    )
    mass, height = _subject(layout)
    start_time = _start_time(layout, rate)
    if plates is not None:
        plates = replace(plates, start=start_time)
    dropped = len(sorted_.rows("nothing"))
    return Recording(
        path=path,
        format="c3d",
        n_frames=frames,
        fps=float(rate),
        markers=markers,
        segments=segments,
        outputs=_chosen(sorted_, data.points, "output"),
        plates=plates,
        analogs=_analogs(layout, data, rate),
        events=_events(layout, frames, rate),
        unit=unit,
        up=up,
        first_frame=layout.first_frame,
        start_time=start_time,
        mass=mass,
        height=height,
        repairs=tuple(repairs + plate_repairs),
        warnings=tuple(plate_warnings),
        notes={"unlabelled_points": str(dropped)} if dropped else {},
        subject=_measures(layout),
    )


def _start_time(layout: Layout, rate: float) -> float:
    """Return s from frame 1 of the trial, at which its events' clock begins, to the first frame."""
    return max(layout.first_frame - 1, 0) / rate if is_rate(rate) else 0.0


def _unit(layout: Layout) -> str:
    words = layout.texts("POINT", "UNITS")
    word = words[0].lower() if words else ""
    return {"meters": "m", "metres": "m", "meter": "m", "metre": "m", "millimeters": "mm"}.get(
        word, word if word in LENGTH_UNITS else ""
    )


def _up(layout: Layout) -> str:
    """Return the axis that points up on the screen, e.g. ``"+z"``, or an empty word."""
    words = layout.texts("POINT", "Y_SCREEN")
    match = re.fullmatch(r"([+-]?)([xyz])", words[0].strip().lower()) if words else None
    return f"{match[1] or '+'}{match[2]}" if match else ""


def _chosen(sorted_: Sorted, points: np.ndarray, kind: str) -> Markers | None:
    rows = sorted_.rows(kind)
    return Markers(tuple(sorted_.labels[k] for k in rows), points[rows]) if rows else None


def _segments(layout: Layout, data: C3DData) -> SegmentPoses | None:
    """Return segments stored as 4×4 matrices, without the world itself."""
    if data.rotations is None:
        return None
    labels = layout.texts("ROTATION", "LABELS")
    labels = labels[: len(data.rotations)]  # some files name what is not there
    names = [re.sub(r"_?4x4$", "", label, flags=re.I) for label in labels]
    rows = [k for k, name in enumerate(names) if "world" not in name.lower()]
    poses = data.rotations[rows]
    return SegmentPoses(tuple(names[k] for k in rows), poses[:, :3, :3], poses[:, :3, 3])


def _rotation_frames(data: C3DData) -> int:
    return 0 if data.rotations is None else int(data.rotations.shape[-1])


def _analogs(layout: Layout, data: C3DData, rate: float) -> Analogs | None:
    count = len(data.analog)
    if not data.analog.size:
        return None
    labels = layout.texts("ANALOG", "LABELS") + [f"channel_{k + 1}" for k in range(count)]
    units = layout.texts("ANALOG", "UNITS") + [""] * count
    return Analogs(
        tuple(labels[:count]), tuple(units[:count]), data.analog, _analog_rate(layout, rate)
    )


def _analog_rate(layout: Layout, rate: float) -> float:
    """Return samples a second: by the format, a whole number of them a frame."""
    return rate * max(layout.analog_per_frame, 1)


def _plates(
    layout: Layout, data: C3DData, unit_scale: float, up: str, rate: float
) -> tuple[RawPlates | None, list[str], list[str]]:
    """Collect what FORCE_PLATFORM says about each plate; one that is incomplete is left out."""
    used = int(layout.number("FORCE_PLATFORM", "USED", 0))
    kinds, corners, origins, channels = (
        layout.numbers("FORCE_PLATFORM", name) for name in ("TYPE", "CORNERS", "ORIGIN", "CHANNEL")
    )
    if not used or kinds is None or not data.analog.size:
        return None, [], []
    if layout.texts("MOCAP_REROOT", "FORCES") == ["predicted"]:
        return None, ["Its ground forces were predicted by this program: no plate measured."], []
    units = layout.texts("ANALOG", "UNITS") + [""] * len(data.analog)
    matrix = layout.numbers("FORCE_PLATFORM", "CAL_MATRIX")
    specs, warnings = [], []
    for k in range(min(used, kinds.size)):
        kind = int(kinds.flat[k])
        spec = _plate_spec(k, kind, corners, origins, channels, matrix, data.analog, units)
        if isinstance(spec, str):
            warnings.append(f"Force plate {k + 1} is left out: {spec}.")
        else:
            specs.append(spec)
    samples = _analog_rate(layout, rate), unit_scale, axis_vector(up or "+z")
    plates, repairs, more = to_raw_plates(specs, *samples)
    return plates, repairs, warnings + more


def _plate_spec(
    k: int,
    kind: int,
    corners: Any,
    origins: Any,
    channels: Any,
    matrix: Any,
    analog: np.ndarray,
    units: list[str],
) -> PlateSpec | str:
    """Return plate ``k``, or what is missing to describe it."""
    if corners is None or corners.shape[:2] != (3, 4) or np.size(corners) < 12 * (k + 1):
        return "its corners are missing"
    need = CHANNELS.get(kind, 6)
    table = None if channels is None else np.atleast_2d(channels.reshape(channels.shape[0], -1))
    if table is None or table.shape[1] <= k or table.shape[0] < need:
        return "its channels are missing"
    rows = table[:need, k].astype(int) - 1
    if rows.min() < 0 or rows.max() >= len(analog):
        return f"it names channels up to {rows.max() + 1} of {len(analog)}"
    origin = np.zeros(3)
    if origins is not None and np.size(origins) >= 3 * (k + 1):
        origin = np.ravel(origins, order="F")[3 * k : 3 * k + 3]
    calibration = None
    if kind == 4:
        if matrix is None or np.size(matrix) < 36 * (k + 1):
            return "its calibration matrix is missing"
        calibration = np.ravel(matrix, order="F")[36 * k : 36 * k + 36]
        calibration = calibration.reshape(6, 6, order="F")
    where = corners.reshape(3, 4, -1, order="F")[:, :, k].T
    return PlateSpec(kind, where, origin, analog[rows], [units[r] for r in rows], calibration)


def _events(layout: Layout, frames: int, rate: float) -> tuple[Event, ...]:
    """Return the gait events, timed from the first frame of the clip."""
    times = layout.get("EVENT", "TIMES")
    labels, contexts, who = (
        layout.texts("EVENT", name) for name in ("LABELS", "CONTEXTS", "SUBJECTS")
    )
    if isinstance(times, np.ndarray) and times.ndim == 2 and times.shape[0] == 2 and labels:
        seconds = 60 * times[0] + times[1]
        rows = (contexts + [""] * len(labels), who + [""] * len(labels), seconds)
        stored = list(zip(labels, *rows, strict=False))
    else:
        stored = [(label, "", "", time) for label, time in layout.events]
    if not stored or not is_rate(rate):
        return ()
    # The file counts from frame 1 of the trial; a clip cut out of it starts later. Some programs
    # count from the clip instead: then subtracting its start would throw the events out of it.
    start, length = _start_time(layout, rate), frames / rate
    inside = [sum(0 <= t - s <= length for *_, t in stored) for s in (start, 0.0)]
    start = start if inside[0] >= inside[1] else 0.0
    events = [Event(_word(a), _side(a, b), float(t - start), who) for a, b, who, t in stored]
    return tuple(sorted(events, key=lambda event: event.time))


def _word(label: str) -> str:
    if _STRIKE.search(label):
        return "strike"
    return "off" if _OFF.search(label) else label


def _side(label: str, context: str) -> str:
    for word in (context, label):
        for side in ("left", "right"):
            if word.lower().startswith(side):
                return side
    short = re.fullmatch(r"([lr])(hs|to|fs|fo|ic|td)", label.strip(), flags=re.I)
    return {"l": "left", "r": "right"}[short[1].lower()] if short else ""


def _measures(layout: Layout) -> dict[str, float]:
    """Return the numbers of the subject groups under their own names and in their own units."""
    found: dict[str, float] = {}
    for group in reversed(_SUBJECT_GROUPS):
        for name, value in layout.parameters.get(group, {}).items():
            if not isinstance(value, np.ndarray) or not np.isfinite(value).all():
                continue
            if value.size == 1:
                found[name] = float(value.flat[0])
            elif value.size == 3 and group == "THEIA3D":  # points in a segment's axes
                found |= {f"{name}_{a}": float(v) for a, v in zip("XYZ", value.flat, strict=True)}
    return found


def _subject(layout: Layout) -> tuple[float | None, float | None]:
    """Return mass (kg) and height (m) where they are plausible for a person."""
    mass = height = None
    for name, value in _measures(layout).items():
        if _MASS.match(name) and 3 <= value <= 350:
            mass = float(str(np.float32(value)))  # 56.8, as somebody typed it
        elif _HEIGHT.match(name):
            for scale in (1.0, 1e-2, 1e-3):
                if 0.4 <= value * scale <= 2.6:
                    height = value * scale
                    break
    return mass, height
