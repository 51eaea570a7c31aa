"""Tables on disk: Parquet with a unit and a meaning for every column, or CSV."""

from __future__ import annotations

import csv
import json
import math
from collections.abc import Iterator, Mapping
from contextlib import ExitStack
from functools import lru_cache
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq

from mocap_reroot.resources.csv_text import inert
from mocap_reroot.resources.memory import give_back
from mocap_reroot.schema import INDEX, TABLES, Blocks, Columns, columns_of, describe

_GROUP = 1 << 23
"""Values of a row group: 64 MB of numbers."""
_BUFFER = 1 << 18
"""Bytes that go to the disk at once."""


def write_table(
    noun: Any,
    path: Path,
    name: str,
    *,
    labels: Mapping[str, str] | None = None,
    single: bool = False,
) -> None:
    """Write one table as Parquet; every column carries its unit, axes and meaning.

    Args:
        noun: What the table is made of: a noun, blocks of one, columns or a DataFrame. NaN is
            written as an empty value.
        path: File to write.
        name: Which table of the interface it is.
        labels: Words that go before every row, by the names of their columns: of a data set.
        single: Numbers in single precision; times stay as they are.
    """
    labels = labels or {}
    with ExitStack() as stack:  # closes the file, whatever goes wrong
        writer, layout, written = None, None, 0
        for block in _row_groups(noun, name):
            if labels:
                length = len(next(iter(block.values()), ()))
                first = {n: np.full(length, word, object) for n, word in labels.items()}
                block = {**first, **block}
            arrays = [_array(v, single and not n.endswith("time")) for n, v in block.items()]
            asked = _layout(name, tuple(block), tuple(array.type for array in arrays))
            if writer is None or layout is None:
                layout = asked
                file = stack.enter_context(path.open("wb", buffering=_BUFFER))
                # Dictionaries of numbers and statistics cost more than they save or tell.
                options: dict[str, Any] = {"use_dictionary": layout.words}
                options["write_statistics"] = list(labels) or False
                writer = pq.ParquetWriter(file, layout.schema, **options)
                stack.enter_context(writer)
            if asked is not layout:
                raise TypeError(f"The rows of table {name} do not all have the same columns.")
            writer.write_batch(pa.RecordBatch.from_arrays(arrays, schema=layout.schema))
            written += 8 * sum(map(len, arrays))
            del arrays, block
            give_back(written)  # the next block or table is made beside what this has left


def _array(values: Any, single: bool = False) -> pa.Array:
    """Return a column for Arrow, numbers without a copy; NaN and None are empty."""
    if single and isinstance(values, np.ndarray) and values.dtype == np.float64:
        values = values.astype(np.float32)
    array = pa.array(values, from_pandas=True)
    if isinstance(array, pa.ChunkedArray):
        array = array.combine_chunks()
    if pa.types.is_null(array.type) or pa.types.is_large_string(array.type):
        array = array.cast(pa.string())  # words that are all empty are words
    return array


class _Layout(NamedTuple):
    """What files with the same columns have in common, and which columns are words."""

    schema: pa.Schema
    words: list[str]


@lru_cache(maxsize=64)
def _layout(table: str, names: tuple[str, ...], types: tuple[pa.DataType, ...]) -> _Layout:
    """Return one object a table and skeleton, however many clips there are."""
    pairs = list(zip(names, types, strict=True))
    schema = pa.schema([pa.field(n, kind, metadata=_said(table, n)) for n, kind in pairs])
    return _Layout(schema, [n for n, kind in pairs if not pa.types.is_primitive(kind)])


def _said(table: str, column: str) -> dict[str, str]:
    """Return what a column means; what a data set adds, the index explains."""
    own = table in TABLES and TABLES[table].find(column) is not None
    return describe(table if own else INDEX.name, column)


def _row_groups(noun: Any, name: str) -> Iterator[Columns]:
    """Yield a table in blocks of rows, each small beside the memory of any computer."""
    if isinstance(noun, Blocks):
        rows = max(_GROUP // max(noun.n_columns, 1), 1)
        yield from (columns_of(name, block) for block in noun.make(rows))
        return
    if isinstance(noun, pd.DataFrame):
        noun = {str(column): _values(values) for column, values in noun.items()}
    table = columns_of(name, noun)
    rows = max(_GROUP // max(len(table), 1), 1)
    length = len(next(iter(table.values()), ()))
    for start in range(0, max(length, 1), rows):
        part = slice(start, start + rows)
        yield table if length <= rows else {name: table[name][part] for name in table}


def _values(column: pd.Series) -> Any:
    """Return what a DataFrame holds in a column, without copying it."""
    return column.to_numpy() if isinstance(column.dtype, np.dtype) else column.array


def write_csv(noun: Any, path: Path, name: str = "") -> None:
    """Write one table as CSV, numbers to the last digit that matters, missing values empty.

    Args:
        noun: As for :func:`write_table`.
        path: File to write.
        name: Which table of the interface it is; of columns and DataFrames it need not be one.
    """
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        for block, columns in enumerate(_row_groups(noun, name)):
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


def write_in(
    formats: tuple[str, ...], noun: Any, folder: Path, name: str, single: bool = False
) -> None:
    """Write a table into a folder.

    Args:
        formats: Some of ``"parquet"`` and ``"csv"``; Parquet when neither is asked for.
        noun: What the table is made of.
        folder: An existing folder.
        name: Which table of the interface it is.
        single: Numbers of Parquet files in single precision.
    """
    small = TABLES[name].csv
    if small or "csv" in formats:
        write_csv(noun, folder / f"{name}.csv", name)
    if not small and ("parquet" in formats or "csv" not in formats):
        write_table(noun, folder / f"{name}.parquet", name, single=single)


def write_summary(summary: Mapping[str, Any], folder: Path) -> None:
    """Write ``summary.json``; the content is ready for JSON."""
    text = json.dumps(summary, ensure_ascii=False, allow_nan=False, indent=2)
    (folder / "summary.json").write_text(text + "\n", encoding="utf-8", errors="backslashreplace")
