"""Contacts of motions whose contacts are known because they were generated."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from mocap_reroot.contact.detection import detect_contacts
from mocap_reroot.types import Contacts, Motion, Skeleton
from tests.contact.walkers import (
    hand_stand,
    on_one_leg,
    person,
    regular_steps,
    staircase,
    standing,
    walk,
)


def assert_events_near(contacts: Contacts, steps, seconds: float, duration: float) -> None:
    """Every strike and off of the steps inside the clip was found, and no other."""
    for event in ("strike", "off"):
        times = [(getattr(s, event), s.side) for s in steps]
        found = contacts.events[contacts.events.event == event]
        for time, side in times:
            if 0.15 < time < duration - 0.15:
                mine = found[found.side == side].time.to_numpy()
                message = f"{side} {event} at {time:.2f} s: {mine}"
                assert np.abs(mine - time).min() < seconds, message
        for row in found.itertuples():
            near = min(abs(time - row.time) for time, side in times if side == row.side)
            assert near < seconds, f"{row.side} {event} at {row.time:.2f} s is none"


@pytest.mark.parametrize("fps", [30.0, 60.0, 120.0, 240.0, 360.0])
def test_walk_on_level_ground_at_any_rate(fps):
    steps = regular_steps(4.5)
    contacts = detect_contacts(walk(steps, fps, 4.5))
    assert contacts.ground_kind == "level"
    assert_events_near(contacts, steps, 0.06, 4.5)
    modes = contacts.phases[contacts.phases.start_time > 0.3]["mode"]
    assert set(modes) == {"single", "double"}


def test_inches_and_a_child_give_the_same_frames():
    steps = regular_steps(4.5)
    whole = walk(steps, 100.0, 4.5)
    small = walk(steps, 100.0, 4.5, scale=0.85)
    a, b = detect_contacts(whole), detect_contacts(small)
    assert len(a.events) == len(b.events)
    assert np.abs(a.events.frame.to_numpy() - b.events.frame.to_numpy()).max() <= 1


@pytest.mark.parametrize("rise", [0.17, -0.17])
def test_stairs_have_several_levels(rise):
    steps = regular_steps(4.6, length=0.28, rise=rise, stride=1.3)
    contacts = detect_contacts(walk(steps, 100.0, 4.6))
    assert contacts.ground_kind == "stepped"
    heights = sorted(plane.point[2] for plane in contacts.planes)
    np.testing.assert_allclose(np.diff(heights), abs(rise), atol=0.025)
    assert len(heights) >= 6
    assert_events_near(contacts, steps, 0.1, 4.5)
    for plane in contacts.planes:
        np.testing.assert_allclose(plane.normal, [0, 0, 1], atol=1e-9)


@pytest.mark.parametrize(("rise", "level", "count"), [(-0.17, 2, 5), (-0.2, 0, 4), (0.17, 1, 3)])
def test_every_stance_on_stairs_has_its_own_step_below_it(rise, level, count):
    """Down on the ball of the foot, between level walks or cut from them."""
    steps, duration = staircase(count, rise, level=level), 0.6 * (2 * level + count)
    contacts = detect_contacts(walk(steps, 100.0, duration))
    assert contacts.ground_kind == "stepped"
    assert_events_near(contacts, steps, 0.1, duration)
    assert set(contacts.phases["mode"]) == {"single", "double"}
    time = np.arange(len(contacts.flags)) / contacts.fps
    heights = np.array([plane.point[2] for plane in contacts.planes])
    for k, sole in enumerate(contacts.soles):
        for step in steps:
            if contacts.skeleton.names[sole.foot].startswith(step.side):
                on = contacts.touching[k] & (time >= step.strike) & (time < step.off)
                np.testing.assert_allclose(heights[contacts.plane[k][on]], step.z, atol=0.02)


@pytest.mark.parametrize("degrees", [8.0, -8.0])
def test_ramp_is_one_sloped_plane(degrees):
    slope = np.radians(degrees)
    steps = regular_steps(4.5, rise=0.6 * np.tan(slope), slope=slope)
    contacts = detect_contacts(walk(steps, 100.0, 4.5))
    assert contacts.ground_kind == "sloped"
    assert len(contacts.planes) == 1
    normal = contacts.planes[0].normal
    assert np.degrees(np.arctan2(-normal[0], normal[2])) == pytest.approx(degrees, abs=1.5)
    assert_events_near(contacts, steps, 0.08, 4.5)


def test_tilting_capture_floor_is_no_flight():
    steps = regular_steps(4.5, rise=0.011)
    contacts = detect_contacts(walk(steps, 120.0, 4.5))
    assert "flight" not in set(contacts.phases["mode"])
    assert contacts.ground_kind == "sloped"


def test_floor_not_at_zero():
    motion = walk(regular_steps(4.5), 100.0, 4.5)
    lifted = replace(motion, displacement=motion.displacement + np.array([3.0, -2, 7.5])[:, None])
    a, b = detect_contacts(motion), detect_contacts(lifted)
    assert np.abs(a.events.frame.to_numpy() - b.events.frame.to_numpy()).max() <= 1
    assert b.planes[0].point[2] == pytest.approx(7.5, abs=0.02)


def test_standing_is_double_support_throughout():
    contacts = detect_contacts(standing())
    assert contacts.phases["mode"].tolist() == ["double"]
    assert contacts.foot_touching(contacts.feet[0]).all()
    assert len(contacts.events) == 0


def test_single_frame_stands():
    motion = standing().cut(0, 1)
    contacts = detect_contacts(motion)
    assert contacts.phases["mode"].tolist() == ["double"]


def test_still_raised_foot_does_not_carry():
    contacts = detect_contacts(on_one_leg())
    assert contacts.phases["mode"].tolist() == ["single"]
    assert contacts.phases["support"].tolist() == ["left_foot"]
    why = contacts.explain(100, "right_foot")
    assert "not in contact" in why
    assert "too high" in why


@pytest.mark.parametrize("limbs", ["auto", "hands", "left_hand,right_hand"])
def test_hand_stand(limbs):
    contacts = detect_contacts(hand_stand(), limbs=limbs)
    assert contacts.phases["mode"].tolist() == ["double"]
    assert contacts.phases["support"].tolist() == ["left_hand+right_hand"]
    assert contacts.planes[0].point[2] == pytest.approx(0, abs=0.03)


def test_hand_stand_without_hands_is_no_support_and_says_so():
    contacts = detect_contacts(hand_stand(), limbs="feet")
    assert contacts.phases["mode"].tolist() == ["flight"]
    assert any("No foot" in warning for warning in contacts.warnings)


def test_feet_without_toes():
    steps = regular_steps(4.5)
    contacts = detect_contacts(walk(steps, 100.0, 4.5, toes=False))
    assert [contacts.skeleton.names[s.body] for s in contacts.soles] == ["left_foot", "right_foot"]
    assert_events_near(contacts, steps, 0.08, 4.5)


def test_skating_feet_still_carry():
    steps = regular_steps(4.5)
    motion = walk(steps, 100.0, 4.5)
    drift = 0.25 * np.arange(motion.n_frames) / motion.fps
    slide = motion.displacement.copy()
    slide[0, 1] += drift
    contacts = detect_contacts(replace(motion, displacement=slide))
    assert_events_near(contacts, steps, 0.08, 4.5)


def test_treadmill_belt_is_the_ground():
    steps = regular_steps(6.5)
    motion = walk(steps, 100.0, 6.5)
    belt = -0.6 / 0.55 * np.arange(motion.n_frames) / motion.fps
    moved = motion.displacement.copy()
    moved[0, 0] += belt
    on_belt = replace(motion, displacement=moved)
    contacts = detect_contacts(on_belt)
    assert any("treadmill" in warning for warning in contacts.warnings)
    assert contacts.belt is not None
    np.testing.assert_allclose(contacts.belt, [-0.6 / 0.55, 0, 0], atol=0.05)
    assert detect_contacts(motion).belt is None
    assert_events_near(contacts, steps, 0.08, 4.5)


def test_root_that_never_moves():
    steps = regular_steps(6.5)
    motion = walk(steps, 100.0, 6.5)
    fixed = replace(motion, displacement=np.zeros_like(motion.displacement))
    contacts = detect_contacts(fixed)
    assert any("does not travel" in warning for warning in contacts.warnings)
    modes = contacts.phases.groupby("mode").size()
    assert modes["single"] >= 8
    assert "flight" not in modes
    truth = detect_contacts(motion)
    agree = (contacts.touching.any(axis=0) == truth.touching.any(axis=0)).mean()
    both = [contacts.foot_touching(f) == truth.foot_touching(f) for f in truth.feet]
    assert agree > 0.95
    assert np.mean(both) > 0.85


def test_feet_found_by_shape_when_names_say_nothing():
    steps = regular_steps(4.5)
    named = walk(steps, 100.0, 4.5)
    nameless = replace(named, skeleton=person(named=False))
    contacts = detect_contacts(nameless)
    feet = [named.skeleton.names[f] for f in contacts.feet]
    assert feet == ["left_foot", "right_foot"]
    plain = detect_contacts(named)
    assert (contacts.touching == plain.touching).mean() > 0.93


def test_no_foot_at_all_is_flight_with_a_warning():
    skeleton = Skeleton(("lump",), np.array([-1]), np.zeros((1, 3)))
    frames = 10
    rotation = np.tile(np.array([1.0, 0, 0, 0])[None, :, None], (1, 1, frames))
    motion = Motion(skeleton, 50.0, np.array([0.0, 0, 1]), rotation, np.zeros((1, 3, frames)))
    contacts = detect_contacts(motion)
    assert contacts.phases["mode"].tolist() == ["flight"]
    assert "No foot" in contacts.warnings[0]
