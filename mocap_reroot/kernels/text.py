"""Rows of numbers in text to columns.

A row is a line with something on it. Lines end with LF, CRLF or CR; ``#`` and ``//`` at the start
of a word begin a comment. Line breaks must follow the text (``PADDING`` of them), so that no loop
needs a bound of its own. Inside, the text is known by its address (see :mod:`words`).
"""

from __future__ import annotations

import math

import numpy as np

from mocap_reroot.kernels.compiling import kernel
from mocap_reroot.kernels.decimal import PADDING, parse_number, short_number, word_length
from mocap_reroot.kernels.words import load_byte, load_word

__all__ = [
    "LARGEST",
    "LENIENT",
    "PADDING",
    "STREAM",
    "STRICT",
    "count_words",
    "parse_even_rows",
    "parse_rows",
]

STRICT, LENIENT, STREAM = 0, 1, 2
"""What to do with a row of the wrong length: stop there; leave it NaN; line breaks mean nothing."""

LARGEST = 1e9
"""Units or degrees; no recording has more, and what has is no number to believe."""

_BLOCK = 16  # rows turned into columns together, so that a cache line is written once


@kernel
def count_words(text, at, stop, line, lines, words, numbers):
    """Count the words on every line that has any, and those that look like numbers.

    Args:
        text: ``(bytes)`` uint8.
        at, stop: The range to look at.
        line: Number of the first line.
        lines, words, numbers: ``(rows)`` int64, filled.

    Returns:
        How many lines have words; comments are not words.
    """
    address = text.ctypes.data
    row, i = 0, at
    while i < stop:
        count, numeric = 0, 0
        i = _skip_blank(address, i)
        while i < stop and load_byte(address, i) > 32:
            numeric += 1 if _looks_numeric(address, i) else 0
            count += 1
            i = _skip_blank(address, _word_end(address, i))
        if count > 0:
            lines[row], words[row], numbers[row] = line, count, numeric
            row += 1
        line += 1
        i += 1
    return row


@kernel
def parse_even_rows(text, at, stop, values, row, most):
    """Read rows as most programs write them, until one is otherwise.

    Such a row holds one number below ``LARGEST`` for each channel, one blank or tab between them;
    blanks may stand before it and one behind it. :func:`parse_rows` knows what to do with all
    others.

    Args:
        text: ``(bytes)`` uint8.
        at, stop: The range to read; a row must begin there.
        values: ``(channels, capacity)``, filled from column ``row`` on.
        row, most: The first column, and behind the last one.

    Returns:
        Where the first row begins that was not read, and its column.
    """
    address = text.ctypes.data
    channels = values.shape[0]
    block = np.empty((_BLOCK, channels))
    first = row
    while at < stop and row < most:
        i = at
        while load_byte(address, i) == 32:
            i += 1
        column, end, line = 0, i, block[row - first]
        while column < channels:
            # A short number is read here, not in a call: where it ends, the next one waits for.
            low, high = load_word(address, i), load_word(address, i + 8)
            end = i + word_length(low, high)
            value = short_number(low, high, end - i)
            if value != value:
                value, end, sound = parse_number(address, i)
                if not (sound and abs(value) < LARGEST):
                    break
            line[np.uint64(column)] = value
            column += 1
            i = end + 1
            blank = load_byte(address, end)
            if blank != 32 and blank != 9:
                break
        if load_byte(address, end) == 32:
            end += 1
        if load_byte(address, end) == 13:
            end += 1
        if column < channels or load_byte(address, end) != 10:
            break
        at, row = end + 1, row + 1
        if row - first == _BLOCK:
            _flush(block, values, first, row)
            first = row
    _flush(block, values, first, row)
    return at, row


@kernel
def parse_rows(text, stop, mode, skipped, values, odd, state):
    """Read rows of numbers until the text ends, a row is irregular or ``odd`` is full.

    Args:
        text: ``(bytes)`` uint8.
        stop: Where the text ends.
        mode: ``STRICT``, ``LENIENT`` or ``STREAM``.
        skipped: ``(lines)`` int64, ascending numbers of lines that are no rows.
        values: ``(channels, capacity)``, filled column by column.
        odd: ``(m, 4)`` int64, filled with row, channel, byte and line of words that only the
            caller can judge; their values are NaN. ``m`` must exceed twice the channels.
        state: ``(5)`` int64: byte, line, rows read so far; then, on return, how many words are
            odd (in a stream perhaps more than ``m``) and, if the reading stopped at an irregular
            row, how many words it has, else −1. It goes on from there when called again.
    """
    address = text.ctypes.data
    channels, capacity = values.shape
    block = np.empty((_BLOCK, channels))
    i, line, row = state[0], state[1], state[2]
    first, found, column, skip = row, 0, 0, 0
    state[4] = -1
    while skip < len(skipped) and skipped[skip] < line:
        skip += 1
    while i < stop:
        begin, before = i, found
        if mode != STREAM:
            column = 0
        if skip < len(skipped) and skipped[skip] == line:
            skip += 1
            i = _line_end(address, i)
        i = _skip_blank(address, i)
        while load_byte(address, i) > 32:
            value, end, sound = parse_number(address, i)
            if not sound:
                end = _word_end(address, i)
                if column < channels:
                    if found < len(odd):
                        odd[found, 0], odd[found, 1] = row, column
                        odd[found, 2], odd[found, 3] = i, line
                    found += 1
            if column < channels:
                block[np.uint64(row - first), np.uint64(column)] = value
            column += 1
            i = end + 1
            following = load_byte(address, i)
            if load_byte(address, end) != 32 or following <= 35 or following == 47:
                i = _skip_blank(address, end)  # more than one blank, or perhaps a comment
            if mode == STREAM and column == channels:
                column = 0
                row += 1
                if row - first == _BLOCK:
                    _flush(block, values, first, row)
                    first = row
        if mode != STREAM and column > 0:
            if (column != channels and mode == STRICT) or row == capacity:
                state[4] = column
                i, found = begin, before
                break
            if column != channels:
                found = before
                block[row - first] = math.nan
            row += 1
            if row - first == _BLOCK:
                _flush(block, values, first, row)
                first = row
        i += 1
        line += 1
        if mode != STREAM and found + channels > len(odd):
            break
    _flush(block, values, first, row)
    state[0], state[1], state[2], state[3] = i, line, row, found


@kernel
def _flush(block, values, first, stop):
    """Write a block of rows into columns ``first`` to ``stop``."""
    for channel in range(values.shape[0]):
        for row in range(stop - first):
            values[channel, first + row] = block[row, channel]


@kernel
def _skip_blank(text, at):
    """Return the index of the next byte that is a line break or belongs to a word.

    A comment counts as blank.
    """
    i = at
    while True:
        byte = load_byte(text, i)
        if byte == 35 or (byte == 47 and load_byte(text, i + 1) == 47):
            i = _line_end(text, i)
        elif byte > 32 or byte == 10 or (byte == 13 and load_byte(text, i + 1) != 10):
            return i
        else:
            i += 1


@kernel
def _line_end(text, at):
    """Return the index of the line break that ends a line."""
    i = at
    while True:
        byte = load_byte(text, i)
        if byte == 10 or (byte == 13 and load_byte(text, i + 1) != 10):
            return i
        i += 1


@kernel
def _word_end(text, at):
    """Return the index behind a word."""
    i = at
    while load_byte(text, i) > 32:
        i += 1
    return i


@kernel
def _looks_numeric(text, at):
    """Whether a word begins and ends like a number, or is ``nan`` or ``inf``."""
    first, last = load_byte(text, at), load_byte(text, _word_end(text, at) - 1)
    if first == 43 or first == 45:
        first = load_byte(text, at + 1)
    if first | 32 == 110 or first | 32 == 105:
        _, _, sound = parse_number(text, at)
        return sound
    return (48 <= first <= 57 or first == 46) and (48 <= last <= 57 or last == 46)
