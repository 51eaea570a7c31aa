"""Loops in relative coordinates: a re-rooted body in double support has one to close."""

import numpy as np
import pytest

from mocap_reroot.mechanics.closed_chain import ClosedChain
from mocap_reroot.mechanics.constraints import joint
from mocap_reroot.mechanics.kinematics import forward
from mocap_reroot.rerooting.reroot import reroot
from mocap_reroot.types import WORLD
from tests.mechanics.closed_examples import legged_skeleton
from tests.random_trees import random_body, random_motion


@pytest.mark.parametrize("seed", range(4))
def test_second_foot_of_a_rerooted_body_is_held(seed):
    """The tree stands on one foot; the other is put back to where it should stand."""
    rng = np.random.default_rng(seed)
    motion = random_motion(rng, legged_skeleton(rng, 2))
    standing = reroot(motion, root="foot0", joint="fixed")
    skeleton = standing.skeleton
    world = forward(standing)
    other = skeleton.index("foot1")
    at = 0.1 * rng.normal(size=3)
    place = world.point(other, at)[:, 0] + 0.02 * rng.normal(size=3)  # it has slid
    hold = joint("rigid", WORLD, other, place, at, axes_second=_inverse(world.orientation[other]))
    loops = ClosedChain(skeleton, random_body(rng, motion.skeleton), (hold,))
    q, _, _ = loops.coordinates.of_motion(standing)
    assert np.abs(loops.errors(q)).max() > 0.005
    closed, count = loops.close(q, precision=1e-11)
    assert count <= 12
    after = forward(loops.coordinates.to_motion(closed))
    assert np.abs(after.point(other, at)[:, 0] - place).max() < 1e-10
    assert np.abs(after.matrix[other] - world.matrix[other]).max() < 1e-10
    foot = skeleton.index("foot0")
    assert np.abs(after.position[foot] - world.position[foot]).max() < 1e-13


def test_corrections_are_the_least():
    rng = np.random.default_rng(1)
    motion = random_motion(rng, legged_skeleton(rng, 2))
    body = random_body(rng, motion.skeleton)
    loop = joint("spherical", 3, 6, rng.normal(size=3), rng.normal(size=3))
    loops = ClosedChain(motion.skeleton, body, (loop,))
    q, speed, _ = loops.coordinates.of_motion(motion)
    new = loops.keep_closed(q, speed)
    jacobian, inertia = loops.constraints(q)[0], loops.mass_matrix(q)
    assert np.abs(jacobian @ new).max() < 1e-10
    # against every other admissible speed, the change costs the least kinetic energy
    null = np.linalg.svd(jacobian)[2][len(jacobian) :]
    assert np.abs(null @ inertia @ (new - speed)).max() < 1e-9


def _inverse(q):
    return q[:, 0] * (1, -1, -1, -1)
