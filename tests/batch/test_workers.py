"""Workers survive what files do to them."""

import os
import signal
import subprocess
import sys
import tempfile
import threading
import time
from multiprocessing import forkserver
from pathlib import Path

import psutil
import pytest

from mocap_reroot.batch import workers
from mocap_reroot.batch.workers import Keeper, Limits, work
from mocap_reroot.errors import MocapRerootError
from tests.batch.faults import misbehave
from tests.waiting import wait_until


def outcomes(tasks, jobs=2, **limits):
    found = work(misbehave, tasks, jobs, Limits(**limits))
    return {outcome.task: outcome for outcome in found}


def helpers_of(task):
    """Return the processes that a task has started."""
    return [p for p in psutil.process_iter(["cmdline"]) if (p.info["cmdline"] or [""])[-1] == task]


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


def test_what_a_file_starts_counts_too():
    """The worker itself stays small; what it has started holds the memory, and ends with it."""
    found = outcomes([f"feed {os.getpid()}", "a"], megabytes=900.0, seconds=60.0)
    assert found[f"feed {os.getpid()}"].kind == "memory"
    assert found["a"].value[0] == "a done"
    assert not helpers_of(f"feed {os.getpid()}")


def test_memory_is_refused_before_it_is_taken():
    """Whether at once or by a process of its own: no look of the parent could be in time."""
    found = outcomes(["gulp", "gulp elsewhere", "a"], megabytes=900.0, seconds=60.0)
    assert found["gulp"].kind == "memory"
    assert "MemoryError" in found["gulp elsewhere"].value[0]
    assert found["a"].value[0] == "a done"


def test_workers_end_with_the_batch_however_it_ends(tmp_path):
    """Killed, it cannot tell them; they are busy, and so is what they have started."""
    script = tmp_path / "killed.py"
    script.write_text(
        STOPPED.replace('["a", "finalise"]', f'["help {tmp_path.name}"]').replace("1.0", "99")
    )
    root = Path(__file__).resolve().parents[2]
    environment = {**os.environ, "PYTHONPATH": str(root)}
    process = subprocess.Popen([sys.executable, script], env=environment)
    wait_until(lambda: len(helpers_of(f"help {tmp_path.name}")) == 2, "helpers")
    process.kill()
    process.wait()
    wait_until(lambda: not helpers_of(f"help {tmp_path.name}"), "end of them")


def test_a_server_that_is_stopped_while_it_starts_is_started_again(caplog):
    workers.start_server()
    pid = forkserver._forkserver._forkserver_pid
    os.kill(pid, signal.SIGSTOP)
    threading.Timer(1.0, os.kill, (pid, signal.SIGKILL)).start()
    found = outcomes(["a", "b"])
    assert "it is started again" in caplog.text
    assert {task: outcome.value[0] for task, outcome in found.items()} == {
        "a": "a done",
        "b": "b done",
    }


def test_a_server_that_is_always_stopped_ends_in_a_sentence(monkeypatch, caplog):
    start = workers.start_server

    def stopped():
        """Have the server killed while a worker is asked of it."""
        start()
        pid = forkserver._forkserver._forkserver_pid
        os.kill(pid, signal.SIGSTOP)
        threading.Timer(0.5, os.kill, (pid, signal.SIGKILL)).start()

    monkeypatch.setattr(workers, "start_server", stopped)
    with pytest.raises(MocapRerootError, match="was stopped 5 times while it started"):
        outcomes(["a"])
    assert "it is started again" in caplog.text


def test_a_worker_that_keeps_memory_is_replaced():
    found = list(work(misbehave, ["keep"] * 6, 1, Limits()))
    processes = [outcome.value[1] for outcome in found]
    assert len(set(processes)) == 2  # 500 MB are reached with the fourth
    assert processes.index(processes[-1]) == 4


def test_stopping_early_leaves_no_process():
    lost = []
    before = {child.pid for child in psutil.Process().children(recursive=True)}
    running = work(misbehave, ["a", "hang"], 2, Limits(), lost=lost.append)
    assert next(running).task == "a"
    begin = time.monotonic()
    running.close()
    assert time.monotonic() - begin < 10
    assert lost == ["hang"]
    left = {child.pid for child in psutil.Process().children(recursive=True)} - before
    assert not [pid for pid in left if os.getpgid(pid) == pid]  # workers lead groups


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
    """Also what was started by something that has ended, and so has no parent of ours."""
    before = set(Path(tempfile.gettempdir()).glob(".mocap_reroot-*"))
    found = list(work(misbehave, [f"help {os.getpid()}"], 1, Limits(seconds=2.0)))
    assert [outcome.kind for outcome in found] == ["time"]
    left = set(Path(tempfile.gettempdir()).glob(".mocap_reroot-*")) - before
    assert not [place for place in left if (place / "copy").exists()]
    assert not helpers_of(f"help {os.getpid()}")


def test_a_keeper_sweeps_up():
    lost = []
    keeper = Keeper(misbehave, Limits(seconds=1.0), lost.append)
    try:
        found = [keeper.run(task) for task in ("a", "hang", "b")]
    finally:
        keeper.stop()
    assert [outcome.kind for outcome in found] == ["", "time", ""]
    assert lost == ["hang"]


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
