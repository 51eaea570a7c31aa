"""Code just compiled and the same code from the cache compute the same, to the last bit."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

SAMPLES = Path(__file__).parents[2] / "sample_data"
SCRIPT = """
import hashlib, sys
import mocap_reroot as mr
for path in sys.argv[1:]:
    analysis = mr.analyze(path, mass=70.0, height=1.75)
    for name in ("kinematics", "contacts", "torques", "grf"):
        rows = analysis.table(name).select_dtypes(("number", "bool")).to_numpy(float)
        print(path, name, hashlib.sha256(rows.tobytes()).hexdigest())
"""


def test_compiled_and_cached_code_agree(tmp_path) -> None:
    environment = os.environ | {"MOCAP_REROOT_CACHE_DIR": str(tmp_path)}
    clips = [str(SAMPLES / name) for name in ("walk.c3d", "walk.bvh")]
    command = [sys.executable, "-W", "ignore", "-c", SCRIPT, *clips]

    def run() -> str:
        done = subprocess.run(command, env=environment, capture_output=True, text=True, check=True)
        return done.stdout

    compiled = run()
    assert any(tmp_path.rglob("*.nbc"))
    assert compiled == run()
