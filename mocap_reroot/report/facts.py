"""Text and tables of a report: file, gait, peaks, quality, defaults, provenance."""

from __future__ import annotations

from typing import Any

import numpy as np

from mocap_reroot.config import Config
from mocap_reroot.numerics.vectors import axis_word
from mocap_reroot.report.checklist import checklist, texts
from mocap_reroot.report.clip_tables import ClipTables
from mocap_reroot.report.joint_choice import Choice, peak
from mocap_reroot.report.markup import Html, bullets, join, number, table, tag
from mocap_reroot.report.verdict import Light, judge

_WORDS = {"good": "good", "fair": "with care", "poor": "look", "unknown": "n/a"}
_SHAPES = {"good": "●", "fair": "▲", "poor": "■", "unknown": "○"}
_GAIT = (
    ("speed_m_s", "Speed", "m/s", 2),
    ("cadence_steps_min", "Cadence", "steps/min", 0),
    ("stride_length_m", "Stride length", "m", 2),
    ("step_length_m", "Step length", "m", 2),
    ("step_width_m", "Step width", "m", 2),
    ("stride_time_s", "Stride time", "s", 2),
    ("step_time_s", "Step time", "s", 2),
    ("stance_time_s", "Stance time", "s", 2),
    ("swing_time_s", "Swing time", "s", 2),
    ("stance_fraction", "Stance", "% of stride", 1),
    ("double_support_fraction", "Double support", "% of stride", 1),
    ("flight_fraction", "Flight", "% of stride", 1),
)


def _where_forces(clip: ClipTables) -> str:
    """Return on how many limbs, and if plates were used, in how many frames."""
    count = len(clip.feet)
    feet, frames = (
        f"{count} {'feet' if count <= 2 else 'limbs'}",
        clip.summary.get("forces_frames", {}),
    )
    measured = frames.get("measured", 0) + frames.get("mixed", 0)
    return f"{feet}, {measured} of {clip.n_frames} frames on plates" if measured else feet


def headline(clip: ClipTables) -> Html:
    """Return the key facts as a row of small cards, and the verdict."""
    summary = clip.summary
    up = _axis(summary["up_vector"])
    height = summary.get("height")
    cards = [
        ("Length", f"{clip.n_frames / clip.fps:.2f} s", f"{clip.n_frames} frames, {clip.fps:g} Hz"),
        ("Body", f"{summary['mass']:.1f} kg", f"{height:.2f} m tall" if height else ""),
        ("Ground forces", summary.get("forces", "none"), _where_forces(clip)),
        ("Skeleton", summary.get("convention") or "unknown names", f"{len(clip.joints)} joints"),
        ("File", summary.get("unit", ""), f"1 unit = {summary.get('unit_scale', 1):g} m, {up} up"),
    ]
    verdict = judge(summary)
    light, words = verdict.light, verdict.sentence
    return join(
        [
            tag("p", _lamp(light), tag("span", words), class_=f"verdict {light}", id="verdict"),
            tag(
                "dl",
                *(
                    tag("div", tag("dt", a), tag("dd", b), tag("dd", c, class_="quiet"))
                    for a, b, c in cards
                ),
                class_="cards",
            ),
        ]
    )


def _axis(up: Any) -> str:
    vector = np.asarray(up, float)
    tilt = np.degrees(np.arccos(min(1.0, np.abs(vector).max())))
    return axis_word(vector).replace("-", "−") + (f" ({tilt:.1f}° off)" if tilt > 1 else "")


def _lamp(light: str) -> Html:
    shape = tag("span", _SHAPES[light], aria_hidden="true")
    return tag("span", shape, f" {_WORDS[light]}", class_=f"lamp {light}")


def quality(clip: ClipTables) -> Html:
    """Return the traffic lights with guidance and advice."""
    return table(
        ("Figure", "", "Value", "Guidance", "What to do"),
        (_light_row(light) for light in judge(clip.summary).lights),
        class_="quality",
        id="quality-table",
    )


def _light_row(light: Light) -> tuple[Any, ...]:
    value = tag("td", light.text, class_="number", data_key=light.key, data_value=light.value)
    return light.title, _lamp(light.light), value, light.guidance, light.todo


def gait(clip: ClipTables) -> Html:
    """Return the gait parameters of both sides, or say that there are none."""
    found = clip.summary.get("gait") or {}
    if not found:
        return tag(
            "p", "No two strikes of one foot: there is no stride to describe.", class_="quiet"
        )
    sides = [side for side in ("left", "right") if found.get(side)]
    rows = []
    for key, title, unit, digits in _GAIT:
        scale = 100.0 if unit.startswith("%") else 1.0
        values = [found.get(key), *(found[side].get(key) for side in sides)]
        if any(v is not None for v in values):
            cells = [number(None if v is None else scale * v, digits) for v in values]
            rows.append((title, unit, *cells))
    count = found.get("strides", 0)
    over = "One stride" if count == 1 else f"Medians over {count} strides"
    caption = f"{over}; {found.get('gait', '')}."
    return table(
        ("Parameter", "Unit", "All", *map(str.title, sides)), rows, caption, id="gait-table"
    )


def ground_peaks(clip: ClipTables) -> Html:
    """Return the peaks of every foot's ground reaction, from the full tables."""
    rows = []
    for name, label in (("grf", ""), ("predicted", "predicted"), ("plates", "plates")):
        for foot in clip.feet if name in clip else []:
            vertical = clip.up @ clip.vectors(name, foot, "f")
            if not np.isfinite(vertical).any() or not (vertical > 0).any():
                continue
            frame = int(np.nanargmax(vertical))
            top = float(vertical[frame])
            source = label or f"used ({clip[name]['source'].iloc[frame]})"
            cells = [number(top / clip.weight, 2), number(clip.seconds(frame), 3)]
            rows.append((foot, source, number(top, 1, data_value=top), *cells))
    if not rows:
        return tag("p", "No foot is loaded in this clip.", class_="quiet")
    head = ("Foot", "Source", "Peak vertical (N)", "Body weights", "At (s)")
    return table(head, rows, "Peaks of the full-rate tables.", id="ground-peaks")


def joint_peaks(clip: ClipTables, every: list[Choice]) -> Html:
    """Return the largest moment and the extremes of power of every joint."""
    rows, mass = [], float(clip.summary["mass"])
    for choice in every:
        for body in filter(clip.joints.__contains__, choice.bodies.values()):
            top, frame = peak(clip, body)
            if frame < 0:
                continue
            power = clip["torques"][f"{body}_power"].to_numpy(float)
            rows.append(
                (body, choice.label if choice.known else "", number(top, 1, data_value=top),
                 number(top / mass, 2), number(clip.seconds(frame), 3),
                 number(float(np.nanmax(power)), 0), number(float(np.nanmin(power)), 0))
            )  # fmt: skip
    head = ("Joint (child body)", "Known as", "Peak moment (N·m)", "(N·m/kg)", "At (s)",
            "Peak power (W)", "Least power (W)")  # fmt: skip
    return table(head, rows, "Length of the moment vector, full-rate tables.", id="joint-peaks")


def inferences(clip: ClipTables) -> Html:
    """Return what was inferred with its evidence, what was repaired, and the warnings."""
    summary = clip.summary
    rows = [
        (
            str(i.get("what", "")).replace("_", " "),
            f"{value:.6g}" if isinstance(value := i.get("value", ""), float) else value,
            tag("td", tag("meter", min=0, max=1, value=i.get("confidence") or 0),
                f" {100 * float(i.get('confidence') or 0):.0f} %", class_="number"),
            i.get("evidence", ""),
        )
        for i in summary.get("inferred") or []
    ]  # fmt: skip
    return join(
        [
            tag("h3", "Notes"),
            bullets(summary.get("warnings") or [], "No warnings."),
            tag("h3", "Repairs"),
            bullets(summary.get("repairs") or [], "Nothing had to be repaired."),
            _flags(clip),
            tag("h3", "Inferred"),
            table(("What", "Value", "Confidence", "Evidence"), rows, id="inferred-table")
            if rows
            else tag("p", "Nothing had to be inferred.", class_="quiet"),
        ]
    )


def _flags(clip: ClipTables) -> Html:
    name = next((n for n in ("torques", "contacts", "grf") if n in clip), "")
    if not name:
        return Html("")
    counts = clip[name]["flag"].astype(str).replace("", np.nan).value_counts()
    items = [f"{word}: {count} of {clip.n_frames} frames" for word, count in counts.items()]
    return join([tag("h3", "Flagged frames"), bullets(items, "No frame is flagged.")])


def defaults(clip: ClipTables) -> Html:
    """Return every option: its value, and whether it was given or is the default."""
    usual = Config().as_dict()
    rows = []
    for section, options in (clip.summary.get("config") or {}).items():
        for name, value in options.items():
            is_default = (usual.get(section) or {}).get(name, value) == value
            if isinstance(value, dict):  # numbers of a stage that were changed
                is_default, value = False, [f"{number} = {v:g}" for number, v in value.items()]
            origin = "default" if is_default else tag("strong", "given")
            shown = ", ".join(map(str, value)) if isinstance(value, list) else value
            meaning = "not set" if value is None else {True: "yes", False: "no"}.get(value) if (
                isinstance(value, bool)) else shown  # fmt: skip
            rows.append((f"{section}.{name}", meaning, origin))
    return table(("Option", "Value", "Origin"), rows, id="options-table")


def reporting(clip: ClipTables) -> Html:
    """Return the ISB reporting checklist, filled in."""
    return join(
        [
            table(("Item", "This clip"), checklist(clip), class_="words"),
            tag("p", f"After {texts()['reference']}", class_="quiet"),
        ]
    )


def provenance(clip: ClipTables) -> Html:
    """Return where the numbers come from: file, digest, versions, time taken."""
    summary = clip.summary
    source = summary.get("input") or {}
    rows: list[tuple[Any, Any]] = [
        ("File", source.get("path") or "made in Python"),
        ("SHA-256", tag("code", source.get("sha256") or "–")),
    ]
    rows += [
        (name, f"version {number}") for name, number in (summary.get("versions") or {}).items()
    ]
    rows += [
        (f"Time: {stage}", f"{seconds:.3f} s")
        for stage, seconds in (summary.get("timings") or {}).items()
    ]
    return table(("What", "Value"), rows, class_="words", id="provenance-table")
