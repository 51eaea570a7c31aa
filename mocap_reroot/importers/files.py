"""What every importer does with a file: open it, refuse what cannot be opened, tidy its names."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from mocap_reroot.errors import FileError


@contextmanager
def opening(path: Path, what: str = "the file") -> Iterator[None]:
    """Turn an error of the operating system into a sentence about a file."""
    try:
        yield
    except OSError as error:
        reason = error.strerror or str(error)
        raise FileError(path, f"{what} cannot be read ({reason}).") from None


def read_bytes(path: Path) -> bytes:
    """Return all bytes of a file.

    Raises:
        FileError: It cannot be read.
    """
    with opening(path):
        return path.read_bytes()
