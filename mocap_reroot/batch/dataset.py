"""A batch as one data set: every table of all clips opens as one, with a ``clip`` column."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from mocap_reroot.export.folders import complete_folder

FOLDER = "dataset"


def gather(out: Path, rows: list[dict[str, Any]], *, keep_clips: bool) -> Path:
    """Write ``OUT/dataset/<table>/`` from the clips' folders: one Parquet file a clip.

    All files of a table have the same columns (the union over all clips; what a skeleton does not
    have is empty), so that pandas, polars, DuckDB and Dask open the folder as it is.

    Args:
        out: Output folder of a batch.
        rows: Rows of its index.
        keep_clips: Whether the clips' own Parquet files stay.

    Returns:
        Path: The folder of the data set.
    """
    clips = [row["clip"] for row in rows]
    names = sorted({f.stem for clip in clips for f in (out / clip).glob("*.parquet")})
    with complete_folder(out / FOLDER) as draft:
        for name in names:
            (draft / name).mkdir()
            files = {c: out / c / f"{name}.parquet" for c in clips}
            files = {c: f for c, f in files.items() if f.is_file()}
            schema = _common_schema([pq.read_schema(f) for f in files.values()])
            for number, (clip, file) in enumerate(sorted(files.items())):
                table = _with_columns(pq.read_table(file), clip, schema)
                pq.write_table(table, draft / name / f"clip-{number:06d}.parquet")
    if not keep_clips:
        for clip in clips:
            for file in (out / clip).glob("*.parquet"):
                file.unlink()
            if not any((out / clip).iterdir()):
                shutil.rmtree(out / clip)
    return out / FOLDER


def _common_schema(schemas: list[pa.Schema]) -> pa.Schema:
    fields: dict[str, pa.Field] = {"clip": pa.field("clip", pa.string())}
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
