"""Formulas for joint centres: cases with an answer known beforehand."""

import numpy as np

from mocap_reroot.skeletons import joint_centres


def test_davis_as_plug_in_gait_computes_it() -> None:
    # Leg 0.83 m, ASIS 0.204 m apart: the values of a Plug-in Gait trial, worked by hand.
    depth = joint_centres.asis_depth_from_leg(0.83)
    assert abs(depth - 0.058344) < 1e-6
    right = joint_centres.hip_davis("right", 0.83, 0.204, depth, 0.005)
    c = 0.115 * 0.83 - 0.0153
    assert abs(right[2] - (0.102 - c * np.sin(0.5))) < 1e-12
    left = joint_centres.hip_davis("left", 0.83, 0.204, depth, 0.005)
    np.testing.assert_allclose(left * [1, 1, -1], right)
    assert right[0] < 0 and right[1] < 0


def test_bell_and_harrington_in_shares_of_the_pelvis() -> None:
    np.testing.assert_allclose(joint_centres.hip_bell("right", 0.25, 0.0), [-0.0475, -0.075, 0.09])
    harrington = joint_centres.hip_harrington("left", 0.25, 0.15, 0.0)
    np.testing.assert_allclose(harrington, [-0.0459, -0.0859, -0.0898], atol=1e-12)


def test_hips_lie_where_the_bones_say_however_large_the_markers_are() -> None:
    """Larger markers on the same pelvis stand farther out; the hip stays where it was."""
    for standoff in (0.004, 0.009, 0.014):
        bell = joint_centres.hip_bell("right", 0.25, standoff)
        harrington = joint_centres.hip_harrington("right", 0.25, 0.15 + 2 * standoff, standoff)
        out = np.array([standoff, 0, 0])  # from the bones to where the markers are
        np.testing.assert_allclose(bell + out, [-0.0475, -0.075, 0.09])
        np.testing.assert_allclose(harrington + out, [-0.0459, -0.0859, 0.0898], atol=1e-12)


def test_chord_sees_a_right_angle() -> None:
    rng = np.random.default_rng(0)
    hip = rng.normal(0, 0.02, (3, 40))
    knee = np.array([[0.0], [0.05], [-0.4]]) + rng.normal(0, 0.02, (3, 40))
    wand = np.array([[0.02], [0.12], [-0.2]]) + rng.normal(0, 0.005, (3, 40))
    centre = joint_centres.chord(hip, wand, knee, 0.055)
    np.testing.assert_allclose(np.linalg.norm(centre - knee, axis=0), 0.055)
    np.testing.assert_allclose(((centre - knee) * (centre - hip)).sum(axis=0), 0, atol=1e-12)
    normal = np.cross(wand - hip, knee - hip, axis=0)
    np.testing.assert_allclose(((centre - hip) * normal).sum(axis=0), 0, atol=1e-12)
    assert (np.linalg.norm(centre - wand, axis=0) > np.linalg.norm(knee - wand, axis=0)).all()


def test_constant_lengths_share_the_error() -> None:
    # A leg bent by a right angle whose skin makes the shank 30 mm too long.
    root = np.zeros((3, 1))
    middle, end = np.array([[0.4], [0.0], [0.0]]), np.array([[0.4], [0.0], [-0.46]])
    new_middle, new_end = joint_centres.constant_lengths(root, middle, end, (0.4, 0.43))
    assert abs(np.linalg.norm(new_end - new_middle) - 0.43) < 1e-6
    assert abs(np.linalg.norm(new_middle) - 0.4) < 1e-3
    moved = [float(np.linalg.norm(a - b)) for a, b in ((new_middle, middle), (new_end, end))]
    assert max(moved) < 0.02  # aiming bone after bone would leave all 30 mm to the end


def test_a_straight_arm_has_an_axis() -> None:
    down = np.array([[0.0], [0.0], [-0.3]])
    right = np.array([[0.0], [-1.0], [0.0]])
    straight = joint_centres.flexion_axis(np.zeros((3, 1)), down, 2 * down, right)
    np.testing.assert_allclose(straight, right)
    bent = joint_centres.flexion_axis(
        np.zeros((3, 1)), down, down + np.array([[0.3], [0.0], [0.0]]), right
    )
    np.testing.assert_allclose(bent, right, atol=1e-12)
