"""What BVH channels mean: a motion in the file's axes, and real files as bvhio sees them."""

from __future__ import annotations

from itertools import product
from pathlib import Path

import bvhio
import numpy as np
import pytest
from scipy.spatial.transform import Rotation

import mocap_reroot as mr
from mocap_reroot.importers.bvh import read_bvh
from mocap_reroot.skeletons.hierarchy import hierarchy_motion
from mocap_reroot.types import JointType, Motion
from tests.conftest import SHARED_DATA
from tests.importers.bvh_files import PLAIN, chain, write

FILES = sorted(SHARED_DATA.glob("bvh/*/*.bvh"))
BONE = """HIERARCHY
ROOT Hips
{
OFFSET 5 90 -5
CHANNELS %s
JOINT Spine
{
OFFSET 0 10 1
CHANNELS %s
End Site
{
OFFSET 0 30 0
}
}
}
MOTION
Frames: %d
Frame Time: 0.01
%s
"""


def motion_of(folder: Path, root: str, joint: str, rows: list[list[float]]) -> Motion:
    """Return the motion of two bodies whose channels are given in words, unit m."""
    words = [f"{len(text.split())} {text}" for text in (root, joint)]
    lines = "\n".join(" ".join(map(repr, row)) for row in rows)
    return hierarchy_motion(read_bvh(write(folder, BONE % (*words, len(rows), lines))))


def turn(axes: str, degrees: list[float]) -> np.ndarray:
    """Return the matrix of turns about the body's own axes, one after the other, with scipy."""
    result = Rotation.identity()
    for axis, angle in zip(axes, degrees, strict=True):
        result = result * Rotation.from_euler(axis, angle, degrees=True)
    return result.as_matrix()


def matrix(motion: Motion, body: int, frame: int) -> np.ndarray:
    return Rotation.from_quat(np.roll(motion.rotation[body, :, frame], -1)).as_matrix()


POSITIONS = "Xposition Yposition Zposition "


@pytest.mark.parametrize("axes", ["".join(axes) for axes in product("XYZ", repeat=3)])
def test_rotations_multiply_in_the_order_of_the_file(tmp_path, axes):
    angles = [20.0, -130.0, 75.0]
    words = " ".join(f"{axis}rotation" for axis in axes)
    motion = motion_of(tmp_path, POSITIONS + words, words, [[0.0, 0, 0, *angles, *angles]])
    for body in range(2):
        np.testing.assert_allclose(matrix(motion, body, 0), turn(axes, angles), atol=1e-14)


def test_position_channels_replace_the_offset(tmp_path):
    words = "Zrotation Xrotation Yrotation"
    motion = motion_of(tmp_path, f"{words} {POSITIONS}", words, [[0.0, 0, 90, 1, 2, 3, 0, 0, 0]])
    np.testing.assert_array_equal(motion.skeleton.offset[0], [5, 90, -5])
    position = mr.forward(motion).position[:, :, 0]
    np.testing.assert_allclose(position[0], [1, 2, 3], atol=1e-15)
    # 90° about y turn the spine's offset (0, 10, 1) into (1, 10, 0).
    np.testing.assert_allclose(position[1], [2, 12, 3], atol=1e-14)


def test_axes_without_channel_keep_their_offset(tmp_path):
    rows = [[1.0, 7.0], [2.0, 8.0]]
    motion = motion_of(tmp_path, "Yposition", "Zposition", rows)
    position = mr.forward(motion).position
    np.testing.assert_allclose(position[0].T, [[5, 1, -5], [5, 2, -5]])
    np.testing.assert_allclose(position[1].T, [[5, 11, 2], [5, 12, 3]])
    assert motion.skeleton.joint_types.tolist() == [JointType.FREE, JointType.PRISMATIC]
    np.testing.assert_array_equal(motion.skeleton.axes[1, 0], [0, 0, 1])


@pytest.mark.parametrize(
    ("words", "kind", "axes"),
    [
        ("", JointType.FIXED, []),
        ("Xrotation", JointType.REVOLUTE, [0]),
        ("Zrotation Xrotation", JointType.UNIVERSAL, [2, 0]),
        ("Zrotation Xrotation Yrotation", JointType.SPHERICAL, []),
        (POSITIONS + "Zrotation Xrotation Yrotation", JointType.FREE, []),
        ("Xposition Zrotation", JointType.FREE, []),
    ],
)
def test_joint_types_follow_the_channels(tmp_path, words, kind, axes):
    count = len(words.split())
    rows = [[float(frame + k) for k in range(count)] for frame in range(4)]
    motion = motion_of(tmp_path, "", words, rows)
    if not count:
        assert motion.n_frames == 0
    else:
        turns = [k for k, word in enumerate(words.split()) if word.endswith("rotation")]
        letters = "".join(words.split()[k][0] for k in turns)
        expected = turn(letters, [rows[2][k] for k in turns])
        np.testing.assert_allclose(matrix(motion, 1, 2), expected, atol=1e-14)
    assert motion.skeleton.joint_types.tolist() == [JointType.FREE, kind]
    for k, axis in enumerate(axes):
        np.testing.assert_array_equal(motion.skeleton.axes[1, k], np.eye(3)[axis])


def test_joint_whose_positions_stand_still_does_not_slide(tmp_path):
    words = POSITIONS + "Zrotation Xrotation Yrotation"
    rows = [[0.0] * 6 + [1.0, 20.0, 3.0, frame, 0.0, 0.0] for frame in range(5)]
    motion = motion_of(tmp_path, words, words, rows)
    assert motion.skeleton.joint_types.tolist() == [JointType.FREE, JointType.SPHERICAL]
    np.testing.assert_array_equal(motion.skeleton.offset[1], [1, 20, 3])
    rows[3][7] = 20.5
    motion = motion_of(tmp_path, words, words, rows)
    assert motion.skeleton.joint_types.tolist() == [JointType.FREE, JointType.FREE]
    np.testing.assert_allclose(mr.forward(motion).position[1, 1], [20, 20, 20, 20.5, 20])


def test_quaternions_keep_their_sign_over_wraps_and_gaps(tmp_path):
    turned = [170.0, 178.0, -174.0, float("nan"), -158.0, -150.0]
    rows = [[0.0, 0, 0, angle, 0, 0, 360 - angle, 0, 0] for angle in turned]
    words = "Zrotation Xrotation Yrotation"
    motion = motion_of(tmp_path, POSITIONS + words, words, rows)
    assert motion.flag_words.tolist() == ["", "", "", "not_finite", "", ""]
    known = np.delete(motion.rotation, 3, axis=2)
    assert np.isnan(motion.rotation[:, :, 3]).all()
    assert ((known[..., 1:] * known[..., :-1]).sum(axis=1) > 0.9).all()
    np.testing.assert_allclose((known**2).sum(axis=1), 1, atol=1e-15)


def test_lengths_are_scaled_once(tmp_path):
    path = write(tmp_path, PLAIN)
    metres = hierarchy_motion(read_bvh(path))
    inches = hierarchy_motion(read_bvh(path), 0.0254)
    for name in ("offset", "site_offset"):
        a, b = getattr(metres.skeleton, name), getattr(inches.skeleton, name)
        np.testing.assert_allclose(b, 0.0254 * a, rtol=1e-15)
    np.testing.assert_allclose(inches.displacement, 0.0254 * metres.displacement, rtol=1e-14)
    np.testing.assert_array_equal(inches.rotation, metres.rotation)
    assert inches.source.unit_scale == 0.0254


def test_clips_that_share_a_hierarchy_share_nothing_else(tmp_path):
    odd = PLAIN.replace("HIERARCHY", "# häßlich\nHIERARCHY").encode("latin-1")
    (tmp_path / "a.bvh").write_bytes(odd)
    (tmp_path / "b.bvh").write_bytes(odd.replace(b"0.01", b"0.02").replace(b"1.1 2.1", b"1.4 2.8"))
    (tmp_path / "c.bvh").write_bytes(odd.replace(b"Frames: 3", b"Frames: 4"))
    first, second, third = (read_bvh(tmp_path / f"{name}.bvh") for name in "abc")
    assert (
        not first.hierarchy.offset.flags.writeable and not first.hierarchy.parents.flags.writeable
    )
    assert (first.path.name, second.path.name) == ("a.bvh", "b.bvh")
    assert (first.fps, second.fps) == (100.0, 50.0)
    assert (first.hierarchy.values[0, 1], second.hierarchy.values[0, 1]) == (1.1, 1.4)
    assert first.repairs == second.repairs == third.repairs[:2]
    assert "Latin-1" in first.repairs[0] and len(third.repairs) == 3
    one, two = (hierarchy_motion(clip, 0.01).skeleton for clip in (first, second))
    np.testing.assert_array_equal(one.offset, two.offset)
    other = hierarchy_motion(first, 0.1).skeleton
    np.testing.assert_allclose(other.offset, 10 * one.offset)


@pytest.mark.parametrize("word", ["MOTION", "motion", "  Motion", "\tMOTION"])
def test_motion_is_found_behind_names_that_hold_the_word(tmp_path, word):
    text = PLAIN.replace("MOTION", word).replace("Spine", "MOTION Emotion")
    recording = read_bvh(write(tmp_path, text))
    assert recording.hierarchy.names == ("Hips", "MOTION Emotion")
    assert recording.n_frames == 3


def test_read_names_an_unknown_format(tmp_path):
    with pytest.raises(mr.MocapRerootError, match=r"type '.xyz' are unknown; known are .bvh"):
        mr.read(tmp_path / "clip.xyz")


def test_five_hundred_bodies_in_a_chain(tmp_path):
    motion = mr.read(write(tmp_path, chain(500, 2)), unit="m", up="y")
    assert motion.skeleton.n_bodies == 500
    steps = np.diff(mr.forward(motion).position[:, :, 0], axis=0)
    np.testing.assert_allclose(np.linalg.norm(steps, axis=1), 1, atol=1e-12)


def bvhio_positions(path: Path) -> np.ndarray:
    """Return ``(n, 3, F)`` from bvhio's keyframes, multiplied out in double precision."""
    found = []
    root = bvhio.readAsBvh(str(path)).Root
    ahead = [(root, None)]
    while ahead:
        joint, above = ahead.pop()
        place = np.array([list(key.Position) for key in joint.Keyframes], dtype=float)
        turned = [key.Rotation for key in joint.Keyframes]
        own = Rotation.from_quat([(q.x, q.y, q.z, q.w) for q in turned])
        if above is not None:
            place = above[0] + above[1].apply(place)
            own = above[1] * own
        found.append(place.T)
        ahead += [(child, (place, own)) for child in reversed(joint.Children)]
    return np.array(found)


@pytest.mark.parametrize("path", FILES, ids=lambda path: f"{path.parent.name}/{path.stem}")
def test_real_files_as_bvhio_reads_them(shared_data, path):
    recording = read_bvh(path)
    motion = hierarchy_motion(recording)
    expected = bvhio_positions(path)
    assert expected.shape == (motion.skeleton.n_bodies, 3, motion.n_frames)
    position = mr.forward(motion).position
    # bvhio keeps single precision; a chain of ten turns adds up a few of its roundings.
    np.testing.assert_allclose(position, expected, rtol=0, atol=5e-6 * np.abs(expected).max())
    harmless = ("No End Site", "no line break ends the last row")
    assert [r for r in recording.repairs if not any(word in r for word in harmless)] == []
    assert recording.fps == round(recording.fps) or path.stem in (
        "jumping",
        "full_precision_frame_time",
    )


def test_real_rates(shared_data):
    folder = shared_data / "bvh"
    rates = {
        "cmu/02_01": 120.0,
        "perception_neuron/test": 125.0,
        "millimetres/fullbody_model": 26.0,
        "blender/walk01": 24.0,
        "animateddrawings/jumping": 120000 / 1001,
    }
    for name, fps in rates.items():
        assert read_bvh(folder / f"{name}.bvh").fps == fps
    odd = read_bvh(folder / "pybvh/full_precision_frame_time.bvh").fps
    assert odd == pytest.approx(23.976, abs=1e-9)
