"""Options that commands share, and the configuration made from them."""

from __future__ import annotations

import logging
import sys
from collections.abc import Callable
from functools import wraps
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

from mocap_reroot import config
from mocap_reroot.errors import ConfigError, FileError, MocapRerootError, path_text
from mocap_reroot.options import GONE, RENAMED, Option

if TYPE_CHECKING:
    from mocap_reroot.resources.clips import Clip

T = TypeVar("T")
Command = Callable[..., int]


def config_options(*names: str, but: str = "") -> Callable[[Command], Command]:
    """Give a command options of the configuration; one that is not given is None.

    Args:
        *names: Options, or sections for all that they hold; none: every option.
        but: An option that the command has in a form of its own.
    """
    chosen = [
        one
        for one in config.all_options().values()
        if one.name != but and (not names or one.name in names or one.section in names)
    ]
    old = {gone: one for gone, now in RENAMED.items() for one in chosen if one.name == now}

    def decorate(command: Command) -> Command:
        for gone, one in old.items():
            command = _as_flag(one, gone)(command)
        for gone in () if names else GONE:
            command = click.option(f"--{gone.replace('_', '-')}", hidden=True)(command)
        for one in reversed(chosen):
            command = _as_flag(one)(command)
        return command

    return decorate


def _as_flag(one: Option, gone: str = "") -> Callable[[Command], Command]:
    """Return an option of the command line; by a name that went, it is not shown."""
    name = f"--{gone.replace('_', '-')}" if gone else one.flag
    kind: click.ParamType | None = None
    if one.is_switch:
        name = f"{name}/--no-{name[2:]}"
    elif one.file:
        kind = click.Path()
    elif one.only_words:
        kind = click.Choice(one.choices)
    else:
        kind = click.FLOAT if str not in one.kinds and float in one.kinds else click.STRING
    several = one.kinds == [tuple]
    return click.option(
        name, type=kind, default=None, multiple=several, hidden=bool(gone), help=_help(one),
        metavar=None if one.is_switch or one.only_words else _metavar(one),
    )  # fmt: skip


def _metavar(one: Option) -> str:
    if one.file:
        return "FILE"
    if tuple in one.kinds:
        return "LIST"
    number = ["NUMBER"] if float in one.kinds else []
    return "|".join([*one.choices, *number]) or "NAME"


def _help(one: Option) -> str:
    """Return what an option means, with its values where its form does not show them."""
    text = one.meaning.replace("`", "")
    if one.kinds == [tuple]:
        text += f" ({', '.join(one.choices)})"
    return text


def shared_options(command: Command, but: str = "") -> Command:
    """Give a command all options of the pipeline (but one), and a file of them."""
    return config_file(config_options(but=but)(command))


def config_file(command: Command) -> Command:
    """Give a command a file of options."""
    return click.option("--config", type=click.Path(), default=None, help="TOML file of options.")(
        command
    )


def common(command: Command) -> Command:
    """Give a command ``-v`` and ``--debug``; the command itself need not know of them."""

    @wraps(command)
    def logged(*, verbose: int, debug: bool, **others: Any) -> int:
        start_logging(verbose)
        return command(**others)

    decorated = click.option("--debug", is_flag=True, help="Show tracebacks.")(logged)
    return click.option("-v", "--verbose", count=True, help="Say more; twice: everything.")(
        decorated
    )


def configuration(options: dict[str, Any], **defaults: Any) -> config.Config:
    """Return the configuration: flags over the TOML file among them over the command's defaults."""
    given = {name: value for name, value in options.items() if value not in (None, ())}
    try:
        found = config.resolve(given.pop("config", None), defaults, **given)
        found.require_files()
        return found
    except FileError as error:  # no input failed: the command was given a wrong file
        raise ConfigError(str(error)) from None


def start_logging(verbose: int) -> None:
    """Send the program's log to standard error, as much of it as asked for."""
    level = {0: logging.WARNING, 1: logging.INFO}.get(verbose, logging.DEBUG)
    logging.basicConfig(level=level, format="%(message)s", stream=sys.stderr)


def complain(error: Exception, debug: bool, path: Path | None = None) -> None:
    """Print an error as one sentence that names the file; with --debug its traceback too."""
    if debug:
        import traceback

        traceback.print_exception(error)
    named = "" if path is None else path_text(path)
    place = f"{named}: " if named not in str(error) else ""
    if not isinstance(error, MocapRerootError):
        error = MocapRerootError(
            f"this is a bug in mocap_reroot ({type(error).__name__}: {error}); "
            "with --debug it says where."
        )
    click.secho(f"Error: {place}{error}", fg="red", err=True)


def clips_among(files: tuple[str, ...]) -> tuple[list[Clip], int]:
    """Return the clips that files name, and of how many that are not there it has complained."""
    from mocap_reroot.resources.clips import find_clips

    absent: list[MocapRerootError] = []
    clips = find_clips(files, absent=absent)
    for error in absent:
        complain(error, debug=False)
    return clips, len(absent)


def attempt(function: Callable[[], T], path: Path) -> T | None:
    """Return what a function gives, or complain and return None: other files get their turn."""
    try:
        return function()
    except Exception as error:  # a bug met by one file must not stop the others
        complain(error, click.get_current_context().params["debug"], path)
        return None
