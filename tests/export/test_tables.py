"""Tables on disk are the DataFrames of the API: same columns, same numbers, empty where unknown."""

from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import mocap_reroot as mr
from mocap_reroot import schema
from mocap_reroot.export import tables
from mocap_reroot.export.tables import write_csv, write_table
from mocap_reroot.schema import Tables

SAMPLES = Path(__file__).resolve().parents[2] / "sample_data"


@pytest.fixture(scope="module")
def analysis():
    return mr.analyze(SAMPLES / "run.bvh", mass=70.0, report=False)


@pytest.fixture(scope="module")
def folder(analysis, tmp_path_factory):
    out = tmp_path_factory.mktemp("out") / "run"
    analysis.save(out)
    return out


@pytest.mark.parametrize("name", ["torques", "reactions", "grf", "contacts", "kinematics"])
def test_files_hold_the_data_frames(analysis, folder, name):
    on_disk = pd.read_parquet(folder / f"{name}.parquet")
    pd.testing.assert_frame_equal(on_disk, analysis.table(name), check_exact=True)


@pytest.mark.parametrize("name", ["bodies", "phases", "events"])
def test_small_tables_survive_csv(analysis, folder, name):
    csv = folder / f"{name}.csv"
    on_disk = pd.read_csv(csv, keep_default_na=False, float_precision="round_trip")
    pd.testing.assert_frame_equal(on_disk, analysis.table(name), check_exact=True)


@pytest.mark.parametrize("name", ["anatomy", "rooted_tree", "plates"])
def test_every_table_is_a_property(analysis, folder, name):
    found = getattr(analysis, name)
    if name == "plates":
        assert found is None  # this file has none
    else:
        pd.testing.assert_frame_equal(found, analysis.table(name))


def test_unknown_tables_are_told(analysis):
    with pytest.raises(mr.MocapRerootError, match="Did you mean 'torques'"):
        analysis.table("torque")


def test_data_frames_are_copies(analysis):
    table = analysis.torques
    before = analysis.dynamics.torque.copy()
    table.iloc[:, 7:] = 0.0
    np.testing.assert_array_equal(analysis.dynamics.torque, before)


def test_nan_is_empty_and_columns_say_what_they_are(folder):
    table = pq.read_table(folder / "grf.parquet")
    pressure = next(f for f in table.schema if f.name.endswith("_px"))
    assert pressure.metadata[b"unit"] == b"m"
    assert b"centre of pressure" in pressure.metadata[b"meaning"]
    assert table[pressure.name].null_count > 0  # the runner flies
    assert not np.isnan(table[pressure.name].drop_null().to_numpy()).any()
    assert all(f.metadata for f in table.schema)


def test_columns_are_views(analysis):
    columns = schema.columns_of("torques", analysis.dynamics)
    name = analysis.dynamics.joint_names[3]
    assert np.shares_memory(columns[f"{name}_my"], analysis.dynamics.torque)


def test_csv_is_what_pandas_writes(tmp_path):
    columns = {
        "frame": np.arange(3),
        "value": np.array([0.1, np.nan, 1e-17]),
        "on": np.array([True, False, True]),
        "word": np.array(['say "yes"', "a,b", ""], dtype=object),
    }
    write_csv(columns, tmp_path / "ours.csv")
    pd.DataFrame(columns).to_csv(tmp_path / "theirs.csv", index=False, lineterminator="\n")
    assert (tmp_path / "ours.csv").read_text() == (tmp_path / "theirs.csv").read_text()


def test_no_spreadsheet_runs_a_name(tmp_path):
    write_csv({"=cmd()": ["+1", "-1", "fine"]}, tmp_path / "table.csv")
    assert (tmp_path / "table.csv").read_text() == "'=cmd()\n'+1\n-1\nfine\n"


def test_words_stay_words_when_all_are_empty(tmp_path):
    write_table({"flag": np.array([None, None])}, tmp_path / "t.parquet", "grf")
    assert pq.read_schema(tmp_path / "t.parquet").field("flag").type == pa.string()


@pytest.mark.parametrize("name", ["torques", "kinematics", "rooted"])
def test_row_groups_hold_the_whole_table(analysis, folder, tmp_path, monkeypatch, name):
    monkeypatch.setattr(tables, "_GROUP", 9_000)
    analysis.save(tmp_path / "run")
    path = tmp_path / "run" / f"{name}.parquet"
    assert pq.ParquetFile(path).num_row_groups > 2
    assert pq.read_table(path).equals(pq.read_table(folder / path.name), check_metadata=True)


def test_tables_are_made_when_asked_for():
    asked = []

    def make():
        asked.append(1)
        return {"frame": np.arange(3)}

    made = Tables({"some": make, "none": lambda: None, "frame": {"a": [1]}})
    assert not asked
    assert list(made["some"].frame) == [0, 1, 2]
    assert made["some"] is made["some"]
    assert asked == [1]
    assert "none" not in made
    assert made.noun("none") is None
    assert made.get("nothing") is None
    assert list(made) == ["some", "frame"]
    assert len(made) == 2
