"""``convert`` on many files: in parallel, every one accounted for."""

import io
import json
import shutil
from contextlib import redirect_stderr, redirect_stdout
from pathlib import Path

import numpy as np
import pytest

import mocap_reroot as mr
from mocap_reroot.cli import main

SAMPLES = Path(__file__).resolve().parents[2] / "sample_data"


def convert(*words, code=0):
    said, complained = io.StringIO(), io.StringIO()
    with redirect_stdout(said), redirect_stderr(complained), pytest.raises(SystemExit) as leaving:
        main(["convert", *map(str, words)])
    assert leaving.value.code == code, said.getvalue() + complained.getvalue()
    return said.getvalue(), complained.getvalue()


@pytest.fixture
def folder(tmp_path):
    given = tmp_path / "in"
    for day in ("one", "two"):
        (given / day).mkdir(parents=True)
        shutil.copy(SAMPLES / "walk.bvh", given / day / "walk.bvh")
    (given / "bad.bvh").write_text("rubbish")
    return given


def test_one_bad_file_does_not_stop_the_rest(folder, tmp_path):
    said, complained = convert(folder, "-o", tmp_path / "out", "--as-is", "--jobs", 2, code=1)
    assert "2 of 3 clips converted, 2 files, 1 failed" in said
    assert complained.count("bad.bvh") == 1
    for day in ("one", "two"):
        there, back = mr.read(SAMPLES / "walk.bvh"), mr.read(tmp_path / "out" / day / "walk.bvh")
        np.testing.assert_allclose(back.rotation, there.rotation, atol=1e-6)
    assert {p.name for p in (tmp_path / "out").iterdir()} == {"one", "two"}


def test_phases_come_as_a_whole_folder(folder, tmp_path):
    stale = tmp_path / "out/one/walk/phase-999-single-Left.bvh"
    stale.parent.mkdir(parents=True)
    stale.write_text("of an earlier run")
    said, _ = convert(folder, "-o", tmp_path / "out", "--support", "--jsonl", code=1)
    lines = [json.loads(line) for line in said.splitlines()]
    assert {(Path(line["file"]).name, line["ok"], line["stage"]) for line in lines} == {
        ("walk.bvh", True, ""),
        ("bad.bvh", False, "read"),
    }
    assert not stale.exists()
    names = [sorted(p.name for p in (tmp_path / f"out/{d}/walk").iterdir()) for d in ("one", "two")]
    assert names[0] == names[1]
    assert len(names[0]) > 3
    assert sum(mr.read(p).n_frames for p in (tmp_path / "out/one/walk").iterdir()) <= 360
