"""``batch`` and ``subjects``: the pipeline on folders of files; a table of their subjects."""

from __future__ import annotations

from collections import Counter
from functools import partial
from pathlib import Path
from typing import Any

import click

from mocap_reroot.cli.options import common, configuration, shared_options
from mocap_reroot.cli.parallel import Parallel, parallel_options
from mocap_reroot.cli.warming import compile_first
from mocap_reroot.errors import path_text


class Reports(click.ParamType[str]):
    """Which clips of a batch get a report: none, worst, all, or a number of them."""

    name = "reports"

    def convert(self, value: Any, param: Any, ctx: Any) -> str:
        """Return the word or number, if it is one."""
        if value in ("none", "worst", "all") or str(value).isdecimal():
            return str(value)
        return self.fail(f"{value!r} is none of none, worst, all, or a number.", param, ctx)


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
@click.option(
    "--subjects",
    type=click.Path(),
    default=None,
    metavar="FILE.csv",
    help="Table of subjects: mass, height, sex, static trial, model, files (see `subjects`).",
)
@click.option(
    "--report",
    "reports",
    type=Reports(),
    default=None,
    metavar="none|worst|all|N",
    help="Whose report.html to write: nobody's (default), of clips graded C or D (20 at most), "
    "everybody's, or of the N worst.",
)
@click.option("--no-report", "reports", flag_value="none", help="The same as --report none.")
@parallel_options
@partial(shared_options, but="report")
@common
def batch(
    paths: tuple[str, ...],
    out: str,
    dask: str | None,
    fresh: bool,
    dataset: str | None,
    subjects: str | None,
    reports: str | None,
    parallel: Parallel,
    **options: Any,
) -> int:
    """Run the pipeline on folders of files, in parallel; run it again to resume."""
    from mocap_reroot.batch.workers import start_server
    from mocap_reroot.kernels.ahead import kinds_of
    from mocap_reroot.resources.clips import find_clips

    if reports is not None:
        options["report"] = reports == "all"
    defaults = {"tables": "core", "report": False, "compare_plates": False}
    config, clips = configuration(options, **defaults), find_clips(paths)
    people = None
    if subjects:
        from mocap_reroot.batch.subjects import read_subjects

        table = read_subjects(subjects, config)
        every, clips = len(clips), table.without_statics(clips)
        people = table.of(clips)
        click.echo(
            f"{len({one.name for one in people})} subjects; {every - len(clips)} static trials "
            "calibrate and are not analysed",
            err=True,
        )
    if not dask:
        compile_first(kinds_of(clip.path for clip in clips), parallel.quiet or parallel.jsonl)
        start_server()  # first, so that it loads its modules while we load ours
    from mocap_reroot.batch.engine import run_batch

    folder, engine = Path(out), None
    if dask:
        from mocap_reroot.batch.dask_engine import on_dask

        engine = on_dask(dask, parallel.jobs, parallel.limits)
    with parallel.progress(len(clips), "Analysing") as tell:
        tally = run_batch(
            clips,
            folder,
            config,
            subjects=people,
            dataset=dataset is not None,
            jobs=parallel.jobs,
            fresh=fresh,
            limits=parallel.limits,
            engine=engine,
            tell=tell,
        )
    if dataset:
        from mocap_reroot.batch.dataset import gather

        gather(folder, keep_clips=dataset == "beside")
    from mocap_reroot.report.index_page import write_index_page, write_worst_reports

    if reports not in (None, "none", "all"):
        write_worst_reports(folder, None if reports == "worst" else int(reports))
    write_index_page(folder)
    failed, grades = len(tally.failures), Counter(row["grade"] for row in tally.rows)
    line = f"{tally.done - failed} of {tally.total} clips done ({tally.skipped} were there already)"
    line += f", {failed} failed, see {path_text(folder / 'failures.csv')}" if failed else ""
    graded = ", ".join(f"{count} × {grade}" for grade, count in sorted(grades.items()))
    line += f"; grades {graded} -> {path_text(folder / 'index.html')}" if graded else ""
    click.echo(line, err=parallel.jsonl)
    return 1 if failed else 0


@click.command()
@click.argument("paths", nargs=-1, required=True)
@click.option("-o", "--out", required=True, type=click.Path(), help="Table to write, .csv.")
@click.option("--fresh", is_flag=True, help="Replace a table that is there already.")
@common
def subjects(paths: tuple[str, ...], out: str, fresh: bool) -> int:
    """Propose a table of subjects for `batch --subjects`: who is who, static trials, masses.

    Edit it: add a column such as group, correct masses, empty a cell that should be inferred.
    """
    from mocap_reroot.errors import ConfigError
    from mocap_reroot.resources.clips import find_clips

    table = Path(out)
    if table.exists() and not fresh:
        raise ConfigError(f"{path_text(table)} is there already. Say --fresh to replace it.")
    clips = find_clips(paths)
    from mocap_reroot.batch.proposal import propose, write_proposal

    found = propose(clips, table)
    write_proposal(found, table)
    for one in found:
        click.echo(str(one))
    click.echo(
        f"-> {path_text(table)}: look it over, then "
        f"`mocap-reroot batch {' '.join(paths)} -o OUT --subjects {path_text(table)}`"
    )
    return 0
