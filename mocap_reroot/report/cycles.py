"""Gait cycles of a clip: strike to strike of one foot."""

from __future__ import annotations

import itertools

from mocap_reroot.report.clip_tables import ClipTables


def cycles(clip: ClipTables, side: str) -> list[dict[str, float]]:
    """Return the gait cycles of a side: ``start``, ``off``, ``stop``, s from the first frame."""
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
