"""Exceptions: each says what was found, where, what was expected, what to do."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable
from difflib import get_close_matches
from pathlib import Path

QUOTED = 200
"""Characters of a file that a message quotes at most."""
_NAMED = 60
"""Characters of each of the names that are offered."""
_LONG_WORD = re.compile(rf"(\S{{{QUOTED}}})\S+")
_LONG_QUOTE = re.compile(rf"""(['"])((?:(?!\1).){{{QUOTED}}})(?:(?!\1).)+\1""")


def printable(text: str) -> str:
    """Return a text with ``�`` for characters that command a terminal or turn its direction."""
    if text.isprintable():
        return text
    return "".join(c if c.isprintable() else "\N{REPLACEMENT CHARACTER}" for c in text)


def legible(text: str) -> str:
    """Return a sentence as it can be shown, whatever was quoted in it.

    Characters that command a terminal, turn the direction of a text or cannot be written become
    ``�``; words and quotations longer than 200 characters are cut.
    """
    text = printable(text)
    if len(text) > QUOTED:
        text = _LONG_WORD.sub(r"\1…", _LONG_QUOTE.sub(r"\1\2…\1", text))
    return text


def quoted(text: str) -> str:
    """Return at most 200 characters of a text that comes from elsewhere, legible."""
    return legible(text if len(text) <= QUOTED else f"{text[:QUOTED]}…")


def path_text(path: str | Path) -> str:
    """Return a path that can be written and printed: bytes that are no text as ``\\xff``."""
    return printable(os.fsencode(path).decode("utf-8", "backslashreplace"))


class MocapRerootError(Exception):
    """Something the user can understand and mend; its text is one readable sentence."""

    def __init__(self, sentence: str = "") -> None:
        super().__init__(legible(sentence))


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
        self.path, self.found, self.todo = path_text(path), legible(found), todo
        self.line, self.byte = line, byte
        place = f", line {line}" if line is not None else ""
        place += f", byte {byte}" if byte is not None else ""
        # Not by way of the family, which would cut a long path.
        Exception.__init__(self, f"{self.path}{place}: {self.found}" + (f" {todo}" if todo else ""))

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
        shown = ", ".join(n if len(n) <= _NAMED else f"{n[:_NAMED]}…" for n in self.valid[:40])
        shown += ", …" if len(self.valid) > 40 else ""
        super().__init__(f"There is no {kind} named {name!r}. {offer}There are: {shown}.")

    def __reduce__(self):
        """Survive the way back from a worker process."""
        return UnknownNameError, (self.kind, self.name, self.valid)


class ConfigError(MocapRerootError):
    """A configuration that cannot be followed: an unknown key, a value out of range."""
