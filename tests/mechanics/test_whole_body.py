"""The body as a whole, against Newton-Euler, sums over bodies, and the rate of its momentum."""

from __future__ import annotations

import numpy as np
import pytest

import mocap_reroot as mr
from mocap_reroot.dynamics.rooted import Clip, support_rooted
from mocap_reroot.mechanics.whole_body import part_wrenches, total_wrench
from mocap_reroot.types import STANDARD_GRAVITY


@pytest.fixture(scope="module")
def jump(shared_data):
    motion = mr.smooth(mr.read(shared_data / "bvh" / "cmu" / "16_01.bvh"), 10.0)
    motion = motion.cut(1, motion.n_frames)
    return motion, mr.body_model(motion, mass=70.0)


def test_the_whole_is_what_newton_euler_finds_at_the_root(jump):
    motion, body = jump
    total = total_wrench(motion, body)
    rooted = mr.reroot(motion, mr.detect_contacts(motion, body))
    _, seen = support_rooted(Clip.rooted(rooted, body))
    weight = body.total_mass * STANDARD_GRAVITY
    np.testing.assert_allclose(total.force, seen.force, atol=1e-9 * weight)
    np.testing.assert_allclose(total.moment, seen.moment, atol=1e-9 * weight)


def test_parts_add_up_and_scale_with_their_masses(jump):
    motion, body = jump
    n = motion.skeleton.n_bodies
    halves = part_wrenches(motion, body, [range(n // 2), range(n // 2, n)])
    whole = part_wrenches(motion, body)
    np.testing.assert_allclose(halves.wrench.sum(axis=0), whole.wrench[0], atol=1e-9)
    np.testing.assert_allclose(halves.centre, whole.centre, atol=1e-12)
    heavier = halves.scaled(np.array([2.0, 1.0]))
    np.testing.assert_allclose(heavier.force, whole.total.force + halves.wrench[0, :3], atol=1e-9)
    np.testing.assert_allclose(halves.times(1.5).total.force, 1.5 * whole.total.force)


def test_force_is_the_rate_of_momentum_and_momentum_that_of_the_centre(jump):
    motion, body = jump
    found = part_wrenches(motion, body)
    inner = slice(3, -3)  # central differences of a curve low-passed at 10 Hz are 4 % off
    force = found.total.force - body.total_mass * STANDARD_GRAVITY * motion.up[:, None]
    linear, centre = found.momentum[0, 3:6], found.centre
    rate = np.gradient(linear, 1 / motion.fps, axis=1)
    scale = np.abs(force).max()
    np.testing.assert_allclose(rate[:, inner], force[:, inner], atol=0.05 * scale)
    speed = np.gradient(centre, 1 / motion.fps, axis=1) * body.total_mass
    np.testing.assert_allclose(speed[:, inner], linear[:, inner], atol=0.01 * np.abs(linear).max())
