"""The rehearsal compiles what a run needs, and is started only where that saves time."""

from __future__ import annotations

from pathlib import Path

import pytest

from mocap_reroot import rehearsal as module
from mocap_reroot.rehearsal import rehearsal

WALK = Path(__file__).parents[1] / "sample_data" / "walk.bvh"


@pytest.fixture
def first_use(monkeypatch):
    """Pretend that nothing is compiled and that there are two cores; note what is started."""
    started = []

    class Process:
        def __init__(self, command, **_):
            started.append(command)

        def kill(self):
            started.append("killed")

        def wait(self):
            pass

    monkeypatch.setattr(module, "compiled_before", lambda: False)
    monkeypatch.setattr(module, "cores", lambda: 2)
    monkeypatch.setattr(module.subprocess, "Popen", Process)
    monkeypatch.delenv("MOCAP_REROOT_THREADS", raising=False)
    return started


@pytest.mark.skipif(not module.TURNS, reason="no locks between processes on this system")
def test_is_started_on_first_use_and_ended_with_it(first_use) -> None:
    with pytest.raises(KeyError), rehearsal():
        assert len(first_use) == 1 and first_use[0][-1] == "mocap_reroot.rehearsal"
        raise KeyError
    assert first_use[1:] == ["killed"]


@pytest.mark.parametrize(
    "name, value",
    [("cores", lambda: 1), ("cache_home", lambda: None), ("compiled_before", lambda: True)],
)
def test_is_not_started_in_vain(first_use, monkeypatch, name, value) -> None:
    monkeypatch.setattr(module, name, value)
    with rehearsal() as beside:
        assert beside is None
    assert first_use == []


def test_is_not_started_where_one_thread_was_asked_for(first_use, monkeypatch) -> None:
    monkeypatch.setenv("MOCAP_REROOT_THREADS", "1")
    with rehearsal() as beside:
        assert beside is None


def test_does_without_where_processes_cannot_be_started(first_use, monkeypatch) -> None:
    def refused(*_, **__):
        raise OSError

    monkeypatch.setattr(module.subprocess, "Popen", refused)
    with rehearsal() as beside:
        assert beside is None
