"""Smoothing and derivatives against motions whose derivatives are known, and against slow twins."""

from __future__ import annotations

from dataclasses import replace
from time import perf_counter

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import signal

from mocap_reroot.errors import MocapRerootError, UnknownNameError
from mocap_reroot.mechanics.kinematics import forward
from mocap_reroot.signals import filters
from mocap_reroot.signals.smoothing import smooth
from mocap_reroot.types import Motion, flag_code
from tests.signals.waves import (
    cut_out_errors,
    error,
    multiply,
    plain_butterworth,
    sliding,
    waves,
    wavy_motion,
    with_noise,
)

CUTOFF = 6.0
NAMES = ("angular velocity", "angular acceleration", "velocity", "acceleration")


def rates(motion: Motion) -> tuple[np.ndarray, ...]:
    return (
        motion.angular_velocity,
        motion.angular_acceleration,
        motion.linear_velocity,
        motion.linear_acceleration,
    )


@pytest.mark.parametrize("method", filters.METHODS)
@pytest.mark.parametrize("degrees", [10.0, 60.0])
def test_slow_content_keeps_its_derivatives(method: str, degrees: float) -> None:
    truth = wavy_motion(np.random.default_rng(1), hertz=[0.3, 0.6, 1.0], degrees=degrees)
    smoothed = smooth(truth.captured, CUTOFF, method)
    limits = (1e-3, 5e-3, 1e-3, 5e-3)
    for name, found, exact, limit in zip(NAMES, rates(smoothed), truth.arrays, limits, strict=True):
        assert error(found, exact, inner=50) < limit, name


@pytest.mark.parametrize("method", filters.METHODS)
def test_half_the_cutoff_has_the_filters_gain(method: str) -> None:
    truth = wavy_motion(np.random.default_rng(2), hertz=[CUTOFF / 2], degrees=20.0, axes=1)
    gain = filters.gain(CUTOFF / 2, CUTOFF, 100.0, method)
    smoothed = smooth(truth.captured, CUTOFF, method)
    for name, found, exact in zip(NAMES, rates(smoothed), truth.arrays, strict=True):
        assert error(found, gain * exact, inner=50) < 2e-3, name


@pytest.mark.parametrize("method", filters.METHODS)
@pytest.mark.parametrize("fps", [30.0, 100.0, 240.0])
def test_the_cutoff_means_three_decibels_of_the_whole(method: str, fps: float) -> None:
    time = np.arange(int(20 * fps)) / fps
    wave = np.sin(2 * np.pi * CUTOFF * time + np.arange(3)[:, None])
    smoothed = smooth(sliding(wave, fps), CUTOFF, method).displacement[0]
    inner = slice(int(2 * fps), -int(2 * fps))
    ratio = np.std(smoothed[:, inner]) / np.std(wave[:, inner])
    assert ratio == pytest.approx(1 / np.sqrt(2), rel=1e-3)
    assert filters.gain(CUTOFF, CUTOFF, fps, method) == pytest.approx(1 / np.sqrt(2))


def test_butterworth_is_scipys_with_the_corrected_cutoff() -> None:
    fps = 120.0
    rows = 0.01 * np.random.default_rng(3).standard_normal((3, 900)).cumsum(axis=1)
    warped = np.tan(np.pi * CUTOFF / fps) / (np.sqrt(2) - 1) ** 0.25
    each = np.arctan(warped) * fps / np.pi
    expected = signal.sosfiltfilt(signal.butter(2, each, fs=fps, output="sos"), rows)
    found = smooth(sliding(rows, fps), CUTOFF).displacement[0]
    np.testing.assert_allclose(found[:, 120:-120], expected[:, 120:-120], atol=1e-9)


def test_spline_solves_its_least_squares_problem() -> None:
    rng, weight = np.random.default_rng(4), 321.0
    rows = rng.standard_normal((8, 60))
    third = np.diff(np.eye(60), 3, axis=0)
    expected = np.linalg.solve(np.eye(60) + weight * third.T @ third, rows.T).T
    filters.penalise_jerk(rows, weight)
    np.testing.assert_allclose(rows, expected, atol=1e-11)


def test_spline_has_less_acceleration_error_than_a_plain_butterworth() -> None:
    for seed, hertz in ((5, [0.5, 1.0, 2.0]), (6, [0.7, 1.4, 2.8])):
        rng = np.random.default_rng(seed)
        truth = wavy_motion(rng, hertz=hertz, degrees=30.0, fps=120.0, frames=1200)
        noisy, exact = with_noise(rng, truth.captured, 0.1), truth.arrays[1]
        ours = error(smooth(noisy, CUTOFF, "spline").angular_acceleration, exact, 60)
        plain = error(plain_butterworth(noisy, CUTOFF, corrected=True), exact, 60)
        assert ours < 0.9 * plain


@pytest.mark.parametrize("method", filters.METHODS)
def test_ends_of_a_cut_out_walk_agree_with_the_whole(method: str) -> None:
    """At the very ends within 2 %, where odd reflection is off by most of the acceleration."""
    assert max(cut_out_errors(CUTOFF, method)) < 0.02
    assert cut_out_errors(CUTOFF, "butterworth, odd reflection")[0] > 0.5


def test_ends_of_a_real_walk_beat_odd_reflection(shared_data) -> None:
    """At the cut the error is a fifth smaller than that of assuming no acceleration."""
    from mocap_reroot.reading import read

    motion = read(shared_data / "bvh" / "cmu" / "02_01.bvh")
    whole = smooth(motion, CUTOFF)
    ours, nothing = [], []
    for stop in range(180, motion.n_frames - 40, 11):
        cut = smooth(motion.cut(1, stop), CUTOFF)
        truth = whole.angular_acceleration[..., stop - 1]
        ours.append(cut.angular_acceleration[..., -1] - truth)
        nothing.append(truth)
    assert np.std(ours) < 0.85 * np.std(nothing)


@pytest.mark.parametrize("clip", ["cmu/02_01", "cmu/49_02", "mixamo/test_mocapbank"])
def test_derivatives_belong_to_the_world_positions(shared_data, clip: str) -> None:
    """Nine-point differences of world positions give the velocities and accelerations."""
    from mocap_reroot.reading import read

    motion = smooth(read(shared_data / "bvh" / f"{clip}.bvh"))
    world, h = forward(motion), 1 / motion.fps
    first = np.array([1 / 280, -4 / 105, 1 / 5, -4 / 5, 0, 4 / 5, -1 / 5, 4 / 105, -1 / 280])
    second = np.array(
        [-1 / 560, 8 / 315, -1 / 5, 8 / 5, -205 / 72, 8 / 5, -1 / 5, 8 / 315, -1 / 560]
    )
    windows = np.lib.stride_tricks.sliding_window_view(world.position, 9, axis=-1)
    wide = max(1.0, 90 * h) ** 2
    checks = ((world.velocity, first / h, 2e-3), (world.acceleration, second / h**2, 1e-2))
    for given_rate, stencil, limit in checks:
        given_rate = given_rate[..., 4:-4]
        off = np.sqrt(np.nanmean((windows @ stencil - given_rate) ** 2, axis=(1, 2)))
        size = np.sqrt(np.nanmean(given_rate**2, axis=(1, 2)))
        assert np.max(off / np.maximum(size, 0.2 * np.median(size))) < limit * wide


@settings(max_examples=20, deadline=None)
@given(seed=st.integers(0, 2**31), frames=st.integers(5, 60))
def test_signs_of_quaternions_do_not_matter(seed: int, frames: int) -> None:
    rng = np.random.default_rng(seed)
    motion = wavy_motion(rng, n=3, frames=frames, hertz=[0.5, 1.5], degrees=40.0).captured
    flips = rng.choice([-1.0, 1.0], size=(3, 1, frames))
    flipped = smooth(replace(motion, rotation=motion.rotation * flips), CUTOFF)
    plain = smooth(motion, CUTOFF)
    np.testing.assert_allclose(flipped.angular_velocity, plain.angular_velocity, atol=1e-9)
    assert np.all((flipped.rotation[..., 1:] * flipped.rotation[..., :-1]).sum(axis=1) > 0)


@settings(max_examples=20, deadline=None)
@given(seed=st.integers(0, 2**31), method=st.sampled_from(filters.METHODS))
def test_smoothing_does_not_depend_on_the_world_axes(seed: int, method: str) -> None:
    """A constant turn of every orientation (q to g q) leaves body-fixed rates as they are."""
    rng = np.random.default_rng(seed)
    motion = wavy_motion(rng, n=2, frames=80, hertz=[0.5, 1.5], degrees=40.0).captured
    turn = rng.standard_normal((2, 4, 1))
    turn = np.repeat(turn / np.linalg.norm(turn, axis=1, keepdims=True), 80, axis=2)
    turned = replace(motion, rotation=multiply(turn, np.asarray(motion.rotation)))
    here, there = smooth(motion, CUTOFF, method), smooth(turned, CUTOFF, method)
    scale = np.abs(here.angular_acceleration).max()
    np.testing.assert_allclose(
        there.angular_acceleration, here.angular_acceleration, atol=0.05 * scale
    )
    inner = slice(35, 45)  # ends are predicted channel by channel, the middle is linear
    np.testing.assert_allclose(
        there.angular_velocity[..., inner],
        here.angular_velocity[..., inner],
        atol=2e-3 * np.abs(here.angular_velocity).max(),
    )


def test_a_steady_spin_stays_a_steady_spin() -> None:
    """A body that turns at 8 rad/s for ever does so after smoothing, to the very ends."""
    fps, speed = 100.0, 8.0
    half = speed * np.arange(400) / fps / 2
    motion = sliding(np.zeros((3, 400)), fps)
    rotation = np.stack([np.cos(half), 0 * half, np.sin(half), 0 * half])[None]
    smoothed = smooth(replace(motion, rotation=rotation), CUTOFF)
    np.testing.assert_allclose(smoothed.angular_velocity[0, 1], speed, rtol=1e-3)
    assert np.abs(smoothed.angular_acceleration).max() < 0.01 * speed**2


@pytest.mark.parametrize("method", filters.METHODS)
def test_a_parabola_keeps_its_acceleration(method: str) -> None:
    """Free fall stays free fall within the clip."""
    time = np.arange(300) / 100.0
    rows = np.stack([1.2 * time, 2 * time - 9.81 / 2 * time**2, 0 * time])
    smoothed = smooth(sliding(rows, 100.0), CUTOFF, method)
    np.testing.assert_allclose(smoothed.linear_acceleration[0, 1, 40:-40], -9.81, rtol=2e-3)
    assert np.abs(smoothed.linear_acceleration[0, 2]).max() == 0.0


def test_stillness_has_derivatives_of_exactly_zero() -> None:
    motion = wavy_motion(np.random.default_rng(8), n=4, frames=1, hertz=[1.0]).captured
    still = replace(
        motion,
        rotation=np.repeat(motion.rotation, 50, axis=-1),
        displacement=np.repeat(motion.displacement, 50, axis=-1),
        flags=None,
    )
    for method in filters.METHODS:
        smoothed = smooth(still, "auto", method)
        assert all(np.abs(rate).max(initial=0) == 0.0 for rate in rates(smoothed))
        assert not smoothed.flags.any()


def test_five_frames_work_and_four_are_refused_in_words() -> None:
    motion = wavy_motion(np.random.default_rng(9), n=3, frames=5, hertz=[0.5]).captured
    for method in filters.METHODS:
        assert all(np.isfinite(rate).all() for rate in rates(smooth(motion, "auto", method)))
    with pytest.raises(MocapRerootError, match="need 5 usable frames in a row; this motion has 4"):
        smooth(motion.cut(0, 4))


def test_no_filter_differentiates_the_samples() -> None:
    truth = wavy_motion(np.random.default_rng(10), hertz=[1.0, 4.0])
    smoothed = smooth(truth.captured, None)
    np.testing.assert_allclose(smoothed.rotation, truth.captured.rotation, atol=1e-12)
    assert error(smoothed.angular_acceleration, truth.arrays[1], 10) < 1e-5


def test_runs_are_smoothed_apart_and_left_out_frames_are_empty() -> None:
    truth = wavy_motion(np.random.default_rng(11), frames=400, hertz=[0.5, 1.0], degrees=30.0)
    flags = np.zeros(400, np.uint8)
    flags[150:190] = flag_code("gap")
    rotation = np.array(truth.captured.rotation)
    rotation[..., 150:190] = np.nan
    smoothed = smooth(replace(truth.captured, rotation=rotation, flags=flags), CUTOFF)
    for rate, exact in zip(rates(smoothed), truth.arrays, strict=True):
        assert np.isnan(rate[..., 150:190]).all()
        kept = np.r_[0:150, 190:400]
        assert error(rate[..., kept], exact[..., kept]) < 0.01
    alone = smooth(truth.captured.cut(190, 400), CUTOFF)
    np.testing.assert_allclose(
        smoothed.angular_acceleration[..., 190:], alone.angular_acceleration, atol=1e-9
    )


def test_the_automatic_cutoff_finds_the_noise_and_says_so() -> None:
    rng = np.random.default_rng(12)
    truth = wavy_motion(rng, hertz=[0.5, 1.0, 2.0], degrees=40.0, fps=120.0, n=20)
    chosen = []
    for degrees in (0.05, 0.5):
        source = smooth(with_noise(rng, truth.captured, degrees)).source
        (inference,) = [i for i in source.inferred if i.what == "cutoff"]
        assert "Residual analysis of accelerations" in inference.evidence
        chosen.append(inference.value)
    assert 5.0 <= chosen[1] < chosen[0] <= 20.0
    again = smooth(smooth(truth.captured))
    assert [i.what for i in again.source.inferred].count("cutoff") == 1


@pytest.mark.parametrize(
    ("file", "least", "most"),
    [
        ("bvh/cmu/02_01.bvh", 5.0, 6.0),
        ("c3d/opensim/walking2.c3d", 5.0, 6.0),
        ("c3d/btk/Gait.c3d", 10.0, 16.0),
        ("gold/arnold_subject01_walk/markers.trc", 14.0, 20.0),
    ],
)
def test_the_automatic_cutoff_goes_with_the_noise_of_recordings(
    shared_data, file: str, least: float, most: float
) -> None:
    """Jittery walks, one recorded well, and one made by a simulation."""
    from mocap_reroot.reading import read

    walk = smooth(read(shared_data / file))
    (value,) = [i.value for i in walk.source.inferred if i.what == "cutoff"]
    assert least <= value <= most


@pytest.mark.parametrize("cutoff", [0, -3, 45.0, np.nan, "six"])
def test_impossible_cutoffs_are_refused_in_words(cutoff) -> None:
    motion = wavy_motion(np.random.default_rng(13), n=2, frames=30, hertz=[1.0]).captured
    with pytest.raises(MocapRerootError, match="cut-off"):
        smooth(motion, cutoff)


def test_unknown_methods_are_refused_with_the_known_ones() -> None:
    motion = wavy_motion(np.random.default_rng(14), n=2, frames=30, hertz=[1.0]).captured
    with pytest.raises(UnknownNameError, match=r"Did you mean 'butterworth'"):
        smooth(motion, CUTOFF, "buterworth")


def test_waves_know_their_own_derivatives() -> None:
    """The truth itself: differences of the formula's samples at 10 kHz."""
    time = np.arange(60) / 1e4
    value, first, second = waves(np.random.default_rng(15), (3,), time, [2.0, 5.0], 0.7)
    np.testing.assert_allclose(np.gradient(value, 1e-4, axis=1)[:, 1:-1], first[:, 1:-1], rtol=1e-4)
    np.testing.assert_allclose(
        np.gradient(first, 1e-4, axis=1)[:, 1:-1], second[:, 1:-1], rtol=1e-3, atol=1e-2
    )
    truth = wavy_motion(np.random.default_rng(16), n=3, frames=60, fps=1e4, hertz=[2.0, 5.0])
    numeric = np.gradient(truth.arrays[0], 1e-4, axis=-1)[..., 1:-1]
    assert error(numeric, truth.arrays[1][..., 1:-1]) < 1e-4


def test_smoothing_costs_at_most_three_scipy_filters() -> None:
    """10,000 frames of 31 joints, all of smooth() against one sosfiltfilt over the quaternions."""
    motion = wavy_motion(np.random.default_rng(17), n=31, frames=10_000, hertz=[0.5, 1.7]).captured
    rows = np.array(motion.rotation).reshape(124, -1)
    section = signal.butter(2, CUTOFF, fs=motion.fps, output="sos")
    smooth(motion.cut(0, 100), CUTOFF)  # compile
    ours, scipys = [], []
    for _ in range(7):  # alternately, so that a busy machine slows both
        start = perf_counter()
        smooth(motion, CUTOFF)
        middle = perf_counter()
        signal.sosfiltfilt(section, rows)
        ours.append(middle - start)
        scipys.append(perf_counter() - middle)
    assert min(ours) < 3 * min(scipys)
