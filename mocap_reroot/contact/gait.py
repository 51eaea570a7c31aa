"""Gait: strides, steps and the parameters people know them by, for walking and running."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np
import pandas as pd

from mocap_reroot.contact.observation import Observation
from mocap_reroot.contact.signals import median, runs

COLUMNS = (
    "foot", "side", "start_frame", "off_frame", "stop_frame", "start_time", "stop_time",
    "stride_time", "stance_time", "swing_time", "stance_fraction", "double_support_fraction",
    "flight_fraction", "stride_length", "step_length", "step_width", "step_time", "speed",
)  # fmt: skip

_WALKING_PACE, _RUNNING_PACE = 0.05, 0.25
"""Slowest walk and run, in units of sqrt(g · leg); slower strides are called other."""


def describe(seen: Observation, carrier: np.ndarray) -> tuple[pd.DataFrame, dict[str, Any]]:
    """Return a table of strides, and the gait parameters (JSON-ready; empty without strides).

    Args:
        seen: The clip.
        carrier: ``(l, F)`` body that carries each limb, −1 where off.

    A stride runs from a strike of a foot to its next one. Step length and width are taken at the
    strike, from the other foot's last strike, along and across the way from the stride's first to
    its last footprint. Medians over the strides.
    """
    rows = []
    feet = [k for k, limb in enumerate(seen.limbs) if limb.kind == "foot"]
    on = carrier >= 0
    stances = {k: runs(on[k]) for k in feet}
    prints = {k: {a: _print(seen, k, a, b) for a, b in stances[k]} for k in feet}
    for k in feet:
        strikes = [a for a, _ in stances[k] if a > 0 and seen.valid[a - 1]]
        for first, last in itertools.pairwise(strikes):
            if not seen.valid[first:last].all():
                continue
            rows.append(_stride(seen, on, stances, prints, k, first, last))
    rows.sort(key=lambda row: row["start_frame"])
    table = pd.DataFrame(rows, columns=list(COLUMNS))
    return table, _parameters(table, seen.scale.speed)


def _print(seen: Observation, limb: int, strike: int, stop: int) -> np.ndarray:
    """Return ``(3)`` m the footprint of a stance: the middle of the sole at its calmest frames."""
    signals = seen.signals[limb]
    middle = signals.position[..., strike:stop].mean(axis=0)
    calm = signals.speed[:, strike:stop].max(axis=0)
    return median(middle[:, calm <= median(calm)])


def _stride(
    seen: Observation, on: np.ndarray, stances: dict[int, list[tuple[int, int]]],
    prints: dict[int, dict[int, np.ndarray]], k: int, first: int, last: int,
) -> dict[str, Any]:  # fmt: skip
    limb, span, up = seen.limbs[k], last - first, seen.scale.up
    fps, start = seen.scale.fps, seen.motion.start
    off = next(b for a, b in stances[k] if a == first)
    count = on[list(stances)][:, first:last].sum(axis=0)
    here, there = prints[k][first], prints[k][last]
    travel = there - here
    travel = travel - up * (travel @ up)
    length = float(np.linalg.norm(travel))
    step = {"step_length": np.nan, "step_width": np.nan, "step_time": np.nan}
    landed = [(a, j) for j in stances if j != k for a, _ in stances[j] if first < a < last]
    if landed:
        a, j = max(landed)
        step["step_time"] = (last - a) / fps
        if length > 0.1 * seen.scale.leg:
            arm = there - prints[j][a]
            along = travel / length
            step["step_length"] = float(arm @ along)
            step["step_width"] = abs(float(arm @ np.cross(up, along)))
    return {
        "foot": seen.motion.skeleton.names[limb.foot],
        "side": limb.side,
        "start_frame": start + first,
        "off_frame": start + off,
        "stop_frame": start + last,
        "start_time": (start + first) / fps,
        "stop_time": (start + last) / fps,
        "stride_time": span / fps,
        "stance_time": (off - first) / fps,
        "swing_time": (last - off) / fps,
        "stance_fraction": (off - first) / span,
        "double_support_fraction": float((count >= 2).mean()),
        "flight_fraction": float((count == 0).mean()),
        "stride_length": length,
        "speed": length * fps / span,
        **step,
    }


def _parameters(table: pd.DataFrame, pace_unit: float) -> dict[str, Any]:
    if not len(table):
        return {}
    names = {
        "speed": "speed_m_s",
        "stride_length": "stride_length_m",
        "step_length": "step_length_m",
        "step_width": "step_width_m",
        "stride_time": "stride_time_s",
        "step_time": "step_time_s",
        "stance_time": "stance_time_s",
        "swing_time": "swing_time_s",
        "stance_fraction": "stance_fraction",
        "double_support_fraction": "double_support_fraction",
        "flight_fraction": "flight_fraction",
    }
    values = {name: table[name].to_numpy(float) for name in names}
    middle = {name: _median(v) for name, v in values.items()}
    result: dict[str, Any] = {"strides": len(table)}
    result["cadence_steps_min"] = round(120.0 / float(median(values["stride_time"])), 6)
    result |= {out: middle[name] for name, out in names.items()}
    flies, both = values["flight_fraction"], values["double_support_fraction"]
    pace = float(median(values["speed"])) / pace_unit
    if pace > _RUNNING_PACE and median(flies) > 0.02 and median(both) < 0.05:
        result["gait"] = "running"
    else:
        walks = pace > _WALKING_PACE and median(flies) < 0.02
        result["gait"] = "walking" if walks else "other"
    sides = table["side"].to_numpy()
    for side in dict.fromkeys(s for s in sides if s):
        mine = sides == side
        result[str(side)] = {out: _median(values[name][mine]) for name, out in names.items()}
    return result


def _median(values: np.ndarray) -> float | None:
    good = values[np.isfinite(values)]
    return round(float(median(good)), 6) if len(good) else None
