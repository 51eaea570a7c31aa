"""The map of the house is true: rooms name their files, the map names rooms, hops and modules."""

from __future__ import annotations

import ast
import importlib.util
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
PACKAGE = ROOT / "mocap_reroot"
HOUSE = ROOT / "docs" / "house.md"
ROOMS = sorted(path.parent.name for path in PACKAGE.glob("*/__init__.py"))


def modules(folder: Path) -> set[str]:
    return {path.stem for path in folder.glob("*.py") if not path.stem.startswith("__")}


@pytest.mark.parametrize("room", ROOMS)
def test_a_room_names_its_files(room):
    text = (PACKAGE / room / "__init__.py").read_text(encoding="utf-8")
    named = set(re.findall(r"``(\w+)``", text))
    assert modules(PACKAGE / room) - named == set()


def test_the_map_names_every_room_and_every_file_of_the_corridor():
    text = HOUSE.read_text(encoding="utf-8")
    rooms = {path.parent.name for path in PACKAGE.glob("*/__init__.py")}
    assert rooms == set(re.findall(r"^\| `(\w+)/` \|", text, re.M))
    assert modules(PACKAGE) <= set(re.findall(r"`(\w+)\.py`", text))


def test_files_that_the_map_begins_with_are_there():
    text = HOUSE.read_text(encoding="utf-8")
    for room, _, begin in re.findall(r"^\| `(\w+)/` \|(.*)\|([^|]*)\|$", text, re.M):
        for name in re.findall(r"`(\w+\.py)`", begin):
            assert (PACKAGE / room / name).is_file()


def test_hops_of_the_walk_are_there():
    walk = HOUSE.read_text(encoding="utf-8").partition("## A walk")[2].partition("| room |")[0]
    hops = re.findall(r"`((?:\w+/)?\w+\.py)`(?:\s+`(\w+)`)?(?:\s+→\s+`(\w+)`)?", walk)
    assert sum(bool(function) for _, function, _ in hops) > 15
    for file, *functions in hops:
        tree = ast.parse((PACKAGE / file).read_text(encoding="utf-8"))
        defined = {node.name for node in tree.body if isinstance(node, ast.FunctionDef)}
        assert set(functions) - {""} <= defined, file


def test_what_is_looked_for_is_where_the_map_has_it():
    rows = HOUSE.read_text(encoding="utf-8").partition("## Where is")[2].partition("## ")[0]
    for row in re.findall(r"^\| [^|]+ \| (.*?)$", rows, re.M)[1:]:
        names = re.findall(r"`([^`]+)`", row)
        paths = [PACKAGE / name for name in names if "/" in name or "." in name[-5:]]
        assert all(path.exists() for path in paths), row
        text = "".join(path.read_text(encoding="utf-8") for path in paths if path.is_file())
        for name in names:
            if PACKAGE / name not in paths:
                assert all(part in text for part in name.split(".")), name


def test_a_module_says_in_one_line_what_it_does():
    for path in PACKAGE.rglob("*.py"):
        text = ast.get_docstring(ast.parse(path.read_text(encoding="utf-8"))) or ""
        first, _, rest = text.partition("\n")
        assert first.endswith(".") and not rest.partition("\n")[0], path


def test_the_list_of_modules_is_up_to_date():
    spec = importlib.util.spec_from_file_location("make", ROOT / "docs" / "reference" / "make.py")
    make = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(make)
    text = HOUSE.read_text(encoding="utf-8")
    assert text == make.house(), "run python docs/reference/make.py"
    listed = re.findall(r"^\| `(\w+)\.py` \| ", text.partition(make.MODULES)[2], re.M)
    assert len(listed) == len([p for p in PACKAGE.rglob("*.py") if not p.stem.startswith("__")])
