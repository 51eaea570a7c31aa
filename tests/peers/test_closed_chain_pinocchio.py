"""Closed-chain forward dynamics equals Pinocchio's constrained dynamics on the same states."""

import numpy as np
import pytest

from mocap_reroot.mechanics.closed_chain import ClosedChain
from mocap_reroot.mechanics.kinematics import forward
from mocap_reroot.papers.swing_model import SwingModel
from mocap_reroot.types import WORLD, Closure, held_directions
from tests.mechanics.closed_examples import standing
from tests.random_trees import random_unit

pytest.importorskip("pinocchio", reason="Pinocchio is the peer here: pip install pin")
import pinocchio as pin

from tests.peers.pinocchio_trees import pinocchio_tree, placement

GRAVITY = np.array([0.0, -9.80665, 0.0])


def rigid_constraint(tree, closure, skeleton):
    """The same closure as Pinocchio states it."""
    kind = pin.ContactType.CONTACT_6D if closure.held.all() else pin.ContactType.CONTACT_3D
    ends = []
    for k, body in enumerate((closure.first, closure.second)):
        origin = np.zeros(3) if body == WORLD else skeleton.origin[body]
        frame = placement(closure.axes[k], closure.point[k] - origin)
        if body != WORLD:
            frame = tree.model.frames[tree.frame[body]].placement * frame
        ends += [0 if body == WORLD else tree.joint[body], frame]
    return pin.RigidConstraintModel(kind, tree.model, *ends, pin.ReferenceFrame.LOCAL)


def pinocchio_acceleration(chain, q, speed, torque, up=None):
    """Pinocchio's answer, in our order of speeds."""
    tree = pinocchio_tree(chain.skeleton, chain.body, up)
    motion = chain.coordinates.to_motion(q, speed)
    their_q, their_v, _ = tree.state(motion)
    starts = chain.coordinates.v_start[1:-1]
    their_torque = tree.from_joint_values(np.split(torque, starts))
    models, data = pin.StdVec_RigidConstraintModel(), pin.StdVec_RigidConstraintData()
    for closure in chain.closures:
        models.append(rigid_constraint(tree, closure, chain.skeleton))
        data.append(models[-1].createData())
    pin.initConstraintDynamics(tree.model, tree.data, models, data)
    settings = pin.ProximalSettings(1e-14, 1e-10, 100)
    found = pin.constraintDynamics(
        tree.model, tree.data, their_q, their_v, their_torque, models, data, settings
    )
    return np.concatenate(tree.joint_values(found))


@pytest.mark.parametrize("kind", ["flat", "point"])
@pytest.mark.parametrize("legs", [2, 3])
def test_feet_on_the_ground(kind, legs):
    chain, q, speed = standing(30 + legs, legs, kind)
    chain = ClosedChain(chain.skeleton, chain.body, chain.closures, gravity=GRAVITY)
    torque = 10 * np.random.default_rng(legs).normal(size=len(speed))
    ours = chain.forward(q, speed, torque)
    theirs = pinocchio_acceleration(chain, q, speed, torque)
    assert np.abs(ours - theirs).max() < 1e-7 * max(1, np.abs(theirs).max())


@pytest.mark.parametrize("kind", ["flat", "point"])
def test_a_loop_between_two_moving_bodies(kind):
    rng = np.random.default_rng(7)
    standing_chain, q, _ = standing(5, 2, "flat")
    skeleton = standing_chain.skeleton
    world = forward(standing_chain.coordinates.to_motion(q))
    first, second = skeleton.index("foot0"), skeleton.index("hand")
    meeting, turn = rng.normal(size=3), random_unit(rng, 4)
    points, axes = [], []
    for body in (first, second):
        frame = placement(world.orientation[body, :, 0], world.position[body, :, 0])
        here = frame.inverse() * placement(turn, meeting)
        quaternion = pin.Quaternion(here.rotation)
        points.append(here.translation)
        axes.append([quaternion.w, quaternion.x, quaternion.y, quaternion.z])
    loop = Closure(first, second, np.array(points), np.array(axes), held_directions(kind), "loop")
    closures = (loop, standing_chain.closures[1])
    chain = ClosedChain(skeleton, standing_chain.body, closures, gravity=GRAVITY)
    assert np.abs(chain.errors(q)).max() < 1e-12
    move = chain.mobility(q)
    speed = move.W @ rng.normal(size=move.n_freedoms)
    torque = 10 * rng.normal(size=len(speed))
    ours = chain.forward(q, speed, torque)
    theirs = pinocchio_acceleration(chain, q, speed, torque)
    assert np.abs(ours - theirs).max() < 1e-7 * max(1, np.abs(theirs).max())


@pytest.mark.parametrize("grip", ["point", "rigid"])
def test_the_swing(grip):
    """The paper's own example, in motion, with both hands, one, and none."""
    model = SwingModel(grip=grip, gravity=9.80665)
    chain, q, rng = model.chain(), model.start(), np.random.default_rng(0)
    if grip == "rigid":
        q, _ = chain.close(q, precision=1e-13)
    up = np.array([0.0, 0.0, 1.0])
    for letting_go in ((), ("left_hand",), ("left_hand", "right_hand")):
        held = chain.without(*letting_go)
        move = held.mobility(q)
        speed = move.W @ rng.normal(size=move.n_freedoms)
        torque = 10 * rng.normal(size=len(speed))
        ours = held.forward(q, speed, torque)
        theirs = pinocchio_acceleration(held, q, speed, torque, up)
        assert np.abs(ours - theirs).max() < 1e-7 * max(1, np.abs(theirs).max())
