"""The grade of a clip, A to D, and its reasons, from quality measures and their limits.

Every figure has three limits, in ``verdict.toml``. Within the first it is what a good laboratory
gets (A, green); within the second the clip can be used with care (B, yellow); within the third it
is doubtful (C), beyond it is not physics (D; both red). A clip is graded by the worst of its
figures, and two doubtful ones make it bad. Peaks of forces and moments speak for single frames:
they count one grade less than what holds for the whole clip. What could not be judged at all is
``–``, never A.

Limits are published ones where there are any; the others are this program's and say so.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cache
from typing import Any

from mocap_reroot.resources.package_data import read_toml
from mocap_reroot.types import STANDARD_GRAVITY

GOOD, FAIR, POOR, UNKNOWN = "good", "fair", "poor", "unknown"
NOT_JUDGED = "–"
_COLOURS = (GOOD, FAIR, POOR, POOR)
_WORDS = {"A": "plausible", "B": "usable with care", "C": "doubtful", "D": "not physics"}


@dataclass(frozen=True)
class Rule:
    """A figure and its limits: an entry of ``verdict.toml``, which says what each field means."""

    key: str
    title: str
    text: str
    limits: tuple[float, float, float]
    guidance: str
    todo: str
    absent: str
    reason: str = ""
    scale: float = 1.0
    peak: bool = False
    shown: bool = False


@dataclass(frozen=True)
class Light:
    """One figure, judged.

    Attributes:
        key, title: As in its rule.
        value: As in ``summary.json``, or None where it does not apply.
        text: The value in words and units.
        light: ``good``, ``fair``, ``poor`` or ``unknown``.
        guidance: What is published or known about it, with the limits.
        todo: What to do where it is not good, or why it is unknown.
        reason: What is wrong, in a few words; empty where nothing is.
        level: 0 (A) to 3 (D), as it counts in the grade; −1 where it does not.
    """

    key: str
    title: str
    value: float | None
    text: str
    light: str
    guidance: str
    todo: str
    reason: str = ""
    level: int = -1


@dataclass(frozen=True)
class Verdict:
    """What is to be thought of a clip.

    Attributes:
        grade: A plausible, B usable with care, C doubtful, D not physics, – not judged.
        reasons: A few words for every figure that is not good, the worst first.
        lights: Every figure.
    """

    grade: str
    reasons: tuple[str, ...] = ()
    lights: tuple[Light, ...] = field(default=(), repr=False)

    @property
    def light(self) -> str:
        """The colour of the whole."""
        return UNKNOWN if self.grade == NOT_JUDGED else _COLOURS["ABCD".index(self.grade)]

    @property
    def sentence(self) -> str:
        """The grade in words."""
        if self.grade == NOT_JUDGED:
            return f"Not judged: {self.reasons[0]}."
        why = f": {'; '.join(self.reasons)}." if self.reasons else "."
        return f"{self.grade}, {_WORDS[self.grade]}{why}"


@cache
def _rules() -> tuple[Rule, ...]:
    """Return the rules, in the order of the report."""
    made = []
    for entry in read_toml("report", "verdict.toml")["rule"]:
        for filled in entry.pop("each", [{}]):
            rule = entry | {"limits": filled.pop("limits", entry.get("limits"))}
            for word, instead in filled.items():
                rule = {
                    key: value.replace(f"<{word}>", instead) if isinstance(value, str) else value
                    for key, value in rule.items()
                }
            made.append(Rule(**rule))
    return tuple(made)


_CERTAIN = ("cop_outside_foot_mm", "flight_gravity_error", "foot_skate_mm_s")
"""Without any of these nothing can be said about a clip: it touches no ground and never flies."""


def verdict_of(summary: dict[str, Any]) -> str:
    """Return the grade that a summary holds, in words."""
    return Verdict(summary["grade"], tuple(summary["grade_reasons"])).sentence


def judge(summary: dict[str, Any]) -> Verdict:
    """Return what is to be thought of a clip.

    Args:
        summary: The content of ``summary.json``.
    """
    figures = _figures(summary)
    plates = any(key.startswith("plates.") for key in figures)
    lights = tuple(
        _light(rule, figures.get(rule.key))
        for rule in _rules()
        if plates or not rule.key.startswith("plates.")
    )
    for found in summary.get("inferred") or ():
        if found["what"] == "unmeasured":
            return Verdict(NOT_JUDGED, (f"{found['value']} were not measured",), lights)
    if not any(name in figures for name in _CERTAIN):
        return Verdict(NOT_JUDGED, ("no contacts and no flight were found",), lights)
    wrong = sorted((light for light in lights if light.level > 0), key=lambda light: -light.level)
    worst = wrong[0].level if wrong else 0
    if [light.level for light in wrong].count(2) > 1:
        worst = 3
    reasons = [light.reason for light in wrong]
    for found in summary.get("inferred") or ():
        if found["what"] == "not_recorded" and summary.get("forces") == "predicted":
            worst = max(worst, 1)
            reasons.append(f"{found['value']} were not recorded")
    return Verdict("ABCD"[worst], tuple(reasons), lights)


def _light(rule: Rule, value: float | None) -> Light:
    if value is None:
        text = "does not apply"
        return Light(rule.key, rule.title, None, text, UNKNOWN, rule.guidance, rule.absent)
    beyond = sum(value > limit for limit in rule.limits)
    limits = dict.fromkeys(f"{limit:g}" for limit in rule.limits)
    return Light(
        rule.key, rule.title, value, rule.text.format(rule.scale * value), _COLOURS[beyond],
        guidance=f"{rule.guidance} Limits: {', '.join(limits)}.",
        todo=rule.todo if beyond else "",
        reason=rule.reason.format(value) if beyond else "",
        level=-1 if rule.shown else beyond - (rule.peak and beyond > 1),
    )  # fmt: skip


def _figures(summary: dict[str, Any]) -> dict[str, float]:
    """Return the numbers to be judged, by their path below ``quality``, and derived ones."""
    found = flat(summary.get("quality") or {})
    weight = summary["mass"] * STANDARD_GRAVITY
    if "residual_force_n.rms" in found and "flight_gravity_error" not in found:
        found["residual_bw"] = found["residual_force_n.rms"] / weight  # flight has its own figure
    if "analysed_fraction" in found:
        found["left_out"] = 1.0 - found["analysed_fraction"]
    return found


def flat(values: dict[str, Any], path: str = "") -> dict[str, float]:
    """Return the numbers of nested dictionaries by their path, joined by dots."""
    found: dict[str, float] = {}
    for key, value in values.items():
        if isinstance(value, dict):
            found |= flat(value, f"{path}{key}.")
        elif isinstance(value, int | float) and not isinstance(value, bool):
            found[f"{path}{key}"] = float(value)
    return found
