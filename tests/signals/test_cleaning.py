"""What is not motion in a capture: found, mended or left out, flagged and reported."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from mocap_reroot.signals.cleaning import clean
from mocap_reroot.signals.smoothing import smooth
from mocap_reroot.types import Motion
from tests.signals.waves import error, wavy_motion

CUTOFF = 6.0
CMU = ("02_01", "05_02", "09_01", "16_01", "49_02")


def moving(frames: int = 400, fps: float = 120.0, seed: int = 0):
    """Return a person-like sway of 20 joints and its exact derivatives."""
    return wavy_motion(
        np.random.default_rng(seed), n=20, frames=frames, fps=fps, hertz=[0.4, 1.1], degrees=30.0
    )


def edited(motion: Motion, frames, rotation, displacement) -> Motion:
    q, d = np.array(motion.rotation), np.array(motion.displacement)
    q[..., frames], d[..., frames] = rotation, displacement
    return replace(motion, rotation=q, displacement=d)


def words(motion: Motion) -> dict[str, list[int]]:
    """Return the frames of every flag word."""
    flags = motion.flag_words
    return {word: list(np.flatnonzero(flags == word)) for word in set(flags) - {""}}


def test_sound_motion_comes_back_untouched() -> None:
    motion = moving().captured
    assert clean(motion) is motion


@pytest.mark.parametrize("held", [1, 3])
def test_a_rest_pose_at_the_start_is_left_out(held: int) -> None:
    truth = moving()
    rest = np.zeros((20, 4, held))
    rest[:, 0] = 1.0
    motion = edited(truth.captured, slice(0, held), rest, 0.0)
    cleaned = clean(motion)
    assert words(cleaned) == {"rest_pose": list(range(held))}
    (repair,) = cleaned.source.repairs
    assert f"jumps into motion at frame {held}" in repair
    smoothed = smooth(motion, CUTOFF)
    assert np.isnan(smoothed.rotation[..., :held]).all()
    assert error(smoothed.angular_acceleration[..., held:], truth.arrays[1][..., held:]) < 0.02


@pytest.mark.parametrize("held", [1, 2, 5, 40])
def test_rest_poses_of_several_frames_at_both_ends(held: int) -> None:
    motion = moving().captured
    rest = np.zeros((20, 4, held))
    rest[:, 0] = 1.0
    motion = edited(motion, slice(0, held), rest, 0.0)
    motion = edited(motion, slice(400 - held, 400), rest, 0.0)
    cleaned = clean(motion)
    assert words(cleaned) == {"rest_pose": [*range(held), *range(400 - held, 400)]}
    assert f"jumps into a rest pose after frame {399 - held}" in cleaned.source.repairs[1]


def test_motion_that_starts_at_rest_is_no_rest_pose() -> None:
    """From the rest pose smoothly into motion: nothing is left out."""
    truth = moving(frames=600)
    fade = np.clip(np.arange(600) / 300, 0, 1) ** 3
    q = np.array(truth.captured.rotation)
    q[:, 1:] *= fade
    q /= np.linalg.norm(q, axis=1, keepdims=True)
    assert not clean(replace(truth.captured, rotation=q)).flags.any()


@pytest.mark.parametrize("clip", CMU)
def test_cmu_clips_lose_their_t_pose_and_nothing_else(shared_data, clip: str) -> None:
    from mocap_reroot.reading import read

    motion = smooth(read(shared_data / "bvh" / "cmu" / f"{clip}.bvh"), CUTOFF)
    assert words(motion)["rest_pose"] == [0]
    assert motion.analysed.sum() == motion.n_frames - 1


@pytest.mark.parametrize("dropped", [[200], [200, 201, 202], list(range(101, 300, 2))])
def test_repeated_frames_are_interpolated(dropped: list[int]) -> None:
    truth = moving()
    motion = truth.captured
    for frame in dropped:
        before = motion.rotation[..., frame - 1], motion.displacement[..., frame - 1]
        motion = edited(motion, frame, *before)
    smoothed = smooth(motion, CUTOFF)
    assert words(smoothed) == {"duplicate": dropped}
    assert f"{len(dropped)} frames repeat the one before" in smoothed.source.repairs[0]
    assert error(smoothed.angular_acceleration, truth.arrays[1], 5) < 0.01
    assert error(smoothed.rotation, smooth(truth.captured, CUTOFF).rotation) < 1e-4


def test_a_pause_is_no_repetition() -> None:
    truth = moving()
    hold = slice(150, 250)
    motion = edited(
        truth.captured,
        hold,
        truth.captured.rotation[..., 149:150],
        truth.captured.displacement[..., 149:150],
    )
    assert "duplicate" not in words(clean(motion))


def test_rounding_is_no_motion_in_which_frames_are_dropped() -> None:
    """A body at rest, but for the last digits, some of which happen to repeat."""
    motion = moving().captured
    rest = edited(motion, slice(None), motion.rotation[..., :1], motion.displacement[..., :1])
    rng = np.random.default_rng(8)
    shaken = rest.displacement + 1e-13 * rng.standard_normal(rest.displacement.shape)
    shaken[..., 200] = shaken[..., 199]
    assert not words(clean(replace(rest, displacement=shaken)))


def test_short_holes_are_filled_and_long_ones_left_out() -> None:
    truth = moving()
    motion = edited(truth.captured, slice(100, 104), np.nan, np.nan)
    motion = edited(motion, slice(300, 360), np.nan, np.nan)
    smoothed = smooth(motion, CUTOFF)
    assert words(smoothed) == {
        "filled": list(range(100, 104)),
        "not_finite": list(range(300, 360)),
    }
    assert "frames 100–103: interpolated" in smoothed.source.repairs[0]
    assert "frames 300–359: left out" in smoothed.source.warnings[0]
    kept = np.r_[0:300, 360:400]
    found, exact = smoothed.angular_acceleration[..., kept], truth.arrays[1][..., kept]
    assert np.isfinite(found).all()
    assert error(found, exact) < 0.02


def test_islands_between_gaps_are_left_out() -> None:
    motion = edited(moving().captured, slice(300, 360), np.nan, np.nan)
    motion = edited(motion, slice(363, 400), np.nan, np.nan)
    smoothed = smooth(motion, CUTOFF)
    assert words(smoothed)["gap"] == [360, 361, 362]
    assert "frames 360–362" in smoothed.source.warnings[-1]


def test_a_body_that_flips_is_reported_and_not_altered() -> None:
    truth = moving()
    flipped = np.array(truth.captured.rotation[7, :, 200])[[1, 0, 3, 2]] * [1, -1, 1, -1]
    q = np.array(truth.captured.rotation)
    q[7, :, 200] = flipped  # half a turn about the body's own x axis, for one frame
    cleaned = clean(replace(truth.captured, rotation=q))
    assert 200 in words(cleaned)["glitch"]
    assert len(words(cleaned)["glitch"]) <= 3
    (warning,) = cleaned.source.warnings
    assert truth.captured.skeleton.names[7] in warning
    np.testing.assert_array_equal(cleaned.rotation, q)


def test_fast_and_steady_turns_are_no_glitch() -> None:
    """A shoulder turning at 100 rad/s, as in throwing, at 240 Hz."""
    truth = moving(fps=240.0)
    half = 100.0 * np.arange(400) / 240 / 2
    q = np.array(truth.captured.rotation)
    q[3] = [np.cos(half), np.sin(half), 0 * half, 0 * half]
    assert not clean(replace(truth.captured, rotation=q)).flags.any()


@pytest.mark.parametrize("clip", ["cmu/49_02", "daz/pirouette", "fairmotion/pfnn_hierarchy"])
def test_a_second_cleaning_finds_nothing_new(shared_data, clip: str) -> None:
    from mocap_reroot.reading import read

    once = clean(read(shared_data / "bvh" / f"{clip}.bvh"))
    assert clean(once) is once


def test_wraps_of_euler_angles_leave_no_trace(shared_data) -> None:
    """54 joints whose Euler angles wrap by 360°: no frame turns by more than 0.8 rad."""
    from mocap_reroot.reading import read

    motion = clean(read(shared_data / "bvh" / "millimetres" / "fullbody_model.bvh"))
    dots = np.abs((motion.rotation[..., 1:] * motion.rotation[..., :-1]).sum(axis=1))
    assert 2 * np.arccos(np.clip(dots, 0, 1)).max() < 0.8
    assert not motion.flags.any()
