"""``inspect`` and ``run``: say what a file holds; run the pipeline on it."""

from __future__ import annotations

import json
from functools import partial
from pathlib import Path
from typing import Any

import click

from mocap_reroot.cli.options import (
    attempt,
    clips_among,
    common,
    config_options,
    configuration,
    shared_options,
)
from mocap_reroot.cli.warming import compile_first
from mocap_reroot.errors import path_text


@click.command()
@click.argument("files", nargs=-1, required=True)
@click.option("--json", "as_json", is_flag=True, help="Machine-readable, one object a file.")
@config_options("reading")
@common
def inspect(files: tuple[str, ...], as_json: bool, **options: Any) -> int:
    """Say what FILES are and what was inferred about them."""
    from mocap_reroot.reading import motion_of, read_recording
    from mocap_reroot.report.inspection import inspection, render
    from mocap_reroot.signals.cleaning import clean

    config, found = configuration(options), []
    clips, failed = clips_among(files)

    def look(path: Path) -> dict[str, Any]:
        recording = read_recording(path, config.reading)
        motion = motion_of(recording, config.reading, config.parameters.plates)
        return inspection(clean(motion), recording)

    for clip in clips:
        page = attempt(partial(look, clip.path), clip.path)
        if page is None:
            failed += 1
            continue
        found.append(page)
        if not as_json:
            render(page)
    if as_json:
        click.echo(json.dumps(found[0] if len(files) == 1 and len(found) == 1 else found, indent=2))
    return 1 if failed else 0


@click.command()
@click.argument("files", nargs=-1, required=True)
@click.option("-o", "--out", required=True, type=click.Path(), help="Folder for the results.")
@click.option("--json", "as_json", is_flag=True, help="Machine-readable, one list of clips.")
@shared_options
@common
def run(files: tuple[str, ...], out: str, as_json: bool, **options: Any) -> int:
    """Run the whole pipeline on each of FILES; results go to OUT/<name of the file>.

    It ends with a line a clip: its grade, why, what accuracy to expect, and where to look.
    """
    config, (clips, failed) = configuration(options), clips_among(files)
    if not clips:
        return 1
    from mocap_reroot.kernels.ahead import kinds_of

    def work(path: Path, folder: Path) -> dict[str, Any]:
        from mocap_reroot.analysis import analyze

        return analyze(path, config=config).save(folder)

    compile_first(kinds_of(clip.path for clip in clips), quiet=as_json)
    verbose, told = click.get_current_context().params["verbose"], []
    for clip in clips:
        folder = Path(out) / clip.place
        summary = attempt(partial(work, clip.path, folder), clip.path)
        if summary is None:
            failed += 1
            continue
        told.append((clip.path, folder, summary))
        if not as_json:
            _tell_notes(clip.path, summary, verbose)
    if as_json:
        click.echo(json.dumps([_row(*one) for one in told], indent=2))
    else:
        for one in told:
            click.echo(_verdict_line(*one))
    return 1 if failed else 0


def _tell_notes(path: Path, summary: dict[str, Any], verbose: int) -> None:
    """Print what the user must know of a clip; all that was found with ``-v``."""
    from mocap_reroot.report.notes import notes

    shown = notes(summary)
    if verbose:
        shown = [*shown, *summary["warnings"], *(f"repaired: {r}" for r in summary["repairs"])]
    for note in shown:
        click.echo(f"{path_text(path.name)}: {note}")


def _verdict_line(path: Path, folder: Path, summary: dict[str, Any]) -> str:
    """Return grade, reason, what accuracy to expect, and where to look, in one line."""
    from mocap_reroot.report.notes import expected_words
    from mocap_reroot.report.verdict import Verdict

    shown, more = summary["grade_reasons"][:2], len(summary["grade_reasons"]) - 2
    shown += [f"{more} more in summary.json"] if more > 0 else []
    expected = expected_words(summary)
    expected = f" {expected[:1].upper()}{expected[1:]}." if expected else ""
    verdict = Verdict(summary["grade"], tuple(shown)).sentence
    page = folder / "report.html"
    where = path_text(page if page.is_file() else folder)
    return f"{path_text(path.name)}: {verdict}{expected} -> {where}"


def _row(path: Path, folder: Path, summary: dict[str, Any]) -> dict[str, Any]:
    """Return the same for scripts."""
    from mocap_reroot.report.notes import notes

    keys = ("grade", "grade_reasons", "activity", "forces", "mass", "warnings", "repairs")
    return {
        "file": path_text(path),
        "folder": path_text(folder),
        **{key: summary[key] for key in keys},
        "expected": summary["quality"].get("expected") or {},
        "notes": notes(summary),
    }
