"""Columns: arrays ``(body, component, frame)`` to named columns, and those to DataFrames.

Inside, a table is a plain dictionary of one-dimensional arrays: views of what is there already, so
that writing a file copies nothing. A DataFrame, which copies, is made when somebody asks for one.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
import pandas as pd

_FORMULA = ("=", "+", "-", "@", "\t", "\r")
"""What a spreadsheet takes a formula to begin with."""
_SUSPECT = frozenset((*_FORMULA, "'"))

XYZ = ("x", "y", "z")
WXYZ = ("w", "x", "y", "z")

Columns = Mapping[str, np.ndarray | Sequence]
"""A table: arrays of equal length by the names of their columns, in order."""


@dataclass(frozen=True)
class Blocks:
    """A table made some rows at a time, for what nobody wants to hold as a whole.

    Attributes:
        n_rows, n_columns: Its size.
        make: Takes a number of rows and yields so many of them after the other, as columns; these
            are good until the next are made.
    """

    n_rows: int
    n_columns: int
    make: Callable[[int], Iterator[Columns]]

    def whole(self) -> Columns:
        """Return all rows in one."""
        return next(self.make(max(self.n_rows, 1)))


Made: TypeAlias = Columns | pd.DataFrame | Callable[[], Columns | None]
"""A table, or what makes it."""


def body_columns(names: Sequence[str], suffixes: Sequence[str]) -> list[str]:
    """Return ``<name>_<suffix>`` for every name and suffix, names outermost."""
    return [f"{name}_{suffix}" for name in names for suffix in suffixes]


def columns_of(
    names: Sequence[str],
    suffixes: Sequence[str],
    *arrays: np.ndarray,
    bodies: Sequence[int] | None = None,
) -> dict[str, np.ndarray]:
    """Return the columns ``<name>_<suffix>``, names outermost, as views of arrays.

    Args:
        names: ``(n)``.
        suffixes: One for every component of all arrays together.
        *arrays: Each ``(n, components, frames)`` or, for one component, ``(n, frames)``.
        bodies: Which rows of the arrays the names belong to; all by default.
    """
    whole = [a if a.ndim == 3 else a[:, None] for a in arrays]
    rows = (
        row
        for i in (range(len(names)) if bodies is None else bodies)
        for a in whole
        for row in a[i]
    )
    return dict(zip(body_columns(names, suffixes), rows, strict=True))


def data_frame(columns: Columns) -> pd.DataFrame:
    """Return columns as a DataFrame of their own."""
    return pd.DataFrame(dict(columns))


def wide(columns: Sequence[str], *arrays: np.ndarray) -> pd.DataFrame:
    """Return a DataFrame from arrays whose last axis is the frame.

    The arrays are stacked along the columns in the order given; nothing is copied for one array.
    """
    flat = [array.reshape(-1, array.shape[-1]) for array in arrays]
    block = flat[0] if len(flat) == 1 else np.concatenate(flat, axis=0)
    return pd.DataFrame(block.T, columns=list(columns), copy=False)


def beside(*tables: pd.DataFrame) -> pd.DataFrame:
    """Return tables of equal length side by side."""
    return pd.concat([t.reset_index(drop=True) for t in tables], axis=1)


class Tables(Mapping[str, pd.DataFrame]):
    """DataFrames by name, made when somebody asks for one; what does not apply is not there."""

    def __init__(self, made: Mapping[str, Made] | None = None) -> None:
        """Take tables, or what makes them: columns, or None where the table does not apply."""
        self._made: dict[str, Made] = dict(made or {})
        self._asked: dict[str, pd.DataFrame] = {}

    def columns(self, name: str) -> Columns | pd.DataFrame | None:
        """Return a table as columns, without a copy where they are there as arrays."""
        made = self._asked.get(name, self._made.get(name))
        return made() if callable(made) else made

    def replaced(self, **made: Made) -> Tables:
        """Return the same tables but for some."""
        return Tables(self._made | made)

    def __getitem__(self, name: str) -> pd.DataFrame:
        if name not in self._asked:
            found = self.columns(name)
            if found is None:
                raise KeyError(name)
            self._asked[name] = found if isinstance(found, pd.DataFrame) else data_frame(found)
        return self._asked[name]

    def __iter__(self) -> Iterator[str]:
        return (name for name in self._made if name in self)

    def __len__(self) -> int:
        return sum(1 for _ in self)


def inert(text: Any) -> Any:
    """Return text as CSV may hold it: no spreadsheet takes it for a formula."""
    suspect = isinstance(text, str) and text[:1] in _SUSPECT
    return f"'{text}" if suspect and _is_formula(text) else text


def as_meant(table: pd.DataFrame) -> pd.DataFrame:
    """Return a table read from CSV with names and texts as they were before :func:`inert`."""
    table = table.rename(columns=_meant)
    words = [c for c in table.columns if table[c].dtype.kind not in "biufc"]
    return table.assign(**{c: table[c].map(_meant) for c in words}) if words else table


def _meant(text: Any) -> Any:
    quoted = isinstance(text, str) and text.startswith("'") and _is_formula(text[1:])
    return text[1:] if quoted else text


def _is_formula(text: Any) -> bool:
    if not isinstance(text, str) or not text.lstrip("'").startswith(_FORMULA):
        return False
    try:
        return not (text.startswith("-") and float(text))  # a negative number is only that
    except ValueError:
        return True
