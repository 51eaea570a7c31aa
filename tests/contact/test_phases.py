"""Phases tile the clip; the support is one part a foot; strides have the right lengths."""

from __future__ import annotations

import itertools
from dataclasses import replace

import numpy as np
import pytest

from mocap_reroot.contact.detection import detect_contacts
from mocap_reroot.contact.limbs import Limb, Point
from mocap_reroot.contact.phases import mode_of, with_support
from mocap_reroot.contact.soles import underside
from mocap_reroot.errors import MocapRerootError, UnknownNameError
from mocap_reroot.types import Contacts, Motion, Skeleton, flag_code
from tests.contact.walkers import regular_steps, walk


@pytest.fixture(scope="module")
def contacts() -> Contacts:
    return detect_contacts(walk(regular_steps(4.5), 100.0, 4.5))


def assert_tiles(contacts: Contacts) -> None:
    phases = contacts.phase_list
    assert phases[0].start == contacts.start
    assert phases[-1].stop == contacts.start + len(contacts.flags)
    for before, after in itertools.pairwise(phases):
        assert before.stop == after.start
        assert (before.mode, before.support) != (after.mode, after.support)
    numbers = [p.index for p in phases if p.index >= 0]
    assert numbers == list(range(len(numbers)))


def test_phases_tile_and_modes_count_limbs(contacts):
    assert_tiles(contacts)
    for phase in contacts.phase_list:
        feet = [s.foot for s in contacts.soles if s.body in phase.support]
        assert len(feet) == len(set(feet))  # one part a foot
        assert phase.mode == ("flight", "single", "double")[len(feet)]
        assert phase.root in phase.support
        middle = (phase.start + phase.stop) // 2
        on = [f for f in contacts.feet if contacts.foot_touching(f)[middle]]
        assert sorted(on) == sorted(feet)


def test_support_passes_from_foot_to_toes_once_a_stance(contacts):
    names = contacts.skeleton.names
    for row, foot in enumerate(contacts.feet):
        support_body = contacts.support_body[row]
        changes = np.flatnonzero(np.diff(support_body)) + 1
        for frame in changes:
            if support_body[frame] >= 0 and support_body[frame - 1] >= 0:
                assert names[support_body[frame - 1]].endswith("foot")
                assert names[support_body[frame]].endswith("toes")
        assert {names[b].split("_")[1] for b in support_body if b >= 0} == {"foot", "toes"}
        assert foot == contacts.feet[row]


def test_support_point_is_on_the_sole(contacts):
    outline = {s.body: s.outline for s in contacts.soles}
    for phase in contacts.phase_list:
        corners = outline[phase.root]
        assert (phase.at >= corners.min(axis=0) - 1e-9).all()
        assert (phase.at <= corners.max(axis=0) + 1e-9).all()


def test_soles_lie_on_the_ground_and_have_the_size_of_feet(contacts):
    for sole in contacts.soles:
        heights = sole.outline[:, 2]
        assert np.ptp(heights) < 0.005
        name = contacts.skeleton.names[sole.body]
        along = np.ptp(sole.outline[:, 0])
        low, high = (0.15, 0.25) if name.endswith("foot") else (0.05, 0.1)
        assert low < along < high
        assert 0.05 < np.ptp(sole.outline[:, 1]) < 0.14


@pytest.mark.parametrize("toes", [True, False])
def test_soles_know_the_ball_of_the_foot(toes):
    contacts = detect_contacts(walk(regular_steps(4.5), 100.0, 4.5, toes=toes))
    for foot in contacts.feet:
        parts = [sole for sole in contacts.soles if sole.foot == foot]
        assert [len(sole.ball) for sole in parts] == [2, 0][: len(parts)]
        rear = parts[0].outline
        ball, across = rear[list(parts[0].ball), 0], rear[list(parts[0].ball), 1]
        assert ball[0] == pytest.approx(ball[1], abs=1e-9)
        assert np.ptp(across) == pytest.approx(np.ptp(rear[:, 1]))  # nowhere is it broader
        if toes:
            joint = contacts.skeleton.offset[parts[1].body]
            assert ball[0] == pytest.approx(joint[0], abs=0.01)
        else:
            share = (ball[0] - rear[:, 0].min()) / np.ptp(rear[:, 0])
            assert share == pytest.approx(0.72, abs=0.01)


def test_toes_that_begin_in_the_middle_of_the_foot_are_not_its_ball():
    limb = Limb(
        0, (0, 1), "foot", "left",
        (Point(0, np.array([0.06, 0, -0.06]), "ball"), Point(1, np.array([0.13, 0, 0.0]), "tip")),
        0.85,
    )  # fmt: skip
    up, ahead = np.array([0.0, 0, 1]), np.array([1.0, 0, 0])
    assert [sole.ball for sole in underside(limb, (up, up), ahead, 0.85).soles] == [(), ()]
    far = replace(limb, points=(Point(0, np.array([0.12, 0, -0.06]), "ball"), limb.points[1]))
    far = replace(far, points=(far.points[0], Point(1, np.array([0.07, 0, 0.0]), "tip")))
    made = underside(far, (up, up), ahead, 0.85)
    assert [sole.ball for sole in made.soles] == [(2, 3), ()]
    assert [sole.ball for sole in made.lowered((up, up), 0.01).soles] == [(2, 3), ()]


def test_left_out_frames_have_no_phase():
    motion = walk(regular_steps(4.5), 100.0, 4.5)
    flags = np.zeros(motion.n_frames, np.uint8)
    flags[:3] = flag_code("rest_pose")
    flags[200:230] = flag_code("gap")
    contacts = detect_contacts(replace(motion, flags=flags))
    assert any(contacts.foot_touching(foot)[3] for foot in contacts.feet)
    assert not {3, 200, 230} & set(contacts.events["frame"])  # it may have stood there before
    assert_tiles(contacts)
    out = contacts.phases[contacts.phases["mode"] == "none"]
    assert out.phase.tolist() == [-1, -1]
    assert out.start_frame.tolist() == [0, 200]
    assert not contacts.touching[:, 200:230].any()
    assert "left out" in contacts.explain(1, "left_foot")


def test_left_out_frames_of_a_skeleton_without_feet_are_no_flight():
    """A body alone has nothing to stand on; it flies, but not where it is left out."""
    skeleton = Skeleton(("box",), np.array([-1]), np.zeros((1, 3)))
    flags = np.zeros(50, np.uint8)
    flags[10:20] = flag_code("gap")
    rotation = np.tile([[1.0], [0], [0], [0]], (1, 1, 50))
    motion = Motion(
        skeleton, 100.0, np.array([0, 0, 1.0]), rotation, np.zeros((1, 3, 50)), flags=flags
    )
    contacts = detect_contacts(motion)
    assert_tiles(contacts)
    spans = [(p.mode, p.index, p.start, p.stop) for p in contacts.phase_list]
    assert spans == [("flight", 0, 0, 10), ("none", -1, 10, 20), ("flight", 1, 20, 50)]


def test_rows_of_a_cut_clip_keep_their_numbers():
    motion = walk(regular_steps(4.5), 100.0, 4.5).cut(100, 400)
    contacts = detect_contacts(motion)
    assert_tiles(contacts)
    assert contacts.phases.start_frame.iloc[0] == 100
    assert contacts.events.frame.between(100, 400).all()


def test_other_carriers_move_the_change_of_support(contacts):
    single = next(p for p in contacts.phase_list if p.mode == "single" and p.start > 100)
    foot = next(s.foot for s in contacts.soles if s.body == single.root)
    part = next(s.body for s in contacts.soles if s.foot == foot and s.body != foot)
    frame, support_body = single.start + 5, contacts.support_body.copy()
    support_body[contacts.feet.index(foot), frame : single.stop] = part
    moved = with_support(contacts, support_body)
    assert_tiles(moved)
    here = next(p for p in moved.phase_list if p.start <= frame < p.stop)
    assert here.start == frame
    assert here.support == (part,)
    np.testing.assert_array_equal(moved.touching, contacts.touching)


def test_modes():
    modes = [mode_of(limbs) for limbs in range(5)]
    assert modes == ["flight", "single", "double", "multi", "multi"]


def test_gait_parameters_of_a_known_walk(contacts):
    gait = contacts.gait
    assert gait["gait"] == "walking"
    assert gait["stride_time_s"] == pytest.approx(1.1, abs=0.02)
    assert gait["cadence_steps_min"] == pytest.approx(120 / 1.1, rel=0.02)
    assert gait["stride_length_m"] == pytest.approx(1.2, abs=0.02)
    assert gait["step_length_m"] == pytest.approx(0.6, abs=0.02)
    assert gait["step_width_m"] == pytest.approx(0.18, abs=0.01)
    assert gait["speed_m_s"] == pytest.approx(1.2 / 1.1, rel=0.03)
    assert gait["stance_fraction"] == pytest.approx(0.6, abs=0.06)
    assert gait["double_support_fraction"] == pytest.approx(0.2, abs=0.12)
    assert len(contacts.strides) == gait["strides"]
    assert set(gait["left"]) == set(gait["right"])


def test_explain_says_what_and_why(contacts):
    standing = int(np.flatnonzero(contacts.foot_touching(contacts.feet[0]))[30])
    says = contacts.explain(standing, contacts.feet[0])
    assert "left_foot is in contact" in says
    assert "mm above the ground" in says
    swinging = contacts.events[(contacts.events.event == "off")].iloc[2]
    says = contacts.explain(int(swinging.frame) + 15, swinging.foot)
    assert "not in contact" in says
    assert "too fast" in says
    with pytest.raises(UnknownNameError):
        contacts.explain(10, "head")
    with pytest.raises(MocapRerootError, match="not in the clip"):
        contacts.explain(10_000, "left_foot")
