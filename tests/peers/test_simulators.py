"""MuJoCo and Pinocchio find in our files the torques that are in our tables."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import mujoco
import numpy as np
import pinocchio as pin
import pytest

import mocap_reroot as mr
from mocap_reroot.config import resolve
from mocap_reroot.conversion import Conversion, convert_clip
from mocap_reroot.export.mjcf import LEAST_MASS, write_mjcf
from mocap_reroot.export.simulators import body_pushes, simulated
from mocap_reroot.export.urdf import write_urdf
from mocap_reroot.mechanics.coordinates import Coordinates
from mocap_reroot.resources.clips import find_clips
from mocap_reroot.types import STANDARD_GRAVITY
from tests.conftest import ROOT
from tests.contact.walkers import staircase
from tests.contact.walkers import walk as stairs_walk

SAMPLES = ROOT / "sample_data"
RELATIVE = 1e-6
"""Of the largest torque in the clip, as the interface promises."""
CLIPS = {
    "walk": "walk.bvh",
    "walk with plates": "walk.c3d",
    "massless joints": "../shared/data/bvh/cmu/09_01.bvh",
    "fingers": "../shared/data/bvh/mixamo/test_freebvh.bvh",
    "plates of a laboratory": "../shared/data/c3d/plug_in_gait/HC038A/HC038A11.c3d",
    "no person": "../shared/data/bvh/fairmotion/sinusoidal.bvh",
}


def opened(name: str) -> mr.Analysis:
    path = SAMPLES / name if "/" not in name else ROOT / name
    if not path.exists():
        pytest.skip(f"no {name} beside the project")
    return mr.analyze(path)


@pytest.fixture(scope="module", params=CLIPS, ids=lambda name: name.replace(" ", "_"))
def analysis(request) -> mr.Analysis:
    return opened(CLIPS[request.param])


@pytest.fixture(scope="module")
def walk() -> mr.Analysis:
    return opened("walk.bvh")


def some_frames(arrays, key: str, count: int = 12) -> np.ndarray:
    return np.unique(np.linspace(0, len(arrays[key]) - 1, count).astype(int))


def in_mujoco(xml: Path, npz: Path) -> tuple[mujoco.MjModel, dict[str, np.ndarray], np.ndarray]:
    """Return the model, the arrays, and ``qfrc_inverse − Σ Jᵀ xfrc`` less our torques."""
    model = mujoco.MjModel.from_xml_path(str(xml))
    model.opt.disableflags |= mujoco.mjtDisableBit.mjDSBL_CONTACT
    data, arrays = mujoco.MjData(model), dict(np.load(npz, allow_pickle=False))
    names = [model.body(b).name for b in range(model.nbody)]
    assert names == arrays["body_names"].tolist()
    assert [model.joint(j).name for j in range(model.njnt)] == arrays["joint_names"].tolist()
    wrong = []
    for f in some_frames(arrays, "qpos"):
        data.qpos[:], data.qvel[:] = arrays["qpos"][f], arrays["qvel"][f]
        data.qacc[:] = arrays["qacc"][f]
        mujoco.mj_inverse(model, data)
        force = data.qfrc_inverse.copy()
        for body in range(model.nbody):
            pushed = np.zeros(model.nv)
            wrench = arrays["xfrc"][f, body]
            place = data.xipos[body]
            mujoco.mj_applyFT(model, data, wrench[:3], wrench[3:], place, body, pushed)
            force -= pushed
        wrong.append(force - arrays["qfrc"][f])
    return model, arrays, np.array(wrong)


def in_pinocchio(urdf: Path, npz: Path) -> tuple[pin.Model, dict[str, np.ndarray], np.ndarray]:
    """Return the model, the arrays, and ``rnea − Σ Jᵀ xfrc`` less our torques."""
    model = pin.buildModelFromUrdf(str(urdf), pin.JointModelFreeFlyer())
    data, arrays = model.createData(), dict(np.load(npz, allow_pickle=False))
    model.gravity.linear = -STANDARD_GRAVITY * arrays["up"]
    assert list(model.names)[1:] == arrays["joint_names"].tolist()
    wrong = []
    for f in some_frames(arrays, "q"):
        q = arrays["q"][f]
        force = pin.rnea(model, data, q, arrays["v"][f], arrays["a"][f]).copy()
        pin.computeJointJacobians(model, data, q)
        pin.updateFramePlacements(model, data)
        for name, wrench in zip(arrays["body_names"], arrays["xfrc"][f], strict=True):
            frame = model.getFrameId(str(name), pin.FrameType.BODY)
            joint = model.frames[frame].parentJoint
            arm = data.oMf[frame].rotation @ model.inertias[joint].lever
            jacobian = pin.getFrameJacobian(model, data, frame, pin.LOCAL_WORLD_ALIGNED)
            moment = wrench[3:] + np.cross(arm, wrench[:3])
            force -= jacobian.T @ np.concatenate([wrench[:3], moment])
        wrong.append(force - arrays["tau"][f])
    return model, arrays, np.array(wrong)


@pytest.mark.parametrize(("fps", "up"), [(None, None), (77.0, "x")])
def test_mujoco_finds_our_torques(analysis, fps, up, tmp_path):
    push = body_pushes(analysis.ground)
    clip = simulated(analysis.motion, analysis.ground, push, fps=fps, up=up)
    model, arrays, wrong = in_mujoco(*write_mjcf(clip, tmp_path / "clip.xml"))
    assert np.abs(wrong).max() < RELATIVE * np.abs(arrays["torques"]).max()
    assert abs(arrays["qfrc"][:, :6]).max() < RELATIVE * abs(arrays["xfrc"]).max()
    heavy = {name: model.body(name).mass[0] for name in arrays["body_names"][1:].tolist()}
    light = set(arrays["welded"].tolist()) | set(arrays["massless"].tolist())
    for name, mass in zip(analysis.body.skeleton.names, analysis.body.mass, strict=True):
        assert heavy[name] == mass if name not in light else heavy[name] <= LEAST_MASS


def test_the_torques_are_those_of_the_table(analysis, tmp_path):
    clip = simulated(analysis.motion, analysis.ground, body_pushes(analysis.ground))
    arrays = np.load(write_mjcf(clip, tmp_path / "clip.xml")[1])
    table = analysis.torques
    known = arrays["valid"]
    for k, name in enumerate(arrays["body_names"]):
        if f"{name}_mx" in table:
            told = table[[f"{name}_m{a}" for a in "xyz"]].to_numpy()[known]
            largest = np.abs(arrays["torques"]).max()
            np.testing.assert_allclose(arrays["torques"][known, k], told, atol=RELATIVE * largest)


@pytest.mark.parametrize(("fps", "up"), [(None, None), (77.0, "x")])
def test_pinocchio_finds_our_torques(analysis, fps, up, tmp_path):
    push = body_pushes(analysis.ground)
    clip = simulated(analysis.motion, analysis.ground, push, fps=fps, up=up)
    model, arrays, wrong = in_pinocchio(*write_urdf(clip, tmp_path / "clip.urdf"))
    assert np.abs(wrong).max() < RELATIVE * np.abs(arrays["tau"]).max()
    masses = sum(inertia.mass for inertia in model.inertias)
    assert masses == pytest.approx(analysis.body.total_mass, rel=1e-14)


@pytest.mark.parametrize("name", ["walk.bvh", "../shared/data/bvh/cmu/09_01.bvh"])
def test_trees_rooted_at_a_foot_hold_in_both(name, tmp_path):
    path = SAMPLES / name if "/" not in name else ROOT / name
    if not path.exists():
        pytest.skip(f"no {name} beside the project")
    clip = next(iter(find_clips([str(path)])))
    for kind, suffix, check in (("mjcf", ".xml", in_mujoco), ("urdf", ".urdf", in_pinocchio)):
        task = Conversion(clip, tmp_path / kind, resolve(), support=True, to=kind)
        files = convert_clip(task, lambda stage: None).files
        models = [file for file in files if file.suffix == suffix]
        assert len(models) > 3 and len(files) == 2 * len(models)
        roots = set()
        for k, model in enumerate(models[:6]):
            _, arrays, wrong = check(model, files[2 * k + 1])
            assert np.abs(wrong).max() < RELATIVE * np.abs(arrays["torques"]).max()
            roots.add(arrays["body_names"][1 if kind == "mjcf" else 0])
        assert any("Foot" in str(root) or "Toe" in str(root) for root in roots)


def test_a_rooted_model_says_the_same_as_the_table_of_torques(walk, tmp_path):
    """At a joint of the chain it is the other side's moment, at other joints the same."""
    rooted = mr.reroot(walk.motion, root="LeftFoot")
    clip = simulated(rooted, walk.ground, body_pushes(walk.ground))
    names = walk.motion.skeleton.names
    chain = {names[b] for b in walk.motion.skeleton.chain("LeftFoot")}
    table, largest = walk.torques, np.abs(clip.torque).max()
    for body, name in enumerate(names):
        if f"{name}_mx" not in table:
            continue
        told = table[[f"{name}_m{a}" for a in "xyz"]].to_numpy().T
        if name not in chain:
            np.testing.assert_allclose(clip.torque[body], told, atol=RELATIVE * largest)
            continue
        # The joint now bears the name of its capture parent, which hangs from this body.
        above = int(walk.motion.skeleton.parents[body])
        size = np.linalg.norm(clip.torque[above], axis=0)
        np.testing.assert_allclose(size, np.linalg.norm(told, axis=0), atol=RELATIVE * largest)


def test_mujoco_accelerates_as_we_do(walk, tmp_path):
    """Forward dynamics under our torques and pushes gives back the accelerations."""
    massive = walk.body.mass > 0
    assert massive.sum() < len(massive)  # its clavicles are welded
    clip = simulated(walk.motion, walk.ground, body_pushes(walk.ground))
    xml, npz = write_mjcf(clip, tmp_path / "walk.xml")
    model, arrays, _ = in_mujoco(xml, npz)
    assert not len(arrays["massless"])
    data = mujoco.MjData(model)
    for f in some_frames(arrays, "qpos"):
        data.qpos[:], data.qvel[:] = arrays["qpos"][f], arrays["qvel"][f]
        data.qfrc_applied[:], data.xfrc_applied[:] = arrays["qfrc"][f], arrays["xfrc"][f]
        mujoco.mj_forward(model, data)
        largest = np.abs(arrays["qacc"]).max()
        np.testing.assert_allclose(data.qacc, arrays["qacc"][f], atol=1e-6 * largest)


def test_bodies_are_where_the_table_has_them(analysis, tmp_path):
    clip = simulated(analysis.motion, analysis.ground, body_pushes(analysis.ground))
    xml, npz = write_mjcf(clip, tmp_path / "clip.xml")
    model, arrays = mujoco.MjModel.from_xml_path(str(xml)), np.load(npz)
    data, world = mujoco.MjData(model), mr.forward(clip.motion)
    for f in some_frames(arrays, "qpos"):
        data.qpos[:] = arrays["qpos"][f]
        mujoco.mj_kinematics(model, data)
        for body, name in enumerate(clip.motion.skeleton.names):
            place = world.position[body, :, f]
            np.testing.assert_allclose(data.body(name).xpos, place, atol=1e-9)


def test_a_model_that_mujoco_saved_is_still_one(analysis, tmp_path):
    clip = simulated(analysis.motion, analysis.ground, body_pushes(analysis.ground))
    xml, _ = write_mjcf(clip, tmp_path / "clip.xml")
    model = mujoco.MjModel.from_xml_path(str(xml))
    mujoco.mj_saveLastXML(str(tmp_path / "again.xml"), model)
    again = mujoco.MjModel.from_xml_path(str(tmp_path / "again.xml"))
    np.testing.assert_allclose(again.body_mass, model.body_mass, rtol=1e-5)
    np.testing.assert_allclose(again.body_inertia, model.body_inertia, rtol=1e-3, atol=1e-9)
    assert (again.nq, again.nbody, again.ngeom) == (model.nq, model.nbody, model.ngeom)


def test_soles_stand_on_the_floor(walk, tmp_path):
    """With contacts on, a standing foot touches within 12 mm, and no limb another."""
    clip = simulated(walk.motion, walk.ground, body_pushes(walk.ground))
    xml, npz = write_mjcf(clip, tmp_path / "walk.xml")
    model, arrays = mujoco.MjModel.from_xml_path(str(xml)), np.load(npz)
    data = mujoco.MjData(model)
    model.geom_margin[:] = 0.02
    on = walk.contacts.foot_touching(walk.motion.skeleton.index("LeftFoot"))
    feet = {"LeftFoot", "LeftToeBase"}
    for f in np.flatnonzero(on)[10:-10:20]:
        data.qpos[:] = arrays["qpos"][f]
        mujoco.mj_forward(model, data)
        pairs = []
        for contact in data.contact:
            bodies = [model.body(model.geom_bodyid[g]).name for g in (contact.geom1, contact.geom2)]
            pairs.append((contact.dist, set(bodies)))
        within = [names for dist, names in pairs if dist < -0.005 and "world" not in names]
        assert not within
        nearest = [abs(dist) for dist, names in pairs if names & feet]
        assert nearest and min(nearest) < 0.012


def test_stairs_that_were_found_are_boxes_to_stand_on(tmp_path):
    rise, count = 0.17, 5
    climbing = stairs_walk(staircase(count, rise), 100.0, 0.6 * (4 + count))
    mr.write_bvh(climbing, tmp_path / "stairs.bvh")
    found = mr.analyze(tmp_path / "stairs.bvh", mass=70.0, unit="m", up="z")
    assert found.contacts.ground_kind == "stepped"
    clip = simulated(found.motion, found.ground, body_pushes(found.ground))
    xml, npz = write_mjcf(clip, tmp_path / "stairs.xml")
    model, _, wrong = in_mujoco(xml, npz)
    assert np.abs(wrong).max() < RELATIVE * np.abs(np.load(npz)["qfrc"]).max()
    boxes = (model.geom_type == mujoco.mjtGeom.mjGEOM_BOX) & (model.geom_bodyid == 0)
    tops = np.unique(np.round(model.geom_pos[boxes, 2] + model.geom_size[boxes, 2], 2))
    planes = sorted(plane.point[2] for plane in found.contacts.ground)
    assert len(tops) >= count - 1
    for top in tops:
        assert np.abs(np.array(planes) - top).min() < 0.02


def test_sliding_joints_slide_in_simulators(walk, tmp_path):
    """A knee that is pulled apart, as BVH with six channels has it."""
    motion = walk.motion
    knee = motion.skeleton.index("LeftLeg")
    kinds = motion.skeleton.joint_types.copy()
    kinds[knee] = 5
    skeleton = replace(motion.skeleton, joint_types=kinds)
    slot, k = skeleton.slot[knee], len(skeleton.translating)
    assert Coordinates(skeleton).n_speeds == Coordinates(motion.skeleton).n_speeds + 3
    at = [b for b in range(k) if b != slot]
    t = motion.frame / motion.fps
    wave = np.stack([0.01 * np.sin(9 * t), 0.02 * np.cos(5 * t), 0.01 * np.sin(7 * t)])
    speed = np.array([9.0, 5.0, 7.0])[:, None]
    rows = {"displacement": wave, "linear_acceleration": -(speed**2) * wave}
    rows["linear_velocity"] = np.stack(
        [0.09 * np.cos(9 * t), -0.1 * np.sin(5 * t), 0.07 * np.cos(7 * t)]
    )
    changed = {}
    for name, own in rows.items():
        changed[name] = np.empty((k, 3, motion.n_frames))
        changed[name][at], changed[name][slot] = getattr(motion, name), own
    moved = replace(motion, skeleton=skeleton, **changed)
    ground = replace(walk.ground, motion=moved)
    clip = simulated(moved, ground, body_pushes(walk.ground))
    _, arrays, wrong = in_mujoco(*write_mjcf(clip, tmp_path / "clip.xml"))
    assert "LeftLeg_ty" in arrays["joint_names"]
    assert np.abs(wrong).max() < RELATIVE * np.abs(arrays["torques"]).max()
    _, arrays, wrong = in_pinocchio(*write_urdf(clip, tmp_path / "clip.urdf"))
    assert np.abs(wrong).max() < RELATIVE * np.abs(arrays["tau"]).max()
