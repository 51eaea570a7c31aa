"""``batch``, and the options of every command that works on many files at once."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from pathlib import Path
from typing import Any

import click

from mocap_reroot.cli.options import common, configuration, shared_options, start_logging


def parallel_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Give a command the options about processes, limits and what is told meanwhile."""
    options = (
        click.option(
            "--jobs", type=click.IntRange(1), default=None, help="Processes (default: all cores)."
        ),
        click.option(
            "--time-limit",
            type=click.FloatRange(min=0, min_open=True),
            default=600.0,
            show_default=True,
            help="s per file.",
        ),
        click.option(
            "--memory-limit",
            type=click.FloatRange(min=0, min_open=True),
            default=None,
            help="MB per file (default: the machine's memory, shared among the processes).",
        ),
        click.option("--quiet", is_flag=True, help="No progress, only the last line."),
        click.option("--jsonl", is_flag=True, help="One JSON object a clip on standard output."),
    )
    for option in reversed(options):
        command = option(command)
    return command


def teller(total: int, quiet: bool, jsonl: bool, doing: str = "Analysing") -> Any:
    """Return how to tell of a batch, as a context."""
    from mocap_reroot.batch import telling

    if jsonl:
        return telling.json_lines()
    return telling.silence() if quiet else telling.progress_bar(total, doing)


@click.command()
@click.argument("paths", nargs=-1, required=True)
@click.option("-o", "--out", required=True, type=click.Path(), help="Folder for the results.")
@click.option("--dask", default=None, metavar="ADDRESS", help="Dask scheduler, or 'local'.")
@click.option("--fresh", is_flag=True, help="Start over instead of resuming.")
@click.option(
    "--dataset",
    type=click.Choice(["beside", "only"]),
    is_flag=False,
    flag_value="beside",
    default=None,
    help="Also every table of all clips as one data set, or only so.",
)
@parallel_options
@shared_options
@common
def batch(
    paths: tuple[str, ...],
    out: str,
    dask: str | None,
    fresh: bool,
    dataset: str | None,
    jobs: int | None,
    time_limit: float,
    memory_limit: float | None,
    quiet: bool,
    jsonl: bool,
    verbose: int,
    debug: bool,
    **options: Any,
) -> int:
    """Run the pipeline on folders of files, in parallel; run it again to resume."""
    from mocap_reroot.batch.workers import Limits, start_server
    from mocap_reroot.clips import find_clips

    start_logging(verbose)
    config, clips = configuration(options, "core", report=False), find_clips(paths)
    if not dask:
        start_server()  # first, so that it loads its modules while we load ours
    from mocap_reroot.batch.engine import run_batch
    from mocap_reroot.kernels.compiling import compiled_before
    from mocap_reroot.rehearsal import rehearsal

    folder, limits, engine = Path(out), Limits(time_limit, memory_limit), None
    beside: AbstractContextManager[Any] = nullcontext()
    if dask:
        from mocap_reroot.batch.dask_engine import on_dask

        engine = on_dask(dask, jobs, limits)
    elif not compiled_before():
        if not quiet:
            click.echo("Compiling, once on this machine; it takes about half a minute.", err=True)
        beside = rehearsal()
    with beside, teller(len(clips), quiet, jsonl) as tell:
        tally = run_batch(
            clips,
            folder,
            config,
            jobs=jobs,
            fresh=fresh,
            limits=limits,
            engine=engine,
            tell=tell,
        )
    if dataset:
        from mocap_reroot.batch.dataset import gather

        gather(folder, keep_clips=dataset == "beside")
    from mocap_reroot.report.index_page import write_index_page

    write_index_page(folder)
    failed = len(tally.failures)
    line = f"{tally.done - failed} of {tally.total} clips done ({tally.skipped} were there already)"
    line += f", {failed} failed, see {folder / 'failures.csv'}" if failed else ""
    click.echo(line, err=jsonl)
    return 1 if failed else 0
