"""The spectrum behind the choice of a cut-off, against scipy and plain filtering."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import fft, signal

from mocap_reroot.prepare import derivatives, filters, residuals
from mocap_reroot.prepare.smoothing import smooth
from tests.prepare.waves import wavy_motion


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
    found, _ = residuals._spectrum(rows + np.linspace(1, 2, frames), 100.0)  # a line counts nothing
    np.testing.assert_allclose(found, expected, rtol=1e-9, atol=1e-13 * expected.max())


@pytest.mark.parametrize("frames", [300, 1601])
def test_the_bands_hold_all_the_power_of_every_channel(frames: int) -> None:
    rows = bent(40, frames)
    power, frequency = residuals._spectrum(rows, 100.0)
    np.testing.assert_allclose(power.sum(axis=1), (rows**2).sum(axis=1) / (frames - 2))
    assert power.shape[1] == len(frequency) <= 400
    assert (np.diff(frequency) > 0).all() and frequency[-1] < 50.0


def test_channels_that_hardly_move_are_left_out() -> None:
    rows = bent(40, 203)
    rows *= np.linspace(0.2, 2.0, 40)[:, None] * 0.01 / np.sqrt((rows**2).mean(axis=1))[:, None]
    rows[7] = 3.0
    moving = (rows**2).sum(axis=1) / 201 > 0.9 * 0.01**2
    moving[7] = False
    power, _ = residuals._spectrum(rows, 100.0)
    np.testing.assert_allclose(power.sum(axis=1), (rows[moving] ** 2).sum(axis=1) / 201)


def test_residuals_are_what_a_filter_takes_away() -> None:
    """Against the two passes of scipy, on a wave that fits the clip a whole number of times."""
    fps, frames, cutoffs = 100.0, 401, np.array([2.0, 5.0, 9.0])
    time = np.arange(frames) / fps
    wave = np.sin(2 * np.pi * 3.0 * time)[None]
    power, frequency = residuals._spectrum(wave, fps)
    found = residuals._residuals(power, filters.removal(frequency, cutoffs, fps))
    for cutoff, residual in zip(cutoffs, found[0], strict=True):
        section = filters._butterworth_section(cutoff, fps)
        passes = signal.filtfilt(section[:3], (1.0, *section[3:]), wave[0], padlen=300)
        apart = (wave[0] - passes)[50:-50]
        assert residual == pytest.approx(np.sqrt((apart**2).mean()), rel=0.01)


def test_bodies_smoothed_in_blocks_are_the_same_to_the_last_bit(monkeypatch) -> None:
    motion = wavy_motion(np.random.default_rng(4), n=9, frames=300, hertz=[0.5, 1.2]).captured
    whole = smooth(motion, 6.0)
    monkeypatch.setattr(derivatives, "_TOGETHER", 2 * 4 * 8 * 350)
    parts = smooth(motion, 6.0)
    for name in ("rotation", "angular_velocity", "angular_acceleration", "linear_acceleration"):
        assert np.array_equal(getattr(whole, name), getattr(parts, name))
