"""Closed chains against the contact wrenches solved for directly, and against themselves."""

import numpy as np
import pytest

from mocap_reroot.errors import MocapRerootError
from mocap_reroot.kernels import tree as kernels
from mocap_reroot.mechanics.closed_chain import ClosedChain
from mocap_reroot.mechanics.kinematics import forward
from tests.mechanics.closed_examples import GRAVITY, standing
from tests.random_trees import random_body, random_motion, random_skeleton

KINDS = {"flat": 6, "line": 5, "point": 3}
GRID = [(kind, legs) for kind in KINDS for legs in (2, 3)]


def consistent_state(seed, legs, kind):
    """A state with accelerations that some torques do cause, and those torques."""
    chain, q, speed = standing(seed, legs, kind)
    rng = np.random.default_rng(seed + 1)
    torque = np.where(chain.actuated, 20 * rng.normal(size=len(speed)), 0.0)
    return chain, q, speed, torque, chain.forward(q, speed, torque)


def least_squares_wrenches(chain, q, speed, acceleration, weights):
    """Smallest Σ weight τ² over contact wrenches λ, with nothing at joints that cannot push."""
    tau = chain.inverse_dynamics(q, speed, acceleration)
    jacobian, _ = chain.constraints(q, speed)
    passive, active = ~chain.actuated, chain.actuated
    particular = np.linalg.lstsq(jacobian.T[passive], tau[passive], rcond=1e-10)[0]
    _, singular, right = np.linalg.svd(jacobian.T[passive])
    null = right[(singular > 1e-10 * singular[0]).sum() :].T
    root = np.sqrt(weights[active])[:, None]
    system, target = jacobian.T[active], (tau - jacobian.T @ particular)[active]
    y = np.linalg.lstsq(root * (system @ null), root[:, 0] * target, rcond=1e-10)[0]
    multipliers = particular + null @ y
    return tau - jacobian.T @ multipliers, multipliers


@pytest.mark.parametrize(("kind", "legs"), GRID)
@pytest.mark.parametrize("weighted", [False, True])
def test_inverse_equals_least_squares_over_contact_wrenches(kind, legs, weighted):
    chain, q, speed, _, acceleration = consistent_state(legs, legs, kind)
    rng = np.random.default_rng(5)
    weights = rng.uniform(0.2, 5, len(speed)) if weighted else np.ones(len(speed))
    found = chain.inverse(q, speed, acceleration, weights)
    torque, multipliers = least_squares_wrenches(chain, q, speed, acceleration, weights)
    scale = np.abs(torque).max()
    assert np.abs(found.torque - torque).max() < 1e-8 * scale
    assert np.abs(found.multipliers - multipliers).max() < 1e-8 * np.abs(multipliers).max()
    assert np.abs(found.unexplained).max() < 1e-8 * scale


@pytest.mark.parametrize(("kind", "legs"), GRID)
def test_degrees_of_freedom_and_redundancy(kind, legs):
    chain, q, speed = standing(legs, legs, kind)
    held = KINDS[kind] * legs
    assert chain.n_constraints == held
    move = chain.mobility(q, speed)
    assert move.n_freedoms == len(speed) - held
    assert len(move.rows) == held
    assert sorted([*move.dependent, *move.generalized]) == list(range(len(speed)))
    assert np.abs(move.jacobian @ move.W).max() < 1e-10 * np.abs(move.W).max()
    assert np.linalg.cond(move.jacobian[np.ix_(move.rows, move.dependent)]) < 1e4
    # six equations of the floating trunk; two points cannot hold the axis through both of them
    push = min(6, np.linalg.matrix_rank(move.jacobian[:, ~chain.actuated], tol=1e-8))
    assert push == (5 if (kind, legs) == ("point", 2) else 6)
    found = chain.inverse(q, speed, chain.forward(q, speed))
    assert found.redundancy == held - push


def test_repeated_closures_are_found_dependent():
    chain, q, speed = standing(4, 2, "flat")
    twice = ClosedChain(chain.skeleton, chain.body, chain.closures * 2, gravity=GRAVITY)
    once_move, move = chain.mobility(q, speed), twice.mobility(q, speed)
    assert len(move.rows) == len(once_move.rows) == 12
    assert np.abs(twice.forward(q, speed) - chain.forward(q, speed)).max() < 1e-8


@pytest.mark.parametrize(("kind", "legs"), GRID)
def test_forward_undoes_inverse(kind, legs):
    chain, q, speed, torque, acceleration = consistent_state(10 + legs, legs, kind)
    jacobian, drift = chain.constraints(q, speed)
    assert np.abs(jacobian @ acceleration + drift).max() < 1e-8  # the loops stay closed
    found = chain.inverse(q, speed, acceleration)
    assert np.abs(chain.forward(q, speed, found.torque) - acceleration).max() < 1e-7
    # the paper's unit vectors, one inverse dynamics a degree of freedom, give the same inertia
    still, move = np.zeros(len(speed)), chain.mobility(q, speed)
    rest = chain.inverse_dynamics(q, still, still)
    columns = [chain.inverse_dynamics(q, still, column) - rest for column in move.W.T]
    matrix = move.W.T @ np.column_stack(columns)
    assert np.abs(matrix - chain.inertia(q)).max() < 1e-10 * np.abs(matrix).max()
    # the torques put in do the same as those that came out: equal generalized forces
    assert np.abs(move.W.T @ (torque - found.torque)).max() < 1e-8 * np.abs(torque).max()


@pytest.mark.parametrize("kind", KINDS)
def test_total_contact_wrench_does_not_depend_on_the_choice(kind):
    chain, q, speed, _, acceleration = consistent_state(20, 3, kind)
    rng = np.random.default_rng(0)
    motion = chain.coordinates.to_motion(q, speed, acceleration)
    world = forward(motion)
    mass, com, inertia = chain.body.mass, chain.body.com, chain.body.inertia
    turn = world.matrix[:, 0]
    arm = np.einsum("nij,nj->ni", turn, com)
    w, al = world.angular_velocity[..., 0], world.angular_acceleration[..., 0]
    a = world.acceleration[..., 0] + np.cross(al, arm) + np.cross(w, np.cross(w, arm))
    needed = mass[:, None] * (a - GRAVITY)  # sums over bodies, none of the chain's formulas
    turned = turn @ inertia @ turn.transpose(0, 2, 1)
    spin = np.einsum("nij,nj->ni", turned, al)
    spin += np.cross(w, np.einsum("nij,nj->ni", turned, w))
    moment = (spin + np.cross(world.position[..., 0] + arm, needed)).sum(axis=0)
    points = [world.point(c.second, c.point[1])[:, 0] for c in chain.closures]
    for _ in range(3):
        weights = rng.uniform(0.1, 10, len(speed))
        wrench = chain.inverse(q, speed, acceleration, weights).wrenches
        scale = np.abs(wrench).max()
        assert np.abs(wrench[:, 3:].sum(axis=0) - needed.sum(axis=0)).max() < 1e-9 * scale
        total = (wrench[:, :3] + np.cross(points, wrench[:, 3:])).sum(axis=0)
        assert np.abs(total - moment).max() < 1e-9 * scale


@pytest.mark.parametrize("kind", KINDS)
def test_drift_is_the_derivative_of_the_jacobian(kind):
    chain, q, speed = standing(3, 2, kind)
    h = 1e-5
    _, drift = chain.constraints(q, speed)
    ends = []
    for step in (h, -h):
        moved = np.empty_like(q)
        kernels.advance(chain.coordinates.tree, q, speed, step, moved)
        ends.append(chain.constraints(moved, speed)[0] @ speed)
    assert np.abs((ends[0] - ends[1]) / (2 * h) - drift).max() < 1e-6


def test_closure_between_two_moving_bodies_has_the_right_jacobian_and_drift():
    rng = np.random.default_rng(8)
    chain, q, _ = standing(3, 2, "flat")
    pair = chain.closures[0]
    axes = np.array([[1.0, 0, 0, 0], [1.0, 0, 0, 0]])
    loop = type(pair)(3, 6, rng.normal(size=(2, 3)), axes, np.array([1, 1, 1, 0, 0, 0]), "loop")
    closed = ClosedChain(chain.skeleton, chain.body, (loop,), gravity=GRAVITY)
    speed = rng.normal(size=closed.coordinates.n_speeds)  # any speed: the loop opens
    h, ends, gaps = 1e-5, [], []
    jacobian, drift = closed.constraints(q, speed)
    for step in (h, -h):
        moved = np.empty_like(q)
        kernels.advance(chain.coordinates.tree, q, speed, step, moved)
        ends.append(closed.constraints(moved, speed)[0] @ speed)
        gaps.append(closed.errors(moved))
    assert np.abs((gaps[0] - gaps[1]) / (2 * h) - jacobian @ speed).max() < 1e-7
    assert np.abs((ends[0] - ends[1]) / (2 * h) - drift).max() < 1e-6


def test_open_tree_needs_no_closures():
    rng = np.random.default_rng(2)
    skeleton = random_skeleton(rng, 9)
    chain = ClosedChain(skeleton, random_body(rng, skeleton), gravity=GRAVITY)
    q, speed, acceleration = chain.coordinates.of_motion(random_motion(rng, skeleton))
    tau = chain.inverse_dynamics(q, speed, acceleration)
    assert chain.mobility(q).n_freedoms == len(speed)
    assert np.abs(chain.forward(q, speed, tau) - acceleration).max() < 1e-8
    matrix = chain.inertia(q)
    assert np.abs(matrix - matrix.T).max() < 1e-10
    assert np.linalg.eigvalsh(matrix).min() > 0
    kinetic, _ = chain.energies(q, speed)
    assert kinetic == pytest.approx(0.5 * speed @ matrix @ speed, rel=1e-12)


def test_letting_go_and_wrong_names():
    chain, q, speed = standing(1, 2, "flat")
    assert chain.without("foot0").mobility(q, speed).n_freedoms == len(speed) - 6
    with pytest.raises(MocapRerootError, match="There is no closure named 'foot9'"):
        chain.without("foot9")
    with pytest.raises(MocapRerootError, match="no joint named 'glue'"):
        standing(1, 2, "glue")
    with pytest.raises(MocapRerootError, match="actuated has shape"):
        ClosedChain(chain.skeleton, chain.body, actuated=np.ones(3, bool))
