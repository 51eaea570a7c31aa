"""How large the files for simulators are and how long they take, for a minute of motion.

    python -m benchmarks.simulators [FILE]

The clip (by default the sample walk) is analysed once and its frames are repeated until they last
a minute; times are the best of three, writing only.
"""

from __future__ import annotations

import sys
import tempfile
import time
from dataclasses import replace
from pathlib import Path

import numpy as np

import mocap_reroot as mr
from mocap_reroot.config import SIMULATORS
from mocap_reroot.export.simulators import body_pushes
from mocap_reroot.results import write_simulated

WALK = Path(__file__).resolve().parents[1] / "sample_data" / "walk.bvh"


def main(path: Path) -> None:
    analysis = mr.analyze(path)
    motion = analysis.motion
    frames = int(60 * motion.fps)
    at = np.arange(frames) % motion.n_frames
    names = ("rotation", "displacement", "angular_velocity", "angular_acceleration",
             "linear_velocity", "linear_acceleration", "flags")  # fmt: skip
    minute = replace(motion, **{n: getattr(motion, n)[..., at] for n in names})
    push = body_pushes(analysis.ground)[..., at]
    print(f"{path.name}: {motion.skeleton.n_bodies} bodies, {frames} frames at {motion.fps:g} Hz")
    print("| format | MB | MB, `--float32` | s |\n|---|---|---|---|")
    with tempfile.TemporaryDirectory() as folder:
        for kind in SIMULATORS:
            sizes, seconds = [], []
            for single in (False, True, False, False):
                config = analysis.config.with_options({"float32": single})
                begin = time.perf_counter()
                files = write_simulated(
                    replace(analysis, config=config), kind, Path(folder) / "clip", minute, push
                )
                seconds.append(time.perf_counter() - begin)
                sizes.append(sum(file.stat().st_size for file in files) / 1e6)
            print(f"| `{kind}` | {sizes[0]:.1f} | {sizes[1]:.1f} | {min(seconds):.1f} |")


if __name__ == "__main__":
    main(Path(sys.argv[1]) if len(sys.argv) > 1 else WALK)
