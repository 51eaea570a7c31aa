"""What force plates and stored events say about strikes and offs, to measure detection against."""

from __future__ import annotations

import itertools
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pandas as pd

from mocap_reroot.mechanics.kinematics import forward
from mocap_reroot.numerics.frames import runs
from mocap_reroot.reading import read_recording
from mocap_reroot.types import Motion

THRESHOLD = 20.0
"""N."""
PLUG_IN_GAIT = (
    "HC030A/HC030A05", "HC030A/HC030A22", "HC032A/HC032A03", "HC032A/HC032A18",
    "HC038A/HC038A11", "HC038A/HC038A27", "HC044A/HC044A15", "HC044A/HC044A29",
)  # fmt: skip
"""Straight walks and 90° turns of four children."""


@dataclass(frozen=True)
class Mark:
    """A strike or an off: of which side, when (s), and who says so."""

    side: str
    event: str
    time: float
    source: str


def plate_marks(path: Path, motion: Motion) -> list[Mark]:
    """Return strikes and offs from plates at their own rate; only feet wholly on one plate."""
    plates = read_recording(path).plates
    assert plates is not None
    world = forward(motion)
    marks = []
    for corners, force in zip(plates.corners, plates.force, strict=True):
        normal = np.abs(motion.up @ force)
        quiet = normal[normal < 15]
        normal = normal - (np.median(quiet) if len(quiet) else 0)
        on = normal > THRESHOLD
        for a, b in runs(on):
            if (b - a) / plates.rate < 0.1 or normal[a:b].max() < 100:
                continue
            middle = min(int(0.5 * (a + b) / plates.rate * motion.fps), motion.n_frames - 1)
            side = _side_on(corners, world, middle)
            if side is None:
                continue
            if a > 0:
                marks.append(Mark(side, "strike", a / plates.rate, "plate"))
            if b < len(normal):
                marks.append(Mark(side, "off", b / plates.rate, "plate"))
    return marks


def _side_on(corners: np.ndarray, world, frame: int) -> str | None:
    """Return the one side whose heel and toes are over the plate and slow."""
    skeleton = world.motion.skeleton
    found = []
    for side in ("left", "right"):
        foot = skeleton.index(f"{side}_foot")
        sites = skeleton.site_offset[skeleton.site_body == foot]
        ends = [world.point(foot, site)[:, frame - 1 : frame + 1] for site in sites]
        ends += [world.position[toes][:, frame - 1 : frame + 1] for toes in skeleton.children[foot]]
        speed = min(np.linalg.norm(end[:, 1] - end[:, 0]) for end in ends) * world.motion.fps
        if all(_inside(corners, end[:, 1]) for end in ends) and speed < 0.5:
            found.append(side)
    return found[0] if len(found) == 1 else None


def _inside(corners: np.ndarray, point: np.ndarray) -> bool:
    arm = point - corners[0]
    for side in (corners[1] - corners[0], corners[3] - corners[0]):
        if not 0 <= arm @ side <= side @ side:
            return False
    return True


def marks_of(path: Path, motion: Motion) -> list[Mark]:
    """Return all that is known of a clip: plates where they measured, else stored events."""
    marks = plate_marks(path, motion)
    for event in motion.source.events:
        known = any(
            m.side == event.side and m.event == event.event and abs(m.time - event.time) < 0.15
            for m in marks
        )
        if not known and event.event in ("strike", "off"):
            marks.append(Mark(event.side, event.event, event.time, "stored"))
    return sorted(marks, key=lambda m: m.time)


def errors(marks: list[Mark], events: pd.DataFrame, motion: Motion) -> pd.DataFrame:
    """Return one row a mark with the error in s of the nearest event of that side and kind.

    Marks within 60 ms of the ends of the clip are left out: there is nothing to see before them.
    """
    rows = []
    duration = motion.n_frames / motion.fps
    for mark in marks:
        if not 0.06 < mark.time < duration - 0.06:
            continue
        mine = events[(events.side == mark.side) & (events.event == mark.event)].frame / motion.fps
        error = (
            (mine - mark.time).iloc[np.argmin(np.abs(mine - mark.time))] if len(mine) else np.inf
        )
        rows.append((mark.side, mark.event, mark.source, mark.time, error))
    return pd.DataFrame(rows, columns=["side", "event", "source", "time", "error"])


def frames_in_contact(marks: list[Mark], side: str, fps: float, frames: int) -> np.ndarray:
    """Return ``(F)`` 1 in contact, 0 not, −1 unknown, from the marks of one side."""
    state = np.full(frames, -1)
    mine = [m for m in marks if m.side == side]
    for before, after in itertools.pairwise(mine):
        if before.event != after.event:
            a, b = round(before.time * fps), round(after.time * fps)
            state[a:b] = before.event == "strike"
    return state
