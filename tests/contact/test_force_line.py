"""What the whole body's motion says about who carries it."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from mocap_reroot.contact import force_line
from mocap_reroot.contact.detection import detect_contacts
from mocap_reroot.contact.observation import observe
from mocap_reroot.contact.phases import with_support
from mocap_reroot.reading import read
from mocap_reroot.signals.cleaning import clean
from mocap_reroot.types import Contacts, Motion
from tests.contact.walkers import Step, on_one_leg, standing, walk


def seated(fps: float = 50.0, frames: int = 200) -> Motion:
    """Return a person on a chair: both feet on the floor, 45 cm in front of the pelvis."""
    sway = 0.003 * np.sin(2 * np.pi * 0.3 * np.arange(frames) / fps)
    pelvis = np.stack([sway, np.full(frames, 0.5)])
    steps = [Step("left", 0, np.inf, 0.45, 0), Step("right", 0, np.inf, 0.45, 0)]
    return walk(steps, fps, frames / fps, pelvis=pelvis)


def mode_at(contacts: Contacts, seconds: float) -> str:
    table = contacts.phases
    row = table[(table.start_time <= seconds) & (table.stop_time > seconds)]
    return str(row["mode"].iloc[0])


def test_push_of_a_standing_person_is_one_weight_below_the_trunk():
    motion = standing()
    seen = observe(motion)
    np.testing.assert_allclose(seen.force.vertical[20:-20], 1, atol=0.01)
    place = seen.force.line_base[:, 100]  # at height zero
    assert abs(place[0] - motion.displacement[0, 0, 100]) < 0.05
    assert abs(place[1]) < 1e-6


def test_push_on_one_leg_is_nearer_to_that_foot_than_to_the_other():
    seen = observe(on_one_leg())
    distance = force_line.distances(seen.signals, seen.force, seen.scale.up)
    assert distance.shape == (2, 300)
    assert (distance[0] < 0.15).all()


def test_seated_feet_do_not_carry_alone():
    contacts = detect_contacts(seated())
    assert set(contacts.phases["mode"]) == {"multi"}
    assert contacts.chairs == 1
    assert any("sits on something" in warning for warning in contacts.warnings)
    assert len(contacts.ground) == 1  # a chair is no ground
    assert detect_contacts(standing()).chairs == 0


def test_help_lasts_as_long_as_the_stance_it_belongs_to():
    """Whoever moves a stance's ends by the forces keeps its mode."""
    contacts = detect_contacts(seated(), limbs="feet")
    assert contacts.external_support.all()
    shorter = np.array(contacts.support_body)
    shorter[:, :40] = -1
    cut = with_support(contacts, shorter)
    assert cut.phases["mode"].tolist() == ["flight", "multi"]
    longer = with_support(cut, np.array(contacts.support_body))
    assert longer.phases["mode"].tolist() == ["multi"]


@pytest.fixture(scope="module")
def clip(shared_data):
    return lambda name: clean(read(shared_data / "bvh" / name))


def test_person_on_a_rolling_chair_never_flies(clip):
    contacts = detect_contacts(clip("millimetres/fullbody_model.bvh"))
    assert "flight" not in set(contacts.phases["mode"])
    seat = contacts.feet.index(contacts.skeleton.root)
    assert (contacts.support_body[seat] >= 0).mean() > 0.9


def test_pirouette_on_a_foot_that_slides_is_no_flight(clip):
    contacts = detect_contacts(clip("daz/pirouette.bvh"))
    for seconds in (1.5, 1.7, 1.85):  # the body weighs 0.8 of its weight, the foot moves at 2 m/s
        assert mode_at(contacts, seconds) != "flight"


def test_foot_dragged_while_the_other_carries_is_off(clip):
    contacts = detect_contacts(clip("mixamo/test_freebvh.bvh"))
    left = next(f for f in contacts.feet if "Left" in contacts.skeleton.names[f])
    on = contacts.foot_touching(left)
    assert not on[int(1.1 * contacts.fps)]
    assert on[int(0.6 * contacts.fps)]
    assert on[int(1.6 * contacts.fps)]


def test_legs_alone_still_fall(clip):
    """Laboratories that capture legs only: the pelvis tells flight from standing."""
    motion = clip("cmu/49_02.bvh")
    anatomy = motion.skeleton.anatomy
    legs = ("pelvis", "thigh", "shank", "foot", "toes")
    segments = tuple(s if s.endswith(legs) else "" for s in anatomy.segments)
    bare = replace(
        motion, skeleton=replace(motion.skeleton, anatomy=replace(anatomy, segments=segments))
    )
    whole, part = (detect_contacts(m, limbs="feet") for m in (motion, bare))
    assert (whole.touching == part.touching).mean() > 0.99
    assert part.phases["mode"].tolist().count("flight") == 22
