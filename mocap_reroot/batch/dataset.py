"""A batch as one data set: every table of all clips opens as one, with a ``clip`` column."""

from __future__ import annotations

import hashlib
import re
from pathlib import Path

import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq

from mocap_reroot.export.folders import complete_folder, safe_name
from mocap_reroot.resources.clips import is_below
from mocap_reroot.schema import INDEX, describe

FOLDER = "dataset"
_PART = r".*-[0-9a-f]{10}\.parquet"
"""Names of the files of a table."""


def gather(out: Path, *, keep_clips: bool) -> Path:
    """Write ``OUT/dataset/<table>/``: one Parquet file a clip of the index.

    All files of a table have the same columns (the union over all clips; what a skeleton does not
    have is empty), so that pandas, polars, DuckDB and Dask open the folder as it is. A clip whose
    own tables are gone keeps what the data set has of it.

    Args:
        out: Output folder of a batch.
        keep_clips: Whether the clips' own Parquet files stay.

    Returns:
        Path: The folder of the data set.
    """
    clips = pd.read_parquet(out / "index.parquet", columns=["clip"])["clip"].tolist()
    clips = [clip for clip in clips if is_below(clip)]
    names = {f.stem for clip in clips for f in (out / clip).glob("*.parquet")}
    names |= {f.name for f in (out / FOLDER).glob("*") if f.is_dir()}
    with complete_folder(out / FOLDER, _other_than_tables) as draft:
        for name in sorted(names):
            files = {clip: _source(out, clip, name) for clip in clips}
            found = {clip: file for clip, file in files.items() if file is not None}
            if not found:
                continue
            (draft / name).mkdir()
            schema = _common_schema([pq.read_schema(file) for file in found.values()])
            words = [f.name for f in schema if pa.types.is_string(f.type)]
            for clip, file in found.items():
                table = _with_columns(pq.read_table(file, use_threads=False), clip, schema)
                target = draft / name / _file_name(clip)
                pq.write_table(table, target, use_dictionary=words, write_statistics=["clip"])
    if not keep_clips:
        for clip in clips:
            for file in (out / clip).glob("*.parquet"):
                if moved_table(out, Path(clip), file.name).is_file():
                    file.unlink()
    return out / FOLDER


def moved_table(out: Path, place: Path, file: str) -> Path:
    """Return where the data set has a clip's table, given the name of its own file."""
    return out / FOLDER / Path(file).stem / _file_name(place.as_posix())


def _other_than_tables(folder: Path) -> list[str]:
    """Return what is in the folder of a data set that is no table of it."""
    return [
        table.name
        for table in folder.iterdir()
        if not table.is_dir() or not all(re.fullmatch(_PART, part.name) for part in table.iterdir())
    ]


def _source(out: Path, clip: str, name: str) -> Path | None:
    """Return the newest file that holds a table of a clip, or None."""
    own = out / clip / f"{name}.parquet"
    for file in (own, moved_table(out, Path(clip), own.name)):
        if file.is_file():
            return file
    return None


def _file_name(clip: str) -> str:
    """Return a file name for a clip: readable, and never the same for two clips."""
    return f"{safe_name(clip)[-60:]}-{hashlib.sha256(clip.encode()).hexdigest()[:10]}.parquet"


def _common_schema(schemas: list[pa.Schema]) -> pa.Schema:
    clip = pa.field("clip", pa.string(), metadata=describe(INDEX.name, "clip"))
    fields: dict[str, pa.Field] = {"clip": clip}
    for schema in schemas:
        for field in schema:
            fields.setdefault(field.name, field)
    return pa.schema(fields.values())


def _with_columns(table: pa.Table, clip: str, schema: pa.Schema) -> pa.Table:
    columns = []
    for field in schema:
        if field.name == "clip":
            columns.append(pa.array([clip] * len(table), pa.string()))
        elif field.name in table.column_names:
            columns.append(table[field.name].cast(field.type))
        else:
            columns.append(pa.nulls(len(table), field.type))
    return pa.Table.from_arrays(columns, schema=schema)
