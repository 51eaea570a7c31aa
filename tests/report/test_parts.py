"""The parts of a report: figure, joints, cycles, lights, JSON."""

import json
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from scipy.spatial.transform import Rotation

from mocap_reroot.report.checklist import checklist
from mocap_reroot.report.clip_tables import read_clip, side_of
from mocap_reroot.report.joint_choice import choices, first_choice, relative_turn
from mocap_reroot.report.mannequin import mannequin
from mocap_reroot.report.packing import pack, script_json, unpack
from mocap_reroot.report.payload import cycles, directions

from . import folders

# These compare values, not times: a busy machine must not fail them.
UNHURRIED = settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])


@UNHURRIED
@given(st.recursive(st.text() | st.integers() | st.none(), st.lists, max_leaves=5))
def test_json_in_a_script_element_is_inert_and_complete(value):
    text = script_json(value)
    assert not set("<>&\u2028\u2029") & set(text)
    assert json.loads(text) == value


def test_packing_keeps_single_precision_and_gaps():
    values = np.random.default_rng(1).normal(size=(3, 40))
    values[1, 7] = np.nan
    np.testing.assert_array_equal(unpack(pack(values)), values.astype("f4"))


def test_mannequin_stands_where_the_kinematics_say():
    clip = read_clip(folders.walk())
    made = mannequin(clip, slice(0, None, 30))
    table, poses = clip["bodies"], clip["kinematics"].iloc[::30]
    com = np.zeros((len(poses), 3))
    for i, row in enumerate(table.itertuples()):
        origin = poses[[f"{row.body}_p{a}" for a in "xyz"]].to_numpy()
        np.testing.assert_array_equal(made.points[i].T, origin)
        turn = Rotation.from_quat(poses[[f"{row.body}_q{a}" for a in "xyzw"]].to_numpy())
        com += row.mass * (origin + turn.apply([row.com_x, row.com_y, row.com_z]))
    np.testing.assert_allclose(made.com.T, com / table["mass"].sum(), atol=1e-9)
    lengths = [
        np.linalg.norm(made.points[c.start] - made.points[c.stop], axis=0) for c in made.capsules
    ]
    assert np.ptp(lengths, axis=1).max() < 1e-6  # rigid bodies keep their lengths


def test_relative_turn_is_the_rotation_against_the_parent():
    clip = read_clip(folders.walk())
    parent = clip["bodies"].set_index("body")["parent"]
    for body in ("LeftLeg", "RightArm"):
        child, above = (
            Rotation.from_quat(clip["kinematics"][[f"{b}_q{a}" for a in "xyzw"]].to_numpy())
            for b in (body, parent[body])
        )
        want = np.degrees((above.inv() * child).as_rotvec()).T
        np.testing.assert_allclose(relative_turn(clip, body, slice(None)), want, atol=1e-6)


def test_joints_come_in_pairs_under_common_names():
    clip = read_clip(folders.walk())
    every = choices(clip)
    pairs = {c.label: c.bodies for c in every}
    assert pairs["Knee"] == {"left": "LeftLeg", "right": "RightLeg"}
    assert pairs["Shoulder"] == {"left": "LeftArm", "right": "RightArm"}
    assert first_choice(every, clip) == ["Hip", "Knee", "Ankle"]
    shown = sorted(body for bodies in pairs.values() for body in bodies.values())
    assert shown == sorted({*clip.joints, "Hips"})  # the root has angles, no joint


@pytest.mark.parametrize(
    ("name", "side"),
    [
        ("LeftLeg", "left"),
        ("right_hand", "right"),
        ("LHipJoint", "left"),
        ("Rig", ""),
        ("Spine", ""),
    ],
)
def test_sides_by_name(name, side):
    assert side_of(name) == side


def test_cycles_run_from_strike_to_strike():
    clip = read_clip(folders.walk())
    events = clip["events"]
    left = events[(events["side"] == "left") & (events["event"] == "strike")]["time"].to_numpy()
    found = cycles(clip, "left")
    assert [c["start"] for c in found] == pytest.approx(left[:-1])
    assert [c["stop"] for c in found] == pytest.approx(left[1:])


def test_directions_are_right_handed_and_follow_the_walk():
    clip = read_clip(folders.walk())
    up, forward, left = directions(clip).values()
    np.testing.assert_allclose(np.cross(up, forward), left, atol=1e-12)
    hips = clip.vectors("kinematics", "Hips", "p")
    assert forward @ (hips[:, -1] - hips[:, 0]) > 3.0


def test_checklist_answers_from_the_summary():
    answers = dict(checklist(read_clip(folders.plates())))
    assert "force plates" in answers["Ground reaction force"]
    assert "marker set plug-in-gait" in answers["Joint centres"]
    answers = dict(checklist(read_clip(folders.walk())))
    assert answers["Body mass and stature"].startswith("70.0 kg (given)")
    assert "Butterworth" in answers["Filter of the kinematics"]
    assert answers["Inertial parameters"].endswith("scaled to segment lengths and mass.")
    assert all(answers.values())


def test_checklist_says_when_plates_weighed_the_parts():
    clip = read_clip(folders.plates())
    for value in ("plates", "table"):
        inferred = [*clip.summary["inferred"], {"what": "segment_masses", "value": value}]
        weighed = replace(clip, summary=clip.summary | {"inferred": inferred})
        said = dict(checklist(weighed))["Inertial parameters"]
        assert ("as the force plates tell" in said) == (value == "plates")
