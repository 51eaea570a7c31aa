"""Real recordings: ground forces against force plates, angles and moments against Vicon's own."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

import mocap_reroot as mr
from mocap_reroot.importers.c3d import read_c3d

WALKS = ("HC030A/HC030A05", "HC038A/HC038A11", "HC044A/HC044A29")


@pytest.fixture(params=WALKS)
def walk(request, shared_data):
    return shared_data / "c3d" / "plug_in_gait" / f"{request.param}.c3d"


def test_predicted_forces_come_near_the_plates(walk) -> None:
    result = mr.analyze(walk, forces="predicted").dynamics
    largest = np.nanmax(np.abs(result.torque))
    assert result.quality["root_invariance_nm"] < 1e-9 * largest
    assert result.quality["cop_outside_foot_mm"] < 30
    each = result.quality["plates"]["each_foot"]
    assert each["vertical"]["rrmse_percent"] < 7
    assert each["vertical"]["r"] > 0.955
    assert each["forward"]["rrmse_percent"] < 13
    shares = np.einsum("c,kcf->kf", result.up, result.foot_force)
    peak = np.nanmax(shares) / (9.80665 * result.body.total_mass)
    assert 1.0 < peak < 1.4


def test_feet_on_a_treadmill_are_judged_against_its_belt(shared_data) -> None:
    found = mr.analyze(shared_data / "c3d" / "theia" / "C3DRotationExample.c3d")
    belt = found.contacts.belt
    assert belt is not None
    assert 1.2 < np.linalg.norm(belt) < 1.6
    assert found.dynamics.quality["foot_skate_mm_s"] < 150


def test_angles_and_moments_are_vicons(walk) -> None:
    outputs = read_c3d(walk).outputs
    result = mr.analyze(walk, forces="measured", compare_plates=False).dynamics
    table, body = result.extra["anatomy"], result.body
    measured = result.source == "measured"
    assert measured.sum() > 50
    for side in ("left", "right"):
        for joint, motion in (("hip", "flexion"), ("knee", "flexion"), ("ankle", "dorsiflexion")):
            name = f"{side[0].upper()}{joint.capitalize()}"
            ours = table[f"{side}_{joint}_{motion}_deg"].to_numpy()
            theirs = outputs.position[outputs.labels.index(f"{name}Angles")][0]
            known = np.isfinite(ours) & np.isfinite(theirs) & (theirs != 0)
            # a foot's pitch hangs on few markers, close together
            least = 0.85 if joint == "ankle" else 0.99
            assert np.corrcoef(ours[known], theirs[known])[0, 1] > least
            # Vicon counts moments the other way, in N·mm per kg
            ours = -table[f"{side}_{joint}_{motion}_moment"].to_numpy() / body.total_mass
            theirs = outputs.position[outputs.labels.index(f"{name}Moment")][0] / 1000
            known = measured & np.isfinite(theirs) & (theirs != 0)
            least = 0.98 if joint == "ankle" else 0.88
            assert np.corrcoef(ours[known], theirs[known])[0, 1] > least
            assert np.sqrt(((ours - theirs)[known] ** 2).mean()) < 0.15


def test_legs_alone_have_vicons_angles_and_moments(shared_data) -> None:
    """Another laboratory, markers on pelvis and legs only, the turn about every axis."""
    path = shared_data / "c3d" / "btk" / "PiG_Motion3_FF.c3d"
    outputs = read_c3d(path).outputs
    result = mr.analyze(path, forces="measured", compare_plates=False).dynamics
    assert "trunk" not in result.skeleton.names
    table, measured, body = result.extra["anatomy"], result.source == "measured", result.body
    assert measured.sum() > 100
    # the turn about the bone hangs on wands, which shake
    motions = {"flexion": 0.99, "adduction": 0.98, "rotation": 0.85}
    for side, joint in itertools.product(("left", "right"), ("hip", "knee")):
        name = f"{side[0].upper()}{joint.capitalize()}"
        theirs = outputs.position[outputs.labels.index(f"{name}AnglesV")]
        for k, (motion, least) in enumerate(motions.items()):
            ours = table[f"{side}_{joint}_{motion}_deg"].to_numpy()
            known = np.isfinite(ours) & np.isfinite(theirs[k]) & (theirs[k] != 0)
            assert np.corrcoef(ours[known], theirs[k][known])[0, 1] > least
            assert abs(np.mean((ours - theirs[k])[known])) < 2  # degrees
        theirs = outputs.position[outputs.labels.index(f"{name}Moment")][0] / 1000
        ours = -table[f"{side}_{joint}_flexion_moment"].to_numpy() / body.total_mass
        known = measured & np.isfinite(theirs) & (theirs != 0)
        assert np.corrcoef(ours[known], theirs[known])[0, 1] > 0.88
