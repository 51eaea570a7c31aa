"""A model's kinematics and generalised forces are OpenSim's, state by state."""

from dataclasses import replace

import numpy as np
import pytest

from mocap_reroot.anthropometry.bodies import body_model
from mocap_reroot.importers.osim import read_osim
from mocap_reroot.mechanics.kinematics import forward
from mocap_reroot.mechanics.model import (
    generalised_forces,
    joint_motion,
    opensim_term,
    rates_to_speeds,
)
from mocap_reroot.mechanics.newton_euler import newton_euler
from mocap_reroot.skeletons.from_model import model_motion
from mocap_reroot.types import Generalised
from tests.importers.osim_texts import model_3x
from tests.peers.opensim_solver import Peer, chain_of_all_joints

SHARED = (
    "gold/arnold_subject01_walk/subject01.osim",
    "gold/opensim_subject01_walk/subject01_simbody.osim",
    "atlas/opencap/subject2/model.osim",
    "atlas/hamner/subject01/model.osim",
    "atlas/arnold/subject02/model.osim",
)


@pytest.fixture(params=["every kind of joint", "version 3", *SHARED])
def path(request, tmp_path, shared_data):
    if request.param in SHARED:
        return shared_data / request.param
    if request.param == "version 3":
        text = model_3x().split("<ConstraintSet>")
        (tmp_path / "old.osim").write_text(text[0] + text[1].split("</ConstraintSet>")[1])
        return tmp_path / "old.osim"
    chain_of_all_joints(tmp_path / "chain.osim")
    return tmp_path / "chain.osim"


def test_states_give_opensims_places_and_forces(path) -> None:
    model, peer = read_osim(path), Peer(path)
    assert sorted(model.names) == sorted(peer.names)
    count, frames = len(model.coordinates), 3
    rng = np.random.default_rng(1)
    value, speed, acceleration = rng.normal(size=(3, count, frames)) * [[[0.5]], [[1.0]], [[5.0]]]
    coordinates = Generalised(model, np.eye(3), value, np.ones(count, bool), speed, acceleration)
    motion = model_motion(coordinates, 100.0)
    assert motion.angular_acceleration is not None
    terms = [opensim_term(model, body, value, speed) for body in range(len(model.bodies))]
    motion = replace(motion, angular_acceleration=motion.angular_acceleration + terms)
    world, wrench = forward(motion), newton_euler(motion, body_model(motion))
    force, u, du = np.empty((3, count, frames))
    for body, joint in enumerate(model.joints):
        moved = joint_motion(model, body, value, speed, acceleration)
        own = list(joint.own)
        force[own] = generalised_forces(moved, wrench.moment[body], wrench.force[body])
        u[own], du[own] = rates_to_speeds(model, body, value, speed, acceleration)
    for f in range(frames):
        theirs = peer.forces(model.names, value[:, f], u[:, f], du[:, f])
        assert force[:, f] == pytest.approx(theirs, abs=1e-10 * np.abs(theirs).max())
        for k, label in enumerate(model.labels):
            body, place = model.marker_body[k], model.marker_place[k]
            here = world.point(body, place - model.joints[body].child_place)[:, f]
            there = peer.point(model.bodies[body], place)
            assert here == pytest.approx(there, abs=1e-9), label


def test_rates_are_those_of_the_places(shared_data) -> None:
    """Ninth-order differences of positions, where Simbody itself is off."""
    model = read_osim(shared_data / SHARED[0])
    count, step = len(model.coordinates), 1e-3
    rng = np.random.default_rng(2)
    value, speed, acceleration = rng.uniform(size=(3, count, 1)) * [[[0.3]], [[1.0]], [[5.0]]]
    t = (np.arange(9) - 4) * step
    whole = Generalised(
        model, np.eye(3), value + speed * t + acceleration * t**2 / 2, np.ones(count, bool),
        speed + acceleration * t, acceleration + 0 * t,
    )  # fmt: skip
    world = forward(model_motion(whole, 1 / step))
    weights = [-1 / 560, 8 / 315, -1 / 5, 8 / 5, -205 / 72, 8 / 5, -1 / 5, 8 / 315, -1 / 560]
    assert world.acceleration is not None
    numeric = world.position @ weights / step**2
    assert numeric == pytest.approx(world.acceleration[..., 4], abs=1e-7)
