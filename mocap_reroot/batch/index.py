"""The index of a batch: one row a clip with its quality and a grade, and the failures."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pandas as pd

from mocap_reroot.batch.grading import grade
from mocap_reroot.export.folders import complete_file
from mocap_reroot.export.tables import write_csv

FAILURE_COLUMNS = ["file", "stage", "reason"]


def index_row(file: Path, place: Path, summary: dict[str, Any]) -> dict[str, Any]:
    """Return a clip's row of ``index.parquet``: flat columns, quality and timings prefixed."""
    quality, gait = summary.get("quality") or {}, summary.get("gait") or {}
    letter, reasons = grade(summary)
    row: dict[str, Any] = {
        "clip": place.as_posix(),
        "file": os.fspath(file),
        "frames": summary["frames"],
        "fps": summary["fps"],
        "seconds": summary["frames"] / summary["fps"],
        "convention": summary["convention"],
        "unit": summary["unit"],
        "up": str(summary["up_vector"]),
        "mass": summary["mass"],
        "height": summary["height"],
        "forces": summary["forces"],
        "phases": summary.get("phases"),
        "grade": letter,
        "grade_reasons": "; ".join(reasons),
        "warnings": len(summary["warnings"]),
        "repairs": len(summary["repairs"]),
    }
    row |= _flat("quality", quality) | _flat("gait", gait)
    return row | _flat("time", summary.get("timings") or {})


def _flat(prefix: str, values: dict[str, Any]) -> dict[str, float]:
    """Return the numbers of nested dictionaries with their path as name."""
    flat: dict[str, float] = {}
    for key, value in values.items():
        if isinstance(value, dict):
            flat |= _flat(f"{prefix}_{key}", value)
        elif isinstance(value, int | float) and not isinstance(value, bool):
            flat[f"{prefix}_{key}"] = float(value)
    return flat


def write_index(out: Path, rows: list[dict[str, Any]], failures: list[dict[str, str]]) -> None:
    """Write ``index.parquet`` and ``failures.csv``, each as a whole."""
    table = pd.DataFrame(rows)
    if len(table):
        table = table.sort_values("clip", ignore_index=True)
    else:
        table = pd.DataFrame({"clip": pd.Series(dtype=str), "file": pd.Series(dtype=str)})
    with complete_file(out / "index.parquet") as draft:
        table.to_parquet(draft, index=False)
    failed = pd.DataFrame(failures, columns=FAILURE_COLUMNS).sort_values("file", ignore_index=True)
    with complete_file(out / "failures.csv") as draft:
        write_csv(failed, draft)
