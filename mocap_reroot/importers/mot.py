"""OpenSim's ``.mot`` and ``.sto`` files: ground forces as force plates, coordinates of a model."""

from __future__ import annotations

import io
import re
from dataclasses import replace
from pathlib import Path

import numpy as np
import pandas as pd

from mocap_reroot.config import RATES, is_rate
from mocap_reroot.errors import FileError, printable
from mocap_reroot.importers.files import read_lines
from mocap_reroot.types import LEAST_FORCE, RawPlates, Recording, StoredCoordinates

_OPENSIM = re.compile(r"^(.*?)_?ground_(force|torque|moment)_?(.*?)_?([vpm]?)([xyz])$", re.I)
_SHORT = re.compile(r"^([fpm])(\d+)_([123xyz])$", re.I)  # f1_1, p1_1, m1_1: OpenSim's C3D reader
_MARGIN = 0.15  # m, that a plate is taken to reach beyond the centres of pressure on it
_METRES = 50.0  # from the origin, within which a laboratory lies; numbers beyond are millimetres
_LARGEST = 1e7  # N, N·mm or mm; what is larger was not measured

_DEGREES = re.compile(r"^\s*indegrees\s*=\s*(yes|true|1)\s*$", re.I | re.M)
_UNEVEN = 0.25  # of a step, that a row may be off an even clock; times are rounded


def read_mot(path: str | Path) -> RawPlates:
    """Read measured ground forces.

    Every force with its point and torque becomes a plate. The file does not say how large the
    plates are: each is taken to be the rectangle that holds its centres of pressure.

    Args:
        path: A ``.mot`` or ``.sto`` file with columns such as ``ground_force_vx``,
            ``ground_force_px``, ``ground_torque_x`` (a second foot ``1_ground_force_vx``, or
            ``ground_force_r_vx``), or ``f1_1``, ``p1_1``, ``m1_1``.

    Returns:
        RawPlates: SI; forces act on the body; ``start`` is the file's first time. Samples that
        are no numbers are NaN, but for the pressure of a plate that nobody loads. What is in
        metres is judged by loaded rows alone: with nobody on a plate, any number may stand there.

    Raises:
        FileError: If there are no such columns or no rows.
    """
    path = Path(path)
    table = read_storage(path)
    time = table["time"].to_numpy()
    if len(time) < 2 or not (np.diff(time) > 0).all():
        raise FileError(path, "the time column does not increase from row to row.")
    groups = _groups(list(table.columns))
    if not groups:
        raise FileError(
            path,
            "there are no ground forces; expected columns such as ground_force_vx, "
            f"ground_force_px, ground_torque_x, found {', '.join(list(table.columns)[:6])} ….",
        )
    # Rounded times (0.0017, 0.0033) are read as what they round: an even clock.
    rate = (len(time) - 1) / (time[-1] - time[0])
    if not is_rate(rate):
        raise FileError(
            path,
            f"the times mean {rate:g} samples a second, which is no time base; {RATES[0]:g} to "
            f"{RATES[1]:g} were expected.",
        )
    names, corners, forces, moments = [], [], [], []
    for name, columns in groups.items():
        force, point, torque = (
            np.stack([_column(table, columns, kind, axis) for axis in "xyz"]) for kind in "vpm"
        )
        for values in (force, point, torque):
            values[~(np.abs(values) < _LARGEST)] = np.nan
        loaded = np.linalg.norm(np.nan_to_num(force), axis=0) > LEAST_FORCE
        farthest = np.nanmax(np.abs(point[:, loaded]), initial=0.0)
        scale = 1e-3 if farthest > _METRES else 1.0
        point, torque = point * scale, torque * scale
        plate = _corners(force, point)
        centre = plate.mean(axis=0)[:, None]
        point[:, ~loaded] = np.where(np.isfinite(force[:, ~loaded]).all(axis=0), centre, np.nan)
        names.append(name)
        corners.append(plate)
        forces.append(force)
        moments.append(torque + np.cross(point - centre, force, axis=0))
    return RawPlates(
        tuple(names),
        np.array(corners),
        np.array(forces),
        np.array(moments),
        float(rate),
        start=float(time[0]),
        outlined=False,
    )


def read_storage(path: Path) -> pd.DataFrame:
    """Return the table of an OpenSim storage file, columns in lower case, with ``time``."""
    lines = read_lines(path)
    ends = [k for k, line in enumerate(lines[:200]) if line.strip().lower() == "endheader"]
    if not ends:
        raise FileError(path, "there is no 'endheader' line; this is not an OpenSim file.")
    body = [line.strip() for line in lines[ends[0] + 1 :] if line.strip()]
    if len(body) < 2:
        raise FileError(path, "there are no rows after the header.", line=len(lines))
    try:
        table = pd.read_csv(io.StringIO("\n".join(body)), sep=r"\s+", dtype=float)
    except (ValueError, pd.errors.ParserError) as error:
        raise FileError(
            path, f"the table does not hold numbers ({error}).", line=ends[0] + 3
        ) from None
    table.columns = [str(column).strip().lower() for column in table.columns]
    if "time" not in table:
        raise FileError(path, "there is no column 'time'.", line=ends[0] + 2)
    return table


def _groups(columns: list[str]) -> dict[str, dict[tuple[str, str], str]]:
    """Return ``{plate: {(v|p|m, x|y|z): column}}`` for every force with all three components."""
    groups: dict[str, dict[tuple[str, str], str]] = {}
    for column in columns:
        if match := _OPENSIM.match(column):
            before, what, after, kind, axis = match.groups()
            kind = {"force": kind or "v"}.get(what, "m")
            name = "_".join(part for part in (before, "ground_force", after) if part)
        elif match := _SHORT.match(column):
            kind, number, axis = match.groups()
            kind, name = {"f": "v"}.get(kind, kind), f"plate_{number}"
            axis = {"1": "x", "2": "y", "3": "z"}.get(axis, axis)
        else:
            continue
        groups.setdefault(name, {})[kind, axis] = column
    return {k: v for k, v in groups.items() if all(("v", axis) in v for axis in "xyz")}


def _column(
    table: pd.DataFrame, columns: dict[tuple[str, str], str], kind: str, axis: str
) -> np.ndarray:
    column = columns.get((kind, axis))
    return np.zeros(len(table)) if column is None else table[column].to_numpy()


def _corners(force: np.ndarray, point: np.ndarray) -> np.ndarray:
    """Return ``(4, 3)`` m, the rectangle around the centres of pressure, square to the force."""
    size = np.linalg.norm(np.nan_to_num(force), axis=0)
    loaded = size > max(LEAST_FORCE, 0.05 * size.max(initial=0.0))
    up = int(np.argmax(np.abs(np.nan_to_num(force)).sum(axis=1)))
    a, b = (up + 1) % 3, (up + 2) % 3
    used = np.nan_to_num(point[:, loaded] if loaded.any() else point)
    low, high = used.min(axis=1) - _MARGIN, used.max(axis=1) + _MARGIN
    level = np.median(used[up])
    corners = np.full((4, 3), level)
    # In this order the diagonals' cross product points along the positive axis.
    for k, (u, v) in enumerate(((low, low), (high, low), (high, high), (low, high))):
        corners[k, a], corners[k, b] = u[a], v[b]
    return corners


def read_coordinates(path: str | Path) -> Recording:
    """Read a table of coordinates.

    Args:
        path: A ``.mot`` or ``.sto`` file: a column a coordinate, by name or by path
            (``/jointset/hip_r/hip_flexion_r/value``); ``inDegrees`` says the unit of angles.

    Returns:
        Recording: With ``coordinates``; rows that follow each other unevenly are brought to an
        even clock.

    Raises:
        FileError: It is no such table, or its times do not increase.
    """
    path = Path(path)
    table = read_storage(path)
    time = table["time"].to_numpy()
    steps = np.diff(time)
    if len(time) < 2 or not (steps > 0).all():
        raise FileError(path, "the time column does not increase from row to row.")
    columns = {}
    for column in table.columns:
        name = _coordinate(column)
        if name and name not in columns:
            columns[name] = table[column].to_numpy()
    if any("ground_force" in name for name in columns):
        raise FileError(
            path,
            "this file holds ground forces; a table of coordinates was expected.",
            todo="Name the motion, and give this file with --plates.",
        )
    if not columns:
        raise FileError(path, "there are no coordinates beside the time.")
    with path.open(encoding="utf-8-sig", errors="replace") as file:
        header = "".join(line for line, _ in zip(file, range(200), strict=False))
    degrees = _DEGREES.search(header.lower().partition("endheader")[0]) is not None
    recording = Recording(
        path=path,
        format=path.suffix.lower().removeprefix("."),
        n_frames=len(time),
        fps=(len(time) - 1) / (time[-1] - time[0]),
        coordinates=StoredCoordinates(tuple(columns), np.array(list(columns.values())), degrees),
        unit="m",
        start_time=float(time[0]),
    )
    if not is_rate(recording.fps):
        raise FileError(path, f"the times mean {recording.fps:g} rows a second: no time base.")
    return _evened(recording, time)


def _coordinate(column: str) -> str:
    """Return the coordinate that a column holds the value of, or nothing."""
    parts = printable(column).strip("/").split("/")
    if len(parts) == 1:
        return "" if parts[0] == "time" else parts[0]
    return parts[-2] if parts[-1] == "value" else ""


def _evened(recording: Recording, time: np.ndarray) -> Recording:
    """Return a recording whose rows follow an even clock, that of its closest rows if need be."""
    step = 1 / recording.fps
    if np.abs(time - time[0] - np.arange(len(time)) * step).max() <= _UNEVEN * step:
        return recording
    from scipy.interpolate import CubicSpline

    assert recording.coordinates is not None
    step = float(np.percentile(np.diff(time), 10))
    even = time[0] + step * np.arange(int((time[-1] - time[0]) / step + 1e-6) + 1)
    value = CubicSpline(time, recording.coordinates.value, axis=1)(even)
    return replace(
        recording,
        n_frames=len(even),
        fps=1 / step,
        coordinates=replace(recording.coordinates, value=value),
        repairs=(f"Rows follow each other unevenly; brought to {1 / step:.4g} Hz by a spline.",),
    )
