"""Inspection: what a file is and what was inferred about it, as a dictionary and as a page."""

from __future__ import annotations

from collections import Counter
from typing import Any

import numpy as np
from rich.console import Console, Group
from rich.panel import Panel
from rich.table import Table
from rich.text import Text
from rich.tree import Tree

from mocap_reroot.errors import path_text
from mocap_reroot.types import Motion, Recording

_SURE, _FAIR = 0.8, 0.5
_COLOURS = {"left": "blue", "right": "red"}


def inspection(motion: Motion, recording: Recording | None = None) -> dict[str, Any]:
    """Return what is known about a clip, JSON-ready; the keys are stable.

    Args:
        motion: As read (and cleaned, to have rest poses and repeated frames reported).
        recording: What the importer found, for markers, plates and events.
    """
    skeleton, source = motion.skeleton, motion.source
    anatomy = skeleton.anatomy
    flags = Counter(word for word in motion.flag_words if word)
    segments = anatomy.segments if anatomy is not None else ("",) * skeleton.n_bodies
    return {
        "file": path_text(source.path) if source.path is not None else "",
        "format": source.format,
        "frames": motion.n_frames,
        "fps": motion.fps,
        "duration": motion.n_frames / motion.fps,
        "unit": source.unit,
        "unit_scale": source.unit_scale,
        "up": _axis(motion.up),
        "up_vector": [float(v) for v in motion.up],
        "convention": anatomy.convention if anatomy is not None else "",
        "human": bool(anatomy is not None and anatomy.human),
        "root": skeleton.names[skeleton.root],
        "feet": [skeleton.names[b] for b, s in enumerate(segments) if s.endswith("_foot")],
        "markers": _markers(recording),
        "force_plates": _plates(motion, recording),
        "events": [vars(event) for event in source.events],
        "mass": source.mass,
        "height": source.height,
        "bodies": [_body(motion, body) for body in map(int, skeleton.order)],
        "inferred": [
            {
                "what": i.what,
                "value": i.value,
                "confidence": round(float(i.confidence), 3),
                "evidence": i.evidence,
            }
            for i in source.inferred
        ],
        "flags": dict(sorted(flags.items())),
        "repairs": list(source.repairs),
        "warnings": list(source.warnings),
    }


def _axis(up: np.ndarray) -> str:
    """Return ``"y"``, ``"-z"`` …, or empty where up is no axis of the file."""
    k = int(np.argmax(np.abs(up)))
    if abs(up[k]) < 1 - 1e-9:
        return ""
    return ("-" if up[k] < 0 else "") + "xyz"[k]


def _markers(recording: Recording | None) -> list[str]:
    found = recording.markers if recording is not None else None
    return list(found.labels) if found is not None else []


def _plates(motion: Motion, recording: Recording | None) -> list[str]:
    if motion.plates is not None:
        return list(motion.plates.names)
    raw = recording.plates if recording is not None else None
    return list(raw.names) if raw is not None else []


def _body(motion: Motion, body: int) -> dict[str, Any]:
    skeleton, anatomy = motion.skeleton, motion.skeleton.anatomy
    parent = int(skeleton.parents[body])
    segment = anatomy.segments[body] if anatomy is not None else ""
    side = segment.split("_")[0] if segment.startswith(("left_", "right_")) else ""
    return {
        "body": skeleton.names[body],
        "parent": skeleton.names[parent] if parent >= 0 else "",
        "segment": segment,
        "side": side,
        "confidence": round(float(anatomy.confidence[body]), 3) if anatomy is not None else 0.0,
        "reason": anatomy.reasons[body] if anatomy is not None else "",
        "length": round(float(np.linalg.norm(skeleton.offset[body])), 6) if parent >= 0 else 0.0,
    }


def render(page: dict[str, Any], console: Console | None = None) -> None:
    """Print an inspection so that it reads well."""
    console = console or Console()
    head = Text()
    head.append(page["file"] or "motion", style="bold")
    person = "a person" if page["human"] else "not taken for a person"
    convention = f", {page['convention']} names" if page["convention"] else ""
    scale = f" ({page['unit_scale']:g} m)" if page["unit"] != "m" else ""
    lines = [
        f"{page['format'].upper()}, {page['frames']} frames at {page['fps']:.6g} Hz "
        f"({page['duration']:.2f} s), {len(page['bodies'])} bodies, {person}{convention}",
        f"unit {page['unit']}{scale}, up {page['up'] or page['up_vector']}, "
        f"root {page['root']}, feet {', '.join(page['feet']) or 'none known'}",
    ]
    if page["markers"]:
        lines.append(f"{len(page['markers'])} markers: {_some(page['markers'])}")
    if page["force_plates"]:
        lines.append(f"{len(page['force_plates'])} force plates: {_some(page['force_plates'])}")
    if page["events"]:
        lines.append(f"{len(page['events'])} gait events stored in the file")
    console.print(Panel(Group(head, *map(Text, lines)), expand=False))
    console.print(_tree(page["bodies"]))
    if page["inferred"]:
        console.print(_inferred(page["inferred"]))
    marked = [f"{count} frames flagged {word}" for word, count in page["flags"].items()]
    for title, items, style in (
        ("Problems", page["warnings"], "yellow"),
        ("Repairs", [*page["repairs"], *marked], "green"),
    ):
        if items:
            console.print(f"[bold {style}]{title}[/]")
            for item in items:
                console.print(Text(f"  • {item}"))
    if not page["warnings"]:
        console.print("[green]No problems found.[/]")
    console.print()


def _some(names: list[str], limit: int = 12) -> str:
    return ", ".join(names[:limit]) + (" …" if len(names) > limit else "")


def _tree(bodies: list[dict[str, Any]]) -> Tree:
    """Return the skeleton as a tree; fingers that continue a chain share its line."""
    children: dict[str, list[dict[str, Any]]] = {}
    for body in bodies:
        children.setdefault(body["parent"], []).append(body)
    root = bodies[0]
    tree = Tree(_line([root]), guide_style="dim")
    stack = [(root, tree)]
    while stack:
        body, node = stack.pop()
        for child in children.get(body["body"], []):
            chain = [child]
            while _goes_on(chain[-1], children):
                chain += children[chain[-1]["body"]]
            stack.append((chain[-1], node.add(_line(chain))))
    return tree


def _goes_on(body: dict[str, Any], children: dict[str, list[dict[str, Any]]]) -> bool:
    below = children.get(body["body"], [])
    fingers = ("_fingers", "_toes")
    return (
        len(below) == 1
        and body["segment"] == below[0]["segment"]
        and body["segment"].endswith(fingers)
    )


def _line(chain: list[dict[str, Any]]) -> Text:
    body = chain[0]
    text = Text(" › ".join(b["body"] for b in chain))
    segment = body["segment"] or "–"
    text.append(f"  {segment.replace('_', ' ')}", style=_COLOURS.get(body["side"], "cyan"))
    if body["segment"] and body["confidence"] < _SURE:
        style = "yellow" if body["confidence"] >= _FAIR else "bold yellow"
        text.append(f"  {body['confidence']:.0%}: {body['reason']}", style=style)
    return text


def _inferred(items: list[dict[str, Any]]) -> Table:
    table = Table(title="Inferred", title_justify="left", title_style="bold", box=None)
    for column in ("what", "value", "sure", "because"):
        table.add_column(column, style="dim" if column == "because" else "")
    for item in items:
        value = item["value"]
        shown = f"{value:.6g}" if isinstance(value, float) else str(value) or "–"
        sure = item["confidence"]
        style = "green" if sure >= _SURE else "yellow" if sure >= _FAIR else "bold yellow"
        table.add_row(
            item["what"].replace("_", " "),
            Text(shown),
            f"[{style}]{sure:.0%}[/]",
            Text(item["evidence"]),
        )
    return table
