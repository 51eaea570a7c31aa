"""Measured forces: a person standing still on two plates, one plate, or beside them."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from mocap_reroot.contact.phases import with_carrier
from mocap_reroot.dynamics.inverse import inverse_dynamics
from mocap_reroot.errors import MocapRerootError
from mocap_reroot.rerooting.reroot import reroot
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
    assert "plates" in free.extra


def test_a_foot_off_the_plates_gets_its_share_predicted() -> None:
    rooted, body = person_on([LEFT], [(0, -0.1)])
    result = shared_dynamics(rooted, body, forces="measured")
    assert set(result.source) == {"mixed"}
    np.testing.assert_allclose(result.foot_force[0, 1], 0.5 * WEIGHT)
    assert (result.foot_force[1, 1] > 0.3 * WEIGHT).all()
    auto = shared_dynamics(rooted, body, forces="auto")
    assert set(auto.source) == {"predicted"}


@pytest.mark.parametrize("way", ["auto", "measured"])
def test_plates_know_that_a_foot_only_carries_by_smoothing(way: str) -> None:
    """The right foot is seen to touch from frame 20 and carries from 15, beside the plates."""
    rooted, body = person_on([(LEFT[0], 1.0)], [(0.02, -0.1)])
    motion = rooted.captured
    contacts = contacts_of(motion, [("left", 0, 20), ("both", 20, FRAMES)])
    carrier = np.array(contacts.carrier)
    carrier[1, 15:20] = contacts.feet[1]
    result = shared_dynamics(reroot(motion, with_carrier(contacts, carrier)), body, forces=way)
    assert set(result.mode[15:]) == {"double"}
    assert set(result.source[:20]) == {"measured"}
    np.testing.assert_allclose(result.foot_force[0, 1, :20], WEIGHT)
    assert (result.foot_force[1, :, :20] == 0).all()
    assert set(result.source[20:]) == {"predicted" if way == "auto" else "mixed"}
    assert set(result.extra["plates"]["source"][:20]) == {"measured"}


def test_a_foot_beside_the_plates_counts_until_it_stops_carrying() -> None:
    """Its push-off may be real for longer than it was seen."""
    rooted, body = person_on([(LEFT[0], 1.0)], [(0.02, -0.1)])
    motion = rooted.captured
    contacts = contacts_of(motion, [("both", 0, 10), ("left", 10, FRAMES)])
    carrier = np.array(contacts.carrier)
    carrier[1, 10:15] = contacts.feet[1]
    result = shared_dynamics(reroot(motion, with_carrier(contacts, carrier)), body, forces="auto")
    assert set(result.source[:15]) == {"predicted"}
    assert set(result.source[15:]) == {"measured"}


def test_a_plate_that_a_foot_has_left_still_measures_it() -> None:
    """The foot is seen to touch for ten frames, and carries by smoothing before and after."""
    rooted, body = person_on([(LEFT[0], 1.0)], [(0.02, -0.1)])
    motion = rooted.captured
    contacts = contacts_of(motion, [("none", 0, 10), ("left", 10, 20), ("none", 20, FRAMES)])
    carrier = np.array(contacts.carrier)
    carrier[0, 7:23] = contacts.feet[0]
    loaded = np.zeros(FRAMES)
    loaded[10:20] = 1.0
    plates = replace(motion.plates, force=motion.plates.force * loaded)
    plates = replace(plates, moment=plates.moment * loaded)
    rooted = reroot(motion, with_carrier(contacts, carrier))
    for way in ("auto", "measured"):
        result = shared_dynamics(
            replace(rooted, captured=replace(motion, plates=plates)), body, forces=way
        )
        assert set(result.source[7:23]) == {"measured"}
        np.testing.assert_allclose(result.foot_force[0, 1, 7:23], WEIGHT * loaded[7:23])


def test_a_foot_that_is_not_seen_yet_does_not_dispute_a_force_of_unknown_outline() -> None:
    rooted, body = person_on([(plate(0.03, -0.1, 0.8), 1.0)], [(0.02, -0.1)])
    motion = rooted.captured
    contacts = contacts_of(motion, [("left", 0, 20), ("both", 20, FRAMES)])
    carrier = np.array(contacts.carrier)
    carrier[1, 15:20] = contacts.feet[1]
    drawn = replace(motion.plates, outlined=False)
    result = shared_dynamics(reroot(motion, with_carrier(contacts, carrier)), body, forces=drawn)
    assert set(result.source[:20]) == {"measured"}
    assert set(result.source[20:]) == {"predicted"}


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
