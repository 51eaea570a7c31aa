"""compare: differences that are known beforehand."""

import json
import re
import shutil
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from mocap_reroot import MocapRerootError
from mocap_reroot.comparison import compare_runs, in_words, write_comparison

from . import folders


def changed(tmp_path: Path, change) -> Path:
    """A copy of the walk whose torques were put through a function of the columns."""
    folder = tmp_path / "changed"
    shutil.copytree(folders.walk(), folder)
    table = pd.read_parquet(folder / "torques.parquet")
    columns = [c for c in table.columns if c[-3:] in ("_mx", "_my", "_mz")]
    table[columns] = change(table[columns].to_numpy())
    table.to_parquet(folder / "torques.parquet")
    return folder


def test_a_run_equals_itself():
    table = compare_runs(folders.walk(), folders.walk()).table
    assert table["rmse"].max() == 0
    assert table["peak_shift_s"].abs().max() == 0
    assert table["r"].min() == pytest.approx(1)
    assert set(table["what"]) == {"torque", "force"}


def test_a_scaled_run_is_off_by_the_scale(tmp_path):
    run = changed(tmp_path, lambda torques: 1.1 * torques)
    table = compare_runs(folders.walk(), run).table.set_index(["what", "body"])
    torques = pd.read_parquet(folders.walk() / "torques.parquet")
    for joint in ("LeftLeg", "RightArm"):
        size = np.linalg.norm(torques[[f"{joint}_m{a}" for a in "xyz"]], axis=1)
        row = table.loc[("torque", joint)]
        assert row["rmse"] == pytest.approx(0.1 * np.sqrt((size**2).mean()))
        assert row["peak_difference"] == pytest.approx(0.1 * size.max())
        assert row["r"] == pytest.approx(1)


def test_a_delayed_run_is_late_by_the_delay(tmp_path):
    run = changed(tmp_path, lambda torques: np.roll(torques, 3, axis=0))
    table = compare_runs(folders.walk(), run).table.set_index(["what", "body"])
    assert table.loc[("torque", "LeftLeg"), "peak_shift_s"] == pytest.approx(0.03)


def test_table_and_page_are_written(tmp_path):
    comparison = compare_runs(folders.walk(), folders.walk())
    page = write_comparison(comparison, tmp_path / "out")
    assert page.read_text().count("<script") == 3
    again = pd.read_csv(tmp_path / "out" / "comparison.csv")
    pd.testing.assert_frame_equal(again, comparison.table, check_dtype=False)
    words = in_words(comparison)
    assert re.search(r"left knee torque \(N·m\) +0\.0 +0 +1\.00 +\d+ +\d+ +0 +0\.00", words)
    assert "LeftLeg" not in words


def test_two_clips_with_no_joint_in_common_are_refused(tmp_path):
    sized = json.loads((folders.walk() / "summary.json").read_text())
    same = {key: sized[key] for key in ("input", "frames", "fps")}
    with pytest.raises(MocapRerootError, match="no joint in common"):
        compare_runs(folders.walk(), with_summary(folders.plates(), tmp_path / "other", **same))


def with_summary(folder: Path, target: Path, **changes) -> Path:
    shutil.copytree(folder, target)
    summary = json.loads((target / "summary.json").read_text())
    (target / "summary.json").write_text(json.dumps(summary | changes))
    return target


def test_two_clips_are_refused_or_marked(tmp_path):
    other = {"path": "other.bvh", "sha256": "0"}
    longer = with_summary(folders.walk(), tmp_path / "longer", input=other, frames=500)
    with pytest.raises(MocapRerootError, match=r"different clips: walk\.bvh and other\.bvh last"):
        compare_runs(folders.walk(), longer)
    alike = with_summary(folders.walk(), tmp_path / "alike", input=other)
    assert "two files, walk.bvh and other.bvh" in compare_runs(folders.walk(), alike).notes[0]


def test_only_the_same_kind_of_force_is_compared(tmp_path):
    run = changed(tmp_path, lambda torques: torques)
    table = pd.read_parquet(run / "torques.parquet")
    torques = [c for c in table.columns if c[-3:] in ("_mx", "_my", "_mz")]
    table.loc[100:199, "source"] = "measured"
    table.loc[100:199, torques] += 50.0  # would show if it were compared
    table.to_parquet(run / "torques.parquet")
    same = compare_runs(folders.walk(), run)
    assert same.table["rmse"].max() == 0
    assert same.notes == (
        "Left out: 100 of 360 frames in which the runs have different kinds of force (measured, "
        "predicted, none).",
    )
    summary = json.loads((run / "summary.json").read_text()) | {"forces": "measured"}
    (run / "summary.json").write_text(json.dumps(summary))
    against = compare_runs(folders.walk(), run)
    knee = against.table.set_index(["what", "body"]).loc[("torque", "LeftLeg")]
    assert knee["rmse"] == pytest.approx(50 * np.sqrt(3))
    assert knee["frames"] == 100
    assert "compared are the 100 of 360 frames" in against.notes[0]
