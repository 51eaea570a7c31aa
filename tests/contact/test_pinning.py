"""Pinned feet stand still on the ground; what is not in stance, or beside it, does not change."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from mocap_reroot.analysis import analyze
from mocap_reroot.anthropometry.bodies import body_model
from mocap_reroot.contact.detection import detect_contacts
from mocap_reroot.contact.pinning import REACH, pin_feet
from mocap_reroot.contact.stance_feet import foot_skate, stance_feet
from mocap_reroot.ground.estimate import estimate_ground
from mocap_reroot.mechanics.kinematics import forward
from mocap_reroot.reading import read
from mocap_reroot.signals.cleaning import clean
from mocap_reroot.signals.smoothing import smooth
from mocap_reroot.types import Contacts, Motion

WALKS = ("cmu/02_01.bvh", "pybvh/cmu_12_01_walk.bvh", "mixamo/test_mocapbank.bvh")
Pinned = tuple[Motion, Motion, Contacts]


@pytest.fixture(scope="module", params=WALKS)
def walk(shared_data: Path, request: pytest.FixtureRequest) -> Pinned:
    motion = clean(read(shared_data / "bvh" / request.param))
    contacts = detect_contacts(motion)
    return motion, pin_feet(motion, contacts), contacts


def test_stance_feet_stand_on_the_ground(walk: Pinned) -> None:
    motion, pinned, contacts = walk
    was = foot_skate(stance_feet(motion, contacts), motion.fps)
    now = foot_skate(stance_feet(pinned, contacts), motion.fps)
    print(f"skate {was['skate']:.1f} -> {now['skate']:.1f} mm/s, below {was['below']:.1f} -> "
          f"{now['below']:.1f} mm")  # fmt: skip
    assert now["skate"] < 5 and now["skate"] < 0.1 * was["skate"]
    assert now["below"] < 0.5
    # Smoothing brings a little back from beside the stances, but no more than a third.
    smoothed = foot_skate(stance_feet(smooth(pinned, 6.0), contacts), motion.fps)
    assert smoothed["skate"] < was["skate"] / 3 and smoothed["below"] < 5


def test_swing_and_all_above_the_legs_stay(walk: Pinned) -> None:
    motion, pinned, contacts = walk
    before, after = forward(motion), forward(pinned)
    reach = round(REACH * motion.fps)
    near = np.zeros(motion.n_frames, bool)
    feet = [foot for foot in contacts.feet if foot not in contacts.others]
    for foot in feet:
        on = contacts.foot_touching(foot)
        beside = np.convolve(on, np.ones(2 * reach + 1), "same") > 0
        near |= beside
        moved = np.linalg.norm(after.position[foot] - before.position[foot], axis=0)
        assert np.all(moved[~beside & motion.analysed] < 1e-6)
    legs = {b for foot in feet for b in motion.skeleton.subtree(foot)}
    legs |= {b for foot in feet for b in motion.skeleton.chain(foot)[:3]}
    others = [b for b in range(motion.skeleton.n_bodies) if b not in legs]
    turned = np.abs(pinned.rotation[others] - motion.rotation[others])
    assert np.nanmax(turned) < 1e-5  # the pelvis may shift, but nothing above the legs turns
    root = np.linalg.norm(pinned.displacement - motion.displacement, axis=1)
    assert np.nanmax(root) < 0.015
    assert pinned.skeleton is motion.skeleton  # lengths are the skeleton's


def test_accelerations_are_not_noisier(walk: Pinned) -> None:
    motion, pinned, contacts = walk
    legs = sorted({b for foot in contacts.feet for b in motion.skeleton.chain(foot)[:3]})
    use = motion.analysed
    before, after = smooth(motion, 6.0), smooth(pinned, 6.0)

    def rms(values: np.ndarray) -> float:
        return float(np.sqrt(np.mean(values[..., use] ** 2)))

    assert before.angular_acceleration is not None and after.angular_acceleration is not None
    turning = rms(after.angular_acceleration[legs]) / rms(before.angular_acceleration[legs])
    root = rms(forward(after).acceleration[:1]) / rms(forward(before).acceleration[:1])  # type: ignore[index]
    print(f"legs' angular accelerations x {turning:.2f}, root's acceleration x {root:.2f}")
    assert turning < 1.2 and root < 1.2


def test_a_foot_that_stands_still_is_left_alone(shared_data: Path) -> None:
    motion = clean(read(shared_data / "bvh/perception_neuron/test.bvh"))
    pinned = pin_feet(motion, detect_contacts(motion))
    moved = np.abs(forward(pinned).position - forward(motion).position)
    assert np.nanmax(moved) < 2e-3


def test_a_belt_is_not_mistaken_for_skating(shared_data: Path) -> None:
    motion = clean(read(shared_data / "bvh" / WALKS[0]))
    contacts = detect_contacts(motion)
    drift = np.zeros_like(motion.displacement)
    drift[0, 2] = 1.0 * motion.time  # carried along at 1 m/s
    carried = replace(motion, displacement=motion.displacement + drift)
    pinned = pin_feet(carried, contacts)
    np.testing.assert_allclose(pinned.displacement, carried.displacement, atol=0.02)
    assert any("slide too far" in warning for warning in pinned.source.warnings)


def test_an_analysis_pins_once_on_the_stances_that_were_seen(shared_data: Path) -> None:
    path = shared_data / "bvh" / WALKS[0]
    free, held = (analyze(path, mass=70.0, pin_feet=pin) for pin in (False, True))
    before, after = (a.dynamics.quality["foot_skate_mm_s"] for a in (free, held))
    assert after < before / 2  # the root is corrected after that, by a millimetre
    assert any("were pinned" in repair for repair in held.motion.source.repairs)
    motion = read(path)
    body = body_model(motion, mass=70.0)
    contacts = detect_contacts(motion, body)
    ground = estimate_ground(pin_feet(motion, contacts), body, contacts)
    np.testing.assert_array_equal(ground.motion.rotation, held.motion.rotation)


def test_markers_are_pinned_too(shared_data: Path) -> None:
    motion = read(shared_data / "c3d/plug_in_gait/HC030A/HC030A05.c3d")
    contacts = detect_contacts(motion)
    pinned = pin_feet(motion, contacts)
    was = foot_skate(stance_feet(motion, contacts), motion.fps)
    now = foot_skate(stance_feet(pinned, contacts), motion.fps)
    assert now["skate"] < was["skate"] / 3 and now["below"] < 1
