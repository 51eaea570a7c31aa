"""Where the trunk's centre of mass is, by the plates: squats of a body that is known."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import mocap_reroot as mr
from mocap_reroot.types import BodyModel, Motion, Plates
from tests.contact.walkers import HIP, person
from tests.ground.gymnast import FLAT, known, motion_of
from tests.ground.test_limbs import at
from tests.ground.test_plates_under_limbs import Borne, plates_of

TABLE = mr.body_model(person(), mass=70.0, height=1.75)
TRUNK = person().index("trunk")


def with_trunk(ahead: float) -> BodyModel:
    """Return the body with its trunk's centre of mass so far ahead, m."""
    com = np.array(TABLE.com)
    com[TRUNK, 0] += ahead
    return replace(TABLE, com=com)


@pytest.fixture(scope="module")
def squats() -> Motion:
    feet, hands = (0.0, FLAT, 0.0), (0.35, 0.9, 0.0)
    high, low = (0.0, 0.88, 4.0), (-0.06, 0.66, 35.0)
    poses = [high, high, low, high, low, high, high]
    return motion_of(
        [at(0.7 * k, *pose, feet, hands, 0.05) for k, pose in enumerate(poses)]
    )  # fmt: skip


def borne_by_two(motion: Motion, body: BodyModel) -> Plates:
    """Return a plate under each foot that bears half of what a body needs."""
    truth = known(motion, body)
    half = 0.5 * truth.up, 0.5 * truth.forwards
    sides = ((0.0, 0.5), HIP), ((-0.5, 0.0), -HIP)
    return plates_of(
        [
            Borne((-0.4, 0.5), y, 0.0, *half, np.stack([truth.pressure, 0 * truth.up + at_y]))
            for y, at_y in sides
        ]
    )


def ground_of(motion: Motion, body: BodyModel, **options):
    """Return the ground of the table's body on plates that bore another."""
    motion = replace(motion, plates=borne_by_two(motion, body))
    contacts = mr.detect_contacts(motion, TABLE)
    return mr.estimate_ground(motion, TABLE, contacts, forces="measured", **options)


def lasting(ground) -> float:
    """Return N·m, the mean residual moment about the line of the hips."""
    return float(np.abs(ground.residual_moment[1, 5:-5].mean()))


@pytest.mark.parametrize("ahead", [-0.05, -0.025, 0.03])
def test_a_trunk_is_put_where_the_plates_want_it(squats, ahead):
    ground = ground_of(squats, with_trunk(ahead))
    found = ground.body.com[TRUNK] - TABLE.com[TRUNK]
    assert found[0] == pytest.approx(ahead, rel=0.2)  # the table counts, too
    assert np.abs(found[1:]).max() < 0.002
    why = [i for i in ground.motion.source.inferred if i.what == "trunk_centre"]
    assert len(why) == 1 and why[0].value == f"{1000 * np.linalg.norm(found):.0f} mm"
    left = ground_of(squats, with_trunk(ahead), segment_masses="table")
    np.testing.assert_array_equal(left.body.com, TABLE.com)
    assert lasting(ground) < 0.6 * lasting(left)


def test_a_trunk_where_the_table_has_it_stays(squats):
    ground = ground_of(squats, TABLE)
    assert np.abs(ground.body.com - TABLE.com).max() < 0.003


def test_predictions_go_by_the_table(squats):
    ground = ground_of(squats, with_trunk(-0.05))
    contacts = mr.detect_contacts(squats, TABLE, contact_source="kinematics")
    alone = mr.estimate_ground(squats, TABLE, contacts, forces="predicted")
    assert ground.predicted is not None
    np.testing.assert_allclose(ground.predicted.loads.force, alone.loads.force, atol=1e-6)


@pytest.mark.parametrize("trial", ["squats1", "squatsAsym1"])
def test_a_persons_squats_agree_about_the_trunk(shared_data, trial):
    """Without it 16 % of these frames are unexplained: 51 mm behind the table's axis."""
    folder = shared_data / "atlas" / "opencap" / "subject4" / trial
    found = mr.analyze(
        folder / "markers.trc", plates=str(folder / "grf.mot"), mass=60.12, height=1.68,
        forces="measured", compare_plates=False,
    )  # fmt: skip
    said = [i for i in found.motion.source.inferred if i.what == "trunk_centre"]
    assert len(said) == 1
    assert float(said[0].value.removesuffix(" mm")) == pytest.approx(52, abs=8)
    assert found.summary["quality"]["unexplained"] < 0.05
