"""Support joints that allow less than everything: exact where they can be, honest where not."""

import numpy as np
import pytest

from mocap_reroot.errors import MocapRerootError
from mocap_reroot.rerooting.reroot import reroot
from mocap_reroot.types import JointType
from tests.naive import matrix
from tests.random_trees import random_motion, random_skeleton
from tests.rerooting.seams import JUMPS, jump

HELD = ("spherical", "revolute", "fixed")


def told(motion):
    (found,) = [i for i in motion.source.inferred if i.what == "support joint"]
    return found.value


@pytest.mark.parametrize("joint", HELD)
def test_a_captured_joint_of_that_kind_comes_back(joint):
    kind = JointType[joint.upper()]
    rng = np.random.default_rng(int(kind))
    motion = random_motion(rng, random_skeleton(rng, 6, root=kind), frames=50)
    away = reroot(motion, root=(motion.skeleton.root + 1) % 6)
    back = reroot(away, root=motion.skeleton.root, joint=joint)
    root = motion.skeleton.root
    assert back.skeleton.joint_types[root] == kind
    assert np.allclose(back.skeleton.offset[root], motion.skeleton.offset[root], atol=1e-12)
    assert max(jump(back, motion).values()) < 1e-9
    assert max(told(back)["discarded_rms"].values()) < 1e-9
    assert not back.source.warnings
    if joint == "revolute":  # the same direction in the world, either sense
        directions = [
            matrix(s.rest[root]) @ s.axes[root, 0] for s in (back.skeleton, motion.skeleton)
        ]
        assert abs(directions[0] @ directions[1]) == pytest.approx(1, abs=1e-12)


@pytest.mark.parametrize("joint", HELD)
def test_what_is_discarded_is_what_the_free_joint_had(joint):
    rng = np.random.default_rng(11)
    motion = random_motion(rng, random_skeleton(rng, 5), frames=40)
    free = reroot(motion, root=2, at=[0.1, 0.2, 0.3])
    held = reroot(motion, root=2, at=[0.1, 0.2, 0.3], joint=joint)
    slot = free.skeleton.slot[2]
    path = free.displacement[slot]
    rms = {
        "position": path - path.mean(axis=1, keepdims=True),
        "velocity": free.linear_velocity[slot],
        "acceleration": free.linear_acceleration[slot],
    }
    if joint == "fixed":
        rms["angular velocity"] = free.angular_velocity[2]
        rms["angular acceleration"] = free.angular_acceleration[2]
    value = told(held)
    assert value["body"] == motion.skeleton.names[2] and value["joint"] == joint
    for what, lost in rms.items():
        expected = np.sqrt((lost**2).sum(axis=0).mean())
        assert value["discarded_rms"][what] == pytest.approx(expected, rel=1e-12)
    assert held.source.warnings[-1].startswith(f"A {joint} joint holds 'body2'")
    assert held.skeleton.slot[2] == -1
    # joints below the support are untouched
    for i in (i for i in range(5) if i != 2):
        assert np.array_equal(held.rotation[i], free.rotation[i])


def test_a_hinge_about_a_given_axis_keeps_the_turning_about_it():
    rng = np.random.default_rng(12)
    motion = random_motion(rng, random_skeleton(rng, 4), frames=30)
    free = reroot(motion, root=1)
    held = reroot(motion, root=1, joint="revolute", axis=[0, 0, 2.0])
    axis = held.skeleton.axes[1, 0]
    assert np.allclose(held.angular_velocity[1], np.outer(axis, axis @ free.angular_velocity[1]))
    world = np.array([0, 0, 1.0])
    for f in range(30):  # the axis keeps its direction in the world
        w, x, y, z = held.rotation[1, :, f]
        v = np.array([x, y, z])
        t = 2 * np.cross(v, axis)
        assert np.allclose(axis + w * t + np.cross(v, t), world, atol=1e-9)
    with pytest.raises(MocapRerootError, match="direction in the world"):
        reroot(motion, root=1, joint="revolute", axis=[0, 0, 0])


def test_jump_knows_its_quantities():
    rng = np.random.default_rng(13)
    motion = random_motion(rng, random_skeleton(rng, 4), frames=3)
    assert tuple(jump(motion, motion)) == JUMPS
    fixed = reroot(motion, root=1, joint="fixed")
    assert jump(motion, fixed)["position"] > 1e-2
