"""MVNX: a real upper-body recording beside its BVH, and files made of a known motion."""

import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from mocap_reroot import analyze, detect_contacts, forward, read
from mocap_reroot.errors import FileError
from mocap_reroot.importers.mvnx import read_mvnx
from tests.importers import mvnx_files as files

BVH = {
    "Pelvis": "Hips", "L5": "Chest", "L3": "Chest2", "T12": "Chest3", "T8": "Chest4",
    "Neck": "Neck", "Head": "Head",
    **{
        side + part: side + name
        for side in ("Left", "Right")
        for part, name in {
            "Shoulder": "Collar", "UpperArm": "Shoulder", "ForeArm": "Elbow", "Hand": "Wrist",
            "UpperLeg": "Hip", "LowerLeg": "Knee", "Foot": "Ankle", "Toe": "Toe",
        }.items()
    },
}  # fmt: skip
"""MVN's segments and what its BVH calls them."""


def test_xsens_segments_are_those_of_its_bvh(shared_data: Path) -> None:
    """The BVH is y up and has a rest pose in place of its first frame."""
    folder = shared_data / "formats"
    mvnx, bvh = read(folder / "xsens.mvnx"), read(folder / "xsens.bvh", unit="cm")
    assert (mvnx.n_frames, mvnx.fps, mvnx.source.unit) == (112, 60.0, "m")
    np.testing.assert_array_equal(mvnx.up, [0, 0, 1])
    turned = np.array([[0, 0, 1], [1, 0, 0], [0, 1, 0]])  # their axes into ours
    ours, theirs = forward(mvnx).position, turned @ forward(bvh).position
    for segment, joint in BVH.items():
        difference = ours[mvnx.skeleton.names.index(segment), :, 1:]
        difference = difference - theirs[bvh.skeleton.names.index(joint), :, 1:]
        assert np.linalg.norm(difference, axis=0).max() < 2e-3, segment


def test_an_upper_body_recording_says_so(shared_data: Path) -> None:
    motion = read(shared_data / "formats" / "xsens.mvnx")
    said = " ".join(motion.source.warnings)
    assert "upper-body recording (configuration UpperBody)" in said and "legs" in said


@pytest.mark.parametrize("version", ["3", "4"])
@pytest.mark.parametrize("joints", [True, False], ids=["joints", "no joints"])
def test_segments_are_where_the_file_says(tmp_path: Path, version: str, joints: bool) -> None:
    path = files.write(tmp_path, files.text(version=version, joints=joints))
    motion = read(path)
    _, place, _ = files.motion(80)
    position = forward(motion).position
    for k, name in enumerate(files.SEGMENTS):
        difference = position[motion.skeleton.names.index(name)] - place[:, k].T
        assert np.abs(difference).max() < 2e-5, name  # m; six decimals are printed
    assert motion.skeleton.anatomy is not None and motion.skeleton.anatomy.human
    assert motion.skeleton.anatomy.convention == "Xsens MVN"
    assert not motion.source.repairs
    assert "identity, tpose, tpose-isb" in read_mvnx(path).notes["poses"]


def test_foot_contacts_are_events_that_can_be_used(tmp_path: Path) -> None:
    path = files.write(tmp_path, files.text(version="3"))
    told = read_mvnx(path).events
    frames = [(event.event, event.side, round(event.time * files.RATE)) for event in told]
    assert frames == [
        ("strike", "left", 0), ("strike", "right", 0), ("off", "right", 21),
        ("strike", "right", 40), ("off", "left", 61),
    ]  # fmt: skip
    contacts = detect_contacts(read(path), contact_source="events")
    _, _, given = files.motion(80)
    names = contacts.skeleton.names
    for side, column in (("Left", 0), ("Right", 2)):
        parts = [k for k, sole in enumerate(contacts.soles) if names[sole.foot] == f"{side}Foot"]
        touches = contacts.touching[parts].any(axis=0)
        np.testing.assert_array_equal(touches, given[:, column] > 0)


def test_contacts_that_the_motion_does_not_show_are_taken_at_their_word(tmp_path: Path) -> None:
    lifted = files.text().replace(
        "<footContacts>1 1 1 1</footContacts>", "<footContacts>1 1 0 0</footContacts>", 12
    )
    contacts = detect_contacts(read(files.write(tmp_path, lifted)), contact_source="events")
    right = [k for k, s in enumerate(contacts.soles) if "Right" in contacts.skeleton.names[s.foot]]
    assert not contacts.touching[right][:, :12].any() and contacts.touching[right][:, 13:20].any()


def test_a_result_by_the_files_own_contacts(tmp_path: Path) -> None:
    path = files.write(tmp_path, files.text(240))
    result = analyze(path, mass=70.0, contact_source="events")
    modes = set(result.phases["mode"])
    assert {"single", "double"} <= modes <= {"single", "double"}
    force = result.grf.filter(like="_fz").sum(axis=1)
    assert force.mean() == pytest.approx(70 * 9.80665, rel=0.05)


def test_a_segment_without_a_steady_joint_slides(tmp_path: Path) -> None:
    text = files.text()
    _, place, _ = files.motion(80)
    hand = list(files.SEGMENTS).index("LeftHand")
    for k in (10, 11):
        line = " ".join(f"{v:.6f}" for v in place[k].ravel())
        moved = place[k].copy()
        moved[hand, 0] += 0.03
        text = text.replace(line, " ".join(f"{v:.6f}" for v in moved.ravel()), 1)
    motion = read(files.write(tmp_path, text))
    assert any("move against their parent" in w and "LeftHand" in w for w in motion.source.warnings)
    found = forward(motion).position[motion.skeleton.names.index("LeftHand"), 0]
    assert found[10] - place[10, hand, 0] == pytest.approx(0.03, abs=1e-4)


def test_missing_frames_keep_their_rows(tmp_path: Path) -> None:
    pieces = list(files.frames(80))
    text = files.head() + "".join(pieces[:33] + pieces[35:]) + "</frames></subject></mvnx>"
    recording = read_mvnx(files.write(tmp_path, text))
    assert recording.n_frames == 80 and recording.flags is not None
    np.testing.assert_array_equal(np.flatnonzero(recording.flags), [30, 31])
    assert any("2 frames are missing by their numbers" in repair for repair in recording.repairs)


def test_a_file_that_breaks_off_gives_the_frames_before(tmp_path: Path) -> None:
    whole = files.text()
    recording = read_mvnx(files.write(tmp_path, whole[: whole.index('index="50"') + 400]))
    assert recording.n_frames == 50
    assert any("breaks off" in repair for repair in recording.repairs)


BOMB = '<!DOCTYPE mvnx [<!ENTITY a "ha"><!ENTITY b "&a;&a;&a;&a;">]>'
OUTSIDE = '<!DOCTYPE mvnx [<!ENTITY a SYSTEM "file:///etc/passwd">]>'
PARAMETER = '<!DOCTYPE mvnx [<!ENTITY % a SYSTEM "http://127.0.0.1:9/x.dtd"> %a;]>'


@pytest.mark.parametrize("declared", [BOMB, OUTSIDE, PARAMETER], ids=["bomb", "file", "network"])
def test_entities_are_refused(tmp_path: Path, declared: str) -> None:
    text = files.text(3).replace("<mvnx", declared + "<mvnx", 1)
    with pytest.raises(FileError, match="it declares entities"):
        read_mvnx(files.write(tmp_path, text))


def test_a_document_type_is_named_but_never_fetched(tmp_path: Path) -> None:
    named = '<!DOCTYPE mvnx SYSTEM "http://127.0.0.1:9/schema.dtd">'
    text = files.text(3).replace("<mvnx", named + "<mvnx", 1)
    assert read_mvnx(files.write(tmp_path, text)).n_frames == 3


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        ("<mvnx", "<html", "it is no complete XML"),
        ('frameRate="60"', 'frameRate="fast"', "frameRate is 'fast'"),
        ('type="normal"', 'type="npose"', "no frames of type normal"),
        ('label="Pelvis"', 'label="Hip"', "there is no segment Pelvis"),
        ("orientation", "orientierung", "have no orientation of the segments"),
        ("position>", "place>", "have no position of the segments"),
        ("<segments>", "<nothing/></subject></mvnx>", "it is no complete XML"),
        ("<comment>", "<comment>" + "<a>" * 200, "more than 100 elements"),
        ("<comment>", '<comment a="' + "x" * 5_000_000, "a word of more than"),
    ],
)
def test_what_cannot_be_read_is_said(tmp_path: Path, old: str, new: str, words: str) -> None:
    with pytest.raises(FileError) as refused:
        read_mvnx(files.write(tmp_path, files.text(3).replace(old, new)))
    assert words in str(refused.value)


@pytest.mark.skipif("MOCAP_REROOT_SLOW" not in os.environ, reason="200 MB: set MOCAP_REROOT_SLOW=1")
def test_200_megabytes_take_bounded_memory(tmp_path: Path) -> None:
    path = tmp_path / "long.mvnx"
    block = list(files.frames(600, padding=700))[3:]
    with path.open("w") as file:
        file.write(files.head())
        while file.tell() < 200_000_000:
            file.writelines(block)
        file.write("</frames></subject></mvnx>\n")
    measure = (
        "import sys\n"
        "from pathlib import Path\n"
        "from mocap_reroot.importers.mvnx import read_mvnx\n"
        "def peak():\n"
        "    lines = Path('/proc/self/status').read_text().splitlines()\n"
        "    return next(int(l.split()[1]) for l in lines if l.startswith('VmHWM'))\n"
        "before = peak()\n"
        "recording = read_mvnx(sys.argv[1])\n"
        "print(recording.n_frames, (peak() - before) / 1e3)\n"
    )
    told = subprocess.run(
        [sys.executable, "-c", measure, path], check=True, capture_output=True, text=True
    )
    count, megabytes = told.stdout.split()
    assert int(count) > 20_000
    assert 5 < float(megabytes) < 200  # the numbers that are kept take 25
