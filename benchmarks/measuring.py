"""Taking turns, counting time and memory, and telling the machine."""

from __future__ import annotations

import os
import platform
import resource
import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

import numpy as np

PACKAGES = (
    "mocap_reroot", "numpy", "numba", "scipy", "pandas", "pyarrow",
    "pybvh", "bvhio", "pin", "mujoco", "opensim",
)  # fmt: skip


@dataclass(frozen=True)
class Row:
    """One measured thing.

    Attributes:
        part, what: Heading and name.
        value, unit: What was measured.
        peer: What it is compared with, or empty.
        ratio: How many times better than the peer; NaN without one.
        by_processor: The same by processor time, which a busy machine disturbs less.
        goal: The ratio (or the value, without a peer) that is aimed at, in words; or empty.
    """

    part: str
    what: str
    value: float
    unit: str
    peer: str = ""
    ratio: float = float("nan")
    by_processor: float = float("nan")
    goal: str = ""


@dataclass(frozen=True)
class Times:
    """Median seconds of a run, by the clock on the wall and of all threads together."""

    wall: float
    processor: float

    def beside(self, peer: Times, share: float = 1.0) -> tuple[float, float]:
        """Return how many times faster this is than a peer that does a share of the work."""
        return peer.wall / self.wall / share, peer.processor / self.processor / share


def race(
    runs: Mapping[str, Callable[[], object]], rounds: int, few: Mapping[str, int] | None = None
) -> dict[str, Times]:
    """Return the median times of each run; all take turns, so that a busy machine is fair.

    Args:
        runs: By name; each is run once beforehand, to compile and to fill caches.
        rounds: Times that each is measured.
        few: Names of slow ones, and how often they are measured instead.
    """
    wall: dict[str, list[float]] = {name: [] for name in runs}
    processor: dict[str, list[float]] = {name: [] for name in runs}
    for run in runs.values():
        run()
    for turn in range(rounds):
        for name, run in runs.items():
            if turn >= (few or {}).get(name, rounds):
                continue
            began, worked = time.perf_counter(), _worked()
            run()
            wall[name].append(time.perf_counter() - began)
            processor[name].append(_worked() - worked)
    middle = statistics.median
    return {name: Times(middle(wall[name]), middle(processor[name])) for name in runs}


def _worked() -> float:
    """Return the processor seconds of this process and of those it started."""
    used = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(who.ru_utime + who.ru_stime for who in used)


def shell(command: list[str], **environment: str) -> None:
    """Run a command in a process of its own."""
    done = subprocess.run(
        command, env=os.environ | environment, capture_output=True, text=True, check=False
    )
    if done.returncode:
        raise RuntimeError(f"{' '.join(command)} failed:\n{done.stderr[-2000:]}")


def once(run: Callable[[], object]) -> Times:
    """Return the times of a single run."""
    began, worked = time.perf_counter(), _worked()
    run()
    return Times(time.perf_counter() - began, _worked() - worked)


def python(code: str, *arguments: str) -> str:
    """Run some Python in a process of its own and return what it prints."""
    command = [sys.executable, "-c", code, *arguments]
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout


def copy_bandwidth(size: int = 1 << 26) -> float:
    """Return bytes a second read and written by a large copy: what memory allows."""
    source, target = np.ones(size // 8), np.empty(size // 8)
    spent = race({"copy": lambda: np.copyto(target, source)}, 7)["copy"].wall
    return 2 * size / spent


def machine() -> dict[str, object]:
    """Return what the figures depend on."""
    model = platform.processor() or platform.machine()
    listed = Path("/proc/cpuinfo")
    if listed.exists():
        lines = listed.read_text(encoding="utf-8").splitlines()
        names = [line.split(":", 1)[1].strip() for line in lines if "model name" in line]
        model = names[0] if names else model
    versions = {}
    for name in PACKAGES:
        try:
            versions[name] = version(name)
        except PackageNotFoundError:
            versions[name] = "absent"
    return {
        "processor": model,
        "cores": os.cpu_count(),
        "load": os.getloadavg()[0] if hasattr(os, "getloadavg") else None,
        "system": f"{platform.system()} {platform.release()}",
        "python": platform.python_version(),
        "versions": versions,
    }
