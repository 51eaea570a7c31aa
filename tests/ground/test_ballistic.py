"""Sprints and flips that were made from their forces."""

from __future__ import annotations

import numpy as np
import pytest

import mocap_reroot as mr
from mocap_reroot.numerics.frames import runs
from mocap_reroot.parameters import GroundParameters
from tests.ground.ballistic import DOWN, OFF, backflip, flat_person, sprint
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


@pytest.mark.parametrize("fps", [125.0, 250.0])
def test_a_backflip(fps: float) -> None:
    """Feet, flight, feet; nothing pushes from elsewhere; forces are those it was made from.

    Within 0.08 s of take-off and landing the rods jerk: there only the impulse is compared.
    """
    clip = backflip(BODY).at(fps)
    ground = mr.estimate_ground(clip.motion, BODY, mr.detect_contacts(clip.motion, BODY), RODS)
    assert ground.external is None
    time = np.arange(clip.motion.n_frames) / fps
    on = (ground.contacts.support_body >= 0).any(axis=0)
    assert not on[(time > OFF + 0.08) & (time < DOWN - 0.08)].any()
    assert on[(time < OFF - 0.08) | (time > DOWN + 0.1)].all()
    off = ground.loads.force.sum(axis=0)[[0, 2]] - np.stack([clip.forwards, clip.up])
    calm = (np.abs(time - OFF) > 0.08) & (np.abs(time - DOWN) > 0.1)
    calm[:5] = calm[-5:] = False
    assert (np.sqrt(np.mean(off[:, calm] ** 2, axis=1)) < 0.05 * WEIGHT).all()
    assert abs(off[1][5:-5].sum()) / fps < 0.05 * WEIGHT  # N·s
    pelvis = ground.motion.rotation[0][:, ground.motion.analysed]
    turned = np.unwrap(2 * np.arctan2(pelvis[2], pelvis[0]))
    assert turned[-1] - turned[0] == pytest.approx(-2 * np.pi, abs=0.02)
