"""Words: the ``mocap-reroot`` command. Heavy modules load only when a command needs them."""

from __future__ import annotations

import json
import logging
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import click

from mocap_reroot.errors import MocapRerootError
from mocap_reroot.version import __version__

CONTEXT = {"help_option_names": ["-h", "--help"], "max_content_width": 100}

# name, type, help: the options that `run` and `batch` share; each is a key of the TOML file too
_OPTIONS: list[tuple[str, Any, str]] = [
    ("--mass", float, "Body mass in kg (default: from the file, else estimated from height)."),
    ("--height", float, "Stature in m."),
    ("--sex", click.Choice(["male", "female"]), "Which body-segment table (default: the mean)."),
    ("--unit", str, "Length unit of the file: auto, m, cm, mm, in, cmu, or metres per unit."),
    ("--up", click.Choice(["auto", "x", "y", "z", "-x", "-y", "-z"]), "Up axis of the file."),
    ("--cutoff", str, "Low-pass cut-off in Hz, or auto."),
    ("--smoother", click.Choice(["butterworth", "spline"]), "Smoothing method."),
    ("--forces", click.Choice(["auto", "predicted", "measured"]), "Where ground forces come from."),
    ("--segments", click.Path(), "TOML file that says which body is which segment."),
    ("--segment-table", click.Choice(["deleva", "winter"]), "Body-segment parameters."),
    ("--bodies", click.Path(), "Mass model in the format of bodies.csv; overrides everything."),
    ("--contacts", click.Path(), "Table of contacts to use instead of detecting them."),
    (
        "--contact-source",
        click.Choice(["auto", "kinematics", "plates", "events"]),
        "What contacts are found from.",
    ),
    ("--plates", click.Path(), "OpenSim .mot file with measured ground forces."),
    ("--markerset", str, "Name or TOML file of the marker set."),
    ("--static", click.Path(), "Static trial that calibrates the skeleton."),
    ("--sharing", str, "How the load is shared in double support."),
    ("--normalise", click.Choice(["none", "kg", "bwh"]), "Also write normalised torques."),
    ("--tables", str, "all, core, or names of tables separated by commas."),
]  # fmt: skip
_FLAGS: list[tuple[str, str]] = [
    ("--hands/--no-hands", "Hands may carry the body too."),
    ("--knees/--no-knees", "Knees may carry the body too."),
    ("--pin-feet/--no-pin-feet", "Hold stance feet where they stand."),
    ("--band/--no-band", "Least and greatest torque over all admissible load sharings."),
    ("--report/--no-report", "Write report.html."),
]


def _shared_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Give a command the options that INTERFACE promises for the whole pipeline."""
    for name, help_text in reversed(_FLAGS):
        command = click.option(name, default=None, help=help_text)(command)
    command = click.option(
        "--format", multiple=True, help="parquet, csv, sto; several allowed.", metavar="FORMAT"
    )(command)
    for name, kind, help_text in reversed(_OPTIONS):
        command = click.option(name, type=kind, default=None, help=help_text)(command)
    return click.option("--config", type=click.Path(), default=None, help="TOML file of options.")(
        command
    )


def _common(command: Callable[..., Any]) -> Callable[..., Any]:
    command = click.option("--debug", is_flag=True, help="Show tracebacks.")(command)
    return click.option("-v", "--verbose", count=True, help="Say more; twice: everything.")(command)


def _configuration(options: dict[str, Any], tables: str, report: bool = True) -> Any:
    """Turn parsed options into a Config: flags over TOML over defaults."""
    from mocap_reroot.config import resolve

    toml = options.pop("config")
    formats = tuple(p for given in options.pop("format") for p in given.split(",") if p)
    return resolve(toml, {"tables": tables, "report": report}, format=formats or None, **options)


def _start_logging(verbose: int) -> None:
    level = {0: logging.WARNING, 1: logging.INFO}.get(verbose, logging.DEBUG)
    logging.basicConfig(level=level, format="%(message)s", stream=sys.stderr)


@click.group(context_settings=CONTEXT)
@click.version_option(__version__, prog_name="mocap-reroot")
def app() -> None:
    """From a motion-capture file to joint torques and ground forces, without force plates.

    \b
    mocap-reroot inspect walk.bvh                what is in the file
    mocap-reroot run walk.bvh -o out             torques, ground forces, report
    mocap-reroot batch recordings -o out         a whole folder, in parallel
    mocap-reroot convert walk.bvh -o out --root LeftFoot
    """


@app.command()
@click.argument("files", nargs=-1, required=True)
@click.option("--json", "as_json", is_flag=True, help="Machine-readable, one object a file.")
@click.option("--unit", default="auto", help="auto, m, cm, mm, in, cmu, or metres per unit.")
@click.option("--up", default="auto", help="auto, x, y, z, -x, -y, -z.")
@click.option("--segments", default=None, help="TOML file that says which body is which segment.")
@click.option("--markerset", default="auto", help="Name or TOML file of the marker set.")
@click.option("--plates", default=None, help="OpenSim .mot file with measured ground forces.")
@_common
def inspect(
    files: tuple[str, ...], as_json: bool, verbose: int, debug: bool, **reading: Any
) -> int:
    """Say what FILES are and what was inferred about them."""
    from mocap_reroot.clips import find_clips
    from mocap_reroot.config import Reading
    from mocap_reroot.prepare.cleaning import clean
    from mocap_reroot.reading import motion_of, read_recording
    from mocap_reroot.report.inspection import inspection, render

    _start_logging(verbose)
    options, found, failed = Reading(**reading), [], 0
    for clip in find_clips(files):
        try:
            recording = read_recording(clip.path)
            page = inspection(clean(motion_of(recording, options)), recording)
        except MocapRerootError as error:
            failed += 1
            _complain(error, debug, clip.path)
            continue
        found.append(page)
        if not as_json:
            render(page)
    if as_json:
        click.echo(json.dumps(found[0] if len(files) == 1 and len(found) == 1 else found, indent=2))
    return 1 if failed else 0


@app.command()
@click.argument("files", nargs=-1, required=True)
@click.option("-o", "--out", required=True, type=click.Path(), help="Folder for the results.")
@_shared_options
@_common
def run(files: tuple[str, ...], out: str, verbose: int, debug: bool, **options: Any) -> int:
    """Run the whole pipeline on each of FILES; results go to OUT/<name of the file>."""
    from mocap_reroot.clips import find_clips

    _start_logging(verbose)
    config, clips, failed = _configuration(options, "all"), find_clips(files), 0
    from mocap_reroot.analysis import analyze
    from mocap_reroot.kernels.compiling import compiled_before, remember_compiled

    if not compiled_before():
        click.echo("Compiling, once on this machine; it takes about half a minute.", err=True)
    for clip in clips:
        folder = Path(out) / clip.place
        try:
            analysis = analyze(clip.path, config=config)
            summary = analysis.save(folder)
        except MocapRerootError as error:
            failed += 1
            _complain(error, debug, clip.path)
            continue
        remember_compiled()
        click.echo(f"{clip.path} -> {folder}  {analysis!r}")
        for warning in summary["warnings"]:
            click.echo(f"  note: {warning}")
    return 1 if failed else 0


@app.command()
@click.argument("paths", nargs=-1, required=True)
@click.option("-o", "--out", required=True, type=click.Path(), help="Folder for the results.")
@click.option(
    "--jobs", type=click.IntRange(1), default=None, help="Processes (default: all cores)."
)
@click.option("--dask", default=None, metavar="ADDRESS", help="Dask scheduler, or 'local'.")
@click.option("--fresh", is_flag=True, help="Start over instead of resuming.")
@click.option("--dataset", type=click.Choice(["beside", "only"]), help="Also as one data set.")
@click.option("--time-limit", type=float, default=600.0, show_default=True, help="s per file.")
@click.option("--memory-limit", type=float, default=8000.0, show_default=True, help="MB per file.")
@click.option("--quiet", is_flag=True, help="No progress, only the last line.")
@click.option("--jsonl", is_flag=True, help="One JSON object a clip on standard output.")
@_shared_options
@_common
def batch(
    paths: tuple[str, ...],
    out: str,
    jobs: int | None,
    dask: str | None,
    fresh: bool,
    dataset: str | None,
    time_limit: float,
    memory_limit: float,
    quiet: bool,
    jsonl: bool,
    verbose: int,
    debug: bool,
    **options: Any,
) -> int:
    """Run the pipeline on folders of files, in parallel; run it again to resume."""
    from mocap_reroot.batch import telling
    from mocap_reroot.batch.engine import run_batch
    from mocap_reroot.batch.workers import Limits
    from mocap_reroot.clips import find_clips

    _start_logging(verbose)
    config, clips = _configuration(options, "core", report=False), find_clips(paths)
    limits, engine = Limits(time_limit, memory_limit), None
    if dask:
        from mocap_reroot.batch.dask_engine import on_dask

        engine = on_dask(dask, limits)
    if jsonl:
        teller: Any = telling.json_lines()
    else:
        teller = telling.silence() if quiet else telling.progress_bar(len(clips))
    with teller as tell:
        tally = run_batch(
            clips,
            Path(out),
            config,
            jobs=jobs,
            fresh=fresh,
            limits=limits,
            engine=engine,
            tell=tell,
        )
    if dataset:
        from mocap_reroot.batch.dataset import gather

        gather(Path(out), tally.rows, keep_clips=dataset == "beside")
    failed = len(tally.failures)
    line = f"{tally.done - failed} of {tally.total} clips done ({tally.skipped} were there already)"
    line += f", {failed} failed, see {Path(out) / 'failures.csv'}" if failed else ""
    click.echo(line, err=jsonl)
    return 1 if failed else 0


@app.command()
@click.argument("paths", nargs=-1, required=True)
@click.option("-o", "--out", required=True, type=click.Path(), help="Folder for the BVH files.")
@click.option("--root", default=None, help="Body to root the tree at.")
@click.option("--support", is_flag=True, help="One file per support phase, rooted at the support.")
@click.option("--as-is", is_flag=True, help="Only convert: C3D to BVH, units, repairs.")
@click.option("--unit", default="auto", help="Unit of the files: auto, m, cm, mm, in, cmu, NUMBER.")
@click.option("--up", default="auto", help="auto, x, y, z, -x, -y, -z.")
@click.option("--markerset", default="auto", help="Name or TOML file of the marker set.")
@_common
def convert(
    paths: tuple[str, ...],
    out: str,
    root: str | None,
    support: bool,
    as_is: bool,
    verbose: int,
    debug: bool,
    **reading: Any,
) -> int:
    """Write BVH: re-rooted at a body, one file per support phase, or only converted."""
    from mocap_reroot.clips import find_clips
    from mocap_reroot.config import Reading
    from mocap_reroot.conversion import convert_clip

    if sum((root is not None, support, as_is)) != 1:
        raise click.UsageError("Say one of --root BODY, --support or --as-is.")
    _start_logging(verbose)
    clips, failed = find_clips(paths), 0
    settings = Reading(**reading)
    with click.progressbar(
        clips, label="Converting", file=sys.stderr, hidden=len(clips) < 3
    ) as bar:
        for clip in bar:
            try:
                written = convert_clip(clip, Path(out), settings, root=root, support=support)
            except MocapRerootError as error:
                failed += 1
                _complain(error, debug, clip.path)
                continue
            for path in written:
                click.echo(f"{clip.path} -> {path}")
    return 1 if failed else 0


def _complain(error: Exception, debug: bool, path: Path | None = None) -> None:
    """Print an error as one sentence that names the file; with --debug its traceback too."""
    if debug:
        import traceback

        traceback.print_exception(error)
    place = f"{path}: " if path is not None and str(path) not in str(error) else ""
    click.secho(f"Error: {place}{error}", fg="red", err=True)


def main(arguments: list[str] | None = None) -> None:
    """Run the command line; exit 0: all done, 1: some input failed, 2: wrong usage."""
    given = sys.argv[1:] if arguments is None else arguments
    debug = "--debug" in given
    try:
        code = app(given, prog_name="mocap-reroot", standalone_mode=False)
    except click.exceptions.Exit as leaving:
        code = leaving.exit_code
    except click.UsageError as error:
        error.show()
        code = 2
    except click.ClickException as error:
        error.show()
        code = error.exit_code
    except (click.Abort, KeyboardInterrupt):
        click.echo("Stopped.", err=True)
        code = 130
    except MocapRerootError as error:
        from mocap_reroot.errors import ConfigError

        _complain(error, debug)
        code = 2 if isinstance(error, ConfigError) else 1
    sys.exit(code if isinstance(code, int) else 0)


if __name__ == "__main__":
    main()
