"""The rows of a BVH file: channel values, channels first, and what was wrong with them."""

from __future__ import annotations

import re
from dataclasses import dataclass
from math import nan
from pathlib import Path

import numpy as np

from mocap_reroot.errors import FileError
from mocap_reroot.importers.numbers import credible, number, parse_table

_SHARE_OF_BAD_ROWS = 0.1  # above it, the hierarchy and the rows do not belong together
_SHOWN = 5
_COMMENT = re.compile(rb"(?:(?<=\s)|^)(?:#|//).*")
_BLANKS = bytes.maketrans(bytes(range(33)), b" " * 33)
_NUMERIC = re.compile(rb"[-+]?(?:[\d.](?:.*[\d.])?|nan|inf(?:inity)?)", re.IGNORECASE)


@dataclass(frozen=True, eq=False)
class Rows:
    """Channel values as they stand.

    Attributes:
        values: ``(c, F)``, NaN where a value is missing.
        last_line: Line of the last row.
        unfinished: Whether no line break follows the last row.
        repairs: Sentences.
    """

    values: np.ndarray
    last_line: int = 0
    unfinished: bool = False
    repairs: tuple[str, ...] = ()


@dataclass(frozen=True, eq=False)
class _Lines:
    """Lines with something on them.

    Attributes:
        at: ``(k)`` their numbers in the file.
        text: ``(k)``, comments taken out.
        counts: ``(k)`` words on each.
    """

    at: np.ndarray
    text: list[bytes]
    counts: np.ndarray

    def chosen(self, mask: np.ndarray) -> _Lines:
        """Return some of them, ``(k)`` bool."""
        text = [line for line, use in zip(self.text, mask.tolist(), strict=True) if use]
        return _Lines(self.at[mask], text, self.counts[mask])


def read_rows(path: Path, data: bytes, start: int, line: int, channels: int) -> Rows:
    """Read the rows of values that follow a BVH header.

    Args:
        path: The file, for messages.
        data: All of it.
        start: Where the rows begin.
        line: Number of the line there.
        channels: Values in a row.

    Raises:
        FileError: The rows do not fit the hierarchy; names the line.
    """
    lines = data[start:].splitlines()  # LF, CRLF or CR
    while lines and not lines[-1].strip():
        lines.pop()
    if channels == 0 or not lines:
        note = ("The hierarchy has no channels: its rows hold nothing.",) if lines else ()
        return Rows(np.empty((channels, 0)), repairs=note)
    last_line = line + len(lines) - 1
    repairs: list[str] = []
    table = parse_table(lines, channels)
    if table is None:
        table = _irregular(path, _with_words(lines, line), channels, repairs)
    del lines  # as large as the file
    values = credible(np.ascontiguousarray(table.T))
    missing = np.flatnonzero(np.isnan(values).any(axis=0))
    if len(missing):
        shown = ", ".join(map(str, missing[:_SHOWN])) + (", …" if len(missing) > _SHOWN else "")
        repairs.append(
            f"{len(missing)} of {len(table)} frames lack values (nan, inf or no credible "
            f"number) and were flagged: {shown}."
        )
    unfinished = data.rstrip(b" \t")[-1:] not in (b"\n", b"\r")
    return Rows(values, last_line, unfinished, tuple(repairs))


def _with_words(lines: list[bytes], first: int) -> _Lines:
    """Return the lines that are not blank; every control character counts as a blank."""
    text = [_COMMENT.sub(b"", line.translate(_BLANKS)) for line in lines]
    counts = np.array([len(line.split()) for line in text])
    return _Lines(np.arange(first, first + len(text)), text, counts).chosen(counts > 0)


def _is_rubbish(line: bytes) -> bool:
    """Whether at least half of the words are no numbers."""
    words = line.split()
    return 2 * sum(_NUMERIC.fullmatch(word) is not None for word in words) <= len(words)


def _irregular(path: Path, lines: _Lines, channels: int, repairs: list[str]) -> np.ndarray:
    """Return ``(F, c)``: decide what rows of different lengths mean, and read them."""
    if (lines.counts == channels).all():
        return _numbers(path, lines, channels, repairs)
    rubbish = np.array([_is_rubbish(line) for line in lines.text], bool)
    if rubbish.any():
        more = f" and {rubbish.sum() - 1} more" if rubbish.sum() > 1 else ""
        at = lines.at[rubbish][0]
        repairs.append(f"Line {at}{more}: words instead of numbers; the line was passed over.")
        lines = lines.chosen(~rubbish)
    wrong = lines.counts != channels
    if not wrong.any():
        return _numbers(path, lines, channels, repairs)
    cut_off = lines.counts[-1] < channels
    if not (cut_off and not wrong[:-1].any()) and _wrapped(lines.counts, channels):
        repairs.append(
            f"Line {lines.at[wrong][0]}: rows and lines do not coincide; every {channels} values "
            "were taken as a row."
        )
        left = int(lines.counts.sum()) % channels
        if left:
            repairs.append(_breaks_off(lines, left, channels))
        return _numbers(path, lines, channels, repairs, stream=True)
    if cut_off:
        repairs.append(_breaks_off(lines, lines.counts[-1], channels))
        lines, wrong = lines.chosen(np.arange(len(wrong)) < len(wrong) - 1), wrong[:-1]
    bad, counts = lines.at[wrong], lines.counts[wrong]
    if len(bad) > max(1, _SHARE_OF_BAD_ROWS * len(wrong)) or len(bad) == len(wrong) == 1:
        raise FileError(
            path,
            f"the row holds {counts[0]} values, but the hierarchy has {channels} channels; "
            f"{len(bad)} of {len(wrong)} rows do not fit.",
            line=int(bad[0]),
            todo="Check the CHANNELS lines, or the program that wrote the file.",
        )
    repairs += [
        f"Line {at}: {count} values instead of {channels}; the frame was left empty."
        for at, count in zip(bad[:_SHOWN], counts[:_SHOWN], strict=True)
    ]
    if len(bad) > _SHOWN:
        repairs.append(f"{len(bad) - _SHOWN} more rows of the wrong length were left empty.")
    return _numbers(path, lines, channels, repairs)


def _breaks_off(lines: _Lines, count: int, channels: int) -> str:
    return (
        f"Line {lines.at[-1]}: the last row breaks off after {count} of {channels} values; "
        "it was left out."
    )


def _wrapped(counts: np.ndarray, channels: int) -> bool:
    """Whether lines add up to rows: each row starts a line, or whole rows share one."""
    if (counts % channels == 0).all():
        return True
    ends = np.cumsum(counts)
    marks = np.arange(channels, ends[-1] + 1, channels)
    return len(marks) > 0 and bool(np.isin(marks, ends).all())


def _numbers(
    path: Path, lines: _Lines, channels: int, repairs: list[str], stream: bool = False
) -> np.ndarray:
    """Return ``(F, c)``, NaN for lines of another length and for words without a value.

    Args:
        path: The file, for messages.
        lines: A row each, or in a ``stream``, in which line breaks mean nothing, any part of it.
        channels: Values in a row.
        repairs: Words that are no numbers are told there.
        stream: See above.
    """
    rows = int(lines.counts.sum()) // channels if stream else len(lines.text)
    flat, row = np.full(rows * channels, nan), 0
    unreadable: list[tuple[int, bytes]] = []
    for at, line in zip(lines.at.tolist(), lines.text, strict=True):
        words = line.split()
        if stream or len(words) == channels:
            values = [number(word) for word in words]
            flat[row : row + len(values)] = values[: len(flat) - row]
            unreadable += [
                (at, word)
                for word, value in zip(words, values, strict=True)
                if value != value and word.lower().lstrip(b"+-") != b"nan"
            ]
        row += len(words) if stream else channels
    shown = [(at, repr(word[:40].decode("latin-1"))) for at, word in unreadable[:_SHOWN]]
    count = len({at for at, _ in unreadable})
    if count > max(1, _SHARE_OF_BAD_ROWS * rows):
        todo = "Numbers like -12.5 were expected"
        todo += ", apart by blanks: take the commas out." if unreadable[0][1][-1:] == b"," else "."
        found = f"{shown[0][1]} is not a number; {count} rows have such words."
        raise FileError(path, found, line=shown[0][0], todo=todo)
    repairs += [f"Line {at}: {word} is not a number." for at, word in shown]
    if len(unreadable) > _SHOWN:
        repairs.append(f"{len(unreadable) - _SHOWN} more words are no numbers.")
    return flat.reshape(rows, channels)
