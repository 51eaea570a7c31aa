"""Options that commands share, and how they become a configuration."""

from __future__ import annotations

import logging
import sys
from collections.abc import Callable
from functools import wraps
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

from mocap_reroot import config
from mocap_reroot.errors import ConfigError, FileError, MocapRerootError

if TYPE_CHECKING:
    from mocap_reroot.resources.clips import Clip

T = TypeVar("T")
Command = Callable[..., int]

# Options of the configuration: each is a key of the TOML file too, and means the same there.
_OPTIONS: dict[str, tuple[Any, str]] = {
    "--mass": (float, "Body mass in kg (default: from the file, else estimated from height)."),
    "--height": (float, "Stature in m."),
    "--sex": (click.Choice(config.SEXES), "Which body-segment table (default: the mean)."),
    "--unit": (str, "Length unit of the file: auto, m, cm, mm, in, cmu, or metres per unit."),
    "--up": (click.Choice(config.UP_AXES), "Up axis of the file."),
    "--rate": (float, "Frames per second, where the file's are missing or wrong."),
    "--cutoff": (str, "Low-pass cut-off in Hz, or auto."),
    "--smoother": (click.Choice(config.SMOOTHERS), "Smoothing method."),
    "--forces": (click.Choice(config.FORCES), "Where ground forces come from."),
    "--ground": (
        click.Choice(config.GROUNDS),
        "Estimate the root's path together with the forces, or low-pass it.",
    ),
    "--segments": (click.Path(), "TOML file that says which body is which segment."),
    "--segment-table": (click.Choice(config.SEGMENT_TABLES), "Body-segment parameters."),
    "--segment-masses": (
        click.Choice(config.SEGMENT_MASSES),
        "Whether force plates, where they are used, may tell what segments weigh.",
    ),
    "--bodies": (click.Path(), "Mass model in the format of bodies.csv; overrides everything."),
    "--contacts": (click.Path(), "Table of contacts to use instead of detecting them."),
    "--contact-source": (click.Choice(config.CONTACT_SOURCES), "What contacts are found from."),
    "--plates": (click.Path(), "OpenSim .mot file with measured ground forces."),
    "--markerset": (str, "Name or TOML file of the marker set."),
    "--static": (click.Path(), "Static trial that calibrates the skeleton."),
    "--skeleton": (click.Path(), "Acclaim .asf file of an .amc motion (default: beside it)."),
    "--smpl-model": (click.Path(), "SMPL, SMPL-H or SMPL-X model, .npz, for AMASS files."),
    "--take": (str, "Name of the take, where a file holds several."),
    "--sharing": (click.Choice(config.SHARING_RULES), "How the load is shared in double support."),
    "--normalise": (click.Choice(config.NORMALISATIONS), "Also write normalised torques."),
    "--tables": (str, "all, core, or names of tables separated by commas."),
}
_FLAGS = {
    "--hands/--no-hands": "Hands may carry the body too.",
    "--knees/--no-knees": "Knees may carry the body too.",
    "--any-size/--no-any-size": "The body may be no person: of any mass and stature.",
    "--pin-feet/--no-pin-feet": "Hold stance feet where they stand.",
    "--band/--no-band": "Least and greatest torque over all admissible load sharings.",
    "--report/--no-report": "Write report.html.",
}


def config_options(*names: str) -> Callable[[Command], Command]:
    """Give a command some options of the configuration; one that is not given is None."""

    def decorate(command: Command) -> Command:
        for name in reversed(names):
            kind, help_text = _OPTIONS[name]
            command = click.option(name, type=kind, default=None, help=help_text)(command)
        return command

    return decorate


def shared_options(command: Command) -> Command:
    """Give a command all options of the pipeline, and a file of them."""
    for name, help_text in reversed(_FLAGS.items()):
        command = click.option(name, default=None, help=help_text)(command)
    formats = f"{', '.join(config.FORMATS)}; several allowed."
    command = click.option("--format", multiple=True, help=formats, metavar="FORMAT")(command)
    command = config_options(*_OPTIONS)(command)
    return config_file(command)


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


def configuration(options: dict[str, Any], tables: str, report: bool = True) -> config.Config:
    """Turn parsed options into a Config: flags over TOML over defaults."""
    formats = tuple(p for given in options.pop("format") for p in given.split(",") if p)
    return resolved({**options, "format": formats or None}, {"tables": tables, "report": report})


def resolved(options: dict[str, Any], defaults: dict[str, Any] | None = None) -> config.Config:
    """Return the configuration that options and the file named among them make."""
    given = dict(options)
    try:
        return config.resolve(given.pop("config", None), defaults, **given)
    except FileError as error:  # no input failed: the command was given a wrong file
        raise ConfigError(str(error)) from None


def start_logging(verbose: int) -> None:
    """Send the program's log to standard error, as much of it as asked for."""
    level = {0: logging.WARNING, 1: logging.INFO}.get(verbose, logging.DEBUG)
    logging.basicConfig(level=level, format="%(message)s", stream=sys.stderr)


def tell_of_compiling() -> None:
    """Say why a first run takes longer, where nothing is compiled yet."""
    from mocap_reroot.kernels.compiling import compiled_before

    if not compiled_before():
        click.echo("Compiling, once on this machine; it takes about half a minute.", err=True)


def complain(error: Exception, debug: bool, path: Path | None = None) -> None:
    """Print an error as one sentence that names the file; with --debug its traceback too."""
    if debug:
        import traceback

        traceback.print_exception(error)
    place = f"{path}: " if path is not None and str(path) not in str(error) else ""
    if not isinstance(error, MocapRerootError):
        error = MocapRerootError(
            f"this is a bug in mocap_reroot ({type(error).__name__}: {error}); "
            "with --debug it says where."
        )
    sentence = "".join(
        c if c.isprintable() or c == "\n" else "\N{REPLACEMENT CHARACTER}"
        for c in f"{place}{error}"
    )
    click.secho(f"Error: {sentence}", fg="red", err=True)


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
