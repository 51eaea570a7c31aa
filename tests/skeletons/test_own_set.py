"""A marker set of one's own, as docs/marker-sets.md tells to write it."""

import json
from pathlib import Path

import numpy as np
import pytest

from mocap_reroot.cli import main
from mocap_reroot.skeletons import markersets
from sample_data.balance import Truth
from tests.skeletons.laboratories import Laboratory, recording, write_trc

PAGE = Path(__file__).parents[2] / "docs" / "marker-sets.md"
GERMAN = Laboratory(
    "the page",
    "our-laboratory",
    {"SIAS_{s}": "asis", "SIPS_{s}": "psis", "C7": "c7", "Jugulum": "notch",
     "Knie_aussen_{s}": "lateral knee", "Knie_innen_{s}": "medial knee",
     "Knoechel_{s}": "lateral ankle", "Ferse_{s}": "heel", "MFK2_{s}": "second metatarsal",
     "Schulter_{s}": "acromion"},
    sides=("li", "re"),
)  # fmt: skip


def inspected(capsys: pytest.CaptureFixture[str], *words: object) -> tuple[int, str, str]:
    """Return the exit code of ``inspect`` and what it said, on both channels."""
    with pytest.raises(SystemExit) as end:
        main(["inspect", *map(str, words)])
    return int(end.value.code or 0), *capsys.readouterr()


def test_the_page_names_every_set_and_landmark() -> None:
    page = PAGE.read_text(encoding="utf-8")
    known = {*markersets.names(), *markersets.MIDDLE, *markersets.SIDED, *markersets.SEGMENTS}
    assert [word for word in known if f"`{word}`" not in page] == []


def test_the_example_of_the_page_works(
    recorded_walk: tuple[Path, Truth], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    walk, mine = tmp_path / "walk.trc", tmp_path / "mine.toml"
    write_trc(walk, recording(GERMAN, recorded_walk[1]))
    example = PAGE.read_text(encoding="utf-8").split("```toml\n")[1].split("```")[0]
    mine.write_text(example, encoding="utf-8")
    code, _, said = inspected(capsys, walk)
    assert code == 1 and "docs/marker-sets.md" in said
    code, told, _ = inspected(capsys, walk, "--json", "--markerset", mine)
    assert code == 0
    page = json.loads(told)
    assert page["convention"] == "our-laboratory" and page["up"] == "z"
    assert page["feet"] == ["left_foot", "right_foot"]


UNITS = {"m": 1.0, "mm": 1e-3, "cm": 1e-2, "Centimeters": 1e-2, "millimetres": 1e-3}


@pytest.mark.parametrize("unit", UNITS)
def test_units_and_axes_of_a_trc(
    recorded_walk: tuple[Path, Truth],
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    unit: str,
) -> None:
    walk, mine = tmp_path / "walk.trc", tmp_path / "mine.toml"
    to_y_up = np.array([[1.0, 0, 0], [0, 0, 1], [0, -1, 0]])
    write_trc(walk, recording(GERMAN, recorded_walk[1]), unit, to_y_up / UNITS[unit])
    mine.write_text(PAGE.read_text(encoding="utf-8").split("```toml\n")[1].split("```")[0])
    page = json.loads(inspected(capsys, walk, "--json", "--markerset", mine)[1])
    assert page["up"] == "y" and page["unit_scale"] == UNITS[unit]
    shank = next(body for body in page["bodies"] if body["body"] == "left_shank")
    assert shank["length"] == pytest.approx(0.245 * 1.75, abs=0.01)  # m, of the thigh
