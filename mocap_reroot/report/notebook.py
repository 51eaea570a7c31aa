"""Notebook display of a result: a small table and a plot."""

from __future__ import annotations

from typing import Any

import pandas as pd

from mocap_reroot.report.cycle_figure import cycle_figure
from mocap_reroot.report.markup import Html, join, table, tag
from mocap_reroot.report.verdict import verdict_of


def clip_html(title: str, result: Any) -> str:
    """Return a clip: verdict, what it was taken to be, and the curves of its legs if it walks.

    Args:
        title: Its repr.
        result: A :class:`mocap_reroot.clip_result.ClipResult`.
    """
    summary = result.summary
    gait = summary.get("gait") or {}
    facts = [
        ("verdict", verdict_of(summary)),
        ("mass, height", f"{summary['mass']:.1f} kg, {_metres(summary.get('height'))}"),
        ("ground forces", summary.get("forces", "")),
        ("strides", f"{gait['strides']}, {gait['gait']}" if gait else "none"),
    ]
    return tag("div", _facts(title, facts), _figure(result.cycles, "side"))


def study_html(title: str, index: pd.DataFrame, cycles: pd.DataFrame | None) -> str:
    """Return a study: how many clips of which grade, and the curves of all legs.

    Args:
        title: Its repr.
        index: ``index.parquet``.
        cycles: The cycles of all clips with ``clip`` and ``subject``; None where there are none.
    """
    subjects = [s for s in index["subject"].unique() if s]
    grades = index["grade"].value_counts().sort_index()
    facts = [
        ("clips", len(index)),
        ("subjects", len(subjects) or "not named"),
        ("grades", ", ".join(f"{n} × {grade}" for grade, n in grades.items()) or "none"),
    ]
    return tag("div", _facts(title, facts), _figure(cycles, None))


def _facts(title: str, facts: list[tuple[str, Any]]) -> Html:
    return table(("", title.strip("<>")), facts)


def _figure(cycles: pd.DataFrame | None, by: str | None) -> Html:
    if cycles is None or not len(cycles):
        return join(())
    return Html(cycle_figure(cycles, by=by)._repr_svg_())


def _metres(height: float | None) -> str:
    return "–" if height is None else f"{height:.2f} m"
