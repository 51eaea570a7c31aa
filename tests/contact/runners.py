"""Runs on a treadmill with both feet on plates of their own, as recorded and played faster.

Played faster a run at 5 m/s becomes a sprint: strides, stances and plates' times shrink alike. Only
times are compared: a body that falls faster than gravity has no forces to speak of.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
from scipy.interpolate import CubicSpline

from mocap_reroot.importers.mot import read_mot
from mocap_reroot.reading import read
from mocap_reroot.types import Motion
from tests.contact.truth import THRESHOLD, Mark

SPEEDS = (200, 300, 400, 500)
"""cm/s, of the belt."""


def run_of(person: Path, speed: int) -> tuple[Motion, list[Mark]]:
    """Return a run without its plates, and when they say that feet strike and leave.

    A foot is down while its plate bears 20 N; crossings are interpolated between samples.
    """
    folder = person / f"run{speed}"
    motion = read(folder / "markers.trc", static=person / "static.trc")
    plates = read_mot(folder / "grf.mot")
    marks = []
    for name, force in zip(plates.names, plates.force, strict=True):
        up = motion.up @ force
        side = "right" if name.startswith("r") else "left"
        for k in np.flatnonzero((up[1:] > THRESHOLD) != (up[:-1] > THRESHOLD)).tolist():
            at = k + (THRESHOLD - up[k]) / (up[k + 1] - up[k])
            event = "strike" if up[k + 1] > up[k] else "off"
            time = plates.start + at / plates.rate - motion.source.start_time
            marks.append(Mark(side, event, time, "plate"))
    return motion, sorted(marks, key=lambda mark: mark.time)


def hastened(
    motion: Motion, marks: list[Mark], times: float, fps: float, belt: np.ndarray | None = None
) -> tuple[Motion, list[Mark]]:
    """Return a run some times faster at another rate; over ground if its belt is taken away.

    Args:
        motion, marks: As recorded.
        times: How many times faster.
        fps: Hz, of the result.
        belt: ``(3)`` m/s, velocity of the belt as recorded, or None to leave it.
    """
    time = np.arange(motion.n_frames) / (motion.fps * times)
    new = np.arange(int(time[-1] * fps) + 1) / fps
    rotation = CubicSpline(time, motion.rotation, axis=-1)(new)
    rotation /= np.linalg.norm(rotation, axis=1, keepdims=True)
    displacement = CubicSpline(time, motion.displacement, axis=-1)(new)
    if belt is not None:
        slot = motion.skeleton.slot[motion.skeleton.root]
        displacement[slot] -= times * belt[:, None] * new
    faster = replace(
        motion, fps=fps, rotation=rotation, displacement=displacement, flags=np.zeros(len(new)),
        plates=None,
    )  # fmt: skip
    return faster, [replace(mark, time=mark.time / times) for mark in marks]
