"""``report.html``: one page that needs nothing but itself, made from the tables of a clip."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from mocap_reroot.errors import FileError
from mocap_reroot.report import facts
from mocap_reroot.report.clip_tables import ClipTables, read_clip
from mocap_reroot.report.joint_choice import choices
from mocap_reroot.report.markup import Html, tag, text
from mocap_reroot.report.packing import fill
from mocap_reroot.report.payload import payload

SCRIPTS = (
    "unpack.js", "plain.js", "clock.js", "camera.js", "player.js", "charts.js", "ground.js",
    "joints.js", "correction.js", "report.js",
)  # fmt: skip


def write_report(folder: str | Path) -> Path:
    """Write ``report.html`` into a clip's folder, from the tables that are there.

    Returns:
        Path: The page.

    Raises:
        FileError: The folder holds no results, or cannot be written to.
    """
    folder = Path(folder)
    page = report_html(read_clip(folder))
    path = folder / "report.html"
    try:
        path.write_text(page, encoding="utf-8")
    except OSError as error:
        raise FileError(path, f"cannot be written: {error.strerror or error}.") from error
    return path


def report_html(clip: ClipTables) -> str:
    """Return the whole page."""
    data = payload(clip)
    every = choices(clip)
    return fill(
        "report.html",
        SCRIPTS,
        data,
        title=text(clip.name),
        headline=facts.headline(clip),
        display_note=_display_note(data),
        quality=facts.quality(clip),
        gait=facts.gait(clip),
        ground_peaks=facts.ground_peaks(clip),
        joint_peaks=facts.joint_peaks(clip, every),
        inferences=facts.inferences(clip),
        defaults=facts.defaults(clip),
        reporting=facts.reporting(clip),
        provenance=facts.provenance(clip),
    )


def _display_note(data: dict[str, Any]) -> Html:
    if data["stride"] == 1:
        return Html("")
    words = (
        f"To keep this page small it shows one frame in {data['stride']} "
        f"({data['shown']} of {data['frames']}). The tables, and all numbers in the tables of "
        "this page, are at the full rate."
    )
    return tag("p", words, class_="note", id="display-note")
