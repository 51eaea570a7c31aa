"""Names and paths: whatever a joint or a file is called, pages are inert and OUT is not left."""

import csv
import json
import os
import re
import subprocess
import sys
from html.parser import HTMLParser
from pathlib import Path

import pandas as pd
import pytest

import mocap_reroot as mr
from mocap_reroot.resources import clips
from mocap_reroot.resources.clips import find_clips
from tests.fuzz.seeds import ROOT
from tests.hostile.made import Clip

NAMES = {
    "Hips": "../../hips",
    "Spine": "</script><script>alert(1)</script>",
    "Chest": "=cmd()|'/c calc'!A1",
    "Neck": "-2+3",
    "Head": '"quoted" & <b>bold</b>',
    "LeftArm": "\x1b[31mred\x07",
    "LeftForeArm": "n" * 10_000,
    "LeftHand": "🦶🏽",
    "RightArm": "\u202egnorw",
    "RightForeArm": "__class__",
    "RightHand": "@SUM(A1:A9)",
    "LeftFoot": "residual",
    "LeftLeg": "a/b\\c",
    "RightLeg": "$(7*7) %s %n",
    "RightFoot": "'; DROP TABLE bodies; --",
    "LeftToeBase": "onerror=alert(1) x='",
}


@pytest.fixture(scope="module")
def saved(tmp_path_factory):
    folder = tmp_path_factory.mktemp("names")
    (folder / "in").mkdir()
    path = folder / "in" / "clip.bvh"
    path.write_text(Clip().text(NAMES))
    analysis = mr.analyze(path, mass=70.0, format=("parquet", "csv", "sto"))
    analysis.save(folder / "out" / "clip")
    return folder, analysis


def test_nothing_is_written_outside_the_folder(saved):
    folder, _ = saved
    assert {p.name for p in folder.iterdir()} == {"in", "out"}
    assert [p.name for p in (folder / "out").iterdir()] == ["clip"]
    assert all(p.is_file() for p in (folder / "out/clip").iterdir())


def test_names_are_kept(saved):
    folder, analysis = saved
    names = set(analysis.motion.skeleton.names)
    kept = {n for n in NAMES.values() if n.isprintable()}
    assert names >= kept
    assert {"\ufffd[31mred\ufffd", "\ufffdgnorw"} <= names  # what commands a terminal is not
    torques = pd.read_parquet(folder / "out/clip/torques.parquet")
    joints = {name for name in names if f"{name}_mx" in torques}
    assert len(joints) == len(names) - 1
    assert json.loads((folder / "out/clip/summary.json").read_text())["frames"] == 120


def test_no_cell_is_a_formula(saved):
    folder, _ = saved
    files = sorted((folder / "out/clip").glob("*.csv"))
    assert len(files) > 5
    for file in files:
        with file.open(newline="", encoding="utf-8") as opened:
            for row in csv.reader(opened):
                for cell in row:
                    is_number = re.fullmatch(r"-?(\d+\.?\d*(e[-+]?\d+)?|inf)", cell)
                    assert is_number or cell[:1] not in tuple("=+-@\t\r"), (file.name, cell[:50])


def test_a_mass_table_comes_back(saved):
    folder, analysis = saved
    again = mr.body_model(analysis.motion.skeleton, bodies=folder / "out/clip/bodies.csv")
    assert again.total_mass == pytest.approx(70.0)


class _Tags(HTMLParser):
    def __init__(self):
        super().__init__()
        self.tags, self.handlers, self.addresses = [], [], []

    def handle_starttag(self, tag, attrs):
        self.tags.append(tag)
        self.handlers += [name for name, _ in attrs if name.startswith("on")]
        self.addresses += [v for name, v in attrs if name in ("src", "href") and v]


def _tags(page):
    parser = _Tags()
    parser.feed(page)
    return parser


def test_the_report_is_inert(saved, tmp_path):
    folder, _ = saved
    page = (folder / "out/clip/report.html").read_text(encoding="utf-8")
    assert "<script>alert(1)" not in page
    plain = tmp_path / "clip.bvh"
    plain.write_text(Clip().text())
    mr.analyze(plain, mass=70.0).save(tmp_path / "out")
    found, usual = _tags(page), _tags((tmp_path / "out/report.html").read_text(encoding="utf-8"))
    assert found.tags.count("script") == usual.tags.count("script")
    assert found.tags.count("b") == usual.tags.count("b")
    assert found.handlers == usual.handlers
    assert not [a for a in found.addresses if a.startswith(("http", "//", "javascript"))]


def test_terminals_are_not_commanded(saved):
    folder, _ = saved
    command = [sys.executable, "-m", "mocap_reroot.cli"]
    clip = folder / "in/clip.bvh"
    for words in (["inspect", clip], ["convert", clip, "-o", folder / "bvh", "--root", "Nobody"]):
        done = subprocess.run([*command, *words], capture_output=True, timeout=120, check=False)
        assert b"Traceback" not in done.stderr
        assert b"\x1b[31mred" not in done.stdout + done.stderr
        assert b"\x07" not in done.stdout + done.stderr


STEMS = (
    "..",
    "...",
    ".hidden",
    "CON",
    "nul.txt",
    "a" * 240,
    "=cmd()",
    "<b>",
    "-rf",
    "🦶",
    "a b",
    "%2e%2e",
)


@pytest.mark.parametrize("stem", STEMS, ids=[repr(s[:10]) for s in STEMS])
def test_results_stay_below_out(tmp_path, stem):
    source = tmp_path / "in"
    source.mkdir()
    path = source / f"{stem}.bvh"
    path.write_text(Clip(frames=20).text())
    (clip,) = find_clips([path])
    out = tmp_path / "out"
    target = (out / clip.place).resolve()
    assert out.resolve() in target.parents
    command = [sys.executable, "-m", "mocap_reroot.cli", "run", path, "-o", out, "--no-report"]
    if stem in ("..", "=cmd()", "a" * 240):
        done = subprocess.run(
            [*command, "--tables", "torques,summary"], capture_output=True, text=True, timeout=120,
            check=False,
        )  # fmt: skip
        assert done.returncode == 0, done.stderr
        assert (target / "torques.parquet").is_file()
    assert {p.name for p in tmp_path.iterdir()} <= {"in", "out"}


def test_links_do_not_lead_out(tmp_path):
    (tmp_path / "in").mkdir()
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "in/link").symlink_to(tmp_path / "elsewhere")
    (tmp_path / "in/loop").symlink_to(tmp_path / "in")
    (tmp_path / "in/clip.bvh").write_text(Clip(frames=20).text())
    clips = find_clips([tmp_path / "in"])
    assert [c.place for c in clips] == [Path("clip")]


def test_the_package_runs_no_code_from_files():
    """No pickle, no eval, no shell; where a process is started, its words are a list."""
    forbidden = re.compile(
        r"\b(pickle|marshal|shelve|dill|joblib)\b|\beval\(|\bexec\(|os\.system|popen|shell=True|"
        r"allow_pickle=True|yaml\.load\(|__import__"
    )
    for file in sorted((ROOT / "mocap_reroot").rglob("*.py")):
        for number, line in enumerate(file.read_text(encoding="utf-8").splitlines(), start=1):
            found = forbidden.search(line.split("#")[0])
            words = found and not re.match(r'\s*(""")?[A-Z].*\.?("""$|$)', line)
            assert not words, f"{file.relative_to(ROOT)}:{number}: {line.strip()}"


def test_a_folder_with_other_things_is_left_alone(saved, tmp_path):
    _, analysis = saved
    (tmp_path / "thesis.docx").write_text("years of work")
    with pytest.raises(mr.MocapRerootError, match=r"holds other things, such as 'thesis\.docx'"):
        analysis.save(tmp_path)
    assert (tmp_path / "thesis.docx").read_text() == "years of work"
    (tmp_path / "recordings" / "day").mkdir(parents=True)
    with pytest.raises(mr.MocapRerootError, match="such as 'day'"):
        analysis.save(tmp_path / "recordings")
    analysis.save(tmp_path / "new")
    analysis.save(tmp_path / "new")  # our own results are replaced


def test_a_clip_beside_a_folder_of_its_name(tmp_path):
    (tmp_path / "in/walk").mkdir(parents=True)
    for name in ("in/walk.bvh", "in/walk/run.bvh"):
        (tmp_path / name).write_text(Clip(frames=20).text())
    clips = find_clips([tmp_path / "in"])
    assert sorted(str(c.place) for c in clips) == ["walk.bvh", "walk/run"]


BYTES = b"caf\xe9\xff"


@pytest.mark.parametrize("command", ["run", "batch", "inspect", "convert"])
def test_a_name_that_is_no_text(tmp_path, command):
    """Linux takes any bytes as a name; old disks hold names in Latin-1."""
    source, out = tmp_path / "in", tmp_path / "out"
    source.mkdir()
    path = os.fsencode(source) + b"/" + BYTES + b".bvh"
    with open(path, "wb") as file:  # noqa: PTH123
        file.write(Clip(frames=60).text().encode())
    bad = os.fsencode(source) + b"/bad" + BYTES + b".bvh"
    with open(bad, "wb") as file:  # noqa: PTH123
        file.write(b"rubbish")
    options = {
        "run": (path, bad, "-o", out, "--format", "csv", "--format", "sto", "--format", "parquet"),
        "batch": (source, "-o", out, "--jsonl", "--dataset", "--report", "all"),
        "inspect": (path, bad),
        "convert": (path, bad, "-o", out, "--as-is"),
    }
    words = [sys.executable, "-m", "mocap_reroot.cli", command, *options[command]]
    done = subprocess.run(words, capture_output=True, timeout=200, check=False)
    said = (done.stdout + done.stderr).decode()  # whatever is said is text
    assert done.returncode == 1, said  # one file is rubbish
    assert "bug" not in said
    assert "Traceback" not in said
    if command == "run":
        assert b"caf\\xe9\\xff.bvh" in done.stdout
        assert (out / "caf%E9%FF" / "torques.csv").is_file()
        assert mr_summary(out / "caf%E9%FF")["input"]["path"].endswith(r"caf\xe9\xff.bvh")
    if command == "batch":
        lines = [json.loads(line) for line in done.stdout.splitlines()]
        assert {line["clip"] for line in lines} == {"caf%E9%FF", "badcaf%E9%FF"}
        index = pd.read_parquet(out / "index.parquet")
        assert index["clip"].tolist() == ["caf%E9%FF"]
        assert (out / "caf%E9%FF" / "torques.parquet").is_file()
        assert "rubbish" not in pd.read_csv(out / "failures.csv").kind.tolist()
    if command == "convert":
        assert (out / "caf%E9%FF.bvh").is_file()


def mr_summary(folder):
    return json.loads((folder / "summary.json").read_text(encoding="utf-8"))


@pytest.mark.parametrize("encoding", ["ascii", "latin-1", "utf-8"])
def test_terminals_of_other_encodings(tmp_path, encoding):
    (tmp_path / "🦶.bvh").write_text(Clip(frames=30).text())
    words = [sys.executable, "-m", "mocap_reroot.cli", "inspect", tmp_path / "🦶.bvh"]
    environment = {**os.environ, "PYTHONIOENCODING": encoding}
    done = subprocess.run(words, capture_output=True, timeout=100, check=False, env=environment)
    assert done.returncode == 0, done.stderr


def test_names_of_clips_that_collide():
    """Two clips never share a folder, and none lies in another's."""
    names = ["a/walk.bvh", "b/walk.bvh", "walk.bvh-2.bvh", "walk.bvh-2.c3d", "index.html.trc"]
    found = {Path(name): Path(Path(name).name) for name in names}
    places = [str(clip.place) for clip in clips._places(found)]
    assert len({place.lower() for place in places}) == 5
    assert "index.html.trc" in places
    long = Path(os.fsdecode(b"\xff" * 250 + b".bvh"))
    (clip,) = clips._places({long: long})
    assert len(os.fsencode(clip.place)) <= 255
    assert clips.is_below("a/b")
    assert not any(map(clips.is_below, ("", "/a", "../a", "a/../../b")))
