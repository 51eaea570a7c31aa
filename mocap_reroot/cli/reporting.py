"""``report`` and ``compare``: HTML pages from result folders."""

from __future__ import annotations

from functools import partial
from pathlib import Path

import click

from mocap_reroot.cli.options import attempt, common
from mocap_reroot.errors import path_text


@click.command()
@click.argument("folders", nargs=-1, required=True, type=click.Path())
@common
def report(folders: tuple[str, ...]) -> int:
    """(Re)build report.html in FOLDERS of results, such as OUT/walk; in a batch, index.html too."""
    from mocap_reroot.report.index_page import write_index_page
    from mocap_reroot.report.page import write_report

    failed = 0
    for folder in map(Path, folders):
        is_batch = (folder / "index.parquet").is_file()
        page = attempt(partial(write_index_page if is_batch else write_report, folder), folder)
        if page is None:
            failed += 1
            continue
        click.echo(f"{path_text(folder)} -> {path_text(page)}")
    return 1 if failed else 0


@click.command()
@click.argument("run_a", type=click.Path())
@click.argument("run_b", type=click.Path())
@click.option("-o", "--out", type=click.Path(), help="Folder for comparison.csv and its page.")
@common
def compare(run_a: str, run_b: str, out: str | None) -> int:
    """Compare the torques of two runs of one clip, joint by joint: RMSE, r, peak shift."""
    from mocap_reroot.comparison import compare_runs, in_words, write_comparison

    comparison = compare_runs(run_a, run_b)
    click.echo(in_words(comparison))
    if out is not None:
        click.echo(f"-> {write_comparison(comparison, Path(out))}")
    return 0
