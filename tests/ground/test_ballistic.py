"""Sprints and flips that were made from their forces."""

from __future__ import annotations

import numpy as np
import pytest

import mocap_reroot as mr
from mocap_reroot.numerics.frames import runs
from mocap_reroot.parameters import GroundParameters
from tests.ground.ballistic import flat_person, sprint
from tests.ground.gymnast import GRAVITY, known

BODY = mr.body_model(flat_person(), mass=70.0, height=1.75)
WEIGHT = 70.0 * GRAVITY
RODS = GroundParameters(lag=0.0)
"""Nothing hangs behind a body of rods."""


@pytest.fixture(scope="module")
def sprinter():
    return sprint(BODY)


def test_the_sprint_has_the_force_it_was_made_from(sprinter) -> None:
    sums = known(sprinter.motion, BODY)
    off = np.stack([sums.up - sprinter.up, sums.forwards - sprinter.forwards])[:, 20:-20]
    assert np.sqrt(np.mean(off**2)) < 0.03 * WEIGHT
    assert 4.0 < sprinter.up.max() / WEIGHT < 4.3 and (sprinter.up < 1).mean() > 0.5


@pytest.mark.parametrize("belt", [0.0, 9.0])
@pytest.mark.parametrize("fps", [100.0, 125.0, 250.0])
def test_a_sprint_at_nine_metres_a_second(sprinter, fps: float, belt: float) -> None:
    """Stances of 0.1 s are found, and bear what they bear: peaks of 4 body weights."""
    clip = sprinter.at(fps, belt)
    contacts = mr.detect_contacts(clip.motion, BODY)
    (surface,) = contacts.inferred
    assert surface.value.startswith("treadmill, 9.") if belt else surface.value == "overground"
    stances = [runs(np.asarray(contacts.foot_touching(foot))) for foot in contacts.feet]
    assert sorted(map(len, stances)) == [3, 4]
    ground = mr.estimate_ground(clip.motion, BODY, contacts, RODS)
    assert ground.external is None
    force, inner = ground.loads.force[:, 2].sum(axis=0), slice(3, -3)
    assert np.corrcoef(force[inner], clip.up[inner])[0, 1] > 0.98
    assert np.sqrt(np.mean((force - clip.up)[inner] ** 2)) < 0.35 * WEIGHT
    assert force.max() == pytest.approx(clip.up.max(), rel=0.15)
