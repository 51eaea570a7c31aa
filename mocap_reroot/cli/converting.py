"""``convert``: write a clip in another format."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import Any

import click

from mocap_reroot.cli.options import attempt, common, config_file, config_options, configuration
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
@click.option("--consistent", is_flag=True, help="Correct the motion so that it obeys physics.")
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
    consistent: bool,
    to: str | None,
    parallel: Parallel,
    **options: Any,
) -> int:
    """Write motion: re-rooted at a body, one file per support phase, or only converted.

    With --consistent it is corrected so that it obeys physics, with --pin-feet stance feet are
    held; a line a clip says how far it was moved, index.csv of many also how it is graded. Many
    files are converted in parallel; one that fails never stops the rest.
    """
    from mocap_reroot.conversion import Conversion, convert_clip
    from mocap_reroot.resources.clips import find_clips

    ways, config = sum((root is not None, support, as_is)), configuration(options)
    said = to is not None or consistent or config.contact.pin_feet
    if ways > 1 or (ways == 0 and not said):
        raise click.UsageError("Say one of --root BODY, --support or --as-is.")
    how = config, root, support, to or "bvh", consistent
    tasks = [Conversion(clip, Path(out), *how) for clip in find_clips(paths)]
    if len(tasks) == 1:  # a process for one file is not worth starting
        one = partial(convert_clip, tasks[0], lambda stage: None)
        written = attempt(one, tasks[0].clip.path)
        if written is None:
            return 1
        name = path_text(tasks[0].clip.path)
        for path in written.files:
            click.echo(f"{name} -> {path_text(path)}")
        if written.line:
            click.echo(f"{name}: {written.line}")
        return 0

    from mocap_reroot.batch.engine import Tally, on_this_machine, stop_if_disk_full
    from mocap_reroot.batch.index import refuse_foreign_corrections, write_corrections
    from mocap_reroot.resources.cores import cores

    engine = on_this_machine(parallel.jobs or cores(), parallel.limits)
    tally, files = Tally(len(tasks)), 0
    if tasks and tasks[0].corrects:
        refuse_foreign_corrections(Path(out))
    with parallel.progress(len(tasks), "Converting") as tell:
        for outcome in engine(convert_clip, tasks):
            tally.done += 1
            if outcome.kind:
                tally.fail(outcome)
            else:
                files += len(outcome.value.files)
                if outcome.value.row:
                    tally.rows.append(outcome.value.row)
                if outcome.value.line and not (parallel.quiet or parallel.jsonl):
                    click.echo(f"{path_text(outcome.task.clip.path)}: {outcome.value.line}")
            if tell is not None:
                tell(tally, outcome)
            stop_if_disk_full(Path(out), outcome)
    if tally.rows:
        write_corrections(Path(out), tally.rows)
    failed = len(tally.failures)
    line = f"{tally.done - failed} of {tally.total} clips converted, {files} files"
    click.echo(line + (f", {failed} failed" if failed else ""), err=parallel.jsonl)
    return 1 if failed else 0
