"""What a user must know of a clip, in a few sentences that say what it means and what to do."""

from __future__ import annotations

import re
from typing import Any

from mocap_reroot.report.verdict import NOT_JUDGED, judge

MOST = 3
"""Notes that a terminal shows; the rest is in ``summary.json``."""

_IN_VAIN, _WHOLE, _SOME, _ASIDE = range(4)
"""What a warning is about: an option that does nothing, the whole clip, some frames, or nothing
that changes what to do."""

_KINDS: tuple[tuple[str, int, str], ...] = (
    (r"The option", _IN_VAIN, "Leave it out."),
    (r"No person is of", _WHOLE, ""),
    (r"This is an upper-body", _WHOLE, "Use arms and trunk only."),
    (r"This is not taken for a whole person|No foot was found|Not a human", _WHOLE, ""),
    (r"The unit is|The up axis is|An AMC file|Left and right|The names", _WHOLE, ""),
    (r"(The force plates|Force plate).*(left out|predicted)", _WHOLE,
     "Check the plates, or accept what the motion tells with --forces predicted."),
    (r"The skeleton ends at the pelvis", _WHOLE, "Capture the trunk, or use --forces measured."),
    (r"Mass is not known: (?P<what>[\d.]+ kg).*", _WHOLE,
     "Mass is not known: {what} was assumed from the skeleton. Forces and torques are off by the "
     "share that this is off: give it with --mass."),
    (r"The root .*never moves.*", _WHOLE,
     "The root never moves in this file: forces are those of a body that stays in place. Export "
     "the root's path if it was recorded."),
    (r"(?P<what>In \d+ frames) no foot is low and slow enough.*", _SOME,
     "{what} no foot stands still though somebody must carry: the capture drifts or slides, and "
     "forces there are rough. Give the contacts (--contacts), or hold the feet (--pin-feet)."),
    (r"(?P<what>In \d+ frames) the feet that touch cannot alone.*", _SOME,
     "{what} the feet alone cannot hold the body up: a seat, a hold or a hand carries, and leg "
     "torques there are rough. Say who may carry (--limbs), or leave those frames out."),
    (r"(Flips from one frame|Turns faster than).*?: (?P<what>[^;.]*?)( at frames?| near) .*", _SOME,
     "Bodies such as {what} flip from one frame to the next: torques there mean little. The "
     "frames are flagged: leave them out, or mend them where the clip was made."),
    (r"The motion leaps|No numbers in|Too few frames", _SOME, "See the flags in the tables."),
    (r"Two feet carry in|Joint widths|Stature is not known|Force plates weighed|The root of this "
     r"capture", _ASIDE, ""),
)  # fmt: skip
"""Warnings in the order of their weight; what is said instead, or after them where it does not
begin with what was found."""


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
    in_vain = [text for weight, _, text in ranked if weight == _IN_VAIN]
    found += [text for weight, _, text in ranked if weight in (_WHOLE, _SOME)]
    return list(dict.fromkeys([*in_vain, *found]))[:MOST]


def _ranked(warning: str) -> tuple[int, int, str]:
    """Return the weight of a warning, its place among those, and what is said of it."""
    for place, (pattern, weight, words) in enumerate(_KINDS):
        match = re.match(pattern, warning)
        if match:
            instead = "{what}" in words or pattern.endswith(".*")
            text = words.format(**match.groupdict()) if instead else f"{warning} {words}".strip()
            return weight, place, text
    return _SOME, len(_KINDS), warning


def expected_words(summary: dict[str, Any]) -> str:
    """Return what accuracy to expect of predicted forces in this activity; empty if unknown."""
    expected = (summary.get("quality") or {}).get("expected") or {}
    if summary.get("forces") == "measured" or not expected:
        return ""
    flat = {key: value for key, value in _flat(expected) if isinstance(value, int | float)}

    def find(*words: str) -> float | None:
        return next((v for k, v in flat.items() if any(w in k for w in words)), None)

    ways = [find("vertical"), find("forward", "fore"), find("sideways", "lateral")]
    parts = []
    if all(way is not None for way in ways):
        parts.append(f"{' / '.join(f'{way:.1f}' for way in ways)} % of weight")
    if (pressure := find("pressure", "cop")) is not None:
        parts.append(f"pressure {pressure:.0f} mm")
    joints = [v for k, v in flat.items() if any(j in k for j in ("hip", "knee", "ankle"))]
    if joints:
        parts.append(f"moments {min(joints):.2f}–{max(joints):.2f} N·m/kg")
    people = find("people")
    of = f" ({people:.0f} people)" if people else ""
    activity = expected.get("activity") or summary.get("activity") or "this activity"
    return f"expect errors of {', '.join(parts)} in {activity}{of}" if parts else ""


def _flat(values: dict[str, Any], path: str = "") -> list[tuple[str, Any]]:
    flat: list[tuple[str, Any]] = []
    for key, value in values.items():
        flat += _flat(value, f"{path}{key}.") if isinstance(value, dict) else [(path + key, value)]
    return flat
