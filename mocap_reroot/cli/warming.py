"""``warmup``: compile the kernels beforehand; what other commands compile first, with a bar."""

from __future__ import annotations

from collections.abc import Iterable

import click

from mocap_reroot.cli.options import common


@click.command()
@common
def warmup() -> int:
    """Compile now what first uses would compile: for containers, clusters and classrooms."""
    from mocap_reroot.errors import MocapRerootError
    from mocap_reroot.kernels.ahead import KINDS
    from mocap_reroot.kernels.compiling import cache_home

    home = cache_home()
    if home is None:
        raise MocapRerootError(
            "There is no folder in which compiled code could be kept. "
            "Name one that can be written by MOCAP_REROOT_CACHE_DIR."
        )
    count = compile_first(KINDS)
    told = f"{count} kernels compiled" if count else "Everything was compiled already"
    click.echo(f"{told}; they are kept in {home}.")
    return 0


def compile_first(kinds: Iterable[str], quiet: bool = False) -> int:
    """Compile what some kinds of work need and is not compiled yet; return how much that was."""
    from mocap_reroot.kernels.ahead import compile_ahead, pending
    from mocap_reroot.resources.cores import cores

    kinds = tuple(kinds)
    entries = pending(kinds)
    if quiet or not entries:
        return compile_ahead(entries, kinds, cores(), lambda: None)
    from rich.console import Console
    from rich.progress import Progress

    # Many short tasks at the end, few long ones at the beginning: the bar speeds up.
    with Progress(console=Console(stderr=True)) as bar:
        task = bar.add_task("Compiling, once on this machine", total=len(entries))
        return compile_ahead(entries, kinds, cores(), lambda: bar.advance(task))
