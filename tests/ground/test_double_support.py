"""Double support in production against the closed chain: equal wrenches make equal torques."""

from pathlib import Path

import numpy as np
import pytest

import mocap_reroot as mr
from mocap_reroot.mechanics.closed_chain import ClosedChain, contact
from mocap_reroot.mechanics.kinematics import forward
from mocap_reroot.types import STANDARD_GRAVITY, JointType

SAMPLE = Path(__file__).resolve().parents[2] / "sample_data" / "walk.bvh"


@pytest.fixture(scope="module")
def walk():
    motion = mr.smooth(mr.read(SAMPLE), cutoff=6.0)
    body = mr.body_model(motion.skeleton, mass=70.0)
    return motion, body, mr.inverse_dynamics(mr.reroot(motion, mr.detect_contacts(motion)), body)


def closed_chain(motion, body, result, frame):
    """Both feet held where their pressure is, and the wrenches that production found there."""
    world = forward(motion)
    closures, wrenches = [], []
    for k, foot in enumerate(result.feet):
        place = result.foot_pressure[k, :, frame]
        turn = world.matrix[foot, frame]
        at = turn.T @ (place - world.position[foot, :, frame])
        orientation = world.orientation[foot, :, frame]
        closures.append(contact("flat", foot, at, place, orientation))
        force, couple = result.foot_force[k, :, frame], result.foot_couple[k, frame] * motion.up
        wrenches.append(np.concatenate([force, couple]))
    chain = ClosedChain(
        motion.skeleton, body, tuple(closures), gravity=-STANDARD_GRAVITY * motion.up
    )
    return chain, np.concatenate(wrenches)


def double_frames(result, count=12):
    loaded = np.isfinite(result.foot_pressure).all(axis=(0, 1)) & (result.mode == "double")
    frames = np.flatnonzero(loaded)
    return frames[np.linspace(0, len(frames) - 1, count).astype(int)]


def test_production_torques_are_the_closed_chains(walk):
    motion, body, result = walk
    skeleton = motion.skeleton
    toes = {i for foot in result.feet for i in skeleton.subtree(foot)} - set(result.feet)
    for frame in double_frames(result):
        chain, wrenches = closed_chain(motion, body, result, frame)
        state = chain.coordinates.of_motion(motion, frame)
        jacobian, _ = chain.constraints(*state[:2])
        torque = chain.inverse_dynamics(*state) - jacobian.T @ wrenches
        for i in result.joints:
            # a wrench on the toes rather than on the foot changes the toe joint alone
            if i in toes or skeleton.joint_types[i] != JointType.SPHERICAL:
                continue
            ours = torque[chain.coordinates.speeds_of(i)]
            assert np.abs(ours - result.torque[i, :, frame]).max() < 1e-6, skeleton.names[i]
        root = torque[chain.coordinates.speeds_of(skeleton.root)]
        turn = forward(motion).matrix[skeleton.root, frame]
        assert np.abs(turn @ root[3:] - result.residual_force[:, frame]).max() < 1e-6
        assert np.abs(turn @ root[:3] - result.residual_moment[:, frame]).max() < 1e-6


def test_any_sharing_has_the_same_total(walk):
    motion, body, result = walk
    for frame in double_frames(result, 4):
        chain, wrenches = closed_chain(motion, body, result, frame)
        state = chain.coordinates.of_motion(motion, frame)
        found = chain.inverse(*state)
        assert chain.mobility(*state[:2]).n_freedoms == chain.coordinates.n_speeds - 12
        assert found.redundancy == 6  # two flat feet
        total = found.wrenches[:, 3:].sum(axis=0)
        given = wrenches.reshape(2, 6)[:, :3].sum(axis=0) + result.residual_force[:, frame]
        assert np.abs(total - given).max() < 1e-6
        # the least torques are not more than those of the production's sharing
        jacobian, _ = chain.constraints(*state[:2])
        produced = (chain.inverse_dynamics(*state) - jacobian.T @ wrenches)[chain.actuated]
        assert np.linalg.norm(found.torque) <= np.linalg.norm(produced) + 1e-9
