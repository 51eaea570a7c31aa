"""The choice of a cut-off: its spectrum against scipy, its answer against the best one."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from scipy import fft, signal

from mocap_reroot.signals import cutoff, derivatives
from mocap_reroot.signals.smoothing import smooth
from mocap_reroot.types import Motion
from tests.signals.waves import error, sliding, wavy_motion

NOBODY = slice(0, 0)


def bent(rows: int, frames: int) -> np.ndarray:
    """Return random walks that begin and end at zero."""
    walk = np.cumsum(np.random.default_rng(frames).normal(size=(rows, frames)), axis=1)
    walk -= walk[:, :1]
    return walk - walk[:, -1:] * np.linspace(0, 1, frames)


@pytest.mark.parametrize("frames", [5, 6, 17, 18, 401, 802, 2049])
def test_the_spectrum_is_that_of_scipy(frames: int) -> None:
    rows = bent(30, frames)
    sines = fft.dst(rows[:, 1:-1], 1, norm="ortho", axis=1)
    width = max(1, -(-(frames - 2) // 400))
    starts = np.arange(0, frames - 2, width)
    expected = np.add.reduceat(sines**2, starts, axis=1) / (frames - 2)
    slanted = rows + np.linspace(1, 2, frames)  # a line counts nothing
    _, found, _ = cutoff._spectrum(slanted, NOBODY, 100.0)
    np.testing.assert_allclose(found, expected, rtol=1e-9, atol=1e-13 * expected.max())


@pytest.mark.parametrize("frames", [300, 1601])
def test_the_bands_hold_all_the_power_of_every_channel(frames: int) -> None:
    rows = bent(40, frames)
    _, power, frequency = cutoff._spectrum(rows, NOBODY, 100.0)
    np.testing.assert_allclose(power.sum(axis=1), (rows**2).sum(axis=1) / (frames - 2))
    assert power.shape[1] == len(frequency) <= 400
    assert (np.diff(frequency) > 0).all() and frequency[-1] < 50.0


def test_channels_that_hardly_move_are_left_out_but_for_the_path() -> None:
    rows = bent(40, 203)
    rows *= np.linspace(0.2, 2.0, 40)[:, None] * 0.01 / np.sqrt((rows**2).mean(axis=1))[:, None]
    rows[7] = 3.0
    moving = (rows**2).sum(axis=1) / 201 > 0.9 * 0.01**2
    moving[7] = False
    assert not moving[2:5].any()
    moving[2:5] = True
    which, power, _ = cutoff._spectrum(rows, slice(2, 5), 100.0)
    assert which.tolist() == np.flatnonzero(moving).tolist()
    np.testing.assert_allclose(power.sum(axis=1), (rows[moving] ** 2).sum(axis=1) / 201)


def gait_like(rng: np.random.Generator, fps: float) -> tuple[np.ndarray, np.ndarray]:
    """Return a path ``(3, F)`` of harmonics that fall with the third power, and accelerations."""
    time = np.arange(round(4 * fps)) / fps
    path, acceleration = 1.2 * time, 0.0
    for k in range(1, 28):
        turning = 2 * np.pi * 0.9 * k
        size, phase = 0.1 * rng.uniform(0.5, 1, (3, 1)) / k**3, rng.uniform(0, 2 * np.pi, (3, 1))
        wave = size * np.sin(turning * time + phase)
        path, acceleration = path + wave, acceleration - turning**2 * wave
    return path, acceleration


def jitter(rng: np.random.Generator, kind: str, size: float, frames: int, fps: float) -> np.ndarray:
    """Return noise ``(3, frames)`` of a size in m, white or level in its accelerations."""
    noise = rng.normal(size=(3, frames))
    if kind == "level":
        frequency = np.fft.rfftfreq(frames, 1 / fps)
        noise = np.fft.irfft(np.fft.rfft(noise) / np.maximum(frequency, 2) ** 2, frames)
    return size * noise / noise.std()


def cutoff_of(motion: Motion) -> float:
    (value,) = [i.value for i in motion.source.inferred if i.what == "cutoff"]
    return float(value)


@pytest.mark.parametrize("kind", ["white", "level"])
@pytest.mark.parametrize("fps", [100.0, 200.0])
def test_the_cutoff_leaves_nearly_the_least_error_in_accelerations(kind: str, fps: float) -> None:
    """Whatever the noise; 8 Hz throughout would be up to five times as far off."""
    rng = np.random.default_rng(3)
    chosen = []
    for size in (0.0, 1e-5, 1e-4, 3e-4, 1e-3, 3e-3):
        path, truth = gait_like(rng, fps)
        noisy = sliding(path + jitter(rng, kind, size, path.shape[1], fps), fps)

        def miss(motion: Motion, truth: np.ndarray = truth) -> float:
            return error(motion.linear_acceleration[0], truth, 20)

        found = smooth(noisy)
        best = min(miss(smooth(noisy, hertz)) for hertz in (5.0, 6.0, 8.0, 10.0, 12.0, 15.0, 20.0))
        assert miss(found) < 1.4 * best
        chosen.append(cutoff_of(found))
    assert chosen[0] == cutoff.FASTEST and chosen[-1] < 5.5
    assert (np.diff(chosen) <= 0).all()


def test_noise_of_the_path_counts_though_all_turns_are_clean() -> None:
    rng = np.random.default_rng(8)
    truth = wavy_motion(rng, n=9, frames=600, hertz=[0.5, 1.2, 2.3, 4.1]).captured
    shaken = np.array(truth.displacement)
    shaken[truth.skeleton.slot[truth.skeleton.root]] += jitter(rng, "level", 0.02, 600, 100.0)
    noisy = smooth(replace(truth, displacement=shaken))
    assert cutoff_of(smooth(truth)) > 15
    assert cutoff_of(noisy) < 12
    assert "the path of the root" in noisy.source.inferred[-1].evidence


def test_noise_that_was_low_passed_before_is_noise_still() -> None:
    """Level up to 30 Hz, nothing beyond: the fall up there is not that of a motion."""
    rng = np.random.default_rng(9)
    fps = 200.0
    path, _ = gait_like(rng, fps)
    noise = jitter(rng, "level", 0.004, path.shape[1], fps)
    section = signal.butter(4, 30.0, fs=fps, output="sos")
    noisy = sliding(path + signal.sosfiltfilt(section, noise), fps)
    assert cutoff_of(smooth(noisy)) < 6.5


@pytest.mark.parametrize(("frames", "fps"), [(15, 100.0), (17, 400.0), (16, 12.0), (400, 8.0)])
def test_short_and_slow_clips_get_a_cutoff_too(frames: int, fps: float) -> None:
    motion = wavy_motion(np.random.default_rng(5), n=4, frames=frames, fps=fps, hertz=[0.7])
    assert cutoff_of(smooth(motion.captured)) == pytest.approx(min(cutoff.CUSTOMARY, 0.2 * fps))


def test_bodies_smoothed_in_blocks_are_the_same_to_the_last_bit(monkeypatch) -> None:
    motion = wavy_motion(np.random.default_rng(4), n=9, frames=300, hertz=[0.5, 1.2]).captured
    whole = smooth(motion, 6.0)
    monkeypatch.setattr(derivatives, "_TOGETHER", 2 * 4 * 8 * 350)
    parts = smooth(motion, 6.0)
    for name in ("rotation", "angular_velocity", "angular_acceleration", "linear_acceleration"):
        assert np.array_equal(getattr(whole, name), getattr(parts, name))
