"""Motions whose angular velocities and accelerations are known exactly: sums of sinusoids."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from scipy import signal

from mocap_reroot.signals.smoothing import smooth
from mocap_reroot.types import Motion, Skeleton
from tests.random_trees import random_skeleton, random_unit

UP = np.array([0.0, 1.0, 0.0])


@dataclass(frozen=True)
class Truth:
    """A motion with the derivatives of its formula in place of computed ones.

    Attributes:
        motion: With exact derivatives.
        captured: The same without derivatives, as an importer would give it.
    """

    motion: Motion

    @property
    def captured(self) -> Motion:
        return replace(
            self.motion,
            angular_velocity=None,
            angular_acceleration=None,
            linear_velocity=None,
            linear_acceleration=None,
        )

    @property
    def arrays(self) -> tuple[np.ndarray, ...]:
        """Angular velocity and acceleration, displacement's velocity and acceleration."""
        m = self.motion
        rates = (m.angular_velocity, m.angular_acceleration)
        slides = (m.linear_velocity, m.linear_acceleration)
        assert all(array is not None for array in (*rates, *slides))
        return (*rates, *slides)  # type: ignore[return-value]


def multiply(p: np.ndarray, q: np.ndarray) -> np.ndarray:
    """Return quaternion products ``(n, 4, F)``."""
    pw, px, py, pz = np.moveaxis(p, 1, 0)
    qw, qx, qy, qz = np.moveaxis(q, 1, 0)
    rows = [
        pw * qw - px * qx - py * qy - pz * qz,
        pw * qx + px * qw + py * qz - pz * qy,
        pw * qy - px * qz + py * qw + pz * qx,
        pw * qz + px * qy - py * qx + pz * qw,
    ]
    return np.stack(rows, axis=1)


def waves(
    rng: np.random.Generator,
    shape: tuple[int, ...],
    time: np.ndarray,
    hertz: list,
    amplitude: float,
) -> list[np.ndarray]:
    """Return sums of sinusoids of random phase, ``(*shape, F)``, with two derivatives."""
    total = [np.zeros((*shape, len(time))) for _ in range(3)]
    for f in hertz:
        w = 2 * np.pi * f
        phase = rng.uniform(0, 2 * np.pi, (*shape, 1))
        size = amplitude * rng.uniform(0.5, 1.0, (*shape, 1))
        total[0] += size * np.sin(w * time + phase)
        total[1] += size * w * np.cos(w * time + phase)
        total[2] -= size * w * w * np.sin(w * time + phase)
    return total


def wavy_motion(
    rng: np.random.Generator,
    *,
    n: int = 12,
    frames: int = 1000,
    fps: float = 100.0,
    hertz: list,
    degrees: float = 20.0,
    axes: int = 3,
) -> Truth:
    """Return a branching tree whose joints turn about one or three axes in sums of sinusoids.

    With three axes ``q = q1 q2 q3``, each about a random fixed axis; derivatives by the product
    rule, ``ω = 2 vec(q̄ q̇)``, ``α = 2 vec(q̄ q̈)``.
    """
    skeleton = random_skeleton(rng, n, rest=False)
    time = np.arange(frames) / fps
    q, dq, ddq = np.zeros((n, 4, frames)), np.zeros((n, 4, frames)), np.zeros((n, 4, frames))
    q[:, 0] = 1.0
    for _ in range(axes):
        axis = random_unit(rng, n, 3)[:, :, None]
        a, da, dda = waves(rng, (n, 1), time, hertz, np.radians(degrees) / axes)
        c, s = np.cos(a / 2), np.sin(a / 2)
        turn = np.concatenate([c, s * axis], axis=1)
        ahead = np.concatenate([-s, c * axis], axis=1) / 2
        d = ahead * da
        dd = ahead * dda - turn * (da / 2) ** 2
        ddq = multiply(ddq, turn) + 2 * multiply(dq, d) + multiply(q, dd)
        dq = multiply(dq, turn) + multiply(q, d)
        q = multiply(q, turn)
    conjugate = q * np.array([1, -1, -1, -1])[:, None]
    k = len(skeleton.translating)
    slide = waves(rng, (k, 3), time, hertz, 0.3)
    motion = Motion(
        skeleton,
        fps,
        UP,
        q,
        slide[0],
        2 * multiply(conjugate, dq)[:, 1:],
        2 * multiply(conjugate, ddq)[:, 1:],
        slide[1],
        slide[2],
    )
    return Truth(motion)


def with_noise(rng: np.random.Generator, motion: Motion, degrees: float) -> Motion:
    """Return a motion whose orientations jitter by so many degrees RMS about every axis."""
    small = np.radians(degrees) * rng.standard_normal((len(motion.rotation), 3, motion.n_frames))
    jitter = np.concatenate([np.ones_like(small[:, :1]), small / 2], axis=1)
    jitter /= np.linalg.norm(jitter, axis=1, keepdims=True)
    return replace(motion, rotation=multiply(np.asarray(motion.rotation), jitter))


def plain_butterworth(motion: Motion, cutoff: float, corrected: bool) -> np.ndarray:
    """Return angular accelerations ``(n, 3, F)`` as a plain script would compute them.

    Second-order Butterworth by ``scipy.signal.sosfiltfilt`` on the quaternions, normalised;
    angular velocity from central differences, angular acceleration from central differences of
    those.
    """
    each = cutoff / (np.sqrt(2) - 1) ** 0.25 if corrected else cutoff
    q = signal.sosfiltfilt(signal.butter(2, each, fs=motion.fps, output="sos"), motion.rotation)
    q /= np.linalg.norm(q, axis=1, keepdims=True)
    conjugate = q * np.array([1, -1, -1, -1])[:, None]
    omega = 2 * multiply(conjugate, np.gradient(q, 1 / motion.fps, axis=-1))[:, 1:]
    return np.gradient(omega, 1 / motion.fps, axis=-1)


def error(found: np.ndarray, truth: np.ndarray, inner: int = 0) -> float:
    """Return the RMS error relative to the RMS of the truth, without ``inner`` frames per end."""
    frames = slice(inner, found.shape[-1] - inner)
    difference = found[..., frames] - truth[..., frames]
    return float(np.sqrt(np.mean(difference**2) / np.mean(truth[..., frames] ** 2)))


def cut_out_errors(cutoff: float, method: str, fps: float = 100.0) -> tuple[float, ...]:
    """Return how far accelerations near the ends of a cut-out are from those of the uncut walk.

    RMS over cut-outs of 2.5 s from a periodic motion with four harmonics and a drift, relative to
    the RMS of the acceleration; at the first and last, the 5th and the 15th frame from an end.
    ``"butterworth, odd reflection"`` is ``sosfiltfilt`` with the same filter.
    """
    rng = np.random.default_rng(7)
    time = np.arange(round(15 * fps)) / fps
    walk = 1.3 * time + sum(
        size * np.sin(2 * np.pi * 0.95 * k * time + rng.uniform(0, 6, (3, 1)))
        for k, size in ((1, 0.3), (2, 0.15), (3, 0.03), (4, 0.01))
    )

    def acceleration(rows: np.ndarray) -> np.ndarray:
        if method in ("butterworth", "spline"):
            return smooth(sliding(rows, fps), cutoff, method).linear_acceleration[0]
        warped = np.tan(np.pi * cutoff / fps) / (np.sqrt(2) - 1) ** 0.25
        each = np.arctan(warped) * fps / np.pi
        section = signal.butter(2, each, fs=fps, output="sos")
        smoothed = signal.sosfiltfilt(section, rows, padlen=min(100, rows.shape[-1] - 1))
        return np.gradient(np.gradient(smoothed, 1 / fps, axis=1), 1 / fps, axis=1)

    whole = acceleration(walk)
    length = round(2.5 * fps)
    places = np.array([[0, -1], [4, -5], [14, -15]])
    misses = []
    for start in range(2 * round(fps), len(time) - length - 2 * round(fps), 37):
        cut = acceleration(walk[:, start : start + length])
        misses.append((cut - whole[:, start : start + length])[:, places])
    size = np.sqrt(np.mean(whole[:, 200:-200] ** 2))
    return tuple(np.sqrt(np.mean(np.square(misses), axis=(0, 1, 3))) / size)


def sliding(rows: np.ndarray, fps: float) -> Motion:
    """Return one free body whose displacement is ``(3, F)``."""
    rotation = np.zeros((1, 4, rows.shape[-1]))
    rotation[:, 0] = 1.0
    skeleton = Skeleton(("body",), np.array([-1]), np.zeros((1, 3)))
    return Motion(skeleton, fps, UP, rotation, rows[None])
