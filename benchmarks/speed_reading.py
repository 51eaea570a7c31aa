"""Reading BVH beside pybvh, bvhio, pandas' C parser and what memory allows; and smoothing it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import mocap_reroot as mr
from benchmarks.bvh_reading import readers
from benchmarks.clips import walking, wandering
from benchmarks.measuring import Row, copy_bandwidth, python, race
from mocap_reroot.signals.cleaning import clean

READ, PARSE = "mocap_reroot.read (everything)", "mocap_reroot read_bvh (parsing alone)"
PYBVH, BVHIO = "pybvh.read_bvh_file", "bvhio.readAsBvh"

PEAK = """
import sys
from pathlib import Path
import mocap_reroot as mr
from mocap_reroot.importers.bvh import read_bvh

def resident(key):
    lines = Path("/proc/self/status").read_text().splitlines()
    return next(1024 * int(line.split()[1]) for line in lines if line.startswith(key))

def rise(run):
    Path("/proc/self/clear_refs").write_text("5")  # forget the peak so far
    before = resident("VmRSS")
    kept = run()
    return kept, resident("VmHWM") - before

array = read_bvh(sys.argv[1]).hierarchy.values.nbytes
mr.smooth(mr.read(sys.argv[1]))  # loads all that is compiled
if Path("/proc/self/clear_refs").exists():
    motion, most = rise(lambda: mr.read(sys.argv[1]))
    smoothed, peak = rise(lambda: mr.smooth(motion))
    result = sum(getattr(part, "nbytes", 0) for part in vars(smoothed).values())
    print(most / array, (peak - result) / motion.rotation.nbytes)
else:
    print("nan nan")
"""
"""Prints how far the memory of a process rises while it reads, in units of the motion array, and
while it smooths, beyond what it returns, in units of the quaternion array."""


def measure(folder: Path, rounds: int) -> Iterator[Row]:
    """Yield the rows of this part."""
    bandwidth = copy_bandwidth()
    yield Row("reading", "memory bandwidth (copy)", bandwidth / 1e9, "GB/s")
    for frames, goal in ((3_000, 3), (10_000, 4)):
        for path in (wandering(folder, frames), walking(folder, frames)):
            size = path.stat().st_size
            runs = readers(path)
            found = race(runs, rounds, {BVHIO: 1})
            label = f"{path.stem.split('_')[0]}, {frames:,} frames"
            for name, times in found.items():
                ratios = times.beside(found[PYBVH])
                aim = f"≥ {goal}" if name == READ else "≥ 8" if name == PARSE else ""
                what = f"{name}: {label}"
                yield Row("reading", what, 1e3 * times.wall, "ms", PYBVH, *ratios, aim)
            rate = size / found[PARSE].processor / 1e6
            what = f"parsing, a processor second: {label}"
            yield Row("reading", what, rate, "MB/s", goal="≥ 200")
            reading, smoothing = map(float, python(PEAK, str(path)).split())
            yield Row("reading", f"peak memory: {label}", reading, "× motion array", goal="≤ 4")
            motion = clean(mr.read(path))
            spent = race({"smooth": lambda motion=motion: mr.smooth(motion)}, rounds)["smooth"]
            yield Row("reading", f"smoothing: {label}", 1e3 * spent.wall, "ms", goal="≤ 40")
            what = f"peak memory of smoothing beyond its result: {label}"
            yield Row("reading", what, smoothing, "× quaternions", goal="≤ 1")
