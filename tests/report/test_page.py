"""report.html: made from tables, self-contained, honest about what it shows."""

import json
import re
import shutil
from html.parser import HTMLParser

import numpy as np
import pandas as pd
import pytest

from mocap_reroot import MocapRerootError
from mocap_reroot.export.tables import write_csv
from mocap_reroot.report import packing
from mocap_reroot.report.clip_tables import read_clip
from mocap_reroot.report.page import report_html, write_report
from mocap_reroot.report.payload import payload

from . import folders


def numbers(page: str, table: str) -> list[float]:
    """Values that the cells of a table were made from, to the last digit."""
    body = page.split(f'id="{table}"')[1].split("</table>")[0]
    return [float(value) for value in re.findall(r'data-value="([^"]+)"', body)]


class Loads(HTMLParser):
    """What a page would fetch."""

    def __init__(self):
        super().__init__()
        self.found = []

    def handle_starttag(self, tag, attrs):
        for name, value in attrs:
            if name in ("src", "href", "srcset", "action") and not value.startswith(("#", "data:")):
                self.found.append((tag, value))


def test_page_stands_alone_and_is_small():
    page = (folders.walk() / "report.html").read_text()
    loads = Loads()
    loads.feed(page)
    assert loads.found == []
    assert len(page.encode()) < 3e6


def test_peaks_are_those_of_the_tables():
    page, clip = (folders.walk() / "report.html").read_text(), read_clip(folders.walk())
    grf = pd.read_parquet(folders.walk() / "grf.parquet")
    want = [grf[f"{foot}_fy"].max() for foot in clip.feet]
    assert numbers(page, "ground-peaks") == pytest.approx(want, rel=1e-12)
    torques = pd.read_parquet(folders.walk() / "torques.parquet")
    lengths = {
        joint: np.linalg.norm(torques[[f"{joint}_m{a}" for a in "xyz"]], axis=1).max()
        for joint in clip.joints
    }
    assert sorted(numbers(page, "joint-peaks")) == pytest.approx(sorted(lengths.values()))
    quality = json.loads((folders.walk() / "summary.json").read_text())["quality"]
    assert quality["foot_skate_mm_s"] in numbers(page, "quality-table")


def test_series_are_those_of_the_tables_in_single_precision():
    clip = read_clip(folders.plates())
    data = payload(clip)
    assert data["stride"] == 1
    for foot in data["feet"]:
        for key, table in (("used", "grf"), ("predicted", "predicted"), ("measured", "plates")):
            force = packing.unpack(foot[key]["force"])
            want = clip.vectors(table, foot["name"], "f")
            np.testing.assert_array_equal(force, want.astype("f4"))
    knee = next(joint for joint in data["joints"] if joint["label"] == "Knee")
    for member in knee["members"]:
        column = clip["anatomy"][f"{member['side']}_knee_flexion_deg"]
        shown = packing.unpack(member["anatomy"]["flexion_deg"])
        np.testing.assert_array_equal(shown, column.to_numpy("f4"))


def test_core_tables_give_a_page_without_player(tmp_path):
    folder = folders.core_only(folders.walk(), tmp_path / "core")
    page = write_report(folder).read_text()
    data = payload(read_clip(folder))
    assert data["figure"] is None
    assert all(member["turn"] is None for joint in data["joints"] for member in joint["members"])
    assert numbers(page, "ground-peaks") == numbers(
        (folders.walk() / "report.html").read_text(), "ground-peaks"
    )


def test_csv_tables_give_the_same_page(tmp_path):
    folder = tmp_path / "csv"
    shutil.copytree(folders.walk(), folder)
    for path in folder.glob("*.parquet"):
        write_csv(pd.read_parquet(path), path.with_suffix(".csv"))
        path.unlink()
    ours, theirs = payload(read_clip(folder)), payload(read_clip(folders.walk()))
    assert ours["phases"] == theirs["phases"]
    assert ours["contacts"] == theirs["contacts"]
    a, b = (packing.unpack(data["figure"]["points"]) for data in (ours, theirs))
    np.testing.assert_array_equal(a, b)


def test_same_tables_give_the_same_page():
    clip = read_clip(folders.walk())
    assert report_html(clip) == (folders.walk() / "report.html").read_text()


def test_long_clips_are_thinned_out_for_display_only_and_it_is_said(monkeypatch):
    clip = read_clip(folders.walk())
    full = report_html(clip)
    monkeypatch.setattr(packing, "MOST_FRAMES", 100)
    page, data = report_html(clip), payload(clip)
    assert data["stride"] == 4
    assert data["shown"] == 90
    assert "one frame in 4 (90 of 360)" in page
    assert "display-note" not in full
    assert numbers(page, "joint-peaks") == numbers(full, "joint-peaks")


def test_a_long_clip_with_many_bodies_fits_the_page():
    for rows in (50, 300, 1500):
        stride = packing.stride_for(500_000, rows)
        shown = -(-500_000 // stride)
        assert shown * rows * 4 <= packing.BUDGET
    assert packing.stride_for(1200, 700) == 1  # ten seconds of a hand-tracked body, in full


def test_names_from_files_stay_text():
    page = (folders.hostile() / "report.html").read_text()
    for bad in (*folders.HOSTILE.values(), folders.HOSTILE_FILE):
        assert bad in payload_text(page)
        if "<" in bad:
            assert bad not in page
    # Plotly, our scripts and the data: nothing else opens or closes a script.
    assert page.count("<script") == 3
    assert page.count("</script") == 3


def payload_text(page: str) -> str:
    data = page.split('id="data">')[1].split("</script>")[0]
    return json.dumps(json.loads(data), ensure_ascii=False).replace('\\"', '"')


def test_folders_without_results_are_refused_in_a_sentence(tmp_path):
    with pytest.raises(MocapRerootError, match=r"has no summary\.json"):
        write_report(tmp_path)
    (tmp_path / "summary.json").write_text("{}")
    with pytest.raises(MocapRerootError, match="lacks frames, fps, mass, up_vector"):
        write_report(tmp_path)
