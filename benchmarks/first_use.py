"""How long a first use takes, in fresh caches, by the clock.

    python -m benchmarks.first_use [PYTHON …]     measures; other installations beside this one
    python -m benchmarks.first_use --record       writes the list of kernels to compile ahead

Measured in turns: ``run`` of the sample BVH, then of the sample C3D, then both again.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from benchmarks.clips import SAMPLE

SAMPLES = SAMPLE.parent
RECORDER = """
import json, sys, time
from numba.core import event
from mocap_reroot.kernels.ahead import encoded

class Entries(event.Listener):
    def __init__(self):
        self.depth, self.found = 0, []
    def on_start(self, told):
        self.depth += 1
        self.began = time.process_time() if self.depth == 1 else self.began
    def on_end(self, told):
        self.depth -= 1
        kernel = told.data["dispatcher"].py_func
        if self.depth == 0 and kernel.__module__.startswith("mocap_reroot.kernels."):
            name = f"{kernel.__module__.rpartition('.')[2]}.{kernel.__name__}"
            seconds = round(time.process_time() - self.began)  # decides the order only
            self.found.append([name, encoded(tuple(told.data["args"])), seconds])

entries = Entries()
event.register("numba:compile", entries)
"""
WORK = {
    "bvh": """
import mocap_reroot as mr, tempfile
for name in ("walk.bvh", "run.bvh"):
    mr.analyze(f"{samples}/{name}").save(tempfile.mkdtemp() + "/out")
""",
    "markers": """
import mocap_reroot as mr, tempfile
for options in ({}, {"forces": "predicted"}):
    mr.analyze(f"{samples}/walk.c3d", **options).save(tempfile.mkdtemp() + "/out")
""",
    "other": """
import mocap_reroot as mr, tempfile
from click.testing import CliRunner
from mocap_reroot.cli import app
walk = mr.analyze(f"{samples}/walk.bvh", pin_feet=True, band=True)
mr.analyze(f"{samples}/walk.bvh", smoother="spline")
for how in (["--root", "LeftFoot"], ["--support"], ["--as-is"]):
    CliRunner().invoke(app, ["convert", f"{samples}/walk.bvh", "-o", tempfile.mkdtemp(), *how])
for scene in (["compass", "--steps", "2"], ["swing"], ["assembly"]):
    CliRunner().invoke(app, ["simulate", *scene, "-o", tempfile.mkdtemp()])
""",
}
"""What is done of each kind, after the kinds before it."""


def record() -> None:
    """Write which kernels Python calls, for which arguments, and how long each took to compile."""
    from mocap_reroot.kernels.ahead import SIGNATURES

    script = RECORDER + f"samples = {str(SAMPLES)!r}\nkinds = {{}}\n"
    for kind, work in WORK.items():
        script += f"{work}\nkinds[{kind!r}], entries.found = entries.found, []\n"
    script += "print(json.dumps(kinds))"
    told = _python(sys.executable, ["-c", script])
    kinds = json.loads(told.splitlines()[-1])
    kinds["markers"] = kinds["bvh"] + kinds["markers"]  # a run from markers needs most of the other
    parts = []
    for kind, found in kinds.items():
        lines = ",\n".join(map(json.dumps, sorted(found, key=json.dumps)))
        parts.append(f"{json.dumps(kind)}: [\n{lines}\n]")
    SIGNATURES.write_text("{\n" + ",\n".join(parts) + "\n}\n", encoding="utf-8")
    print(SIGNATURES, {kind: len(found) for kind, found in kinds.items()})


def measure(pythons: list[str]) -> None:
    """Print seconds by the clock of first and second runs, of one installation after another."""
    print(
        "seconds:", *(f"{run:>12}" for run in ("first BVH", "first C3D", "BVH again", "C3D again"))
    )
    for python in pythons:
        with tempfile.TemporaryDirectory() as folder:
            taken = []
            for sample in ("walk.bvh", "walk.c3d") * 2:
                command = ["run", str(SAMPLES / sample), "-o", f"{folder}/out"]
                start = time.perf_counter()
                _python(
                    python, ["-c", "from mocap_reroot.cli import main; main()", *command], folder
                )
                taken.append(time.perf_counter() - start)
        print(*(f"{seconds:12.1f}" for seconds in taken), python)


def _python(python: str, arguments: list[str], cache: str | None = None) -> str:
    """Run Python with a cache of its own, and return what it prints."""
    with tempfile.TemporaryDirectory() as fresh:
        environment = os.environ | {"MOCAP_REROOT_CACHE_DIR": cache or fresh}
        done = subprocess.run(
            [python, "-W", "ignore", *arguments],
            env=environment, stdout=subprocess.PIPE, text=True, check=True,
            cwd=Path(__file__).parents[1] if python == sys.executable else Path(python).parents[2],
        )  # fmt: skip
    return done.stdout


if __name__ == "__main__":
    record() if "--record" in sys.argv else measure([*sys.argv[1:], sys.executable])
