"""Arrays of an ``.npz`` file, one by one; nothing in it is unpickled."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from mocap_reroot.errors import FileError
from mocap_reroot.importers.files import opening
from mocap_reroot.resources.memory import require_memory

_COPIES = 6
"""How often what is made of an array is held as doubles at the same time, at most."""


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
        with opening(path):
            path.open("rb").close()
        try:
            self._file = np.load(path, allow_pickle=False)
            self._sizes = {
                entry.filename.removesuffix(".npy"): entry.file_size
                for entry in self._file.zip.infolist()
            }
        except Exception as error:  # whatever a damaged archive makes of itself
            reason = str(error)[:200]
            raise FileError(path, f"it is no .npz file ({reason}); {about} was expected.") from None

    def __enter__(self) -> Arrays:
        return self

    def __exit__(self, *_: object) -> None:
        self._file.close()

    def __contains__(self, name: str) -> bool:
        return name in self._sizes

    def get(self, name: str) -> np.ndarray:
        """Return an array.

        Raises:
            FileError: It is not there, holds objects, or is damaged.
        """
        if name not in self:
            listed = ", ".join(list(self._sizes)[:20]) or "none"
            raise FileError(
                self.path, f"there is no array {name!r}; {self.about} was expected, found {listed}."
            )
        require_memory(self.path, _COPIES * 8 * self._sizes[name] / 4, f"the array {name!r}")
        try:
            found = self._file[name]
        except Exception as error:  # NumPy compiles headers: they fail in as many ways as that can
            if "allow_pickle" in str(error):
                raise FileError(
                    self.path,
                    f"the array {name!r} holds objects of Python, which are not opened: "
                    "they can run any program.",
                    todo="Save plain numbers: see docs/reading.md, AMASS.",
                ) from None
            reason = str(error)[:200] or type(error).__name__
            raise FileError(self.path, f"the array {name!r} cannot be read ({reason}).") from None
        if not isinstance(found, np.ndarray) or found.dtype.kind not in "fiubUS":
            raise FileError(self.path, f"the array {name!r} cannot be read (no plain array).")
        return found

    def numbers(self, name: str) -> np.ndarray:
        """Return an array of numbers, as doubles."""
        found = self.get(name)
        if found.dtype.kind not in "fiub":
            raise FileError(self.path, f"the array {name!r} holds no numbers.")
        return found.astype(np.float64)
