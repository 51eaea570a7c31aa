"""TRC (OpenSim's marker files) to Recording."""

from __future__ import annotations

import io
from pathlib import Path

import numpy as np
import pandas as pd

from mocap_reroot.config import is_rate
from mocap_reroot.errors import FileError, printable
from mocap_reroot.importers.files import read_lines, unique
from mocap_reroot.importers.numbers import drop_impossible
from mocap_reroot.types import Markers, Recording

_UNITS = {"mm": "mm", "cm": "cm", "m": "m"} | {
    f"{prefix}met{ending}{s}": f"{prefix[:1]}m"
    for prefix in ("", "centi", "milli")
    for ending in ("er", "re")
    for s in ("", "s")
}


def read_trc(path: str | Path) -> Recording:
    """Read a TRC file.

    Args:
        path: The file: tab-separated, five header lines, then frame, time and x, y, z of every
            marker.

    Returns:
        Recording: In the file's units and axes; the format does not say which way is up.

    Raises:
        FileError: If it is not a TRC or holds no frames.
    """
    path = Path(path)
    lines = read_lines(path)
    if not lines or not lines[0].lstrip().startswith("PathFileType"):
        raise FileError(path, "a TRC file begins with 'PathFileType'; this one does not.", line=1)
    if len(lines) < 6:
        raise FileError(path, f"the file ends after {len(lines)} lines; there are no frames.")
    header = dict(zip(lines[1].split(), lines[2].split(), strict=False))
    labels = _labels(path, lines[3])
    values, first_line = _values(path, lines, 2 + 3 * len(labels))
    fps, repairs = _rate(header, values[:, 1])
    stated = header.get("NumFrames", str(len(values)))
    if stated.removesuffix(".0") != str(len(values)):
        repairs.append(f"The header promises {stated[:20]} frames; {len(values)} are there.")
    position = values[:, 2:].reshape(len(values), len(labels), 3).transpose(1, 2, 0).copy()
    position.transpose(0, 2, 1)[(position == 0).all(axis=1)] = np.nan
    repairs += drop_impossible(position)
    if np.isnan(position).all():
        raise FileError(path, "no marker is ever seen.", line=first_line)
    unit = header.get("Units", "").lower()
    return Recording(
        path=path,
        format="trc",
        n_frames=len(values),
        fps=fps,
        markers=Markers(labels, position),
        unit=_UNITS.get(unit, ""),
        first_frame=int(values[0, 0]) if np.isfinite(values[0, 0]) else 0,
        repairs=tuple(repairs),
        start_time=float(values[0, 1]) if np.isfinite(values[0, 1]) else 0.0,
    )


def _labels(path: Path, line: str) -> tuple[str, ...]:
    cells = [cell.strip() for cell in (line.split("\t") if "\t" in line else line.split())]
    labels = [printable(cell) for cell in cells if cell][2:]
    if not labels or not cells[0].lower().startswith("frame"):
        raise FileError(path, "expected 'Frame#', 'Time' and the markers' names.", line=4)
    return tuple(unique(labels))


def _values(path: Path, lines: list[str], width: int) -> tuple[np.ndarray, int]:
    """Return ``(F, width)`` numbers, NaN where a cell is empty, and the line they begin at."""
    first = next((k for k in range(4, len(lines)) if _starts_with_number(lines[k])), None)
    if first is None:
        raise FileError(path, "there are no frames after the header.", line=len(lines))
    rows = [line for line in lines[first:] if line.strip()]
    tabs = "\t" in rows[0]
    try:
        table = pd.read_csv(
            io.StringIO("\n".join(rows)),
            sep="\t" if tabs else r"\s+",
            header=None,
            names=range(max(width, rows[0].count("\t") + 1 if tabs else width)),
            na_values=["NaN", "nan", ""],
            dtype=float,
            skipinitialspace=True,
        )
    except (ValueError, pd.errors.ParserError) as error:
        raise FileError(path, f"a frame does not hold numbers ({error}).", line=first + 1) from None
    return table.to_numpy()[:, :width], first + 1


def _starts_with_number(line: str) -> bool:
    cells = line.split()
    try:
        return bool(cells) and np.isfinite(float(cells[0]))
    except ValueError:
        return False


def _rate(header: dict[str, str], time: np.ndarray) -> tuple[float, list[str]]:
    """Return frames per second: as stated, unless the time column says otherwise."""
    steps = np.diff(time[np.isfinite(time)])
    step = float(np.median(steps)) if len(steps) else 0.0
    try:
        stated = float(header.get("DataRate", 0))
    except ValueError:
        stated = 0.0
    counted = 1 / step if step > 0 else 0.0
    if is_rate(counted) and not abs(stated * step - 1) <= 0.02:
        return counted, [f"The header's rate of {stated:g} Hz was replaced by {counted:g} Hz."]
    return stated, []
