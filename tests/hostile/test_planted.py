"""Modules that lie beside the data are never run: not by us, nor by any process that we start."""

import os
import shutil
import subprocess
import sys
from importlib.metadata import packages_distributions
from pathlib import Path

import numpy as np
import pytest

from tests.hostile.made import Clip
from tests.importers.fbx_files import fbx

SPY = """
import os
with open({log!r}, "a") as log:
    log.write(f"{{__name__}} {{os.getpid()}} {{open('/proc/self/cmdline').read()!r}}\\n")
raise ImportError("planted")
"""
SAMPLES = Path(__file__).resolve().parents[2] / "sample_data"


@pytest.fixture
def planted(tmp_path):
    """A folder with a clip, a doubtful C3D, and a module of every name that could be imported."""
    folder, log = tmp_path / "data", tmp_path / "log"
    folder.mkdir()
    ours = {"mocap_reroot", "__editable__", "tests"}
    names = (sys.stdlib_module_names | set(packages_distributions())) - ours
    for name in (*names, "sitecustomize", "usercustomize"):
        if name.isidentifier() and name != "__future__":
            (folder / f"{name}.py").write_text(SPY.format(log=str(log)))
    (folder / "walk.bvh").write_text(Clip(frames=60).text())
    return folder, log


COMMAND = """
from mocap_reroot.cli import main

if __name__ == "__main__":
    main()
"""


def run(folder, log, *words, before=None, **environment):
    """Run the command in a folder, as its script does: flags would reach its children, too."""
    if before is None:
        script = log.with_name("bin") / "mocap-reroot"
        script.parent.mkdir(exist_ok=True)
        script.write_text(COMMAND)
        before = (script,)
    done = subprocess.run(
        [sys.executable, *map(str, (*before, *words))],
        cwd=folder, capture_output=True, text=True, timeout=300, check=False,
        env={k: v for k, v in (os.environ | environment).items() if v is not None},
    )  # fmt: skip
    assert not log.exists(), log.read_text()[:2000]
    return done


ENVIRONMENTS = {
    "plain": {"PYTHONPATH": None, "PYTHONSAFEPATH": None},
}


def test_the_spies_would_tell(planted):
    folder, log = planted
    with pytest.raises(AssertionError, match="signal"):
        run(folder, log, before=("-c", "import signal"), **ENVIRONMENTS["plain"])


@pytest.mark.parametrize("environment", ["plain"])
@pytest.mark.parametrize(
    "words",
    [
        ("batch", ".", "-o", "out", "--mass", "70", "--jobs", "2"),
        ("run", "walk.bvh", "-o", "out", "--mass", "70"),
        ("convert", ".", "-o", "out", "--as-is"),
        ("batch", ".", "-o", "out", "--mass", "70", "--dask", "local", "--jobs", "1"),
    ],
    ids=lambda words: " ".join((words[0], *words[6:7])),
)
def test_nothing_beside_the_data_is_imported(planted, words, environment):
    folder, log = planted
    shutil.copy(folder / "walk.bvh", folder / "walk2.bvh")
    done = run(folder, log, *words, **ENVIRONMENTS[environment])
    assert done.returncode == 0, done.stderr
    assert list((folder / "out").rglob("*"))


def test_first_use_compiles_nothing_of_the_folder(planted, tmp_path):
    folder, log = planted
    words = ("run", "walk.bvh", "-o", "out", "--mass", "70", "--no-report", "--tables", "events")
    home = str(tmp_path / "cache")
    done = run(folder, log, *words, MOCAP_REROOT_CACHE_DIR=home, PYTHONPATH=None)
    assert done.returncode == 0, done.stderr


def test_a_guarded_reader_imports_nothing_of_the_folder(planted):
    folder, log = planted
    bones = [("Hips", -1, (0, 90, 0), {}), ("Spine", 0, (0, 10, 0), {})]
    turns = {1: np.outer(np.linspace(0, 1, 31), [30.0, 0.0, 0.0])}
    text = fbx(bones, {"walk": (np.arange(31) / 30, turns)})
    (folder / "bend.fbx").write_text(text)
    program = (
        "from mocap_reroot.importers.fbx import read_fbx;"
        "print(read_fbx('bend.fbx').hierarchy.names)"
    )
    for environment in ENVIRONMENTS.values():
        done = run(folder, log, before=("-P", "-c", program), **environment)
        assert done.stdout.startswith("('Hips', 'Spine')"), done.stderr


PROGRAM = """
import sys
from pathlib import Path
from mocap_reroot.batch.engine import Task, run_task
from mocap_reroot.batch.workers import work
from mocap_reroot.resources.clips import Clip
from mocap_reroot.config import Config

if __name__ == "__main__":
    sys.path.insert(0, "")
    task = Task(Clip(Path("walk.bvh"), Path("walk")), Path("out"), Config())
    print([outcome.kind + outcome.reason for outcome in work(run_task, [task], 1)])
"""


@pytest.mark.parametrize("flags", [(), ("-E",)], ids=str)
def test_a_program_of_ones_own_starts_safe_processes(planted, tmp_path, flags):
    """Its own imports are its own affair; workers, their server and its helper are ours."""
    folder, log = planted
    script = tmp_path / "elsewhere" / "program.py"
    script.parent.mkdir()
    script.write_text(PROGRAM)
    done = run(folder, log, before=(*flags, script), **ENVIRONMENTS["plain"])
    assert "['']" in done.stdout, done.stderr


def test_paths_that_mean_the_working_directory(monkeypatch, tmp_path):
    from mocap_reroot.resources import search_path

    monkeypatch.chdir(tmp_path)
    here, elsewhere = str(tmp_path), str(tmp_path.parent)
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join(["", elsewhere, ".", here, "lib"]))
    monkeypatch.delenv("PYTHONSAFEPATH", raising=False)
    path = ["", elsewhere, *sys.path]
    monkeypatch.setattr(sys, "path", path)
    with search_path.nothing_from_here():
        assert os.environ["PYTHONPATH"] == elsewhere
        assert os.environ["PYTHONSAFEPATH"] == "1"
        assert "" not in sys.path
        assert elsewhere in sys.path
    assert os.environ["PYTHONPATH"].startswith(os.pathsep)
    assert "PYTHONSAFEPATH" not in os.environ
    assert sys.path == ["", elsewhere, *sys.path[2:]]
    package = Path(search_path.__file__).parents[2]
    monkeypatch.chdir(package)  # a checkout that is used where it lies
    monkeypatch.setenv("PYTHONPATH", ".")
    with search_path.nothing_from_here():
        assert os.environ["PYTHONPATH"] == "."
