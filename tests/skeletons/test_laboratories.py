"""Other laboratories' labels on the generated walk: the right set, joints, contacts and forces."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import mocap_reroot as mr
from mocap_reroot.errors import FileError
from mocap_reroot.mechanics.kinematics import forward
from mocap_reroot.skeletons.from_markers import markers_motion
from mocap_reroot.types import Motion
from sample_data import gait_model as model
from sample_data.balance import Truth
from sample_data.make_c3d import MASS, TO_LAB
from tests.skeletons.laboratories import LABORATORIES, Laboratory, recording

JOINTS = {"thigh": "UpLeg", "shank": "Leg", "foot": "Foot"}
ENDS = 15  # frames in which smoothing has less to go by


def joint_errors(motion: Motion, true: Truth) -> dict[str, float]:
    """Return m, median distance of hips, knees and ankles from where they were."""
    at = forward(motion).position
    return {
        f"{side}_{ours}": float(
            np.median(
                np.linalg.norm(
                    at[motion.skeleton.index(f"{side}_{ours}")]
                    - TO_LAB @ true.position[model.NAMES.index(side.title() + theirs)].T,
                    axis=0,
                )
            )
        )
        for side in ("left", "right")
        for ours, theirs in JOINTS.items()
    }


@pytest.mark.parametrize("name", LABORATORIES)
def test_the_walk_is_the_same(recorded_walk: tuple[Path, Truth], name: str) -> None:
    laboratory, true = LABORATORIES[name], recorded_walk[1]
    motion = markers_motion(recording(laboratory, true))
    chosen = next(i.value for i in motion.source.inferred if i.what == "marker_set")
    assert chosen == laboratory.chosen
    errors = joint_errors(motion, true)
    assert max(errors.values()) < laboratory.leg, errors
    smooth = mr.smooth(motion)
    result = mr.inverse_dynamics(
        mr.reroot(smooth, mr.detect_contacts(smooth)), mr.body_model(motion.skeleton, mass=MASS)
    )
    inside = slice(ENDS, -ENDS)
    on = np.array([result.grf[f"{side}_foot_on"] for side in ("left", "right")], bool)
    assert (on == true.on)[:, inside].mean() > 0.93  # sides are told apart; feet stand when they do
    force = sum(result.grf[f"{side}_foot_fz"].to_numpy() for side in ("left", "right"))
    alone = (true.on.sum(axis=0) == 1)[inside]
    error = (force - true.total_force[:, 1])[inside][alone]
    weight = MASS * model.GRAVITY
    assert np.sqrt(np.mean(error**2)) < laboratory.force * weight
    pressure = TO_LAB @ true.pressure.transpose(0, 2, 1)
    for foot, side in enumerate(("left", "right")):
        both = on[foot] & true.on[foot] & (true.on.sum(axis=0) == 1)
        ours = np.array([result.grf[f"{side}_foot_p{a}"][both] for a in "xy"])
        off = np.linalg.norm(ours - pressure[foot, :2][:, both], axis=0)
        assert np.nanmedian(off) < laboratory.pressure  # on the foot that stands


def test_what_is_weak_is_said(recorded_walk: tuple[Path, Truth]) -> None:
    true = recorded_walk[1]
    said = {
        name: " ".join(markers_motion(recording(LABORATORIES[name], true)).source.warnings)
        for name in ("Pose2Sim HALPE_26", "Pose2Sim COCO_17", "Schreiber 2019")
    }
    assert "seen in video" in said["Pose2Sim HALPE_26"]
    assert "No marker is on the toes" not in said["Pose2Sim HALPE_26"]
    assert "No marker is on the toes" in said["Pose2Sim COCO_17"]
    assert said["Schreiber 2019"] == ""


def test_video_noise_moves_joints_by_no_more_than_itself(recorded_walk: tuple[Path, Truth]) -> None:
    """Key points of video are off by centimetres, slowly and quickly."""
    true = recorded_walk[1]
    clean = recording(LABORATORIES["Pose2Sim HALPE_26"], true)
    assert clean.markers is not None
    noise = np.random.default_rng(3).normal(0, 0.01, clean.markers.position.shape)  # m
    clean.markers.position[...] += noise
    errors = joint_errors(markers_motion(clean), true)
    assert max(errors.values()) < 0.02, errors


def test_heels_that_were_worn_in_the_static_trial_only(recorded_walk: tuple[Path, Truth]) -> None:
    true, walking = recorded_walk[1], LABORATORIES["Helen Hayes, walking"]
    worn = recording(replace(walking, labels=walking.labels | {"{s}HEE": "heel"}), true)
    motion = markers_motion(recording(walking, true), static=worn)
    whole = markers_motion(worn)
    assert any("No marker is on the heels" in said for said in motion.source.warnings)
    foot = motion.skeleton.index("left_foot")
    ours, theirs = forward(motion).matrix[foot], forward(whole).matrix[foot]
    turned = np.arccos(
        np.clip((np.trace(ours.transpose(0, 2, 1) @ theirs, axis1=1, axis2=2) - 1) / 2, -1, 1)
    )
    assert np.degrees(np.median(turned)) < 2
    np.testing.assert_allclose(motion.skeleton.site_offset, whole.skeleton.site_offset, atol=0.003)


def test_a_run_whose_knees_were_marked_in_the_static_trial(
    recorded_walk: tuple[Path, Truth],
) -> None:
    """Fukuchi 2017: plates of four markers on thighs and shanks, three markers on the heels."""
    true = recorded_walk[1]
    worn = {
        "{s}.ASIS": "asis", "{s}.PSIS": "psis", "{s}.Iliac.Crest": "iliac crest",
        "{s}.Thigh.Top.Lateral": "thigh side", "{s}.Thigh.Bottom.Lateral": "thigh front",
        "{s}.Thigh.Bottom.Medial": "thigh back", "{s}.Shank.Top.Lateral": "shank side",
        "{s}.Shank.Bottom.Lateral": "shank front", "{s}.Shank.Bottom.Medial": "shank back",
        "{s}.Heel.Top": "heel high", "{s}.Heel.Bottom": "heel", "{s}.Heel.Lateral": "heel outside",
        "{s}.MT1": "first metatarsal", "{s}.MT5": "fifth metatarsal",
    }  # fmt: skip
    taken_off = {
        "{s}.Knee": "lateral knee", "{s}.Knee.Medial": "medial knee",
        "{s}.Ankle": "lateral ankle", "{s}.Ankle.Medial": "medial ankle",
    }  # fmt: skip
    run = recording(Laboratory("Fukuchi 2017", "fukuchi", worn), true)
    with pytest.raises(FileError, match=r"'fukuchi', knows .* lacks left_lateral_knee .*--static"):
        markers_motion(run)
    static = recording(Laboratory("Fukuchi 2017", "fukuchi", worn | taken_off), true)
    assert max(joint_errors(markers_motion(run, static=static), true).values()) < 0.015
