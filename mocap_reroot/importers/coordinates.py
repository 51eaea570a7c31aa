"""Coordinates of a model from OpenSim's ``.mot`` and ``.sto`` files, such as those of its IK."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path

import numpy as np

from mocap_reroot.config import is_rate
from mocap_reroot.errors import FileError, printable
from mocap_reroot.importers.mot import read_storage
from mocap_reroot.types import Recording, StoredCoordinates

_DEGREES = re.compile(r"^\s*indegrees\s*=\s*(yes|true|1)\s*$", re.I | re.M)
_UNEVEN = 0.25  # of a step, that a row may be off an even clock; times are rounded


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
