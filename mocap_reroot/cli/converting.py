"""``convert``: motion out."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import Any

import click

from mocap_reroot.cli.options import attempt, common, config_file, config_options, resolved
from mocap_reroot.cli.parallel import Parallel, parallel_options
from mocap_reroot.config import SIMULATORS
from mocap_reroot.errors import path_text

TARGETS = (
    "bvh",
    "trc",
    "c3d",
    "glb",
    "osim",
    *SIMULATORS,
)  # as in `conversion`, without loading it


@click.command()
@click.argument("paths", nargs=-1, required=True)
@click.option("-o", "--out", required=True, type=click.Path(), help="Folder for the files.")
@click.option("--root", default=None, help="Body to root the tree at.")
@click.option("--support", is_flag=True, help="One file per support phase, rooted at the support.")
@click.option("--as-is", is_flag=True, help="Only convert: format, units, repairs.")
@click.option("--to", type=click.Choice(TARGETS), default=None, help="Format (default: bvh).")
@config_options(
    "reading", "body", "smoothing", "contact", "forces", "ground", "fps", "up_out", "float32"
)
@config_file
@parallel_options
@common
def convert(
    paths: tuple[str, ...],
    out: str,
    root: str | None,
    support: bool,
    as_is: bool,
    to: str | None,
    parallel: Parallel,
    **options: Any,
) -> int:
    """Write motion: re-rooted at a body, one file per support phase, or only converted.

    Many files are converted in parallel; one that fails never stops the rest.
    """
    from mocap_reroot.conversion import Conversion, convert_clip
    from mocap_reroot.resources.clips import find_clips

    ways = sum((root is not None, support, as_is))
    if ways > 1 or (ways == 0 and to is None):
        raise click.UsageError("Say one of --root BODY, --support or --as-is.")
    how = resolved(options), root, support, to or "bvh"
    tasks = [Conversion(clip, Path(out), *how) for clip in find_clips(paths)]
    if len(tasks) == 1:  # a process for one file is not worth starting
        one = partial(convert_clip, tasks[0], lambda stage: None)
        written = attempt(one, tasks[0].clip.path)
        for path in written or ():
            click.echo(f"{path_text(tasks[0].clip.path)} -> {path_text(path)}")
        return 0 if written is not None else 1

    from mocap_reroot.batch.engine import Tally, on_this_machine, stop_if_disk_full
    from mocap_reroot.resources.cores import cores

    engine = on_this_machine(parallel.jobs or cores(), parallel.limits)
    tally, files = Tally(len(tasks)), 0
    with parallel.telling(len(tasks), "Converting") as tell:
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
    click.echo(line + (f", {failed} failed" if failed else ""), err=parallel.jsonl)
    return 1 if failed else 0
