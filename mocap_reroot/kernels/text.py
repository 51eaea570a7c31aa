"""Rows of numbers in text to columns, byte by byte.

A row is a line with something on it. Lines end with LF, CRLF or CR; ``#`` and ``//`` at the start
of a word begin a comment. The text must end with a line break, so that no loop needs a bound of
its own.
"""

from __future__ import annotations

import math

import numpy as np

from mocap_reroot.kernels.compiling import kernel
from mocap_reroot.kernels.decimal import parse_number

STRICT, LENIENT, STREAM = 0, 1, 2
"""What to do with a row of the wrong length: stop there; leave it NaN; line breaks mean nothing."""

_BLOCK = 16  # rows turned into columns together, so that a cache line is written once


@kernel
def skip_blank(text, at):
    """Return the index of the next byte that is a line break or belongs to a word.

    A comment counts as blank.
    """
    i = at
    while True:
        byte = text[i]
        if byte == 35 or (byte == 47 and text[i + 1] == 47):
            while text[i] != 10 and text[i] != 13:
                i += 1
        elif byte > 32 or byte == 10 or (byte == 13 and text[i + 1] != 10):
            return i
        else:
            i += 1


@kernel
def count_rows(text, at, stop):
    """Return how many lines have something on them."""
    rows, filled = 0, False
    for i in range(at, stop):
        byte = text[i]
        if byte > 32:
            filled = True
        elif (byte == 10 or byte == 13) and filled:
            rows += 1
            filled = False
    return rows + (1 if filled else 0)


@kernel
def count_words(text, at, stop, line, lines, words, numbers):
    """Count the words on every line that has any, and those that look like numbers.

    Args:
        text, at, stop: The bytes and the range to look at.
        line: Number of the first line.
        lines, words, numbers: ``(rows)`` int64, filled.

    Returns:
        How many lines have words; comments are not words.
    """
    row, i = 0, at
    while i < stop:
        count, numeric = 0, 0
        i = skip_blank(text, i)
        while i < stop and text[i] > 32:
            byte = text[i]
            lower = byte | 32
            if 48 <= byte <= 57 or byte == 43 or byte == 45 or byte == 46:
                numeric += 1
            elif lower == 110 or lower == 105:
                _, _, sound = parse_number(text, i)
                numeric += 1 if sound else 0
            count += 1
            while text[i] > 32:
                i += 1
            i = skip_blank(text, i)
        if count > 0:
            lines[row], words[row], numbers[row] = line, count, numeric
            row += 1
        line += 1
        i += 1
    return row


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
    channels = values.shape[0]
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
            while text[i] != 10 and not (text[i] == 13 and text[i + 1] != 10):
                i += 1
        i = skip_blank(text, i)
        while text[i] > 32:
            value, end, sound = parse_number(text, i)
            if not sound:
                while text[end] > 32:
                    end += 1
                if column < channels:
                    if found < len(odd):
                        odd[found, 0], odd[found, 1] = row, column
                        odd[found, 2], odd[found, 3] = i, line
                    found += 1
            if column < channels:
                block[row - first, column] = value
            column += 1
            i = skip_blank(text, end)
            if mode == STREAM and column == channels:
                column = 0
                row += 1
                if row - first == _BLOCK:
                    _flush(block, values, first, row)
                    first = row
        if mode != STREAM and column > 0:
            if column != channels:
                found = before
                if mode == STRICT:
                    state[4] = column
                    i = begin
                    break
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
