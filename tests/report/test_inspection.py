"""The inspection: stable keys, JSON, and a page that says what it should."""

import io
import json

import pytest
from rich.console import Console

from mocap_reroot.config import Reading
from mocap_reroot.reading import motion_of, read_recording
from mocap_reroot.report.inspection import inspection, render
from mocap_reroot.signals.cleaning import clean

KEYS = [
    "file",
    "format",
    "frames",
    "fps",
    "duration",
    "unit",
    "unit_scale",
    "up",
    "up_vector",
    "convention",
    "human",
    "root",
    "feet",
    "markers",
    "force_plates",
    "events",
    "mass",
    "height",
    "bodies",
    "inferred",
    "flags",
    "repairs",
    "warnings",
]


def page_of(path):
    recording = read_recording(path)
    return inspection(clean(motion_of(recording, Reading())), recording)


def printed(page):
    console = Console(file=io.StringIO(), width=160)
    render(page, console)
    return console.file.getvalue()


def test_keys_are_stable_and_json_survives(shared_data):
    page = page_of(shared_data / "bvh" / "cmu" / "02_01.bvh")
    assert list(page) == KEYS
    assert json.loads(json.dumps(page)) == page
    assert [i["what"] for i in page["inferred"]] == [
        "unit",
        "up",
        "convention",
        "frame_time",
        "floor",
        "root",
    ]
    assert page["feet"] == ["LeftFoot", "RightFoot"]
    assert page["flags"] == {"rest_pose": 1}
    shank = next(b for b in page["bodies"] if b["body"] == "LeftLeg")
    assert (shank["parent"], shank["segment"], shank["side"]) == ("LeftUpLeg", "left_shank", "left")
    assert shank["length"] == pytest.approx(7.5985 * 0.0254 / 0.45, rel=1e-3)


def test_the_page_shows_tree_evidence_and_repairs(shared_data):
    text = printed(page_of(shared_data / "bvh" / "cmu" / "02_01.bvh"))
    for words in (
        "344 frames at 120 Hz",
        "unit cmu",
        "LeftLeg  left shank",
        "a stride takes 1.10 s",
    ):
        assert words in text
    assert "rest pose" in text
    assert "No problems found." in text


def test_names_with_brackets_are_printed_as_they_are(shared_data):
    page = page_of(shared_data / "bvh" / "fairmotion" / "sinusoidal.bvh")
    page["bodies"][0]["body"] = page["bodies"][1]["parent"] = "[bold]base[/bold]"
    page["warnings"].append("[red]odd[/red]")
    text = printed(page)
    assert "[bold]base[/bold]" in text
    assert "[red]odd[/red]" in text
    assert "not taken for a person" in text
