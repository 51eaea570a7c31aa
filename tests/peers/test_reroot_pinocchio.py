"""Pinocchio models of the captured and of the re-rooted tree describe the same bodies.

Our forward kinematics takes no part: both trees, with the joint coordinates extracted from each, go
to Pinocchio, and its placements, spatial velocities and accelerations are compared.
"""

import numpy as np
import pytest

from mocap_reroot.rerooting.reroot import reroot
from mocap_reroot.types import JointType
from tests.naive import Moving
from tests.random_trees import random_motion, random_skeleton

pytest.importorskip("pinocchio", reason="Pinocchio is the peer here: pip install pin")
from tests.peers.pinocchio_trees import pinocchio_tree

KEYS = ("R", "p", "w", "v", "al", "a")


def capture_states(motion) -> dict[str, np.ndarray]:
    """Return Pinocchio's world states, moved from the current to the capture origins."""
    found = pinocchio_tree(motion.skeleton).world(motion)
    bodies = [
        Moving(*(found[key][i] for key in KEYS)).at(-motion.skeleton.origin[i])
        for i in range(motion.skeleton.n_bodies)
    ]
    return {key: np.array([getattr(b, key) for b in bodies]) for key in KEYS}


@pytest.mark.parametrize("root", list(JointType))
@pytest.mark.parametrize("n", [2, 5, 12])
def test_every_root_of_random_trees(n, root):
    rng = np.random.default_rng([n, int(root)])
    motion = random_motion(rng, random_skeleton(rng, n, root=root))
    captured = capture_states(motion)
    for top in range(n):
        moved = capture_states(reroot(motion, root=top, at=rng.normal(size=3)))
        for key in KEYS:
            scale = max(1.0, np.abs(captured[key]).max())
            assert np.abs(moved[key] - captured[key]).max() < 1e-9 * scale, (top, key)


@pytest.mark.parametrize("kind", list(JointType))
def test_chains_of_one_kind_of_joint(kind):
    rng = np.random.default_rng(int(kind))
    motion = random_motion(rng, random_skeleton(rng, 6, kinds=(kind,)))
    captured = capture_states(motion)
    for top in range(6):
        moved = capture_states(reroot(motion, root=top))
        for key in KEYS:
            scale = max(1.0, np.abs(captured[key]).max())
            assert np.abs(moved[key] - captured[key]).max() < 1e-9 * scale, (top, key)
