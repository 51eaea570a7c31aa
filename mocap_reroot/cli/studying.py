"""``subjects``: propose the table of a study."""

from __future__ import annotations

from pathlib import Path

import click

from mocap_reroot.cli.options import common
from mocap_reroot.errors import path_text


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
