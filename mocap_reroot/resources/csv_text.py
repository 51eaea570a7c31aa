"""Text in CSV files, written so that no spreadsheet takes it for a formula."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import pandas as pd

_FORMULA = ("=", "+", "-", "@", "\t", "\r")
"""What a spreadsheet takes a formula to begin with."""
_SUSPECT = frozenset((*_FORMULA, "'"))


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
