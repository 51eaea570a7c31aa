"""``convert --to`` and ``run --format``: files for other programs."""

import pytest

import mocap_reroot as mr
from tests.cli.test_run import SAMPLES, command

WALK = SAMPLES / "walk.bvh"


def call(*words) -> tuple[int, str]:
    done = command(*words)
    return done.returncode, done.stdout + done.stderr


@pytest.mark.parametrize("kind", ["bvh", "trc", "c3d", "glb"])
def test_a_clip_is_converted(kind, tmp_path) -> None:
    code, told = call("convert", WALK, "-o", tmp_path, "--to", kind)
    assert code == 0, told
    motion = mr.read(tmp_path / f"walk.{kind}")
    assert (motion.n_frames, motion.fps) == (360, 100.0)


def test_phases_are_converted(tmp_path) -> None:
    code, told = call("convert", WALK, "-o", tmp_path, "--support", "--to", "glb")
    assert code == 0, told
    files = sorted((tmp_path / "walk").iterdir())
    assert len(files) == told.count("->") > 3
    assert all(file.suffix == ".glb" for file in files)
    assert mr.read(files[2]).skeleton.names[0] in files[2].name


def test_one_way_must_be_said(tmp_path) -> None:
    assert call("convert", WALK, "-o", tmp_path)[0] == 2
    assert call("convert", WALK, "-o", tmp_path, "--support", "--as-is", "--to", "glb")[0] == 2
    code, told = call("convert", WALK, "-o", tmp_path, "--to", "gld")
    assert code == 2 and "'glb'" in told


def test_a_result_has_a_scene_and_a_c3d_beside_its_tables(tmp_path) -> None:
    words = ("--format", "csv,c3d", "--format", "glb", "--no-report", "--mass", "70")
    code, told = call("run", WALK, "-o", tmp_path, *words)
    assert code == 0, told
    folder = tmp_path / "walk"
    assert {"walk.c3d", "walk.glb", "torques.csv", "summary.json"} <= {
        f.name for f in folder.iterdir()
    }
    code, told = call("run", WALK, "-o", tmp_path, *words)  # and may be replaced
    assert code == 0, told
    assert mr.read(folder / "walk.glb").source.mass == 70.0
