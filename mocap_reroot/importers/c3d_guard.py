"""A C3D, decoded here, or by a compiled reader that cannot harm this process.

The bytes are decoded by ``c3d_data``, which makes nothing that the file's size does not bear out.
What it cannot make sense of is left to ezc3d, which has crashed and hung on such files: in another
process with a time limit.
"""

from __future__ import annotations

import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np

from mocap_reroot.errors import FileError
from mocap_reroot.importers.c3d_data import C3DData, decode, read_with_ezc3d
from mocap_reroot.importers.c3d_parameters import Layout, read_layout
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
        return layout, decode(path, data, layout)
    try:
        return layout, decode(path, data, layout)
    except FileError:
        if layout.processor != "intel":  # ezc3d reads no others
            raise
        return layout, _read_elsewhere(path, data)


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


def _serve(source: Path, target: Path) -> None:
    """Read one file and leave the result where the parent expects it."""
    found = vars(read_with_ezc3d(source)).items()
    partial = target.with_suffix(".partial.npz")
    np.savez(partial, **{name: value for name, value in found if value is not None})
    partial.rename(target)


if __name__ == "__main__":
    _serve(Path(sys.argv[1]), Path(sys.argv[2]))
