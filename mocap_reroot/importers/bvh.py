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

import re
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from mocap_reroot.errors import FileError
from mocap_reroot.importers.bvh_header import Header, parse_header
from mocap_reroot.importers.bvh_rows import Rows, read_rows
from mocap_reroot.importers.files import read_bytes
from mocap_reroot.importers.frame_time import FALLBACK_FPS, is_frame_time, nominal_rate
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
_BEGINNING = re.compile(rb"(?:\s|#[^\r\n]*|//[^\r\n]*)*(HIERARCHY|ROOT)(?![^\s{])", re.IGNORECASE)


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
    data = _load(path, repairs)
    motion = _MOTION.search(data) or _FRAMES_WITHOUT_MOTION.search(data)
    before = data[: motion.start(1)] if motion else data
    header = parse_header(path, _decoded(before, repairs), has_motion=motion is not None)
    repairs += header.repairs
    head = _motion_head(data, motion, 1 + _breaks(before))
    repairs += head.repairs
    if motion is None:
        repairs.append(f"Line {head.line}: the file ends before MOTION; it has no frames.")
    fps, notes, warnings = _rate(head, repairs)
    n_channels = sum(len(channels or ()) for channels in header.channels)
    rows = read_rows(path, data, head.start, head.line, n_channels)
    repairs += rows.repairs
    values = rows.values
    if motion is not None:
        values = _compared_with_promise(rows, head, repairs)
    hierarchy = _hierarchy(header, values)
    missing = np.isnan(values).any(axis=0)
    return Recording(
        path=path,
        format="bvh",
        n_frames=len(missing),
        fps=fps,
        hierarchy=hierarchy,
        flags=read_only(np.where(missing, flag_code("not_finite"), 0), np.uint8),
        repairs=tuple(repairs),
        warnings=(*header.warnings, *warnings),
        notes=notes,
    )


def _load(path: Path, repairs: list[str]) -> bytes:
    """Return the file's bytes, a byte-order mark taken off, UTF-16 as UTF-8."""
    data = read_bytes(path)
    if data[:2] in (b"\xff\xfe", b"\xfe\xff"):
        try:
            data = data.decode("utf-16").encode()
        except UnicodeDecodeError as error:
            raise FileError(path, "the file begins as UTF-16 but is not.", line=1) from error
        repairs.append("Line 1: the file is in UTF-16; it was read as text all the same.")
    elif data[:3] == b"\xef\xbb\xbf":
        data = data[3:]
        repairs.append("Line 1: a byte-order mark was passed over.")
    if not _BEGINNING.match(data):
        word = _WORD.search(data)
        if word is None:
            raise FileError(path, "the file is empty.", line=1, todo="A BVH file was expected.")
        shown = repr(word.group()[:20].decode("latin-1"))
        line = 1 + _breaks(data[: word.start()])
        raise FileError(path, f"a BVH file begins with HIERARCHY; found {shown}.", line=line)
    return data


def _hierarchy(header: Header, values: np.ndarray) -> Hierarchy:
    """Return the first tree of a file with its channels; those of a second one are left out."""
    n = header.n_bodies
    channels = tuple(channels or () for channels in header.channels[:n])
    sites = sorted((s for s in header.sites if s[0] < n), key=lambda site: site[0])
    return Hierarchy(
        names=tuple(header.names[:n]),
        parents=read_only(header.parents[:n], np.int64),
        offset=read_only([offset or (0.0, 0.0, 0.0) for offset in header.offset[:n]]),
        channels=channels,
        site_body=read_only([body for body, _ in sites], np.int64),
        site_offset=read_only(np.reshape([offset for _, offset in sites], (-1, 3))),
        values=read_only(values[: sum(map(len, channels))]),
    )


def _decoded(data: bytes, repairs: list[str]) -> str:
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError as error:
        line = 1 + _breaks(data[: error.start])
        repairs.append(f"Line {line}: the text is not UTF-8; it was read as Latin-1.")
        text = data.decode("latin-1")
    return text.replace("\r\n", "\n").replace("\r", "\n")


def _motion_head(data: bytes, motion: re.Match[bytes] | None, line: int) -> _MotionHead:
    """Read ``Frames:`` and ``Frame Time:`` in any order; what comes next is the first row."""
    if motion is None:
        return _MotionHead(start=len(data), line=line)
    head, word = _MotionHead(start=motion.start(1), line=line), motion[1]
    if word.upper() == b"MOTION":
        head.start = motion.end(1)
        if word != b"MOTION":
            head.repairs.append(f"Line {head.line}: {word.decode()!r} was read as MOTION.")
    else:
        head.repairs.append(f"Line {head.line}: MOTION is missing before Frames.")
    while head.start < len(data):
        blank = _BLANK.match(data, head.start)
        if blank:
            head.line += _breaks(blank.group())
            head.start = blank.end()
        if match := _FRAME_TIME.match(data, head.start):
            head.frame_time = match[1].decode("latin-1")
            head.frame_time_line = head.line
        elif match := _FRAMES.match(data, head.start):
            head.promised = match[1].decode("latin-1")
            if not match[1].isdigit():  # what follows it in the line is no row of the motion
                match = _FRAMES_AND_MORE.match(data, head.start) or match
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


def _breaks(part: bytes) -> int:
    """Return how many line breaks a text holds; LF, CRLF or CR."""
    return part.count(b"\n") + part.count(b"\r") - part.count(b"\r\n")


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


def _compared_with_promise(rows: Rows, head: _MotionHead, repairs: list[str]) -> np.ndarray:
    """Return the values of rows that count: a last one that no line break completes is doubted.

    Says so if ``Frames:`` counts otherwise.
    """
    values, promised = rows.values, head.promised or ""
    number = int(promised) if promised.isdecimal() and len(promised) < 19 else None
    if rows.unfinished and values.shape[1]:
        line = f"Line {rows.last_line}:"
        if number is not None and number > values.shape[1]:
            repairs.append(f"{line} the file breaks off in this row; it was left out.")
            values = values[:, :-1]
        else:
            repairs.append(
                f"{line} no line break ends the last row; its last number was taken as complete."
            )
    if number != values.shape[1]:
        says = f"says {promised!r}" if promised else "is missing"
        repairs.append(f"Frames: {says}; the file has {values.shape[1]} rows, and these count.")
    return values
