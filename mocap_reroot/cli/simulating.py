"""``simulate``: run the published experiments of ``papers``."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import click

from mocap_reroot.cli.options import common


def _out(command: Callable[..., Any]) -> Callable[..., Any]:
    return click.option(
        "-o", "--out", required=True, type=click.Path(), help="Folder for tables, figures, page."
    )(common(command))


@click.group()
def simulate() -> None:
    """Repeat the experiments of the papers: tables, figures and a short page."""


@simulate.command()
@click.option("--slope", default=0.0524, show_default=True, help="rad.")
@click.option("--steps", default=30, show_default=True, help="How many steps to walk.")
@click.option("--dt", default=5e-3, show_default=True, help="s, longest time step.")
@click.option("--gravity", default=9.81, show_default=True, help="m/s².")
@click.option("--leg-mass", default=1.0, show_default=True, help="kg.")
@click.option("--hip-mass", default=2.0, show_default=True, help="kg.")
@click.option("--length", default=1.0, show_default=True, help="m, of a leg.")
@click.option("--distance", default=0.5, show_default=True, help="m, from the hip to a leg's mass.")
@_out
def compass(out: str, **options: Any) -> int:
    """Walk the compass biped of Stępień et al., section 8, down a slope."""
    from mocap_reroot.papers import compass as scene

    return _told(scene.run(Path(out), **options), out)


@simulate.command()
@click.option("--figures", default=13, show_default=True, help="How many figures hold hands.")
@click.option("--seconds", default=4.0, show_default=True, help="s, how long the plate is shaken.")
@click.option("--step", default=1 / 12, show_default=True, help="s, mean time step of the shaking.")
@_out
def assembly(out: str, **options: Any) -> int:
    """Assemble the scenes of Faure, sections 3 and 4."""
    from mocap_reroot.papers import assembly_scenes as scene

    return _told(scene.run(Path(out), **options), out)


@simulate.command()
@click.option("--seconds", default=5.0, show_default=True, help="s, how long to swing.")
@click.option("--dt", default=1e-2, show_default=True, help="s, time step.")
@click.option("--angle", default=0.5, show_default=True, help="rad, of the ropes at the start.")
@click.option("--gravity", default=9.81, show_default=True, help="m/s².")
@click.option(
    "--grip", type=click.Choice(["point", "rigid"]), default="point", show_default=True,
    help="How hands hold the ropes.",
)  # fmt: skip
@click.option("--first-release", default=2.0, show_default=True, help="s, when one hand lets go.")
@click.option("--second-release", default=3.0, show_default=True, help="s, when the other does.")
@click.option("--pose", type=click.Path(), default=None, help="Motion file of a pose to check too.")
@_out
def swing(out: str, **options: Any) -> int:
    """Swing the figure of Yamane and Nakamura, section 4, and let it go hand by hand."""
    from mocap_reroot.papers import swing as scene

    return _told(scene.run(Path(out), **options), out)


def _told(result: Any, out: str) -> int:
    click.echo(str(result))
    click.echo(f"Tables, figures and page: {out}")
    return 0
