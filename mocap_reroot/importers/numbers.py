"""Numbers in text files by NumPy's reader, and which values are too large to be true.

What is no number, or none that anybody measured, is NaN.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import nan

import numpy as np

LARGEST = 1e9
"""Units or degrees; no recording has more, and what has is no number to believe."""

FARTHEST = 1e7
"""File units from the origin that a marker may be: 10 km if they are millimetres."""


def parse_table(lines: Sequence[bytes], columns: int) -> np.ndarray | None:
    """Return ``(rows, columns)``; None unless every line that is not blank holds as many numbers.

    Args:
        lines: Without line breaks in them; numbers apart by blanks.
        columns: How many numbers a line should hold.
    """
    if not any(line.strip() for line in lines):
        return None
    try:
        table = np.loadtxt(lines, ndmin=2, comments=None)
    except ValueError:
        return None
    return table if table.shape[1] == columns else None


def parse_lines(lines: Sequence[bytes], columns: int) -> np.ndarray:
    """Return the numbers on every line.

    Args:
        lines: Without line breaks in them; numbers apart by blanks.
        columns: How many numbers a line should hold, at least one.

    Returns:
        ``(columns, lines)``; NaN where a word is no credible number (less than 1e9), and all along
        a line that holds fewer or more words.
    """
    table = parse_table(lines, columns)
    if table is None or len(table) != len(lines):
        table = np.full((len(lines), columns), nan)
        for row, words in enumerate(map(bytes.split, lines)):
            if len(words) == columns:
                table[row] = [number(word) for word in words]
    return credible(np.ascontiguousarray(table.T))


def credible(values: np.ndarray) -> np.ndarray:
    """Return values of which those that nobody measured, 1e9 and more, are NaN; in place."""
    values[~((values < LARGEST) & (values > -LARGEST))] = nan
    return values


def number(word: bytes) -> float:
    """Return the number that a word is, NaN if it is none."""
    try:
        return float(word.replace(b"_", b"?"))  # Python alone allows underscores
    except ValueError:
        return nan


def drop_impossible(position: np.ndarray) -> list[str]:
    """Mark impossible points as missing, in place.

    Args:
        position: ``(m, 3, F)`` file units, NaN where missing.

    Returns:
        list: A sentence if there were any.
    """
    with np.errstate(invalid="ignore"):
        bad = (np.abs(position) > FARTHEST).any(axis=1)
    if not bad.any():
        return []
    position.transpose(0, 2, 1)[bad] = np.nan
    markers, frames = bad.any(axis=1).sum(), bad.any(axis=0).sum()
    return [
        f"Coordinates beyond {FARTHEST:g} units were taken as missing: {bad.sum()} points of "
        f"{markers} markers in {frames} frames."
    ]
