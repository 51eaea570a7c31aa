"""Gait cycles: strike to strike of one foot, and curves resampled to 0–100 % of them."""

from __future__ import annotations

import itertools

import numpy as np

from mocap_reroot.report.clip_tables import ClipTables

PERCENT = np.arange(101.0)


def cycles(clip: ClipTables, side: str) -> list[dict[str, float]]:
    """Return the gait cycles of a side: ``start``, ``off`` and ``stop`` in s, strike to strike."""
    if "events" not in clip or not len(clip["events"]):
        return []
    table = clip["events"]
    mine = table[table["side"] == side].sort_values("frame")
    strikes = mine.loc[mine["event"] == "strike", "frame"].to_numpy(int)
    offs = mine.loc[mine["event"] == "off", "frame"].to_numpy(int)
    found = []
    for first, last in itertools.pairwise(strikes):
        inside = offs[(offs > first) & (offs < last)]
        if len(inside):
            row = {"start": first, "off": inside[-1], "stop": last}
            found.append({key: float(value / clip.fps) for key, value in row.items()})
    return found


def by_cycle(values: np.ndarray, fps: float, strides: list[dict[str, float]]) -> np.ndarray:
    """Return ``(strides, 101)`` a curve by percent of the cycle; strides with gaps are left out."""
    frames = np.arange(len(values))
    rows = []
    for stride in strides:
        at = (stride["start"] + (stride["stop"] - stride["start"]) * PERCENT / 100) * fps
        curve = np.interp(at, frames, values)
        if np.isfinite(curve).all():
            rows.append(curve)
    return np.array(rows).reshape(-1, len(PERCENT))
