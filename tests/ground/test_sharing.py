"""Load sharing of a made-up step: pressure travels from one foot to the next, over level ground."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from mocap_reroot.ground.effort import HOLD, Leg, least_effort
from mocap_reroot.ground.sharing import RULES, by_balance, pose, share
from mocap_reroot.ground.support import Support, Total, nearest, outside, pressure, pressures

UP = np.array([0.0, 1, 0])
WEIGHT, FRAMES, STRIKE, OFF = 700.0, 100, 40, 60
STEP = 0.6


def sole(x: float, z: float, frames: int = FRAMES) -> np.ndarray:
    """Return a foot 0.25 m long and 0.1 m wide whose heel is at x."""
    corners = [[x, 0, z - 0.05], [x + 0.25, 0, z - 0.05], [x + 0.25, 0, z + 0.05], [x, 0, z + 0.05]]
    return np.repeat(np.array(corners)[..., None], frames, axis=-1)


def step(travel: np.ndarray | None = None, seen_late: int = 0):
    """Return total, support and centre of mass of a step; foot 1 strikes, then foot 0 leaves."""
    t = np.arange(FRAMES)
    part = np.full((2, FRAMES), -1)
    part[0, :OFF], part[1, STRIKE:] = 0, 1
    seen = part >= 0
    seen[1, STRIKE : STRIKE + seen_late] = False
    if travel is None:
        travel = np.interp(t, [0, STRIKE - 1, OFF, FRAMES], [0.05, 0.2, STEP + 0.05, STEP + 0.2])
    centre = np.stack([travel, 0 * travel, np.interp(t, [STRIKE, OFF], [-0.1, 0.1])])
    level = np.stack([40 * np.sin(0.1 * t), 0 * t, 10 * np.cos(0.1 * t)])
    force = level + UP[:, None] * WEIGHT * (1 + 0.2 * np.sin(0.2 * t))
    about = np.stack([0.01 * t, 0.9 + 0 * t, 0 * t])
    moment = np.cross(centre - about, force, axis=0) + UP[:, None] * 5 * np.sin(0.05 * t)
    point = np.zeros((2, 3, FRAMES))
    normal = np.repeat(np.tile(UP, (2, 1))[..., None], FRAMES, axis=-1)
    corners = np.stack([sole(0, -0.1), sole(STEP, 0.1)])[:, None]
    support = Support((0, 1), part, point, normal, corners, ((4,), (4,)), ((), ()), seen)
    return Total(force, moment, about, UP), support, about + 0.1 * UP[:, None]


def legs() -> list[Leg]:
    """Return straight massless legs: a hip at 0.9 m and a knee at 0.5 m above each foot."""
    high = np.array([[0.1, 0.9, 0], [0.1, 0.5, 0]])[..., None]
    both = [high + np.array([x, 0, z])[:, None] for x, z in ((0, -0.1), (STEP, 0.1))]
    joints = [np.repeat(leg, FRAMES, axis=-1) for leg in both]
    return [Leg(joint, np.zeros_like(joint)) for joint in joints]


@pytest.mark.parametrize("rule", RULES)
def test_loads_add_up_to_the_total(rule: str) -> None:
    total, support, com = step()
    loads = share(total, support, com, 100.0, rule, legs)
    np.testing.assert_allclose(loads.force.sum(axis=0), total.force, atol=1e-10)
    np.testing.assert_allclose(loads.moment.sum(axis=0), total.moment, atol=1e-10)
    place, couple = pressures(support, loads, total)
    moment = np.zeros((3, FRAMES))
    for k in range(2):
        arm = np.nan_to_num(place[k] - total.about)
        moment += np.cross(arm, loads.force[k], axis=0) + UP[:, None] * couple[k]
    known = (UP @ loads.force >= 20).sum(axis=0) == support.count
    np.testing.assert_allclose(moment[:, known], total.moment[:, known], atol=1e-9)


@pytest.mark.parametrize("rule", RULES)
def test_nothing_jumps_where_feet_touch_down_and_lift_off(rule: str) -> None:
    total, support, com = step()
    loads = share(total, support, com, 100.0, rule, legs)
    vertical = np.einsum("c,kcf->kf", UP, loads.force)
    assert (vertical >= 0).all()
    assert (vertical[0, OFF:] == 0).all()
    assert (vertical[1, :STRIKE] == 0).all()
    # over the 20 frames of double support the load moves from one foot to the other
    assert np.abs(np.diff(vertical, axis=1)).max() < 2.5 * WEIGHT / (OFF - STRIKE)
    assert np.abs(np.diff(loads.moment, axis=2)).max() < 0.2 * np.ptp(loads.moment)


@pytest.mark.parametrize("rule", RULES)
def test_pressures_stay_inside_the_soles(rule: str) -> None:
    total, support, com = step()
    loads = share(total, support, com, 100.0, rule, legs)
    place, _ = pressures(support, loads, total)
    for k in range(2):
        known = np.isfinite(place[k]).all(axis=0)
        assert outside(place[k], support.corners[k], UP)[known].max() < 0.005
    assert not loads.inadmissible.any()


def test_balance_follows_the_pressure_and_smooth_the_clock() -> None:
    t = np.arange(FRAMES)
    # the pressure stays under the first foot for most of double support
    late = np.interp(t, [0, OFF - 5, OFF, FRAMES], [0.05, 0.2, STEP + 0.05, STEP + 0.2])
    total, support, com = step(late)
    shares = {}
    for rule in ("smooth", "balance"):
        force = share(total, support, com, 100.0, rule, legs).force[0]
        shares[rule] = (UP @ force / total.vertical)[(STRIKE + OFF) // 2]
    assert shares["balance"] > 0.75
    assert shares["balance"] > shares["smooth"]


def test_feet_push_against_each_other_only_where_the_rule_says() -> None:
    total, support, com = step()
    middle = (STRIKE + OFF) // 2
    parallel = share(total, support, com, 100.0, "smooth").force[..., middle]
    leaning = share(total, support, com, 100.0, "balance").force[..., middle]
    ratio = parallel[0, 0] / parallel[0, 1] - parallel[1, 0] / parallel[1, 1]
    assert abs(ratio) < 1e-9
    assert leaning[0, 0] > 0 > leaning[1, 0]  # the rear foot pushes forward, the front one brakes


def test_balance_gives_a_foot_that_is_not_seen_yet_what_the_pressure_asks() -> None:
    t = np.arange(FRAMES)
    travel = np.interp(t, [0, STRIKE, OFF, FRAMES], [0.05, 0.3, STEP + 0.05, STEP + 0.2])
    problem = pose(*step(travel, seen_late=8), 100.0)
    early = slice(STRIKE, STRIKE + 8)
    assert (problem.clock[1, early] == 0).all()
    assert (problem.freedom[1, early] > 0).all()
    shares = by_balance(problem)
    assert (shares[1, early] > 0).all()
    np.testing.assert_allclose(shares.sum(axis=0), 1, atol=1e-12)
    bound = replace(problem, freedom=problem.clock)
    assert (by_balance(bound)[1, early] == 0).all()


def test_a_foot_that_carries_before_it_is_seen_gets_no_more_than_it_must() -> None:
    t = np.arange(FRAMES)
    early = slice(STRIKE, STRIKE + 6)
    seen = {}
    for ahead in (0.2, 0.3):  # on the sole of the first foot, and 0.05 m before it
        knots = [0.05, ahead, ahead, STEP + 0.05, STEP + 0.2]
        travel = np.interp(t, [0, STRIKE, STRIKE + 8, OFF, FRAMES], knots)
        total, support, com = step(travel, seen_late=8)
        loads = share(total, support, com, 100.0, "balance")
        seen[ahead] = UP @ loads.force[1] / total.vertical, pressures(support, loads, total)[0]
    assert (seen[0.2][0][early] < 0.04).all()
    assert (seen[0.3][0][early] > 2 * seen[0.2][0][early]).all()
    assert seen[0.3][0][STRIKE] < 0.03  # next to nothing at the seam
    assert (np.diff(seen[0.3][0][early]) > 0).all()
    assert 0.05 < seen[0.3][0][STRIKE + 5] < 0.2
    # the foot that stands presses less far ahead than it would alone
    assert (seen[0.3][1][0, 0, STRIKE + 3 : STRIKE + 6] < 0.27).all()


def test_the_impossible_is_flagged_and_still_adds_up() -> None:
    total, support, com = step(np.full(FRAMES, -0.5))  # half a metre behind both feet
    loads = share(total, support, com, 100.0, "balance")
    assert loads.inadmissible[STRIKE:OFF].all()
    np.testing.assert_allclose(loads.moment.sum(axis=0), total.moment, atol=1e-9)


def test_least_effort_is_least() -> None:
    rng = np.random.default_rng(2)
    made = [Leg(rng.normal(size=(3, 3, 1)), 10 * rng.normal(size=(3, 3, 1))) for _ in range(2)]
    force, couple = 5 * rng.normal(size=(3, 1)), rng.normal(size=(3, 1))
    place, clock = rng.normal(size=(2, 3, 1)), np.array([[0.6], [0.4]])

    def cost(first: float) -> float:
        total, squares = 0.0, []
        for share_, leg, p in zip((first, 1 - first), made, place, strict=True):
            whole = np.cross(p - leg.joint, force[None], axis=1) + couple
            total += ((leg.moment - share_ * whole) ** 2).sum()
            squares.append((whole**2).sum())
        hold = HOLD * np.mean(squares)
        return total + hold * ((first - 0.6) ** 2 / 0.6 + (0.6 - first) ** 2 / 0.4)

    found = float(least_effort(made, force, couple, place, clock)[0, 0])
    trials = np.linspace(0, 1, 2001)
    assert abs(found - trials[np.argmin([cost(w) for w in trials])]) < 1e-3


def test_pressure_on_a_slope_leaves_a_couple_along_up_only() -> None:
    rng = np.random.default_rng(0)
    force = rng.normal(size=(3, 5)) + 10 * UP[:, None]
    moment, about = rng.normal(size=(3, 5)), rng.normal(size=(3, 5))
    normal = np.repeat(np.array([0.2, 0.9, -0.1])[:, None], 5, axis=1)
    normal /= np.linalg.norm(normal, axis=0)
    point = rng.normal(size=(3, 5))
    place, couple = pressure(force, moment, about, UP, point, normal)
    np.testing.assert_allclose(((place - point) * normal).sum(axis=0), 0, atol=1e-12)
    left = moment - np.cross(place - about, force, axis=0)
    np.testing.assert_allclose(left, UP[:, None] * couple, atol=1e-12)


def test_nearest_point_of_a_sole() -> None:
    corners = sole(0, 0, 3)
    point = np.array([[0.1, 0.3, -0.1], [0.5, 0, 0], [0, 0, 0.2]])
    expected = np.array([[0.1, 0.25, 0], [0.5, 0, 0], [0, 0, 0.05]])
    np.testing.assert_allclose(nearest(point, corners[None], UP), expected, atol=1e-12)
