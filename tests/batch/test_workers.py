"""Workers survive what files do to them."""

from mocap_reroot.batch.workers import Limits, work
from tests.batch.faults import misbehave


def outcomes(tasks, jobs=2, **limits):
    found = work(misbehave, tasks, jobs, Limits(**limits), warm=True)
    return {outcome.task: outcome for outcome in found}


def test_one_failure_never_stops_the_rest():
    tasks = ["a", "crash", "b", "exit", "input", "bug", "c", "d"]
    found = outcomes(tasks)
    assert set(found) == set(tasks)
    assert {t: found[t].value for t in "abcd"} == {t: f"{t} done" for t in "abcd"}
    stages = {task: found[task].stage for task in ("crash", "exit", "input", "bug")}
    assert stages == {"crash": "crash", "exit": "crash", "input": "input", "bug": "bug"}
    assert "signal 11" in found["crash"].reason
    assert "exit code 3" in found["exit"].reason
    assert found["input"].reason == "the file is wrong"
    assert "faults.py" in found["bug"].reason


def test_a_file_that_hangs_is_given_up():
    found = outcomes(["hang", "a", "b"], seconds=2.0)
    assert found["hang"].stage == "time"
    assert "2 s" in found["hang"].reason
    assert found["a"].value == "a done"
    assert found["b"].value == "b done"


def test_a_file_that_eats_memory_is_given_up():
    found = outcomes(["eat", "a"], megabytes=1200.0, seconds=60.0)
    assert found["eat"].stage == "memory"
    assert found["a"].value == "a done"


def test_one_worker_starts_alone_until_code_is_compiled():
    found = list(work(misbehave, ["input", "a", "b"], 2, Limits(), warm=False))
    assert [o.task for o in found][:2] == ["input", "a"]
