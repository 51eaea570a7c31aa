"""Another frame rate: the curve is the motion's own, derivatives are its derivatives."""

from __future__ import annotations

import numpy as np
import pytest

import mocap_reroot as mr
from mocap_reroot.mechanics.world_axes import with_up
from mocap_reroot.signals.resampling import resample
from mocap_reroot.types import Motion, Skeleton
from tests.conftest import ROOT

FPS = 100.0


def spinning(fps: float, seconds: float = 2.0) -> Motion:
    """Return a body that turns about a fixed axis and flies on a wave, with exact derivatives."""
    t = np.arange(int(seconds * fps) + 1) / fps
    axis = np.array([1.0, 2.0, 2.0]) / 3
    angle, rate, change = 1.5 * np.sin(3 * t), 4.5 * np.cos(3 * t), -13.5 * np.sin(3 * t)
    rotation = np.concatenate([np.cos(angle / 2)[None], axis[:, None] * np.sin(angle / 2)])
    place = np.stack([np.sin(5 * t), np.cos(4 * t), t**2])
    speed = np.stack([5 * np.cos(5 * t), -4 * np.sin(4 * t), 2 * t])
    gain = np.stack([-25 * np.sin(5 * t), -16 * np.cos(4 * t), 2 + 0 * t])
    return Motion(
        Skeleton(("one",), np.array([-1]), np.zeros((1, 3))), fps, np.array([0.0, 1.0, 0.0]),
        rotation[None], place[None], (axis[:, None] * rate)[None], (axis[:, None] * change)[None],
        speed[None], gain[None],
    )  # fmt: skip


STATES = (
    "rotation", "displacement", "angular_velocity", "angular_acceleration",
    "linear_velocity", "linear_acceleration",
)  # fmt: skip


@pytest.mark.parametrize("fps", [30.0, 60.0, 77.7, 240.0])
def test_states_are_those_of_the_motion_itself(fps):
    """A quintic between frames 10 ms apart errs by its sixth derivative only."""
    found, exact = resample(spinning(FPS), fps), spinning(fps)
    assert found.fps == fps and found.n_frames == exact.n_frames
    for name in STATES:
        np.testing.assert_allclose(getattr(found, name), getattr(exact, name), atol=2e-5)


def test_frames_that_both_rates_share_stay():
    motion = spinning(FPS)
    half = resample(motion, 50.0)
    for name in STATES[1::2]:
        shared = getattr(motion, name)[..., ::2]
        np.testing.assert_allclose(getattr(half, name), shared, atol=1e-13)


def test_without_derivatives_the_captured_frames_are_joined():
    motion = mr.read(ROOT / "sample_data" / "walk.bvh")
    back = resample(resample(motion, 4 * motion.fps), motion.fps)
    assert not back.has_derivatives and back.n_frames == motion.n_frames
    np.testing.assert_allclose(back.displacement, motion.displacement, atol=1e-12)
    double = resample(motion, 2 * motion.fps)
    jerk = np.abs(np.diff(double.displacement, 3, axis=-1)).max()
    assert jerk < np.abs(np.diff(motion.displacement, 3, axis=-1)).max()


def test_a_piece_keeps_its_times():
    piece = spinning(FPS).cut(33, 120)
    found = resample(piece, 30.0)
    assert found.start == 10 and found.time[0] == pytest.approx(10 / 30)
    assert found.time[-1] <= piece.time[-1] + 1e-9


def test_frames_next_to_a_gap_are_left_out():
    motion = spinning(FPS)
    flags = np.zeros(motion.n_frames, np.uint8)
    flags[50:60] = 2
    found = resample(Motion(**{**vars(motion), "flags": flags}), 77.0)
    seconds = found.time[~found.analysed]
    assert 0.48 < seconds.min() < 0.51 and 0.58 < seconds.max() < 0.61


@pytest.mark.parametrize("axis", "xyz")
def test_another_axis_points_up_and_nothing_else_changes(axis):
    motion = mr.smooth(mr.read(ROOT / "sample_data" / "walk.bvh"), 6.0)
    turned, matrix = with_up(motion, axis)
    np.testing.assert_array_equal(turned.up, np.eye(3)["xyz".index(axis)])
    assert np.linalg.det(matrix) == pytest.approx(1)
    before, after = mr.forward(motion), mr.forward(turned)
    for name in ("position", "velocity", "acceleration", "angular_acceleration"):
        moved = np.einsum("ij,njf->nif", matrix, getattr(before, name))
        np.testing.assert_allclose(getattr(after, name), moved, atol=1e-10)
