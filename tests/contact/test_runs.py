"""Strikes and offs of runs and sprints against plates; treadmill and ground told apart."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from mocap_reroot.anthropometry.bodies import body_model
from mocap_reroot.contact.detection import detect_contacts
from mocap_reroot.dynamics.inverse import inverse_dynamics
from mocap_reroot.ground.estimate import estimate_ground
from mocap_reroot.rerooting.reroot import reroot
from tests.contact.runners import SPEEDS, hastened, run_of
from tests.contact.truth import errors, frames_in_contact

PEOPLE = ("subject01", "subject02", "subject03", "subject04")


@pytest.fixture(scope="module")
def runners(shared_data):
    return {who: shared_data / "atlas" / "hamner" / who for who in PEOPLE}


@pytest.fixture(scope="module")
def sprinters(runners):
    """Runs at 5 m/s, with what plates say and the belt's velocity: to be played faster."""
    found = []
    for folder in runners.values():
        motion, marks = run_of(folder, 500)
        found.append((motion, marks, detect_contacts(motion).belt))
    return found


@pytest.mark.parametrize("who", PEOPLE)
def test_events_of_runs_as_the_forces_settle_them(runners, who: str) -> None:
    """At 2 to 5 m/s: medians of a person within 10 ms of the plates' 20 N, none lost."""
    tables = []
    for speed in SPEEDS:
        motion, marks = run_of(runners[who], speed)
        body = body_model(motion)
        ground = estimate_ground(motion, body, detect_contacts(motion, body))
        tables.append(errors(marks, ground.contacts.events, motion))
    table = pd.concat(tables)
    for _, rows in table.groupby("event"):
        size = 1000 * rows.error.abs()
        assert len(rows) >= 15 and size.median() <= 10 and size.max() < 80


@pytest.mark.parametrize("fps", [100.0, 250.0])
@pytest.mark.parametrize("times", [1.4, 1.8, 2.6])
def test_stances_of_sprints(sprinters, fps: float, times: float) -> None:
    """At 7 to 13 m/s, stances of 80 to 170 ms: every one is found, on a belt and over ground."""
    for slow, slow_marks, belt in sprinters:
        assert belt is not None and abs(np.linalg.norm(belt) - 5) < 0.3
        for taken in (None, belt):
            motion, marks = hastened(slow, slow_marks, times, fps, taken)
            contacts = detect_contacts(motion)
            (surface,) = contacts.inferred
            if taken is None:
                speed = float(np.linalg.norm(contacts.belt))
                assert abs(speed - 5 * times) < 0.15 * 5 * times
                assert surface.value == f"treadmill, {speed:.2f} m/s"
            else:
                assert contacts.belt is None and surface.value == "overground"
            _agree(contacts, marks, motion)


@pytest.mark.parametrize("begin", [0.0, 0.15, 0.3])
def test_half_a_second_of_a_sprint_over_ground(sprinters, begin: float) -> None:
    """One stride in the field of the cameras: not taken for flight."""
    for slow, slow_marks, belt in sprinters:
        motion, marks = hastened(slow, slow_marks, 1.8, 250.0, belt)
        first = round(begin * motion.fps)
        piece = motion.cut(first, first + 125)
        contacts = detect_contacts(piece)
        down = np.any([contacts.foot_touching(foot) for foot in contacts.feet], axis=0)
        truth = [frames_in_contact(marks, s, 250.0, motion.n_frames) for s in ("left", "right")]
        truth = np.any([state == 1 for state in truth], axis=0)[first : first + 125]
        assert abs(down.mean() - truth.mean()) < 0.3


def _agree(contacts, marks, motion) -> None:
    table = errors(marks, contacts.events, motion)
    assert (1000 * table.error.abs()).max() < 35
    assert (1000 * table.error.abs()).median() < 15
    for foot in contacts.feet:
        side = contacts.skeleton.names[foot].split("_")[0]
        truth = frames_in_contact(marks, side, motion.fps, motion.n_frames)
        found = contacts.foot_touching(foot)
        assert (found == (truth == 1))[truth >= 0].mean() > 0.87


@pytest.mark.parametrize("speed", SPEEDS)
def test_powers_are_the_same_whether_the_belt_or_the_runner_moves(runners, speed: int) -> None:
    """Who watches from the belt sees the same joints at work."""
    motion, _ = run_of(runners["subject01"], speed)
    body, powers = body_model(motion), []
    belt = detect_contacts(motion, body).belt
    assert abs(np.linalg.norm(belt) - speed / 100) < 0.06 * speed / 100
    slot, time = motion.skeleton.slot[motion.skeleton.root], np.arange(motion.n_frames) / motion.fps
    place = np.array(motion.displacement)
    place[slot] -= belt[:, None] * time
    for watched in (motion, replace(motion, displacement=place)):
        contacts = detect_contacts(watched, body)
        (surface,) = contacts.inferred
        assert surface.value.startswith("treadmill" if watched is motion else "overground")
        ground = estimate_ground(watched, body, contacts)
        rooted = reroot(ground.motion, ground.contacts)
        result = inverse_dynamics(rooted, ground.body, ground)
        powers.append(np.delete(result.power, motion.skeleton.root, axis=0).sum(axis=0))
    assert np.sqrt(np.mean((powers[0] - powers[1]) ** 2)) < 0.02 * np.abs(powers[1]).max()
