"""Contacts of real recordings: against force plates and events, and by what is plainly visible."""

from __future__ import annotations

import itertools
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from scipy.interpolate import CubicSpline

from mocap_reroot.anthropometry.bodies import body_model
from mocap_reroot.contact.detection import detect_contacts
from mocap_reroot.ground.estimate import estimate_ground
from mocap_reroot.reading import read
from mocap_reroot.types import Motion, flag_code
from tests.contact.truth import PLUG_IN_GAIT, errors, frames_in_contact, marks_of


@pytest.fixture(scope="module")
def clips(shared_data):
    folder = shared_data / "c3d" / "plug_in_gait"
    return [(folder / f"{name}.c3d", read(folder / f"{name}.c3d")) for name in PLUG_IN_GAIT]


def test_strikes_and_offs_of_children_against_plates_and_events(clips):
    tables, hits, wrong = [], 0, 0
    for path, motion in clips:
        contacts = detect_contacts(motion, contact_source="kinematics")
        marks = marks_of(path, motion)
        tables.append(errors(marks, contacts.events, motion))
        for foot in contacts.feet:
            side = contacts.skeleton.names[foot].split("_")[0]
            truth = frames_in_contact(marks, side, motion.fps, motion.n_frames)
            on = contacts.foot_touching(foot)
            hits += (on & (truth == 1)).sum()
            wrong += ((truth >= 0) & (on != (truth == 1))).sum()
    table = pd.concat(tables)
    assert len(table) > 75
    for event in ("strike", "off"):
        size = 1000 * table[table.event == event].error.abs()
        assert size.max() < 100, "missed"
        assert size.median() <= 12
        assert (size <= 30.5).mean() >= 0.9  # half a millisecond for the clocks
        measured = 1000 * table[(table.event == event) & (table.source == "plate")].error.abs()
        assert measured.median() <= 10
    assert 2 * hits / (2 * hits + wrong) >= 0.97


def test_forces_do_not_move_strikes_and_offs_of_walks(clips):
    tables = []
    for path, motion in clips[::2]:
        contacts = detect_contacts(motion, contact_source="kinematics")
        ground = estimate_ground(motion, body_model(motion), contacts, forces="predicted")
        tables.append(errors(marks_of(path, motion), ground.contacts.events, motion))
    known = pd.concat(tables)
    known = known[known.source == "plate"]
    for _, rows in known.groupby("event"):
        assert len(rows) > 4
        assert rows.error.abs().median() < 0.010


def test_plates_are_used_where_a_foot_stood_on_one(clips):
    path, motion = clips[0]
    contacts = detect_contacts(motion)
    assert contacts.method == "kinematics+plates"
    marks = [m for m in marks_of(path, motion) if m.source == "plate"]
    table = errors(marks, contacts.events, motion)
    assert table.error.abs().max() <= 0.0101


def resampled(motion: Motion, fps: float) -> Motion:
    """Return the motion at another rate, by splines through its frames."""
    time = np.arange(motion.n_frames) / motion.fps
    new = np.arange(int(time[-1] * fps) + 1) / fps
    rotation = CubicSpline(time, motion.rotation, axis=-1)(new)
    rotation /= np.linalg.norm(rotation, axis=1, keepdims=True)
    displacement = CubicSpline(time, motion.displacement, axis=-1)(new)
    return replace(
        motion, fps=fps, rotation=rotation, displacement=displacement, plates=None,
        flags=np.zeros(len(new)),
    )  # fmt: skip


@pytest.mark.parametrize("fps", [30.0, 60.0, 120.0, 240.0])
def test_events_do_not_depend_on_the_rate(clips, fps):
    _, motion = clips[4]
    here = detect_contacts(motion, contact_source="kinematics").events
    there = detect_contacts(resampled(motion, fps), contact_source="kinematics").events
    assert len(here) == len(there)
    coarse = 1 / min(fps, motion.fps)
    for (_, a), (_, b) in zip(
        here.groupby(["foot", "event"]), there.groupby(["foot", "event"]), strict=True
    ):
        assert np.abs(a.time.to_numpy() - b.time.to_numpy()).max() <= coarse + 1e-9


def test_events_do_not_depend_on_the_size(clips):
    _, motion = clips[4]
    inch = 1 / 0.0254 * 0.03  # a person in inches, taken for three centimetres each
    skeleton = replace(
        motion.skeleton,
        offset=motion.skeleton.offset * inch,
        site_offset=motion.skeleton.site_offset * inch,
    )
    big = replace(motion, skeleton=skeleton, displacement=motion.displacement * inch, plates=None)
    here = detect_contacts(motion, contact_source="kinematics").events
    there = detect_contacts(big, contact_source="kinematics").events
    assert np.abs(here.frame.to_numpy() - there.frame.to_numpy()).max() <= 1


def without_rest_pose(motion: Motion) -> Motion:
    """Leave out a T-pose in front, as the pipeline does."""
    flags = motion.flags.copy()
    flags[:1] = flag_code("rest_pose")
    return replace(motion, flags=flags)


@pytest.fixture(scope="module")
def cmu(shared_data):
    def clip(name: str):
        return detect_contacts(without_rest_pose(read(shared_data / "bvh" / "cmu" / f"{name}.bvh")))

    return clip


def test_walk_on_a_floor_that_rises(cmu):
    contacts = cmu("02_01")
    assert "flight" not in set(contacts.phases["mode"])
    assert 1.0 < contacts.gait["speed_m_s"] < 1.4
    assert 0.58 < contacts.gait["stance_fraction"] < 0.66
    singles = contacts.phases[contacts.phases["mode"] == "single"].root.tolist()
    sides = [name[:4] for name in singles]
    assert all(a != b for a, b in itertools.pairwise(sides))


def test_run_flies_between_single_supports(cmu):
    contacts = cmu("09_01")
    modes = contacts.phases["mode"].tolist()[1:]
    assert "double" not in modes
    assert modes.count("flight") == 3
    flights = contacts.phases[contacts.phases["mode"] == "flight"]
    lengths = flights.stop_time - flights.start_time
    assert lengths.between(0.08, 0.16).all()  # the centre of mass falls freely for 0.11 s
    assert contacts.gait["gait"] == "running"


def test_jump_leaves_and_lands(cmu):
    contacts = cmu("16_01")
    flights = contacts.phases[contacts.phases["mode"] == "flight"]
    assert len(flights) == 1
    # The centre of mass falls freely from 1.07 to 1.46 s.
    assert flights.start_time.iloc[0] == pytest.approx(1.07, abs=0.03)
    assert flights.stop_time.iloc[0] == pytest.approx(1.46, abs=0.03)


def test_hops_on_one_leg_are_flights(cmu):
    contacts = cmu("49_02")
    flights = contacts.phases[contacts.phases["mode"] == "flight"]
    assert 20 <= len(flights) <= 24
    assert (flights.stop_time - flights.start_time).between(0.1, 0.6).all()


def test_pirouette_never_flies(cmu):
    contacts = cmu("05_02")
    assert "flight" not in set(contacts.phases["mode"])
    long_turn = contacts.phases.iloc[-4:]
    assert (long_turn["mode"] == "single").any()


def test_fixed_root_stands_on_both_feet(shared_data):
    contacts = detect_contacts(read(shared_data / "bvh" / "perception_neuron" / "test.bvh"))
    assert contacts.phases["mode"].tolist() == ["double"]
    assert any("does not travel" in w for w in contacts.warnings)


def test_fast_walk_has_no_flight(shared_data):
    file = shared_data / "bvh" / "vicon_8walk" / "AV_8Walk_Meredith_HVHA_Rep1.bvh"
    contacts = detect_contacts(read(file))
    assert set(contacts.phases["mode"]) == {"single", "double"}
    assert contacts.gait["strides"] >= 14
