"""Workers survive what files do to them."""

import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import psutil
import pytest

from mocap_reroot.batch.workers import Keeper, Limits, work
from tests.batch.faults import misbehave


def outcomes(tasks, jobs=2, **limits):
    found = work(misbehave, tasks, jobs, Limits(**limits))
    return {outcome.task: outcome for outcome in found}


def test_one_failure_never_stops_the_rest():
    tasks = ["a", "crash", "b", "exit", "input", "bug", "full", "c", "d"]
    found = outcomes(tasks)
    assert set(found) == set(tasks)
    assert {t: found[t].value[0] for t in "abcd"} == {t: f"{t} done" for t in "abcd"}
    failed = ("crash", "exit", "input", "bug", "full")
    kinds = [found[task].kind for task in failed]
    assert kinds == ["crash", "crash", "input", "bug", "disk"]
    assert {found[task].stage for task in failed} == {"read"}
    assert "signal 11" in found["crash"].reason
    assert "exit code 3" in found["exit"].reason
    assert found["input"].reason == "the file is wrong"
    assert "faults.py" in found["bug"].reason


def test_a_file_that_hangs_is_given_up():
    found = outcomes(["hang", "a", "b"], seconds=2.0)
    assert (found["hang"].kind, found["hang"].stage) == ("time", "smooth")
    assert "2 s" in found["hang"].reason
    assert found["a"].value[0] == "a done"
    assert found["b"].value[0] == "b done"


def test_a_file_that_eats_memory_is_given_up():
    found = outcomes(["eat", "a"], megabytes=1200.0, seconds=60.0)
    assert found["eat"].kind == "memory"
    assert found["a"].value[0] == "a done"


def test_a_worker_that_keeps_memory_is_replaced():
    found = list(work(misbehave, ["keep"] * 6, 1, Limits()))
    processes = [outcome.value[1] for outcome in found]
    assert len(set(processes)) == 2  # 500 MB are reached with the fourth
    assert processes.index(processes[-1]) == 4


def test_stopping_early_leaves_no_process():
    lost = []
    running = work(misbehave, ["a", "hang"], 2, Limits(), lost=lambda *it: lost.append(it))
    assert next(running).task == "a"
    begin = time.monotonic()
    running.close()
    assert time.monotonic() - begin < 10
    ((task, process),) = lost
    assert task == "hang"
    assert not psutil.pid_exists(process)


STOPPED = """
from mocap_reroot.batch.workers import Limits, work
from tests.batch.faults import misbehave

if __name__ == "__main__":
    running = work(misbehave, ["a", "finalise"], 1, Limits(seconds=1.0))
    print(*[outcome.kind or "done" for outcome in running])
"""


def test_a_worker_is_stopped_in_silence(tmp_path):
    """Also one that is busy in a finaliser, where an exception could not end it."""
    script = tmp_path / "stopped.py"
    script.write_text(STOPPED)
    root = Path(__file__).resolve().parents[2]
    done = subprocess.run(
        [sys.executable, script],
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, "PYTHONPATH": str(root)},
    )
    assert (done.stdout, done.stderr, done.returncode) == ("done time\n", "", 0)


def test_what_a_worker_has_started_ends_with_it():
    lost = []
    limits = Limits(seconds=2.0)
    found = list(work(misbehave, ["help"], 1, limits, lost=lambda *it: lost.append(it)))
    assert [outcome.kind for outcome in found] == ["time"]
    ((_, process),) = lost
    assert not list(Path(tempfile.gettempdir()).glob(f"mocap-reroot-{process}-*"))
    running = [p.info["cmdline"] for p in psutil.process_iter(["cmdline"])]
    assert ["sleep", f"1000.{process}"] not in running


def test_a_keeper_sweeps_up():
    lost = []
    keeper = Keeper(misbehave, Limits(seconds=1.0), lambda *it: lost.append(it))
    try:
        found = [keeper.run(task) for task in ("a", "hang", "b")]
    finally:
        keeper.stop()
    assert [outcome.kind for outcome in found] == ["", "time", ""]
    ((task, process),) = lost
    assert task == "hang"
    assert not psutil.pid_exists(process)


def test_a_keeper_replaces_what_is_lost():
    keeper = Keeper(misbehave, Limits(seconds=30.0))
    try:
        found = [keeper.run(task) for task in ("a", "b", "crash", "c")]
    finally:
        keeper.stop()
    assert [outcome.kind for outcome in found] == ["", "", "crash", ""]
    assert found[0].value[1] == found[1].value[1] != found[3].value[1]
    assert found[0].value[1] != os.getpid()


def test_memory_is_shared_among_workers_unless_told():
    total = psutil.virtual_memory().total / 1e6
    assert Limits().for_jobs(4).megabytes == pytest.approx(0.9 * total / 4)
    assert Limits(megabytes=100.0).for_jobs(4).megabytes == 100.0
