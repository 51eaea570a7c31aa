"""Sizes: headers that promise too much, deep and wide trees, clips that do not fit."""

import time

import pytest

import mocap_reroot as mr
from mocap_reroot.resources import memory
from tests.fuzz.large import tree
from tests.fuzz.seeds import SAMPLES
from tests.hostile.made import Clip


def seconds(function, *arguments, **options):
    begin = time.process_time()
    result = function(*arguments, **options)
    return time.process_time() - begin, result


@pytest.mark.parametrize("promise", ["999999999999999", "-7", "1e12", "0", ""])
def test_the_rows_count_not_the_promise(tmp_path, promise):
    path = tmp_path / "promise.bvh"
    path.write_text(Clip().text().replace("Frames: 120", f"Frames: {promise}"))
    took, motion = seconds(mr.read, path)
    assert motion.n_frames == 120
    assert took < 5
    assert any("Frames" in repair for repair in motion.source.repairs)


def test_a_c3d_that_promises_too_much(tmp_path):
    data = bytearray((SAMPLES / "walk.c3d").read_bytes())
    data[8:10] = b"\xff\xff"  # last frame
    path = tmp_path / "promise.c3d"
    path.write_bytes(data)
    motion = mr.read(path)
    assert motion.n_frames == 240
    assert "The header promises 65535 frames; 240 are there." in motion.source.repairs


@pytest.mark.parametrize(("joints", "deep"), [(500, True), (2000, True), (1500, False)])
def test_large_trees_take_time_in_proportion(tmp_path, joints, deep):
    path = tmp_path / "tree.bvh"
    path.write_text(tree(joints, deep))
    took, motion = seconds(mr.read, path)
    assert motion.skeleton.n_bodies == joints
    assert took < 10


def test_many_joints_go_all_the_way(tmp_path):
    path = tmp_path / "tree.bvh"
    path.write_text(tree(300, deep=False))
    analysis = mr.analyze(path, mass=70.0)
    assert len(analysis.bodies) == 300
    assert any("not taken for a whole person" in w for w in analysis.summary["warnings"])


def test_six_hours_are_refused_with_what_they_would_take(tmp_path, monkeypatch):
    needed = memory.memory_needed(6 * 3600 * 120, 31)
    assert 1e10 < needed < 1e11
    monkeypatch.setattr(memory, "memory_free", lambda: 16_000_000_000)
    with pytest.raises(mr.MocapRerootError, match=r"need about 16\.\d GB of memory; 16\.0 GB"):
        memory.require_memory("six_hours.bvh", needed, "2592000 frames of 31 bodies")
    path = tmp_path / "walk.bvh"
    path.write_text(Clip().text())
    monkeypatch.setattr(memory, "ANALYSING", 10_000_000)
    with pytest.raises(mr.MocapRerootError, match="120 frames of 19 bodies need about 22"):
        mr.analyze(path)
    monkeypatch.setattr("mocap_reroot.reading.READING", 1_000_000_000)
    with pytest.raises(mr.MocapRerootError, match="of this file need about"):
        mr.read(path)


def test_a_sparse_terabyte_is_refused_at_once(tmp_path):
    path = tmp_path / "sparse.bvh"
    with path.open("wb") as file:
        file.truncate(1 << 40)
    begin = time.process_time()
    with pytest.raises(mr.MocapRerootError, match=r"1099\.5 GB of this file need about"):
        mr.read(path)
    assert time.process_time() - begin < 1


def test_the_estimate_holds(tmp_path):
    psutil = pytest.importorskip("psutil")
    clip = Clip(frames=3000)
    path = tmp_path / "long.bvh"
    path.write_text(clip.text())
    mr.analyze(path, mass=70.0)  # compiled
    before = psutil.Process().memory_info().rss
    analysis = mr.analyze(path, mass=70.0)
    grown = psutil.Process().memory_info().rss - before
    assert grown < memory.memory_needed(analysis.motion.n_frames, analysis.motion.skeleton.n_bodies)


def test_a_folder_or_a_pipe_is_no_recording(tmp_path):
    import os

    (tmp_path / "folder.bvh").mkdir()
    os.mkfifo(tmp_path / "pipe.bvh")
    for name in ("folder.bvh", "pipe.bvh"):
        with pytest.raises(mr.MocapRerootError, match="a file was expected"):
            mr.read(tmp_path / name)
    with pytest.raises(mr.MocapRerootError, match="No such file"):
        mr.read(tmp_path / "missing.bvh")


def test_texts_of_no_length_could_be_any_number():
    from mocap_reroot.importers.c3d_parameters import Decoder

    took, texts = seconds(Decoder("intel").texts, b"", (0, 255, 255, 255, 255, 255, 255))
    assert texts == []
    assert took < 1
