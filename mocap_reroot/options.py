"""Option: a field of the configuration, with its type, default, meaning and values.

Everything else is made from these fields: the command line, the keywords of ``mr.analyze``, the
keys of a TOML file, the reference page.
"""

from __future__ import annotations

import inspect
import logging
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, fields
from difflib import get_close_matches
from functools import cache, wraps
from pathlib import Path
from types import NoneType, UnionType
from typing import Any, Literal, TypeVar, Union, get_args, get_origin, get_type_hints

from mocap_reroot.errors import ConfigError, path_text

log = logging.getLogger("mocap_reroot")
F = TypeVar("F", bound=Callable[..., Any])

RENAMED = {"cutoff_hz": "cutoff", "smoothing": "smoother"}
"""Options that had another name in the version before; these are taken for one version."""
GONE = {
    "sharing": "feet bear what the motion asks of each; with --ground filtered, by the clock",
}
"""Options that had a meaning in the version before, and why they have none now; taken likewise."""
_LARGEST = 1e12
"""A number beyond this is a slip of the pen, whatever its unit."""
_IN_WORDS = {str: "text", float: "a positive number", tuple: "names", bool: "true or false"}
"""What a declared type is called in an error message."""


def option(default: Any, meaning: str, choices: tuple[str, ...] = (), *, file: bool = False) -> Any:
    """Declare an option of the configuration, as the value of a dataclass field.

    Args:
        default: What holds where nothing is said.
        meaning: A sentence for the user: help of the command line, reference page.
        choices: The words it may be, if it is one of a few; a number that the declared type also
            allows is not among them.
        file: Whether it names a file, so that a relative path in a TOML file is that file's own.
    """
    return field(default=default, metadata={"meaning": meaning, "choices": choices, "file": file})


@dataclass(frozen=True)
class Option:
    """An option as declared.

    Attributes:
        name: As in TOML and Python; ``--`` and hyphens make it the flag.
        section: Of the configuration.
        declared: Its type.
        default: Where nothing is said.
        meaning: For the user.
        choices: Words it may be, or empty.
        file: Whether it names a file.
    """

    name: str
    section: str
    declared: Any
    default: Any
    meaning: str
    choices: tuple[str, ...]
    file: bool

    @property
    def flag(self) -> str:
        """Its name on the command line."""
        return "--" + self.name.replace("_", "-")

    @property
    def is_switch(self) -> bool:
        """Whether it is on or off."""
        return self.declared is bool

    @property
    def only_words(self) -> bool:
        """Whether it is one of its choices and nothing else."""
        return bool(self.choices) and not {float, tuple} & set(self.kinds)

    @property
    def kinds(self) -> list[type]:
        """The types of Python that it may have, ``str`` for a few words."""
        union = get_origin(self.declared) in (Union, UnionType)
        members = get_args(self.declared) if union else (self.declared,)
        return [str if get_origin(m) is Literal else get_origin(m) or m for m in members]

    @property
    def annotation(self) -> str:
        """Its type for those who call from Python: its words, and a file may be a Path."""
        if self.only_words:
            words = ", ".join(f'"{word}"' for word in self.choices)
            return f"Literal[{words}]" + (" | None" if NoneType in self.kinds else "")
        names = {tuple: "tuple[str, ...]", NoneType: "None"}
        names |= {str: "str | Path"} if self.file else {}
        return " | ".join(names.get(kind, kind.__name__) for kind in self.kinds)


def options_of(section: str, part: type) -> list[Option]:
    """Return the options that a section of the configuration declares."""
    types = _types(part)
    return [
        Option(found.name, section, types[found.name], found.default, **found.metadata)
        for found in fields(part)
    ]


@cache
def _types(part: type) -> dict[str, Any]:
    return get_type_hints(part)


class Section:
    """A section of the configuration, whose values are what its fields declare."""

    def __post_init__(self) -> None:
        for one in options_of("", type(self)):
            value = getattr(self, one.name)
            if isinstance(value, Path):
                value = str(value)
                object.__setattr__(self, one.name, value)
            if not _is_of(one.kinds, value):
                wanted = " or ".join(said for kind, said in _IN_WORDS.items() if kind in one.kinds)
                raise ConfigError(f"{one.name} is {_shown(value)}; expected {wanted}.")
            if float in one.kinds:
                object.__setattr__(self, one.name, _number(one, value))
            elif one.only_words and value is not None:
                _one_of(one.name, value, one.choices)

    def require_files(self) -> None:
        """Go on if the files that options name are there, whether or not a clip needs them.

        Raises:
            ConfigError: Names the option and the file.
        """
        for one in options_of("", type(self)):
            value = getattr(self, one.name)
            if one.file and value is not None and not Path(value).exists():
                raise ConfigError(f"{one.name} is {path_text(value)!r}, but there is no such file.")


def _number(one: Option, value: Any) -> Any:
    """Return a positive number, one of the words allowed, or None."""
    if value is None or value in one.choices:
        return value
    if isinstance(value, str):
        try:
            value = float(value)
        except ValueError:
            words = ", ".join(one.choices)
            raise ConfigError(
                f"{one.name} is {_shown(value)}; expected a positive number"
                + (f" or one of {words}." if words else ".")
            ) from None
    if not 0 < value < _LARGEST:
        raise ConfigError(f"{one.name} is {_shown(value)}; expected a positive number.")
    return value


def words(name: str, value: str | tuple[str, ...], valid: tuple[str, ...]) -> tuple[str, ...]:
    """Return the words of a list, whose members may hold several, separated by commas."""
    given = (value,) if isinstance(value, str) else value
    found = tuple(word.strip() for part in given for word in part.split(",") if word.strip())
    if not found:
        raise ConfigError(f"{name} is empty; name at least one.")
    for word in found:
        _one_of(name, word, valid)
    return found


def _one_of(name: str, value: Any, valid: tuple[Any, ...]) -> None:
    if value not in valid:
        close = get_close_matches(str(value), list(map(str, valid)), n=1, cutoff=0.6)
        offer = f" Did you mean {close[0]}?" if close else ""
        listed = ", ".join(map(str, valid))
        raise ConfigError(f"{name} is {_shown(value)}; expected one of {listed}.{offer}")


def _shown(value: Any) -> str:
    text = repr(value)
    return text if len(text) < 80 else f"{text[:60]}…"


def _is_of(kinds: list[type], value: Any) -> bool:
    """Return whether a value is of one of some types; a word stands for a tuple of one."""
    if value is None:
        return NoneType in kinds
    if isinstance(value, bool):
        return bool in kinds
    if isinstance(value, int | float):
        return float in kinds
    if isinstance(value, str):
        return (str in kinds or tuple in kinds) and "\0" not in value
    several = isinstance(value, list | tuple) and tuple in kinds
    return several and all(isinstance(part, str) for part in value)


def current_name(name: str, known: Mapping[str, Any], where: str = "") -> str:
    """Return what an option is called now; a name that went is taken, with a note.

    An option that is gone has no name: nothing.

    Raises:
        ConfigError: There is no such option; offers names.
    """
    name = name.replace("-", "_")
    if name not in known and name in RENAMED:
        tell_renamed(name, RENAMED[name], where)
        return RENAMED[name]
    if name not in known and name in GONE:
        log.warning("%sThere is no %s any more: %s.", where, name, GONE[name])
        return ""
    if name not in known:
        close = get_close_matches(name, list(known), n=2, cutoff=0.5)
        offer = f" Did you mean {' or '.join(close)}?" if close else ""
        valid = ", ".join(sorted(known))
        raise ConfigError(f"{where}There is no option {name!r}.{offer} There are: {valid}.")
    return name


def tell_renamed(old: str, new: str, where: str = "") -> None:
    """Note that something has another name now."""
    log.warning(
        "%s%s is now called %s; the old name is taken in this version only.", where, old, new
    )


def renamed(**names: str) -> Callable[[F], F]:
    """Let a function take keywords by the names they had in the version before, with a note.

    Args:
        **names: New name of each old one.
    """

    def decorate(function: F) -> F:
        @wraps(function)
        def called(*arguments: Any, **keywords: Any) -> Any:
            for old in names.keys() & keywords.keys():
                if names[old] in keywords:
                    raise TypeError(f"{names[old]} is given twice, also by its old name {old}.")
                tell_renamed(old, names[old], f"{function.__name__}(): ")
                keywords[names[old]] = keywords.pop(old)
            return function(*arguments, **keywords)

        return called  # type: ignore[return-value]

    return decorate


def with_keywords(options: list[Option]) -> Callable[[F], F]:
    """Show options as keywords of a function that takes ``**options``: completion, ``help``."""

    def decorate(function: F) -> F:
        shape = inspect.signature(function)
        own = [p for p in shape.parameters.values() if p.kind is not p.VAR_KEYWORD]
        keywords = [
            inspect.Parameter(
                one.name, inspect.Parameter.KEYWORD_ONLY, default=one.default,
                annotation=one.annotation,
            )
            for one in options
        ]  # fmt: skip
        function.__signature__ = shape.replace(parameters=[*own, *keywords])  # type: ignore[attr-defined]
        return function

    return decorate
