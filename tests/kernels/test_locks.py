"""Several processes that need the same kernel: one compiles it, none waits for ever."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from pathlib import Path

import pytest

pytest.importorskip("fcntl", reason="no locks between processes on this system")

KERNEL = """
import sys, time
import numba.core.event as event
from mocap_reroot.kernels import compiling
from mocap_reroot.kernels.compiling import kernel

@kernel
def doubled(x):
    return 2 * x

class Ear(event.Listener):
    def on_start(self, heard):
        print("compiling", flush=True)
        time.sleep(float(sys.argv[1]))
    def on_end(self, heard):
        print("compiled", flush=True)

compiling.PATIENCE = float(sys.argv[2])
event.register("numba:compile", Ear())
print(doubled(21), flush=True)
"""
"""Compiles a kernel of its own, however long it is told to take, and says what it does."""


def start(folder: Path, lasting: float = 0.0, patience: float = 60.0) -> subprocess.Popen[str]:
    script = folder / "doubling.py"
    if not script.exists():  # what was compiled for an older file would not count
        script.write_text(KERNEL, encoding="utf-8")
    environment = os.environ | {"MOCAP_REROOT_CACHE_DIR": str(folder / "cache")}
    command = [sys.executable, str(script), str(lasting), str(patience)]
    return subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, text=True)


def said(process: subprocess.Popen[str]) -> list[str]:
    return process.communicate(timeout=120)[0].split()


def test_one_compiles_and_the_other_waits_for_it(tmp_path) -> None:
    first = start(tmp_path, lasting=3.0)
    assert first.stdout is not None and first.stdout.readline() == "compiling\n"
    second = start(tmp_path)
    assert said(second) == ["42"]
    assert said(first) == ["compiled", "42"]


def test_a_process_killed_at_it_leaves_the_kernel_to_others(tmp_path) -> None:
    first = start(tmp_path, lasting=600.0)
    assert first.stdout is not None and first.stdout.readline() == "compiling\n"
    second = start(tmp_path)
    time.sleep(1.0)  # it may be waiting by now; the outcome is the same if it is not
    first.kill()
    first.communicate()
    assert said(second) == ["compiling", "compiled", "42"]


def test_patience_has_an_end(tmp_path) -> None:
    first = start(tmp_path, lasting=600.0)
    try:
        assert first.stdout is not None and first.stdout.readline() == "compiling\n"
        assert said(start(tmp_path, patience=0.1)) == ["compiling", "compiled", "42"]
    finally:
        first.kill()
        first.communicate()


def test_starting_together_both_are_right(tmp_path) -> None:
    both = [start(tmp_path, lasting=0.2) for _ in range(2)]
    heard = sorted(said(process) for process in both)
    assert heard == [["42"], ["compiling", "compiled", "42"]]
