"""``convert``: BVH out."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import Any

import click

from mocap_reroot.cli.batching import parallel_options, teller
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
@parallel_options
@common
def convert(
    paths: tuple[str, ...],
    out: str,
    root: str | None,
    support: bool,
    as_is: bool,
    jobs: int | None,
    time_limit: float,
    memory_limit: float | None,
    quiet: bool,
    jsonl: bool,
    verbose: int,
    debug: bool,
    **reading: Any,
) -> int:
    """Write BVH: re-rooted at a body, one file per support phase, or only converted.

    Many files are converted in parallel; one that fails never stops the rest.
    """
    from mocap_reroot.clips import find_clips
    from mocap_reroot.config import Reading
    from mocap_reroot.conversion import Conversion, convert_clip

    if sum((root is not None, support, as_is)) != 1:
        raise click.UsageError("Say one of --root BODY, --support or --as-is.")
    start_logging(verbose)
    settings = Reading(**reading)
    tasks = [Conversion(clip, Path(out), settings, root, support) for clip in find_clips(paths)]
    if len(tasks) == 1:  # a process for one file is not worth starting
        one = partial(convert_clip, tasks[0], lambda stage: None)
        written = attempt(one, tasks[0].clip.path, debug)
        for path in written or ():
            click.echo(f"{tasks[0].clip.path} -> {path}")
        return 0 if written is not None else 1

    from mocap_reroot.batch.engine import Tally, on_this_machine, stop_if_disk_full
    from mocap_reroot.batch.workers import Limits
    from mocap_reroot.kernels.threads import cores

    engine = on_this_machine(jobs or cores(), Limits(time_limit, memory_limit))
    tally, files = Tally(len(tasks)), 0
    with teller(len(tasks), quiet, jsonl, "Converting") as tell:
        for outcome in engine(convert_clip, tasks):
            tally.done += 1
            if outcome.kind:
                tally.fail(outcome)
            else:
                files += len(outcome.value)
            if tell is not None:
                tell(tally, outcome)
            stop_if_disk_full(Path(out), outcome)
    failed = len(tally.failures)
    line = f"{tally.done - failed} of {tally.total} clips converted, {files} files"
    click.echo(line + (f", {failed} failed" if failed else ""), err=jsonl)
    return 1 if failed else 0
