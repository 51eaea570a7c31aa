"""index.html and comparison.html in a real browser."""

import shutil

import pandas as pd
import pytest

from mocap_reroot.comparison import compare_runs, write_comparison
from mocap_reroot.report.index_page import write_index_page
from tests.report import folders


@pytest.fixture
def batch(tmp_path):
    shutil.copytree(folders.walk(), tmp_path / "walk")
    shutil.copytree(folders.plates(), tmp_path / "plates")
    pd.DataFrame(
        {
            "clip": ["plates", "walk", "<b>lost"], "file": ["p.c3d", "w.bvh", "l.bvh"],
            "grade": ["A", "B", "C"], "grade_reasons": ["", "it skates", "it flies"],
            "seconds": [2.4, 3.6, 12.0], "mass": [70.0, 70.0, 60.0], "phases": [14, 21, 3],
        }
    ).to_parquet(tmp_path / "index.parquet")  # fmt: skip
    return tmp_path


CLIPS = "() => [...document.querySelectorAll('#clips tbody th')].map((e) => e.textContent)"


def test_sorts_filters_and_leads_to_reports(visit, batch):
    page = visit(write_index_page(batch))
    assert page.ask(CLIPS) == ["<b>lost", "plates", "walk"]
    page.tab.click("#clips thead button:text-is('Length (s)')")
    assert page.ask(CLIPS) == ["<b>lost", "walk", "plates"]
    assert (
        page.ask("() => document.querySelector('[aria-sort=descending]').textContent")
        == "Length (s)"
    )
    page.tab.fill("#filter", "skates")
    assert page.ask(CLIPS) == ["walk"]
    page.tab.fill("#filter", "")
    page.tab.click("#grades button:text-is('A')")
    assert page.ask(CLIPS) == ["plates"]
    assert page.tab.inner_text("#count") == "1 of 3 clips"
    page.tab.click("#grades button:text-is('A')")
    assert page.ask("() => document.querySelectorAll('svg.spark').length") == 2
    page.picture("index")
    page.check_quiet()
    page.tab.click("#clips a:text-is('walk')")
    page.tab.wait_for_selector("body[data-ready]", timeout=60_000)
    assert page.tab.inner_text("h1") == "walk.bvh"


def test_five_thousand_clips_stay_fluid(visit, tmp_path):
    """500 rows are drawn until all are asked for; filters look at every one."""
    many = 5000
    pd.DataFrame(
        {
            "clip": [f"s{k % 40:02d}/{'walk' if k % 4 else 'run'}{k:04d}" for k in range(many)],
            "file": ["x.bvh"] * many, "grade": ["ABCD"[k % 4] for k in range(many)],
            "grade_reasons": [""] * many, "seconds": [1.0 + k % 7 for k in range(many)],
            "activity": ["walking" if k % 4 else "running" for k in range(many)],
        }
    ).to_parquet(tmp_path / "index.parquet")  # fmt: skip
    page = visit(write_index_page(tmp_path))
    assert len(page.ask(CLIPS)) == 500
    page.tab.fill("#filter", "walk")
    assert page.tab.inner_text("#count") == f"{many * 3 // 4} of {many} clips"
    page.tab.fill("#filter", "run")
    assert page.tab.inner_text("#count") == f"{many // 4} of {many} clips"
    page.tab.click("#all")
    assert len(page.ask(CLIPS)) == many // 4
    page.check_quiet()


@pytest.mark.parametrize("width", [390, 1400])
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_fits_the_screen_in_both_colour_schemes(visit, batch, width, scheme):
    page = visit(write_index_page(batch), width)
    page.tab.emulate_media(color_scheme=scheme)
    beyond = """() => {
      const edge = document.querySelector('section').getBoundingClientRect().right;
      return [...document.querySelectorAll('section > p, .controls, .controls *')]
        .filter((e) => e.getBoundingClientRect().right > edge).map((e) => e.id || e.textContent);
    }"""
    assert page.ask(beyond) == []
    assert page.ask("() => document.documentElement.scrollWidth <= innerWidth")
    brightness = """(what) => getComputedStyle(document.querySelector('section'))[what]
      .match(/\\d+/g).slice(0, 3).map(Number).reduce((a, b) => a + b)"""
    paper, ink = (page.ask(brightness, what) for what in ("backgroundColor", "color"))
    assert (paper < ink) == (scheme == "dark")
    page.picture(f"index-{width}-{scheme}")
    page.check_quiet()


def test_comparison_draws_the_joint_that_is_picked(visit, tmp_path):
    comparison = compare_runs(folders.walk(), folders.walk())
    page = visit(write_comparison(comparison, tmp_path))
    title = "() => document.getElementById('curves').layout.title.text"
    first = page.ask(title)
    page.tab.select_option("#which", label="right foot, force")
    page.until("() => document.getElementById('curves').layout.title.text.startsWith('right foot')")
    assert first.startswith("left hip")
    page.picture("comparison", whole=True)
    page.check_quiet()
