"""The last net: what is no number is flagged, in every table, however it came about."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

import mocap_reroot as mr
from mocap_reroot import schema
from mocap_reroot.schema.frames import sound
from tests.fuzz.oracle import silent_nonsense
from tests.hostile.made import Clip


def _table(**columns):
    return {"frame": np.arange(4), "flag": np.array(["", "", "gap", ""], object)} | columns


def test_rows_without_numbers_are_flagged_and_infinities_emptied():
    table = _table(a=np.array([1.0, np.inf, np.nan, 4.0]), b=np.array([1.0, 2.0, 3.0, np.nan]))
    found = sound("kinematics", table)
    assert list(found["flag"]) == ["", "not_finite", "gap", "not_finite"]
    assert not np.isinf(found["a"]).any()
    assert list(table["flag"]) == ["", "", "gap", ""]  # what was given is as it was


def test_blocks_and_data_frames_are_no_exception():
    table = _table(a=np.array([1.0, -np.inf, 3.0, np.nan]))
    blocks = schema.Blocks(4, 3, lambda rows: iter([table]))
    for found in (schema.columns_of("grf", blocks), schema.data_frame("grf", table)):
        assert list(found["flag"]) == ["", "not_finite", "gap", "not_finite"]
        assert not np.isinf(np.asarray(found["a"])).any()


def test_a_light_foot_has_no_pressure_by_right():
    table = _table(foot_px=np.array([1.0, np.nan, np.nan, np.inf]))
    assert list(sound("plates", table)["flag"]) == ["", "", "gap", "not_finite"]
    assert list(sound("torques", table)["flag"]) == ["", "not_finite", "gap", "not_finite"]


def test_a_sound_table_is_passed_on_as_it_is():
    table = _table(a=np.ones(4))
    assert sound("torques", table) is table


def test_whatever_is_lost_on_the_way_marks_its_row_in_every_table(tmp_path):
    path = tmp_path / "clip.bvh"
    path.write_text(Clip().text())
    found = mr.analyze(path, mass=70.0)
    dynamics = found.dynamics
    residual = np.array(dynamics.residual_force)
    residual[0, 30] = np.nan
    torque = np.array(dynamics.torque)
    torque[3, 1, 40] = np.inf
    broken = replace(found, dynamics=replace(dynamics, residual_force=residual, torque=torque))
    acceleration = np.array(found.motion.angular_acceleration)
    acceleration[2, 0, 50] = np.inf
    motion = replace(found.motion, angular_acceleration=acceleration)
    broken = replace(broken, ground=replace(found.ground, motion=motion))
    with np.errstate(invalid="ignore"):
        assert silent_nonsense(broken) == []
        assert broken.table("grf").flag[30] == "not_finite"
        assert broken.table("torques").flag[40] == "not_finite"
        assert broken.table("kinematics").flag[50] == "not_finite"
        broken.save(tmp_path / "out")
    written = pd.read_parquet(tmp_path / "out" / "kinematics.parquet")
    assert written.flag[50] == "not_finite" and np.isfinite(written.LeftFoot_px).all()


def test_an_offset_that_overflows_is_refused(tmp_path):
    path = tmp_path / "clip.bvh"
    path.write_text(Clip().text().replace("OFFSET 0 20 0", "OFFSET 0 1e308 0"))
    with pytest.raises(mr.MocapRerootError, match=r"line .*OFFSET is 1e\+308"):
        mr.read(path)


def test_plates_say_where_nothing_was_measured(shared_data, tmp_path):
    home = shared_data / "atlas/opencap"
    trial = sorted(home.glob("*/walking1*"))[0]
    lines = (trial / "grf.mot").read_text().splitlines()
    start = next(k for k, line in enumerate(lines) if line.strip() == "endheader") + 2
    half = (len(lines) - start) // 2
    short = tmp_path / "short.mot"
    short.write_text("\n".join(lines[: start + half]) + "\n")
    found = mr.analyze(trial / "markers.trc", plates=str(short), mass=70.0)
    table = found.plates
    force = table.filter(regex="_f[xyz]$")
    assert set(table.flag[len(table) * 3 // 4 :]) == {"gap"}
    assert force[len(table) * 3 // 4 :].isna().all(axis=None)
    assert np.isfinite(force[: len(table) // 4].to_numpy()).all()
    assert silent_nonsense(found) == []


def test_the_oracle_looks_at_every_table():
    from tests.fuzz import oracle

    assert set(oracle.TABLES) == {name for name, table in schema.TABLES.items() if not table.asked}
