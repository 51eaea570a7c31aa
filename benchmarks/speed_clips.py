"""Whole clips: from file to tables, from the command line, for the first time, and in memory."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator
from importlib.util import find_spec
from pathlib import Path

import mocap_reroot as mr
from benchmarks.clips import SAMPLE, SHARED, walking
from benchmarks.measuring import Row, once, python, race, shell

TABLES = ("kinematics", "torques", "grf", "phases", "contacts", "events")
GAIT = SHARED / "gold" / "opensim_subject01_walk"
IMPORTS = "import numba, pandas, scipy.signal, pyarrow.parquet"
OPENSIM = """
import statistics, sys, tempfile, time
from pathlib import Path
import opensim
opensim.Logger.setLevelString("Off")
gait = Path(sys.argv[1])
motion = str(gait / "subject01_walk1_ik.mot")
table = opensim.TimeSeriesTable(motion)
times = table.getIndependentColumn()
spent = []
for _ in range(5):
    with tempfile.TemporaryDirectory() as out:
        tool = opensim.InverseDynamicsTool()
        tool.setModelFileName(str(gait / "subject01_simbody.osim"))
        tool.setCoordinatesFileName(motion)
        tool.setLowpassCutoffFrequency(6.0)
        tool.setStartTime(times[0])
        tool.setEndTime(times[-1])
        tool.setResultsDir(out)
        tool.setOutputGenForceFileName("inverse_dynamics.sto")
        began = time.perf_counter()
        assert tool.run()
        spent.append(time.perf_counter() - began)
print()
print(statistics.median(spent) / table.getNumRows())
"""
"""Prints the seconds a frame of OpenSim's inverse dynamics, reading its model included."""
PEAK = """
import resource, sys
import mocap_reroot as mr
found = mr.analyze(sys.argv[1])
found.save(sys.argv[2])
print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024 / found.motion.rotation.nbytes)
"""


def measure(folder: Path, rounds: int, large: bool) -> Iterator[Row]:
    """Yield the rows of this part."""
    yield from _in_memory(folder, rounds)
    yield from _command(folder, rounds)
    frames = 1_000_000 if large else 100_000
    peak = float(python(PEAK, str(walking(folder, frames)), str(folder / "peak")))
    what = f"peak memory of a run, {frames:,} frames"
    yield Row("whole clip", what, peak, "× quaternions", goal="≤ 6")


def _in_memory(folder: Path, rounds: int) -> Iterator[Row]:
    import bvhio

    frames = 10_000
    path = walking(folder, frames)
    stages: dict[str, float] = {}

    def whole() -> None:
        found = mr.analyze(path)
        for name in TABLES:
            getattr(found, name)
        stages.update(found.timings)

    runs = {"whole": whole, "bvhio": lambda: bvhio.readAsBvh(str(path))}
    found = race(runs, rounds, {"bvhio": 1})
    ratios = found["whole"].beside(found["bvhio"])
    rate = frames / found["whole"].wall
    what = f"read to tables, {frames:,} frames"
    yield Row("whole clip", what, rate, "frames/s", goal="≥ 40,000")
    rate = frames / found["whole"].processor
    yield Row("whole clip", f"{what}, a processor second", rate, "frames", goal="≥ 40,000")
    seconds = found["whole"].wall
    yield Row("whole clip", what, 1e3 * seconds, "ms", "bvhio.readAsBvh alone", *ratios, "≥ 8")
    for stage, spent in stages.items():
        yield Row("whole clip", f"  of which {stage}", 1e3 * spent, "ms")
    if GAIT.exists() and find_spec("opensim"):
        each, ours = float(python(OPENSIM, str(GAIT)).split()[-1]), seconds / frames
        what = "OpenSim's inverse dynamics tool, gait example"
        yield Row("whole clip", what, 1e6 * each, "µs a frame")
        what = "read to tables against that tool"
        yield Row("whole clip", what, 1e6 * ours, "µs a frame", "OpenSim", each / ours)


def _command(folder: Path, rounds: int) -> Iterator[Row]:
    """Measure the command in processes of its own: first use, later ones, help."""
    recorded = SHARED / "bvh" / "cmu" / "02_01.bvh"
    clip = recorded if recorded.exists() else SAMPLE
    command = [sys.executable, "-m", "mocap_reroot.cli"]
    compiled = str(folder / "compiled")

    def run(turn: str) -> None:
        arguments = ["run", str(clip), "-o", str(folder / f"run{turn}")]
        arguments += ["--tables", "core", "--no-report"]
        shell(command + arguments, MOCAP_REROOT_CACHE_DIR=compiled)

    first = once(lambda: run("first"))
    yield Row("starting", "first use: run, with compilation", first.wall, "s", goal="≤ 45")
    yield Row("starting", "  of which processor time", first.processor, "s")
    runs: dict[str, Callable[[], object]] = {
        "run": lambda: run(f"{time.perf_counter_ns()}"),
        "imports": lambda: shell([sys.executable, "-c", IMPORTS]),
        "help": lambda: shell([*command, "--help"]),
    }
    found = race(runs, rounds)
    yield Row("starting", f'python -c "{IMPORTS}"', found["imports"].wall, "s")
    ratios = found["run"].beside(found["imports"])
    what = f"run on {clip.stem}, compiled before"
    yield Row("starting", what, found["run"].wall, "s", "those imports", *ratios, "≥ 0.67")
    yield Row("starting", "mocap-reroot --help", found["help"].wall, "s", goal="≤ 0.3")
