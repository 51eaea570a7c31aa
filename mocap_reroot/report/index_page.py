"""``index.html`` of a batch: every clip in a table to sort and filter, with sparklines."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any
from urllib.parse import quote

import numpy as np
import pandas as pd
import pyarrow.parquet as pq

from mocap_reroot.errors import FileError
from mocap_reroot.report.markup import Html, bullets, tag, text
from mocap_reroot.report.packing import fill
from mocap_reroot.report.page import write_report
from mocap_reroot.resources.csv_text import as_meant
from mocap_reroot.types import STANDARD_GRAVITY

WORST = 20
"""Reports that are written at most of clips that are doubtful, unless a number is asked for."""
SPARKS = 3000
"""Clips that get a sparkline at most: each costs reading a table."""
_POINTS = 60

# column of index.parquet, title, unit, digits (None: text)
_COLUMNS: tuple[tuple[str, str, str, int | None], ...] = (
    ("clip", "Clip", "", None),
    ("grade", "Grade", "", None),
    ("subject", "Subject", "", None),
    ("activity", "Activity", "", None),
    ("seconds", "Length", "s", 2),
    ("fps", "Rate", "Hz", 0),
    ("convention", "Skeleton", "", None),
    ("mass", "Mass", "kg", 1),
    ("forces", "Forces", "", None),
    ("quality_unexplained", "Unexplained", "of frames", 2),
    ("quality_body_moved_mm", "Moved", "mm", 0),
    ("quality_peak_vertical_force_bw", "Peak force", "BW", 2),
    ("quality_foot_skate_mm_s", "Skate", "mm/s", 0),
    ("quality_cop_outside_foot_mm", "CoP outside", "mm", 0),
    ("quality_flight_gravity_error", "Flight error", "of g", 2),
    ("quality_residual_force_n_rms", "Residual RMS", "N", 1),
    ("gait_speed_m_s", "Speed", "m/s", 2),
    ("warnings", "Notes", "", 0),
)


def write_index_page(out: str | Path) -> Path:
    """Write ``index.html`` beside ``index.parquet``.

    Returns:
        Path: The page.

    Raises:
        FileError: There is no index, or the page cannot be written.
    """
    out = Path(out)
    source, path = out / "index.parquet", out / "index.html"
    try:
        index = pd.read_parquet(source)
    except (OSError, ValueError) as error:
        todo = "Run `mocap-reroot batch` into this folder first."
        raise FileError(source, f"cannot be read: {error}.", todo=todo) from None
    try:
        path.write_text(index_html(out, index, _failures(out)), encoding="utf-8")
    except OSError as error:
        raise FileError(path, f"cannot be written: {error.strerror or error}.") from error
    return path


def write_worst_reports(out: Path, count: int | None = None) -> list[Path]:
    """Write reports of the clips of a batch that need looking at most, the worst first.

    Args:
        out: Folder of the batch.
        count: How many; None for those graded C or D, :data:`WORST` at most.

    Returns:
        list[Path]: The pages.
    """
    index = pd.read_parquet(out / "index.parquet", columns=["clip", "grade", "grade_reasons"])
    if count is None:
        index, count = index[index["grade"].isin(["C", "D"])], WORST
    many = index["grade_reasons"].fillna("").str.count(";")
    worst = index.assign(many=many).sort_values(
        ["grade", "many", "clip"], ascending=[False, False, True]
    )
    folders = [out / clip for clip in worst[worst["grade"].isin(list("ABCD"))]["clip"]]
    return [write_report(folder) for folder in folders[:count] if folder.is_dir()]


def index_html(out: Path, index: pd.DataFrame, failures: pd.DataFrame) -> str:
    """Return the page for a batch whose clips lie below ``out``."""
    columns = [c for c in _COLUMNS if c[0] in index and index[c[0]].replace("", None).notna().any()]
    clips = [str(c) for c in index.get("clip", [])]
    data = {
        "columns": [
            {"title": title, "unit": unit, "digits": digits, "name": name}
            for name, title, unit, digits in columns
        ],
        "rows": [
            [_plain(value) for value in row]
            for row in index[[c[0] for c in columns]].itertuples(index=False, name=None)
        ],
        "reasons": [str(r) for r in index.get("grade_reasons", [""] * len(index))],
        "links": [_link(out, clip) for clip in clips],
        "sparks": [
            _spark(out / clip, mass)
            for clip, mass in zip(clips[:SPARKS], index["mass"], strict=False)
        ]
        if "mass" in index
        else [],
    }
    seconds = float(index["seconds"].sum()) if "seconds" in index else 0.0
    said = f"{len(index)} clips, {seconds / 60:.1f} minutes of motion, {len(failures)} failed."
    if len(clips) > SPARKS:
        said += f" Sparklines for the first {SPARKS} clips."
    return fill(
        "index.html",
        ("plain.js", "index.js"),
        data,
        plotly=False,
        title=text(out.resolve().name),
        said=text(said),
        failures=_failed(failures),
    )


def _failures(out: Path) -> pd.DataFrame:
    path = out / "failures.csv"
    if not path.is_file():
        return pd.DataFrame(columns=["file", "stage", "reason"])
    return as_meant(pd.read_csv(path, keep_default_na=False, dtype=str))


def _failed(failures: pd.DataFrame) -> Html:
    if not len(failures):
        return Html("")
    items = [f"{row.file}: {row.reason}" for row in failures.itertuples()]
    return tag("section", tag("h2", "Failed"), bullets(items, ""), id="failed")


def _plain(value: Any) -> Any:
    if isinstance(value, str) or value is None:
        return value
    return float(value) if np.isfinite(value) else None


def _link(out: Path, clip: str) -> str:
    """Return where a clip's report is; empty where it has none yet."""
    return quote(f"{clip}/report.html") if (out / clip / "report.html").is_file() else ""


def _spark(folder: Path, mass: float) -> list[float]:
    """Return the total vertical force over time, in body weights, as a few numbers."""
    path = folder / "grf.parquet"
    summary = folder / "summary.json"
    if not path.is_file() or not summary.is_file() or not mass > 0:
        return []
    up = np.asarray(json.loads(summary.read_text(encoding="utf-8"))["up_vector"], float)
    with pq.ParquetFile(path) as file:  # a few of its columns: thousands of clips take their time
        feet = [c[:-3] for c in file.schema_arrow.names if c.endswith("_on")]
        columns = [f"{foot}_f{axis}" for foot in feet for axis in "xyz"]
        table = file.read(columns, use_threads=False)
    if not feet or not len(table):
        return []
    force = np.tile(up, len(feet)) @ np.array([table[c].to_numpy() for c in columns])
    bins = np.array_split(np.nan_to_num(force), min(_POINTS, len(force)))
    return [round(float(one.mean()) / (mass * STANDARD_GRAVITY), 3) for one in bins]
