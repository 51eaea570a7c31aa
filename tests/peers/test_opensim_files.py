"""OpenSim's own readers open what we write for it, and read our values."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import opensim
import pandas as pd
import pytest

import mocap_reroot as mr
from mocap_reroot.config import Config
from mocap_reroot.conversion import Conversion, convert_clip
from mocap_reroot.export.opensim import held, write_opensim
from mocap_reroot.export.osim import posed
from mocap_reroot.export.storage import opensim_names, to_y_up, write_storage
from mocap_reroot.importers.mot import read_mot
from mocap_reroot.resources.clips import Clip
from tests.conftest import ROOT
from tests.peers.opensim_written import projected, solved

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
    write_opensim(walk, "walk", folder)
    return folder


@pytest.fixture(scope="module")
def saved(tmp_path_factory) -> tuple[mr.Analysis, Path]:
    """A C3D with plates, z up, saved as a user would."""
    analysis = mr.analyze(SAMPLES / "walk.c3d", format="parquet,sto", tables="core", report=False)
    folder = tmp_path_factory.mktemp("saved") / "walk"
    analysis.save(folder)
    return analysis, folder


def test_saving_with_sto_writes_all_files_beside_the_tables(saved):
    names = {p.name for p in saved[1].iterdir()}
    mine = {"walk_id.sto", "walk_grf.mot", "walk_ik.mot", "walk_external_loads.xml", "walk.osim"}
    assert mine | {"walk.trc", "grf.parquet"} <= names


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
        couple = found.loc[loaded, f"{prefix}ground_torque_y"]
        np.testing.assert_allclose(couple, grf.loc[loaded, f"{foot}_tn"], atol=1e-9)
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


def test_a_file_with_z_up_is_turned_as_opensim_turns_it(saved):
    analysis, folder = saved
    grf = analysis.grf
    found = opened(folder / "walk_grf.mot")
    np.testing.assert_allclose(found["ground_force_vx"], grf["right_foot_fx"], atol=1e-9)
    np.testing.assert_allclose(found["ground_force_vy"], grf["right_foot_fz"], atol=1e-9)
    np.testing.assert_allclose(found["ground_force_vz"], -grf["right_foot_fy"], atol=1e-9)
    header = opensim.TimeSeriesTable(str(folder / "walk_grf.mot")).getTableMetaDataString("header")
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
    result = replace(walk, dynamics=replace(walk.dynamics, phase=phase, torque=torque))
    write_opensim(result, "walk", tmp_path)
    moments, forces = opened(tmp_path / "walk_id.sto"), opened(tmp_path / "walk_grf.mot")
    assert len(moments) == len(walk.torques) - 6
    assert len(forces) == len(walk.torques) - 5
    assert forces.time[0] == pytest.approx(5 / walk.motion.fps)


def test_our_own_reader_takes_the_ground_forces_back(walk, walk_files):
    plates = read_mot(walk_files / "walk_grf.mot")
    total = walk.grf[[f"{foot}_fy" for foot in ("RightFoot", "LeftFoot")]].to_numpy()
    np.testing.assert_allclose(plates.force[:, 1], total.T, atol=1e-8)


def test_the_last_pressure_is_held_and_a_landing_foot_has_its_first():
    place = np.full((3, 9), np.nan)
    place[:, 1], place[:, 6] = 1.0, 5.0
    on = np.array([1, 1, 1, 0, 0, 1, 1, 0, 0], bool)
    np.testing.assert_array_equal(held(place, on)[0], [1, 1, 1, 1, 5, 5, 5, 5, 5])
    np.testing.assert_array_equal(held(np.full((3, 2), np.nan), on[:2]), 0)


def worst(analysis: mr.Analysis, folder: Path, stem: str) -> tuple[float, float]:
    """Return how far OpenSim's solver is from our moments, of their range; and at the root, N."""
    result, pose = analysis.dynamics, posed(analysis.motion)
    ours = projected(analysis, pose)
    known = np.isfinite(result.torque[list(result.joints)]).all(axis=(0, 1)) & (result.phase >= 0)
    frames = np.flatnonzero(known)[:: max(int(known.sum()) // 50, 1)]
    theirs = solved(analysis, folder, stem, frames)
    least = 1e-6 * analysis.body.total_mass  # N·m: what is less is nothing
    apart = [
        np.abs(theirs[name] - ours[name][frames]).max() / max(np.ptp(ours[name][known]), least)
        for name in ours
    ]
    rest = (to_y_up(analysis.motion.up) @ result.residual_force)[:, frames]
    root = pose.translations(analysis.motion.skeleton.root)
    return max(apart), max(np.abs(theirs[n] - rest[c]).max() for c, n in enumerate(root))


def test_opensim_finds_our_moments_in_a_bvh(walk, walk_files):
    """With the same positions, velocities and accelerations, from the files as written."""
    apart, residual = worst(walk, walk_files, "walk")
    assert apart < 1e-6 and residual < 1e-4


def test_opensim_finds_our_moments_in_a_c3d(saved):
    apart, residual = worst(*saved, "walk")
    assert apart < 1e-6 and residual < 1e-4


@pytest.mark.parametrize(
    "clip",
    ["c3d/plug_in_gait/HC030A/HC030A05.c3d", "bvh/cmu/09_01.bvh", "bvh/cmu/16_01.bvh",
     "bvh/cmu_dynamic/143_19.bvh"],
)  # fmt: skip
def test_opensim_finds_our_moments_in_real_clips(shared_data, tmp_path, clip):
    """Plates that leave a residual, bodies that weigh nothing, jumps, a stool nobody captured."""
    analysis = mr.analyze(shared_data / clip)
    write_opensim(analysis, "clip", tmp_path)
    apart, residual = worst(analysis, tmp_path, "clip")
    assert apart < 1e-5 and residual < 1e-3


def test_opensim_finds_our_moments_in_what_is_no_person(tmp_path):
    """A crane in full turns, z up, with forbidden characters in its names."""
    t = np.arange(200) / 100
    turns = [(300 * t, 20 * np.sin(5 * t), 40 * t), (70 * np.sin(3 * t), 160 * t, 10 * t),
             (95 * np.sin(2 * t), 50 * np.cos(4 * t), -200 * t)]  # fmt: skip
    depth, lines = len(turns), []
    for k, name in enumerate(("ground", "jib/one", "jib*one")):
        words = "6 Xposition Yposition Zposition " if k == 0 else "3 "
        lines += [f"{'ROOT' if k == 0 else 'JOINT'} {name}", "{", "OFFSET 0 0.2 1.0",
                  f"CHANNELS {words}Zrotation Xrotation Yrotation"]  # fmt: skip
    lines += ["End Site", "{", "OFFSET 0 0 0.8", "}", *["}"] * depth, "MOTION"]
    rows = np.stack([0 * t, 0.3 * t, 1 + 0 * t, *(row for turn in turns for row in turn)], axis=1)
    lines += [f"Frames: {len(t)}", "Frame Time: 0.01"]
    lines += [" ".join(f"{v:.9f}" for v in row) for row in rows]
    path = tmp_path / "crane.bvh"
    path.write_text("HIERARCHY\n" + "\n".join(lines))
    analysis = mr.analyze(path, mass=500.0, any_size=True, unit="m", up="z")
    assert analysis.motion.skeleton.anatomy is None or not analysis.motion.skeleton.anatomy.human
    write_opensim(analysis, "crane", tmp_path)
    apart, residual = worst(analysis, tmp_path, "crane")
    assert apart < 1e-6 and residual < 1e-3


@pytest.mark.parametrize("kind", ["bvh", "c3d"])
def test_opensims_own_tool_runs_on_the_files_as_written(walk, walk_files, saved, kind):
    """It puts splines through the coordinates again: 2 % in interior frames."""
    analysis, folder = (walk, walk_files) if kind == "bvh" else saved
    tool = opensim.InverseDynamicsTool()
    tool.setModelFileName(str(folder / "walk.osim"))
    tool.setCoordinatesFileName(str(folder / "walk_ik.mot"))
    tool.setExternalLoadsFileName(str(folder / "walk_external_loads.xml"))
    tool.setStartTime(0.0)
    tool.setEndTime(100.0)
    tool.setLowpassCutoffFrequency(-1)
    tool.setResultsDir(str(folder))
    tool.setOutputGenForceFileName("tool.sto")
    assert tool.run()
    found, pose = opened(folder / "tool.sto"), posed(analysis.motion)
    (folder / "tool.sto").unlink()
    assert len(found) == analysis.motion.n_frames
    for name, ours in projected(analysis, pose).items():
        apart = (found[f"{name}_moment"] - ours).to_numpy()[10:-10]
        assert np.abs(apart).max() < 0.02 * max(np.ptp(ours), 0.1), name


def test_opensims_inverse_kinematics_takes_model_and_points(saved):
    """Joint centres and markers, which the model bears, give back the coordinates."""
    analysis, folder = saved
    tool = opensim.InverseKinematicsTool()
    tool.set_model_file(str(folder / "walk.osim"))
    tool.set_marker_file(str(folder / "walk.trc"))
    tool.set_time_range(0, 0.5)
    tool.set_time_range(1, 0.6)
    tool.set_results_directory(str(folder))
    tool.set_output_motion_file(str(folder / "tool.mot"))
    assert tool.run()
    found = opened(folder / "tool.mot")
    (folder / "tool.mot").unlink()
    (folder / "walk_ik_marker_errors.sto").unlink(missing_ok=True)
    table = posed(analysis.motion).table
    ours = table[(table.time > 0.499) & (table.time < 0.601)]
    assert len(found) == len(ours) == 11
    for name in ("left_thigh_rz", "right_shank_rz", "pelvis_ry", "left_upper_arm_rz"):
        assert np.abs(found[name] - np.degrees(ours[name].to_numpy())).max() < 3.0, name


@pytest.mark.parametrize("root", [None, "LeftFoot"])
def test_a_converted_model_stands_where_the_motion_is(tmp_path, root):
    """Captured and re-rooted: OpenSim places every body of the model as we do."""
    clip = Clip(SAMPLES / "walk.bvh", Path("walk"))
    task = Conversion(clip, tmp_path, Config(), root=root, to="osim")
    written = convert_clip(task, lambda stage: None).files
    assert [path.name for path in written] == ["walk.osim", "walk_ik.mot"]
    motion = mr.read(SAMPLES / "walk.bvh", clean=False)
    motion = motion if root is None else mr.reroot(motion, root=root)
    table, place = opened(written[1]), mr.forward(motion).position
    model = opensim.Model(str(written[0]))
    state = model.initSystem()
    for frame in (0, 150):
        for name in table.columns[1:]:
            coordinate = model.getCoordinateSet().get(name)
            coordinate.setValue(state, float(table[name][frame]), False)
        model.realizePosition(state)
        for body, name in enumerate(motion.skeleton.names):
            found = model.getBodySet().get(name).getPositionInGround(state).to_numpy()
            np.testing.assert_allclose(found, place[body, :, frame], atol=1e-7, err_msg=name)


def test_points_carry_the_files_own_times_and_opensims_axes(saved):
    analysis, folder = saved
    table = opensim.TimeSeriesTableVec3(str(folder / "walk.trc"))
    labels, time = list(table.getColumnLabels()), list(table.getIndependentColumn())
    np.testing.assert_allclose(time, analysis.motion.time, atol=1e-8)
    hip = table.getDependentColumn(next(name for name in labels if name.endswith("LHJC")))
    place = (
        to_y_up(analysis.motion.up)
        @ mr.forward(analysis.motion).position[analysis.motion.skeleton.index("left_thigh")]
    )
    found = [hip[k].to_numpy() for k in (0, 100)]
    np.testing.assert_allclose(found, place[:, [0, 100]].T, atol=1e-8)


def test_names_are_ones_that_opensim_takes():
    found = opensim_names(["a b", "a/b", "ground", "mixamorig:Hips", "a*b"])
    assert len(set(found)) == 5 and found[3] == "mixamorig:Hips"
    assert not any(set(name) & set(" /\\*+") for name in found) and "ground" not in found


def test_names_with_blanks_and_notes_with_equals_signs_survive(tmp_path):
    table = pd.DataFrame({"time": [0.0, 0.1], "Left Foot_mx_moment": [1.5, -2.25]})
    write_storage(table, tmp_path / "a.sto", ["mass = 70"])
    assert opened(tmp_path / "a.sto")["Left_Foot_mx_moment"].tolist() == [1.5, -2.25]
