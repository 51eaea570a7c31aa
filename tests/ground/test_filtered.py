"""Loads of a made-up step, as filtered: pressure travels from one foot to the next."""

from __future__ import annotations

import numpy as np

from mocap_reroot.contact.support import Support, Total, nearest, pressure, pressures
from mocap_reroot.ground.filtered import handed_over, share
from mocap_reroot.ground.known import Known
from mocap_reroot.types import Loads

UP = np.array([0.0, 1, 0])
WEIGHT, FRAMES, STRIKE, OFF = 700.0, 100, 40, 60
STEP = 0.6


def sole(x: float, z: float, frames: int = FRAMES) -> np.ndarray:
    """Return a foot 0.25 m long and 0.1 m wide whose heel is at x."""
    corners = [[x, 0, z - 0.05], [x + 0.25, 0, z - 0.05], [x + 0.25, 0, z + 0.05], [x, 0, z + 0.05]]
    return np.repeat(np.array(corners)[..., None], frames, axis=-1)


def step() -> tuple[Total, Support]:
    """Return total and support of a step; foot 1 strikes, then foot 0 leaves."""
    t = np.arange(FRAMES)
    part = np.full((2, FRAMES), -1)
    part[0, :OFF], part[1, STRIKE:] = 0, 1
    travel = np.interp(t, [0, STRIKE - 1, OFF, FRAMES], [0.05, 0.2, STEP + 0.05, STEP + 0.2])
    centre = np.stack([travel, 0 * travel, np.interp(t, [STRIKE, OFF], [-0.1, 0.1])])
    level = np.stack([40 * np.sin(0.1 * t), 0 * t, 10 * np.cos(0.1 * t)])
    force = level + UP[:, None] * WEIGHT * (1 + 0.2 * np.sin(0.2 * t))
    about = np.stack([0.01 * t, 0.9 + 0 * t, 0 * t])
    moment = np.cross(centre - about, force, axis=0) + UP[:, None] * 5 * np.sin(0.05 * t)
    point = np.zeros((2, 3, FRAMES))
    normal = np.repeat(np.tile(UP, (2, 1))[..., None], FRAMES, axis=-1)
    corners = np.stack([sole(0, -0.1), sole(STEP, 0.1)])[:, None]
    support = Support((0, 1), part, point, normal, corners, ((4,), (4,)), ((), ()), part >= 0)
    return Total(force, moment, about, UP), support


def test_loads_add_up_to_the_total() -> None:
    total, support = step()
    loads = share(total, support, None, 100.0)
    np.testing.assert_allclose(loads.force.sum(axis=0), total.force, atol=1e-10)
    np.testing.assert_allclose(loads.moment.sum(axis=0), total.moment, atol=1e-10)
    place, couple = pressures(support, loads, total)
    moment = np.zeros((3, FRAMES))
    for k in range(2):
        arm = np.nan_to_num(place[k] - total.about)
        moment += np.cross(arm, loads.force[k], axis=0) + UP[:, None] * couple[k]
    known = (UP @ loads.force >= 20).sum(axis=0) == support.count
    np.testing.assert_allclose(moment[:, known], total.moment[:, known], atol=1e-9)
    both = np.isfinite(place).all(axis=(0, 1))
    np.testing.assert_allclose((place[1] - place[0])[0, both], STEP, atol=1e-9)


def test_nothing_jumps_where_feet_touch_down_and_lift_off() -> None:
    total, support = step()
    vertical = np.einsum("c,kcf->kf", UP, share(total, support, None, 100.0).force)
    assert (vertical >= 0).all()
    assert (vertical[0, OFF:] == 0).all()
    assert (vertical[1, :STRIKE] == 0).all()
    # over the 20 frames of double support the load moves from one foot to the other
    assert np.abs(np.diff(vertical, axis=1)).max() < 2.5 * WEIGHT / (OFF - STRIKE)


def test_the_clock_hands_over_as_ren_does() -> None:
    on = np.zeros((2, 100), bool)
    on[0, :60], on[1, 50:] = True, True
    shares = handed_over(on, 100.0)
    s = (np.arange(10) + 1) / 11
    np.testing.assert_allclose(shares[1, 50:60], s * s * (3 - 2 * s))
    np.testing.assert_allclose(shares.sum(axis=0), 1.0)
    standing = handed_over(np.ones((3, 50), bool), 100.0)
    np.testing.assert_allclose(standing, 1 / 3)
    assert (handed_over(np.zeros((2, 5), bool), 100.0) == 0).all()


def test_a_foot_beside_the_plates_bears_the_rest() -> None:
    total, support = step()
    force, moment = np.zeros((2, 3, FRAMES)), np.zeros((2, 3, FRAMES))
    force[0, 1, :OFF] = 0.3 * WEIGHT
    there = np.zeros((2, FRAMES), bool)
    there[0] = True
    alone, beyond = np.ones(FRAMES, bool), np.full((2, FRAMES), -1.0)
    loads = Loads(force, moment, ~alone)
    known = Known(there, loads, there & support.on, beyond, support.point, support.normal)
    found = share(total, support, known, 100.0)
    np.testing.assert_array_equal(found.force[0], force[0])
    np.testing.assert_allclose(found.force[1, :, STRIKE:], (total.force - force[0])[:, STRIKE:])
    np.testing.assert_allclose(found.moment.sum(axis=0)[:, STRIKE:], total.moment[:, STRIKE:])
    assert (found.force[1, :, :STRIKE] == 0).all()  # what plates do not explain is residual


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
