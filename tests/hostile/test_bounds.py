"""Processes that we start for a file have bounds of their own, which follow from its size."""

import signal
import struct
import subprocess
import sys
from pathlib import Path

import pytest

from mocap_reroot.resources.processes import TookTooLongError, run_bounded

SAMPLE = Path(__file__).resolve().parents[2] / "sample_data" / "walk.c3d"
GREEDY = "tests.hostile.greedy"


def test_a_process_is_bounded(monkeypatch):
    monkeypatch.setenv("PYTHONPATH", str(SAMPLE.parents[1]))
    code, said = run_bounded(GREEDY, "memory", megabytes=100, seconds=60)
    assert (code, said) == (1, "MemoryError")
    assert run_bounded(GREEDY, "nothing", megabytes=100, seconds=60) == (7, "")
    for what in ("time", "sleep"):
        with pytest.raises(TookTooLongError):
            run_bounded(GREEDY, what, megabytes=100, seconds=2)


def test_a_process_whose_parent_is_gone_ends(monkeypatch):
    monkeypatch.setenv("PYTHONPATH", str(SAMPLE.parents[1]))
    words = [sys.executable, "-m", GREEDY, "100", "1", "time"]
    done = subprocess.run(words, timeout=60, check=False)
    assert done.returncode in (-signal.SIGXCPU, -signal.SIGKILL)


READ = """
import resource, sys
from pathlib import Path
from mocap_reroot.errors import FileError
from mocap_reroot.importers import c3d_guard as guard

path = Path(sys.argv[1])
try:
    print("points", guard._read_elsewhere(path, path.read_bytes()).points.shape)
except FileError as error:
    print(error)
print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 1e3)
"""


@pytest.mark.parametrize("rate", [None, 1e9])
def test_a_guarded_reader_takes_what_its_file_needs(tmp_path, rate):
    """A rate of 1 GHz makes a reader allocate 2.7 GB for a file of 0.2 MB, and more beyond."""
    data = bytearray(SAMPLE.read_bytes())
    at = data.find(b"RATE", data.find(b"RATE", 512) + 4) + 6  # of ANALOG; there its type begins
    assert data[at] == 4
    if rate is not None:
        struct.pack_into("<f", data, at + 2 + data[at + 1], rate)
    path = tmp_path / "clip.c3d"
    path.write_bytes(data)
    words = [sys.executable, "-c", READ, path]
    done = subprocess.run(words, capture_output=True, text=True, timeout=200, check=True)
    said, megabytes = done.stdout.splitlines()
    assert float(megabytes) < 300
    assert said.startswith("points (36, 3, 240)") if rate is None else "no reader could" in said
