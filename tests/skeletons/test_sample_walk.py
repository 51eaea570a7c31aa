"""The generated walk as a C3D: joints, forces and events are known beforehand."""

from pathlib import Path

import numpy as np
import pytest

from mocap_reroot.mechanics.kinematics import forward
from mocap_reroot.reading import read
from mocap_reroot.types import Motion
from sample_data import gait_model as model
from sample_data.balance import Truth
from sample_data.make_c3d import TO_LAB

PAIRS = {"thigh": "UpLeg", "shank": "Leg", "foot": "Foot"}


@pytest.fixture(scope="module")
def walk(recorded_walk: tuple[Path, Truth]) -> tuple[Motion, Truth]:
    path, true = recorded_walk
    return read(path), true


def test_leg_joints_are_where_they_were(walk: tuple[Motion, Truth]) -> None:
    motion, true = walk
    world = forward(motion)
    for side in ("left", "right"):
        for ours, theirs in PAIRS.items():
            expected = TO_LAB @ true.position[model.NAMES.index(f"{side.title()}{theirs}")].T
            found = world.position[motion.skeleton.index(f"{side}_{ours}")]
            assert np.abs(found - expected).max() < 2e-4  # m: markers are kept in single precision


def test_soles_are_where_they_were(walk: tuple[Motion, Truth]) -> None:
    skeleton = walk[0].skeleton
    heel, _ball = skeleton.site_offset[skeleton.site_body == skeleton.index("left_foot")]
    np.testing.assert_allclose(heel, [model.HEEL[2], model.HEEL[1], 0], atol=0.005)


def test_plates_and_events(walk: tuple[Motion, Truth]) -> None:
    motion, true = walk
    assert motion.plates is not None and len(motion.plates.names) == 2
    for foot, side in enumerate(("left", "right")):
        force, moment = motion.plates.force[foot], motion.plates.moment[foot]
        times = {
            e: [x.time for x in motion.source.events if (x.event, x.side) == (e, side)]
            for e in ("strike", "off")
        }
        strike, off = times["strike"][0], min(t for t in times["off"] if t > times["strike"][0])
        inside = slice(round(strike * motion.fps) + 3, round(off * motion.fps) - 2)
        expected = TO_LAB @ true.force[foot, inside].T
        assert np.abs(force[:, inside] - expected).max() < 3.5  # N: a mean over 10 ms
        arm = np.stack([-moment[1], moment[0]])[:, inside] / force[2, inside]
        pressure = arm + motion.plates.centre[foot][:2, None]
        known = (TO_LAB @ true.pressure[foot, inside].T)[:2]
        assert np.abs(pressure - known).max() < 1e-3  # m
        outside = np.r_[
            0 : max(round(strike * motion.fps) - 2, 0),
            round(off * motion.fps) + 3 : motion.n_frames,
        ]
        assert np.abs(force[:, outside]).max(initial=0.0) < 1e-3
    assert (motion.source.mass, motion.source.height) == (70.0, 1.75)
