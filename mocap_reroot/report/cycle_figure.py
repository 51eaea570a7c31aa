"""Gait cycles as papers show them: mean and standard deviation by percent, SVG or PNG."""

from __future__ import annotations

from collections.abc import Sequence
from io import StringIO
from typing import Any

import pandas as pd
from matplotlib import rc_context
from matplotlib.figure import Figure

from mocap_reroot.errors import MocapRerootError, UnknownNameError
from mocap_reroot.report.means import mean_and_sd

# Okabe and Ito's colours: told apart by everyone.
_COLOURS = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#000000")
JOINTS = {
    "hip": ("hip_flexion_deg", "hip_flexion_nm_kg", "hip_power_w_kg"),
    "knee": ("knee_flexion_deg", "knee_flexion_nm_kg", "knee_power_w_kg"),
    "ankle": ("ankle_dorsiflexion_deg", "ankle_dorsiflexion_nm_kg", "ankle_power_w_kg"),
    "grf": ("grf_vertical_bw", "grf_forward_bw", "grf_lateral_bw"),
}
"""What a word shows, three panels a row."""
_UNITS = {"_deg": "°", "_nm_kg": "N·m/kg", "_w_kg": "W/kg", "_bw": "body weights"}
_STYLE: Any = {"svg.fonttype": "none", "font.size": 8, "axes.spines.top": False,
          "axes.spines.right": False, "axes.titlesize": 9}  # fmt: skip


class SvgFigure(Figure):
    """A Matplotlib figure that notebooks show; ``savefig("knee.svg")``, ``savefig("knee.png")``."""

    def _repr_svg_(self) -> str:
        text = StringIO()
        with rc_context(_STYLE):  # letters stay letters, to be edited in drawing programs
            self.savefig(text, format="svg")
        return text.getvalue()

    def savefig(self, fname: Any, **options: Any) -> None:
        """Write the figure; the suffix says how. PNG at 300 dots an inch unless ``dpi`` is given.

        Args:
            fname: File to write.
            **options: Of Matplotlib's ``savefig``.
        """
        with rc_context(_STYLE):
            super().savefig(fname, **{"dpi": 300, **options})


def cycle_figure(
    cycles: pd.DataFrame, what: Sequence[str] = (), by: str | None = None
) -> SvgFigure:
    """Return mean ± standard deviation of curves by percent of the gait cycle.

    Args:
        cycles: Rows of ``cycles.parquet``, with further columns to group by.
        what: ``"hip"``, ``"knee"``, ``"ankle"``, ``"grf"`` (a row of panels each) or columns such
            as ``"knee_adduction_nm_kg"``; hip, knee and ankle by default.
        by: Column whose values get a colour each; none: all in one.

    Raises:
        MocapRerootError: There is no stride to show.
        UnknownNameError: There is no such curve or column; offers names.
    """
    rows = _panels(what or ("hip", "knee", "ankle"), cycles)
    if not len(cycles):
        raise MocapRerootError(
            "There is no sound stride to show: no foot strikes twice with every frame between "
            "sound (see strides.csv)."
        )
    made = mean_and_sd("cycles", cycles, [by] if by else [])
    groups = list(made.groupby(by)) if by else [("", made)]
    with rc_context(_STYLE):
        figure = SvgFigure(figsize=(2.4 * max(map(len, rows)), 1.9 * len(rows) + 0.3))
        figure.set_layout_engine("constrained")
        axes = figure.subplots(len(rows), max(map(len, rows)), squeeze=False, sharex=True)
        for line, panels in zip(axes, rows, strict=True):
            for axis, curve in zip(line, panels, strict=False):
                _draw(axis, curve, groups)
            for axis in line[len(panels) :]:
                axis.set_visible(False)
        for axis in axes[-1]:
            axis.set_xlabel("gait cycle (%)")
        if by:
            handles, labels = axes[0][0].get_legend_handles_labels()
            figure.legend(
                handles, labels, loc="outside lower center", ncols=4, frameon=False, title=by
            )
    return figure


def _panels(what: Sequence[str], cycles: pd.DataFrame) -> list[tuple[str, ...]]:
    curves = [c for c in cycles.columns if c.endswith(tuple(_UNITS))]
    rows: list[tuple[str, ...]] = []
    for word in what:
        if word.lower() not in JOINTS and word not in curves:
            raise UnknownNameError("curve", word, (*JOINTS, *curves))
        rows.append(JOINTS.get(word.lower(), (word,)))
    return rows


def _draw(axis: Any, curve: str, groups: list[tuple[Any, pd.DataFrame]]) -> None:
    end, unit = next(pair for pair in _UNITS.items() if curve.endswith(pair[0]))
    axis.axhline(0, color="#999999", linewidth=0.5)
    for (name, table), colour in zip(groups, _cycle(len(groups)), strict=True):
        mean, sd = table[f"{curve}_mean"], table[f"{curve}_sd"]
        label = f"{name} (n = {table['n'].max()})"
        axis.fill_between(
            table["percent"], mean - sd, mean + sd, color=colour, alpha=0.18, linewidth=0
        )
        axis.plot(table["percent"], mean, color=colour, linewidth=1.3, label=label)
    words = curve.removesuffix(end).replace("_", " ").replace("grf", "ground force")
    kind = " moment" if end == "_nm_kg" else ""
    axis.set_title(f"{words}{kind}")
    axis.set_ylabel(unit)
    axis.set_xlim(0, 100)


def _cycle(count: int) -> list[str]:
    return [_COLOURS[k % len(_COLOURS)] for k in range(count)]
