"""BVH: a hierarchy and rows of channel values, in the many dialects that programs write.

Line endings, tabs, blank lines and the layout of words are read as they come. Whatever else
departs from the format is either repaired, with a sentence in ``Recording.repairs``, or refused
with a :class:`FileError` that names the line:

- the rows that are there count, whatever ``Frames:`` promises, and memory follows the file's bytes;
- a last row that is cut off is left out; so is one without a line break behind it when ``Frames:``
  promises more, for its last number may be cut short;
- rows wrapped over several lines (or several on one) are put together again if they come out even;
- any other row of the wrong length keeps its place as an empty frame, flagged ``not_finite`` like
  rows with ``nan`` or ``inf``; if more than one row in ten is so, the file is refused;
- of two ROOTs the first is read.
"""

from __future__ import annotations

import os
import re
from dataclasses import dataclass, field, replace
from functools import lru_cache
from pathlib import Path

import numpy as np

from mocap_reroot.errors import FileError
from mocap_reroot.importers.bvh_header import parse_header
from mocap_reroot.importers.bvh_rows import Rows, read_rows
from mocap_reroot.importers.frame_time import FALLBACK_FPS, is_frame_time, nominal_rate
from mocap_reroot.kernels.text import PADDING
from mocap_reroot.types import Hierarchy, Recording, flag_code, read_only

_MOTION = re.compile(rb"(?:^|[\r\n}])[ \t]*(MOTION)(?![^\s])", re.IGNORECASE)
_FRAMES_WITHOUT_MOTION = re.compile(rb"(?:^|[\r\n}])[ \t]*(Frames[ \t]*:)", re.IGNORECASE)
_BLANK = re.compile(rb"(?:\s+|#[^\r\n]*|//[^\r\n]*)+")
_FRAMES = re.compile(rb"Frames[ \t]*:?[ \t]*([^\s]*)", re.IGNORECASE)
_FRAMES_AND_MORE = re.compile(
    rb"Frames[ \t]*:?[ \t]*([^\r\n]*?)(?=Frame[ \t]*Time|[\r\n]|$)", re.IGNORECASE
)
_FRAME_TIME = re.compile(rb"Frame[ \t]*Times?[ \t]*:?[ \t]*([^\s]*)", re.IGNORECASE)
_WORD = re.compile(rb"[^\x00-\x20]+")
_USUAL = 1 << 15  # bytes within which a hierarchy usually ends
_KEPT = 1 << 20  # bytes from which it is not worth remembering
_BEGINNING = re.compile(rb"(?:\s|#[^\r\n]*|//[^\r\n]*)*(HIERARCHY|ROOT)(?![^\s{])", re.IGNORECASE)


@dataclass(frozen=True, eq=False)
class _Top:
    """What stands before ``MOTION``; the clips of a data set share it.

    Attributes:
        hierarchy: Without values.
        n_channels: Values in a row, those of a second tree too.
        line: Number of the line behind it.
        repairs, warnings: Sentences.
    """

    hierarchy: Hierarchy
    n_channels: int
    line: int
    repairs: tuple[str, ...]
    warnings: tuple[str, ...]


@dataclass
class _MotionHead:
    """What stands between ``MOTION`` and the first row."""

    start: int = 0
    line: int = 0
    promised: str | None = None
    frame_time: str | None = None
    frame_time_line: int | None = None
    repairs: list[str] = field(default_factory=list)


def read_bvh(path: str | Path) -> Recording:
    """Read a BVH file as it stands: file units, degrees, double precision.

    Args:
        path: The file.

    Returns:
        A recording with a hierarchy; ``flags`` marks frames with missing values.

    Raises:
        FileError: The file cannot be understood; names the line.
    """
    path = Path(path)
    repairs: list[str] = []
    text, size = _load(path, repairs)
    view = text.data
    motion = _find_motion(view, size)
    stop = motion.start(1) if motion else size
    top = _top(path, bytes(view[:stop]), motion is not None)
    repairs += top.repairs
    head = _motion_head(view, motion, size, top.line)
    repairs += head.repairs
    if motion is None:
        repairs.append(f"Line {head.line}: the file ends before MOTION; it has no frames.")
    fps, notes, warnings = _rate(head, repairs)
    rows = read_rows(path, text, head.start, size, head.line, top.n_channels, _promised(head))
    repairs += rows.repairs
    if motion is not None:
        rows = _compare_with_promise(rows, head, repairs)
    return _recording(path, top, rows, fps, notes, repairs, warnings)


def _load(path: Path, repairs: list[str]) -> tuple[np.ndarray, int]:
    """Return the file's bytes with line breaks behind them, and their number without these."""
    try:
        with path.open("rb") as file:
            size = os.fstat(file.fileno()).st_size
            text = np.empty(size + PADDING, np.uint8)  # not fresh: needed once, and then gone
            size = file.readinto(text.data[:size])
    except OSError as error:
        reason = error.strerror or str(error)
        raise FileError(path, f"the file cannot be read: {reason}.") from error
    text[size:] = 10
    start = bytes(text[: min(size, 4)])
    if start[:2] in (b"\xff\xfe", b"\xfe\xff"):
        try:
            text, size = _padded(bytes(text[:size]).decode("utf-16").encode())
        except UnicodeDecodeError as error:
            raise FileError(path, "the file begins as UTF-16 but is not.", line=1) from error
        repairs.append("Line 1: the file is in UTF-16; it was read as text all the same.")
    elif start[:3] == b"\xef\xbb\xbf":
        text[:3] = 32
        repairs.append("Line 1: a byte-order mark was passed over.")
    if not _BEGINNING.match(text.data, 0, size):
        word = _WORD.search(text.data, 0, size)
        if word is None:
            raise FileError(path, "the file is empty.", line=1, todo="A BVH file was expected.")
        shown = repr(word.group()[:20].decode("latin-1"))
        line = 1 + _lines(text.data, 0, word.start())
        raise FileError(path, f"a BVH file begins with HIERARCHY; found {shown}.", line=line)
    return text, size


def _find_motion(view: memoryview, size: int) -> re.Match[bytes] | None:
    """Return where the motion begins, if it does."""
    start = bytes(view[: min(size, _USUAL)])
    word = start.upper().find(b"MOTION")  # looking for the word first is ten times as fast
    first = len(start[:word].rstrip(b" \t")) - 1 if word > 0 else 0
    found = _MOTION.search(view, max(first, 0), size)
    return found or _FRAMES_WITHOUT_MOTION.search(view, 0, size)


def _top(path: Path, data: bytes, has_motion: bool) -> _Top:
    known = _known_top if len(data) < _KEPT else _known_top.__wrapped__
    try:
        return known(data, has_motion)
    except FileError:
        parse_header(path, _decoded(data, []), has_motion=has_motion)  # again, to name the file
        raise


@lru_cache(maxsize=16)  # the clips of a data set share their skeleton
def _known_top(data: bytes, has_motion: bool) -> _Top:
    repairs: list[str] = []
    header = parse_header(Path(), _decoded(data, repairs), has_motion=has_motion)
    n = header.n_bodies
    channels = tuple(channels or () for channels in header.channels)
    sites = sorted((s for s in header.sites if s[0] < n), key=lambda site: site[0])
    hierarchy = Hierarchy(
        names=tuple(header.names[:n]),
        parents=read_only(header.parents[:n], np.int64),
        offset=read_only([offset or (0.0, 0.0, 0.0) for offset in header.offset[:n]]),
        channels=channels[:n],
        site_body=read_only([body for body, _ in sites], np.int64),
        site_offset=read_only(np.reshape([offset for _, offset in sites], (-1, 3))),
        values=read_only(np.empty((sum(map(len, channels[:n])), 0))),
    )
    return _Top(
        hierarchy,
        sum(map(len, channels)),
        1 + _lines(data, 0, len(data)),
        (*repairs, *header.repairs),
        tuple(header.warnings),
    )


def _padded(text: bytes) -> tuple[np.ndarray, int]:
    return np.frombuffer(bytearray(text + b"\n" * PADDING), dtype=np.uint8), len(text)


def _decoded(data: bytes, repairs: list[str]) -> str:
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError as error:
        line = 1 + _lines(data, 0, error.start)
        repairs.append(f"Line {line}: the text is not UTF-8; it was read as Latin-1.")
        text = data.decode("latin-1")
    return text.replace("\r\n", "\n").replace("\r", "\n")


def _motion_head(
    view: memoryview, motion: re.Match[bytes] | None, size: int, line: int
) -> _MotionHead:
    """Read ``Frames:`` and ``Frame Time:`` in any order; what comes next is the first row."""
    at = motion.start(1) if motion is not None else size
    head = _MotionHead(start=at, line=line)
    if motion is None:
        return head
    word = bytes(view[at : motion.end(1)])
    if word.upper() == b"MOTION":
        head.start = motion.end(1)
        if word != b"MOTION":
            head.repairs.append(f"Line {head.line}: {word.decode()!r} was read as MOTION.")
    else:
        head.repairs.append(f"Line {head.line}: MOTION is missing before Frames.")
    while head.start < size:
        blank = _BLANK.match(view, head.start, size)
        if blank:
            head.line += _lines(view, *blank.span())
            head.start = blank.end()
        if match := _FRAME_TIME.match(view, head.start, size):
            head.frame_time = match[1].decode("latin-1")
            head.frame_time_line = head.line
        elif match := _FRAMES.match(view, head.start, size):
            head.promised = match[1].decode("latin-1")
            if not match[1].isdigit():  # what follows it in the line is no row of the motion
                match = _FRAMES_AND_MORE.match(view, head.start, size) or match
                head.promised = match[1].decode("latin-1").strip()
        else:
            break
        word = match.group().split(b":")[0].rstrip()
        if not word.startswith(b"Frame") or b"time" in word:
            shown = word.decode("latin-1")
            head.repairs.append(f"Line {head.line}: {shown!r} is in unusual case.")
        if word.lower().endswith(b"times"):
            shown = word.decode("latin-1")
            head.repairs.append(f"Line {head.line}: {shown!r} was read as Frame Time.")
        head.start = match.end()
    return head


def _lines(view: memoryview | bytes, start: int, stop: int) -> int:
    """Return how many line breaks a range holds; LF, CRLF or CR."""
    part = bytes(view[start:stop])
    breaks = part.count(b"\n")
    return breaks + part.count(b"\r") - part.count(b"\r\n") if b"\r" in part else breaks


def _rate(head: _MotionHead, repairs: list[str]) -> tuple[float, dict[str, str], list[str]]:
    """Return the frames per second, a note on them, and warnings."""
    if head.frame_time is None or not is_frame_time(head.frame_time):
        found = "Frame Time is missing"
        if head.frame_time is not None:
            found = f"Line {head.frame_time_line}: Frame Time is {head.frame_time!r}"
        text = f"{found}; {FALLBACK_FPS:g} frames per second were assumed. See --rate."
        repairs.append(text)
        return FALLBACK_FPS, {"assumed_rate": text}, [text]
    fps = nominal_rate(head.frame_time)
    note = f"Line {head.frame_time_line}: Frame Time {head.frame_time} s is {fps:.10g} frames/s."
    warnings = []
    if fps <= 1:
        warnings.append(f"{note} So slow a recording is unusual; it was taken as it stands.")
    return fps, {"frame_time": note}, warnings


def _promised(head: _MotionHead) -> int | None:
    """Return the number of rows that ``Frames:`` promises, if it is a number."""
    word = head.promised or ""
    return int(word) if word.isdecimal() and len(word) < 19 else None


def _compare_with_promise(rows: Rows, head: _MotionHead, repairs: list[str]) -> Rows:
    """Say so if ``Frames:`` counts otherwise; doubt a last row that no line break completes."""
    found = rows.values.shape[1]
    promised, number = head.promised or "", _promised(head)
    if rows.unfinished and found:
        if number is not None and number > found:
            repairs.append(
                f"Line {rows.last_line}: the file breaks off in this row; it was left out."
            )
            rows = rows.without_last()
            found -= 1
        else:
            repairs.append(
                f"Line {rows.last_line}: no line break ends the last row; its last number was "
                "taken as complete."
            )
    if number != found:
        says = f"says {promised!r}" if promised else "is missing"
        repairs.append(f"Frames: {says}; the file has {found} rows, and these count.")
    return rows


def _recording(
    path: Path,
    top: _Top,
    rows: Rows,
    fps: float,
    notes: dict[str, str],
    repairs: list[str],
    warnings: list[str],
) -> Recording:
    used = len(top.hierarchy.values)
    hierarchy = replace(top.hierarchy, values=read_only(rows.values[:used]))
    flags = np.zeros(hierarchy.values.shape[1], dtype=np.uint8)
    flags[rows.missing[: len(flags)]] = flag_code("not_finite")
    return Recording(
        path=path,
        format="bvh",
        n_frames=len(flags),
        fps=fps,
        hierarchy=hierarchy,
        flags=read_only(flags, np.uint8),
        repairs=tuple(repairs),
        warnings=(*top.warnings, *warnings),
        notes=notes,
    )
