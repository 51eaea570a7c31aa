"""Real recordings: ground forces against force plates, angles and moments against Vicon's own."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from mocap_reroot.anthropometry.bodies import body_model
from mocap_reroot.contact.detection import detect_contacts
from mocap_reroot.contact.phases import with_carrier
from mocap_reroot.dynamics.inverse import inverse_dynamics
from mocap_reroot.importers.c3d import read_c3d
from mocap_reroot.reading import read
from mocap_reroot.rerooting.reroot import reroot
from mocap_reroot.signals.cleaning import clean
from mocap_reroot.signals.smoothing import smooth
from mocap_reroot.types import BodyModel, Rooted
from tests.ground.shared import settled, shared_dynamics

WALKS = ("HC030A/HC030A05", "HC038A/HC038A11", "HC044A/HC044A29")


def prepared(path) -> tuple[Rooted, BodyModel]:
    captured = clean(read(path))
    motion = smooth(captured, 6.0)
    body = body_model(motion.skeleton, source=motion.source)
    contacts = detect_contacts(captured)
    contacts = with_carrier(contacts, settled(motion, body, contacts).carrier)
    return reroot(motion, contacts), body


@pytest.fixture(scope="module", params=WALKS)
def walk(request, shared_data):
    path = shared_data / "c3d" / "plug_in_gait" / f"{request.param}.c3d"
    return path, *prepared(path)


def test_predicted_forces_come_near_the_plates(walk) -> None:
    _, rooted, body = walk
    result = shared_dynamics(rooted, body, sharing="balance")
    largest = np.nanmax(np.abs(result.torque))
    assert result.quality["root_invariance_nm"] < 1e-9 * largest
    assert result.quality["cop_outside_foot_mm"] < 30
    each = result.quality["plates"]["each_foot"]
    assert each["vertical"]["rrmse_percent"] < 7
    assert each["vertical"]["r"] > 0.955
    assert each["forward"]["rrmse_percent"] < 13
    smooth_rule = shared_dynamics(rooted, body, sharing="smooth").quality["plates"]["each_foot"]
    assert each["forward"]["rmse_percent_bw"] < smooth_rule["forward"]["rmse_percent_bw"]
    shares = np.einsum("c,kcf->kf", result.up, result.foot_force)
    peak = np.nanmax(shares) / (9.80665 * body.total_mass)
    assert 1.0 < peak < 1.4


def test_feet_on_a_treadmill_are_judged_against_its_belt(shared_data) -> None:
    rooted, body = prepared(shared_data / "c3d" / "theia" / "C3DRotationExample.c3d")
    belt = rooted.contacts.belt
    assert belt is not None
    assert 1.2 < np.linalg.norm(belt) < 1.6
    assert inverse_dynamics(rooted, body).quality["foot_skate_mm_s"] < 150


def test_angles_and_moments_are_vicons(walk) -> None:
    path, rooted, body = walk
    outputs = read_c3d(path).outputs
    result = shared_dynamics(rooted, body, forces="measured")
    table = result.extra["anatomy"]
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
    rooted, body = prepared(path)
    assert "trunk" not in rooted.captured.skeleton.names
    outputs = read_c3d(path).outputs
    result = shared_dynamics(rooted, body, forces="measured")
    table, measured = result.extra["anatomy"], result.source == "measured"
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
        assert np.corrcoef(ours[known], theirs[known])[0, 1] > 0.9
