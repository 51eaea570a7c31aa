"""Result folders to make reports from: a walk, the same with hostile names, one with plates."""

from __future__ import annotations

import functools
import json
import shutil
import tempfile
from pathlib import Path

import pandas as pd

import mocap_reroot as mr
from mocap_reroot.report.page import write_report

SAMPLES = Path(__file__).resolve().parents[2] / "sample_data"
HOSTILE = {
    "LeftForeArm": "<script>alert(1)</script>",
    "Neck": '"}',
    "RightForeArm": "</script><img/src=x/onerror=alert(2)>",
    "LeftLeg": "<b>&amp;%{x}</b>",
}
HOSTILE_FILE = "<i>walk&.bvh"


@functools.cache
def _place() -> Path:
    return Path(tempfile.mkdtemp(prefix="report-tests-"))


@functools.cache
def walk() -> Path:
    """A walk with every table and its report."""
    mr.analyze(SAMPLES / "walk.bvh", mass=70.0).save(_place() / "walk")
    return _place() / "walk"


@functools.cache
def plates() -> Path:
    """A walk over force plates."""
    mr.analyze(SAMPLES / "walk.c3d").save(_place() / "plates")
    return _place() / "plates"


@functools.cache
def hostile() -> Path:
    """The walk with its file and some bodies renamed, in every table, to break a page."""
    folder = _place() / "hostile"
    shutil.copytree(walk(), folder)
    for path in [*folder.glob("*.parquet"), *folder.glob("*.csv")]:
        is_csv = path.suffix == ".csv"
        table = pd.read_csv(path, keep_default_na=False) if is_csv else pd.read_parquet(path)
        table = table.rename(columns=_renamed).replace(HOSTILE)
        table.to_csv(path, index=False) if is_csv else table.to_parquet(path)
    summary = json.loads((folder / "summary.json").read_text())
    summary["input"]["path"] = f"recordings/{HOSTILE_FILE}"
    summary["warnings"].append("<script>alert(4)</script>")
    (folder / "summary.json").write_text(json.dumps(summary))
    write_report(folder)
    return folder


def _renamed(column: str) -> str:
    body, _, suffix = column.rpartition("_")
    return f"{HOSTILE[body]}_{suffix}" if body in HOSTILE else column


def core_only(source: Path, target: Path) -> Path:
    """The tables that a batch writes: no kinematics, no anatomy, no report."""
    shutil.copytree(source, target)
    for name in ("kinematics", "rooted", "reactions", "anatomy", "predicted"):
        (target / f"{name}.parquet").unlink(missing_ok=True)
    (target / "report.html").unlink()
    return target
