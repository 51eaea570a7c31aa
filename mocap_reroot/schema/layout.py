"""What a table is: columns with unit, axes and meaning, and the attributes that hold them."""

from __future__ import annotations

import math
import re
from dataclasses import dataclass
from functools import cached_property, lru_cache
from itertools import product
from typing import Any

import numpy as np


@dataclass(frozen=True)
class Column:
    """A column, or several of one meaning.

    Attributes:
        name: ``{xyz}`` stands for one of these letters, ``{lo,hi}`` for one of these words,
            ``<body>`` for the name of something that the noun has several of.
        unit: SI; ``"1"`` for a plain number, empty for words, and for truth values of many bodies.
        axes: ``world``, ``body``, ``parent`` …; empty where there are none.
        meaning: One sentence.
        path: Attribute of the table's noun that holds the values; what is None there has no column.
    """

    name: str
    unit: str
    axes: str
    meaning: str
    path: str = ""

    @cached_property
    def names(self) -> tuple[str, ...]:
        """All names that it stands for, last choice fastest; ``<body>`` stays."""
        parts = re.split(r"\{(.+?)\}", self.name)
        choices = [_choices(part) if k % 2 else (part,) for k, part in enumerate(parts)]
        return tuple("".join(chosen) for chosen in product(*choices))

    @cached_property
    def pattern(self) -> re.Pattern[str]:
        """What the names of such columns look like in a file."""
        parts = re.split(r"(\{.+?\}|<\w+>)", self.name)
        words = (
            "|".join(map(re.escape, _choices(part[1:-1])))
            if part[:1] == "{"
            else ".+" if part[:1] == "<" else re.escape(part)
            for part in parts
        )  # fmt: skip
        return re.compile("".join(f"(?:{word})" for word in words))

    @property
    def said(self) -> dict[str, str]:
        """Unit, axes and meaning, as files keep them."""
        return {"unit": self.unit, "axes": self.axes, "meaning": self.meaning}


def _choices(text: str) -> tuple[str, ...]:
    return tuple(text.split(",")) if "," in text else tuple(text)


@dataclass(frozen=True)
class Each:
    """Columns that a table has for every body, joint or foot, all of one beside each other.

    Attributes:
        names: Attribute of the noun that holds their names.
        columns: Their names begin with the place of that name, such as ``<body>_``.
        rows: Attribute that says which rows of the arrays belong to the names; all by default.
    """

    names: str
    columns: tuple[Column, ...]
    rows: str = ""


@dataclass(frozen=True)
class Table:
    """A table of a clip's folder.

    Attributes:
        name: That of its file.
        per: What it has one row for.
        noun: Attribute of an analysis that holds its values.
        parts: Its columns, in order.
        frames: One row a frame: the last axis of arrays; otherwise rows are their first axis.
        csv: Small: CSV whatever the format.
        core: Among those that a batch writes.
        asked: Only made if an option asks for it; not one of "all".
        report: The report is made from it, among others.
    """

    name: str
    per: str
    noun: str
    parts: tuple[Column | Each, ...]
    frames: bool = True
    csv: bool = False
    core: bool = False
    asked: bool = False
    report: bool = False

    @cached_property
    def columns(self) -> tuple[Column, ...]:
        """All columns, in order."""
        several = (part.columns if isinstance(part, Each) else (part,) for part in self.parts)
        return tuple(column for columns in several for column in columns)

    @cached_property
    def words(self) -> tuple[str, ...]:
        """Names of the columns that hold words."""
        return tuple(c.name for c in self.columns if not c.unit and "<" not in c.name)

    def find(self, name: str) -> Column | None:
        """Return what a column of a file is; None if the table has no such column."""
        plain = sorted(self.columns, key=lambda column: "<" in column.name)
        return next((column for column in plain if column.pattern.fullmatch(name)), None)

    def of(self, noun: Any) -> dict[str, Any]:
        """Return the columns that a noun has, views where its values are arrays."""
        made: dict[str, Any] = {}
        for part in self.parts:
            if isinstance(part, Each):
                made |= _of_each(part, noun)
            elif (values := attribute(noun, part.path)) is None:
                continue
            elif len(part.names) == 1:
                made[part.name] = values
            else:
                several = values if self.frames else values.T
                made |= zip(part.names, several, strict=True)
        return made


def _of_each(each: Each, noun: Any) -> dict[str, np.ndarray]:
    """Return the columns of every body: arrays are ``(body, components …, frame)``."""
    known = [(c, a) for c in each.columns if (a := attribute(noun, c.path)) is not None]
    arrays = [
        array.reshape(len(array), math.prod(array.shape[1:-1]), array.shape[-1])
        for _, array in known
    ]
    names = tuple(attribute(noun, each.names)) if known else ()
    rows = attribute(noun, each.rows) if each.rows else range(len(names))
    views = (view for row in rows for array in arrays for view in array[row])
    return dict(zip(_named(names, tuple(c for c, _ in known)), views, strict=True))


@lru_cache(maxsize=64)
def _named(names: tuple[str, ...], columns: tuple[Column, ...]) -> tuple[str, ...]:
    ends = [name.partition(">")[2] for column in columns for name in column.names]
    return tuple(f"{name}{end}" for name in names for end in ends)


def attribute(noun: Any, path: str) -> Any:
    """Return what a path of attributes leads to, or None where it breaks off with None."""
    for name in path.split("."):
        noun = getattr(noun, name) if noun is not None else None
    return noun
