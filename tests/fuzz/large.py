"""Sizes that no test suite should wait for: ``python -m tests.fuzz.large`` (part of ``make fuzz``).

A six-hour recording at 120 Hz of 31 bodies (2 GB of text), trees of 10,000 joints and chains of
3,000; each in a process of its own, with its time and the peak of its memory.
"""

import argparse
import re
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import mocap_reroot as mr
from tests.fuzz.seeds import SAMPLES, SHARED

SIX_HOURS = 6 * 3600 * 120


def tree(n: int, deep: bool, frames: int = 20) -> str:
    """Return a BVH of ``n`` joints: one chain, or all on one body."""
    root = "CHANNELS 6 Xposition Yposition Zposition Zrotation Xrotation Yrotation"
    lines = ["HIERARCHY", "ROOT j0", "{", "OFFSET 0 0 0", root]
    end = ["End Site", "{", "OFFSET 0 1 0", "}"]
    for k in range(1, n):
        lines += [f"JOINT j{k}", "{", "OFFSET 0 1 0", "CHANNELS 3 Zrotation Xrotation Yrotation"]
        lines += [] if deep else [*end, "}"]
    lines += [*end, *["}"] * (n - 1)] if deep else []
    lines += ["}", "MOTION", f"Frames: {frames}", "Frame Time: 0.01"]
    return "\n".join(lines + [" ".join(["0"] * (3 + 3 * n))] * frames) + "\n"


def long_clip(path: Path, frames: int) -> None:
    """Write a walk again and again until it has so many frames."""
    real = SHARED / "bvh/cmu/16_01.bvh"
    source = (real if real.is_file() else SAMPLES / "walk.bvh").read_bytes()
    head, mark, tail = re.split(rb"(Frame Time:[^\n]*\n)", source, maxsplit=1)
    rows = tail.splitlines(keepends=True)[1:]
    with path.open("wb") as file:
        file.write(re.sub(rb"Frames:\s*\d+", b"Frames: %d" % frames, head) + mark)
        whole, rest = divmod(frames, len(rows))
        for _ in range(whole):
            file.write(b"".join(rows))
        file.write(b"".join(rows[:rest]))


def measure(what: str, path: Path) -> None:
    """Read or analyse a file and print what it cost."""
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e6
    begin = time.perf_counter()
    try:
        told = repr(mr.read(path) if what == "read" else mr.analyze(path, mass=70.0))
    except mr.MocapRerootError as error:
        told = str(error)
    seconds = time.perf_counter() - begin
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e6
    cost = f"{seconds:.1f} s, memory {before:.2f} to {peak:.2f} GB"
    print(f"{what} {path.name} ({path.stat().st_size / 1e6:.0f} MB): {cost}: {told}", flush=True)


def main() -> None:
    """Make the files, measure each in a fresh process."""
    words = argparse.ArgumentParser(description=__doc__)
    words.add_argument("--frames", type=int, default=SIX_HOURS, help="of the long recording")
    words.add_argument("--measure", nargs=2, metavar=("WHAT", "FILE"), default=None)
    given = words.parse_args()
    if given.measure:
        measure(given.measure[0], Path(given.measure[1]))
        return
    with tempfile.TemporaryDirectory() as folder:
        made = {name: Path(folder) / f"{name}.bvh" for name in ("long", "shorter", "wide", "deep")}
        made["wide"].write_text(tree(10_000, deep=False))
        made["deep"].write_text(tree(3_000, deep=True))
        long_clip(made["long"], given.frames)
        long_clip(made["shorter"], given.frames // 100)
        todo = [("analyze", "wide"), ("analyze", "deep"), ("analyze", "shorter"), ("read", "long")]
        for what, name in [*todo, ("analyze", "long")]:
            command = [sys.executable, "-m", "tests.fuzz.large", "--measure", what, made[name]]
            subprocess.run(command, check=True)


if __name__ == "__main__":
    main()
