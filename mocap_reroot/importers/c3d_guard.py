"""Keep a crash or a hang of a compiled reader away from this process.

A file whose header and parameters look sane is read here. One that bends the rules is first
rewritten by the rules into a temporary copy, and then read by another process with a time limit.
Where that fails and the header makes sense, the data are decoded plainly.
"""

from __future__ import annotations

import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from typing import Literal

import numpy as np

from mocap_reroot.errors import FileError
from mocap_reroot.importers.c3d_data import C3DData, read_plainly, read_with_c3d, read_with_ezc3d
from mocap_reroot.importers.c3d_parameters import BLOCK, Layout, read_layout
from mocap_reroot.resources.scratch import scratch_folder

_WORD = 1 << 16
TIME_LIMIT = 60.0
"""s, after which a reader in another process is given up."""


def read_guarded(path: Path) -> tuple[Layout, C3DData]:
    """Return what a C3D says and holds.

    Raises:
        FileError: If it is not a C3D, is damaged, or no reader could read it.
    """
    try:
        data = path.read_bytes()
    except OSError as error:
        raise FileError(path, f"the file cannot be read ({error.strerror}).") from None
    layout = read_layout(path, data)
    frames = _frames_of_trial(layout, data)
    if frames:  # more than the header's 16 bits count, which is all that readers look at
        layout = replace(layout, last_frame=layout.first_frame + frames - 1, doubts=())
        return layout, read_plainly(data, layout)
    try:
        if layout.doubts and layout.processor == "intel":  # the other reader is pure Python
            return layout, _read_elsewhere(path, _tidied(data, layout))
        return layout, _read_here(path, layout)
    except FileError:
        nothing = layout.points == 0 or layout.last_frame < layout.first_frame
        if nothing or "ROTATION" in layout.parameters:
            raise
        return layout, read_plainly(data, layout)


def _frames_of_trial(layout: Layout, data: bytes) -> int:
    """Return how many frames TRIAL states, where they are there and more than a header counts."""
    fields = [layout.numbers("TRIAL", f"ACTUAL_{end}_FIELD") for end in ("START", "END")]
    if layout.number("ROTATION", "USED", 0) or layout.analog_words < 0:
        return 0
    bounds = [
        int(field.flat[0]) % _WORD + _WORD * (int(field.flat[1]) % _WORD)
        for field in fields
        if field is not None and field.size >= 2 and np.isfinite(field).all()
    ]
    frames = bounds[1] - bounds[0] + 1 if len(bounds) == 2 else 0
    words = 4 * layout.points + layout.analog_words
    room = (len(data) - layout.data_start) // max(words * (4 if layout.scale < 0 else 2), 1)
    return frames if _WORD <= frames <= room and layout.points else 0


def _read_here(path: Path, layout: Layout) -> C3DData:
    reader = read_with_ezc3d if layout.processor == "intel" else read_with_c3d
    try:
        return reader(path, layout)
    except Exception as error:  # readers raise whatever they like
        raise FileError(
            path,
            f"the reader gave up: {str(error).splitlines()[0][:200] or type(error).__name__}.",
            todo="Open and save the file with the program that wrote it.",
        ) from error


def _read_elsewhere(path: Path, data: bytes) -> C3DData:
    """Read a copy in another process; whatever happens there, this process goes on."""
    with scratch_folder() as folder:
        copy, result = Path(folder) / "copy.c3d", Path(folder) / "result.npz"
        copy.write_bytes(data)
        command = [sys.executable, "-m", __name__, str(copy), str(result)]
        try:
            done = subprocess.run(command, capture_output=True, timeout=TIME_LIMIT, check=False)
        except subprocess.TimeoutExpired:
            raise FileError(
                path, f"the reader did not finish within {TIME_LIMIT:g} s.", todo="Export it again."
            ) from None
        if done.returncode or not result.exists():
            lines = done.stderr.decode(errors="replace").strip().splitlines()
            reason = lines[-1][:200] if lines else f"it ended with code {done.returncode}"
            raise FileError(path, f"no reader could read it ({reason}).", todo="Export it again.")
        with np.load(result, allow_pickle=False) as arrays:
            return C3DData(arrays["points"], arrays["analog"], arrays.get("rotations"))


def _tidied(data: bytes, layout: Layout) -> bytes:
    """Return the file with its parameter section written by the rules.

    Some programs leave out the byte that gives the length of a description; readers then lose
    their way. The entries are copied with that byte, which must fit into the room before the data.
    """
    base = (data[0] - 1) * BLOCK
    order: Literal["big", "little"] = "big" if layout.processor == "sgi" else "little"
    entries = []
    at = base + 4
    while at < min(layout.data_start, len(data)) and data[at]:
        length = int.from_bytes(data[at : at + 1], signed=True)
        link = at + 2 + abs(length)
        step = int.from_bytes(data[link : link + 2], order, signed=True)
        body = data[link + 2 : link + step]
        if data[at + 1] < 128 and len(body) == _value_size(body):
            body += b"\x00"
        entries.append((data[at:link], body))
        if step <= 0:
            break
        at = link + step
    section = data[base : base + 4]
    for head, body in entries:
        section += head + (len(body) + 2).to_bytes(2, order) + body
    room = layout.data_start - base
    if len(section) + 2 > room:
        return data
    return data[:base] + section.ljust(room, b"\x00") + data[layout.data_start :]


def _value_size(body: bytes) -> int:
    """Return the bytes that type, dimensions and values of a parameter take; −1 if cut off."""
    if len(body) < 2:
        return -1
    kind = int.from_bytes(body[:1], signed=True)
    size = abs(kind)
    for extent in body[2 : 2 + body[1]]:
        size *= extent
    return 2 + body[1] + size


def _serve(source: Path, target: Path) -> None:
    """Read one file and leave the result where the parent expects it."""
    layout = read_layout(source, source.read_bytes())
    data = _read_here(source, layout)
    arrays = {name: value for name, value in vars(data).items() if value is not None}
    partial = target.with_suffix(".partial.npz")
    np.savez(partial, **arrays)
    partial.rename(target)


if __name__ == "__main__":
    _serve(Path(sys.argv[1]), Path(sys.argv[2]))
