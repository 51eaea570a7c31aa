"""Forward kinematics agrees with Pinocchio's on random trees of every joint type."""

import numpy as np
import pytest

from mocap_reroot.mechanics.kinematics import forward
from mocap_reroot.types import JointType
from tests.random_trees import random_motion, random_skeleton

pytest.importorskip("pinocchio", reason="Pinocchio is the peer here: pip install pin")
from tests.peers.pinocchio_trees import pinocchio_tree


def worst_difference(motion) -> float:
    """Return the largest difference to Pinocchio, relative to the largest value of its kind."""
    tree, world, worst = pinocchio_tree(motion.skeleton), forward(motion), 0.0
    for f in range(motion.n_frames):
        theirs = tree.world(motion, f)
        ours = {
            "R": world.matrix[:, f],
            "p": world.position[..., f],
            "w": world.angular_velocity[..., f],
            "v": world.velocity[..., f],
            "al": world.angular_acceleration[..., f],
            "a": world.acceleration[..., f],
        }
        for key, value in ours.items():
            scale = max(1.0, np.abs(theirs[key]).max())
            worst = max(worst, np.abs(value - theirs[key]).max() / scale)
    return worst


@pytest.mark.parametrize("root", list(JointType))
@pytest.mark.parametrize("n", [1, 2, 7, 30])
def test_random_trees(n, root):
    rng = np.random.default_rng([n, int(root)])
    skeleton = random_skeleton(rng, n, root=root)
    assert worst_difference(random_motion(rng, skeleton, frames=3)) < 1e-10


@pytest.mark.parametrize("kind", list(JointType))
def test_one_kind_of_joint(kind):
    rng = np.random.default_rng(int(kind))
    skeleton = random_skeleton(rng, 8, kinds=(kind,))
    assert worst_difference(random_motion(rng, skeleton, frames=3)) < 1e-10
