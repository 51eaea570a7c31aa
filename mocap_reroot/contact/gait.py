"""Gait parameters: strides and steps of walking and running."""

from __future__ import annotations

import itertools
import math
import statistics
from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from mocap_reroot.contact.observation import Observation
from mocap_reroot.contact.scale import Scale
from mocap_reroot.contact.stances import LimbSignals
from mocap_reroot.kernels.paths import footprints
from mocap_reroot.numerics.frames import runs
from mocap_reroot.parameters import ContactParameters
from mocap_reroot.types import Gait

COLUMNS = (
    "side", "start_frame", "stop_frame", "start_time", "stop_time", "foot", "off_frame",
    "stride_time", "stance_time", "swing_time", "stance_fraction", "double_support_fraction",
    "flight_fraction", "stride_length", "step_length", "step_width", "step_time", "speed",
)  # fmt: skip


_MEDIANS = {
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
"""Columns of which the median is a gait parameter, and its name."""

Row = dict[str, Any]


@dataclass(frozen=True, eq=False)
class _Steps:
    """The stances of one foot.

    Attributes:
        starts, stops: Frames, in order.
        prints: m the footprint of each, x, y, z: the middle of the sole at its calmest frames.
    """

    starts: list[int]
    stops: list[int]
    prints: list[list[float]]

    @classmethod
    def of(cls, signals: LimbSignals, on: np.ndarray) -> _Steps:
        """Take the stances from ``(F)`` whether the foot is on."""
        edges = np.array(runs(on), np.int64).reshape(-1, 2)
        prints = np.empty((len(edges), 3, 2))
        footprints(signals.fastest, signals.middle, edges, prints)
        starts, stops = edges.T.tolist()
        return cls(starts, stops, prints[..., 0].tolist())


def describe(seen: Observation, support_body: np.ndarray) -> Gait:
    """Return the strides, and the gait parameters.

    Args:
        seen: The clip.
        support_body: ``(l, F)`` body that carries each limb, −1 where off.

    A stride runs from a strike of a foot to its next one. Step length and width are taken at the
    strike, from the other foot's last strike, along and across the way from the stride's first to
    its last footprint. Medians over the strides; without any there are no parameters.
    """
    on = support_body >= 0
    feet = [k for k, limb in enumerate(seen.limbs) if limb.kind == "foot"]
    steps = {k: _Steps.of(seen.signals[k], on[k]) for k in feet}
    count = on[feet].sum(axis=0)
    total = np.zeros((3, len(count) + 1), np.int64)
    np.cumsum([~seen.valid, count >= 2, count == 0], axis=1, out=total[:, 1:])
    before = _Before(*total)
    rows = []
    for k in feet:
        strikes = [(j, a) for j, a in enumerate(steps[k].starts) if a > 0 and seen.valid[a - 1]]
        for (j, first), (_, last) in itertools.pairwise(strikes):
            if before.unknown[first] == before.unknown[last]:
                rows.append(_stride(seen, steps, before, k, j, last))
    rows.sort(key=lambda row: row["start_frame"])
    columns = {name: [row[name] for row in rows] for name in COLUMNS}
    return Gait(_parameters(rows, seen.scale, seen.parameters), columns)


class _Before(NamedTuple):
    """How many frames before each, ``(F + 1)``, are unknown, on two feet, and on none."""

    unknown: np.ndarray
    double: np.ndarray
    flight: np.ndarray


def _stride(
    seen: Observation, steps: dict[int, _Steps], before: _Before, k: int, stance: int, last: int
) -> Row:
    """Return the row of the stride of a foot from a stance to the strike at frame ``last``."""
    mine, fps, start = steps[k], seen.scale.fps, seen.motion.start
    clock = seen.motion.source.start_time
    first, off = mine.starts[stance], mine.stops[stance]
    here, there = mine.prints[stance], mine.prints[bisect_left(mine.starts, last)]
    span, up = last - first, seen.scale.up.tolist()
    travel = _level_way(here, there, up)
    length = math.sqrt(_dot(travel, travel))
    step = {"step_length": math.nan, "step_width": math.nan, "step_time": math.nan}
    landed = []
    for j, other in steps.items():
        latest = bisect_left(other.starts, last) - 1
        if j != k and latest >= 0 and other.starts[latest] > first:
            landed.append((other.starts[latest], j, latest))
    if landed:
        at, j, latest = max(landed)
        step["step_time"] = (last - at) / fps
        if length > seen.parameters.stride_shortest * seen.scale.leg:
            arm = _level_way(steps[j].prints[latest], there, up)
            step["step_length"] = _dot(arm, travel) / length
            step["step_width"] = abs(_triple(arm, up, travel)) / length
    return {
        "foot": seen.motion.skeleton.names[seen.limbs[k].foot],
        "side": seen.limbs[k].side,
        "start_frame": start + first,
        "off_frame": start + off,
        "stop_frame": start + last,
        "start_time": clock + (start + first) / fps,
        "stop_time": clock + (start + last) / fps,
        "stride_time": span / fps,
        "stance_time": (off - first) / fps,
        "swing_time": (last - off) / fps,
        "stance_fraction": (off - first) / span,
        "double_support_fraction": float(before.double[last] - before.double[first]) / span,
        "flight_fraction": float(before.flight[last] - before.flight[first]) / span,
        "stride_length": length,
        "speed": length * fps / span,
        **step,
    }


def _dot(a: Sequence[float], b: Sequence[float]) -> float:
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]


def _triple(a: Sequence[float], b: Sequence[float], c: Sequence[float]) -> float:
    """Return ``a · (b × c)``."""
    x, y, z = b[1] * c[2] - b[2] * c[1], b[2] * c[0] - b[0] * c[2], b[0] * c[1] - b[1] * c[0]
    return a[0] * x + a[1] * y + a[2] * z


def _level_way(
    start: Sequence[float], stop: Sequence[float], up: Sequence[float]
) -> tuple[float, float, float]:
    """Return the way from one point to another without its vertical component."""
    x, y, z = stop[0] - start[0], stop[1] - start[1], stop[2] - start[2]
    rise = _dot((x, y, z), up)
    return x - up[0] * rise, y - up[1] * rise, z - up[2] * rise


def _parameters(rows: list[Row], scale: Scale, p: ContactParameters) -> dict[str, Any]:
    """Return medians over all strides and those of either side, and what gait it is."""
    if not rows:
        return {}
    middle = {name: _median(rows, name) for name in _MEDIANS}
    cadence = 120.0 / statistics.median(row["stride_time"] for row in rows)
    result: dict[str, Any] = {"strides": len(rows), "cadence_steps_min": round(cadence, 6)}
    result |= {out: middle[name] for name, out in _MEDIANS.items()}
    pace, flies, both = (
        statistics.median(row[name] for row in rows)
        for name in ("speed", "flight_fraction", "double_support_fraction")
    )
    pace /= scale.speed
    # Slow runners hardly fly, but whoever walks has both feet down at times.
    if pace > p.run_pace and both < p.run_double:
        result["gait"] = "running"
    else:
        result["gait"] = "walking" if pace > p.walk_pace and flies < p.run_flight else "other"
    for side in dict.fromkeys(row["side"] for row in rows if row["side"]):
        mine = [row for row in rows if row["side"] == side]
        result[side] = {out: _median(mine, name) for name, out in _MEDIANS.items()}
    return result


def _median(rows: list[Row], name: str) -> float | None:
    known = [value for row in rows if math.isfinite(value := row[name])]
    return round(statistics.median(known), 6) if known else None
