"""A batch as one data set: every table of all clips opens as one, with ``clip`` and ``subject``."""

from __future__ import annotations

import hashlib
import os
import re
import shutil
from pathlib import Path

import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq

from mocap_reroot import schema
from mocap_reroot.export.folders import PART, complete_folder, safe_name
from mocap_reroot.export.tables import write_table
from mocap_reroot.report.clip_tables import read_table
from mocap_reroot.resources.clips import is_below

FOLDER = "dataset"
LABELS = ("clip", "subject")
_NAME = r".*-[0-9a-f]{10}\.parquet"
"""Names of the files of a table."""


def gather(out: Path, *, keep_clips: bool) -> Path:
    """Write ``OUT/dataset/<table>/``: one Parquet file a clip of the index.

    Clips that were just analysed have left their parts in their folders: these are moved. Of others
    the part of an earlier data set is kept, or made from their own tables. All files of a table
    have the same columns (the union over all clips; what a skeleton does not have is empty), so
    that pandas, polars, DuckDB and Dask open the folder as it is.

    Args:
        out: Output folder of a batch.
        keep_clips: Whether the clips' own Parquet files stay.

    Returns:
        Path: The folder of the data set.
    """
    index = pd.read_parquet(out / "index.parquet", columns=list(LABELS))
    clips = {clip: who for clip, who in zip(*map(index.get, LABELS), strict=True) if is_below(clip)}
    with complete_folder(out / FOLDER, _other_than_tables) as draft:
        for name in schema.TABLES:
            (draft / name).mkdir()
            for clip, subject in clips.items():
                _take(out, clip, subject, name, draft / name / _file_name(clip))
            _unite(draft / name)
            if not any((draft / name).iterdir()):
                (draft / name).rmdir()
    for clip in clips if not keep_clips else ():
        for file in (out / clip).glob("*.parquet"):
            if moved_table(out, Path(clip), file.name).is_file():
                file.unlink()
    return out / FOLDER


def moved_table(out: Path, place: Path, file: str) -> Path:
    """Return where the data set has a clip's table, given the name of its own file."""
    return out / FOLDER / Path(file).stem / _file_name(place.as_posix())


def _take(out: Path, clip: str, subject: str, name: str, target: Path) -> None:
    """Put the newest rows of a table of a clip in place; where there are none, nothing."""
    part = out / clip / f"{name}{PART}"
    if part.is_file():
        part.replace(target)
        return
    before = moved_table(out, Path(clip), name)
    own = [f for end in ("parquet", "csv") if (f := out / clip / f"{name}.{end}").is_file()]
    if before.is_file() and not (own and own[0].stat().st_mtime_ns > before.stat().st_mtime_ns):
        try:
            os.link(before, target)
        except OSError:  # a disk without links
            shutil.copy2(before, target)
        return
    if own:
        table = read_table(out / clip, schema.table(name))
        if table is not None:
            write_table(table, target, name, labels={"clip": clip, "subject": subject})


def _unite(folder: Path) -> None:
    """Give all files of a table the same columns; those without rows go."""
    layouts = {}
    for file in sorted(folder.iterdir()):
        found = pq.ParquetFile(file, memory_map=True)
        if found.metadata.num_rows:
            layouts[file] = found.schema_arrow
        else:
            file.unlink()
    whole = _common_schema(list(layouts.values()))
    for file, layout in layouts.items():
        if not layout.equals(whole):
            table = _with_columns(pq.read_table(file, use_threads=False), whole)
            words = [f.name for f in whole if pa.types.is_string(f.type)]
            new = file.with_suffix(".new")  # the old one may be a link to what is still in use
            pq.write_table(table, new, use_dictionary=words, write_statistics=list(LABELS))
            new.replace(file)


def _other_than_tables(folder: Path) -> list[str]:
    """Return what is in the folder of a data set that is no table of it."""
    return [
        table.name
        for table in folder.iterdir()
        if not table.is_dir() or not all(re.fullmatch(_NAME, part.name) for part in table.iterdir())
    ]


def _file_name(clip: str) -> str:
    """Return a file name for a clip: readable, and never the same for two clips."""
    return f"{safe_name(clip)[-60:]}-{hashlib.sha256(clip.encode()).hexdigest()[:10]}.parquet"


def _common_schema(schemas: list[pa.Schema]) -> pa.Schema:
    """Return all columns; one that is empty in some clips has the type it has in others."""
    fields: dict[str, pa.Field] = {}
    for one in dict.fromkeys(schemas):
        for field in one:
            known = fields.setdefault(field.name, field)
            if pa.types.is_string(known.type) and not pa.types.is_string(field.type):
                fields[field.name] = field
    return pa.schema(fields.values())


def _with_columns(table: pa.Table, whole: pa.Schema) -> pa.Table:
    columns = []
    for field in whole:
        if field.name in table.column_names:
            columns.append(table[field.name].cast(field.type))
        else:
            columns.append(pa.nulls(len(table), field.type))
    return pa.Table.from_arrays(columns, schema=whole)
