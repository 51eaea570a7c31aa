"""A C3D, decoded here, or by a compiled reader that cannot harm this process.

The bytes are decoded by ``c3d_data``, which makes nothing that the file's size does not bear out.
What it cannot make sense of is left to ezc3d, which has crashed and hung on such files: in another
process with a time limit.
"""

from __future__ import annotations

from pathlib import Path

from mocap_reroot.errors import FileError
from mocap_reroot.importers.c3d_data import C3DData, decode, read_with_ezc3d
from mocap_reroot.importers.c3d_parameters import Layout, read_layout
from mocap_reroot.importers.elsewhere import leave, read_elsewhere
from mocap_reroot.resources.processes import bounded_arguments
from mocap_reroot.resources.scratch import scratch_folder

MEMORY = 64.0, 64e-6
"""MB that a reader in another process may take, and MB per byte of the file: readers take 14 bytes
for a byte of floating-point numbers and 25 for one of integers."""
TIME = 20.0, 2e-6
"""s after which it is given up, and s per byte of the file: readers take 0.03 to 0.09 s per MB."""


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
    try:
        return layout, decode(path, data, layout)
    except FileError:
        if layout.processor != "intel":  # ezc3d reads no others
            raise
        return layout, _read_elsewhere(path, data)


def _read_elsewhere(path: Path, data: bytes) -> C3DData:
    """Read a copy in another process; whatever happens there, this process goes on."""
    with scratch_folder() as folder:
        copy = folder / "copy.c3d"
        copy.write_bytes(data)
        megabytes, seconds = (least + each * len(data) for least, each in (MEMORY, TIME))
        arrays = read_elsewhere(path, __name__, [str(copy)], seconds, megabytes)
    return C3DData(arrays["points"], arrays["analog"], arrays.get("rotations"))


def _serve(source: Path, target: Path) -> None:
    """Read one file and leave the result where the parent expects it."""
    found = vars(read_with_ezc3d(source)).items()
    leave(target, {name: value for name, value in found if value is not None})


if __name__ == "__main__":
    _serve(*map(Path, bounded_arguments()))
