"""The page of ``compare``: a table of differences, and the curves of both runs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
import pandas as pd

from mocap_reroot.report.markup import bullets, number, table, text
from mocap_reroot.report.packing import fill, pack, stride_for

_HEAD = (
    "Joint or foot", "Of", "RMSE", "% of range", "r", "Peak A", "Peak B", "B − A", "Shift (s)",
)  # fmt: skip
_DIGITS = {
    "rmse_percent": 1, "r": 3, "peak_a": 1, "peak_b": 1, "peak_difference": 1, "peak_shift_s": 3,
}  # fmt: skip


def comparison_html(
    name_a: str,
    name_b: str,
    time: np.ndarray,
    pairs: Mapping[tuple[str, str], tuple[np.ndarray, np.ndarray]],
    differences: pd.DataFrame,
    notes: Sequence[str],
) -> str:
    """Return the page.

    Args:
        name_a, name_b: What the runs are called.
        time: ``(F)`` s.
        pairs: ``(3, F)`` vectors of both runs by kind and name.
        differences: The table of :class:`mocap_reroot.comparison.Comparison`.
        notes: What the reader must know.
    """
    stride = stride_for(len(time), 6 * len(pairs))
    rows = [
        (
            row["name"],
            f"{row['what']} ({row['unit']})",
            number(row["rmse"], 2, data_value=row["rmse"]),
            *(number(row[column], digits) for column, digits in _DIGITS.items()),
        )
        for row in differences.to_dict("records")
    ]
    data = {
        "a": name_a,
        "b": name_b,
        "time": pack(time[::stride]),
        "curves": [
            {"what": kind, "name": name, "a": pack(a[:, ::stride]), "b": pack(b[:, ::stride])}
            for (kind, name), (a, b) in pairs.items()
        ],
    }
    said = [*notes]
    if stride > 1:
        said.append(f"The plot shows one frame in {stride}; the table is at the full rate.")
    return fill(
        "comparison.html",
        ("unpack.js", "plain.js", "comparison.js"),
        data,
        title=text("Comparison"),
        name_a=text(name_a),
        name_b=text(name_b),
        notes=bullets(said, "Both runs have the same joints, frames and rate."),
        differences=table(_HEAD, rows, id="differences"),
    )
