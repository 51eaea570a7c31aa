"""The verdict: whether a clip's physics can be believed, and why. One place decides.

Every figure has three limits. Within the first it is what a good laboratory gets (A, green); within
the second the clip can be used with care (B, yellow); within the third it is doubtful (C), beyond
it is not physics (D; both red). A clip is graded by the worst of its figures, and two doubtful ones
make it bad. Peaks of forces and moments speak for single frames: they count one grade less than
what holds for the whole clip. What could not be judged at all is ``–``, never A.

Limits are published ones where there are any; the others are this program's and say so.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from mocap_reroot.types import STANDARD_GRAVITY

GOOD, FAIR, POOR, UNKNOWN = "good", "fair", "poor", "unknown"
NOT_JUDGED = "–"
_COLOURS = (GOOD, FAIR, POOR, POOR)
_OPENSIM = "OpenSim's advice for residuals: peak force below 10 to 25 N, peak moment below 75 N·m"
_HICKS = "fast motions: below 5 % of the largest external force (Hicks et al. 2015)"


@dataclass(frozen=True)
class Rule:
    """A figure and its limits.

    Attributes:
        key: Path of the figure in ``summary.json`` below ``quality``, or a derived one.
        title: What it is.
        text: The value with its unit.
        limits: Up to which it is worth an A, a B and a C.
        reason: What is wrong beyond the first, in a few words.
        guidance: What is published or known about it.
        todo: What to do where it is not good.
        absent: Why it may be unknown.
        peak: Whether it speaks for single frames: then it counts one grade less.
        shown: Whether it only informs (a light beside the curves) and is not graded.
    """

    key: str
    title: str
    text: Callable[[float], str]
    limits: tuple[float, float, float]
    reason: str
    guidance: str
    todo: str
    absent: str
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
        words = {
            "A": "plausible",
            "B": "usable with care",
            "C": "doubtful",
            "D": "not physics",
        }[self.grade]
        return f"{self.grade}, {words}" + (f": {'; '.join(self.reasons)}." if self.reasons else ".")


def _number(unit: str, digits: int = 0) -> Callable[[float], str]:
    return lambda value: f"{value:.{digits}f} {unit}"


def _percent(value: float) -> str:
    return f"{100 * value:.0f} %"


_NO_RESIDUAL = "No frame has a residual."
_RULES = (
    Rule(
        "root_invariance_nm", "Root invariance", lambda value: f"{value:.1e} N·m", (1e-6, 1e-3, 1),
        "torques depend on the root by {:.1g} N·m",
        "Newton-Euler gives the same joint torques from the foot as from the pelvis with the "
        "foot's wrench applied; only rounding may differ (Stępień et al., demand A3).",
        "This is an error of the program, not of the recording: please report it.",
        "No frame was predicted from a single support.",
    ),
    Rule(
        "size_beyond", "Size of the body", lambda value: f"{value:.3g} times", (1, 1, 1),
        "the body is {:.3g} times beyond the size of any person",
        "People are 0.3 to 3 m tall and weigh 1 to 500 kg.",
        "Check --unit; --any-size for bodies that are no person.",
        "Within the size of people.",
    ),
    Rule(
        "unexplained", "Unexplained frames", _percent, (0.05, 0.15, 0.5),
        "{:.0%} of the frames need a push that no contact gives",
        "Frames in which residual and pushes from elsewhere exceed 5 % of body weight or 2 % of "
        "body weight × height.",
        "Check mass and contacts: something may carry that was not seen (--limbs).",
        "No frame was analysed.",
    ),
    Rule(
        "residual_bw", "Residual force, share of weight", _percent, (0.05, 0.15, 0.5),
        "forces of {:.0%} of body weight come from nowhere",
        f"Root mean square of what no contact explains; {_HICKS}.",
        "Check the mass (--mass), the plates' calibration and that every contact was found.",
        _NO_RESIDUAL,
    ),
    Rule(
        "root_moved_mm", "Correction of the root", _number("mm"), (15, 40, 100),
        "the root had to be moved by {:.0f} mm to obey physics",
        "95th percentile; laboratories see 1–5 mm, and more means a contact that was missed, or "
        "a capture that drifts.",
        "Look at the frames that moved most: is a contact missing (--contacts)?",
        "The motion was filtered, not corrected.",
    ),
    Rule(
        "cop_outside_foot_mm", "Pressure outside the foot", _number("mm"), (30, 100, 250),
        "centre of pressure leaves the foot by {:.0f} mm",
        "The centre of pressure of a real foot lies under its sole; 95th percentile over single "
        "support. Soles are guessed from the skeleton to about 30 mm.",
        "Lower the cut-off (--cutoff 6), check the mass model (--bodies) and the contacts.",
        "No single support with a load.",
    ),
    Rule(
        "foot_skate_mm_s", "Foot skate in stance", _number("mm/s"), (80, 200, 400),
        "stance feet skate at {:.0f} mm/s",
        "A stance foot stands still; a marker on it rolls and creeps at a few centimetres a "
        "second. More is skating of the solver or a contact that is none.",
        "Pin the feet (--pin-feet), or correct the contacts (--contacts FILE).",
        "No foot was in stance.",
    ),
    Rule(
        "flight_gravity_error", "Free fall in flight", lambda value: f"{100 * value:.0f} % of g",
        (0.15, 0.35, 0.7), "flight differs from free fall by {:.0%}",
        "Nothing but gravity acts in flight: the mean acceleration of the centre of mass must "
        "be g. It tests unit, frame rate and mass distribution at once.",
        "Check --unit and the frame rate first, then whether the flights found are flights.",
        "The clip has no flight.",
    ),
    Rule(
        "left_out", "Frames left out", _percent, (0.25, 0.75, 0.95),
        "{:.0%} of the frames could not be analysed",
        "A rest pose, gaps or people out of the volume say little about the other frames.",
        "See the repairs in summary.json.",
        "Not known.",
        peak=True,
    ),
    Rule(
        "peak_vertical_force_bw", "Peak vertical force", _number("BW", 2), (3.5, 6, 10),
        "peak vertical force is {:.1f} body weights",
        "Roughly: walking 1.0–1.5 body weights, running 2–3, landings up to 6 (both feet); 10 "
        "injure. Flagged frames do not count.",
        "A spike above that is noise or a glitch: lower the cut-off, look at the flagged frames.",
        "No ground force was found.",
        peak=True,
    ),
    *(
        Rule(
            f"joint_moment_nm_kg.{joint}", f"Moment of the {joint}", _number("N·m/kg", 1), limits,
            f"a{'n' if joint == 'ankle' else ''} {joint} bears {{:.1f}} N·m/kg",
            "Strong people hold about 3, 4 and 5 N·m/kg at ankle, knee and hip. All but 1 % of "
            "the frames; flagged frames do not count.",
            "A spike above that is noise or a glitch: lower the cut-off, look at those frames.",
            "The joint was not found.",
            peak=True,
        )
        for joint, limits in (("ankle", (3, 5, 10)), ("knee", (4, 7, 14)), ("hip", (5, 9, 18)))
    ),
    Rule(
        "residual_force_n.peak", "Residual force, peak", _number("N"), (25, 75, 250), "",
        f"What no contact explains, on the capture root. {_OPENSIM}; {_HICKS}.",
        "Check the mass, the plates' calibration and that every contact was found.",
        _NO_RESIDUAL, shown=True,
    ),
    Rule(
        "residual_moment_nm.peak", "Residual moment, peak", _number("N·m"), (50, 75, 250), "",
        f"{_OPENSIM}.",
        "Check the position of the plates against the markers, and the trunk's mass centre.",
        _NO_RESIDUAL, shown=True,
    ),
)  # fmt: skip

# axis: good below, and the rRMSE in % of Karatsidis et al. 2017 at normal walking speed
_PUBLISHED = {"vertical": (6.0, 5.3), "forward": (10.0, 9.4), "sideways": (14.0, 13.1)}
_PLATE_RULES = tuple(
    Rule(
        f"plates.{group}.{axis}.rrmse_percent",
        f"Predicted against measured: {axis}, {words}",
        lambda value: f"rRMSE {value:.1f} %",
        (good, 2 * good, 4 * good),
        "",
        f"Karatsidis et al. 2017, walking, predicted from motion alone: rRMSE {published} %.",
        "Check mass, synchrony and calibration of the plates; try another cut-off.",
        "Too few frames with the plates loaded.",
        shown=True,
    )
    for group, words in (("all", "both feet"), ("each_foot", "each foot"))
    for axis, (good, published) in _PUBLISHED.items()
)
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
    rules = _RULES + (_PLATE_RULES if plates else ())
    lights = tuple(_light(rule, figures.get(rule.key)) for rule in rules)
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
        return Light(
            rule.key, rule.title, None, "does not apply", UNKNOWN, rule.guidance, rule.absent
        )
    beyond = sum(value > limit for limit in rule.limits)
    level = -1 if rule.shown else max(beyond - 1, 0) if rule.peak and beyond > 1 else beyond
    limits = dict.fromkeys(f"{limit:g}" for limit in rule.limits)
    guidance = f"{rule.guidance} Limits: {', '.join(limits)}."
    todo = rule.todo if beyond else ""
    reason = rule.reason.format(value) if beyond else ""
    text = rule.text(value)
    return Light(rule.key, rule.title, value, text, _COLOURS[beyond], guidance, todo, reason, level)


def _figures(summary: dict[str, Any]) -> dict[str, float]:
    """Return the numbers to be judged, by their path below ``quality``, and derived ones."""
    quality = summary.get("quality") or {}
    found = _flat(quality)
    weight = summary["mass"] * STANDARD_GRAVITY
    if "residual_force_n.rms" in found and "flight_gravity_error" not in found:
        found["residual_bw"] = found["residual_force_n.rms"] / weight  # flight has its own figure
    if "analysed_fraction" in found:
        found["left_out"] = 1.0 - found["analysed_fraction"]
    return found


def _flat(values: dict[str, Any], path: str = "") -> dict[str, float]:
    flat: dict[str, float] = {}
    for key, value in values.items():
        if isinstance(value, dict):
            flat |= _flat(value, f"{path}{key}.")
        elif isinstance(value, int | float) and not isinstance(value, bool):
            flat[f"{path}{key}"] = float(value)
    return flat
