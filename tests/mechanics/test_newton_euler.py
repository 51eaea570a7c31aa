"""Newton-Euler, composite and articulated bodies against each other and sums over bodies."""

from __future__ import annotations

import numpy as np
import pytest

from mocap_reroot.errors import MocapRerootError
from mocap_reroot.mechanics.coordinates import Coordinates
from mocap_reroot.mechanics.kinematics import World, forward
from mocap_reroot.mechanics.newton_euler import Push, newton_euler
from mocap_reroot.mechanics.tree import Tree
from mocap_reroot.types import STANDARD_GRAVITY, BodyModel, JointType
from tests.random_trees import random_body, random_motion, random_skeleton

SEEDS = range(6)


def make(seed: int, n: int = 9, frames: int = 3):
    rng = np.random.default_rng(seed)
    skeleton = random_skeleton(rng, n)
    return random_motion(rng, skeleton, frames), random_body(rng, skeleton), rng


def body_wrenches(world: World, body: BodyModel) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return com, force and moment about the com that move every body, (n, F, 3), world axes."""
    R = world.matrix
    at = lambda x: np.moveaxis(x, 1, 2)  # noqa: E731
    arm = np.einsum("nfij,nj->nfi", R, body.com - world.motion.skeleton.origin)
    w, al, a = at(world.angular_velocity), at(world.angular_acceleration), at(world.acceleration)
    acceleration = a + np.cross(al, arm) + np.cross(w, np.cross(w, arm))
    gravity = -STANDARD_GRAVITY * world.motion.up
    inertia = R @ body.inertia[:, None] @ np.swapaxes(R, 2, 3)
    spin = np.einsum("nfij,nfj->nfi", inertia, w)
    moment = np.einsum("nfij,nfj->nfi", inertia, al) + np.cross(w, spin)
    return at(world.position) + arm, body.mass[:, None, None] * (acceleration - gravity), moment


@pytest.mark.parametrize("seed", SEEDS)
def test_wrench_equals_sum_over_the_bodies_beyond_the_joint(seed: int) -> None:
    motion, body, rng = make(seed)
    skeleton, world = motion.skeleton, forward(motion)
    push = Push(int(rng.integers(9)), rng.normal(size=(3, 3)), rng.normal(size=(3, 3)))
    found = newton_euler(motion, body, [push])
    com, force, moment = body_wrenches(world, body)
    for i in range(skeleton.n_bodies):
        beyond = list(skeleton.subtree(i))
        here = world.position[i].T
        total = force[beyond].sum(axis=0)
        about = (moment + np.cross(com - here, force))[beyond].sum(axis=0)
        if push.body in beyond:
            total = total - push.force.T
            arm = world.position[push.body].T - here
            about = about - push.moment.T - np.cross(arm, push.force.T)
        back = np.swapaxes(world.matrix[i], 1, 2)
        np.testing.assert_allclose(
            found.force[i].T, np.einsum("fij,fj->fi", back, total), atol=1e-10
        )
        np.testing.assert_allclose(
            found.moment[i].T, np.einsum("fij,fj->fi", back, about), atol=1e-10
        )


@pytest.mark.parametrize("seed", SEEDS)
def test_newton_euler_is_inertia_times_acceleration_plus_bias(seed: int) -> None:
    motion, body, _ = make(seed, frames=1)
    layout = Coordinates(motion.skeleton)
    q, speed, acceleration = layout.of_motion(motion)
    still = layout.to_motion(q[:, None], speed[:, None], 0 * speed[:, None], up=motion.up)
    bias = newton_euler(still, body).joint_forces()[:, 0]
    tau = newton_euler(motion, body).joint_forces()[:, 0]
    matrix = Tree(motion.skeleton, body).mass_matrix(q)
    np.testing.assert_allclose(matrix @ acceleration + bias, tau, atol=1e-10 * np.abs(tau).max())
    assert np.linalg.eigvalsh(matrix)[0] > 0
    np.testing.assert_array_equal(matrix, matrix.T)


@pytest.mark.parametrize("seed", SEEDS)
def test_articulated_bodies_undo_newton_euler(seed: int) -> None:
    motion, body, rng = make(seed, frames=1)
    world = forward(motion)
    layout = Coordinates(motion.skeleton)
    q, speed, acceleration = layout.of_motion(motion)
    pushed = int(rng.integers(9))
    force, moment = rng.normal(size=(3, 1)), rng.normal(size=(3, 1))
    tau = newton_euler(motion, body, [Push(pushed, force, moment)]).joint_forces()[:, 0]
    outside = np.zeros((9, 6))
    outside[pushed, 3:] = force[:, 0]
    outside[pushed, :3] = moment[:, 0] + np.cross(world.position[pushed, :, 0], force[:, 0])
    tree = Tree(motion.skeleton, body, gravity=-STANDARD_GRAVITY * motion.up)
    found = tree.forward_dynamics(q, speed, tau, outside)
    np.testing.assert_allclose(found, acceleration, atol=1e-8)


def test_kinetic_energy_is_half_speed_mass_speed() -> None:
    motion, body, _ = make(11, frames=1)
    world = forward(motion)
    q, speed, _ = Coordinates(motion.skeleton).of_motion(motion)
    R, w = world.matrix[:, 0], world.angular_velocity[..., 0]
    arm = np.einsum("nij,nj->ni", R, body.com)
    v = world.velocity[..., 0] + np.cross(w, arm)
    inertia = R @ body.inertia @ np.swapaxes(R, 1, 2)
    energy = 0.5 * (body.mass @ (v**2).sum(1) + np.einsum("ni,nij,nj->", w, inertia, w))
    matrix = Tree(motion.skeleton, body).mass_matrix(q)
    assert 0.5 * speed @ matrix @ speed == pytest.approx(energy, rel=1e-12)


def test_threads_and_place_of_the_output_change_no_bit() -> None:
    rng = np.random.default_rng(3)
    skeleton = random_skeleton(rng, 6, (JointType.SPHERICAL, JointType.PRISMATIC))
    short = random_motion(rng, skeleton, 50)
    reps = 13
    parts = {
        k: np.tile(getattr(short, k), reps)
        for k in ("rotation", "displacement", "angular_velocity", "angular_acceleration")
    }
    motion = type(short)(
        skeleton, 100.0, short.up, **parts,
        linear_velocity=np.tile(short.linear_velocity, reps),
        linear_acceleration=np.tile(short.linear_acceleration, reps),
    )  # fmt: skip
    body = random_body(rng, skeleton)
    one = newton_euler(motion, body)
    two = newton_euler(motion, body, threads=2)
    np.testing.assert_array_equal(one.force, two.force)
    np.testing.assert_array_equal(one.moment, two.moment)
    out = np.full((6, 3, 700), np.nan), np.full((6, 3, 700), np.nan)
    newton_euler(motion, body, out=out, at=30)
    np.testing.assert_array_equal(out[1][..., 30:680], one.moment)
    assert np.isnan(out[0][..., :30]).all()
    assert np.isnan(out[0][..., 680:]).all()


def test_a_motion_without_derivatives_is_refused() -> None:
    motion, body, _ = make(1)
    bare = type(motion)(
        motion.skeleton, motion.fps, motion.up, motion.rotation, motion.displacement
    )
    with pytest.raises(MocapRerootError, match="smooth"):
        newton_euler(bare, body)
