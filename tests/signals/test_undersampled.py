"""Turns too fast for the frame rate: curve and derivatives belong together, the rest untouched."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from mocap_reroot.signals.smoothing import smooth
from mocap_reroot.types import Motion
from tests.signals.waves import multiply, wavy_motion

FPS, CUTOFF = 30.0, 5.5
FLIP = 60
"""The frame into which one body turns by 2.4 rad."""
NINE = np.array([1 / 280, -4 / 105, 1 / 5, -4 / 5, 0, 4 / 5, -1 / 5, 4 / 105, -1 / 280])


def calm() -> Motion:
    return wavy_motion(
        np.random.default_rng(20), n=3, frames=120, fps=FPS, hertz=[0.4, 0.9], degrees=20.0
    ).captured


def thrown(motion: Motion, body: int = 1) -> Motion:
    """Return the motion with a body that turns by 2.4 rad within two frames, and stays there."""
    angle = np.interp(np.arange(motion.n_frames), [FLIP - 1, FLIP + 1], [0.0, 2.4])
    turn = np.zeros((1, 4, motion.n_frames))
    turn[0, 0], turn[0, 3] = np.cos(angle / 2), np.sin(angle / 2)
    rotation = np.array(motion.rotation)
    rotation[body] = multiply(rotation[[body]], turn)[0]
    return replace(motion, rotation=rotation)


def mismatch(motion: Motion, body: int) -> float:
    """Return how far angular velocity is from differences of the orientation, rms, relative."""
    q = np.array(motion.rotation[[body]])
    rate = sum(c * q[..., k : q.shape[-1] - 8 + k] for k, c in enumerate(NINE)) * FPS
    back = q[..., 4:-4] * np.array([1, -1, -1, -1])[:, None]
    spin = 2 * multiply(back, rate)[0, 1:]
    given = motion.angular_velocity[body][:, 4:-4]
    return float(np.sqrt(((spin - given) ** 2).sum() / (given**2).sum()))


def test_a_throw_keeps_curve_and_derivatives_together() -> None:
    smoothed = smooth(thrown(calm()), CUTOFF)
    assert mismatch(smoothed, 1) < 0.01
    assert any("Turns faster than 30 frames a second" in w for w in smoothed.source.warnings)
    turned = np.abs((smoothed.rotation[1, :, 30] * smoothed.rotation[1, :, 90]).sum())
    captured = thrown(calm()).rotation
    assert abs(turned - np.abs((captured[1, :, 30] * captured[1, :, 90]).sum())) < 0.01


def test_easing_stays_where_it_is_needed() -> None:
    plain, eased = smooth(calm(), CUTOFF), smooth(thrown(calm()), CUTOFF)
    for body in (0, 2):  # other bodies: not one bit
        assert np.array_equal(plain.rotation[body], eased.rotation[body])
        assert np.array_equal(plain.angular_acceleration[body], eased.angular_acceleration[body])
    # The first frames lean on a forecast made from all of 2.5 s; the low-pass reaches some 0.5 s.
    far = slice(12, FLIP - 20)
    change = plain.angular_velocity[1][:, far] - eased.angular_velocity[1][:, far]
    assert np.abs(change).max() < 1e-5
    assert not any("Turns faster" in w for w in plain.source.warnings)
