"""jcalc and its inverse are inverse, and the twist is the derivative of the pose."""

import numpy as np
import pytest

from mocap_reroot.kernels import joints
from mocap_reroot.numerics.vectors import product
from mocap_reroot.types import JointType
from tests.random_trees import random_coordinates, random_unit


def joint_pose(kind, rest, axes, q):
    rotation, slide = np.empty(4), np.empty(3)
    joints.pose(kind, rest, axes, q, rotation, slide)
    return rotation, slide


@pytest.mark.parametrize("kind", list(JointType))
def test_coordinates_invert_pose(kind):
    rng = np.random.default_rng(int(kind))
    for _ in range(20):
        rest, axes = random_unit(rng, 4), random_unit(rng, 2, 3)
        q = np.ascontiguousarray(random_coordinates(rng, kind, 1)[:, 0])
        rotation, slide = joint_pose(kind, rest, axes, q)
        again = np.zeros_like(q)
        joints.coordinates(kind, rest, axes, rotation, slide, again)
        rotation2, slide2 = joint_pose(kind, rest, axes, again)
        assert abs(abs(rotation @ rotation2) - 1) < 1e-12
        assert np.abs(slide - slide2).max() < 1e-12
        assert np.abs(again - q).max(initial=0) < 1e-12


@pytest.mark.parametrize("kind", list(JointType))
def test_speeds_invert_twist(kind):
    rng = np.random.default_rng(10 + int(kind))
    for _ in range(20):
        axes = random_unit(rng, 2, 3)
        q = np.ascontiguousarray(random_coordinates(rng, kind, 1)[:, 0])
        speed, acceleration = rng.normal(size=(2, joints.SPEEDS[kind]))
        v, dv = np.empty(6), np.empty(6)
        joints.twist(int(kind), axes, q, speed, acceleration, v, dv)
        speed2, acceleration2 = np.empty_like(speed), np.empty_like(speed)
        joints.speeds(int(kind), axes, q, v, dv, speed2, acceleration2)
        assert np.abs(speed2 - speed).max(initial=0) < 1e-9
        assert np.abs(acceleration2 - acceleration).max(initial=0) < 1e-9


@pytest.mark.parametrize("kind", [JointType.REVOLUTE, JointType.PRISMATIC, JointType.UNIVERSAL])
def test_twist_is_the_derivative_of_the_pose(kind):
    rng = np.random.default_rng(20 + int(kind))
    rest, axes = random_unit(rng, 4), random_unit(rng, 2, 3)
    n = joints.SPEEDS[kind]
    q0, q1, q2 = rng.normal(size=(3, n))
    h = 1e-4

    def rotation_vector(step):
        t = step * h
        now, slide = joint_pose(kind, rest, axes, q0 + q1 * t + q2 * t * t / 2)
        start, slide0 = joint_pose(kind, rest, axes, q0)
        r = product(start * [1, -1, -1, -1], now)
        return 2 * r[1:], slide - slide0

    v, dv, rate, rate2 = np.empty(6), np.empty(6), np.empty(3), np.empty(3)
    joints.twist(int(kind), axes, q0, q1, q2, v, dv)
    joints.slide_rates(joint_pose(kind, rest, axes, q0)[0], v, dv, rate, rate2)
    (turn_p, slide_p), (turn_m, slide_m) = rotation_vector(1), rotation_vector(-1)
    assert np.abs((turn_p - turn_m) / (2 * h) - v[:3]).max() < 1e-6
    assert np.abs((turn_p + turn_m) / h**2 - dv[:3]).max() < 1e-5
    assert np.abs((slide_p - slide_m) / (2 * h) - rate).max() < 1e-6
    assert np.abs((slide_p + slide_m) / h**2 - rate2).max() < 1e-5
