"""iDynTree re-roots too: its floating base can be any link. Ours must hand it the right base state.

The captured tree goes to iDynTree as URDF (hinges and slides, arbitrary rest rotations). With the
captured root as base it gives reference states; with any other body as base, its pose, velocity and
acceleration taken from our re-rooted motion, every link must agree.
"""

from __future__ import annotations

import numpy as np
import pytest

from mocap_reroot.rerooting.reroot import reroot
from mocap_reroot.types import JointType, Motion, Skeleton
from tests.naive import Moving, capture_world, joint_state, matrix
from tests.random_trees import random_motion, random_skeleton

idyntree = pytest.importorskip("idyntree.bindings", reason="an optional peer: pip install idyntree")

URDF_TYPES = {
    JointType.REVOLUTE: "continuous",
    JointType.PRISMATIC: "prismatic",
}


def urdf(skeleton: Skeleton) -> str:
    """Return the captured tree as URDF; joints are named after the bodies that use them."""
    inertia = "<mass value='1'/><inertia ixx='1' iyy='1' izz='1' ixy='0' ixz='0' iyz='0'/>"
    lines = ["<robot name='tree'>"]
    lines += [f"<link name='{n}'><inertial>{inertia}</inertial></link>" for n in skeleton.names]
    for i, parent in enumerate(skeleton.parents):
        if parent < 0:
            continue
        R = matrix(skeleton.rest[i])
        rpy = np.arctan2(R[2, 1], R[2, 2]), -np.arcsin(R[2, 0]), np.arctan2(R[1, 0], R[0, 0])
        kind = URDF_TYPES[JointType(int(skeleton.joint_types[i]))]
        limit = "<limit lower='-9' upper='9' effort='9' velocity='9'/>"
        lines.append(
            f"<joint name='joint_{skeleton.names[i]}' type='{kind}'>"
            f"<origin xyz='{words(skeleton.offset[i])}' rpy='{words(rpy)}'/>"
            f"<axis xyz='{words(skeleton.axes[i, 0])}'/>{limit}"
            f"<parent link='{skeleton.names[parent]}'/><child link='{skeleton.names[i]}'/></joint>"
        )
    return "".join([*lines, "</robot>"])


def words(values) -> str:
    return " ".join(f"{v:.17g}" for v in values)


def states_with_base(motion: Motion, base: int, state: Moving) -> list[Moving]:
    """Return iDynTree's world states of all links of a captured motion, given one link's."""
    skeleton = motion.skeleton
    loader = idyntree.ModelLoader()
    order = idyntree.StringVector()
    moving = [i for i in range(skeleton.n_bodies) if joint_state(motion, i, 0)[0].size == 1]
    for i in moving:
        order.push_back(f"joint_{skeleton.names[i]}")
    assert loader.loadReducedModelFromString(urdf(skeleton), order)
    computer = idyntree.KinDynComputations()
    assert computer.loadRobotModel(loader.model())
    computer.setFrameVelocityRepresentation(idyntree.MIXED_REPRESENTATION)
    assert computer.setFloatingBase(skeleton.names[base])
    s, ds, dds = (np.array([joint_state(motion, i, 0)[k][0] for i in moving]) for k in range(3))
    pose = np.eye(4)
    pose[:3, :3], pose[:3, 3] = state.R, state.p
    twist = np.concatenate([state.v, state.w])  # linear first
    assert computer.setRobotState(pose, s, twist, ds, np.zeros(3))
    spatial = np.concatenate([state.a, state.al])
    found = []
    for name in skeleton.names:
        transform = computer.getWorldTransform(name)
        velocity = computer.getFrameVel(name).toNumPy()
        acceleration = np.zeros(6)
        assert computer.getFrameAcc(name, spatial, dds, acceleration)
        found.append(
            Moving(
                transform.getRotation().toNumPy(),
                transform.getPosition().toNumPy(),
                velocity[3:],
                velocity[:3],
                acceleration[3:],
                acceleration[:3],
            )
        )
    return found


@pytest.mark.parametrize("n", [2, 5, 9])
def test_every_base(n):
    rng = np.random.default_rng(n)
    kinds = (JointType.REVOLUTE, JointType.REVOLUTE, JointType.PRISMATIC)
    motion = random_motion(rng, random_skeleton(rng, n, kinds=kinds))
    root = motion.skeleton.root
    reference = states_with_base(motion, root, capture_world(motion)[root])
    for base in range(n):
        moved = reroot(motion, root=base)
        state = Moving(
            matrix(moved.rotation[base, :, 0]),
            moved.skeleton.offset[base] + moved.displacement[moved.skeleton.slot[base], :, 0],
            matrix(moved.rotation[base, :, 0]) @ moved.angular_velocity[base, :, 0],
            moved.linear_velocity[moved.skeleton.slot[base], :, 0],
            matrix(moved.rotation[base, :, 0]) @ moved.angular_acceleration[base, :, 0],
            moved.linear_acceleration[moved.skeleton.slot[base], :, 0],
        )
        for here, there in zip(states_with_base(motion, base, state), reference, strict=True):
            for key in ("R", "p", "w", "v", "al", "a"):
                a, b = getattr(here, key), getattr(there, key)
                assert np.abs(a - b).max() < 1e-9 * max(10, np.abs(b).max()), (base, key)
