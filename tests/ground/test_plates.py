"""Measured forces: a person standing still on two plates, one plate, or beside them."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from mocap_reroot.contact.plate_feet import assign
from mocap_reroot.contact.poses import contact_poses
from mocap_reroot.contact.support import support_of
from mocap_reroot.dynamics.inverse import inverse_dynamics
from mocap_reroot.errors import MocapRerootError
from mocap_reroot.ground.correction import STATES
from mocap_reroot.ground.estimate import estimate_ground
from mocap_reroot.rerooting.reroot import reroot
from mocap_reroot.signals.filters import low_pass
from mocap_reroot.types import STANDARD_GRAVITY, Plates
from tests.ground.shared import shared_dynamics
from tests.ground.walker import ANKLE, MASSES, body_of, contacts_of, person, posed

FRAMES = 30
WEIGHT = MASSES.sum() * STANDARD_GRAVITY


def plate(x: float, z: float, size: float = 0.5) -> np.ndarray:
    """Return the corners of a square plate around a point."""
    half = size / 2
    return np.array(
        [
            [x + half, 0, z + half],
            [x + half, 0, z - half],
            [x - half, 0, z - half],
            [x - half, 0, z + half],
        ]
    )


def person_on(plates: list[tuple[np.ndarray, float]], pressures: list[tuple[float, float]]):
    """Return a person at rest and plates that bear shares of the weight at points (x, z)."""
    place = np.repeat(np.array([[0.0], [0.8 + ANKLE], [0]]), FRAMES, axis=1)
    motion = posed(person(), {}, place)
    corners = np.array([p for p, _ in plates])
    force, moment = np.zeros((len(plates), 3, FRAMES)), np.zeros((len(plates), 3, FRAMES))
    for k, ((square, share), (x, z)) in enumerate(zip(plates, pressures, strict=True)):
        force[k, 1] = share * WEIGHT
        arm = np.array([x, 0, z]) - square.mean(axis=0)
        moment[k] = np.cross(arm, force[k, :, 0])[:, None]
    names = tuple(f"plate {k}" for k in range(len(plates)))
    motion = replace(motion, plates=Plates(corners, force, moment, names))
    rooted = reroot(motion, contacts_of(motion, [("both", 0, FRAMES)]))
    return rooted, body_of(motion.skeleton)


LEFT, RIGHT = (plate(0.03, -0.26), 0.5), (plate(0.03, 0.26), 0.5)


def under(rooted, body) -> float:
    """Return where the total presses, x."""
    result = inverse_dynamics(rooted, body)
    force = result.foot_force[:, 1]
    return float((force * result.foot_pressure[:, 0]).sum(axis=0)[0] / force.sum(axis=0)[0])


def test_plates_under_both_feet_explain_a_person_at_rest() -> None:
    x = under(*person_on([LEFT, RIGHT], [(0, 0), (0, 0)]))
    rooted, body = person_on([LEFT, RIGHT], [(x, -0.1), (x, 0.1)])
    result = shared_dynamics(rooted, body, forces="measured")
    assert set(result.source) == {"measured"}
    np.testing.assert_allclose(result.foot_force[:, 1], 0.5 * WEIGHT)
    assert np.abs(result.residual_force).max() < 1e-9 * WEIGHT
    assert np.abs(result.residual_moment).max() < 1e-9 * WEIGHT
    table = result.extra["plates"]
    np.testing.assert_allclose(table["left_foot_pz"], -0.1)
    np.testing.assert_allclose(table["right_foot_px"], x)
    vertical = result.quality["plates"]["all"]["vertical"]
    assert vertical["rmse_percent_bw"] < 1e-6


def test_plates_that_no_foot_stands_on_are_told() -> None:
    rooted, body = person_on([(plate(5.0, 5.0), 1.0)], [(5.0, 5.0)])
    result = shared_dynamics(rooted, body, forces="auto")
    assert set(result.source) == {"predicted"}
    assert ["none bears one foot alone" in sentence for sentence in result.warnings] == [True]
    assert shared_dynamics(rooted, body, forces="predicted").warnings == ()
    rooted, body = person_on([(plate(5.0, 5.0), 0.0)], [(5.0, 5.0)])
    assert shared_dynamics(rooted, body, forces="auto").warnings == ()
    with pytest.raises(MocapRerootError, match="no force plate is loaded"):
        shared_dynamics(rooted, body, forces="measured")


@pytest.mark.parametrize(("each", "told"), [(0.5, False), (0.6, False), (0.3, True), (0.9, True)])
def test_plates_that_do_not_fit_the_motion_are_told(each: float, told: bool) -> None:
    rooted, body = person_on([(LEFT[0], each), (RIGHT[0], each)], [(0, -0.1), (0, 0.1)])
    result = shared_dynamics(rooted, body, forces="measured")
    assert ["do not agree" in sentence for sentence in result.warnings] == [True] * told
    assert shared_dynamics(rooted, body, forces="predicted").warnings == ()


def test_what_plates_say_too_much_is_residual_at_the_capture_root() -> None:
    rooted, body = person_on([(LEFT[0], 0.6), (RIGHT[0], 0.6)], [(0, -0.1), (0, 0.1)])
    result = shared_dynamics(rooted, body, forces="measured")
    np.testing.assert_allclose(result.residual_force[1], -0.2 * WEIGHT)
    assert result.quality["residual_force_n"]["rms_measured"] == pytest.approx(0.2 * WEIGHT)
    free = inverse_dynamics(rooted, body)
    assert np.abs(free.residual_force).max() < 1e-9 * WEIGHT
    assert "rms_measured" not in free.quality["residual_force_n"]


def test_a_foot_off_the_plates_gets_its_share_predicted() -> None:
    rooted, body = person_on([LEFT], [(0, -0.1)])
    result = shared_dynamics(rooted, body, forces="measured")
    assert set(result.source) == {"mixed"}
    np.testing.assert_allclose(result.foot_force[0, 1], 0.5 * WEIGHT)
    assert (result.foot_force[1, 1] > 0.3 * WEIGHT).all()
    auto = shared_dynamics(rooted, body, forces="auto")
    assert set(auto.source) == {"predicted"}


def test_a_plate_under_two_feet_measures_neither() -> None:
    rooted, body = person_on([(plate(0, 0, 1.0), 1.0)], [(0.02, 0)])
    result = shared_dynamics(rooted, body, forces="auto")
    assert set(result.source) == {"predicted"}
    with pytest.raises(MocapRerootError, match="none bears one foot alone"):
        shared_dynamics(rooted, body, forces="measured")


def test_forces_of_unknown_outline_belong_to_the_feet_they_are_under() -> None:
    """Rectangles drawn around pressures may overlap the other foot, which has its own force."""
    wide = [(plate(0, -0.1, 0.8), 0.5), (plate(0, 0.1, 0.8), 0.5)]
    x = under(*person_on([LEFT, RIGHT], [(0, 0), (0, 0)]))
    rooted, body = person_on(wide, [(x, -0.1), (x, 0.1)])
    outlined = shared_dynamics(rooted, body, forces="auto")
    assert set(outlined.source) == {"predicted"}
    drawn = replace(rooted.captured.plates, outlined=False)
    result = shared_dynamics(rooted, body, forces=drawn)
    assert set(result.source) == {"measured"}
    np.testing.assert_allclose(result.foot_force[:, 1], 0.5 * WEIGHT)


def test_one_force_of_unknown_outline_under_two_feet_measures_neither() -> None:
    rooted, body = person_on([(plate(0, 0, 1.0), 1.0)], [(0.02, 0)])
    drawn = replace(rooted.captured.plates, outlined=False)
    with pytest.raises(MocapRerootError, match="none bears one foot alone"):
        shared_dynamics(rooted, body, forces=drawn)


def test_a_force_belongs_to_its_foot_until_it_fades() -> None:
    rooted, body = person_on([LEFT, RIGHT], [(0.03, -0.1), (0.03, 0.1)])
    plates = rooted.captured.plates
    faint = np.ones(FRAMES)
    faint[:3] = np.array([2.0, 10.0, 15.0]) / (0.5 * WEIGHT)
    fading = replace(plates, force=plates.force * faint, moment=plates.moment * faint)
    result = shared_dynamics(rooted, body, forces=fading)
    np.testing.assert_allclose(result.foot_force[0, 1, :3], [0.0, 10.0, 15.0])
    assert np.isnan(result.foot_pressure[0, 0, :3]).all()
    assert np.isfinite(result.foot_pressure[0, 0, 3:]).all()


def test_a_light_force_is_of_the_foot_that_stayed_on_the_plate() -> None:
    """Somebody sits: 22 N of a foot at rest, placed 0.1 m behind both, nearer to the other."""
    rooted, body = person_on([LEFT, RIGHT], [(0.03, -0.1), (0.03, 0.1)])
    motion = rooted.captured
    force, moment = np.array(motion.plates.force), np.array(motion.plates.moment)
    force[0, :, 10:23] = moment[0, :, 10:23] = 0.0
    force[0, 1, 15:19] = 22.0
    arm = np.array([-0.15, 0, 0.02]) - LEFT[0].mean(axis=0)
    moment[0, :, 15:19] = np.cross(arm, [0, 22.0, 0])[:, None]
    plates = replace(motion.plates, force=force, moment=moment)
    support = support_of(rooted.contacts, contact_poses(motion, body, rooted.contacts))
    measured = assign(plates, support, motion.up)
    np.testing.assert_allclose(measured.loads.force[0, 1], force[0, 1])
    np.testing.assert_allclose(measured.loads.force[1, 1], force[1, 1])


def test_a_foot_half_beside_its_plate_is_not_covered() -> None:
    rooted, body = person_on([(plate(-0.25, -0.1), 0.3)], [(-0.03, -0.1)])
    result = shared_dynamics(rooted, body, forces="auto")
    assert set(result.source) == {"predicted"}


def test_plates_of_another_length_are_refused() -> None:
    rooted, body = person_on([LEFT], [(0, -0.1)])
    plates = rooted.captured.plates
    short = replace(plates, force=plates.force[..., :5], moment=plates.moment[..., :5])
    with pytest.raises(MocapRerootError, match="5 frames"):
        shared_dynamics(rooted, body, forces=short)


def consistent(rooted, body, way: str = "measured", **options):
    """Return the ground of a person, from one problem."""
    return estimate_ground(rooted.captured, body, rooted.contacts, forces=way, **options)


def test_one_problem_keeps_what_plates_measured() -> None:
    rooted, body = person_on([LEFT, RIGHT], [(0.02, -0.1), (0.02, 0.1)])
    plates = rooted.captured.plates
    noise = np.random.default_rng(1).normal(1.0, 0.02, plates.force.shape[-1])
    shaken = replace(plates, force=plates.force * noise, moment=plates.moment * noise)
    rooted = replace(rooted, captured=replace(rooted.captured, plates=shaken))
    raw = consistent(rooted, body, plates_cutoff="none")
    assert set(raw.source) == {"measured"}
    np.testing.assert_array_equal(raw.loads.force, shaken.force)
    np.testing.assert_array_equal(raw.measured.loads.force, shaken.force)
    ground = consistent(rooted, body, plates_cutoff=6.0)
    np.testing.assert_allclose(ground.loads.force, low_pass(shaken.force, 6.0, 100.0))
    np.testing.assert_array_equal(ground.measured.loads.force, shaken.force)  # raw
    # the loads are those of the plates, about the corrected root
    centre = plates.centre[:, :, None] - ground.total.about
    expected = low_pass(shaken.moment, 6.0, 100.0) + np.cross(centre, ground.loads.force, axis=1)
    np.testing.assert_allclose(ground.loads.moment, expected, atol=1e-9 * WEIGHT)


def test_one_problem_moves_the_root_to_obey_the_plates() -> None:
    """A push of 3 % of weight at 3 Hz that the capture does not show moves it by 0.8 mm."""
    rooted, body = person_on([LEFT, RIGHT], [(0.02, -0.1), (0.02, 0.1)])
    time = np.arange(300) / 100
    still = rooted.captured
    wide = {n: np.repeat(getattr(still, n)[..., :1], 300, axis=-1) for n in STATES}
    wave = 1 + 0.03 * np.sin(2 * np.pi * 3 * time)
    plates = still.plates
    force, moment = (
        np.repeat(x[..., :1], 300, axis=-1) * wave for x in (plates.force, plates.moment)
    )
    plates = replace(plates, force=force, moment=moment)
    motion = replace(still, **wide, flags=np.zeros(300), plates=plates)
    rooted = reroot(motion, contacts_of(motion, [("both", 0, 300)]))
    ground = consistent(rooted, body, plates_cutoff="none")
    rest = ground.residual_force[1, 50:-50] / WEIGHT
    assert np.sqrt((rest**2).mean()) < 0.2 * 0.03 / np.sqrt(2)
    height = ground.correction[1, 50:-50]
    assert np.ptp(height) == pytest.approx(2 * 0.03 * STANDARD_GRAVITY / (6 * np.pi) ** 2, rel=0.3)


def test_one_problem_estimates_the_foot_beside_the_plates() -> None:
    rooted, body = person_on([LEFT], [(0.02, -0.1)])
    ground = consistent(rooted, body)
    assert set(ground.source) == {"mixed"}
    np.testing.assert_allclose(ground.loads.force[0, 1], 0.5 * WEIGHT)
    np.testing.assert_allclose(ground.loads.force[1, 1, 5:-5], 0.5 * WEIGHT, rtol=0.1)
    auto = consistent(rooted, body, "auto")
    assert set(auto.source) == {"predicted"} and auto.predicted is None


def test_predicting_beside_measuring_is_a_choice() -> None:
    rooted, body = person_on([LEFT, RIGHT], [(0.02, -0.1), (0.02, 0.1)])
    alone = consistent(rooted, body, "predicted")
    both = consistent(rooted, body)
    np.testing.assert_array_equal(both.predicted.loads.force, alone.loads.force)
    assert consistent(rooted, body, compare_plates=False).predicted is None
