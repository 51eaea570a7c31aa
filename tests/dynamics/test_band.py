"""The band of torques over all admissible sharings of a person standing still."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import mocap_reroot as mr
from mocap_reroot.rerooting.reroot import reroot
from mocap_reroot.types import STANDARD_GRAVITY
from tests.ground.shared import shared_dynamics
from tests.ground.walker import ANKLE, MASSES, body_of, contacts_of, person, posed

FRAMES = 6
SAMPLE = Path(__file__).parents[2] / "sample_data" / "walk.c3d"


@pytest.fixture(scope="module")
def stander():
    # one foot at the edge of carrying alone: the middle of the body is between the feet
    place = np.repeat(np.array([[0.0], [0.8 + ANKLE], [0]]), FRAMES, axis=1)
    motion = posed(person(), {}, place)
    contacts = contacts_of(motion, [("both", 0, 3), ("left", 3, FRAMES)])
    return reroot(motion, contacts), body_of(motion.skeleton)


@pytest.fixture(scope="module")
def banded(stander):
    return shared_dynamics(*stander, band=True).torques


def test_the_clock_stays_within_the_band(stander, banded) -> None:
    torques = shared_dynamics(*stander).torques
    for name in ("left_thigh", "left_shank", "right_thigh", "right_foot"):
        for axis in "xyz":
            column = f"{name}_m{axis}"
            assert (torques[column][:3] >= banded[f"{column}_lo"][:3] - 1e-6).all()
            assert (torques[column][:3] <= banded[f"{column}_hi"][:3] + 1e-6).all()


def test_one_foot_leaves_nothing_to_share(banded) -> None:
    for axis in "xyz":
        lo, hi = banded[f"left_thigh_m{axis}_lo"], banded[f"left_thigh_m{axis}_hi"]
        np.testing.assert_array_equal(lo[3:], banded[f"left_thigh_m{axis}"][3:])
        np.testing.assert_array_equal(lo[3:], hi[3:])


def test_the_band_is_as_wide_as_statics_says(banded) -> None:
    # Feet may push apart: the more, the nearer both forces are to the edge of the pyramid. The hip
    # is 0.88 m above the ground, so its moment about the forward axis spans about twice the
    # largest outward push times that height.
    weight = MASSES.sum() * STANDARD_GRAVITY
    width = (banded["left_thigh_mx_hi"] - banded["left_thigh_mx_lo"])[:3]
    assert (width > 0.5 * weight * 0.88).all()
    assert (width < 1.5 * weight * 0.88).all()
    trunk = (banded["trunk_mx_hi"] - banded["trunk_mx_lo"])[:3]
    np.testing.assert_allclose(trunk, 0, atol=1e-9)


def test_unflagged_frames_of_a_recorded_walk_are_within_the_band(shared_data) -> None:
    """Next to a seam a foot may press beside its sole; then the frame says so."""
    path = shared_data / "bvh" / "blender" / "walk01.bvh"
    torques = mr.analyze(path, mass=70.0, band=True, ground="filtered").torques
    sound = (torques.flag == "").to_numpy()
    assert 0.7 < sound.mean() < 1
    columns = [column[:-3] for column in torques if column.endswith("_lo")]
    own, low, high = (
        torques.loc[sound, [f"{c}{end}" for c in columns]].to_numpy() for end in ("", "_lo", "_hi")
    )
    assert (own >= low - 1e-6).all() and (own <= high + 1e-6).all()
    assert (high - low)[(torques["mode"] == "double")[sound]].max() > 10


def test_consistent_forces_are_one_admissible_choice(shared_data) -> None:
    path = shared_data / "bvh" / "blender" / "walk01.bvh"
    torques = mr.analyze(path, mass=70.0, band=True).torques
    assert (torques.flag == "").mean() > 0.9
    sound = (torques.flag == "").to_numpy()
    columns = [column[:-3] for column in torques if column.endswith("_lo")]
    own, low, high = (
        torques.loc[sound, [f"{c}{end}" for c in columns]].to_numpy() for end in ("", "_lo", "_hi")
    )
    assert (own >= low - 1e-6).all() and (own <= high + 1e-6).all()


def test_plates_leave_nothing_to_share() -> None:
    torques = mr.analyze(SAMPLE, band=True, forces="auto").torques
    both = torques["mode"] == "double"
    width = torques["left_thigh_mx_hi"] - torques["left_thigh_mx_lo"]
    assert (width[both & (torques.source == "measured")] == 0).all()
    assert (width[both & (torques.source == "predicted")] > 0).any()
