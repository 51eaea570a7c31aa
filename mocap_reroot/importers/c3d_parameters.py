"""The header and the parameter section of a C3D, byte by byte, for every processor type.

Whatever a file says of itself is held against its size here, before anything is made of it.
"""

from __future__ import annotations

import struct
from dataclasses import dataclass, replace
from math import prod
from pathlib import Path
from typing import Any

import numpy as np

from mocap_reroot.errors import FileError, printable

BLOCK = 512
PROCESSORS = {84: "intel", 85: "dec", 86: "sgi"}
_KEY = 80  # second byte of the header of every C3D
_KINDS = (255, 1, 2, 4)  # text (−1), byte, 16 bit integer, float
_MOST_DIMENSIONS = 7
_MOST_POINTS = 32767
_MOST_FRAMES = 65535  # what the header's 16 bits can hold
_COUNT_UNKNOWN = (0, 255)  # the number of blocks is one byte: these values say nothing


@dataclass(frozen=True, eq=False)
class Layout:
    """What the header and the parameters of a C3D say.

    Attributes:
        processor: ``"intel"``, ``"dec"`` or ``"sgi"``.
        points: Number of points a frame.
        analog_words: Analog values a frame (channels times samples).
        first_frame, last_frame: As the header numbers them (16 bit: may have overflown).
        scale: Points are integers times ``scale`` if positive, floating point if negative.
        data_start: Byte at which the data begin.
        analog_per_frame: Analog samples a frame.
        rate: Frames per second.
        events: Header events ``(label, time in s)`` that are switched on.
        parameters: ``{group: {name: value}}``, names in upper case; texts are lists of str
            (nested as the file's dimensions are), numbers arrays in Fortran order of the file.
        doubts: Sentences about where the file bends the rules; empty when it does not.
    """

    processor: str
    points: int
    analog_words: int
    first_frame: int
    last_frame: int
    scale: float
    data_start: int
    analog_per_frame: int
    rate: float
    events: tuple[tuple[str, float], ...]
    parameters: dict[str, dict[str, Any]]
    doubts: tuple[str, ...]

    @property
    def frames(self) -> int:
        """Frames that the file states: in the header or, where 16 bits cannot hold their number,
        in the parameters that were invented for that."""
        count = self.last_frame - self.first_frame + 1
        if count > 0 and self.last_frame < _MOST_FRAMES:
            return count
        ends = [self.numbers("TRIAL", f"ACTUAL_{e}_FIELD") for e in ("START", "END")]
        if all(e is not None and e.size == 2 and np.isfinite(e).all() for e in ends):
            first, last = (float(e.flat[0] % 65536 + 65536 * (e.flat[1] % 65536)) for e in ends)  # type: ignore[union-attr]
            if last >= first:
                return int(last - first) + 1
        long = self.number("POINT", "LONG_FRAMES", self.number("POINT", "FRAMES", 0.0))
        return int(long) if np.isfinite(long) and long >= 1 else count

    @property
    def frame_size(self) -> int:
        """Bytes of a frame of points and analogs."""
        return (4 if self.scale < 0 else 2) * (4 * self.points + self.analog_words)

    def get(self, group: str, name: str, default: Any = None) -> Any:
        """Return a parameter, or the default where it is missing or empty."""
        value = self.parameters.get(group.upper(), {}).get(name.upper())
        empty = value is None or not (value.size if isinstance(value, np.ndarray) else len(value))
        return default if empty else value

    def numbers(self, group: str, name: str) -> np.ndarray | None:
        """Return a parameter if it holds numbers, else None."""
        value = self.get(group, name)
        return value if isinstance(value, np.ndarray) else None

    def number(self, group: str, name: str, default: float) -> float:
        """Return the first number of a parameter, or the default."""
        value = self.get(group, name)
        return float(value.flat[0]) if isinstance(value, np.ndarray) else default

    def texts(self, group: str, name: str) -> list[str]:
        """Return a list of texts, going on in ``NAME2``, ``NAME3`` … where the file does."""
        found = _flat_texts(self.get(group, name, []))
        k = 2
        while more := _flat_texts(self.get(group, f"{name}{k}", [])):
            found, k = found + more, k + 1
        return found


def read_layout(path: Path, data: bytes) -> Layout:
    """Decode header and parameters.

    Args:
        path: For messages.
        data: The whole file.

    Returns:
        Layout: With ``doubts`` where the file bends the rules in a way that can be read.

    Raises:
        FileError: Where it is not a C3D or is damaged beyond that.
    """
    if len(data) < 2 * BLOCK:
        raise FileError(
            path,
            f"the file has {len(data)} bytes; a C3D has a header and parameters "
            f"of at least {2 * BLOCK}.",
            todo="Export it again.",
        )
    if data[1] != _KEY:
        raise FileError(
            path,
            f"the second byte is {data[1]}; a C3D has {_KEY} there, so this is not a C3D.",
            byte=1,
        )
    base = (data[0] - 1) * BLOCK
    if not 0 < base <= len(data) - 4:
        raise FileError(
            path, f"the parameters should begin at block {data[0]}, outside the file.", byte=0
        )
    processor = PROCESSORS.get(data[base + 3])
    if processor is None:
        raise FileError(
            path,
            f"processor type {data[base + 3]} is unknown; expected 84 (Intel), 85 (DEC) "
            "or 86 (SGI/MIPS).",
            byte=base + 3,
        )
    decode = Decoder(processor)
    words = decode.integers(data[:20], unsigned=True)
    data_start = (int(words[8]) - 1) * BLOCK
    stop = _section_stop(path, data, base, data_start)
    parameters, doubts = _walk(path, data, base + 4, stop, decode)
    layout = Layout(
        processor=processor,
        points=int(words[1]),
        analog_words=int(words[2]),
        first_frame=int(words[3]),
        last_frame=int(words[4]),
        scale=float(decode.floats(data[12:16])[0]),
        data_start=data_start,
        analog_per_frame=int(words[9]),
        rate=float(decode.floats(data[20:24])[0]),
        events=_header_events(data, decode),
        parameters=parameters,
        doubts=tuple(doubts),
    )
    _check_data_section(path, data, layout)
    return replace(layout, doubts=layout.doubts + tuple(_contradictions(layout)))


def _section_stop(path: Path, data: bytes, base: int, data_start: int) -> int:
    """Return the byte at which the parameter section must have ended."""
    blocks = data[base + 2]
    if blocks not in _COUNT_UNKNOWN:
        return min(base + blocks * BLOCK, len(data))
    if base < data_start <= len(data):
        return data_start
    raise FileError(
        path,
        "neither the number of parameter blocks nor the start of the data makes sense.",
        byte=base + 2,
        todo="Export the file again.",
    )


def _walk(
    path: Path, data: bytes, at: int, stop: int, decode: Decoder
) -> tuple[dict[str, dict[str, Any]], list[str]]:
    """Follow the chain of groups and parameters from ``at``; it must end before ``stop``."""
    groups: dict[int, str] = {}
    found: dict[int, dict[str, Any]] = {}
    doubts: list[str] = []

    def fail(what: str, byte: int) -> FileError:
        return FileError(
            path,
            f"{what}; the parameter section is damaged.",
            byte=byte,
            todo="Export the file again.",
        )

    while at + 2 <= stop:
        length, number = struct.unpack("bb", data[at : at + 2])
        length = abs(length)
        if length == 0 or number == 0:
            break
        link = at + 2 + length
        if link + 4 > stop:
            raise fail("an entry runs past the end of the section", at)
        name = decode.text(data[at + 2 : link]).upper()
        step = int(decode.integers(data[link : link + 2])[0])
        end = link + step if step else stop
        if number < 0:
            groups[-number] = name
            if step and link + 3 + data[link + 2] != end:
                doubts.append(f"group {name} is not as long as it says")
        else:
            if data[link + 2] not in _KINDS or data[link + 3] > _MOST_DIMENSIONS:
                raise fail(f"parameter {name} is of no known type", at)
            value, size = _value(data, link + 2, stop, decode)
            after = link + 2 + size
            if not 0 <= step <= stop - link and after < stop:
                # A wild link behind a value that is whole (SGI files): go on after its description.
                doubts.append(f"parameter {name} points outside the section")
                end = after + 1 + data[after]
            elif after > end:
                raise fail(f"parameter {name} holds {size} bytes where {end - link - 2} fit", at)
            elif step and after == end:
                doubts.append(f"parameter {name} has no description length")
            elif step and data[after:end] and after + 1 + data[after] != end:
                doubts.append(f"parameter {name} is not as long as it says")
            found.setdefault(number, {})[name] = value
        if end > stop or step < 0:
            raise fail(f"entry {name!r} runs past the end of the section", at)
        if not step:
            break
        at = end
    else:
        raise fail("the section does not end within its stated size", stop)
    parameters: dict[str, dict[str, Any]] = {name: {} for name in groups.values()}
    for number, values in found.items():
        if number not in groups:
            doubts.append(f"{len(values)} parameters belong to group {number}, which has no name")
            continue
        parameters[groups[number]].update(values)
    if "POINT" not in parameters:
        raise fail("there is no POINT group", at)
    return parameters, doubts


def _value(data: bytes, at: int, stop: int, decode: Decoder) -> tuple[Any, int]:
    """Return a parameter's value and its size in bytes, type and dimensions included."""
    kind, n_dims = struct.unpack("bB", data[at : at + 2])
    dims = tuple(data[at + 2 : at + 2 + n_dims])
    start = at + 2 + n_dims
    size = abs(kind) * prod(dims)
    raw = data[start : min(start + size, stop)]
    used = 2 + n_dims + size
    if len(raw) < size:  # cut short: the caller sees that the sizes disagree
        return np.zeros(0), used
    if kind == -1:
        return decode.texts(raw, dims), used
    if kind == 4:
        numbers = decode.floats(raw)
    elif kind == 2:
        numbers = decode.integers(raw)
    else:
        numbers = np.frombuffer(raw, np.uint8).astype(float)
    return numbers.reshape(dims or (1,), order="F"), used


class Decoder:
    """Numbers and texts as one processor type writes them."""

    def __init__(self, processor: str) -> None:
        self.processor = processor
        self.order = ">" if processor == "sgi" else "<"

    def integers(self, raw: bytes, unsigned: bool = False) -> np.ndarray:
        """Return 16 bit integers."""
        kind = "u2" if unsigned else "i2"
        return np.frombuffer(raw[: len(raw) // 2 * 2], self.order + kind).astype(float)

    def words(self, raw: bytes, real: bool) -> np.ndarray:
        """Return a section as 32 bit numbers or 16 bit integers, not widened."""
        if not real:
            return np.frombuffer(raw[: len(raw) // 2 * 2], self.order + "i2")
        raw = raw[: len(raw) // 4 * 4]
        if self.processor == "dec":  # VAX F: words swapped, exponent larger by two
            swapped = np.frombuffer(raw, "<u2").reshape(-1, 2)[:, ::-1]
            return np.frombuffer(swapped.tobytes(), "<f4") / np.float32(4)
        return np.frombuffer(raw, self.order + "f4")

    def floats(self, raw: bytes) -> np.ndarray:
        """Return 32 bit floating-point numbers."""
        return self.words(raw, real=True).astype(float)

    def text(self, raw: bytes) -> str:
        """Return a text without its padding."""
        for encoding in ("utf-8", "latin-1"):
            try:
                return printable(raw.decode(encoding).strip(" \x00\t\r\n"))
            except UnicodeDecodeError:
                continue
        return ""

    def texts(self, raw: bytes, dims: tuple[int, ...]) -> list[Any]:
        """Return texts whose length is the first dimension, nested as the others are."""
        if not dims:
            return [self.text(raw)]
        if len(dims) == 1:
            return [self.text(raw)] if dims[0] else []
        width = dims[0]
        if not width:  # texts of no length could be any number of them
            return []
        flat: list[Any] = [
            self.text(raw[k * width : (k + 1) * width]) for k in range(prod(dims[1:]))
        ]
        for count in dims[1:-1]:
            flat = [flat[k : k + count] for k in range(0, len(flat), count)] if count else []
        return flat


def _flat_texts(value: Any) -> list[str]:
    if isinstance(value, str):
        return [value]
    if isinstance(value, np.ndarray):
        return []
    return [text for item in value for text in _flat_texts(item)]


def _header_events(data: bytes, decode: Decoder) -> tuple[tuple[str, float], ...]:
    """Return events kept in the header (words 150 to 234), which old laboratories use."""
    key, count = decode.integers(data[298:302], unsigned=True)
    if key != 0x3039 or not 0 < count <= 18:
        return ()
    times = decode.floats(data[304:376])
    shown = data[376:394]
    labels = [decode.text(data[396 + 4 * k : 400 + 4 * k]) for k in range(18)]
    return tuple((labels[k], float(times[k])) for k in range(int(count)) if shown[k] == 1)


def _contradictions(layout: Layout) -> list[str]:
    """Return sentences about parameters that contradict the header: readers trust either."""
    found = []
    stated = layout.number("POINT", "USED", layout.points)
    if stated != layout.points:
        found.append(f"the header has {layout.points} points, POINT:USED is {stated:g}")
    channels = layout.number("ANALOG", "USED", 0) * max(layout.analog_per_frame, 1)
    if channels != layout.analog_words:
        found.append(f"the header has {layout.analog_words} analog values, ANALOG has {channels:g}")
    short = {
        name: np.size(layout.get("ANALOG", name, ())) < layout.number("ANALOG", "USED", 0)
        for name in ("SCALE", "OFFSET")
    }
    found += [
        f"ANALOG:{name} does not cover all channels" for name, lacks in short.items() if lacks
    ]
    scale = layout.number("POINT", "SCALE", layout.scale)
    if not np.isfinite(scale) or np.sign(scale) != np.sign(layout.scale):
        found.append(f"the header's scale is {layout.scale:g}, POINT:SCALE is {scale:g}")
    if not layout.last_frame >= layout.first_frame:
        found.append(f"frames run from {layout.first_frame} to {layout.last_frame}")
    for group in layout.parameters:
        used = layout.number(group, "USED", 0)
        if group in ("POINT", "ANALOG", "ROTATION") and not 0 <= used <= _MOST_POINTS:
            found.append(f"{group}:USED is {used:g}")
    return found


def _check_data_section(path: Path, data: bytes, layout: Layout) -> None:
    """Refuse files whose data cannot be where the header says."""
    if not 0 < layout.data_start <= len(data):
        raise FileError(
            path, f"the data should begin at byte {layout.data_start}, outside the file.", byte=16
        )
    if layout.frames < 1:
        raise FileError(
            path,
            f"frames run from {layout.first_frame} to {layout.last_frame}; there are none.",
            byte=6,
        )
    frame, stated = layout.frame_size, layout.frames
    if not frame and "ROTATION" in layout.parameters:  # rotations alone
        return
    there = (len(data) - layout.data_start) // frame if frame else 0
    if there < stated:
        raise FileError(
            path,
            f"the header promises {stated} frames and the file holds {there}; it was cut short.",
            byte=len(data),
            todo="Copy or export it again.",
        )
