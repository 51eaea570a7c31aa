"""Contacts from force plates, stored events and tables."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from mocap_reroot.contact.detection import detect_contacts
from mocap_reroot.contact.from_plates import plate_stances
from mocap_reroot.contact.plate_feet import plate_owners
from mocap_reroot.contact.support import support_of
from mocap_reroot.errors import FileError, MocapRerootError, UnknownNameError
from mocap_reroot.mechanics.kinematics import forward
from mocap_reroot.parameters import ContactParameters
from mocap_reroot.types import Event, Motion, Plates, Support
from tests.contact.walkers import BALL, regular_steps, walk

FPS, DURATION = 100.0, 4.5
STEPS = regular_steps(DURATION)


@pytest.fixture(scope="module")
def motion() -> Motion:
    return walk(STEPS, FPS, DURATION)


def plate_under(steps, *, late: float = 0.02) -> Plates:
    """Return a plate under each step that is loaded a little later and shorter than the stance."""
    time = np.arange(round(DURATION * FPS)) / FPS
    corners, force = [], []
    for step in steps:
        x, y = step.x + 0.5 * BALL, 0.09 if step.side == "left" else -0.09
        box = [(-0.25, -0.09), (0.25, -0.09), (0.25, 0.09), (-0.25, 0.09)]
        corners.append([(x + dx, y + dy, step.z) for dx, dy in box])
        on = (time >= step.strike + late) & (time < step.off)
        force.append([0 * time, 0 * time, 700.0 * on])
    names = tuple(f"plate {k}" for k in range(len(steps)))
    return Plates(np.array(corners), np.array(force), np.zeros((len(steps), 3, len(time))), names)


def test_plates_give_exact_edges_and_leave_the_rest_to_the_motion(motion):
    on_plate = [s for s in STEPS if 1 < s.strike < 2]
    measured = replace(motion, plates=plate_under(on_plate))
    contacts = detect_contacts(measured)
    assert contacts.method == "kinematics+plates"
    events = contacts.events
    for step in on_plate:
        for event, time in (("strike", step.strike + 0.02), ("off", step.off)):
            mine = events[(events.side == step.side) & (events.event == event)].time
            assert np.abs(mine - time).min() <= 0.0101
    alone = detect_contacts(motion).events
    assert len(alone) == len(events)
    far = (alone.time < 0.9) | (alone.time > 3.0)
    np.testing.assert_array_equal(alone.frame[far], events.frame[far])


def test_plates_alone_know_only_their_steps(motion):
    on_plate = [s for s in STEPS if 1 < s.strike < 2]
    measured = replace(motion, plates=plate_under(on_plate))
    contacts = detect_contacts(measured, contact_source="plates")
    assert (contacts.events.event == "strike").sum() == len(on_plate)


def test_a_foot_half_off_the_plate_keeps_its_kinematic_off(motion):
    step = next(s for s in STEPS if s.strike > 1)
    plates = plate_under([step])
    early = plates.force.copy()
    early[:, :, round((step.off - 0.3) * FPS) :] = 0  # only the heel was on it
    measured = replace(motion, plates=replace(plates, force=early))
    plain, with_plates = detect_contacts(motion).events, detect_contacts(measured).events
    offs = [e[(e.event == "off") & (e.side == step.side)].frame for e in (plain, with_plates)]
    np.testing.assert_array_equal(*offs)


def test_asking_for_plates_without_any_says_so(motion):
    with pytest.raises(MocapRerootError, match="no force plates"):
        detect_contacts(motion, contact_source="plates")


def test_stored_events_move_the_edges(motion):
    stored = [Event("strike", s.side, s.strike + 0.03) for s in STEPS if 0.5 < s.strike < 3]
    told = replace(motion, source=replace(motion.source, events=tuple(stored)))
    contacts = detect_contacts(told, contact_source="events")
    for event in stored:
        mine = contacts.events[
            (contacts.events.side == event.side) & (contacts.events.event == "strike")
        ]
        assert np.abs(mine.time - event.time).min() <= 0.0051
    with pytest.raises(MocapRerootError, match="stores no foot strike"):
        detect_contacts(motion, contact_source="events")


def test_table_of_stances(motion, tmp_path):
    rows = [("left_foot", 10, 60), ("right", 50, 120), ("left_foot", 130, 200)]
    table = pd.DataFrame(rows, columns=["foot", "start_frame", "stop_frame"])
    path = tmp_path / "contacts.csv"
    table.to_csv(path, index=False)
    for given in (table, path):
        contacts = detect_contacts(motion, contacts=given)
        assert contacts.method == "table"
        on = contacts.foot_touching(motion.skeleton.index("left_foot"))
        want = np.zeros(motion.n_frames, bool)
        want[10:60] = want[130:200] = True
        np.testing.assert_array_equal(on, want)
        modes = contacts.phases.groupby("mode")[["start_frame"]].count()
        assert set(modes.index) == {"flight", "single", "double"}


def test_own_table_comes_back(motion, tmp_path):
    first = detect_contacts(motion)
    path = tmp_path / "contacts.parquet"
    first.contacts.to_parquet(path)
    again = detect_contacts(motion, contacts=path)
    np.testing.assert_array_equal(first.touching, again.touching)
    pd.testing.assert_frame_equal(first.events, again.events)


def test_a_table_of_another_clip_is_refused(motion):
    longer = pd.DataFrame({"frame": range(motion.n_frames + 5)})
    longer["left_foot_contact"] = True
    with pytest.raises(MocapRerootError, match="made for another clip"):
        detect_contacts(motion, contacts=longer)
    longer["frame"] = "a"
    with pytest.raises(MocapRerootError, match="frame is 'a'; expected a number"):
        detect_contacts(motion, contacts=longer)


@pytest.mark.parametrize(
    ("rows", "error", "says"),
    [
        ([("left_fot", 10, 60)], UnknownNameError, "Did you mean 'left_foot'"),
        ([("left_foot", 60, 10)], MocapRerootError, "stop must be greater"),
        ([("left_foot", 10, 6000)], MocapRerootError, "outside the clip"),
        ([("left", 10, 60), ("left", "a", 99)], MocapRerootError, "Row 2 .*start_frame is 'a'"),
    ],
)
def test_wrong_tables_are_told_what_is_wrong(motion, rows, error, says):
    table = pd.DataFrame(rows, columns=["foot", "start_frame", "stop_frame"])
    with pytest.raises(error, match=says):
        detect_contacts(motion, contacts=table)


def test_tables_without_columns_or_file(motion, tmp_path):
    with pytest.raises(MocapRerootError, match="needs a column 'foot'"):
        detect_contacts(motion, contacts=pd.DataFrame({"a": [1]}))
    with pytest.raises(MocapRerootError, match="stop_frame"):
        detect_contacts(motion, contacts=pd.DataFrame({"foot": ["left"], "start_frame": [1]}))
    with pytest.raises(FileError, match="no such file"):
        detect_contacts(motion, contacts=tmp_path / "none.csv")
    (tmp_path / "empty.csv").write_text("\n")
    with pytest.raises(FileError, match="the file is empty"):
        detect_contacts(motion, contacts=tmp_path / "empty.csv")
    with pytest.raises(UnknownNameError, match="kinematics"):
        detect_contacts(motion, contact_source="kinematic")


def test_a_limb_counts_on_a_plate_only_in_a_stance_of_its_own(motion):
    """A hand that hangs low over the plate while a foot stands there carries nothing.

    With hands among the limbs, a plate's edge was given up for the place of a limb at the time of
    another limb's stance.
    """
    step = next(s for s in STEPS if s.strike > 1)
    contacts = detect_contacts(motion)
    support = support_of(contacts, forward(motion))
    mine = [motion.skeleton.names[foot] for foot in support.feet].index(f"{step.side}_foot")
    other = 1 - mine
    stances = [
        [(s.strike * FPS, s.off * FPS) for s in STEPS if (s.side == step.side) == (k == mine)]
        for k in range(2)
    ]
    plates, numbers = plate_under([step], late=0.0), ContactParameters()

    def edges(who: Support, others: frozenset[int] = frozenset()) -> list:
        owned = plate_owners(plates, who, motion.up, others)
        return plate_stances(plates, owned, stances, motion.up, FPS, numbers)[mine]

    feet_only = edges(support)
    assert len(feet_only) == 1
    middle = round((step.strike + step.off) / 2 * FPS)
    corners, part = np.array(support.corners), np.array(support.part)
    corners[other] = support.corners[mine, ..., middle, None]
    part[other] = -1
    hand = frozenset({support.feet[other]})
    low = replace(support, corners=corners, part=part)
    assert edges(low, hand) == feet_only
    part = part.copy()
    part[other] = support.feet[other]  # one that does carry there counts
    assert edges(replace(low, part=part), hand) == []
