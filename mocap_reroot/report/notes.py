"""Warnings in the terminal: what each means and what to do, the gravest first."""

from __future__ import annotations

import re
from functools import cache
from typing import Any

from mocap_reroot.report.verdict import NOT_JUDGED, judge
from mocap_reroot.resources.package_data import read_toml

MOST = 3
"""Notes that a terminal shows; the rest is in ``summary.json``."""

_ABOUT = ("option", "clip", "frames", "aside")
"""What a warning is about, the gravest first; what is aside is not shown."""


def notes(summary: dict[str, Any]) -> list[str]:
    """Return what the user must know, the gravest first; at most :data:`MOST`.

    Args:
        summary: The content of ``summary.json``.
    """
    verdict = judge(summary)
    found = [
        f"{light.reason[:1].upper()}{light.reason[1:]}. {light.todo}"
        for light in sorted(verdict.lights, key=lambda light: -light.level)
        if light.level > 0 and verdict.grade != NOT_JUDGED
    ]
    ranked = sorted(map(_ranked, summary.get("warnings") or ()), key=lambda one: one[:2])
    idle = [text for weight, _, text in ranked if _ABOUT[weight] == "option"]
    found += [text for weight, _, text in ranked if _ABOUT[weight] in ("clip", "frames")]
    return list(dict.fromkeys([*idle, *found]))[:MOST]


@cache
def _kinds() -> list[dict[str, str]]:
    return list(read_toml("report", "notes.toml")["warning"])


def _ranked(warning: str) -> tuple[int, int, str]:
    """Return what a warning is about, its place among those, and what is said of it."""
    for place, kind in enumerate(_kinds()):
        if match := re.match(kind["begins"], warning):
            text = f"{warning} {kind.get('then', '')}".strip()
            if "instead" in kind:
                text = kind["instead"].format(**match.groupdict())
            return _ABOUT.index(kind["about"]), place, text
    return _ABOUT.index("frames"), len(_kinds()), warning


def expected_words(summary: dict[str, Any]) -> str:
    """Return what accuracy to expect of predicted forces in this activity; empty if unknown."""
    expected = (summary.get("quality") or {}).get("expected") or {}
    if summary.get("forces") == "measured" or not expected:
        return ""
    force, joints = expected.get("force_percent_bw") or {}, expected.get("moment_nm_kg") or {}
    parts = []
    if force:
        parts.append(f"{' / '.join(f'{way:.1f}' for way in force.values())} % of weight")
    if expected.get("pressure_mm") is not None:
        parts.append(f"pressure {expected['pressure_mm']:.0f} mm")
    if joints:
        low, high = min(joints.values()), max(joints.values())
        parts.append(f"moments {low:.2f}–{high:.2f} N·m/kg")
    of = f" ({expected['people']:.0f} people)" if expected.get("people") else ""
    activity = expected.get("activity") or summary.get("activity") or "this activity"
    return f"expect errors of {', '.join(parts)} in {activity}{of}" if parts else ""
