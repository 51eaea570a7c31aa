"""Kernels are compiled ahead for the very arguments that a run gives them."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from mocap_reroot.kernels import ahead

SAMPLES = Path(__file__).parents[2] / "sample_data"
USED = """
import json, sys
import mocap_reroot as mr
from mocap_reroot.kernels.ahead import encoded
mr.analyze(sys.argv[1]).save(sys.argv[2])
print(json.dumps([
    [f"{name.rpartition('.')[2]}.{key}", encoded(signature)]
    for name, part in list(sys.modules.items()) if name.startswith("mocap_reroot.kernels.")
    for key, value in vars(part).items() if getattr(value, "__module__", "") == name
    for signature in getattr(value, "signatures", ())
]))
"""
COMPILE = """
from mocap_reroot.kernels import ahead
few = [e for e in ahead.pending(("bvh",)) if e[0] in ("soles.unloaded", "soles.slowest")]
told = []
print(len(few), ahead.compile_ahead(few, ("other",), 2, lambda: told.append(1)), len(told))
print(sum(map(ahead._is_kept, few)), len(ahead.pending(("other",))), ahead.load_kernels())
"""


def python(script: str, *arguments: str, **environment: str) -> str:
    command = [sys.executable, "-W", "ignore", "-c", script, *arguments]
    settings = os.environ | environment
    return subprocess.run(
        command, env=settings, capture_output=True, text=True, check=True
    ).stdout.strip()


@pytest.mark.parametrize("kind", ahead.KINDS)
def test_the_list_names_kernels_and_types(kind):
    entries = ahead._listed([kind])
    assert entries
    for name, arguments in entries:
        assert ahead._kernel(name) is not None, name
        assert ahead.encoded(ahead.decoded(arguments)) == arguments


@pytest.mark.parametrize(("kind", "sample"), [("bvh", "walk.bvh"), ("markers", "walk.c3d")])
def test_the_list_has_all_that_a_run_calls(kind, sample, tmp_path):
    for _ in range(2):  # the first may compile, and then those that they call are named too
        told = python(USED, str(SAMPLES / sample), str(tmp_path / "out"))
    used = json.loads(told.splitlines()[-1])
    listed = [[name, arguments] for name, arguments in ahead._listed([kind])]
    assert len(used) > 30
    missing = [entry[0] for entry in used if entry not in listed]
    assert not missing, f"{missing}: run python -m benchmarks.first_use --record"


def test_processes_compile_what_is_pending_once(tmp_path):
    told = python(COMPILE, MOCAP_REROOT_CACHE_DIR=str(tmp_path))
    assert told.split() == ["2", "2", "2", "2", "0", "2"]
    assert python(COMPILE, MOCAP_REROOT_CACHE_DIR=str(tmp_path)).split()[0] == "0"


def test_a_list_that_is_out_of_date_costs_nothing():
    assert ahead._is_kept(("forward.gone", ["int64"]))
    assert not ahead._compile(("forward.gone", ["int64"]))
    assert not ahead._compile(("forward.motions", ["int64"]))


def test_kinds_of_files():
    assert ahead.kinds_of([Path("a.BVH"), Path("b.bvh")]) == ("bvh",)
    assert ahead.kinds_of([Path("a.c3d"), Path("b.bvh"), Path("c.trc")]) == ("bvh", "markers")
    assert ahead.kinds_of([Path("a.amc")]) == ("bvh",)
