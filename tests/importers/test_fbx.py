"""FBX: pre-rotations, pivots, units, axes and takes as the file has them; a pair with its BVH."""

import numpy as np
import pytest

import mocap_reroot as mr
from mocap_reroot.importers import fbx as importer
from mocap_reroot.importers.fbx import read_fbx
from mocap_reroot.skeletons.hierarchy import hierarchy_motion
from tests.importers.fbx_files import fbx

TIMES = np.arange(31) / 30
BONES = [
    ("ns:upper", -1, (0, 10, 0), {}),
    ("ns:fore", 0, (3, 0, 0), {"PreRotation": (0, 0, 90)}),
    ("ns:tip", 1, (2, 0, 0), {}),
]


@pytest.fixture(autouse=True)
def _reader():
    pytest.importorskip("ufbx", reason="ufbx is not installed (extra formats)")


def written(path, text: str):
    path.write_text(text)
    return path


def turning(degrees: float, axis: int = 2) -> np.ndarray:
    angles = np.zeros((len(TIMES), 3))
    angles[:, axis] = degrees * TIMES
    return angles


def places(path) -> dict[str, np.ndarray]:
    motion = hierarchy_motion(read_fbx(path))
    return dict(zip(motion.skeleton.names, mr.forward(motion).position, strict=True))


def test_pre_rotations_turn_before_the_joint_does(tmp_path) -> None:
    path = written(tmp_path / "arm.fbx", fbx(BONES, {"walk": (TIMES, {1: turning(90)})}))
    recording = read_fbx(path)
    assert recording.hierarchy.names == ("upper", "fore", "tip")  # the namespace is gone
    assert (recording.n_frames, recording.fps) == (31, 30.0)
    assert (recording.unit, recording.up) == ("cm", "+y")
    found = places(path)
    assert found["fore"][:, 0] == pytest.approx([3, 10, 0], abs=1e-6)
    assert found["tip"][:, 0] == pytest.approx([3, 12, 0], abs=1e-6)
    assert found["tip"][:, 15] == pytest.approx([3 - np.sqrt(2), 10 + np.sqrt(2), 0], abs=1e-5)
    assert found["tip"][:, -1] == pytest.approx([1, 10, 0], abs=1e-5)


def test_a_pivot_moves_what_turns_about_it(tmp_path) -> None:
    bones = [BONES[0], ("fore", 0, (3, 0, 0), {"RotationPivot": (1, 0, 0)}), BONES[2]]
    path = written(tmp_path / "arm.fbx", fbx(bones, {"walk": (TIMES, {1: turning(180)})}))
    found = places(path)
    assert found["fore"][:, 0] == pytest.approx([3, 10, 0], abs=1e-6)
    assert found["fore"][:, -1] == pytest.approx([5, 10, 0], abs=1e-5)
    assert found["tip"][:, -1] == pytest.approx([3, 10, 0], abs=1e-5)


def test_units_and_axes_are_the_files_own(tmp_path) -> None:
    takes = {"walk": (TIMES, {1: turning(10)})}
    path = written(tmp_path / "arm.fbx", fbx(BONES, takes, up=2, unit=2.54))
    recording = read_fbx(path)
    assert (recording.unit, recording.up) == ("in", "+z")
    assert places(path)["upper"][:, 0] == pytest.approx([0, 10, 0])
    path = written(tmp_path / "feet.fbx", fbx(BONES, takes, unit=30.48))
    assert read_fbx(path).unit == "m"
    assert places(path)["upper"][:, 0] == pytest.approx([0, 3.048, 0])


def test_the_longest_take_is_read_or_the_one_that_is_named(tmp_path) -> None:
    takes = {
        "first": (TIMES[:7], {1: turning(90)[:7]}),
        "second": (TIMES, {1: turning(-90)}),
    }
    path = written(tmp_path / "arm.fbx", fbx(BONES, takes))
    assert read_fbx(path).n_frames == 31
    assert "Of the takes first, second the longest was read" in read_fbx(path).warnings[0]
    assert read_fbx(path, take="first").n_frames == 7
    with pytest.raises(mr.MocapRerootError, match=r"There are: first, second"):
        read_fbx(path, take="third")


def test_keys_that_are_denser_than_the_scene_are_frames(tmp_path) -> None:
    takes = {"walk": (np.arange(121) / 120, {1: np.zeros((121, 3)) + TIMES[:1]})}
    takes["walk"][1][1][:, 2] = np.linspace(0, 50, 121)
    path = written(tmp_path / "arm.fbx", fbx(BONES, takes, fps=30.0))
    recording = read_fbx(path)
    assert (recording.n_frames, recording.fps) == (121, pytest.approx(120))
    assert "The file states 30 Hz" in recording.repairs[0]


def test_what_cannot_be_read_is_told_in_words(tmp_path, monkeypatch) -> None:
    path = written(tmp_path / "no.fbx", "this is no FBX at all")
    with pytest.raises(mr.MocapRerootError, match=r"no reader could read it.*Blender"):
        read_fbx(path)
    with pytest.raises(mr.MocapRerootError, match="cannot be read"):
        read_fbx(tmp_path / "absent.fbx")
    path = written(tmp_path / "empty.fbx", fbx([], {}))
    with pytest.raises(mr.MocapRerootError, match="neither bones nor nodes that move"):
        read_fbx(path)
    monkeypatch.setattr(importer, "find_spec", lambda name: None)
    with pytest.raises(mr.MocapRerootError, match=r"pip install 'mocap_reroot\[formats\]'"):
        read_fbx(path)


def test_a_reader_that_hangs_is_given_up(tmp_path, monkeypatch) -> None:
    path = written(tmp_path / "arm.fbx", fbx(BONES, {"walk": (TIMES, {1: turning(90)})}))
    monkeypatch.setattr(importer, "SECONDS", 0.01)
    monkeypatch.setattr(importer, "SECONDS_PER_MB", 0.0)
    with pytest.raises(mr.MocapRerootError, match=r"did not finish within"):
        read_fbx(path)


def test_the_small_shared_file_is_what_its_reader_says(shared_data) -> None:
    recording = read_fbx(shared_data / "formats" / "motion.fbx")
    assert (recording.n_frames, recording.fps, recording.unit) == (10, 30.0, "cm")
    assert recording.hierarchy.names == ("root", "joint1", "joint2")
    assert recording.hierarchy.parents.tolist() == [-1, 0, 1]


@pytest.fixture(scope="module")
def pair(shared_data):
    """One recording, exported twice."""
    folders = "formats/fullbody_model.fbx", "bvh/millimetres/fullbody_model.bvh"
    return tuple(mr.read(shared_data / name) for name in folders)


def test_a_pair_of_fbx_and_bvh_is_one_motion(pair) -> None:
    theirs, ours = pair
    assert (theirs.n_frames, theirs.fps) == (ours.n_frames, ours.fps) == (1977, 26.0)
    rows = [theirs.skeleton.index(name) for name in ours.skeleton.names]
    apart = mr.forward(theirs).position[rows] - mr.forward(ours).position
    assert np.linalg.norm(apart, axis=1).max() < 5e-4  # m; asked: 2 mm


def test_a_pair_of_fbx_and_bvh_has_one_set_of_torques(pair) -> None:
    theirs, ours = (mr.analyze(motion.source.path, mass=70.0).torques for motion in pair)
    for name in pair[1].skeleton.names[1:]:
        columns = [f"{name}_m{axis}" for axis in "xyz"]
        a, b = (np.linalg.norm(t[columns].to_numpy(float), axis=1) for t in (theirs, ours))
        apart = np.abs(a - b)[np.isfinite(a) & np.isfinite(b)]
        # all frames but those in which one of the two roots a stance at the toes a frame earlier
        assert np.percentile(apart, 99) < 0.02 * np.sqrt(np.nanmean(b**2)), name
