"""Arrays of an ``.npz`` file, one by one; nothing in it is unpickled, and no header is believed."""

from __future__ import annotations

import re
import zipfile
import zlib
from math import prod
from pathlib import Path
from typing import IO

import numpy as np

from mocap_reroot.errors import FileError
from mocap_reroot.resources.memory import require_memory

_KINDS = "fiubUS"  # numbers, truth values and text
_TYPE = re.compile(r"'descr': '([<>|=]?(?:[fiu][1248]|b1|[US]\d{1,6}|O))'")
_ORDER = re.compile(r"'fortran_order': (True|False)")
_SHAPE = re.compile(r"'shape': \(((?:\d{1,18},? ?){0,8})\)")
_LONGEST_HEADER = 10_000  # bytes; one of a plain array has 128
_COPIES = 6
"""How often what is made of an array is held as doubles at the same time, at most."""
_DAMAGED = (zipfile.BadZipFile, zlib.error, EOFError, NotImplementedError, RuntimeError, OSError)


class Arrays:
    """The arrays of an ``.npz`` file, read when they are asked for.

    Args:
        path: The file.
        about: What was expected in it, for messages.

    Raises:
        FileError: It is no ``.npz`` file.
    """

    def __init__(self, path: Path, about: str) -> None:
        self.path, self.about = path, about
        try:
            self._zip = zipfile.ZipFile(path)
        except OSError as error:
            raise FileError(path, f"the file cannot be read ({error.strerror}).") from None
        except _DAMAGED as error:
            raise FileError(path, f"it is no .npz file ({error}); {about} was expected.") from None
        self._entries = {
            entry.filename.removesuffix(".npy"): entry for entry in self._zip.infolist()
        }

    def __enter__(self) -> Arrays:
        return self

    def __exit__(self, *_: object) -> None:
        self._zip.close()

    def __contains__(self, name: str) -> bool:
        return name in self._entries

    @property
    def names(self) -> list[str]:
        """Names of the arrays."""
        return list(self._entries)

    def get(self, name: str) -> np.ndarray:
        """Return an array.

        Raises:
            FileError: It is not there, holds objects, or is damaged.
        """
        if name not in self._entries:
            listed = ", ".join(self.names[:20]) or "none"
            raise FileError(
                self.path, f"there is no array {name!r}; {self.about} was expected, found {listed}."
            )
        entry = self._entries[name]
        try:
            with self._zip.open(entry) as file:
                shape, transposed, kind = _header(file)
                if kind.kind not in _KINDS:
                    raise FileError(
                        self.path,
                        f"the array {name!r} holds objects of Python, which are not opened: "
                        "they can run any program.",
                        todo="Save plain numbers: see docs/reading.md, AMASS.",
                    )
                size = prod(shape) * kind.itemsize
                if size > entry.file_size:
                    raise ValueError(f"{shape} numbers are promised, {entry.file_size} bytes there")
                require_memory(self.path, _COPIES * prod(shape) * 8, f"the array {name!r}")
                data = file.read(size)
        except (ValueError, *_DAMAGED) as error:
            raise FileError(
                self.path, f"the array {name!r} cannot be read ({str(error)[:200]})."
            ) from None
        if len(data) < size:
            raise FileError(self.path, f"the array {name!r} breaks off after {len(data)} bytes.")
        return np.frombuffer(data, kind, prod(shape)).reshape(
            shape, order="F" if transposed else "C"
        )

    def numbers(self, name: str) -> np.ndarray:
        """Return an array of finite numbers, as doubles."""
        found = self.get(name)
        if found.dtype.kind not in "fiub":
            raise FileError(self.path, f"the array {name!r} holds no numbers.")
        return found.astype(np.float64)


def _header(file: IO[bytes]) -> tuple[tuple[int, ...], bool, np.dtype]:
    """Return shape, order and type that an array states of itself.

    NumPy's own reader compiles the header as Python, and fails in as many ways as that can.
    """
    start = file.read(8)
    if start[:6] != b"\x93NUMPY" or start[6:7] not in (b"\x01", b"\x02", b"\x03"):
        raise ValueError("it does not begin as an array does")
    length = int.from_bytes(file.read(2 if start[6] == 1 else 4), "little")
    text = file.read(min(length, _LONGEST_HEADER)).decode("latin-1")
    kind, order, shape = (pattern.search(text) for pattern in (_TYPE, _ORDER, _SHAPE))
    if length > _LONGEST_HEADER or kind is None or order is None or shape is None:
        raise ValueError(f"its type or shape is unusual: {text[:80].strip()!r}")
    return (
        tuple(int(word) for word in shape[1].replace(",", " ").split()),
        order[1] == "True",
        np.dtype(kind[1]),
    )
