"""Clips given back: they obey physics, feet stand, and a second pass finds nothing to do."""

import csv
import shutil
from pathlib import Path

import numpy as np
import pytest

import mocap_reroot as mr
from benchmarks.consistency import again, jerks, judged
from mocap_reroot.consistency import obey
from tests.cli.test_convert_many import SAMPLES, convert

CMU = Path(__file__).resolve().parents[2] / "shared/data/bvh/cmu"
WALK = SAMPLES / "walk.bvh"


@pytest.fixture(scope="module")
def walk():
    if not CMU.is_dir():
        pytest.skip("needs ../shared/data")
    motion = mr.read(CMU / "02_01.bvh")
    body = mr.body_model(motion)
    return obey(motion, body, mr.detect_contacts(motion, body), pin_feet=True)


def test_feet_of_a_walk_stand(walk) -> None:
    told = walk.figures
    assert told["skate_mm_s_before"] > 50
    assert told["skate_mm_s_after"] <= 5
    assert told["sunk_mm_after"] <= 3 < told["sunk_mm_before"]
    assert told["turned_deg"] <= 2.5  # asked 2; its feet skate at 100 mm/s


def test_feet_of_a_run_roll_without_sliding() -> None:
    if not CMU.is_dir():
        pytest.skip("needs ../shared/data")
    motion = mr.read(CMU / "09_01.bvh")
    body = mr.body_model(motion)
    found = obey(motion, body, mr.detect_contacts(motion, body), pin_feet=True)
    told = found.figures
    assert told["skate_mm_s_before"] > 200
    assert told["skate_mm_s_after"] <= 6
    assert told["sunk_mm_after"] <= 3
    assert told["turned_deg"] <= 2
    joints = list(range(motion.skeleton.n_bodies))
    assert jerks(found.after, joints) <= jerks(motion, joints)


def test_accelerations_of_joints_are_not_noisier(walk) -> None:
    joints = list(range(walk.before.skeleton.n_bodies))
    assert jerks(walk.after, joints) <= jerks(walk.before, joints)


def test_it_is_a_fixed_point(walk) -> None:
    ground, _, motion = again(walk)
    assert motion.n_frames == walk.before.n_frames
    rooted = mr.reroot(ground.motion, ground.contacts)
    quality = mr.inverse_dynamics(rooted, ground.body, ground).quality
    assert quality["unexplained"] <= 0.05
    assert ground.figures["root_moved_mm"] <= 3


def test_mujoco_finds_forces_at_the_soles(walk) -> None:
    assert judged(walk.after, walk.ground, walk.stances, 6.0) >= 0.95


def test_the_path_alone_leaves_joints_as_they_are() -> None:
    motion = mr.read(WALK)
    obeying = mr.make_consistent(motion, mass=70.0)
    joints = [b for b in range(motion.skeleton.n_bodies) if b != motion.skeleton.root]
    assert np.array_equal(obeying.rotation[joints], motion.rotation[joints])
    assert "obey physics: root moved by" in obeying.source.repairs[-1]


@pytest.mark.parametrize(
    "way", [("--consistent",), ("--pin-feet",), ("--consistent", "--pin-feet")]
)
def test_a_bvh_keeps_what_it_is(way, tmp_path) -> None:
    lines = WALK.read_text().splitlines()
    start = next(k for k, line in enumerate(lines) if line.startswith("Frame Time")) + 1
    for k in range(100, 104):  # a gap
        lines[start + k] = " ".join(["nan"] * len(lines[start].split()))
    (tmp_path / "gap.bvh").write_text("\n".join(lines))
    said, _ = convert(tmp_path / "gap.bvh", "-o", tmp_path / "out", *way)
    assert "root moved by" in said and "skate" in said
    convert(tmp_path / "gap.bvh", "-o", tmp_path / "plain", "--as-is")
    text = [(tmp_path / d / "gap.bvh").read_text() for d in ("out", "plain")]
    heads = [t[: t.index("Frame Time")].split() for t in text]
    assert heads[0] == heads[1]
    assert "nan" not in text[0].lower()
    there, back = mr.read(WALK), mr.read(tmp_path / "out/gap.bvh")
    assert (back.n_frames, back.fps) == (there.n_frames, there.fps)
    assert back.skeleton.channels == there.skeleton.channels


@pytest.mark.parametrize("kind", ["bvh", "trc", "c3d", "glb", "osim", "mjcf", "urdf", "npz"])
@pytest.mark.parametrize("way", [(), ("--support",), ("--root", "LeftFoot")])
def test_every_format_and_way(kind, way, tmp_path) -> None:
    said, _ = convert(WALK, "-o", tmp_path, "--consistent", "--to", kind, *way)
    assert said.count("root moved by") == 1
    assert all(Path(line.split(" -> ")[1]).is_file() for line in said.splitlines() if "->" in line)


def test_a_folder_has_an_index_of_grades(tmp_path) -> None:
    given = tmp_path / "in"
    given.mkdir()
    for name in ("walk", "run"):
        shutil.copy(SAMPLES / f"{name}.bvh", given)
    convert(given, "-o", tmp_path / "out", "--consistent", "--pin-feet", "--jobs", 2)
    with (tmp_path / "out/index.csv").open() as file:
        rows = {row["clip"]: row for row in csv.DictReader(file)}
    assert set(rows) == {"walk", "run"}
    for row in rows.values():
        assert row["grade_after"] <= row["grade_before"]
        assert float(row["sunk_mm_after"]) <= 3
    (tmp_path / "out/index.csv").write_text("of another program\n")
    _, complained = convert(given, "-o", tmp_path / "out", "--consistent", code=1)
    assert "not written by one" in complained
