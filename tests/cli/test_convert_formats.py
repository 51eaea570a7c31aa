"""``convert --to`` and ``run --format``: files for other programs."""

import numpy as np
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


def test_rate_and_axis_of_what_is_written(tmp_path) -> None:
    code, told = call("convert", WALK, "-o", tmp_path, "--as-is", "--fps", "40", "--up-out", "z")
    assert code == 0, told
    motion = mr.read(tmp_path / "walk.bvh")
    assert motion.fps == pytest.approx(40) and motion.up[2] == 1
    code, told = call("convert", SAMPLES / "walk.c3d", "-o", tmp_path, "--to", "c3d", "--fps", "50")
    assert code == 0, told
    source, half = mr.read(SAMPLES / "walk.c3d"), mr.read(tmp_path / "walk.c3d")
    assert (half.n_frames, half.fps) == (-(-source.n_frames // 2), 50.0)
    places = mr.forward(source).position[..., ::2] - mr.forward(half).position
    assert abs(places).max() < 0.01  # fitted to markers twice
    assert call("convert", WALK, "-o", tmp_path, "--as-is", "--fps", "0.1")[0] == 2


def test_simulators_get_forces_beside_the_tables(tmp_path) -> None:
    words = ("--format", "mjcf,urdf,npz,parquet", "--float32", "--no-report", "--tables", "core")
    code, told = call("run", WALK, "-o", tmp_path, *words)
    assert code == 0, told
    made = {f.name for f in (tmp_path / "walk").iterdir()}
    arrays = {"walk_motion.npz", "walk_urdf_motion.npz", "walk.npz"}
    assert arrays | {"walk.xml", "walk.urdf"} <= made and "feasibility.parquet" not in made
    for name in arrays:
        clip = np.load(tmp_path / "walk" / name, allow_pickle=False)
        assert clip["torques"].dtype == np.float32 and len(clip["torques"]) == 360
    code, told = call("run", WALK, "-o", tmp_path, *words)  # and may be replaced
    assert code == 0, told
