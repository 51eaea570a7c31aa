"""Reading BVH beside pybvh, bvhio, pandas' C parser and what memory allows."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from benchmarks.bvh_reading import readers
from benchmarks.clips import walking, wandering
from benchmarks.measuring import Row, copy_bandwidth, python, race

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

array = read_bvh(sys.argv[1]).hierarchy.values.nbytes
mr.read(sys.argv[1])  # loads all that is compiled
if Path("/proc/self/clear_refs").exists():
    Path("/proc/self/clear_refs").write_text("5")  # forget the peak so far
    before = resident("VmRSS")
    kept = mr.read(sys.argv[1])
    print((resident("VmHWM") - before) / array)
else:
    print("nan")
"""
"""Prints how far the memory of a process rises while it reads, in units of the motion array."""


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
            peak = float(python(PEAK, str(path)))
            yield Row("reading", f"peak memory: {label}", peak, "× motion array", goal="≤ 4")
