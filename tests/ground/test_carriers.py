"""Who carries, by the forces: a person who falls, hops, and leans over the toes."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.optimize import brentq

from mocap_reroot.contact.phases import with_carrier
from mocap_reroot.dynamics.inverse import inverse_dynamics
from mocap_reroot.rerooting.reroot import reroot
from mocap_reroot.types import STANDARD_GRAVITY
from tests.ground.shared import settled
from tests.ground.walker import ANKLE, body_of, contacts_of, person, posed

FPS, FRAMES = 100.0, 120
HIP = 0.8 + ANKLE
LEFT_FOOT, LEFT_TOES = 4, 5
TIME = np.arange(FRAMES) / FPS


def standing_at(height: np.ndarray, sideways: float = -0.1):
    """Return an upright person; the left foot is under the body if sideways is 0.1."""
    place = np.stack([0 * height, HIP + height, np.full(FRAMES, -sideways)])
    return posed(person(), {}, place, FPS)


def leaning(angle: np.ndarray):
    """Return a person who leans forward about the ankles, feet flat, slowly."""
    place = np.stack([0.8 * np.sin(angle), ANKLE + 0.8 * np.cos(angle), 0 * angle])
    tilt = np.stack([0 * angle, 0 * angle, -angle])
    return posed(person(), {"pelvis": tilt, "left_foot": -tilt, "right_foot": -tilt}, place, FPS)


def test_no_foot_carries_a_falling_body() -> None:
    fall = np.where((TIME > 0.3) & (TIME < 0.7), 1.0, 0.0)
    velocity = np.cumsum(-STANDARD_GRAVITY * fall) / FPS
    motion = standing_at(np.cumsum(velocity) / FPS)
    contacts = contacts_of(motion, [("left", 0, FRAMES)])
    found = settled(motion, body_of(motion.skeleton), contacts)
    air = found.carrier[0] < 0
    assert air[35:65].all()
    assert not air[:27].any()
    assert not air[75:].any()
    assert "weighs nothing" in found.notes[0]
    phases = with_carrier(contacts, found.carrier).phase_list
    assert [p.mode for p in phases] == ["single", "flight", "single"]


def test_toes_carry_from_where_the_pressure_passes_their_joint() -> None:
    angle = 0.28 * TIME / TIME[-1]
    motion = leaning(angle)
    body = body_of(motion.skeleton)
    contacts = contacts_of(motion, [("left", 0, FRAMES)])
    found = settled(motion, body, contacts)
    carrier = found.carrier[0]
    assert carrier[0] == LEFT_FOOT
    assert carrier[-1] == LEFT_TOES
    switch = int(np.argmax(carrier == LEFT_TOES))
    assert (carrier[:switch] == LEFT_FOOT).all()
    result = inverse_dynamics(reroot(motion, with_carrier(contacts, found.carrier)), body)
    along = result.foot_pressure[0, 0]
    assert abs(along[switch] - 0.12) < 0.005
    # only the toe joint knows the difference, and its bending moment starts from nothing
    bending = result.torque[LEFT_TOES, 2]
    assert abs(bending[switch] - bending[switch - 1]) < 0.1 * np.abs(bending).max()
    jump = np.abs(np.diff(result.torque, axis=-1))[..., switch - 1]
    others = [b for b in result.joints if b != LEFT_TOES]
    assert jump[others].max() < 0.02 * np.nanmax(np.abs(result.torque))


def test_two_feet_carry_until_the_pressure_is_under_one() -> None:
    motion = standing_at(0 * TIME, sideways=0.0)  # the pressure stays between the feet
    contacts = contacts_of(motion, [("both", 0, 50), ("left", 50, 60), ("both", 60, FRAMES)])
    found = settled(motion, body_of(motion.skeleton), contacts)
    assert (found.carrier[:, 50:60] >= 0).all()


def striding(press: float):
    """Return a person over the right foot, who presses there (m before its ankle), left foot ahead.

    The right leg leans to the front and inwards, under an upright trunk; the left one is raised.
    """

    def at(angle: float):
        way = np.array([np.sin(angle), 0, 0.125])  # sideways, so that the pelvis is above the foot
        way[1] = np.sqrt(1 - way @ way)
        lean = np.cross([0, 1, 0], way)
        lean = np.repeat((lean / np.linalg.norm(lean) * np.arccos(way[1]))[:, None], FRAMES, axis=1)
        raised = np.repeat([[0.0], [0], [0.5]], FRAMES, axis=1)
        place = np.array([0, ANKLE, 0]) + 0.8 * way - [0, 0, 0.1]
        angles = {"right_thigh": lean, "left_thigh": raised}
        angles |= {"right_foot": -lean, "left_foot": -raised}  # soles stay level
        return posed(person(), angles, np.repeat(place[:, None], FRAMES, axis=1), FPS)

    def miss(angle: float) -> float:
        motion = at(angle)
        rooted = reroot(motion, contacts_of(motion, [("right", 0, FRAMES)]))
        result = inverse_dynamics(rooted, body_of(motion.skeleton))
        return float(result.foot_pressure[1, 0, 0]) - press

    return at(float(brentq(miss, -0.2, 0.4)))


@pytest.mark.parametrize(
    ("press", "early"),
    [
        (0.10, 0),  # behind the ball (0.12): the foot bears it alone
        (0.125, 0),  # within what soles are known to
        (0.16, 4),  # before the ball: 0.04 s
        (0.21, 6),  # before the toes (0.19): 0.06 s
    ],
)
def test_a_foot_that_presses_before_its_ball_is_helped(press: float, early: int) -> None:
    motion = striding(press)
    contacts = contacts_of(motion, [("right", 0, 50), ("both", 50, FRAMES)])
    found = settled(motion, body_of(motion.skeleton), contacts)
    helped = np.flatnonzero((found.carrier >= 0).all(axis=0))
    assert helped[0] == 50 - early


def test_what_forces_agree_with_stays() -> None:
    motion = leaning(0.05 + 0 * TIME)
    contacts = contacts_of(motion, [("both", 0, FRAMES)])
    found = settled(motion, body_of(motion.skeleton), contacts)
    np.testing.assert_array_equal(found.carrier >= 0, True)
    assert found.notes == ()
