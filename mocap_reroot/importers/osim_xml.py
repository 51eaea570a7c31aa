"""XML of OpenSim as plain elements; no entities, nothing fetched, bounded in size and depth."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from xml.parsers import expat

import numpy as np

from mocap_reroot.errors import FileError, printable

_DEEPEST = 100  # elements inside each other; models have about twenty
_LARGEST = 200 << 20  # bytes; the largest published models have twenty million


@dataclass(eq=False)
class Element:
    """An element: its tag, attribute ``name``, text, line in the file and children."""

    tag: str
    name: str
    line: int
    pieces: list[str] = field(default_factory=list)
    children: list[Element] = field(default_factory=list)

    @property
    def text(self) -> str:
        """Its own text, without blanks at the ends."""
        return "".join(self.pieces).strip()

    def child(self, *tags: str) -> Element | None:
        """Return the first child that has one of the tags, or None."""
        return next((c for c in self.children if c.tag in tags), None)

    def word(self, *tags: str, otherwise: str = "") -> str:
        """Return the text of the first child that has one of the tags."""
        found = self.child(*tags)
        return otherwise if found is None else found.text

    def last(self, *tags: str) -> str:
        """Return the last part of a path such as ``/bodyset/pelvis``."""
        return self.word(*tags).rpartition("/")[2]

    def true(self, tag: str, otherwise: bool = False) -> bool:
        """Return a child that is ``true`` or ``false``."""
        found = self.word(tag).lower()
        return otherwise if not found else found in ("true", "1")

    def walk(self) -> Iterator[Element]:
        """Return all elements inside, in the order of the file."""
        for child in self.children:
            yield child
            yield from child.walk()

    def objects(self, *tags: str) -> list[Element]:
        """Return the members of a set: 3.x has them within ``objects``, 4.x also bare."""
        for tag in tags:
            found = self.child(tag)
            if found is not None:
                return (found.child("objects") or found).children
        return []


class _RefusedError(Exception):
    """What no model has; its text is a sentence."""


def read_xml(path: Path) -> Element:
    """Return the outermost element of a file.

    Raises:
        FileError: It cannot be read, is no XML, declares entities, or is too large.
    """
    try:
        if path.stat().st_size > _LARGEST:
            raise FileError(path, f"more than {_LARGEST >> 20} MB: this is no OpenSim model.")
        data = path.read_bytes()
    except OSError as error:
        raise FileError(path, f"the file cannot be read ({error.strerror}).") from None
    parser = expat.ParserCreate()
    parser.buffer_text = True
    parser.SetParamEntityParsing(expat.XML_PARAM_ENTITY_PARSING_NEVER)
    stack = [Element("", "", 0)]

    def start(tag: str, given: dict[str, str]) -> None:
        if len(stack) > _DEEPEST:
            raise _RefusedError(f"more than {_DEEPEST} elements stand inside each other.")
        name = printable(given.get("name", "") or given.get("Version", ""))
        element = Element(tag, name.strip(), parser.CurrentLineNumber)
        stack[-1].children.append(element)
        stack.append(element)

    def entity(*_: object) -> None:
        raise _RefusedError("it declares entities; no model needs them; they are not resolved.")

    parser.StartElementHandler = start
    parser.EndElementHandler = lambda _: stack.pop()
    parser.CharacterDataHandler = lambda text: stack[-1].pieces.append(text)
    parser.EntityDeclHandler = entity
    try:
        parser.Parse(data, True)
    except _RefusedError as error:
        raise FileError(path, str(error), line=parser.CurrentLineNumber) from None
    except (expat.ExpatError, ValueError, LookupError) as error:
        reason = expat.errors.messages.get(getattr(error, "code", 0), "its encoding is unknown")
        raise FileError(
            path, f"this is no XML ({reason}).", line=parser.CurrentLineNumber
        ) from None
    return stack[0].children[0]


def numbers(path: Path, element: Element | None, count: int, otherwise: float = 0.0) -> np.ndarray:
    """Return the numbers that an element holds (``count`` −1: any number of them).

    Raises:
        FileError: They are no numbers, or not so many.
    """
    words = [] if element is None else element.text.split()
    if element is None or (count > 0 and not words):
        return np.full(max(count, 0), otherwise)
    try:
        found = np.array([float(word) for word in words])
    except ValueError:
        found = np.array([np.nan])
    if not np.isfinite(found).all() or (count >= 0 and len(found) != count):
        wanted = {1: "a number was", -1: "numbers were"}.get(count, f"{count} numbers were")
        said = f"<{element.tag}> is {element.text[:80]!r}; {wanted} expected."
        raise FileError(path, said, line=element.line)
    return found
