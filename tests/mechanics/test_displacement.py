"""Displacement constraints: joint table, convergence, contradiction, Stoermer momentum."""

import numpy as np
import pytest

from mocap_reroot.errors import MocapRerootError
from mocap_reroot.mechanics.closed_chain import ClosedChain
from mocap_reroot.mechanics.constraints import directions, joint, pinned
from mocap_reroot.mechanics.displacement import Linearised, Solids, assemble, displace
from mocap_reroot.papers import stoermer
from mocap_reroot.types import WORLD, JointType, Skeleton
from tests.random_trees import random_body, random_unit

FREEDOMS = {
    "universal": 3, "pin": 1, "cylindrical": 2, "prismatic": 1, "ball-socket": 4,
    "smooth surface contact": 5, "spherical": 3, "sliding_ball": 4, "surface": 5, "plane": 3,
    "rigid": 0,
}  # fmt: skip


def balls(count, joints):
    """Return solids that are all alike: balls of 1 kg, with a radius of gyration of 0.1 m."""
    return Solids(np.ones(count), np.tile(0.01 * np.eye(3), (count, 1, 1)), tuple(joints))


def random_solids(rng, joints, n):
    points = rng.normal(size=(n, 5, 3)) * 0.2
    points -= points.mean(axis=1, keepdims=True)
    square = (points**2).sum(-1)[..., None, None] * np.eye(3)
    inertia = (square - points[..., :, None] * points[..., None, :]).sum(axis=1)
    return Solids(rng.uniform(0.5, 3, n), inertia, tuple(joints))


def random_chain(rng, n, kinds=("spherical", "pin")):
    """Solids in a row with random joint frames, and poses in which they do not fit."""
    joints = [
        joint(
            kinds[k % len(kinds)], k, k + 1, 0.3 * rng.normal(size=3), 0.3 * rng.normal(size=3),
            random_unit(rng, 4), random_unit(rng, 4), f"joint{k}",
        )
        for k in range(n - 1)
    ]  # fmt: skip
    return random_solids(rng, joints, n), rng.normal(size=(n, 3)), random_unit(rng, n, 4)


@pytest.mark.parametrize("kind", FREEDOMS)
def test_every_joint_leaves_exactly_its_freedoms(kind):
    rng = np.random.default_rng(len(kind))
    frames = random_unit(rng, 2, 4)
    one = joint(kind, 0, 1, *(0.3 * rng.normal(size=(2, 3))), *frames)
    solids = random_solids(rng, [one], 2)
    assert solids.n_constraints == 6 - FREEDOMS[kind]
    start = rng.normal(size=(2, 3)), random_unit(rng, 2, 4)
    found = assemble(solids, *start)
    assert found.precise, found.message
    # which small motions of the second solid are free, by trying them
    h, columns = 1e-6, []
    for c in range(6):
        ends = []
        for sign in (1, -1):
            move = np.zeros((2, 6))
            move[1, c] = sign * h
            ends.append(solids.errors(*displace(move, found.position, found.orientation)))
        columns.append((ends[0] - ends[1]) / (2 * h))
    numeric = np.transpose(columns)
    rank = int((np.linalg.svd(numeric, compute_uv=False) > 1e-4).sum()) if numeric.size else 0
    assert rank == 6 - FREEDOMS[kind]
    linear = Linearised.of(solids, found.position, found.orientation)
    assert np.abs(numeric - linear.jacobian.toarray()[:, 6:]).max() < 1e-7


def test_hinges_turned_by_any_angle_still_converge():
    rng = np.random.default_rng(3)
    one = joint("pin", WORLD, 0, np.zeros(3), [0.2, 0, 0])
    solids = random_solids(rng, [one], 1)
    for angle in np.linspace(-3.1, 3.1, 7):
        turn = np.array([[np.cos(angle / 2), np.sin(angle / 2), 0.05, -0.04]])
        turn /= np.linalg.norm(turn)
        found = assemble(solids, rng.normal(size=(1, 3)), turn, iterations=12)
        assert found.precise, f"{angle}: {found.message}"


def test_joints_by_directions():
    assert (directions("tj", "tk", "ri") == [False, True, True, True, False, False]).all()
    with pytest.raises(MocapRerootError, match="'tz' is no direction"):
        directions("tz")


def bar_and_disks():
    """Fig. 2: a bar whose ends have to coincide with the centres of two disks."""
    joints = [
        joint("spherical", 0, 1, [-0.5, 0, 0], np.zeros(3)),
        joint("spherical", 0, 2, [0.5, 0, 0], np.zeros(3)),
    ]
    inertia = np.stack([np.diag([0.01, 0.1, 0.1])] + [0.02 * np.eye(3)] * 2)
    solids = Solids(np.ones(3), inertia, tuple(joints))
    position = np.array([[0.0, 0, 0], [-0.1, 0.7, 0], [0.6, -0.6, 0]])
    return solids, position, np.tile([1.0, 0, 0, 0], (3, 1))


def test_bar_and_disks_converge_fast():
    """Fig. 2: a few iterations look perfect; once close, the error squares."""
    solids, position, orientation = bar_and_disks()
    found = assemble(solids, position, orientation, precision=1e-12)
    error = found.history["error_m"].to_numpy()
    assert found.precise
    assert len(error) - 1 <= 6
    assert error[4] < 1e-3 * error[0]
    late = error[(error < 0.1) & (error > 1e-10)]
    assert (np.log(late[1:]) / np.log(late[:-1]) > 1.6).all()


@pytest.mark.parametrize("n", [2, 5, 20])
def test_chains_assemble(n):
    solids, position, orientation = random_chain(np.random.default_rng(n), n)
    found = assemble(solids, position, orientation, iterations=100)
    assert found.precise, found.message
    assert np.abs(solids.errors(found.position, found.orientation)).max() < 1e-9
    # corrections are internal forces: the common centre of mass stays
    drift = solids.mass @ (found.position - position) / solids.mass.sum()
    assert np.abs(drift).max() < 1e-10


def test_gradients_solve_the_equation_of_the_whole_matrix():
    rng = np.random.default_rng(1)
    solids, position, orientation = random_chain(rng, 12)
    linear = Linearised.of(solids, position, orientation)
    b = rng.normal(size=solids.n_constraints)
    by_gradients, past = linear.gradients(b)
    assert (np.diff(past) <= 1e-12 * past[0]).all()  # the residual only falls
    columns = [linear.seen(linear.displacement(unit)) for unit in np.eye(len(b))]
    dense = np.column_stack(columns)  # A = J M⁻¹ Jᵀ
    exact = np.linalg.solve(dense, b)
    assert np.abs(dense @ by_gradients - b).max() < 1e-8 * np.abs(b).max()
    move = linear.displacement(exact)
    assert np.abs(linear.seen(move) - b).max() < 1e-9
    assert np.abs(linear.impulse(exact)[:, 3:] - solids.mass[:, None] * move[:, 3:]).max() < 1e-9


def test_led_solids_do_not_move():
    rng = np.random.default_rng(2)
    chain, position, orientation = random_chain(rng, 6)
    led = np.zeros(6, bool)
    led[0] = True
    solids = Solids(chain.mass, chain.inertia, chain.joints, led)
    found = assemble(solids, position, orientation)
    assert found.precise
    assert (found.position[0] == position[0]).all()
    assert np.abs(found.orientation[0] - orientation[0]).max() < 1e-15


def test_contradicting_constraints_give_least_squares_and_say_so():
    """One point wanted in three places: it goes to their mean."""
    places = np.array([[0.0, 0, 0], [1.0, 0, 0], [0.2, 0.9, 0.3]])
    solids = balls(1, [pinned(0, np.zeros(3), place) for place in places])
    start = np.array([[3.0, -1, 2]]), np.array([[1.0, 0, 0, 0]])
    found = assemble(solids, *start)
    assert not found.consistent
    assert not found.precise
    assert "contradict" in found.message
    assert np.abs(found.position[0] - places.mean(axis=0)).max() < 1e-7


def test_redundant_but_consistent_constraints_are_met():
    chain, position, orientation = random_chain(np.random.default_rng(4), 4)
    solids = Solids(chain.mass, chain.inertia, chain.joints * 2)
    found = assemble(solids, position, orientation)
    assert found.precise, found.message


def test_rotations_are_truncated():
    """Turned over, the linear step overshoots; cut to 0.8 rad it arrives."""
    one = joint("rigid", WORLD, 0, np.zeros(3), np.zeros(3))
    solids = balls(1, [one])
    turn = np.array([[np.cos(1.5), np.sin(1.5), 0, 0]])  # 3 rad away
    found = assemble(solids, np.zeros((1, 3)), turn)
    angles = found.history["error_rad"].to_numpy()
    assert found.precise
    assert -np.diff(angles).min() == pytest.approx(0.8, abs=1e-9)


def test_limits_are_kept():
    solids, position, orientation = random_chain(np.random.default_rng(5), 10)
    found = assemble(solids, position, orientation, iterations=2, linear_iterations=5)
    assert len(found.history) == 3
    assert found.history["linear_iterations"].max() == 5
    assert "Stopped after 2 iterations" in found.message
    with pytest.raises(MocapRerootError, match="names body 3"):
        balls(2, [pinned(3, np.zeros(3), np.zeros(3))])


def moving_chain(directions, dt, seconds=1.0):
    rng = np.random.default_rng(6)
    solids, position, orientation = random_chain(rng, 6)
    fitted = assemble(solids, position, orientation, precision=1e-13)
    rates = rng.normal(size=(2, 6, 3))
    state = stoermer.start(solids, fitted.position, fitted.orientation, *rates, dt)
    limits = {"iterations": 60, "precision": 1e-13, "directions": directions}
    state = stoermer.step(solids, state, dt, **limits)  # speeds now suit the joints
    begin = state.momentum(solids), state.kinetic_energy(solids)
    worst = np.zeros(3)
    for _ in range(int(seconds / dt)):
        state = stoermer.step(solids, state, dt, **limits)
        linear, angular = state.momentum(solids)
        energy = state.kinetic_energy(solids) / begin[1] - 1
        changes = np.abs(linear - begin[0][0]).max(), np.abs(angular - begin[0][1]).max()
        worst = np.maximum(worst, [*changes, abs(energy)])
    assert np.abs(solids.errors(state.position, state.orientation)).max() < 1e-11
    return worst


def test_momentum_of_isolated_bodies_is_constant():
    linear, angular, energy = moving_chain("start", 2e-3)
    assert linear < 1e-12
    assert angular < 1e-12
    assert energy < 1e-5
    linear, angular_end, energy_end = moving_chain("end", 2e-3)  # as printed: of first order
    assert linear < 1e-12
    assert angular_end < 0.03
    assert energy_end < 0.03
    _, angular_half, energy_half = moving_chain("end", 1e-3)
    assert angular_half == pytest.approx(angular_end / 2, rel=0.1)
    assert energy_half == pytest.approx(energy_end / 2, rel=0.1)


def test_free_fall_is_exact_and_steps_may_vary():
    solids = balls(1, [])
    still = np.zeros((1, 3)), np.array([[1.0, 0, 0, 0]])

    def gravity(position, orientation):
        return np.array([[0, 0, 0, 0, 0, -10.0]])

    state = stoermer.start(solids, *still, np.zeros((1, 3)), np.zeros((1, 3)), 0.1, gravity)
    for _ in range(10):
        state = stoermer.step(solids, state, 0.1, gravity)
    assert state.position[0, 2] == pytest.approx(-5.0, abs=1e-12)
    faster = stoermer.step(solids, state, 0.2, None)
    assert faster.displacement[0, 2] == pytest.approx(2 * state.displacement[0, 2])


def four_bar():
    names = ("base", "crank", "coupler", "rocker")
    offset = np.array([[0.0, 0, 0], [0, 0, 0], [0, 0, 0.3], [1.0, 0, 0]])
    skeleton = Skeleton(
        names, np.array([-1, 0, 1, 0]), offset,
        joint_types=np.array([JointType.FIXED] + [JointType.REVOLUTE] * 3),
        axes=np.tile([[0.0, 1, 0], [0, 0, 0]], (4, 1, 1)),
    )  # fmt: skip
    loop = joint("spherical", 2, 3, [1.0, 0, 0], [0, 0, 0.5], name="coupler-rocker")
    return skeleton, loop


def test_loops_close_in_relative_coordinates():
    skeleton, loop = four_bar()
    loops = ClosedChain(skeleton, random_body(np.random.default_rng(0), skeleton), (loop,))
    q, count = loops.close(np.array([0.3, 0.2, -0.1]))
    assert count <= 8
    assert np.abs(loops.errors(q)).max() < 1e-10
    speed = loops.keep_closed(q, np.array([1.0, 0.5, -0.2]))
    assert np.abs(loops.constraints(q)[0] @ speed).max() < 1e-12
    assert np.abs(speed).max() > 0.1  # a four-bar linkage still moves
    again = loops.keep_closed(q, speed)
    assert np.abs(again - speed).max() < 1e-12
