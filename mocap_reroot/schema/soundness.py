"""The last net: no number that is none leaves in a row that no flag marks.

Every table that is written or asked for passes here, whatever went wrong on the way to it.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

import numpy as np

NOT_FINITE = "not_finite"
"""The flag of a row that holds no numbers where it should."""

_EMPTY_BY_RIGHT = {
    "grf": re.compile(r"_p[xyz]$"),
    "plates": re.compile(r"_p[xyz]$"),
    "predicted": re.compile(r"_p[xyz]$"),
}
"""Columns that are empty in sound rows: a foot that pushes less than 20 N has no pressure."""


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
