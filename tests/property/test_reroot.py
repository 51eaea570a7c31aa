"""What re-rooting promises, on random trees of every joint type and every pair of roots.

Tolerances are 1e-9 of the largest value of a kind: rounding grows along a chain of up to 60 bodies,
and nothing else may be lost.
"""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mocap_reroot.kernels import joints
from mocap_reroot.numerics.vectors import product
from mocap_reroot.rerooting.reroot import reroot
from mocap_reroot.types import JointType, Motion, Skeleton
from tests import naive
from tests.naive import joint_state
from tests.random_trees import (
    motion_from_coordinates,
    random_body,
    random_motion,
    random_skeleton,
    random_unit,
)

TOLERANCE = 1e-9
STATES = (
    "rotation",
    "displacement",
    "angular_velocity",
    "angular_acceleration",
    "linear_velocity",
    "linear_acceleration",
)
GEOMETRY = ("parents", "offset", "origin", "rest", "joint_types", "axes")

small = st.integers(1, 9)
large = st.integers(10, 60)
seeds = st.integers(0, 2**32 - 1)
kinds = st.sampled_from(list(JointType))
few = settings(max_examples=60)


def tree_in_motion(seed: int, n: int, root: JointType = JointType.FREE):
    rng = np.random.default_rng(seed)
    skeleton = random_skeleton(rng, n, root=root)
    return rng, random_motion(rng, skeleton, frames=2)


def relative(a: np.ndarray, b: np.ndarray) -> float:
    """Return the largest difference relative to the largest value."""
    return float(np.abs(a - b).max(initial=0) / max(1.0, np.abs(b).max(initial=0)))


def same_world(one: Motion, other: Motion) -> float:
    worst = 0.0
    for f in range(one.n_frames):
        here, there = naive.capture_world(one, f), naive.capture_world(other, f)
        for key in ("R", "p", "w", "v", "al", "a"):
            arrays = [np.array([getattr(b, key) for b in bodies]) for bodies in (here, there)]
            worst = max(worst, relative(*arrays))
    return worst


def same_motion(one: Motion, other: Motion) -> float:
    """Return the largest difference of two motions, geometry and states."""
    # axes of the root mean nothing unless its joint has some
    pairs = [(getattr(one, k), getattr(other, k)) for k in STATES]
    pairs += [(getattr(one.skeleton, k), getattr(other.skeleton, k)) for k in GEOMETRY[:-1]]
    used = np.arange(one.skeleton.n_bodies) != one.skeleton.root
    pairs.append((one.skeleton.axes[used], other.skeleton.axes[used]))
    return max(relative(a, b) for a, b in pairs)


@few
@given(seeds, small, kinds)
def test_every_pair_of_roots_looks_the_same_and_finds_back(seed, n, root):
    rng, motion = tree_in_motion(seed, n, root)
    for a in range(n):
        at = rng.normal(size=3)
        one = reroot(motion, root=a, at=at)
        assert one.skeleton.root == a
        assert np.allclose(one.skeleton.origin[a], at, rtol=0, atol=1e-12)
        assert same_world(one, motion) < TOLERANCE  # A2
        back = reroot(one, root=motion.skeleton.root)
        assert same_world(back, motion) < TOLERANCE
        if root == JointType.FREE:
            assert same_motion(back, motion) < TOLERANCE  # A1
        for b in range(n):
            other = rng.normal(size=3)
            direct = reroot(motion, root=b, at=other)
            assert same_motion(reroot(one, root=b, at=other), direct) < TOLERANCE  # A→B→C = A→C


@few
@given(seeds, large)
def test_large_trees(seed, n):
    rng, motion = tree_in_motion(seed, n)
    a, b = (int(k) for k in rng.integers(0, n, 2))
    one = reroot(motion, root=a, at=rng.normal(size=3))
    assert same_world(one, motion) < TOLERANCE
    assert same_motion(reroot(one, root=b), reroot(motion, root=b)) < TOLERANCE
    assert same_motion(reroot(one, root=motion.skeleton.root), motion) < TOLERANCE


@few
@given(seeds, st.integers(1, 30))
def test_momentum_and_energy_stay(seed, n):
    rng, motion = tree_in_motion(seed, n)
    body = random_body(rng, motion.skeleton)
    moved = reroot(motion, root=int(rng.integers(n)), at=rng.normal(size=3))
    for before, after in zip(
        naive.momentum(motion, body), naive.momentum(moved, body), strict=True
    ):
        assert relative(np.array(after), np.array(before)) < TOLERANCE  # A3
    # the same energy from inertia about the new pivots, as an algorithm in joint frames has it
    energy = 0.0
    for i, b in enumerate(naive.world(moved)):
        v, w, r = b.R.T @ b.v, b.R.T @ b.w, body.com[i] - moved.skeleton.origin[i]
        pivot = body.inertia[i] + body.mass[i] * (r @ r * np.eye(3) - np.outer(r, r))
        energy += w @ pivot @ w / 2 + body.mass[i] * (v @ v / 2 + v @ np.cross(w, r))
    assert energy == pytest.approx(naive.momentum(motion, body)[2], rel=TOLERANCE)


@few
@given(seeds, st.integers(1, 12), kinds)
def test_the_kernel_agrees_with_its_slow_twin(seed, n, root):
    rng, motion = tree_in_motion(seed, n, root)
    top, at = int(rng.integers(n)), rng.normal(size=3)
    fast = reroot(motion, root=top, at=at)
    for f in range(motion.n_frames):
        for i, slow in enumerate(naive.reroot(motion, top, at, f)):
            slot = fast.skeleton.slot[i]
            assert fast.skeleton.parents[i] == slow.parent
            zero = np.zeros(3)
            pairs = [
                (fast.skeleton.offset[i], slow.offset),
                (fast.skeleton.origin[i], slow.origin),
                (naive.matrix(fast.rotation[i, :, f]), slow.R),
                (fast.angular_velocity[i, :, f], slow.w),
                (fast.angular_acceleration[i, :, f], slow.al),
                (fast.displacement[slot, :, f] if slot >= 0 else zero, slow.u),
                (fast.linear_velocity[slot, :, f] if slot >= 0 else zero, slow.du),
                (fast.linear_acceleration[slot, :, f] if slot >= 0 else zero, slow.ddu),
            ]
            for a, b in pairs:
                assert relative(a, b) < TOLERANCE


@few
@given(seeds, st.integers(2, 12))
def test_joint_coordinates_of_the_new_tree_reproduce_its_states(seed, n):
    """The new rest rotations and axes describe the same joints: jcalc of its inverse is exact."""
    rng, motion = tree_in_motion(seed, n)
    moved = reroot(motion, root=int(rng.integers(n)))
    skeleton = moved.skeleton
    coordinates = [joint_state(moved, i, 0) for i in range(n)]
    columns = [[np.array(state[k])[:, None] for state in coordinates] for k in range(3)]
    again = motion_from_coordinates(skeleton, *columns)
    sign = np.sign((again.rotation[..., 0] * moved.rotation[..., 0]).sum(axis=1))
    assert relative(again.rotation[..., 0] * sign[:, None], moved.rotation[..., 0]) < TOLERANCE
    for name in STATES[1:]:
        assert relative(getattr(again, name)[..., 0], getattr(moved, name)[..., 0]) < TOLERANCE
    # and one- and two-degree joints only change the sign of their coordinates
    for child, parent in zip(
        motion.skeleton.chain(skeleton.root), motion.skeleton.chain(skeleton.root)[1:], strict=False
    ):
        kind = int(skeleton.joint_types[parent])
        assert kind == motion.skeleton.joint_types[child]
        if joints.COORDINATES[kind] in (1, 2):
            before, after = joint_state(motion, child, 0), joint_state(moved, parent, 0)
            for old, new in zip(before, after, strict=True):
                assert np.abs(new + old[::-1]).max() < TOLERANCE * max(1, np.abs(old).max())


def trajectory(rng: np.random.Generator, skeleton: Skeleton, times: np.ndarray) -> Motion:
    """Return smooth curves of every joint with analytic derivatives."""
    q, speed, acceleration = [], [], []
    for kind in map(int, skeleton.joint_types):
        turns, slides = rng.normal(size=(2, 3, 3))  # coefficients of 1, t, t²/2, three at a time
        powers = np.array([np.ones_like(times), times, times**2 / 2])
        rates = np.array([0 * times, np.ones_like(times), times])
        if kind in (JointType.SPHERICAL, JointType.FREE):
            # turns about one body axis by a growing angle, from a random start
            start, axis = random_unit(rng, 4), random_unit(rng, 3)
            angle, rate = turns[0] @ powers, turns[0] @ rates
            half = np.concatenate([np.cos(angle / 2)[None], axis[:, None] * np.sin(angle / 2)])
            J = product(start[:, None], half)
            w, al = axis[:, None] * rate, np.tile(axis[:, None] * turns[0, 2], len(times))
            if kind == JointType.SPHERICAL:
                parts = J, w, al
            else:
                d, dd, ddd = slides @ powers, slides @ rates, np.tile(slides[:, 2:], len(times))
                back = [naive.matrix(J[:, f]).T for f in range(len(times))]
                nu = np.stack([b @ x for b, x in zip(back, dd.T, strict=True)], axis=1)
                dnu = np.stack([b @ x for b, x in zip(back, ddd.T, strict=True)], axis=1)
                dnu -= np.cross(w, nu, axis=0)
                parts = np.concatenate([d, J]), np.concatenate([w, nu]), np.concatenate([al, dnu])
        else:
            n = joints.SPEEDS[kind]
            c = turns[:n]
            parts = c @ powers, c @ rates, np.tile(c[:, 2:], len(times))
        for series, part in zip((q, speed, acceleration), parts, strict=True):
            series.append(part)
    return motion_from_coordinates(skeleton, q, speed, acceleration)


def difference_error(motion: Motion, h: float) -> np.ndarray:
    """Return how far central differences of five frames, h apart, are from the derivatives."""
    q = motion.rotation
    dq = (q[..., 3] - q[..., 1]) / (2 * h)
    w, x, y, z = (q[:, c, 2] for c in range(4))
    conjugate = np.array([[w, x, y, z], [-x, w, z, -y], [-y, -z, w, x], [-z, y, -x, w]])
    omega = 2 * np.einsum("crn,nr->nc", conjugate, dq)[:, 1:]
    errors = [omega - motion.angular_velocity[..., 2]]
    chains = (
        (motion.angular_velocity, motion.angular_acceleration),
        (motion.displacement, motion.linear_velocity),
        (motion.linear_velocity, motion.linear_acceleration),
    )
    for value, rate in chains:
        errors.append((value[..., 3] - value[..., 1]) / (2 * h) - rate[..., 2])
    return np.array([np.abs(e).max() for e in errors])


@pytest.mark.parametrize("seed", range(6))
def test_derivatives_are_those_of_the_rerooted_positions(seed):
    rng = np.random.default_rng(seed)
    skeleton = random_skeleton(rng, 10)
    top, at = int(rng.integers(10)), rng.normal(size=3)
    errors = []
    for h in (2e-3, 1e-3, 5e-4):
        motion = trajectory(np.random.default_rng(seed), skeleton, h * np.arange(-2, 3))
        errors.append(difference_error(reroot(motion, root=top, at=at), h))
    order = np.log2(np.array(errors[:-1]) / np.array(errors[1:]))
    assert (np.abs(order - 2) < 0.1).all(), order  # central differences: second order
    assert (errors[-1] < 1e-3).all()
