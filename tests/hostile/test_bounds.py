"""Processes that we start for a file have bounds of their own, which follow from its size."""

import signal
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
