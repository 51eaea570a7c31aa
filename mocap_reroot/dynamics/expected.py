"""Accuracy to expect of predicted forces, as measured on subjects on force plates.

``expected.json`` is written by ``python -m benchmarks.accuracy --left-out``: medians over
recordings (each foot's force, RMSE in % of weight; pressure; flexion moments, RMSE), each person
measured with what is best for all others.
"""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path
from typing import Any

FILE = Path(__file__).with_suffix(".json")
_NEAR = 0.75
"""m/s, up to which a speed is like one that was measured."""


def expected_accuracy(activity: str, speed: float | None) -> dict[str, Any]:
    """Return what the atlas found for an activity; empty where nobody was measured.

    Args:
        activity: As :func:`mocap_reroot.contact.activity.activity` tells it.
        speed: m/s of a run, or None.
    """
    there = [entry for entry in _table() if entry["activity"].split(",")[0] == activity]
    if there and "speed_m_s" in there[0]:
        there = [e for e in there if speed is not None and abs(e["speed_m_s"] - speed) <= _NEAR]
        there.sort(key=lambda entry: abs(entry["speed_m_s"] - speed))
    return dict(there[0]) if there else {}


@cache
def _table() -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = json.loads(FILE.read_text(encoding="utf-8"))
    return found
