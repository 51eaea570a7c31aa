"""Tables on disk: Parquet with a unit and a meaning for every column, or CSV."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq

from mocap_reroot.export.meaning import describe

CSV_ONLY = ("bodies", "events", "phases", "rooted_tree")
"""Small tables that are CSV whatever the format."""


def write_table(table: pd.DataFrame, path: Path, name: str) -> None:
    """Write one table as Parquet; every column carries its unit, axes and meaning.

    Args:
        table: One row a frame.
        path: File to write.
        name: Which table of the interface it is.
    """
    arrow = pa.Table.from_pandas(table, preserve_index=False)
    fields = [f.with_metadata(describe(name, f.name)) for f in arrow.schema]
    schema = pa.schema(fields, metadata=arrow.schema.metadata)
    words = [
        f.name for f in fields if pa.types.is_string(f.type) or pa.types.is_large_string(f.type)
    ]
    pq.write_table(
        pa.Table.from_arrays(arrow.columns, schema=schema),
        path,
        # Floating-point columns hardly ever repeat: a dictionary would only cost time.
        use_dictionary=words or False,
        compression="snappy",
        row_group_size=1 << 20,
        write_statistics=False,
    )


def write_csv(table: pd.DataFrame, path: Path) -> None:
    """Write one table as CSV, numbers to the last digit that matters, missing values empty."""
    safe = table.rename(columns={c: _inert(c) for c in table.columns})
    words = [c for c in safe.columns if safe[c].dtype == object or str(safe[c].dtype) == "str"]
    safe = safe.assign(**{c: safe[c].map(_inert) for c in words})
    safe.to_csv(path, index=False, lineterminator="\n")


def _inert(text: Any) -> Any:
    """Return text that no spreadsheet takes for a formula."""
    if isinstance(text, str) and text[:1] in ("=", "+", "@", "\t", "\r"):
        return f"'{text}"
    return text


def write_tables(
    tables: Mapping[str, pd.DataFrame],
    summary: Mapping[str, Any],
    folder: Path,
    formats: tuple[str, ...],
) -> None:
    """Write the tables of a clip and its ``summary.json`` into a folder.

    Args:
        tables: DataFrames by the names of the interface.
        summary: JSON-ready.
        folder: An existing folder.
        formats: Some of ``"parquet"`` and ``"csv"``; Parquet when neither is asked for.
    """
    for name, table in tables.items():
        if name in CSV_ONLY or "csv" in formats:
            write_csv(table, folder / f"{name}.csv")
        if name not in CSV_ONLY and ("parquet" in formats or "csv" not in formats):
            write_table(table, folder / f"{name}.parquet", name)
    text = json.dumps(summary, indent=2, ensure_ascii=False, allow_nan=False)
    (folder / "summary.json").write_text(text + "\n", encoding="utf-8")
