"""Tables on disk: Parquet with a unit and a meaning for every column, or CSV."""

from __future__ import annotations

import csv
import json
import math
from collections.abc import Iterator, Mapping
from contextlib import ExitStack
from functools import lru_cache
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq

from mocap_reroot.columns import Blocks, Columns, inert
from mocap_reroot.export.meaning import describe
from mocap_reroot.kernels.memory import give_back

CSV_ONLY = ("bodies", "events", "phases", "rooted_tree")
"""Small tables that are CSV whatever the format."""

Table: TypeAlias = Columns | Blocks | pd.DataFrame
"""What can be written."""

_GROUP = 1 << 23
"""Values of a row group: 64 MB of numbers."""
_BUFFER = 1 << 18
"""Bytes that go to the disk at once."""


def write_table(table: Table, path: Path, name: str) -> None:
    """Write one table as Parquet; every column carries its unit, axes and meaning.

    Args:
        table: One row a frame; NaN is written as an empty value.
        path: File to write.
        name: Which table of the interface it is.
    """
    # pyarrow hands every page of every column to the system; a buffer makes few writes of many.
    # The stack closes the writer before them, whatever goes wrong.
    with ExitStack() as stack:
        file = stack.enter_context(pa.OSFile(str(path), "wb"))
        sink = stack.enter_context(pa.BufferedOutputStream(file, _BUFFER))
        writer, written = None, 0
        for columns in _row_groups(table):
            # Straight from the arrays: by way of a DataFrame it takes three times as long.
            arrays = [_arrow(column) for column in columns.values()]
            schema = _schema(name, tuple(columns), tuple(array.type for array in arrays))
            writer = writer or stack.enter_context(_writer(sink, schema))
            writer.write_table(pa.Table.from_arrays(arrays, schema=writer.schema))
            written += sum(array.nbytes for array in arrays)
            del arrays, columns
            give_back(written)  # the next block or table is made beside what this has left


def _writer(sink: Any, schema: pa.Schema) -> pq.ParquetWriter:
    return pq.ParquetWriter(
        sink,
        schema,
        # Floating-point columns hardly ever repeat: a dictionary would only cost time.
        use_dictionary=[f.name for f in schema if pa.types.is_string(f.type)] or False,
        compression="snappy",
        write_statistics=False,
    )


def _row_groups(table: Table) -> Iterator[Columns]:
    """Yield a table in blocks of rows, each small beside the memory of any computer."""
    if isinstance(table, pd.DataFrame):
        table = {str(name): _values(column) for name, column in table.items()}
    count = table.n_columns if isinstance(table, Blocks) else len(table)
    rows = max(_GROUP // max(count, 1), 1)
    if isinstance(table, Blocks):
        yield from table.make(rows)
        return
    length = len(next(iter(table.values()), ()))
    for start in range(0, max(length, 1), rows):
        part = slice(start, start + rows)
        yield table if length <= rows else {name: table[name][part] for name in table}


def _values(column: pd.Series) -> Any:
    """Return what a DataFrame holds in a column, without copying it."""
    return column.to_numpy() if isinstance(column.dtype, np.dtype) else column.array


def _arrow(column: Any) -> pa.Array:
    """Return a column as an Arrow array, without copying numbers; NaN is empty."""
    if isinstance(column, np.ndarray) and column.dtype.kind in "biuf":
        # The least is NaN where any is; to let Arrow ask each takes six times as long.
        gaps = column.dtype.kind == "f" and math.isnan(np.minimum.reduce(column, initial=math.inf))
        return pa.array(column, from_pandas=gaps)
    array = pa.array(column, from_pandas=True)
    if isinstance(array, pa.ChunkedArray):
        array = array.combine_chunks()
    if pa.types.is_null(array.type) or pa.types.is_large_string(array.type):
        return array.cast(pa.string())
    return array


@lru_cache(maxsize=64)
def _schema(table: str, names: tuple[str, ...], types: tuple[pa.DataType, ...]) -> pa.Schema:
    fields = zip(names, types, strict=True)
    return pa.schema([pa.field(n, t, metadata=describe(table, n)) for n, t in fields])


def write_csv(table: Table, path: Path) -> None:
    """Write one table as CSV, numbers to the last digit that matters, missing values empty."""
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        for block, columns in enumerate(_row_groups(table)):
            if not block:
                writer.writerow([inert(str(name)) for name in columns])
            writer.writerows(zip(*map(_cells, columns.values()), strict=True))


def _cells(column: Any) -> list[Any]:
    """Return a column as plain values that look in CSV as they should."""
    if isinstance(column, list | tuple):
        values = list(column)
    else:
        array = np.asarray(column)
        values = array.tolist()
        if array.dtype.kind in "iub" or (array.dtype.kind == "f" and not np.isnan(array).any()):
            return values
    return ["" if _missing(value) else inert(value) for value in values]


def _missing(value: Any) -> bool:
    return value is None or value is pd.NA or value != value  # NaN is the only one that differs


def write_in(formats: tuple[str, ...], table: Table, folder: Path, name: str) -> None:
    """Write a table into a folder.

    Args:
        formats: Some of ``"parquet"`` and ``"csv"``; Parquet when neither is asked for.
        table: What to write.
        folder: An existing folder.
        name: Which table of the interface it is.
    """
    if name in CSV_ONLY or "csv" in formats:
        write_csv(table, folder / f"{name}.csv")
    if name not in CSV_ONLY and ("parquet" in formats or "csv" not in formats):
        write_table(table, folder / f"{name}.parquet", name)


def write_summary(summary: Mapping[str, Any], folder: Path) -> None:
    """Write ``summary.json``, a line an entry; the content is ready for JSON."""
    text = ",\n".join(f"  {_json(key)}: {_lines(value)}" for key, value in summary.items())
    (folder / "summary.json").write_text(f"{{\n{text}\n}}\n", encoding="utf-8")


def _lines(value: Any) -> str:
    """Return JSON; what a list or a dictionary holds gets a line each where it holds more."""
    if isinstance(value, dict) and any(isinstance(v, list | dict) for v in value.values()):
        lines = [f"{_json(key)}: {_json(held)}" for key, held in value.items()]
        return "{\n    " + ",\n    ".join(lines) + "\n  }"
    if isinstance(value, list) and any(isinstance(v, str | list | dict) for v in value):
        return "[\n    " + ",\n    ".join(map(_json, value)) + "\n  ]"
    return _json(value)


_json = json.JSONEncoder(ensure_ascii=False, allow_nan=False).encode
"""One line: only without indentation is the standard library's encoder compiled."""
