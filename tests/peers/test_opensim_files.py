"""OpenSim's own readers open what we write for it, and read our values."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import opensim
import pandas as pd
import pytest

import mocap_reroot as mr
from mocap_reroot.export.opensim import held, to_y_up, write_opensim, write_storage
from mocap_reroot.importers.mot import read_mot
from tests.conftest import ROOT

SAMPLES = ROOT / "sample_data"
AXES = "xyz"


def opened(path: Path) -> pd.DataFrame:
    """Return what OpenSim's TimeSeriesTable finds in a file."""
    table = opensim.TimeSeriesTable(str(path))
    values = table.getMatrix().to_numpy()
    found = pd.DataFrame(values, columns=list(table.getColumnLabels()))
    found.insert(0, "time", list(table.getIndependentColumn()))
    return found


@pytest.fixture(scope="module")
def walk():
    return mr.analyze(SAMPLES / "walk.bvh", mass=70.0, height=1.75)


@pytest.fixture(scope="module")
def walk_files(walk, tmp_path_factory) -> Path:
    folder = tmp_path_factory.mktemp("opensim")
    write_opensim(walk.dynamics, "walk", folder)
    return folder


def test_saving_with_sto_writes_both_files_beside_the_tables(tmp_path):
    analysis = mr.analyze(SAMPLES / "walk.c3d", format="parquet,sto", tables="core")
    analysis.save(tmp_path / "walk")
    names = {p.name for p in (tmp_path / "walk").iterdir()}
    assert {"walk_id.sto", "walk_grf.mot", "grf.parquet"} <= names


def test_moments_are_ours(walk, walk_files):
    found = opened(walk_files / "walk_id.sto")
    torques = walk.torques
    np.testing.assert_allclose(found.time, torques.time, atol=1e-9)
    ours = torques.filter(regex="_m[xyz]$")
    assert len(ours.columns) > 30
    for column in ours:
        np.testing.assert_allclose(found[f"{column}_moment"], ours[column], atol=1e-9)


@pytest.mark.parametrize(
    ("name", "column", "sense"),
    [
        ("hip_flexion_r_moment", "right_hip_flexion_moment", 1),
        ("knee_angle_l_moment", "left_knee_flexion_moment", 1),
        ("ankle_angle_r_moment", "right_ankle_dorsiflexion_moment", 1),
        ("lumbar_extension_moment", "trunk_flexion_moment", -1),
        ("arm_flex_l_moment", "left_shoulder_flexion_moment", 1),
    ],
)
def test_moments_bear_the_names_and_senses_of_opensim(walk, walk_files, name, column, sense):
    found = opened(walk_files / "walk_id.sto")
    np.testing.assert_allclose(found[name], sense * walk.table("anatomy")[column], atol=1e-9)


def test_the_older_reader_opens_them_too(walk, walk_files):
    for name in ("walk_id.sto", "walk_grf.mot"):
        storage = opensim.Storage(str(walk_files / name))
        assert storage.getSize() == len(walk.torques)
        assert not storage.isInDegrees()


def test_ground_forces_are_ours_and_the_right_foot_comes_first(walk, walk_files):
    found, grf = opened(walk_files / "walk_grf.mot"), walk.grf
    assert walk.motion.up.tolist() == [0, 1, 0]  # so that nothing is turned
    for prefix, foot in (("", "RightFoot"), ("1_", "LeftFoot")):
        loaded = grf[f"{foot}_px"].notna()
        for a in AXES:
            np.testing.assert_allclose(
                found[f"{prefix}ground_force_v{a}"], grf[f"{foot}_f{a}"], atol=1e-9
            )
            np.testing.assert_allclose(
                found.loc[loaded, f"{prefix}ground_force_p{a}"],
                grf.loc[loaded, f"{foot}_p{a}"],
                atol=1e-9,
            )
        np.testing.assert_allclose(found[f"{prefix}ground_torque_y"], grf[f"{foot}_tn"], atol=1e-9)
    assert np.isfinite(found.to_numpy()).all()


def test_forces_opensim_reads_are_near_the_truth_of_the_walk(walk_files):
    """As OpenSim would apply them: in single support the truth is unique."""
    found = opened(walk_files / "walk_grf.mot")
    truth = pd.read_parquet(SAMPLES / "walk_truth.parquet")
    single = (truth["LeftFoot_on"] != truth["RightFoot_on"]).to_numpy(copy=True)
    single[:30] = single[-30:] = False
    weight = 70 * 9.80665
    for prefix, foot in (("", "RightFoot"), ("1_", "LeftFoot")):
        mine = single & truth[f"{foot}_on"].to_numpy(bool)
        assert mine.sum() > 50
        for a in AXES:
            error = (found[f"{prefix}ground_force_v{a}"] - truth[f"{foot}_f{a}"])[mine]
            assert np.sqrt((error**2).mean()) < 0.03 * weight
            gap = (found[f"{prefix}ground_force_p{a}"] - truth[f"{foot}_p{a}"])[mine]
            assert gap.abs().median() < 0.015


def test_a_file_with_z_up_is_turned_as_opensim_turns_it(tmp_path):
    analysis = mr.analyze(SAMPLES / "walk.c3d", forces="predicted")
    grf = analysis.grf
    write_opensim(analysis.dynamics, "walk", tmp_path)
    found = opened(tmp_path / "walk_grf.mot")
    np.testing.assert_allclose(found["ground_force_vx"], grf["right_foot_fx"], atol=1e-9)
    np.testing.assert_allclose(found["ground_force_vy"], grf["right_foot_fz"], atol=1e-9)
    np.testing.assert_allclose(found["ground_force_vz"], -grf["right_foot_fy"], atol=1e-9)
    header = opensim.TimeSeriesTable(str(tmp_path / "walk_grf.mot")).getTableMetaDataString(
        "header"
    )
    assert "OpenSim y is z of the file; OpenSim z is -y of the file" in header


@pytest.mark.parametrize("up", [*np.eye(3), *-np.eye(3), np.array([0.6, 0, 0.8])])
def test_any_up_becomes_y_by_a_rotation(up):
    turn = to_y_up(up)
    np.testing.assert_allclose(turn @ up, [0, 1, 0], atol=1e-12)
    np.testing.assert_allclose(turn @ turn.T, np.eye(3), atol=1e-12)
    assert np.linalg.det(turn) == pytest.approx(1)


def test_frames_left_out_have_no_row(walk, tmp_path):
    phase, torque = np.array(walk.dynamics.phase), np.array(walk.dynamics.torque)
    phase[:5], torque[..., :5] = -1, np.nan
    torque[..., 100] = np.nan
    result = replace(walk.dynamics, phase=phase, torque=torque)
    write_opensim(result, "walk", tmp_path)
    moments, forces = opened(tmp_path / "walk_id.sto"), opened(tmp_path / "walk_grf.mot")
    assert len(moments) == len(walk.torques) - 6
    assert len(forces) == len(walk.torques) - 5
    assert forces.time[0] == pytest.approx(5 / walk.motion.fps)


def test_our_own_reader_takes_the_ground_forces_back(walk, walk_files):
    plates = read_mot(walk_files / "walk_grf.mot")
    total = walk.grf[[f"{foot}_fy" for foot in ("RightFoot", "LeftFoot")]].to_numpy()
    np.testing.assert_allclose(plates.force[:, 1], total.T, atol=1e-8)


def test_pressures_are_held_from_the_nearest_frame():
    place = np.full((3, 6), np.nan)
    place[:, 1], place[:, 4] = 1.0, 4.0
    np.testing.assert_array_equal(held(place)[0], [1, 1, 1, 4, 4, 4])
    np.testing.assert_array_equal(held(np.full((3, 2), np.nan)), 0)


def test_names_with_blanks_and_notes_with_equals_signs_survive(tmp_path):
    table = pd.DataFrame({"time": [0.0, 0.1], "Left Foot_mx_moment": [1.5, -2.25]})
    write_storage(table, tmp_path / "a.sto", ["mass = 70"])
    assert opened(tmp_path / "a.sto")["Left_Foot_mx_moment"].tolist() == [1.5, -2.25]
