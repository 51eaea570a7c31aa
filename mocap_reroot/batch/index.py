"""The index of a batch: one row a clip with its quality and a grade, and the failures."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pandas as pd
import pyarrow.parquet as pq

from mocap_reroot.errors import FileError, path_text
from mocap_reroot.export.folders import complete_file
from mocap_reroot.export.tables import write_csv, write_table
from mocap_reroot.report.verdict import flat
from mocap_reroot.resources.clips import is_below
from mocap_reroot.resources.csv_text import as_meant
from mocap_reroot.schema import INDEX

INDEX_FILE, FAILURES, PAGE = "index.parquet", "failures.csv", "index.html"
"""What a batch writes into its output folder beside the clips."""
CORRECTIONS = "index.csv"
"""What a conversion that corrects motions writes beside them."""
FAILURE_COLUMNS = ["file", "stage", "reason", "kind"]

# Every index has these, in this order, whatever its clips are; further figures follow.
_COLUMNS = tuple(n for c in INDEX.columns if "<" not in c.name for n in c.names)
_COUNTS = ("frames", "phases", "warnings", "repairs")


def index_row(file: Path, place: Path, summary: dict[str, Any]) -> dict[str, Any]:
    """Return a clip's row of ``index.parquet``: flat columns, quality and timings prefixed."""
    gait = summary.get("gait") or {}
    row: dict[str, Any] = {
        "clip": place.as_posix(),
        "subject": "",
        "file": path_text(file),
        "frames": summary["frames"],
        "fps": summary["fps"],
        "seconds": summary["frames"] / summary["fps"],
        "convention": summary["convention"],
        "unit": summary["unit"],
        "up": str(summary["up_vector"]),
        "mass": summary["mass"],
        "height": summary["height"],
        "forces": summary["forces"],
        "phases": summary.get("phases", 0),
        "gait": gait.get("gait", ""),
        "activity": summary.get("activity", ""),
        "grade": summary["grade"],
        "grade_reasons": "; ".join(summary["grade_reasons"]),
        "warnings": len(summary["warnings"]),
        "repairs": len(summary["repairs"]),
    }
    for prefix, key in (("quality", "quality"), ("gait", "gait"), ("time", "timings")):
        found = flat(summary.get(key) or {})
        row |= {f"{prefix}_{path.replace('.', '_')}": value for path, value in found.items()}
    return row


def index_table(rows: list[dict[str, Any]]) -> pd.DataFrame:
    """Return the rows as a table: always the same first columns with the same types."""
    found = {name for row in rows for name in row}
    names = [*_COLUMNS, *sorted(found.difference(_COLUMNS))]
    table = pd.DataFrame(rows, columns=names)
    known = {name for name in names if INDEX.find(name) is not None}
    types = {name: "str" if name in INDEX.words else "float64" for name in names if name in known}
    table = table.astype(types | dict.fromkeys(_COUNTS, "int64"))
    for name in set(names) - known:  # of the table of subjects
        table[name] = _plain(table[name])
    return table.sort_values("clip", ignore_index=True)


def _plain(column: pd.Series) -> pd.Series:
    """Return a column of words as numbers, where all that is said in it are numbers."""
    words = column.where(column.notna(), "").astype(str)
    numbers = pd.to_numeric(words.where(words != "", None), errors="coerce")
    return numbers if (numbers.notna() == (words != "")).all() and (words != "").any() else words


def refuse_foreign_index(out: Path) -> None:
    """Refuse an output folder that has files of other programs where the index would be.

    Raises:
        FileError: Names the first of them.
    """
    for name in (INDEX_FILE, FAILURES, PAGE):
        if (out / name).exists() and not _is_ours(out / name):
            raise FileError(
                out / name,
                "would be replaced by the index of this batch, but was not written by one.",
                todo="Choose a new or an empty folder with -o.",
            )


def _is_ours(path: Path) -> bool:
    """Return whether a batch has written a file; one that is damaged is known by those beside."""
    others = {INDEX_FILE: FAILURES, FAILURES: INDEX_FILE, PAGE: INDEX_FILE}
    if not path.is_file():
        return False
    try:
        if path.name == INDEX_FILE:
            return {"clip", "file", "grade"} <= set(pq.read_schema(path).names)
        if path.name == FAILURES:
            return list(pd.read_csv(path, nrows=0)) == FAILURE_COLUMNS
    except (OSError, ValueError):
        pass
    return path.with_name(others[path.name]).is_file()


def write_index(out: Path, rows: list[dict[str, Any]], failures: list[dict[str, str]]) -> None:
    """Write ``index.parquet`` and ``failures.csv``, each as a whole.

    Clips of earlier runs, or of one that works beside us, keep their rows while they exist.

    Args:
        out: Output folder.
        rows, failures: What this run has found so far.
    """
    mine = {entry["file"] for entry in (*rows, *failures)}
    others = [
        row
        for row in _earlier(out / INDEX_FILE)
        if row["file"] not in mine
        and is_below(row["clip"])
        and (out / row["clip"] / "summary.json").is_file()
    ]
    with complete_file(out / INDEX_FILE) as draft:
        write_table(index_table([*rows, *others]), draft, INDEX.name)
    others = [
        failure
        for failure in _earlier(out / FAILURES)
        if failure["file"] not in mine and Path(failure["file"]).is_file()
    ]
    failed = pd.DataFrame([*failures, *others], columns=FAILURE_COLUMNS)
    with complete_file(out / FAILURES) as draft:
        write_csv(failed.sort_values("file", ignore_index=True), draft)


def _earlier(path: Path) -> list[dict[str, Any]]:
    """Return the rows of a table of an earlier run; one that cannot be read is written anew."""
    try:
        if path.suffix == ".csv":
            table = as_meant(pd.read_csv(path, dtype=str, keep_default_na=False))
        else:
            table = pd.read_parquet(path)
        return table.to_dict("records") if {"file"} <= set(table) else []
    except (OSError, ValueError):
        return []


def refuse_foreign_corrections(out: Path) -> None:
    """Refuse an output folder with an ``index.csv`` that no conversion wrote.

    Raises:
        FileError: Names it.
    """
    path = out / CORRECTIONS
    if path.exists() and not any("grade_before" in row for row in _earlier(path)):
        raise FileError(
            path,
            "would be replaced by the index of this conversion, but was not written by one.",
            todo="Choose a new or an empty folder with -o.",
        )


def write_corrections(out: Path, rows: list[dict[str, Any]]) -> None:
    """Write ``index.csv``: how clips were corrected, a row each; those of other files stay."""
    mine = {row["file"] for row in rows}
    others = [row for row in _earlier(out / CORRECTIONS) if row["file"] not in mine]
    table = pd.DataFrame([*rows, *others]).sort_values("clip", ignore_index=True)
    with complete_file(out / CORRECTIONS) as draft:
        write_csv(table, draft)
