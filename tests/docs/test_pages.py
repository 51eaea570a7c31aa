"""What the pages say is so: snippets run, commands work, links lead on, references are new."""

from __future__ import annotations

import importlib.util
import re
import subprocess
import sys
from pathlib import Path

import pytest

from mocap_reroot.inference.naming import SEGMENTS, read_segments

ROOT = Path(__file__).resolve().parents[2]
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]
USERS = sorted((ROOT / "docs").glob("for-*.md"))
FENCE = re.compile(r"^```(\w*)\n(.*?)^```", re.MULTILINE | re.DOTALL)
COMMAND = re.compile(r"^(?:\$ )?(mocap-reroot (?!batch).*sample_data/.*)$", re.MULTILINE)


def blocks(page: Path, *languages: str) -> list[str]:
    return [text for word, text in FENCE.findall(page.read_text("utf-8")) if word in languages]


def named(items):
    return [pytest.param(*item, id=f"{item[0].stem}-{k}") for k, item in enumerate(items)]


@pytest.fixture
def workplace(tmp_path, monkeypatch) -> Path:
    """A folder with the sample data, to work in as the pages do."""
    (tmp_path / "sample_data").symlink_to(ROOT / "sample_data")
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.parametrize(
    ("page", "code"),
    named(
        (page, code)
        for page in PAGES
        for code in blocks(page, "python")
        if "sample_data" in code  # else it works on a cluster, or on a batch's results
    ),
)
def test_snippets_run(workplace, page, code) -> None:
    exec(compile(code, str(page), "exec"), {"__name__": "snippet"})


@pytest.mark.parametrize(
    ("page", "command"),
    named(
        (page, command)
        for page in PAGES
        if page not in USERS  # whose commands run one after the other
        for block in blocks(page, "", "sh")
        for command in COMMAND.findall(block)
    ),
)
def test_commands_work(workplace, page, command) -> None:
    arguments = command.split()[1:]
    done = subprocess.run(
        [sys.executable, "-m", "mocap_reroot.cli", *arguments], capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout


def test_the_segments_file_is_one(workplace) -> None:
    page = ROOT / "docs" / "reading.md"
    mine = next(t for t in blocks(page, "toml") if "[bodies]" in t)
    (workplace / "segments.toml").write_text(mine, "utf-8")
    bodies, _ = read_segments("segments.toml")
    assert bodies["Bone_07"] == "left_foot"
    told = re.search(r"Segments: (.*?)\.\n", page.read_text("utf-8"), re.DOTALL)
    words = set(re.findall(r"`(\w+)`", told[1])) - {"left_", "right_"}
    assert {s.removeprefix("left_").removeprefix("right_") for s in SEGMENTS} == words


@pytest.mark.parametrize("page", [*PAGES, *sorted((ROOT / "docs").glob("*/*.md"))], ids=str)
def test_links_lead_somewhere(page) -> None:
    for target in re.findall(r"\]\(([^)#\s]+)(?:#[^)]*)?\)", page.read_text("utf-8")):
        if "://" not in target:
            assert (page.parent / target).exists(), f"{page.name} links to {target}"


def _reference():
    spec = importlib.util.spec_from_file_location("make", ROOT / "docs" / "reference" / "make.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.mark.parametrize("name", ["options", "parameters", "tables", "names"])
def test_the_reference_is_up_to_date(name) -> None:
    make = _reference()
    assert set(make.PAGES) == {path.stem for path in make.HERE.glob("*.md")}
    told = (make.HERE / f"{name}.md").read_text("utf-8")
    assert told == make.MADE + make.PAGES[name](), "run python docs/reference/make.py"


def test_keywords_of_analyze_are_up_to_date():
    make = _reference()
    assert make.KEYWORDS.read_text("utf-8") == make.keywords(), "run python docs/reference/make.py"


@pytest.mark.parametrize("page", USERS, ids=lambda p: p.stem)
def test_six_commands_of_a_user_run_one_after_the_other(workplace, page) -> None:
    (block,) = blocks(page, "sh")
    commands = [line.split("#")[0].split() for line in block.splitlines()]
    assert len(commands) == 6
    for _, *arguments in commands:
        done = subprocess.run(
            [sys.executable, "-m", "mocap_reroot.cli", *arguments], capture_output=True, text=True
        )
        assert done.returncode == 0, (arguments, done.stderr)
