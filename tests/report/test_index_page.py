"""index.html of a batch: every row of index.parquet, links that lead somewhere."""

import json
import shutil

import pandas as pd
import pytest

from mocap_reroot import MocapRerootError
from mocap_reroot.report.index_page import write_index_page, write_worst_reports

from . import folders


@pytest.fixture
def batch(tmp_path):
    """Two clips, one with a hostile name, and a failure."""
    clips = ["a/walk", "<script>alert(3)</script>"]
    shutil.copytree(folders.walk(), tmp_path / clips[0])
    frame = pd.DataFrame(
        {
            "clip": clips, "file": clips, "grade": ["A", "C"], "grade_reasons": ["", "it skates"],
            "seconds": [3.6, 1.0], "mass": [70.0, 60.0], "quality_foot_skate_mm_s": [5.0, None],
        }
    )  # fmt: skip
    frame.to_parquet(tmp_path / "index.parquet")
    failed = pd.DataFrame(
        [["<img src=x>.bvh", "read", "is empty"]], columns=["file", "stage", "reason"]
    )
    failed.to_csv(tmp_path / "failures.csv", index=False)
    return tmp_path


def test_rows_links_and_sparklines(batch):
    page = write_index_page(batch).read_text()
    data = json.loads(page.split('id="data">')[1].split("</script>")[0])
    assert [row[0] for row in data["rows"]] == ["a/walk", "<script>alert(3)</script>"]
    assert data["links"] == ["a/walk/report.html", ""]
    assert (batch / data["links"][0]).is_file()
    grf = pd.read_parquet(batch / "a" / "walk" / "grf.parquet")
    mean = (grf["LeftFoot_fy"] + grf["RightFoot_fy"]).mean() / (70 * 9.80665)
    assert sum(data["sparks"][0]) / len(data["sparks"][0]) == pytest.approx(mean, abs=2e-3)
    assert data["sparks"][1] == []
    assert "2 clips, 0.1 minutes of motion, 1 failed." in page
    assert "<img src=x>" not in page
    assert page.count("<script") == 3


def test_an_empty_batch_has_a_page_too(tmp_path):
    empty = pd.DataFrame({"clip": pd.Series(dtype=str), "file": pd.Series(dtype=str)})
    empty.to_parquet(tmp_path / "index.parquet")
    assert "0 clips" in write_index_page(tmp_path).read_text()


def test_a_folder_without_index_is_refused(tmp_path):
    with pytest.raises(MocapRerootError, match="cannot be read"):
        write_index_page(tmp_path)


def test_reports_of_the_worst_are_written_and_linked(tmp_path):
    grades = {"good": "A", "fair": "B", "poor": "C", "worst": "D", "silent": "–"}
    for clip in grades:
        shutil.copytree(folders.walk(), tmp_path / clip)
        (tmp_path / clip / "report.html").unlink()
    rows = [{"clip": c, "grade": g, "grade_reasons": "", "mass": 70.0} for c, g in grades.items()]
    pd.DataFrame(rows).to_parquet(tmp_path / "index.parquet")

    def written():
        return sorted(page.parent.name for page in tmp_path.glob("*/report.html"))

    write_worst_reports(tmp_path, 1)
    assert written() == ["worst"]
    write_worst_reports(tmp_path)
    assert written() == ["poor", "worst"]
    write_worst_reports(tmp_path, 99)
    assert written() == ["fair", "good", "poor", "worst"]  # what was not judged is not the worst
    page = write_index_page(tmp_path).read_text(encoding="utf-8")
    assert '"silent/report.html"' not in page and '"worst/report.html"' in page
