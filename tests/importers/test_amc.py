"""ASF/AMC: CMU's own files, and a skeleton written by hand with SciPy as the judge."""

import shutil
from pathlib import Path

import numpy as np
import pytest

from mocap_reroot import body_model, forward, read
from mocap_reroot.errors import FileError
from mocap_reroot.importers.amc import find_skeleton, read_amc
from mocap_reroot.skeletons.hierarchy import hierarchy_motion
from tests.importers.acclaim_files import where, write

CMU = {
    "root": "Hips", "lowerback": "LowerBack", "upperback": "Spine", "thorax": "Spine1",
    **{
        side[0].lower() + bone: side + name
        for side in ("Left", "Right")
        for bone, name in {
            "femur": "UpLeg", "tibia": "Leg", "foot": "Foot", "toes": "ToeBase",
        }.items()
    },
}  # fmt: skip
"""Bones of CMU's skeleton and what its BVH calls them."""


def places(path: Path) -> np.ndarray:
    """Return ``(n, 3, F)`` where the bones begin, file units."""
    return forward(hierarchy_motion(read_amc(path))).position


@pytest.mark.parametrize("order", ["TX TY TZ RX RY RZ", "RX RY RZ TX TY TZ", "TZ TX RX TY RY RZ"])
@pytest.mark.parametrize("radians", [False, True], ids=["degrees", "radians"])
def test_bones_are_where_scipy_puts_them(tmp_path: Path, radians: bool, order: str) -> None:
    path = write(tmp_path, radians=radians, order=order)
    np.testing.assert_allclose(places(path), where(5), atol=1e-9)


def test_cmus_motion_is_that_of_its_bvh(shared_data: Path) -> None:
    """The BVH puts a rest pose in front and lacks the bone above the thorax."""
    folder = shared_data / "formats"
    amc, bvh = read(folder / "01_01.amc"), read(folder / "01_01.bvh", unit="cmu")
    assert (amc.source.unit, amc.fps, amc.n_frames) == ("cmu", 120.0, 2751)
    ours, theirs = forward(amc).position, forward(bvh).position[:, :, 1:]
    for bone, joint in CMU.items():
        difference = ours[amc.skeleton.names.index(bone)] - theirs[bvh.skeleton.names.index(joint)]
        assert np.abs(difference).max() < 2e-5, bone  # m; asked for are 2 mm
    neck = ours[amc.skeleton.names.index("lowerneck")]
    low = theirs[bvh.skeleton.names.index("Neck")]
    assert np.linalg.norm(neck - low, axis=0) == pytest.approx(0.1166, abs=1e-3)


def test_cmus_person_is_as_tall_as_the_legs_say(shared_data: Path) -> None:
    """The lowest bone of the neck begins below the shoulders: it is part of the trunk."""
    skeleton = read(shared_data / "formats" / "01_01.amc").skeleton
    bones = [skeleton.names.index(name) for name in ("lfoot", "ltibia")]
    legs = float(np.linalg.norm(skeleton.offset[bones], axis=1).sum()) / 0.491  # Winter 2009
    assert body_model(skeleton).height == pytest.approx(legs, rel=0.03)


def test_degrees_of_freedom_that_are_missing_do_not_turn(tmp_path: Path) -> None:
    path = write(tmp_path)
    recording = read_amc(path)
    assert recording.hierarchy is not None
    channels = dict(zip(recording.hierarchy.names, recording.hierarchy.channels, strict=True))
    assert channels["lhip"] == () and len(channels["root"]) == 6
    text = path.read_text()
    path.write_text("\n".join(line for line in text.split("\n") if not line.startswith("ltibia")))
    recording = read_amc(path)
    assert any("says nothing of ltibia" in warning for warning in recording.warnings)
    np.testing.assert_allclose(places(path), where(5), atol=1e-9)


@pytest.mark.parametrize(
    ("name", "skeleton"),
    [
        ("07_01.amc", "07_01.asf"), ("07_01.amc", "07.asf"), ("07_01.amc", "07.ASF"),
        ("walk.amc", "somebody.asf"), ("a_b_c.amc", "a.asf"),
    ],
)  # fmt: skip
def test_the_skeleton_beside_it_is_found(tmp_path: Path, name: str, skeleton: str) -> None:
    (tmp_path / skeleton).touch()
    assert find_skeleton(tmp_path / name).name == skeleton


def test_of_several_skeletons_the_one_it_names_is_taken(tmp_path: Path) -> None:
    for other in ("x.asf", "y.asf"):
        (tmp_path / other).touch()
    assert find_skeleton(tmp_path / "w.amc", b"#!OML:ASF H:\\a b\\Y.ASF\n").name == "y.asf"
    with pytest.raises(FileError, match=r"several .asf files.*x.asf, y.asf.*--skeleton FILE.asf"):
        find_skeleton(tmp_path / "w.amc")


def test_the_skeleton_is_named_by_an_option(tmp_path: Path) -> None:
    path = write(tmp_path)
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    moved = Path(shutil.move(path, elsewhere / path.name))
    with pytest.raises(FileError, match=r"there is no \.asf file beside it"):
        read(moved)
    motion = read(moved, skeleton=tmp_path / "made.asf")
    assert motion.n_frames == 5


def test_a_rate_is_taken_where_it_is_stated_and_said_where_it_is_not(tmp_path: Path) -> None:
    assert read_amc(write(tmp_path, header=":SAMPLES-PER-SECOND 60\n")).fps == 60.0
    assumed = read_amc(write(tmp_path))
    assert assumed.fps == 120.0
    assert any("does not state its frame rate" in warning for warning in assumed.warnings)


def test_case_commas_and_parentheses_do_not_matter(tmp_path: Path) -> None:
    path, bones = write(tmp_path), tmp_path / "made.asf"
    path.write_text(path.read_text().replace("lfemur", "LFemur"))
    text = bones.read_text().replace("lhip lfemur", "lhip, LFEMUR")
    bones.write_text(text.replace("direction 1 -1 0", "direction (1, -1, 0)"))
    np.testing.assert_allclose(places(path), where(5), atol=1e-9)


def test_a_unit_that_is_not_cmus_is_left_to_be_inferred(tmp_path: Path) -> None:
    assert read_amc(write(tmp_path)).unit == "cmu"
    assert read_amc(write(tmp_path, length="1.0")).unit == ""


def test_frames_in_another_order_and_with_holes(tmp_path: Path) -> None:
    path = write(tmp_path)
    lines = path.read_text().split("\n")
    at = lines.index("2")
    lines[at + 1], lines[at + 2] = lines[at + 2], lines[at + 1]
    path.write_text("\n".join(lines))
    np.testing.assert_allclose(places(path), where(5), atol=1e-9)
    del lines[at + 3]
    path.write_text("\n".join(lines))
    recording = read_amc(path)
    assert recording.flags is not None
    np.testing.assert_array_equal(recording.flags > 0, [False, True, False, False, False])
    np.testing.assert_allclose(places(path)[..., 2:], where(5)[..., 2:], atol=1e-9)


def test_line_ends_and_long_files_are_read_alike(tmp_path: Path) -> None:
    path = write(tmp_path, 60)
    expected = places(path)
    plain = path.read_bytes()
    for ending in (b"\r\n", b"\r"):
        path.write_bytes(plain.replace(b"\n", ending))
        np.testing.assert_array_equal(places(path), expected)


@pytest.mark.parametrize(
    ("file", "old", "new", "words"),
    [
        ("asf", "dof rx ry rz", "dof rx ry rw", "'rw' is no degree of freedom; there are rx"),
        ("asf", "dof rx ry rz", "dof rx ry", "lfemur has 3 numbers a frame, but made.asf gives it"),
        ("asf", "lhip lfemur", "lhip lfemr", "no bone named 'lfemr'. Did you mean 'lfemur'"),
        ("asf", "lfemur ltibia", "lfemur lhip", "'lhip' hangs from two others"),
        ("asf", "length 7", "length seven", "'seven' is no number"),
        ("asf", ":hierarchy", ":tree", "has the sections :root, :bonedata and :hierarchy"),
        ("asf", "    axis", "    axis 1 2", "the order of axes is"),
        ("asf", "name ltibia", "name lfemur", "two bones named 'lfemur'"),
        ("amc", "ltibia", "rtibia", "it moves rtibia, which made.asf does not have"),
        ("amc", "\n1\n", "\none\n", None),
        ("amc", "\n", " ", "there are no frames"),
    ],
)
def test_what_cannot_be_read_is_said(
    tmp_path: Path, file: str, old: str, new: str, words: str | None
) -> None:
    path = write(tmp_path)
    changed = path if file == "amc" else tmp_path / "made.asf"
    changed.write_text(changed.read_text().replace(old, new))
    if words is None:  # the first frame is lost, the others are there
        assert read_amc(path).n_frames == 4
        return
    with pytest.raises(FileError) as refused:
        read_amc(path)
    assert words in str(refused.value)
