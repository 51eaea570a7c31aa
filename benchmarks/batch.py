"""How fast a batch is: clips of the CMU library many times over, core tables, no report.

    python -m benchmarks.batch [--clips 300] [--from FOLDER]

In turns, medians of three: the batch with one process and with two, pybvh reading the same files in
one process, and bare pyarrow writing the same tables. Once: the whole command with all that
starting takes. Then our writing of these tables from arrays beside pyarrow's of tables that are
ready.
"""

from __future__ import annotations

import argparse
import shutil
import statistics
import sys
import tempfile
import time
import warnings
from collections.abc import Iterator
from itertools import cycle, islice
from pathlib import Path

import pandas as pd
import pyarrow.parquet as pq

from benchmarks.clips import SAMPLE, SHARED
from benchmarks.measuring import Row, machine, once, race, shell
from mocap_reroot.batch.engine import run_batch
from mocap_reroot.config import resolve
from mocap_reroot.export.tables import write_table
from mocap_reroot.resources.clips import find_clips

RECORDED = SHARED / "bvh" / "cmu"
SOURCE = RECORDED if RECORDED.exists() else SAMPLE.parent
CLIPS = 300
ROUNDS = 3
TABLES = ("torques", "grf", "contacts")
PART = "batch"


def replicate(source: Path, folder: Path, count: int) -> list[Path]:
    """Copy the BVH files of a folder over and over until there are so many."""
    files = sorted(source.glob("*.bvh"))
    if not files:
        raise SystemExit(f"There is no BVH file in {source}; say --from FOLDER.")
    made = []
    for k, file in enumerate(islice(cycle(files), count)):
        target = folder / f"{k // 50:02d}" / f"{k:03d}_{file.name}"
        target.parent.mkdir(parents=True, exist_ok=True)
        made.append(Path(shutil.copy(file, target)))
    return made


def seconds(function, *arguments) -> float:
    """Return how long a function takes."""
    begin = time.perf_counter()
    function(*arguments)
    return time.perf_counter() - begin


def read_with_pybvh(files: list[Path]) -> None:
    import pybvh

    for file in files:
        pybvh.read_bvh_file(file)


def write_with_pyarrow(tables: list, folder: Path) -> None:
    """Write tables with pyarrow's own settings, in one folder."""
    folder.mkdir(exist_ok=True)
    for k, table in enumerate(tables):
        pq.write_table(table, folder / f"{k}.parquet")


def measure(
    folder: Path, clips: int = CLIPS, source: Path = SOURCE, rounds: int = ROUNDS
) -> Iterator[Row]:
    """Measure the batch, its peers in turns with it, and where its time goes."""
    given = folder / "in"
    files = replicate(source, given, clips)
    size = sum(file.stat().st_size for file in files) / 1e6
    found, config = find_clips([given]), resolve(None, {"tables": "core", "report": False})
    run_batch(found[: min(10, clips)], folder / "warm", config, jobs=2)  # compiles, loads
    read_with_pybvh(files[:5])
    spent: dict[int, list[float]] = {1: [], 2: []}
    reading, writing = [], []
    for turn in range(rounds):
        reading.append(seconds(read_with_pybvh, files))
        for jobs, times in spent.items():
            shutil.rmtree(out := folder / f"out{jobs}", ignore_errors=True)
            begin = time.perf_counter()
            tally = run_batch(found, out, config, jobs=jobs)
            times.append(time.perf_counter() - begin)
            assert not tally.failures, tally.failures[0]
        if not turn:
            tables = [pq.read_table(f) for name in TABLES for f in out.rglob(f"{name}.parquet")]
        writing.append(seconds(write_with_pyarrow, tables, folder / "bare"))
    for jobs, times in spent.items():
        took = statistics.median(times)
        what = f"{clips} clips, {jobs} {'process' if jobs == 1 else 'processes'}"
        yield Row(PART, what, clips / took, "clips/s")
        yield Row(PART, what, tally.frames / took, "frames/s")
        yield Row(PART, what, size / took, "MB/s of BVH")
    peers = {"pybvh reads them": reading, "pyarrow writes the tables": writing}
    for (what, times), goal in zip(peers.items(), ("≥ 1 (asked: 0.5)", "≥ 0.4"), strict=True):
        # Turn by turn: the speed of a machine changes from minute to minute.
        ratio = statistics.median(peer / ours for peer, ours in zip(times, spent[2], strict=True))
        text = f"{what} in one process; ratio to our two"
        yield Row(PART, text, statistics.median(times), "s", what.split()[0], ratio, goal=goal)
    words = [sys.executable, "-m", "mocap_reroot.cli", "batch", str(given), "--quiet"]
    words += ["-o", str(folder / "command"), "--jobs", "2"]
    whole = once(lambda: shell(words)).wall
    peer = statistics.median(reading)
    yield Row(PART, "the whole command, 2 processes, with start", whole, "s", "pybvh", peer / whole)
    yield from shares(folder / "out1")
    yield from parquet(folder / "out1", folder)


def shares(out: Path) -> Iterator[Row]:
    """Return the share of every stage in the time of one process."""
    index = pd.read_parquet(out / "index.parquet")
    stages = [c for c in index if c.startswith("time_")]
    sums = {stage.removeprefix("time_"): float(index[stage].sum()) for stage in stages}
    total = sum(sums.values())
    for stage, part in sums.items():
        yield Row(PART, f"share of {stage}", 100 * part / total, "%")


def parquet(out: Path, folder: Path, rounds: int = 5, clips: int = 20) -> Iterator[Row]:
    """Write the tables of some clips from arrays, as we do, and ready ones with bare pyarrow."""
    for name in TABLES:
        files = sorted(out.rglob(f"{name}.parquet"))[:clips]
        tables = [pq.read_table(file) for file in files]
        columns = [
            {k: table[k].to_numpy() for k in table.column_names}  # empty values are NaN again
            for table in tables
        ]
        target = folder / "written.parquet"

        def ours(columns: list = columns, name: str = name, target: Path = target) -> None:
            for each in columns:
                write_table(each, target, name)

        def bare(tables: list = tables, target: Path = target) -> None:
            for each in tables:
                pq.write_table(each, target)

        found = race({"ours": ours, "bare": bare}, rounds)
        ratios = found["ours"].beside(found["bare"])
        rows = statistics.mean(table.num_rows for table in tables)
        what = f"Parquet: {name}, {tables[0].num_columns} columns × {rows:.0f} rows"
        each = 1e3 * found["ours"].wall / len(tables)
        yield Row(PART, what, each, "ms", "pyarrow, ready table", *ratios, "≥ 0.77")


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--clips", type=int, default=CLIPS)
    parser.add_argument("--from", dest="source", type=Path, default=SOURCE)
    options = parser.parse_args()
    warnings.filterwarnings("ignore")
    about = machine()
    print(", ".join(f"{name} {number}" for name, number in about["versions"].items()))
    print(f"{about['processor']}, {about['cores']} cores, load {about['load']}, {about['system']}")
    with tempfile.TemporaryDirectory() as folder:
        for row in measure(Path(folder), options.clips, options.source):
            ratio = "" if row.ratio != row.ratio else f"{row.ratio:.2f}"
            print(f"{row.what:60}{row.value:11.4g} {row.unit:14}{ratio:>8}  {row.goal}", flush=True)


if __name__ == "__main__":
    main()
