"""Centre of mass and angular momentum, and what turns of joints do to them."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import mocap_reroot as mr
from mocap_reroot.mechanics.centroidal import Centroidal, angular_momentum
from mocap_reroot.mechanics.kinematics import forward
from mocap_reroot.mechanics.whole_body import part_wrenches
from mocap_reroot.numerics.vectors import cross, product

WALK = Path(__file__).resolve().parents[2] / "sample_data/walk.bvh"
RATES = ("angular_velocity", "angular_acceleration", "linear_velocity", "linear_acceleration")


@pytest.fixture(scope="module")
def smooth() -> mr.Motion:
    return mr.smooth(mr.read(WALK).cut(20, 60), 6.0)


def test_differences_of_poses_have_the_momentum_of_their_rates(smooth: mr.Motion) -> None:
    body = mr.body_model(smooth, mass=70.0)
    whole = part_wrenches(smooth, body)
    about = whole.momentum[0][6:] - cross(whole.centre - whole.about, whole.momentum[0][3:6])
    found = angular_momentum(forward(replace(smooth, **dict.fromkeys(RATES))), body)
    middle = (about[:, 1:] + about[:, :-1]) / 2
    assert np.abs(found - middle).max() < 0.01 * np.abs(about).max()


def test_turns_of_joints_do_what_they_are_said_to(smooth: mr.Motion) -> None:
    body, small = mr.body_model(smooth, mass=70.0), 1e-5
    bare = replace(smooth, **dict.fromkeys(RATES))
    twice = {name: getattr(bare, name)[..., [9, 9]] for name in ("rotation", "displacement")}
    still = replace(bare, **twice, flags=bare.flags[:2])
    world = forward(still)
    placed = Centroidal.of(world, body)
    for joint in (still.skeleton.root, still.skeleton.index("LeftUpLeg")):
        way, spin = placed.turning(joint)
        parent = still.skeleton.parents[joint]
        for axis in np.eye(3):
            own = axis if parent < 0 else world.matrix[parent][1].T @ axis
            turn = np.concatenate([[1.0], own * small / 2])[:, None]
            rotation = np.array(still.rotation)
            rotation[joint][:, 1:] = product(turn, rotation[joint][:, 1:])
            moved = forward(replace(still, rotation=rotation))
            centre = np.diff(Centroidal.of(moved, body).centre)[:, 0] / small
            np.testing.assert_allclose(centre, way[0] @ axis, atol=1e-4)
            momentum = angular_momentum(moved, body)[:, 0] / (small * still.fps)
            np.testing.assert_allclose(momentum, spin[0] @ axis, atol=1e-3)
