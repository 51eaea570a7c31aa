"""Flexion means flexion: on a stick figure whose pose is told in words, whatever its local axes."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from mocap_reroot.dynamics.anatomical_frames import anatomical_frames
from mocap_reroot.dynamics.anatomy import anatomy_columns
from mocap_reroot.dynamics.inverse import inverse_dynamics
from mocap_reroot.types import Anatomy
from tests.ground.walker import NAMES, body_of, person, posed, soles
from tests.random_trees import random_unit

FORWARD, UP, RIGHT = np.eye(3)
FRAMES = 8


def table_of(angles: dict[str, np.ndarray], turn: np.ndarray | None = None):
    skeleton = person(turn)
    held = {k: np.repeat(np.asarray(v)[:, None], FRAMES, axis=1) for k, v in angles.items()}
    motion = posed(skeleton, held, np.zeros((3, FRAMES)))
    result = inverse_dynamics(motion, body_of(skeleton))
    return pd.DataFrame(anatomy_columns(result, motion, soles() if turn is None else ()))


CASES = [
    ("right_thigh", 0.5 * RIGHT, "right_hip_flexion", 0.5),
    ("left_thigh", 0.5 * RIGHT, "left_hip_flexion", 0.5),
    ("right_thigh", 0.3 * FORWARD, "right_hip_adduction", 0.3),
    ("left_thigh", 0.3 * FORWARD, "left_hip_adduction", -0.3),
    ("right_thigh", 0.2 * UP, "right_hip_rotation", 0.2),
    ("left_thigh", 0.2 * UP, "left_hip_rotation", -0.2),
    ("right_shank", -1.0 * RIGHT, "right_knee_flexion", 1.0),
    ("left_shank", 0.1 * FORWARD, "left_knee_adduction", -0.1),
    ("right_foot", 0.2 * RIGHT, "right_ankle_dorsiflexion", 0.2),
    ("right_foot", 0.2 * FORWARD, "right_ankle_inversion", 0.2),
    ("trunk", -0.4 * RIGHT, "trunk_flexion", 0.4),
    ("trunk", 0.2 * FORWARD, "trunk_bending", 0.2),
]


@pytest.mark.parametrize(("body", "vector", "column", "expected"), CASES)
def test_a_turn_reads_as_the_motion_it_is(body, vector, column, expected) -> None:
    table = table_of({body: vector})
    np.testing.assert_allclose(table[f"{column}_deg"], np.rad2deg(expected), atol=1e-9)
    angles = [c for c in table if c.endswith("_deg") and c != f"{column}_deg"]
    np.testing.assert_allclose(table[angles], 0, atol=1e-9)


def test_local_axes_do_not_matter() -> None:
    rng = np.random.default_rng(4)
    pose = {"right_thigh": 0.5 * RIGHT, "right_shank": -0.7 * RIGHT, "left_thigh": 0.3 * FORWARD}
    plain = table_of(pose)
    scrambled = table_of(pose, random_unit(rng, 10, 4))
    for column in plain.columns:
        if "_hip_" in column or "_knee_" in column or "trunk" in column:
            np.testing.assert_allclose(scrambled[column], plain[column], atol=1e-9)


def test_a_lifted_thigh_needs_a_flexing_moment_and_a_spread_one_an_abducting() -> None:
    table = table_of({"right_thigh": 1.0 * RIGHT})
    assert (table["right_hip_flexion_moment"] > 5).all()
    spread = table_of({"right_thigh": -0.5 * FORWARD, "left_thigh": 0.5 * FORWARD})
    assert (spread["right_hip_adduction_moment"] < -3).all()
    np.testing.assert_allclose(
        spread["right_hip_adduction_moment"], spread["left_hip_adduction_moment"], rtol=1e-9
    )
    bent = table_of({"right_shank": -1.0 * RIGHT})
    assert (bent["right_knee_flexion_moment"] > 1).all()


def test_pelvis_leans_forward_and_turns_left() -> None:
    table = table_of({"pelvis": -0.3 * RIGHT})
    np.testing.assert_allclose(table["pelvis_tilt_deg"], np.rad2deg(0.3), atol=1e-9)
    table = table_of({"pelvis": 0.2 * FORWARD})  # the right side goes down
    np.testing.assert_allclose(table["pelvis_obliquity_deg"], -np.rad2deg(0.2), atol=1e-9)


def test_a_skeleton_that_is_no_person_has_no_anatomy() -> None:
    skeleton = person()
    assert anatomical_frames(skeleton) is not None
    bare = Anatomy(skeleton.anatomy.segments, np.ones(10), ("",) * 10, human=False)
    object.__setattr__(skeleton, "anatomy", bare)
    assert anatomical_frames(skeleton) is None


def test_a_foot_without_toes_points_along_its_sole_not_at_a_corner() -> None:
    skeleton = person()
    segments = tuple("" if s.endswith("toes") else s for s in skeleton.anatomy.segments)
    bare = Anatomy(segments, np.ones(10), ("",) * 10, human=True)
    object.__setattr__(skeleton, "anatomy", bare)
    frames = anatomical_frames(skeleton, soles())
    for foot in (4, 8):
        np.testing.assert_allclose(frames.turn[foot], np.eye(3), atol=1e-12)


def test_legs_alone_have_the_anatomy_that_they_have_under_a_trunk() -> None:
    skeleton = person()
    whole = anatomical_frames(skeleton, soles())
    segments = tuple("" if s == "trunk" else s for s in skeleton.anatomy.segments)
    object.__setattr__(skeleton, "anatomy", Anatomy(segments, np.ones(10), ("",) * 10, human=True))
    legs = anatomical_frames(skeleton, soles())
    assert legs.rightwards == whole.rightwards
    assert set(whole.turn) - set(legs.turn) == {NAMES.index("trunk")}
    for body, turn in legs.turn.items():
        np.testing.assert_allclose(turn, whole.turn[body], atol=1e-12)
