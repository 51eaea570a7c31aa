"""Code just compiled and the same code from the cache compute the same, to the last bit."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

WALK = Path(__file__).parents[2] / "sample_data" / "walk.bvh"
SCRIPT = """
import hashlib, sys
import numpy as np
import mocap_reroot as mr
motion = mr.smooth(mr.read(sys.argv[1]))
names = ("rotation", "displacement", "angular_acceleration", "linear_acceleration")
rows = b"".join(np.ascontiguousarray(getattr(motion, name)).tobytes() for name in names)
print(hashlib.sha256(rows).hexdigest())
"""


def test_compiled_and_cached_code_agree(tmp_path) -> None:
    environment = os.environ | {"MOCAP_REROOT_CACHE_DIR": str(tmp_path)}
    command = [sys.executable, "-W", "ignore", "-c", SCRIPT, str(WALK)]

    def run() -> str:
        done = subprocess.run(command, env=environment, capture_output=True, text=True, check=True)
        return done.stdout

    compiled = run()
    assert any(tmp_path.rglob("*.nbc"))
    assert compiled == run()
