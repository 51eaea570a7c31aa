"""The schema says all there is about tables: what they hold, what that means, where it is from."""

import json
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow.parquet as pq
import pytest

import mocap_reroot as mr
from mocap_reroot import schema
from mocap_reroot.export.tables import write_in
from mocap_reroot.schema import Column, Each, Table
from tests.importers.osim_texts import model_3x, write_coordinates

SAMPLES = Path(__file__).resolve().parents[2] / "sample_data"


@pytest.fixture(scope="module")
def analyses(tmp_path_factory):
    walk = mr.analyze(SAMPLES / "walk.c3d", forces="measured", band=True, normalise="kg")
    folder = tmp_path_factory.mktemp("model")
    (folder / "model.osim").write_text(model_3x())
    write_coordinates(folder / "swing.mot")
    swing = mr.analyze(folder / "swing.mot", model=folder / "model.osim")
    return walk, swing, mr.analyze(SAMPLES / "run.bvh", mass=70.0, height=1.7, normalise="bwh")


@pytest.mark.parametrize("name", schema.TABLES)
def test_every_column_is_told(analyses, name):
    tables = [table for a in analyses if (table := a.table(name)) is not None]
    assert tables
    layout, seen = schema.table(name), set()
    for table in tables:
        for column in table.columns:
            told = layout.find(column)
            assert told is not None, f"nobody says what {column} of {name} means"
            assert told.meaning
            seen.add(told.name)
            assert schema.describe(name, column) == told.said
    # no joint of these translates, and nothing pushes from elsewhere
    spared = {c.name for c in layout.columns if "_j" in c.name or c.name.startswith("external_")}
    assert seen >= {c.name for c in layout.columns} - spared


@pytest.mark.parametrize("name", schema.TABLES)
def test_words_are_words_and_numbers_numbers(analyses, name):
    for analysis in analyses:
        table = analysis.table(name)
        for column in [] if table is None or table.empty else table.columns:
            word = column in schema.table(name).words
            assert word == (not pd.api.types.is_numeric_dtype(table[column]))


@dataclass(frozen=True)
class Correction:
    """How a root was moved, as a noun of a table that comes later."""

    frame: np.ndarray
    shift: np.ndarray
    turn: np.ndarray | None
    limb_names: tuple[str, ...]
    push: np.ndarray


def test_a_new_table_is_one_entry(tmp_path, monkeypatch):
    entry = Table(
        "correction",
        "frame",
        "ground",
        (
            Column("frame", "1", "", "frame of the file", "frame"),
            Column("d{xyz}", "m", "world", "how far the root was moved", "shift"),
            Column("r{xyz}", "rad", "world", "how far it was turned", "turn"),
            Each("limb_names", (Column("<limb>_push", "N", "world", "how it pushes", "push"),)),
        ),
    )
    monkeypatch.setitem(schema.TABLES, "correction", entry)
    shift = np.arange(12.0).reshape(3, 4)
    noun = Correction(np.arange(4), shift, None, ("a", "b"), np.ones((2, 4)))
    table = schema.data_frame("correction", noun)
    assert list(table) == ["frame", "dx", "dy", "dz", "a_push", "b_push"]  # nobody has turned it
    assert table.dy.tolist() == [4, 5, 6, 7]
    write_in(("parquet", "csv"), noun, tmp_path, "correction")
    file = tmp_path / "correction.parquet"
    pd.testing.assert_frame_equal(pd.read_parquet(file), table)
    pd.testing.assert_frame_equal(pd.read_csv(tmp_path / "correction.csv"), table)
    told = pq.read_schema(file).field("b_push").metadata
    assert told == {b"unit": b"N", b"axes": b"world", b"meaning": b"how it pushes"}


def test_names_stand_for_several_columns():
    column = Column("<body>_m{xyz}_{lo,hi}", "N m", "body", "moment")
    ends = ("mx_lo", "mx_hi", "my_lo", "my_hi", "mz_lo", "mz_hi")
    assert column.names == tuple(f"<body>_{end}" for end in ends)
    assert column.pattern.fullmatch("Left.Foot+ (1)_mz_hi")
    assert not column.pattern.fullmatch("LeftFoot_mz")
    assert not column.pattern.fullmatch("_mz_hi")


def test_a_plain_name_goes_before_a_body_of_that_name():
    assert schema.describe("grf", "residual_fx")["meaning"].startswith("force on the capture root")
    assert schema.describe("grf", "hand_fx")["meaning"].startswith("ground reaction")
    assert schema.describe("grf", "nothing") == {"unit": "", "axes": "", "meaning": ""}


def test_strides_number_the_gait_and_say_which_are_sound(analyses, tmp_path):
    walk, *_ = analyses
    strides = walk.table("strides")
    assert strides.stride.tolist() == list(range(walk.rooted.contacts.gait["strides"]))
    flag = walk.torques["flag"].to_numpy()
    for row in strides.itertuples():
        assert row.sound == (not any(flag[row.start_frame : row.stop_frame]))
        assert row.stop_time == row.stop_frame / walk.motion.fps
    walk.save(tmp_path / "walk")
    pd.testing.assert_frame_equal(pd.read_csv(tmp_path / "walk/strides.csv"), strides)
    assert json.loads((tmp_path / "walk/summary.json").read_text())["gait"]["strides"] > 0


def test_unknown_tables_are_named():
    with pytest.raises(mr.MocapRerootError, match="Did you mean 'torques'"):
        schema.table("torque")


def test_pandas_is_loaded_when_a_table_is_asked_for():
    code = """
import sys
sys.modules["pandas"] = None  # whoever imports it fails
import importlib.util, types
package = types.ModuleType("mocap_reroot")
package.__path__ = [sys.argv[1]]
sys.modules["mocap_reroot"] = package
import mocap_reroot.types, mocap_reroot.schema
print(len(mocap_reroot.schema.TABLES))
"""
    folder = Path(mr.__file__).parent
    told = subprocess.run([sys.executable, "-c", code, folder], capture_output=True, text=True)
    assert told.stdout.strip() == str(len(schema.TABLES)), told.stderr
