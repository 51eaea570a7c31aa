"""Messages: short, legible, and of use, whatever files and options hold."""

import io
import subprocess
import sys
from pathlib import Path

import pytest
from rich.console import Console

import mocap_reroot as mr
from mocap_reroot.errors import FileError, UnknownNameError, legible, quoted
from mocap_reroot.report.inspection import inspection, render
from tests.hostile.made import Clip

CLI = [sys.executable, "-m", "mocap_reroot.cli"]
SAMPLE = Path(__file__).resolve().parents[2] / "sample_data" / "run.bvh"


def complaint(*words):
    """Return the exit code of a command and what it complains of."""
    done = subprocess.run([*CLI, *map(str, words)], capture_output=True, text=True, check=False)
    assert "Traceback" not in done.stderr
    return done.returncode, done.stderr.strip()


@pytest.mark.parametrize("word", ["x" * 5000, "x y " * 2000, "\x1b[31m\x07\u202e" * 400])
@pytest.mark.parametrize("place", ["CHANNELS 3 {}", "JOINT {}", "{}", "Frames: {}"])
def test_a_file_is_quoted_within_bounds(tmp_path, word, place):
    path = tmp_path / "clip.bvh"
    text = Clip(frames=30).text()
    target = {"CHANNELS 3 {}": "CHANNELS 3", "JOINT {}": "JOINT LeftLeg", "{}": "HIERARCHY"}
    old = target.get(place, "Frames: 30")
    assert old in text
    path.write_text(text.replace(old, place.format(word), 1), encoding="utf-8")
    try:
        analysis = mr.analyze(path, mass=70.0)
    except mr.MocapRerootError as error:
        said = [str(error).replace(str(path), "")]
    else:
        said = [*analysis.summary["warnings"], *analysis.summary["repairs"]]
    for sentence in said:
        assert sentence.isprintable(), repr(sentence)
        assert max(map(len, sentence.split())) <= 201
        assert len(sentence) < 1200, len(sentence)


def test_sentences_are_legible():
    assert legible("a\x1b[31m\u202eb\n") == "a\N{REPLACEMENT CHARACTER}[31m" + "\ufffdb\ufffd"
    assert legible("found 'a b'; fine") == "found 'a b'; fine"
    cut = legible(f'found {"a b " * 100!r}; expected "{"c" * 300}" or {"d" * 300}')
    assert len(cut) < 700
    assert quoted("x" * 300) == "x" * 200 + "…"
    error = FileError("/very/" + "long" * 100, "is " + "y" * 999, todo="Mend it.")
    assert "long" * 100 in str(error)  # a path is whole
    assert "y" * 201 not in str(error)
    many = UnknownNameError("body", "nobody", ["n" * 10_000, "m"])
    assert len(str(many)) < 300
    assert str(UnknownNameError("body", "m" * 10_000, ["a"])).count("m") < 250


def test_names_are_no_pictures(tmp_path):
    path = tmp_path / ":x:.bvh"
    path.write_text(Clip(frames=30).text({"LeftFoot": ":x:", "LeftLeg": ":smiley:"}))
    motion, page = mr.read(path), io.StringIO()
    found = inspection(motion)
    found["warnings"] = [*found["warnings"], "something of ':x:' is odd"]
    render(found, Console(file=page, width=200))
    assert ":x:" in page.getvalue()
    assert "❌" not in page.getvalue()
    done = subprocess.run([*CLI, "inspect", path], capture_output=True, text=True, check=False)
    assert ":smiley:" in done.stdout
    assert "😃" not in done.stdout


@pytest.mark.parametrize("command", ["run", "batch"])
def test_no_space_is_asked_for_where_none_is_lacking(command):
    code, said = complaint(command, SAMPLE, "-o", "/proc/foo", "--mass", 70)
    assert code == 1
    assert "/proc/foo" in said
    assert "Free" not in said
    assert "Choose another" in said


@pytest.mark.parametrize("option", ["static", "plates", "segments", "bodies", "contacts"])
def test_files_that_are_not_there_are_named(tmp_path, option):
    code, said = complaint("run", SAMPLE, "-o", tmp_path / "out", f"--{option}", "nope.c3d")
    assert code == 2
    assert said == f"Error: {option} is 'nope.c3d', but there is no such file."
    assert not (tmp_path / "out").exists()
    if option in ("static", "plates", "segments"):
        with pytest.raises(mr.MocapRerootError, match=r"nope\.c3d"):
            mr.read(SAMPLE, **{option: "nope.c3d"})


@pytest.mark.parametrize("command", ["run", "batch"])
def test_tables_that_are_not_there_are_guessed(tmp_path, command):
    words = ("--tables", "grf,torqes", "-o", tmp_path / "out")
    code, said = complaint(command, SAMPLE, *words)
    assert code == 2
    assert "tables is 'torqes'; expected one of" in said
    assert said.endswith("Did you mean torques?")
    code, said = complaint("run", SAMPLE, "-o", tmp_path / "out", "--format", "parqet")
    assert said.endswith("Did you mean parquet?")
