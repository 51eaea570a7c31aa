"""Open a file, refuse what cannot be opened, tidy its names: shared by all importers."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator
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


def read_lines(path: Path) -> list[str]:
    """Return the lines of a text file; bytes that are no text become ``�``."""
    with opening(path):
        return path.read_text(encoding="utf-8-sig", errors="replace").splitlines()


def unique(names: Iterable[str]) -> list[str]:
    """Return names of which those that come again get a number, ``name_2``, that is still free."""
    names = list(names)
    numbers: defaultdict[str, int] = defaultdict(lambda: 2)
    taken, seen, found = set(names), set[str](), []
    for name in names:
        free = name
        if name in seen:
            while (free := f"{name}_{numbers[name]}") in taken:
                numbers[name] += 1
        seen.add(name)
        taken.add(free)
        found.append(free)
    return found
