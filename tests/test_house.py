"""The map of the house is true: rooms name their files, and the map names the rooms."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
PACKAGE = ROOT / "mocap_reroot"
ROOMS = (
    "numerics", "schema", "resources", "mechanics", "importers", "inference", "skeletons",
    "signals", "anthropometry", "contact", "ground", "rerooting", "dynamics", "export", "report",
    "papers", "batch",
)  # fmt: skip


def modules(folder: Path) -> set[str]:
    return {path.stem for path in folder.glob("*.py") if not path.stem.startswith("__")}


@pytest.mark.parametrize("room", ROOMS)
def test_a_room_names_its_files(room):
    text = (PACKAGE / room / "__init__.py").read_text(encoding="utf-8")
    named = set(re.findall(r"``(\w+)``", text))
    assert modules(PACKAGE / room) - named == set()


def test_the_map_names_every_room_and_every_file_of_the_corridor():
    text = (ROOT / "docs" / "house.md").read_text(encoding="utf-8")
    rooms = {path.parent.name for path in PACKAGE.glob("*/__init__.py")}
    assert rooms == set(re.findall(r"^\| `(\w+)/` \|", text, re.M))
    assert modules(PACKAGE) <= set(re.findall(r"`(\w+)\.py`", text))


def test_files_that_the_map_begins_with_are_there():
    text = (ROOT / "docs" / "house.md").read_text(encoding="utf-8")
    for room, _, begin in re.findall(r"^\| `(\w+)/` \|(.*)\|([^|]*)\|$", text, re.M):
        for name in re.findall(r"`(\w+\.py)`", begin):
            assert (PACKAGE / room / name).is_file()
