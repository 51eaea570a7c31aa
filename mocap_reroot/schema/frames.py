"""Tables by name: as columns, as DataFrames, and what a column of theirs means."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from mocap_reroot.errors import UnknownNameError
from mocap_reroot.schema.layout import Column, Table
from mocap_reroot.schema.tables import INDEX, TABLES

if TYPE_CHECKING:
    import pandas as pd

NOT_FINITE = "not_finite"
"""The flag of a row that holds no numbers where it should."""

_EMPTY_BY_RIGHT = {
    "grf": re.compile(r"_p[xyz]$"),
    "plates": re.compile(r"_p[xyz]$"),
    "predicted": re.compile(r"_p[xyz]$"),
}
"""Columns that are empty in sound rows: a foot that pushes less than 20 N has no pressure."""
Columns: TypeAlias = Mapping[str, Any]
"""A table: arrays or sequences of equal length by the names of their columns, in order."""


@dataclass(frozen=True)
class Blocks:
    """What a table is made of some rows at a time, where nobody wants to hold it as a whole.

    Attributes:
        n_rows, n_columns: Size of the table.
        make: Takes a number of rows and yields nouns with so many of them, one after the other;
            each is good until the next is made.
    """

    n_rows: int
    n_columns: int
    make: Callable[[int], Iterator[Any]]


def columns_of(name: str, noun: Any) -> Columns:
    """Return a table as columns: of a noun, of all of its blocks in one, or those given."""
    if isinstance(noun, Blocks):
        noun = next(noun.make(max(noun.n_rows, 1)))
    found = noun if isinstance(noun, Mapping) else table(name).of(noun)
    return sound(name, found)


def data_frame(name: str, noun: Any) -> pd.DataFrame:
    """Return a table as a DataFrame of its own."""
    import pandas as pd

    return pd.DataFrame(dict(columns_of(name, noun)))


class Tables(Mapping[str, "pd.DataFrame"]):
    """DataFrames by name, made when somebody asks for one; what does not apply is not there."""

    def __init__(self, nouns: Mapping[str, Any] | None = None) -> None:
        """Take the nouns of tables, or functions that make one, None where it does not apply."""
        self._nouns = dict(nouns or {})
        self._asked: dict[str, pd.DataFrame] = {}

    def noun(self, name: str) -> Any:
        """Return what a table is made of."""
        found = self._nouns.get(name)
        return found() if callable(found) else found

    def __getitem__(self, name: str) -> pd.DataFrame:
        if name not in self._asked:
            noun = self.noun(name)
            if noun is None:
                raise KeyError(name)
            self._asked[name] = data_frame(name, noun)
        return self._asked[name]

    def __iter__(self) -> Iterator[str]:
        return (name for name in self._nouns if name in self)

    def __len__(self) -> int:
        return sum(1 for _ in self)


def table(name: str) -> Table:
    """Return a table of the interface.

    Raises:
        UnknownNameError: There is none of that name; offers names.
    """
    found = TABLES.get(name)
    if found is None:
        raise UnknownNameError("table", name, tuple(TABLES))
    return found


@cache
def describe(name: str, column: str) -> dict[str, str]:
    """Return ``unit``, ``axes`` and ``meaning`` of a column as a file has it, empty if unknown."""
    known = TABLES | {INDEX.name: INDEX}
    found = known[name].find(column) if name in known else None
    return (found or Column("", "", "", "")).said


def sound(name: str, table: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return a table without infinities, whose rows without numbers are flagged.

    Args:
        name: Which table of the interface it is.
        table: Its columns; the same object where there is nothing to mend.
    """
    mended = _mended(name, table)
    return {**table, **mended} if mended else table


def _mended(name: str, table: Mapping[str, Any]) -> dict[str, Any]:
    """Return the columns that have to change."""
    by_right, flag = _EMPTY_BY_RIGHT.get(name), table.get("flag")
    missing: Any = False
    changed: dict[str, Any] = {}
    for column, values in table.items():
        if not isinstance(values, np.ndarray) or not _is_float(values.dtype):
            continue
        if np.isfinite(values.sum()):  # a sum is if all its terms are
            continue
        infinite = np.isinf(values)
        if infinite.any():
            changed[column] = np.where(infinite, np.nan, values)
        empty = infinite if by_right and by_right.search(column) else ~np.isfinite(values)
        missing = missing | empty
    if flag is None or not np.any(missing):
        return changed
    words = np.asarray(flag, dtype=object)
    silent = missing & (words == "")
    if silent.any():
        changed["flag"] = np.where(silent, NOT_FINITE, words)
    return changed


def _is_float(dtype: Any) -> bool:
    return getattr(dtype, "kind", "") == "f"
