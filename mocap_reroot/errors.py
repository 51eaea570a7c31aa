"""The one family of errors: what was found, where, what was expected, what to do."""

from __future__ import annotations

from collections.abc import Iterable
from difflib import get_close_matches
from pathlib import Path


class MocapRerootError(Exception):
    """Something the user can understand and mend; its text is one readable sentence."""


class FileError(MocapRerootError):
    """A file that cannot be used; says which one and where in it.

    Args:
        path: The file.
        found: What was found there, and what was expected.
        line: Line number, counted from 1, for text files.
        byte: Byte offset, counted from 0, for binary files.
        todo: What the user can do about it.
    """

    def __init__(
        self,
        path: str | Path,
        found: str,
        *,
        line: int | None = None,
        byte: int | None = None,
        todo: str = "",
    ) -> None:
        self.path, self.found, self.line, self.byte, self.todo = str(path), found, line, byte, todo
        place = f", line {line}" if line is not None else ""
        place += f", byte {byte}" if byte is not None else ""
        super().__init__(f"{path}{place}: {found}" + (f" {todo}" if todo else ""))

    def __reduce__(self):
        """Survive the way back from a worker process."""
        return _rebuild_file_error, (self.path, self.found, self.line, self.byte, self.todo)


def _rebuild_file_error(
    path: str, found: str, line: int | None, byte: int | None, todo: str
) -> FileError:
    return FileError(path, found, line=line, byte=byte, todo=todo)


class UnknownNameError(MocapRerootError):
    """A name that is not among the valid ones; offers the closest.

    Args:
        kind: What the name should name, e.g. ``"body"``.
        name: What was asked for.
        valid: The names there are.
    """

    def __init__(self, kind: str, name: str, valid: Iterable[str]) -> None:
        self.kind, self.name, self.valid = kind, name, tuple(valid)
        close = get_close_matches(name, self.valid, n=3, cutoff=0.5)
        offer = f"Did you mean {' or '.join(repr(c) for c in close)}? " if close else ""
        shown = ", ".join(self.valid[:40]) + (", …" if len(self.valid) > 40 else "")
        super().__init__(f"There is no {kind} named {name!r}. {offer}There are: {shown}.")

    def __reduce__(self):
        """Survive the way back from a worker process."""
        return UnknownNameError, (self.kind, self.name, self.valid)


class ConfigError(MocapRerootError):
    """A configuration that cannot be followed: an unknown key, a value out of range."""
