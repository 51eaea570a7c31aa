"""Gait: strides, steps and the parameters people know them by, for walking and running."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np
import pandas as pd

from mocap_reroot.contact.observation import Observation
from mocap_reroot.contact.signals import runs

COLUMNS = (
    "foot", "side", "start_frame", "off_frame", "stop_frame", "start_time", "stop_time",
    "stride_time", "stance_time", "swing_time", "stance_fraction", "double_support_fraction",
    "flight_fraction", "stride_length", "step_length", "step_width", "step_time", "speed",
)  # fmt: skip


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
    fps, start = seen.scale.fps, seen.motion.start
    on = carrier >= 0
    for k in feet:
        strikes = [a for a, _ in runs(on[k]) if a > 0 and seen.valid[a - 1]]
        for first, last in itertools.pairwise(strikes):
            if not seen.valid[first:last].all():
                continue
            rows.append(_stride(seen, on, feet, k, first, last, fps, start))
    rows.sort(key=lambda row: row["start_frame"])
    table = pd.DataFrame(rows, columns=list(COLUMNS))
    return table, _parameters(table)


def _print(seen: Observation, limb: int, strike: int, stop: int) -> np.ndarray:
    """Return ``(3)`` m the footprint of a stance: the middle of the sole at its calmest frames."""
    signals = seen.signals[limb]
    middle = signals.position.mean(axis=0)[:, strike:stop]
    calm = signals.speed.max(axis=0)[strike:stop]
    return np.asarray(np.median(middle[:, calm <= np.median(calm)], axis=1))


def _stride(
    seen: Observation, on: np.ndarray, feet: list[int], k: int, first: int, last: int,
    fps: float, start: int,
) -> dict[str, Any]:  # fmt: skip
    limb, span = seen.limbs[k], last - first
    stances = runs(on[k])
    off = next(b for a, b in stances if a == first)
    following = next((a, b) for a, b in stances if a == last)
    others = [j for j in feet if j != k]
    count = on[feet][:, first:last].sum(axis=0)
    here, there = _print(seen, k, first, off), _print(seen, k, *following)
    up = seen.scale.up
    travel = there - here
    travel = travel - up * (travel @ up)
    length = float(np.linalg.norm(travel))
    step = {"step_length": np.nan, "step_width": np.nan, "step_time": np.nan}
    landed = [(a, b, j) for j in others for a, b in runs(on[j]) if first < a < last]
    if landed and length > 0.1 * seen.scale.leg:
        a, b, j = max(landed)
        arm = there - _print(seen, j, a, b)
        along = travel / length
        step["step_length"] = float(arm @ along)
        step["step_width"] = abs(float(arm @ np.cross(up, along)))
    if landed:
        step["step_time"] = (last - max(landed)[0]) / fps
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


def _parameters(table: pd.DataFrame) -> dict[str, Any]:
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
    middle = table[list(names)].median()
    result: dict[str, Any] = {"strides": len(table)}
    result["cadence_steps_min"] = 120.0 / float(middle["stride_time"])
    result |= {out: _number(middle[name]) for name, out in names.items()}
    running = middle["flight_fraction"] > 0.02 and middle["double_support_fraction"] < 0.02
    result["gait"] = "running" if running else "walking"
    for side, strides in table.groupby("side"):
        if side:
            result[str(side)] = {
                out: _number(strides[name].median()) for name, out in names.items()
            }
    return result


def _number(value: Any) -> float | None:
    return round(float(value), 6) if np.isfinite(value) else None
