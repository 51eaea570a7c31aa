"""``inspect`` and ``run``: from a file to what is in it, and to results."""

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
    resolved,
    shared_options,
)
from mocap_reroot.cli.warming import compile_first
from mocap_reroot.errors import legible, path_text


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

    reading, found = resolved(options).reading, []
    clips, failed = clips_among(files)

    def look(path: Path) -> dict[str, Any]:
        recording = read_recording(path, reading)
        return inspection(clean(motion_of(recording, reading)), recording)

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
@shared_options
@common
def run(files: tuple[str, ...], out: str, **options: Any) -> int:
    """Run the whole pipeline on each of FILES; results go to OUT/<name of the file>."""
    config, (clips, failed) = configuration(options, "all"), clips_among(files)
    if not clips:
        return 1
    from mocap_reroot.kernels.ahead import kinds_of
    from mocap_reroot.report.verdict import verdict_of

    def work(path: Path, folder: Path) -> tuple[str, dict[str, Any]]:
        from mocap_reroot.analysis import analyze

        analysis = analyze(path, config=config)
        return repr(analysis), analysis.save(folder)

    compile_first(kinds_of(clip.path for clip in clips))
    for clip in clips:
        folder = Path(out) / clip.place
        told = attempt(partial(work, clip.path, folder), clip.path)
        if told is None:
            failed += 1
            continue
        click.echo(f"{path_text(clip.path)} -> {path_text(folder)}  {legible(told[0])}")
        click.echo(f"  {verdict_of(told[1])}")
        for repair in told[1]["repairs"]:
            click.echo(f"  repaired: {repair}")
        for warning in told[1]["warnings"]:
            click.echo(f"  note: {warning}")
    return 1 if failed else 0
