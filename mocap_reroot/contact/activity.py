"""Activity of a clip (walking, running …): to filter data sets and to look up the accuracy."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass

import numpy as np

from mocap_reroot.types import Contacts, Motion


@dataclass(frozen=True)
class Marks:
    """What tells activities apart; this program's own numbers, for people of any size.

    Attributes:
        stroll: m/s, net speed of the root above which somebody goes somewhere.
        hop: s in the air, in one go, from which it is a jump.
        dip: m, range of the root's height from which it is a squat and no standing.
        apart: Share of the time on one foot above which somebody steps.
    """

    stroll: float = 0.3
    hop: float = 0.12
    dip: float = 0.15
    apart: float = 0.1


def activity(motion: Motion, contacts: Contacts, marks: Marks | None = None) -> str:
    """Return ``walking``, ``running``, ``jumping``, ``squatting``, ``standing`` or ``other``."""
    marks = marks or Marks()
    gait = contacts.gait.get("gait", "other")
    if gait != "other":
        return str(gait)
    frames: dict[str, int] = defaultdict(int)
    longest = 0.0
    for phase in contacts.phase_list:
        frames[phase.mode] += phase.stop - phase.start
        if phase.mode == "flight":
            longest = max(longest, (phase.stop - phase.start) / motion.fps)
    known = sum(frames.values()) - frames["none"]
    root, sliding = motion.skeleton.root, list(motion.skeleton.translating)
    if not known or root not in sliding or contacts.others or frames["multi"]:
        return "other"
    path = motion.displacement[sliding.index(root)][:, contacts.analysed]
    height = motion.up @ path
    way = path[:, -1] - path[:, 0]
    speed = np.linalg.norm(way - motion.up * (motion.up @ way)) * motion.fps / path.shape[1]
    steps = frames["single"] / known > marks.apart
    if speed > marks.stroll and steps:
        return "running" if frames["flight"] and not frames["double"] else "walking"
    if longest > marks.hop:
        return "jumping"
    if steps or frames["flight"]:
        return "other"
    return "squatting" if np.ptp(height) > marks.dip else "standing"
