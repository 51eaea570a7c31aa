"""``convert``: BVH out."""

from __future__ import annotations

import sys
from functools import partial
from pathlib import Path
from typing import Any

import click

from mocap_reroot.cli.options import attempt, common, start_logging


@click.command()
@click.argument("paths", nargs=-1, required=True)
@click.option("-o", "--out", required=True, type=click.Path(), help="Folder for the BVH files.")
@click.option("--root", default=None, help="Body to root the tree at.")
@click.option("--support", is_flag=True, help="One file per support phase, rooted at the support.")
@click.option("--as-is", is_flag=True, help="Only convert: C3D to BVH, units, repairs.")
@click.option("--unit", default="auto", help="Unit of the files: auto, m, cm, mm, in, cmu, NUMBER.")
@click.option("--up", default="auto", help="auto, x, y, z, -x, -y, -z.")
@click.option("--markerset", default="auto", help="Name or TOML file of the marker set.")
@common
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
    start_logging(verbose)
    clips, failed = find_clips(paths), 0
    settings = Reading(**reading)
    with click.progressbar(
        clips, label="Converting", file=sys.stderr, hidden=len(clips) < 3
    ) as bar:
        for clip in bar:
            convert_it = partial(
                convert_clip, clip, Path(out), settings, root=root, support=support
            )
            written = attempt(convert_it, clip.path, debug)
            if written is None:
                failed += 1
                continue
            for path in written:
                click.echo(f"{clip.path} -> {path}")
    return 1 if failed else 0
