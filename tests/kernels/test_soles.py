"""Where the push passes soles, against points that are known to be inside or outside."""

from __future__ import annotations

import numpy as np

from mocap_reroot.kernels.soles import distances, outside_soles

UP = np.array([0.0, 0.0, 1.0])
FEET = [[[0, 0.1, 0.0], [0.25, 0.1, 0.0]], [[0, -0.1, 0.02], [0.25, -0.1, 0.0]]]


def soles(frames: int) -> np.ndarray:
    """Return two soles side by side, along x, 20 cm apart, ``(2, 2, 3, F)`` m."""
    return np.repeat(np.array(FEET)[..., None], frames, axis=-1)


def push_at(x: list[float], y: list[float]) -> np.ndarray:
    return np.array([x, y, np.zeros(len(x))], float)


def test_distance_is_from_the_line_from_heel_to_tip_and_level():
    base = push_at([0.1, -0.3, 0.1, np.nan], [0.15, -0.1, 0.0, 0.0])
    found = np.empty((2, 4))
    distances(soles(4), base, np.zeros((3, 4)), UP, found)
    np.testing.assert_allclose(found[0, :3], [0.05, np.hypot(0.3, 0.2), 0.1], atol=1e-12)
    np.testing.assert_allclose(found[1, :3], [0.25, 0.3, 0.1], atol=1e-12)
    assert np.isnan(found[:, 3]).all()


def test_push_that_leans_passes_where_the_lower_end_is():
    ends, lean = soles(1) + 0.5 * UP[:, None], push_at([0.0], [0.2])
    found = np.empty((2, 1))
    distances(ends, push_at([0.1], [0.0]), lean, UP, found)
    np.testing.assert_allclose(found[:, 0], [0.0, 0.2], atol=1e-12)


def test_push_between_two_soles_is_borne_by_both_and_by_neither_alone():
    frames = 9
    base, level = push_at([0.1] * frames, [0.0] * frames), np.zeros((3, frames))
    for limbs, expected in (([0, 1], False), ([0], True), ([1], True)):
        found = np.zeros(frames, bool)
        borne_by = np.array(limbs)
        outside_soles(soles(frames), borne_by, base, level, UP, 2, 8, 0.05, 3, found)
        assert not found[:2].any()
        assert not found[8:].any()
        assert (found[2:8] == expected).all()


def test_frames_that_know_the_push_outvote_the_others():
    outside, inside, unknown = 1.0, 0.1, np.nan
    base = push_at(
        [inside, outside, outside, inside, unknown, unknown, unknown, unknown], [0.1] * 8
    )
    found = np.zeros(8, bool)
    limbs, level = np.array([0]), np.zeros((3, 8))
    outside_soles(soles(8), limbs, base, level, UP, 0, 8, 0.05, 3, found)
    # windows of three, within the run: 2, 2, 2, 1 of 2 known, then none that is outside
    assert found.tolist() == [True, True, True, False, False, False, False, False]
