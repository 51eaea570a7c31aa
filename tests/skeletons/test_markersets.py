"""Marker sets as data: every one loads, each is chosen for its labels, mistakes are named."""

from pathlib import Path

import numpy as np
import pytest

from mocap_reroot.errors import ConfigError, UnknownNameError
from mocap_reroot.importers.c3d import read_c3d
from mocap_reroot.skeletons import markersets
from mocap_reroot.skeletons.labels import subject_labels
from mocap_reroot.types import Markers


def test_every_set_loads_and_requires_what_it_names() -> None:
    assert {"plug-in-gait", "plug-in-gait-lower-body", "helen-hayes"} <= set(markersets.names())
    for name in markersets.names():
        loaded = markersets.load(name)
        assert loaded.name == name and loaded.description and loaded.requires
        for needed in loaded.requires:
            assert any(option in loaded.landmarks for option in needed.split("|"))
        labels = {part.lower() for alt in loaded.landmarks.values() for p in alt for part in p}
        assert loaded.missing(labels) == []


@pytest.mark.parametrize(
    ("file", "name"),
    [
        ("plug_in_gait/HC030A/HC030A05", "plug-in-gait"),
        ("btk/PiG_Motion3_FF", "plug-in-gait"),
        ("btk/Gait", "helen-hayes"),
        ("opensim/walking2", "condyles-and-clusters"),
    ],
)
def test_sets_are_chosen_by_their_labels(shared_data: Path, file: str, name: str) -> None:
    markers = read_c3d(shared_data / f"c3d/{file}.c3d").markers
    assert markers is not None
    assert markersets.choose(markers.labels).name == name


def test_a_users_own_set(tmp_path: Path) -> None:
    path = tmp_path / "mine.toml"
    path.write_text(
        'name = "mine"\nleft = "links"\nright = "rechts"\nrequires = ["asis"]\n'
        '[sided]\nasis = ["{side}_sias", "{side}_a + {side}_b"]\n'
    )
    mine = markersets.load(path)
    assert mine.landmarks["left_asis"] == (("links_sias",), ("links_a", "links_b"))
    assert mine.found(["links_a", "links_b"]) == {"left_asis": ("links_a", "links_b")}
    assert "right_asis" in mine.missing(["links_sias"])


def test_what_a_skeleton_needs_is_required_of_every_set() -> None:
    """A set that forgets to say so is refused with a sentence, not with a traceback."""
    text = '[middle]\nsacrum = "S"\n[sided]\nasis = "{side}A"\nlateral_knee = "{side}K"\n'
    missing = markersets.parse(text, "mine.toml").missing(["S", "LA", "RA", "LK", "RK"])
    assert missing == [f"{s}_lateral_ankle|{s}_ankle_centre" for s in ("left", "right")]


def test_mistakes_are_named(tmp_path: Path) -> None:
    with pytest.raises(UnknownNameError, match="plug-in-gait"):
        markersets.load("plugingait")
    for text, words in (
        ("[sided]\nknee = 'LKNE'", "knee"),
        ("nmae = 'x'", "nmae"),
        ("[sided\n", "not TOML"),
        ("[sided]\nasis = 3", "asis must be a text"),
        ("sided = 3", "must be a table"),
        ("requires = ['knee']", "knee"),
        ("requires = ['heel']", "for which no label is given"),
        ("[clusters]\nupperleg = ['a']", "upperleg"),
        ("[clusters]\nthigh = [1]", "thigh must be a text"),
        ("[methods]\nhip = 'guess'", "guess"),
    ):
        with pytest.raises(ConfigError, match=words):
            markersets.parse(text, "mine.toml")
    with pytest.raises(ConfigError, match="cannot be read"):
        markersets.load(tmp_path / "absent.toml")


def test_prefixes() -> None:
    labels = ("A:LASI", "A:RASI", "B:LASI", "loose")
    subjects = subject_labels(Markers(labels, np.zeros((4, 3, 1))))
    assert subjects == {"A": {"lasi": 0, "rasi": 1}, "B": {"lasi": 2}, "": {"loose": 3}}
    shared = ("Skeleton_Hip1", "Skeleton_Hip2", "Skeleton_LFoot", "Skeleton_RFoot")
    rows = subject_labels(Markers(shared, np.zeros((4, 3, 1))))[""]
    assert rows == {"hip1": 0, "hip2": 1, "lfoot": 2, "rfoot": 3}


PEOPLE = {
    "case, marks and spaces": (("R_Knee.Lat ", "r knee-med"), ["rkneelat", "rkneemed"]),
    "a prefix, and points without a name": (
        ("Q_HeadL", "Q_LKneeOut", "Q_RKneeOut", "Q_Chest", "*12", "U_13", "U*14"),
        ["headl", "lkneeout", "rkneeout", "chest", "*12", "u13", "u*14"],
    ),
    "a date and a name": (
        tuple(f"251112_KUO_{x}" for x in ("LASI", "RASI", "LPSI", "RPSI")),
        ["lasi", "rasi", "lpsi", "rpsi"],
    ),
    "a side is no prefix": (("R_IAS", "R_IPS", "R_FLE", "R_FAL"), ["rias", "rips", "rfle", "rfal"]),
    "sides are no prefixes": (
        ("L_IAS", "R_IAS", "L_IPS", "R_IPS"),
        ["lias", "rias", "lips", "rips"],
    ),
}


@pytest.mark.parametrize("what", PEOPLE)
def test_labels_as_they_are_compared(what: str) -> None:
    labels, expected = PEOPLE[what]
    rows = subject_labels(Markers(labels, np.zeros((len(labels), 3, 1))))[""]
    assert list(rows) == expected


def test_of_two_markers_with_one_label_the_one_that_is_seen_counts() -> None:
    position = np.zeros((3, 3, 4))
    position[0, :, 1:] = np.nan
    position[2, :, :2] = np.nan
    rows = subject_labels(Markers(("LASI", "lasi ", "L_ASI"), position))[""]
    assert rows == {"lasi": 1}


def test_two_people_told_apart_by_a_prefix() -> None:
    names = ["LASI", "RASI", "L_Knee", "R_Knee", "C7", "LTOE", "RTOE", "LHEE", "RHEE"]
    labels = [f"Trial 3_{who}_{name}" for who in ("Ann", "Bob") for name in names]
    subjects = subject_labels(Markers(tuple(labels), np.zeros((len(labels), 3, 1))))
    assert list(subjects) == ["Ann", "Bob"]
    assert subjects["Bob"]["lknee"] == 11


def test_sides_may_be_spelt_in_several_ways() -> None:
    text = 'left = ["L", "Left"]\nright = ["R", "Right"]\nrequires = ["hip_centre"]\n'
    both = markersets.parse(text + '[sided]\nhip_centre = "{side}Hip"\n', "mine.toml")
    for labels in (["LHip", "RHip"], ["left_hip", "right_hip"], ["Left Hip", "Right Hip"]):
        assert set(both.found(labels)) == {"left_hip_centre", "right_hip_centre"}
    with pytest.raises(ConfigError, match="left must be a text"):
        markersets.parse("left = 3", "mine.toml")


def test_a_refusal_says_what_was_found_what_was_expected_and_what_to_do() -> None:
    labels = ["LASI", "RASI", "SACR", "LKNE", "RKNE", "LHEE", "RHEE", "LTOE", "RTOE"]
    with pytest.raises(ConfigError) as refusal:
        markersets.choose(labels)
    said = str(refusal.value)
    assert "LASI, RASI" in said and "lacks left_lateral_ankle (LANK), right" in said
    assert "plug-in-gait" in said and "docs/marker-sets.md" in said and "--static FILE" in said
    assert "--model FILE.osim" in said
    with pytest.raises(ConfigError, match=r"labels one, two\. Known sets"):
        markersets.choose(["one", "two"])
