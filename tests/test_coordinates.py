"""Joint coordinates and motions are two views of the same state, on any tree."""

import numpy as np
import pytest

from mocap_reroot.errors import MocapRerootError
from mocap_reroot.mechanics.coordinates import Coordinates
from mocap_reroot.mechanics.kinematics import forward
from mocap_reroot.rerooting.reroot import reroot
from mocap_reroot.types import WORLD, Closure, JointType
from tests.random_trees import random_body, random_motion, random_skeleton, random_unit


@pytest.mark.parametrize("root", list(JointType))
def test_there_and_back(root):
    rng = np.random.default_rng(int(root))
    skeleton = random_skeleton(rng, 8, root=root)
    motion = random_motion(rng, skeleton, frames=3)
    layout = Coordinates(skeleton)
    states = [layout.of_motion(motion, f) for f in range(3)]
    q, speed, acceleration = (np.stack(x, axis=1) for x in zip(*states, strict=True))
    assert layout.n_speeds == len(speed)
    again = layout.to_motion(q, speed, acceleration, up=motion.up, fps=motion.fps)
    for name in ("displacement", "angular_velocity", "linear_velocity"):
        assert np.abs(getattr(again, name) - getattr(motion, name)).max(initial=0) < 1e-12
    for name in ("angular_acceleration", "linear_acceleration"):
        assert np.abs(getattr(again, name) - getattr(motion, name)).max(initial=0) < 1e-9
    ours, theirs = forward(again), forward(motion)
    assert np.abs(ours.matrix - theirs.matrix).max() < 1e-12
    assert np.abs(ours.acceleration - theirs.acceleration).max() < 1e-8


def test_rerooted_trees_have_coordinates_too():
    rng = np.random.default_rng(9)
    motion = random_motion(rng, random_skeleton(rng, 7))
    rooted = reroot(motion, root="body3", at=rng.normal(size=3))
    layout = Coordinates(rooted.skeleton)
    q, speed, acceleration = layout.of_motion(rooted)
    again = layout.to_motion(q, speed, acceleration, up=motion.up)
    for body in range(7):
        before = forward(motion).point(body, np.ones(3))
        assert np.abs(forward(again).point(body, np.ones(3)) - before).max() < 1e-12


def test_closures_stay_with_the_capture_frame():
    """A point fixed in a body is the same place in the tree and in its re-rooted form."""
    from mocap_reroot.mechanics.closed_chain import ClosedChain

    rng = np.random.default_rng(4)
    motion = random_motion(rng, random_skeleton(rng, 6))
    body = random_body(rng, motion.skeleton)
    loop = Closure(1, 4, rng.normal(size=(2, 3)), random_unit(rng, 2, 4), np.ones(6, bool))
    foot = Closure(WORLD, 2, rng.normal(size=(2, 3)), random_unit(rng, 2, 4), np.ones(6, bool))
    errors = []
    for one in (motion, reroot(motion, root="body5", at=rng.normal(size=3))):
        chain = ClosedChain(one.skeleton, body, (loop, foot))
        errors.append(chain.errors(chain.coordinates.of_motion(one)[0]))
    assert np.abs(errors[0] - errors[1]).max() < 1e-11


def test_what_does_not_fit_is_said():
    rng = np.random.default_rng(0)
    skeleton = random_skeleton(rng, 4)
    other = random_body(rng, random_skeleton(rng, 5))
    with pytest.raises(MocapRerootError, match="another skeleton"):
        Coordinates(skeleton).bodies(other)
    far = Closure(0, 9, np.zeros((2, 3)), random_unit(rng, 2, 4), np.ones(6, bool))
    with pytest.raises(MocapRerootError, match="does not exist"):
        Coordinates(skeleton).closures((far,))
    with pytest.raises(MocapRerootError, match="joins two bodies"):
        Closure(1, 1, np.zeros((2, 3)), random_unit(rng, 2, 4), np.ones(6, bool))
