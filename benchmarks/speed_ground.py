"""What the ground costs: time a frame from 200 to 200,000 frames, and memory.

    python -m benchmarks ground [--large]

A stride of a recorded walk, 31 bodies at 120 Hz, again and again. The whole of
``estimate_ground``, smoothing included, on one thread. ``python -m benchmarks batch --large`` has
what 300 clips take beside pybvh.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import mocap_reroot as mr
from benchmarks.clips import walking
from benchmarks.measuring import Row, python, race

PART = "ground"
SIZES = (200, 2_000, 20_000, 200_000)
PEAK = """
import re, sys
from pathlib import Path
import mocap_reroot as mr
motion = mr.read(sys.argv[1])
body = mr.body_model(motion)
contacts = mr.detect_contacts(motion, body)
mr.estimate_ground(motion, body, contacts)
peak = int(re.search("VmHWM:\\s+(\\d+)", Path("/proc/self/status").read_text())[1])
print(1024 * peak / motion.rotation.nbytes)
"""
"""Prints the peak memory of a process, the program included, over its quaternions (Linux)."""


def measure(folder: Path, rounds: int, large: bool) -> Iterator[Row]:
    """Yield the rows of this part."""
    least = 0.0
    for frames in SIZES if large else SIZES[:3]:
        motion = mr.read(walking(folder, frames))
        body = mr.body_model(motion)
        contacts = mr.detect_contacts(motion, body)
        runs = {
            "whole": lambda m=motion, b=body, c=contacts: mr.estimate_ground(m, b, c),
            "smooth": lambda m=motion: mr.smooth(m),
        }
        found = race(runs, rounds)
        each = 1e6 * found["whole"].processor / frames
        least = least or each
        what = f"estimate_ground, {frames:,} frames of {len(body.mass)} bodies"
        yield Row(PART, what, each, "µs a frame", "200 frames", least / each, goal="≤ 35")
        yield Row(PART, "  of which smoothing", 1e6 * found["smooth"].processor / frames, "µs")
    frames = 1_000_000 if large else 100_000
    peak = float(python(PEAK, str(walking(folder, frames))))
    what = f"peak memory up to estimate_ground, {frames:,} frames"
    yield Row(PART, what, peak, "× quaternions", goal="≤ 8")
