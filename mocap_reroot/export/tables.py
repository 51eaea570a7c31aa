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

from mocap_reroot.columns import Blocks, Columns, inert
from mocap_reroot.export.meaning import describe
from mocap_reroot.export.pages import Kind, column_of
from mocap_reroot.export.parquet import Layout, ParquetWriter
from mocap_reroot.kernels.memory import give_back

CSV_ONLY = ("bodies", "events", "phases", "rooted_tree")
"""Small tables that are CSV whatever the format."""

Table: TypeAlias = Columns | Blocks | pd.DataFrame
"""What can be written."""

_GROUP = 1 << 23
"""Values of a row group: 64 MB of numbers."""


def write_table(table: Table, path: Path, name: str) -> None:
    """Write one table as Parquet; every column carries its unit, axes and meaning.

    Args:
        table: One row a frame; NaN is written as an empty value.
        path: File to write.
        name: Which table of the interface it is.
    """
    with ExitStack() as stack:  # closes the file, whatever goes wrong
        writer, layout, written = None, None, 0
        for block in _row_groups(table):
            rows = _length(block)
            columns = [column_of(values) for values in block.values()]
            asked = _layout(name, tuple(block), tuple(kind for kind, _ in columns))
            if writer is None or layout is None:
                layout = asked
                writer = stack.enter_context(ParquetWriter(path, layout))
            if asked is not layout:
                raise TypeError(f"The rows of table {name} do not all have the same columns.")
            if rows:
                writer.write_group(columns, rows)
            written += 8 * rows * len(columns)
            del columns, block
            give_back(written)  # the next block or table is made beside what this has left


def _length(table: Columns) -> int:
    """Return the number of rows."""
    lengths = set(map(len, table.values())) or {0}
    if len(lengths) > 1:
        raise ValueError(f"Columns of one table have {min(lengths)} to {max(lengths)} rows.")
    return lengths.pop()


@lru_cache(maxsize=64)
def _layout(table: str, names: tuple[str, ...], kinds: tuple[Kind, ...]) -> Layout:
    pairs = zip(names, kinds, strict=True)
    schema = pa.schema([pa.field(n, kind.arrow, metadata=describe(table, n)) for n, kind in pairs])
    return Layout(schema, kinds)


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
    values = list(column) if isinstance(column, list | tuple) else np.asarray(column).tolist()
    kinds = set(map(type, values))
    if kinds <= {int, bool} or (kinds == {float} and not any(map(math.isnan, values))):
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
