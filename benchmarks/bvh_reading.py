"""How fast BVH is read, beside pybvh, bvhio and pandas: one file, one process, taken in turns.

    python benchmarks/bvh_reading.py [FILE.bvh] [--rounds 15]

Without a file, one like those of the CMU library is made: 31 joints, 3,000 frames, four decimals.
Readers take turns, so that a busy machine is fair to all; the median of the rounds counts. Memory
and other peers: ``python -m benchmarks reading``.
"""

from __future__ import annotations

import argparse
import io
import platform
import statistics
import tempfile
import time
import warnings
from collections.abc import Callable
from importlib.metadata import version
from pathlib import Path

import numpy as np
import pandas as pd

import mocap_reroot as mr
from mocap_reroot.export.bvh import write_bvh
from mocap_reroot.importers.bvh import read_bvh

warnings.filterwarnings("ignore")
JOINTS, FRAMES = 31, 3000
SPINE = ("Hips", "LowerBack", "Spine", "Spine1", "Neck", "Neck1", "Head")
LIMBS = {
    "Hips": ("{}HipJoint", "{}UpLeg", "{}Leg", "{}Foot", "{}ToeBase"),
    "Spine1": (
        "{}Shoulder", "{}Arm", "{}ForeArm", "{}Hand", "{}FingerBase", "{}HandIndex", "{}Thumb",
    ),
}  # fmt: skip


def cmu_like(path: Path) -> Path:
    """Write a person of 31 joints whose angles wander, with as many digits as CMU's files."""
    names, parents = ["Hips"], [-1]
    for name in SPINE[1:]:
        parents.append(len(names) - 1)
        names.append(name)
    for side in ("Left", "Right"):
        for root, limb in LIMBS.items():
            parent = names.index(root)
            for part in limb:
                parents.append(parent)
                parent = len(names)
                names.append(part.format(side))
    assert len(names) == JOINTS
    children: list[list[int]] = [
        [k for k, p in enumerate(parents) if p == b] for b in range(JOINTS)
    ]
    lines, order = ["HIERARCHY"], []

    def add(body: int, depth: int) -> None:
        tab = "\t" * depth
        order.append(body)
        words = "3 Zrotation Yrotation Xrotation"
        if not depth:
            words = "6 Xposition Yposition Zposition Zrotation Yrotation Xrotation"
        lines.extend([f"{tab}{'JOINT' if depth else 'ROOT'} {names[body]}", f"{tab}{{"])
        lines.extend([f"{tab}\tOFFSET 0.12345 {1 + body % 5}.54321 0", f"{tab}\tCHANNELS {words}"])
        for child in children[body]:
            add(child, depth + 1)
        if not children[body]:
            lines.extend([f"{tab}\tEnd Site", f"{tab}\t{{", f"{tab}\t\tOFFSET 0 1 0", f"{tab}\t}}"])
        lines.append(f"{tab}}}")

    add(0, 0)
    rng = np.random.default_rng(0)
    values = np.cumsum(rng.normal(size=(FRAMES, 3 + 3 * JOINTS)), axis=0)
    values = 180 * np.sin(0.02 * values + rng.uniform(-1, 1, values.shape[1]))
    lines += ["MOTION", f"Frames: {FRAMES}", "Frame Time: .0083333"]
    lines += [" ".join(f"{value:.4f}" for value in row) for row in values]
    path.write_text("\n".join(lines) + "\n")
    return path


def readers(path: Path) -> dict[str, Callable[[], object]]:
    """Return what is to be timed, by name."""
    import bvhio
    import pybvh

    text = path.read_bytes()
    rows = text[text.index(b"\n", text.index(b"Frame Time")) + 1 :]
    return {
        "mocap_reroot.read (everything)": lambda: mr.read(path),
        "mocap_reroot.read (unit and up given)": lambda: mr.read(path, unit="cmu", up="y"),
        "mocap_reroot read_bvh (parsing alone)": lambda: read_bvh(path),
        "pybvh.read_bvh_file": lambda: pybvh.read_bvh_file(path),
        "pandas.read_csv (the numbers alone)": lambda: pd.read_csv(
            io.BytesIO(rows), sep=" ", header=None, engine="c", dtype=np.float64
        ),
        "bvhio.readAsBvh": lambda: bvhio.readAsBvh(str(path)),
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("file", nargs="?", type=Path)
    parser.add_argument("--rounds", type=int, default=15)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        path = options.file or cmu_like(Path(folder) / "cmu_like.bvh")
        size = path.stat().st_size
        work = readers(path)
        times: dict[str, list[float]] = {name: [] for name in work}
        for read in work.values():
            read()  # compile, and fill the file cache
        for round_ in range(options.rounds):
            for name, read in work.items():
                if name.startswith("bvhio") and round_ >= 3:
                    continue  # a hundred times slower: three rounds will do
                began = time.perf_counter()
                read()
                times[name].append(time.perf_counter() - began)
        median = {name: statistics.median(values) for name, values in times.items()}
        peer = median["pybvh.read_bvh_file"]
        motion = read_bvh(path).hierarchy.values
        modules = ("mocap_reroot", "pybvh", "bvhio", "pandas", "numpy", "numba")
        print(", ".join(f"{name} {version(name)}" for name in modules))
        print(f"Python {platform.python_version()}, {platform.machine()}, {platform.system()}")
        channels, frames = motion.shape
        print(f"{path.name}: {size / 1e6:.2f} MB, {channels} channels × {frames} frames")
        print(f"\n{'reader':40}{'ms':>9}{'best':>9}{'MB/s':>8}{'× pybvh':>9}")
        for name, seconds in median.items():
            best, rate = 1e3 * min(times[name]), size / seconds / 1e6
            print(f"{name:40}{1e3 * seconds:9.2f}{best:9.2f}{rate:8.0f}{peer / seconds:9.2f}")
        clip = mr.read(path, unit="cmu", up="y")
        out = write_bvh(clip, Path(folder) / "out.bvh")
        began = time.perf_counter()
        write_bvh(clip, out)
        spent = time.perf_counter() - began
        print(f"write_bvh: {1e3 * spent:.0f} ms, {out.stat().st_size / spent / 1e6:.0f} MB/s")


if __name__ == "__main__":
    main()
