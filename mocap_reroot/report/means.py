"""Mean and standard deviation of gait cycles and peaks, over strides or subjects."""

from __future__ import annotations

from collections.abc import Sequence

import pandas as pd

from mocap_reroot.errors import UnknownNameError

_ALONG = {"cycles": ["percent"], "peaks": ["quantity"], "strides": []}
"""What a table has besides strides: a mean is taken at each."""
_NUMBERS = (
    "stride", "percent", "start_frame", "stop_frame", "off_frame", "start_time", "stop_time",
)  # fmt: skip
"""Columns that count, of which there is no mean."""


def mean_and_sd(name: str, table: pd.DataFrame, by: str | Sequence[str]) -> pd.DataFrame:
    """Return ``<column>_mean`` and ``<column>_sd`` of a table by some of its columns, and ``n``.

    By subject, clip or nothing but side these are over strides. By anything else, such as a group,
    strides are averaged within each person first, so that ``n`` and the standard deviation are of
    people, as papers report them.

    Args:
        name: ``"cycles"``, ``"peaks"`` or ``"strides"``, of which only sound ones count.
        table: Its rows, with ``clip`` and ``subject`` where they are of several.
        by: Columns; none: everything together.

    Raises:
        UnknownNameError: There is no such table to average, or no such column; offers names.
    """
    if name not in _ALONG:
        raise UnknownNameError("table to average", name, tuple(_ALONG))
    groups = [by] if isinstance(by, str) else list(by)
    for column in groups:
        if column not in table:
            raise UnknownNameError("column", column, tuple(table.columns))
    along = _ALONG[name]
    table = table[table["sound"]] if "sound" in table else table
    values = [
        c for c in table.select_dtypes("number").columns if c not in (*groups, *along, *_NUMBERS)
    ]
    if not {"subject", "clip"} & set(groups) and "subject" in table:
        people = table["subject"].where(table["subject"] != "", table["clip"])
        keys = [*groups, "subject", *along]
        table = table.assign(subject=people).groupby(keys, sort=False)[values].mean().reset_index()
    keys = [*groups, *along]
    if not keys:
        table, keys = table.assign(all=""), ["all"]
    grouped = table.groupby(keys, sort=bool(groups))[values]
    made = grouped.agg(["mean", "std"])
    made.columns = [f"{column}_{'sd' if what == 'std' else what}" for column, what in made.columns]
    made.insert(0, "n", grouped.size())
    return made.reset_index().drop(columns=["all"], errors="ignore")
