"""Notes: at most three, the gravest first, each with what it means and what to do."""

import ast
import json
import re
from pathlib import Path

import pytest

import mocap_reroot
from mocap_reroot.cli import main
from mocap_reroot.report.notes import expected_words, notes
from mocap_reroot.resources.package_data import read_toml

from . import folders

SUMMARY = {
    "mass": 70.0,
    "quality": {"foot_skate_mm_s": 10.0, "analysed_fraction": 1.0},
    "warnings": [],
}
FLIPS = (
    "Flips from one frame to the next: LThumb at frames 98–99 (up to 33 rad/s). Torques there mean "
    "little."
)
MASS = (
    "Mass is not known: 69.5 kg, 22.5 kg/m² at a stature of 1.76 m. Forces and torques grow with "
    "it; give the mass if you can."
)
SLIDES = (
    "In 12 frames no limb is low and slow enough to stand, yet the body does not fall: the most "
    "likely one was taken as its support (the capture drifts or slides)."
)
HEIGHT = "Stature is not known: 1.76 m, estimated from legs."


def test_the_gravest_come_first_and_the_rest_stays_away():
    found = notes(SUMMARY | {"warnings": [HEIGHT, FLIPS, SLIDES, MASS]})
    assert len(found) == 3
    assert found[0].startswith("Mass is not known: 69.5 kg was assumed")
    assert "--mass" in found[0]
    assert found[1].startswith("In 12 frames no limb stands still")
    assert found[2].startswith("Bodies such as LThumb flip")
    assert notes(SUMMARY | {"warnings": [HEIGHT]}) == []


def _messages():
    """Return all strings of the package but its docstrings, ``{}`` where something is put in."""
    found = []
    for path in Path(mocap_reroot.__file__).parent.rglob("*.py"):
        nodes = list(ast.walk(ast.parse(path.read_text("utf-8"))))
        docstrings = {id(node.value) for node in nodes if isinstance(node, ast.Expr)}
        for node in nodes:
            if isinstance(node, ast.JoinedStr):
                parts = (p.value if isinstance(p, ast.Constant) else "{}" for p in node.values)
                found.append("".join(parts))
            elif isinstance(node, ast.Constant) and id(node) not in docstrings:
                found.append(str(node.value))
    return "\n".join(found)


def test_every_pattern_is_of_a_warning_that_is_given():
    said = _messages()
    for kind in read_toml("report", "notes.toml")["warning"]:
        plain = re.sub(r"\((\?P<what>| )[^)]*\)", "", kind["begins"])
        for one in re.split(r"[|()]", plain):
            longest = max(re.split(r"\.\*\??|\\d\+?|\[.*?\]|[?*+;:]", one), key=len).strip()
            assert longest in said, longest


def test_what_spoils_the_grade_says_what_to_do():
    quality = {"foot_skate_mm_s": 333.0, "analysed_fraction": 1.0}
    first, second = notes(SUMMARY | {"quality": quality, "warnings": [MASS]})
    assert first.startswith("Stance feet skate at 333 mm/s. Pin the feet (--pin-feet)")
    assert "--mass" in second


def test_expected_accuracy_in_words():
    expected = {
        "force_percent_bw": {"vertical": 3.3, "forward": 1.3, "sideways": 0.6},
        "pressure_mm": 15.2,
        "moment_nm_kg": {"hip": 0.12, "knee": 0.23, "ankle": 0.18},
        "people": 4,
    }
    summary = {"quality": {"expected": expected}, "activity": "walking", "forces": "predicted"}
    assert expected_words(summary) == (
        "expect errors of 3.3 / 1.3 / 0.6 % of weight, pressure 15 mm, moments 0.12–0.23 N·m/kg in "
        "walking (4 people)"
    )
    assert expected_words(summary | {"forces": "measured"}) == ""
    assert expected_words({"quality": {}}) == ""


def run(capsys, *words):
    with pytest.raises(SystemExit) as left:
        main([str(word) for word in words])
    assert left.value.code == 0
    return capsys.readouterr().out


def test_a_run_ends_with_a_line_a_clip(capsys, tmp_path):
    files = folders.SAMPLES / "walk.bvh", folders.SAMPLES / "run.bvh"
    words = ("run", *files, "-o", tmp_path, "--tables", "core", "--no-report")
    lines = run(capsys, *words).splitlines()
    assert [line.partition(":")[0] for line in lines[-2:]] == ["walk.bvh", "run.bvh"]
    assert re.fullmatch(r"walk\.bvh: A, plausible\. .*-> \S+walk", lines[-2])
    assert sum(line.startswith("walk.bvh: ") for line in lines[:-2]) <= 3
    wordy = run(capsys, *words, "-v")
    assert "Stature is not known" in wordy
    rows = json.loads(run(capsys, *words, "--json"))
    assert rows[0]["grade"] == "A"
    assert [row["activity"] for row in rows] == ["walking", "running"]
    assert rows[0]["notes"][0].startswith("Mass is not known")
