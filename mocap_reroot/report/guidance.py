"""Quality as traffic lights: each figure beside guidance, and what to do about it.

Limits are published ones where there are any; the others are this program's and say so.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from mocap_reroot.types import STANDARD_GRAVITY

GOOD, FAIR, POOR, UNKNOWN = "good", "fair", "poor", "unknown"

_OPENSIM = (
    "OpenSim's advice for residuals: peak force below 10 to 25 N, peak moment below 75 N·m "
    "(here good below 50)"
)
_HICKS = "fast motions: below 5 % of the largest external force (Hicks et al. 2015)"


@dataclass(frozen=True)
class Light:
    """One figure with its light.

    Attributes:
        key: Path in ``summary.json`` below ``quality``.
        title: What it is.
        value: As in ``summary.json``, or None where it does not apply.
        text: The value in words and units.
        light: ``good``, ``fair``, ``poor`` or ``unknown``.
        guidance: What is published or known about it, with the limits.
        todo: What to do where it is not good, or why it is unknown.
    """

    key: str
    title: str
    value: float | None
    text: str
    light: str
    guidance: str
    todo: str


@dataclass(frozen=True)
class _Rule:
    key: str
    title: str
    unit: Callable[[float], str]
    good: float
    fair: float
    guidance: str
    todo: str
    absent: str
    share: float = 0.0  # of the largest external force: fair below that in any case


def _number(unit: str, digits: int = 0) -> Callable[[float], str]:
    return lambda value: f"{value:.{digits}f} {unit}"


_RULES = (
    _Rule(
        "root_invariance_nm",
        "Root invariance",
        lambda value: f"{value:.1e} N·m",
        1e-6,
        1e-3,
        "Newton-Euler gives the same joint torques from the foot as from the pelvis with the "
        "foot's wrench applied; only rounding may differ (Stępień et al., demand A3). This "
        "program's limits: 1e-6 and 1e-3 N·m.",
        "This is an error of the program, not of the recording: please report it.",
        "No frame was predicted from a single support.",
    ),
    _Rule(
        "cop_outside_foot_mm",
        "Pressure outside the foot",
        _number("mm"),
        20.0,
        60.0,
        "The centre of pressure of a real foot lies under its sole; 95th percentile over single "
        "support. Predicted pressure strays with noise in the accelerations. This program's "
        "limits: 20 and 60 mm.",
        "Lower the cut-off (--cutoff 6), check the mass model (--bodies) and the contacts.",
        "No single support with a load.",
    ),
    _Rule(
        "foot_skate_mm_s",
        "Foot skate in stance",
        _number("mm/s"),
        60.0,
        250.0,
        "A stance foot stands still; marker noise and soft tissue leave a few centimetres a "
        "second. More is skating of the solver or a contact that is none. This program's limits: "
        "60 and 250 mm/s.",
        "Pin the feet (--pin-feet), or correct the contacts (--contacts FILE).",
        "No foot was in stance.",
    ),
    _Rule(
        "flight_gravity_error",
        "Free fall in flight",
        lambda value: f"{100 * value:.0f} % of g",
        0.15,
        0.35,
        "Nothing but gravity acts in flight: the mean acceleration of the centre of mass must "
        "be g. It tests unit, frame rate and mass distribution at once. This program's limits: 15 "
        "and 35 %.",
        "Check --unit and the frame rate first, then whether the flights found are flights.",
        "The clip has no flight.",
    ),
    _Rule(
        "residual_force_n.peak",
        "Residual force, peak",
        _number("N"),
        10.0,
        25.0,
        f"What no contact explains, on the capture root. {_OPENSIM}; {_HICKS}.",
        "Check the mass (--mass), the plates' calibration and that every contact was found; in "
        "predicted frames only flight leaves a residual.",
        "No frame has a residual.",
        share=0.05,
    ),
    _Rule(
        "residual_force_n.rms",
        "Residual force, RMS",
        _number("N", 1),
        5.0,
        15.0,
        f"OpenSim's advice for residuals: RMS force below 5 to 15 N; {_HICKS}.",
        "As above; an offset that lasts points to mass or calibration, spikes to noise.",
        "No frame has a residual.",
        share=0.05,
    ),
    _Rule(
        "residual_moment_nm.peak",
        "Residual moment, peak",
        _number("N·m"),
        50.0,
        75.0,
        f"{_OPENSIM}.",
        "Check the position of the plates against the markers, and the trunk's mass centre.",
        "No frame has a residual.",
    ),
    _Rule(
        "residual_moment_nm.rms",
        "Residual moment, RMS",
        _number("N·m", 1),
        30.0,
        50.0,
        "OpenSim's advice for residuals: RMS moment below 50 N·m (here good below 30).",
        "Check the position of the plates against the markers, and the trunk's mass centre.",
        "No frame has a residual.",
    ),
    _Rule(
        "peak_vertical_force_bw",
        "Peak vertical force",
        _number("BW", 2),
        3.5,
        6.0,
        "Roughly: walking 1.0–1.5 body weights, running 2–3, jumps and landings 2–5 (both feet). "
        "This program's limits: 3.5 and 6.",
        "A spike above that is noise or a glitch: lower the cut-off, look at the flagged frames.",
        "No ground force was found.",
    ),
)


# axis: good below, and the rRMSE in % of Karatsidis et al. 2017 at normal walking speed
_PUBLISHED = {"vertical": (6.0, 5.3), "forward": (10.0, 9.4), "sideways": (14.0, 13.1)}
_PLATE_RULES = tuple(
    _Rule(
        f"plates.{group}.{axis}.rrmse_percent",
        f"Predicted against measured: {axis}, {words}",
        lambda value: f"rRMSE {value:.1f} %",
        good,
        2 * good,
        f"Karatsidis et al. 2017, walking, predicted from motion alone: rRMSE {published} %. "
        f"This program's limits: {good:g} and {2 * good:g} %.",
        "Check mass, synchrony and calibration of the plates; try another cut-off or --sharing.",
        "Too few frames with the plates loaded.",
    )
    for group, words in (("all", "both feet"), ("each_foot", "each foot"))
    for axis, (good, published) in _PUBLISHED.items()
)


def lights(summary: dict[str, Any]) -> list[Light]:
    """Return a light for every quality figure, plates last where there are any."""
    quality = summary.get("quality") or {}
    weights = _at(quality, "peak_vertical_force_bw") or 0.0
    largest = weights * float(summary.get("mass") or 0.0) * STANDARD_GRAVITY
    found = [_light(rule, _at(quality, rule.key), largest) for rule in _RULES]
    each = _at(quality, "plates.each_foot.vertical.rrmse_percent")
    whole = _at(quality, "plates.all.vertical.rrmse_percent")
    if whole is not None or each is not None:
        found += [_light(rule, _at(quality, rule.key)) for rule in _PLATE_RULES]
    return found


def _at(quality: dict[str, Any], key: str) -> float | None:
    value: Any = quality
    for part in key.split("."):
        value = value.get(part) if isinstance(value, dict) else None
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    return float(value)


def _light(rule: _Rule, value: float | None, largest: float = 0.0) -> Light:
    if value is None:
        return Light(
            rule.key, rule.title, None, "does not apply", UNKNOWN, rule.guidance, rule.absent
        )
    fair = max(rule.fair, rule.share * largest)
    light = GOOD if value <= rule.good else FAIR if value <= fair else POOR
    todo = "" if light == GOOD else rule.todo
    return Light(rule.key, rule.title, value, rule.unit(value), light, rule.guidance, todo)


def verdict(found: list[Light]) -> tuple[str, str]:
    """Return the worst light and a sentence about all of them."""
    judged = [light for light in found if light.light != UNKNOWN]
    if not judged:
        return UNKNOWN, "Nothing could be judged: no contacts and no flight were found."
    poor = [light.title.lower() for light in judged if light.light == POOR]
    fair = [light.title.lower() for light in judged if light.light == FAIR]
    if poor:
        return POOR, f"Look before you use it: {'; '.join(poor)}."
    if fair:
        return FAIR, f"Usable with care: {'; '.join(fair)}."
    return GOOD, f"All {len(judged)} figures are within guidance."
