"""The general walker: three dimensions, momentum through impacts, and the integrator."""

import numpy as np
import pytest

from mocap_reroot.mechanics.coordinates import Coordinates
from mocap_reroot.mechanics.kinematics import forward
from mocap_reroot.papers.integrate import Event, State, integrate, runge_kutta
from mocap_reroot.papers.walker import Stance, Tip, Walker, strike, walk
from mocap_reroot.types import JointType, Plane, Skeleton
from tests.random_trees import random_body, random_motion, random_skeleton

UP = np.array([0.0, 0.0, 1.0])
KINDS = (JointType.REVOLUTE, JointType.SPHERICAL, JointType.UNIVERSAL, JointType.PRISMATIC)


def standing_tree(seed: int, joint: str = "spherical"):
    rng = np.random.default_rng(seed)
    skeleton = random_skeleton(rng, 6, KINDS, root=JointType.SPHERICAL)
    tips = tuple(Tip(name, name, 0.3 * rng.normal(size=3)) for name in skeleton.names)
    axis = np.array([0.0, 1.0, 0.0]) if joint == "revolute" else None
    walker = Walker(
        random_body(rng, skeleton), tips, Plane(np.zeros(3), UP), -9.81 * UP, joint, axis
    )
    stance = Stance(walker, skeleton, tips[skeleton.root])
    q, speed, _ = stance.tree.coordinates.of_motion(random_motion(rng, skeleton))
    return stance, State(0.0, q, speed)


def momentum_about(stance, state, point, bodies):
    """Linear and angular momentum of some bodies about a point, by sums over bodies."""
    world = forward(stance.tree.coordinates.to_motion(state.q, state.speed))
    body, skeleton = stance.walker.body, stance.skeleton
    linear, angular = np.zeros(3), np.zeros(3)
    for i in bodies:
        turn = world.matrix[i, 0]
        arm = turn @ (body.com[i] - skeleton.origin[i])
        w = world.angular_velocity[i, :, 0]
        v = world.velocity[i, :, 0] + np.cross(w, arm)
        linear += body.mass[i] * v
        spin = turn @ body.inertia[i] @ turn.T @ w
        at = world.position[i, :, 0] + arm - point
        angular += spin + body.mass[i] * np.cross(at, v)
    return linear, angular


@pytest.mark.parametrize("seed", range(5))
def test_impact_keeps_the_momentum_nothing_pushes(seed):
    stance, state = standing_tree(seed)
    skeleton = stance.skeleton
    tip = next(t for t in stance.walker.tips if t.body != skeleton.names[skeleton.root])
    point = stance.point(state.q, tip)
    after, new = strike(stance, state, tip)
    everyone = range(skeleton.n_bodies)
    before = momentum_about(stance, state, point, everyone)[1]
    assert np.abs(momentum_about(after, new, point, everyone)[1] - before).max() < 1e-9
    for other in stance.walker.tips:  # the pose is what it was
        assert np.abs(after.point(new.q, other) - stance.point(state.q, other)).max() < 1e-10
    # about every spherical joint, what lies beyond it keeps its angular momentum
    _, position = after.tree.poses(new.q)
    for i in np.flatnonzero(after.skeleton.joint_types == JointType.SPHERICAL):
        beyond = after.skeleton.subtree(int(i))
        old = momentum_about(stance, state, position[i], beyond)[1]
        assert np.abs(momentum_about(after, new, position[i], beyond)[1] - old).max() < 1e-9
    assert after.energies(new)[0] <= stance.energies(state)[0] + 1e-9  # plastic: none is made


def test_a_hinge_support_keeps_the_momentum_about_its_axis():
    stance, state = standing_tree(11, "revolute")
    tip = next(t for t in stance.walker.tips if t.body != stance.tip.body)
    after, new = strike(stance, state, tip)
    point, everyone = stance.point(state.q, tip), range(6)
    before = momentum_about(stance, state, point, everyone)[1][1]
    assert momentum_about(after, new, point, everyone)[1][1] == pytest.approx(before, rel=1e-10)


def test_a_three_dimensional_tree_tumbles_down():
    """Several bodies strike in turn; energy is kept between impacts and lost in them."""
    stance, state = standing_tree(3)
    low = min(stance.height(state.q, tip) for tip in stance.walker.tips)
    plane = Plane(UP * (low - 0.2), UP)
    walker = Walker(stance.walker.body, stance.walker.tips, plane, stance.walker.gravity)
    stance = Stance(walker, stance.skeleton, stance.tip)
    record = walk(stance, state, steps=3, dt=1e-3, longest=3.0)
    assert len(record.impacts) >= 2
    assert len({impact.tip for impact in record.impacts}) >= 2
    for (tree, states), impact in zip(record.stances, record.impacts, strict=False):
        totals = [sum(tree.energies(s)) for s in states]
        assert np.ptp(totals) < 1e-4 * tree.energies(states[0])[0] + 1e-6
        assert sum(impact.after[0].energies(impact.after[1])) <= totals[-1] + 1e-9


def test_runge_kutta_is_of_fourth_order_for_every_joint():
    stance, start = standing_tree(7)
    ends = []
    for n in (20, 40, 80):
        state = start
        for _ in range(n):
            state = runge_kutta(stance.tree.coordinates, stance.acceleration, state, 0.1 / n)
        ends.append(np.concatenate([state.q, state.speed]))
    ratio = np.abs(ends[0] - ends[1]).max() / np.abs(ends[1] - ends[2]).max()
    assert 12 < ratio < 22


def test_events_are_located_exactly():
    stone = Coordinates(
        Skeleton(
            ("stone",), np.array([-1]), np.zeros((1, 3)),
            joint_types=np.array([JointType.PRISMATIC]), axes=np.tile(UP, (1, 2, 1)),
        )
    )  # fmt: skip
    falling = stone, lambda state: np.array([-10.0])
    start = State(0.0, np.array([5.0]), np.array([0.0]))
    ground = Event("ground", lambda s: s.q[0])
    states, event = integrate(*falling, start, 9.0, [ground], longest=0.3)
    assert event is ground
    assert states[-1].time == pytest.approx(1.0, abs=1e-12)
    assert states[-1].speed[0] == pytest.approx(-10.0, abs=1e-11)
    states, event = integrate(*falling, start, 0.5, [ground])
    assert event is None
    assert states[-1].time == pytest.approx(0.5, abs=1e-12)
    refused = Event("refused", lambda s: s.q[0], lambda s: False)
    assert integrate(*falling, start, 2.0, [refused])[1] is None
