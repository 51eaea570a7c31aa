"""Lines of numbers to columns, by the compiled parser that reads BVH; what is no number is NaN."""

from __future__ import annotations

from collections.abc import Sequence
from math import nan

import numpy as np

from mocap_reroot.kernels.text import LARGEST, LENIENT, PADDING, parse_rows

_NO_LINES = np.empty(0, dtype=np.int64)


def parse_lines(lines: Sequence[bytes], columns: int) -> np.ndarray:
    """Return the numbers on every line.

    Args:
        lines: Without line breaks in them; numbers apart by blanks.
        columns: How many numbers a line should hold, at least one.

    Returns:
        ``(columns, lines)``; NaN where a word is no credible number (less than 1e9), and all along
        a line that holds fewer or more words.
    """
    data = b"\n".join(lines)
    values = np.full((columns, len(lines)), nan)
    text = np.frombuffer(data + b"\n" * PADDING, dtype=np.uint8)
    odd = np.empty((2 * columns + 1024, 4), dtype=np.int64)
    state = np.array([0, 1, 0, 0, -1], dtype=np.int64)
    while state[0] < len(data) and state[4] < 0:
        parse_rows(text, len(data), LENIENT, _NO_LINES, values, odd, state)
        for row, column, at, _ in odd[: state[3]].tolist():
            values[column, row] = number(data[at : at + 400].split()[0])
    if state[2] != len(lines):  # a line without words, or a comment, is no row to the parser
        values = _one_by_one(lines, columns)
    with np.errstate(invalid="ignore"):
        values[~(np.abs(values) < LARGEST)] = nan
    return values


def _one_by_one(lines: Sequence[bytes], columns: int) -> np.ndarray:
    values = np.full((columns, len(lines)), nan)
    for row, line in enumerate(lines):
        words = line.split()
        if len(words) == columns:
            values[:, row] = [number(word) for word in words]
    return values


def number(word: bytes) -> float:
    """Return the number that a word is, NaN if it is none."""
    try:
        return float(word.replace(b"_", b"?"))  # Python alone allows underscores
    except ValueError:
        return nan
