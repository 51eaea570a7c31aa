"""Tables on disk: Parquet with a unit and a meaning for every column, or CSV."""

from __future__ import annotations

import csv
import json
from collections.abc import Mapping
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq

from mocap_reroot.columns import Columns, inert
from mocap_reroot.export.meaning import describe

CSV_ONLY = ("bodies", "events", "phases", "rooted_tree")
"""Small tables that are CSV whatever the format."""


def write_table(table: Columns | pd.DataFrame, path: Path, name: str) -> None:
    """Write one table as Parquet; every column carries its unit, axes and meaning.

    Args:
        table: One row a frame; NaN is written as an empty value.
        path: File to write.
        name: Which table of the interface it is.
    """
    # Straight from the arrays: by way of a DataFrame it takes three times as long.
    arrays = [_arrow(column) for _, column in table.items()]
    schema = _schema(name, tuple(map(str, table)), tuple(array.type for array in arrays))
    pq.write_table(
        pa.Table.from_arrays(arrays, schema=schema),
        path,
        # Floating-point columns hardly ever repeat: a dictionary would only cost time.
        use_dictionary=[f.name for f in schema if pa.types.is_string(f.type)] or False,
        compression="snappy",
        row_group_size=1 << 20,
        write_statistics=False,
    )


def _arrow(column: Any) -> pa.Array:
    """Return a column as an Arrow array, without copying numbers; NaN is empty."""
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


def write_csv(table: Columns | pd.DataFrame, path: Path) -> None:
    """Write one table as CSV, numbers to the last digit that matters, missing values empty."""
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow([inert(str(name)) for name in table])
        writer.writerows(zip(*(_cells(column) for _, column in table.items()), strict=True))


def _cells(column: Any) -> list[Any]:
    """Return a column as plain values that look in CSV as they should."""
    array = np.asarray(column)
    if array.dtype.kind == "f" and not np.isnan(array).any():
        return array.tolist()
    if array.dtype.kind in "iub":
        return array.tolist()
    return ["" if _missing(value) else inert(value) for value in array.tolist()]


def _missing(value: Any) -> bool:
    return value is None or value is pd.NA or value != value  # NaN is the only one that differs


def write_tables(
    tables: Mapping[str, Columns | pd.DataFrame], folder: Path, formats: tuple[str, ...]
) -> None:
    """Write the tables of a clip into a folder.

    Args:
        tables: Columns or DataFrames by the names of the interface.
        folder: An existing folder.
        formats: Some of ``"parquet"`` and ``"csv"``; Parquet when neither is asked for.
    """
    for name, table in tables.items():
        if name in CSV_ONLY or "csv" in formats:
            write_csv(table, folder / f"{name}.csv")
        if name not in CSV_ONLY and ("parquet" in formats or "csv" not in formats):
            write_table(table, folder / f"{name}.parquet", name)


def write_summary(summary: Mapping[str, Any], folder: Path) -> None:
    """Write ``summary.json``; the content is ready for JSON."""
    text = json.dumps(summary, indent=2, ensure_ascii=False, allow_nan=False)
    (folder / "summary.json").write_text(text + "\n", encoding="utf-8")
