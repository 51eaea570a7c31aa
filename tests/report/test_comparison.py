"""compare: differences that are known beforehand."""

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
    table = compare_runs(folders.walk(), run).table.set_index(["what", "name"])
    torques = pd.read_parquet(folders.walk() / "torques.parquet")
    for joint in ("LeftLeg", "RightArm"):
        size = np.linalg.norm(torques[[f"{joint}_m{a}" for a in "xyz"]], axis=1)
        row = table.loc[("torque", joint)]
        assert row["rmse"] == pytest.approx(0.1 * np.sqrt((size**2).mean()))
        assert row["peak_difference"] == pytest.approx(0.1 * size.max())
        assert row["r"] == pytest.approx(1)


def test_a_delayed_run_is_late_by_the_delay(tmp_path):
    run = changed(tmp_path, lambda torques: np.roll(torques, 3, axis=0))
    table = compare_runs(folders.walk(), run).table.set_index(["what", "name"])
    assert table.loc[("torque", "LeftLeg"), "peak_shift_s"] == pytest.approx(0.03)


def test_table_and_page_are_written(tmp_path):
    comparison = compare_runs(folders.walk(), folders.walk())
    page = write_comparison(comparison, tmp_path / "out")
    assert page.read_text().count("<script") == 3
    again = pd.read_csv(tmp_path / "out" / "comparison.csv")
    pd.testing.assert_frame_equal(again, comparison.table, check_dtype=False)
    assert "LeftLeg" in in_words(comparison)


def test_two_clips_with_no_joint_in_common_are_refused():
    with pytest.raises(MocapRerootError, match="no joint in common"):
        compare_runs(folders.walk(), folders.plates())
