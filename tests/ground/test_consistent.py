"""The ground in one problem: what must hold whatever the numbers are."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import mocap_reroot as mr
from mocap_reroot.ground import windows
from mocap_reroot.ground.consistent import consistent_ground
from mocap_reroot.ground.knots import Knots
from mocap_reroot.mechanics.kinematics import forward
from mocap_reroot.mechanics.whole_body import total_wrench
from mocap_reroot.numerics.vectors import product, turn
from mocap_reroot.parameters import GroundParameters
from mocap_reroot.signals.smoothing import smooth
from mocap_reroot.types import Plane

SAMPLES = Path(__file__).resolve().parents[2] / "sample_data"
WEIGHT = 70 * 9.80665
PEOPLE = GroundParameters()
EXACT = GroundParameters(height_noise=2e-5, path_noise=2e-5, turn_noise=2e-5, lag=0.0)
"""Of a generated clip: nothing is noisy, nothing lags."""


def _solved(motion, parameters=PEOPLE, cutoff=10.0):
    body = mr.body_model(motion.skeleton, mass=70.0, height=1.75, source=motion.source)
    contacts = mr.detect_contacts(motion, body)
    return consistent_ground(motion, smooth(motion, cutoff), body, contacts, parameters), body


@pytest.fixture(scope="module")
def walk():
    return mr.read(SAMPLES / "walk.bvh")


@pytest.fixture(scope="module")
def found(walk):
    return _solved(walk)


def _apart(a, b):
    """Return the root mean square difference of forces, % of weight."""
    return 100 * np.sqrt(np.mean((a - b) ** 2)) / WEIGHT


def test_wrenches_are_what_the_motion_needs(found):
    ground, body = found
    total = total_wrench(ground.motion, body)
    np.testing.assert_allclose(ground.force.sum(axis=0), total.force, atol=1e-9 * WEIGHT)
    np.testing.assert_allclose(ground.moment.sum(axis=0), total.moment, atol=1e-9 * WEIGHT)


def test_nothing_pulls_and_nothing_acts_outside_stances(found):
    ground, _ = found
    carries = ground.contacts.support_body >= 0
    upwards = np.einsum("i,lif->lf", ground.motion.up, ground.force)
    assert upwards.min() > -1e-3 * WEIGHT
    assert not np.abs(ground.force).sum(axis=1)[~carries].any()
    assert carries.any(axis=1).all()


def test_derivatives_are_those_of_the_same_curve(found):
    ground, _ = found
    world, fps = forward(ground.motion), ground.motion.fps
    for value, rate in ((world.position, world.velocity), (world.velocity, world.acceleration)):
        # fourth order, for knots are smooth to the second derivative
        found_rate = (
            8 * (value[..., 3:-1] - value[..., 1:-3]) - (value[..., 4:] - value[..., :-4])
        ) * (fps / 12)
        error = np.abs(found_rate - rate[..., 2:-2]).max(axis=(0, 1))
        assert np.percentile(error, 90) < 0.02 * np.abs(rate).max()


def test_a_generated_walk_gives_back_its_forces(walk):
    ground, _ = _solved(walk, EXACT, cutoff=20.0)
    truth = pd.read_parquet(SAMPLES / "walk_truth.parquet")
    names = [walk.skeleton.names[foot] for foot in ground.contacts.feet]
    known = sum(truth[[f"{n}_f{a}" for a in "xyz"]].to_numpy().T for n in names)
    inner = slice(10, -10)
    assert _apart(ground.force.sum(axis=0)[:, inner], known[:, inner]) < 0.6
    assert np.nanmax(np.abs(ground.correction[:3])) < 0.001


def test_place_heading_and_axes_do_not_matter(walk, found):
    ground, body = found
    q = np.array([0.8, 0.3, -0.4, np.sqrt(1 - 0.89)])
    root, slot = walk.skeleton.root, int(walk.skeleton.slot[walk.skeleton.root])
    rotation, displacement = np.array(walk.rotation), np.array(walk.displacement)
    rotation[root] = product(q[:, None] + 0 * rotation[root], rotation[root])
    offset = walk.skeleton.offset[root][:, None]
    away = np.array([[300.0], [-20.0], [70.0]])
    displacement[slot] = turn(q[:, None], offset + displacement[slot]) + away - offset
    up = turn(q[:, None], walk.up[:, None])[:, 0]
    moved = replace(walk, rotation=rotation, displacement=displacement, up=up / np.linalg.norm(up))
    contacts = mr.detect_contacts(walk, body)
    planes = tuple(
        Plane(
            turn(q[:, None], plane.point[:, None])[:, 0] + away[:, 0],
            turn(q[:, None], plane.normal[:, None])[:, 0],
        )
        for plane in contacts.planes
    )
    contacts = replace(contacts, planes=planes)
    other = consistent_ground(moved, smooth(moved, 10.0), body, contacts, GroundParameters())
    back = np.array([turn(q[:, None], force, back=True) for force in other.force])
    assert _apart(back, ground.force) < 0.3


def test_the_rate_matters_little(walk, found):
    ground, _ = found
    states = {
        n: np.array(getattr(walk, n))[..., ::2] for n in ("rotation", "displacement", "flags")
    }
    slow, _ = _solved(replace(walk, fps=walk.fps / 2, **states))
    assert _apart(slow.force, ground.force[..., ::2]) < 5.0


def test_windows_join(walk, found, monkeypatch):
    ground, _ = found
    monkeypatch.setattr(windows, "LENGTH", 1.2)
    parts, body = _solved(walk)
    assert _apart(parts.force, ground.force) < 0.5
    total = total_wrench(parts.motion, body)
    lacks = np.abs(parts.force.sum(axis=0) - total.force)
    assert lacks.max() < 0.005 * WEIGHT


def _blind(walk, body, **changes):
    contacts = mr.detect_contacts(walk, body)
    touching = np.array(contacts.touching)
    touching[:, 130:230] = False
    blind = replace(contacts, touching=touching, **changes)
    return consistent_ground(walk, smooth(walk, 10.0), body, blind, GroundParameters())


def test_a_missed_stance_of_a_foot_near_the_ground_is_added(walk, found):
    ground, body = found
    lost = _blind(walk, body)
    assert not lost.external.any()
    assert _apart(lost.force, ground.force) < 5.0


def test_without_a_limb_near_the_ground_a_push_from_elsewhere_is_named(walk, found):
    _, body = found
    near = np.array(mr.detect_contacts(walk, body).candidate)
    near[:, 130:230] = False
    lost = _blind(walk, body, candidate=near)
    residual = total_wrench(lost.motion, body).force - lost.force.sum(axis=0)
    size = np.sqrt((residual**2).sum(axis=0)) / WEIGHT
    assert np.median(size[160:200]) > 0.8
    assert size[:80].max() < 0.05
    assert np.nanmax(np.abs(lost.correction[:3])) < 0.1
    assert (lost.pushed[160:200] >= 0).all() and (lost.pushed[:80] < 0).all()


def test_bodies_without_limbs_fall_back():
    motion = mr.read(SAMPLES / "walk.bvh").cut(0, 40)
    body = mr.body_model(motion.skeleton, mass=70.0, height=1.75, source=motion.source)
    contacts = mr.detect_contacts(motion, body)
    none = replace(
        contacts, soles=(), touching=np.zeros((0, 40), bool), score=np.zeros((0, 40)),
        plane=np.zeros((0, 40), int), support_body=np.zeros((0, 40), int),
    )  # fmt: skip
    ground = consistent_ground(motion, smooth(motion, 10.0), body, none, GroundParameters())
    assert ground.fallen_back.all()
    assert ground.force.shape == (0, 3, 40)


def test_a_spline_on_knots_is_one():
    knots = Knots.over(41, 100.0, 0.02)
    t, h = np.arange(41) / 100, knots.spacing
    coefficients = (np.arange(-1, knots.count + 1) * h) ** 2 - h**2 / 3
    value, slope, bend = knots.spline(coefficients)
    np.testing.assert_allclose(value, t**2, atol=1e-12)
    np.testing.assert_allclose(slope, 2 * t, atol=1e-12)
    np.testing.assert_allclose(bend, 2.0, atol=1e-9)
