"""The tables, as ``tables.toml`` has them: file, rows, columns, and attributes that hold values."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import Any

from mocap_reroot.resources.package_data import read_toml
from mocap_reroot.schema.layout import Column, Each, Table

Part = Column | Each


def _part(entry: Any) -> Part:
    """Return a column, or those of every body, as written."""
    if isinstance(entry, list):
        return Column(*entry)
    columns = tuple(Column(*column) for column in entry["columns"])
    return Each(entry["each"], columns, entry.get("rows", ""))


def _saying(part: Part, more: str) -> Part:
    """Return the same columns with something added to their meaning."""
    if isinstance(part, Each):
        columns = (replace(c, meaning=c.meaning + more) for c in part.columns)
        return replace(part, columns=tuple(columns))
    return replace(part, meaning=part.meaning + more)


def _read() -> dict[str, Table]:
    content = read_toml("schema", "tables.toml")
    own: dict[str, tuple[Part, ...]] = {}
    made: dict[str, Table] = {}
    for name, entry in content["table"].items():
        stem = f"{of}." if (of := entry.pop("of", "")) else ""
        head: list[Part] = [
            Column(column, unit, axes, meaning, stem + path)
            for column in entry.pop("head", ())
            for unit, axes, meaning, path in [content["head"][column]]
        ]
        like, more = entry.pop("like", ""), entry.pop("more", "")
        written = tuple(map(_part, entry.pop("columns", ())))
        own[name] = tuple(_saying(part, more) for part in own[like]) if like else written
        made[name] = Table(name, parts=(*head, *own[name]), **{"noun": "", **entry})
    return made


TABLES: dict[str, Table] = _read()
"""Every table of a clip's folder by name, in the order of the reference."""
INDEX = TABLES.pop("index")
"""``index.parquet`` of a batch; the first columns are always there, those with a ``<`` may be."""


def _names(tables: Iterable[Table]) -> tuple[str, ...]:
    return (*(table.name for table in tables), "summary")


WRITTEN = _names(table for table in TABLES.values() if not table.asked)
"""What ``--tables all`` means."""
CORE = _names(table for table in TABLES.values() if table.core)
"""What ``--tables core`` means."""
