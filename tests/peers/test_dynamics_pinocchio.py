"""Dynamics against Pinocchio on random trees of every joint type and at every root."""

from __future__ import annotations

import numpy as np
import pinocchio as pin
import pytest

from mocap_reroot.mechanics.coordinates import Coordinates
from mocap_reroot.mechanics.newton_euler import Push, newton_euler
from mocap_reroot.mechanics.tree import Tree
from mocap_reroot.rerooting.reroot import reroot
from mocap_reroot.types import STANDARD_GRAVITY
from tests.peers.pinocchio_trees import pinocchio_tree
from tests.random_trees import random_body, random_motion, random_skeleton

SEEDS = range(8)


def make(seed: int):
    rng = np.random.default_rng(100 + seed)
    skeleton = random_skeleton(rng, 10)
    motion, body = random_motion(rng, skeleton, 2), random_body(rng, skeleton)
    return rng, motion, body, pinocchio_tree(skeleton, body, motion.up)


def close(found: np.ndarray, expected: np.ndarray, tolerance: float = 1e-9) -> None:
    assert np.abs(found - expected).max() <= tolerance * np.abs(expected).max()


@pytest.mark.parametrize("seed", SEEDS)
def test_newton_euler_equals_rnea(seed: int) -> None:
    _, motion, body, tree = make(seed)
    tau = newton_euler(motion, body).joint_forces()
    for f in range(motion.n_frames):
        peer = pin.rnea(tree.model, tree.data, *tree.state(motion, f))
        close(tau[:, f], np.concatenate(tree.joint_values(peer)))


@pytest.mark.parametrize("seed", SEEDS)
def test_newton_euler_with_a_push_equals_rnea_with_an_external_force(seed: int) -> None:
    rng, motion, body, tree = make(seed)
    k = int(rng.integers(10))
    force, moment = rng.normal(size=(3, 2)), rng.normal(size=(3, 2))
    tau = newton_euler(motion, body, [Push(k, force, moment)]).joint_forces()
    for f in range(motion.n_frames):
        state = tree.state(motion, f)
        pin.framesForwardKinematics(tree.model, tree.data, state[0])
        stand = tree.data.oMf[tree.frame[k]]
        at_world = pin.Force(force[:, f], moment[:, f] + np.cross(stand.translation, force[:, f]))
        outside = pin.StdVec_Force()
        for j in range(tree.model.njoints):
            here = tree.joint[k] == j
            outside.append(tree.data.oMi[j].actInv(at_world) if here else pin.Force.Zero())
        peer = pin.rnea(tree.model, tree.data, *state, outside)
        close(tau[:, f], np.concatenate(tree.joint_values(peer)))


@pytest.mark.parametrize("seed", SEEDS)
def test_mass_matrix_equals_crba(seed: int) -> None:
    _, motion, body, tree = make(seed)
    q, _, _ = Coordinates(motion.skeleton).of_motion(motion)
    upper = pin.crba(tree.model, tree.data, tree.state(motion)[0])
    peer = np.triu(upper) + np.triu(upper, 1).T
    rows = [np.concatenate(tree.joint_values(row)) for row in peer]
    columns = np.array(rows).T  # one axis in our order, now the other
    close(
        Tree(motion.skeleton, body).mass_matrix(q),
        np.array([np.concatenate(tree.joint_values(row)) for row in columns]),
    )


@pytest.mark.parametrize("seed", SEEDS)
def test_forward_dynamics_equals_aba(seed: int) -> None:
    rng, motion, body, tree = make(seed)
    layout = Coordinates(motion.skeleton)
    q, speed, _ = layout.of_motion(motion)
    tau = rng.normal(size=layout.n_speeds)
    state = tree.state(motion)
    parts = [tau[layout.speeds_of(i)] for i in range(motion.skeleton.n_bodies)]
    peer = pin.aba(tree.model, tree.data, *state[:2], tree.from_joint_values(parts))
    ours = Tree(motion.skeleton, body, gravity=-STANDARD_GRAVITY * motion.up)
    found = ours.forward_dynamics(q, speed, tau)
    close(found, np.concatenate(tree.joint_values(peer)))


@pytest.mark.parametrize("seed", SEEDS)
def test_rooted_at_every_body_newton_euler_equals_rnea(seed: int) -> None:
    rng, motion, body, _ = make(seed)
    for root in range(motion.skeleton.n_bodies):
        moved = reroot(motion, root=root, at=rng.normal(size=3))
        tree = pinocchio_tree(moved.skeleton, body, motion.up)
        tau = newton_euler(moved, body).joint_forces()
        for f in range(motion.n_frames):
            peer = pin.rnea(tree.model, tree.data, *tree.state(moved, f))
            close(tau[:, f], np.concatenate(tree.joint_values(peer)))
