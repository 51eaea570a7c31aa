"""The tables of one clip as they lie in its folder: all that a report is made from."""

from __future__ import annotations

import json
import re
import sys
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from mocap_reroot.errors import FileError
from mocap_reroot.resources.csv_text import as_meant
from mocap_reroot.schema import TABLES, Table
from mocap_reroot.types import STANDARD_GRAVITY

LARGE = 4_000_000
"""Bytes of a file from which on its columns are read one by one."""
_READ = tuple(table for table in TABLES.values() if table.report)


class OnDisk:
    """A Parquet table of which columns are read when asked for: of a long clip never the whole.

    Has of a DataFrame what reports use: ``columns``, ``in``, ``len``, and columns by name.
    """

    def __init__(self, path: Path) -> None:
        import pyarrow.parquet as pq

        self._file = pq.ParquetFile(path)
        self.columns = pd.Index(self._file.schema_arrow.names)

    def __getitem__(self, names: Any) -> Any:
        several = [names] if isinstance(names, str) else list(names)
        return self._file.read(columns=several, use_threads=False).to_pandas()[names]

    def __contains__(self, name: str) -> bool:
        return name in self.columns

    def __len__(self) -> int:
        return int(self._file.metadata.num_rows)


@dataclass(frozen=True, eq=False)
class ClipTables:
    """A clip's tables by name, and its summary; a table that was not written is absent.

    Attributes:
        name: What the clip is called on the page.
        summary: Content of ``summary.json``.
        tables: DataFrames by the names of the interface; large ones stay on disk.
    """

    name: str
    summary: dict[str, Any]
    tables: dict[str, Any] = field(default_factory=dict)

    def __getitem__(self, name: str) -> Any:
        return self.tables[name]

    def __contains__(self, name: str) -> bool:
        return name in self.tables

    @property
    def lacking(self) -> set[str]:
        """Names of the tables that figures want and that are not there."""
        return {layout.name for layout in _READ} - self.tables.keys()

    @cached_property
    def n_frames(self) -> int:
        """Number of frames of the clip."""
        return int(self.summary["frames"])

    @property
    def fps(self) -> float:
        """Frames a second."""
        return float(self.summary["fps"])

    @property
    def start_time(self) -> float:
        """Time of the first frame, s."""
        return float(self.summary.get("start_time") or 0.0)

    def seconds(self, frame: float) -> float:
        """Return the time of a frame, s."""
        return float(self.start_time + frame / self.fps)

    @property
    def weight(self) -> float:
        """Body weight in N."""
        return float(self.summary["mass"]) * STANDARD_GRAVITY

    @cached_property
    def up(self) -> np.ndarray:
        """``(3)`` unit vector."""
        return np.asarray(self.summary["up_vector"], float)

    @cached_property
    def feet(self) -> list[str]:
        """Bodies that the ground pushes on."""
        if "grf" not in self:
            return []
        return [c[:-3] for c in self["grf"].columns if c.endswith("_on")]

    @cached_property
    def joints(self) -> list[str]:
        """Joints with torques, by the name of their child body."""
        if "torques" not in self:
            return []
        return [c[: -len("_power")] for c in self["torques"].columns if c.endswith("_power")]

    @cached_property
    def sides(self) -> dict[str, str]:
        """``left``, ``right`` or nothing for every body, from its segment, else from its name."""
        if "bodies" not in self:
            return {}
        table = self["bodies"]
        segments = table["segment"] if "segment" in table else table["body"]
        return {
            str(body): side_of(str(segment)) or side_of(str(body))
            for body, segment in zip(table["body"], segments, strict=True)
        }

    def vectors(self, table: str, body: str, kind: str) -> np.ndarray:
        """Return ``(3, F)`` the columns ``<body>_<kind>x, y, z`` of a table."""
        columns = [f"{body}_{kind}{axis}" for axis in "xyz"]
        return np.asarray(self[table][columns].to_numpy(float).T)


def side_of(name: str) -> str:
    """Return ``left`` or ``right`` where a name begins so (or LHip, RThumb), else nothing."""
    low = name.lower()
    for side in ("left", "right"):
        if low.startswith(side) or re.match(f"{side[0].upper()}[_.]?[A-Z][a-z]", name):
            return side
    return ""


def read_clip(folder: str | Path) -> ClipTables:
    """Read the tables of a result folder, Parquet or CSV, whichever are there.

    Raises:
        FileError: It is not a folder of results, or a table in it cannot be read.
    """
    folder = Path(folder)
    summary = read_summary(folder)
    tables = {
        layout.name: table for layout in _READ if (table := _read(folder, layout)) is not None
    }
    source = str((summary.get("input") or {}).get("path") or "")
    name = Path(source.replace("\\", "/")).name or folder.resolve().name
    return ClipTables(name, summary, tables)


def read_summary(folder: Path) -> dict[str, Any]:
    """Return the content of a result folder's ``summary.json``.

    Raises:
        FileError: It is not a folder of results.
    """
    path = folder / "summary.json"
    todo = "Name a folder that `mocap-reroot run` wrote, such as out/walk."
    if not path.is_file():
        raise FileError(folder, "is no folder of results: it has no summary.json.", todo=todo)
    try:
        summary = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise FileError(path, f"cannot be read: {error}.", todo=todo) from None
    missing = [k for k in ("frames", "fps", "mass", "up_vector") if summary.get(k) is None]
    if missing:
        raise FileError(path, f"lacks {', '.join(missing)}.", todo="Run the clip again.")
    return dict(summary)


def clip_of(analysis: Any) -> ClipTables:
    """Return the tables of an analysis in memory, as they would lie in its folder."""
    names = [layout.name for layout in _READ]
    tables = {name: made for name in names if (made := analysis.table(name)) is not None}
    path = (analysis.summary["input"] or {}).get("path") or "motion"
    return ClipTables(Path(path).name, analysis.summary, tables)


def read_table(folder: Path, layout: Table) -> pd.DataFrame | None:
    """Return a table of a result folder as a whole, or None where it was not written.

    Raises:
        FileError: Its file cannot be read.
    """
    return _read(folder, layout, large=sys.maxsize)


def _read(folder: Path, layout: Table, large: int = LARGE) -> Any:
    """Return a table, one of which more than ``large`` bytes are frames on disk; None if absent."""
    parquet, csv = folder / f"{layout.name}.parquet", folder / f"{layout.name}.csv"
    try:
        if parquet.is_file():
            on_disk = layout.frames and parquet.stat().st_size > large
            return OnDisk(parquet) if on_disk else pd.read_parquet(parquet)
        if csv.is_file():
            words = dict.fromkeys(layout.words, str)
            table = as_meant(
                pd.read_csv(csv, keep_default_na=False, na_values={}, dtype=words, low_memory=False)
            )
            return table.apply(_number, args=(layout.words,))
    except (OSError, ValueError) as error:
        path = parquet if parquet.is_file() else csv
        raise FileError(path, f"cannot be read: {error}.", todo="Run the clip again.") from None
    return None


def _number(column: pd.Series, words: tuple[str, ...]) -> pd.Series:
    """Return a column of a CSV table as numbers unless it is one of words."""
    if column.dtype.kind in "biuf" or column.name in words:
        return column
    return pd.to_numeric(column.replace("", np.nan), errors="coerce").astype(float)
