"""The rows of a BVH file: channel values, channels first, and what was wrong with them."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from mocap_reroot.errors import FileError
from mocap_reroot.kernels.text import (
    LARGEST,
    LENIENT,
    STREAM,
    STRICT,
    count_words,
    parse_even_rows,
    parse_rows,
)

_SHARE_OF_BAD_ROWS = 0.1  # above it, the hierarchy and the rows do not belong together
_SHOWN = 5
_BLANK = bytes(range(33))
_TAIL = 1 << 12
_NO_LINES = np.empty(0, dtype=np.int64)
_CHUNK = 1 << 18  # bytes looked at together: they stay in the cache


@dataclass(frozen=True, eq=False)
class Rows:
    """Channel values as they stand.

    Attributes:
        values: ``(c, F)``, NaN where a value is missing.
        missing: ``(F)`` bool, frames with a missing value.
        last_line: Line of the last row.
        unfinished: Whether no line break follows the last row.
        repairs: Sentences.
    """

    values: np.ndarray
    missing: np.ndarray
    last_line: int = 0
    unfinished: bool = False
    repairs: tuple[str, ...] = ()

    def without_last(self) -> Rows:
        """Return all rows but the last."""
        values = np.ascontiguousarray(self.values[:, :-1])
        return replace(self, values=values, missing=self.missing[:-1])


@dataclass(frozen=True, eq=False)
class _Plan:
    """How to read rows that are not all of the same length."""

    mode: int
    capacity: int
    skipped: np.ndarray
    repairs: tuple[str, ...] = ()


def read_rows(
    path: Path,
    text: np.ndarray,
    start: int,
    stop: int,
    line: int,
    channels: int,
    promised: int | None = None,
) -> Rows:
    """Read the rows of values that follow a BVH header.

    Args:
        path: The file, for messages.
        text: ``(bytes + PADDING)`` uint8, line breaks behind the last byte.
        start, stop: Where the rows are.
        line: Number of the line at ``start``.
        channels: Values in a row.
        promised: Number of rows that the file promises; believed only if it proves right.

    Raises:
        FileError: The rows do not fit the hierarchy; names the line.
    """
    last = _end_of_words(text, start, stop)
    if channels == 0 or last == start:
        note = ("The hierarchy has no channels: its rows hold nothing.",) if last > start else ()
        return Rows(np.empty((channels, 0)), np.zeros(0, dtype=bool), repairs=note)
    # A row takes at least two bytes a value: no promise and no short line can ask for more memory.
    most = (stop - start + 1) // (2 * channels) + 1
    lines = _lines(text, start, last) if promised is None or promised > most else promised
    plan = _Plan(STRICT, min(lines, most), _NO_LINES)
    values, sound, odd, state = _parse(path, text, start, stop, line, channels, plan)
    if state[4] >= 0 and lines == promised:  # more rows than promised, or an irregular one
        lines = _lines(text, start, last)
        plan = _Plan(STRICT, min(lines, most), _NO_LINES)
        values, sound, odd, state = _parse(path, text, start, stop, line, channels, plan)
    if state[4] >= 0:  # an irregular row
        plan = _plan(path, text, start, stop, line, channels, lines)
        values, sound, odd, state = _parse(path, text, start, stop, line, channels, plan)
    if values.shape[1] > state[2]:
        values = np.ascontiguousarray(values[:, : state[2]])
    repairs = list(plan.repairs) + _judge(path, text, values, odd)
    missing = _missing(values, sound)
    if missing.any():
        frames = np.flatnonzero(missing)
        shown = ", ".join(map(str, frames[:_SHOWN])) + (", …" if len(frames) > _SHOWN else "")
        repairs.append(
            f"{len(frames)} of {len(missing)} frames lack values (nan, inf or no credible "
            f"number) and were flagged: {shown}."
        )
    tail = bytes(text[max(start, stop - _TAIL) : stop])
    unfinished = bool(tail) and tail.rstrip(b" \t")[-1:] not in (b"\n", b"\r", b"")
    last_line = int(state[1]) - 1 - _trailing_breaks(tail, unfinished)
    return Rows(values, missing, last_line, unfinished, tuple(repairs))


def _end_of_words(text: np.ndarray, start: int, stop: int) -> int:
    """Return the index behind the last byte that is not white space."""
    for at in range(stop, start, -_TAIL):
        kept = text.data[max(at - _TAIL, start) : at].tobytes().rstrip(_BLANK)
        if kept:
            return max(at - _TAIL, start) + len(kept)
    return start


def _lines(text: np.ndarray, start: int, stop: int) -> int:
    """Return how many lines there are; they end with LF, CRLF or CR."""
    lines = 1
    for at in range(start, stop, _CHUNK):
        piece = text[at : min(at + _CHUNK, stop)]
        lines += int(np.count_nonzero(piece == 10))
        if b"\r" in piece.data.tobytes():
            returns = np.flatnonzero(piece == 13)
            lines += int(np.count_nonzero(text[at + returns + 1] != 10))
    return lines


def _parse(
    path: Path, text: np.ndarray, start: int, stop: int, line: int, channels: int, plan: _Plan
) -> tuple[np.ndarray, int, list[np.ndarray], np.ndarray]:
    """Return values, how many rows are known to be sound, odd words, the parser's final state."""
    values = np.empty((channels, plan.capacity))
    odd = np.empty((2 * channels + 1024, 4), dtype=np.int64)
    state = np.array([start, line, 0, 0, -1], dtype=np.int64)
    found: list[np.ndarray] = []
    sound = 0
    if plan.mode == STRICT:
        at, sound = parse_even_rows(text, start, stop, values, 0, values.shape[1])
        state[:3] = at, line + sound, sound
    while state[0] < stop and state[4] < 0:
        parse_rows(text, stop, plan.mode, plan.skipped, values, odd, state)
        if state[3] > len(odd):
            raise FileError(path, "too many words are no numbers.", line=int(odd[0, 3]))
        if state[3]:
            found.append(odd[: state[3]].copy())
    return values, sound, found, state


def _plan(
    path: Path, text: np.ndarray, start: int, stop: int, line: int, channels: int, capacity: int
) -> _Plan:
    """Decide what rows of different lengths mean."""
    where, words, numbers = (np.empty(capacity, dtype=np.int64) for _ in range(3))
    rows = int(count_words(text, start, stop, line, where, words, numbers))
    where, words, numbers = where[:rows], words[:rows], numbers[:rows]
    repairs: list[str] = []
    rubbish = 2 * numbers <= words
    if rubbish.any():
        first = where[rubbish][0]
        more = f" and {rubbish.sum() - 1} more" if rubbish.sum() > 1 else ""
        repairs.append(f"Line {first}{more}: words instead of numbers; the line was passed over.")
    skipped, where, words = where[rubbish], where[~rubbish], words[~rubbish]
    wrong = words != channels
    if not wrong.any():
        return _Plan(LENIENT, len(words), skipped, tuple(repairs))
    cut_off = words[-1] < channels and not wrong[:-1].any()
    if not cut_off and _wrapped(words, channels):
        repairs.append(
            f"Line {where[wrong][0]}: rows and lines do not coincide; every {channels} values were "
            "taken as a row."
        )
        left = int(words.sum() % channels)
        if left:
            repairs.append(
                f"Line {where[-1]}: the last row breaks off after {left} of {channels} values; "
                "it was left out."
            )
        return _Plan(STREAM, int(words.sum()) // channels + 1, skipped, tuple(repairs))
    if words[-1] < channels:
        repairs.append(
            f"Line {where[-1]}: the last row breaks off after {words[-1]} of {channels} values; "
            "it was left out."
        )
        skipped, where = np.append(skipped, where[-1]), where[:-1]
        words, wrong = words[:-1], wrong[:-1]
    if not wrong.any():
        return _Plan(LENIENT, max(len(words), 1), np.sort(skipped), tuple(repairs))
    bad = where[wrong]
    if wrong.sum() > max(1, _SHARE_OF_BAD_ROWS * len(wrong)) or len(wrong) == 1:
        found = (
            f"the row holds {words[wrong][0]} values, but the hierarchy has {channels} channels; "
            f"{wrong.sum()} of {len(wrong)} rows do not fit."
        )
        todo = "Check the CHANNELS lines, or the program that wrote the file."
        raise FileError(path, found, line=int(bad[0]), todo=todo)
    repairs += [
        f"Line {at}: {count} values instead of {channels}; the frame was left empty."
        for at, count in zip(bad[:_SHOWN], words[wrong][:_SHOWN], strict=True)
    ]
    if len(bad) > _SHOWN:
        repairs.append(f"{len(bad) - _SHOWN} more rows of the wrong length were left empty.")
    return _Plan(LENIENT, len(words), np.sort(skipped), tuple(repairs))


def _wrapped(words: np.ndarray, channels: int) -> bool:
    """Whether lines add up to rows: each row starts a line, or whole rows share one."""
    if (words % channels == 0).all():
        return True
    ends = np.cumsum(words)
    complete = ends[-1] // channels * channels
    if complete == 0:
        return False
    marks = np.arange(channels, complete + 1, channels)
    return bool(np.isin(marks, ends).all())


def _judge(path: Path, text: np.ndarray, values: np.ndarray, found: list[np.ndarray]) -> list[str]:
    """Give words that the compiled parser passed on their value, or none; say which had none."""
    unreadable: list[tuple[int, str]] = []
    for odd in found:
        for row, channel, at, line in odd.tolist():
            end = at
            while text[end] > 32:
                end += 1
            word = bytes(text[at:end]).decode("latin-1")
            try:
                value = float(word.replace("_", "?"))  # Python alone allows underscores
            except ValueError:
                value = float("nan")
                unreadable.append((line, word))
            if row < values.shape[1]:
                values[channel, row] = value
    lines = {line for line, _ in unreadable}
    if len(lines) > max(1, _SHARE_OF_BAD_ROWS * values.shape[1]):
        line, word = unreadable[0]
        found_text = f"{word[:40]!r} is not a number; {len(lines)} rows have such words."
        todo = "Numbers like -12.5 were expected"
        todo += ", apart by blanks: take the commas out." if word.endswith(",") else "."
        raise FileError(path, found_text, line=line, todo=todo)
    repairs = [f"Line {line}: {word[:40]!r} is not a number." for line, word in unreadable[:_SHOWN]]
    if len(unreadable) > _SHOWN:
        repairs.append(f"{len(unreadable) - _SHOWN} more words are no numbers.")
    return repairs


def _missing(values: np.ndarray, sound: int) -> np.ndarray:
    """Return ``(F)`` frames with a value that is not finite or not credible, and make it NaN.

    The first ``sound`` frames were read by a parser that takes no such value.
    """
    missing = np.zeros(values.shape[1], dtype=bool)
    if sound < len(missing):
        for channel in values[:, sound:]:
            wrong = ~(np.abs(channel) < LARGEST)
            channel[wrong] = np.nan
            missing[sound:] |= wrong
    return missing


def _trailing_breaks(tail: bytes, unfinished: bool) -> int:
    if unfinished:
        return 0
    blank = tail[len(tail.rstrip()) :].replace(b"\r\n", b"\n").replace(b"\r", b"\n")
    return max(blank.count(b"\n") - 1, 0)
