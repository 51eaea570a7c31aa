"""Another frame rate: values and derivatives of the smooth curve through the frames."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from mocap_reroot.errors import MocapRerootError
from mocap_reroot.numerics.vectors import product
from mocap_reroot.signals.smoothing import smooth
from mocap_reroot.types import LEFT_OUT, Motion

_ROUNDING = 1e-6  # frames: a time so near to a frame is the frame's


@dataclass(frozen=True, eq=False)
class Samples:
    """Where the frames of another rate lie among those that are there.

    Attributes:
        fps: Hz, the new rate.
        start: Number of the first new frame, whose time is ``start / fps``.
        before: ``(G)`` the frame before each new one, counted from the motion's first.
        share: ``(G)`` 0–1, how far the new frame is on the way to the next.
        step: s between the frames that are there.
    """

    fps: float
    start: int
    before: np.ndarray
    share: np.ndarray
    step: float

    @classmethod
    def of(cls, motion: Motion, fps: float) -> Samples:
        """Return the times ``k / fps`` that a motion covers."""
        ratio = motion.fps / fps
        last = motion.start + motion.n_frames - 1
        start = int(np.ceil(motion.start / ratio - _ROUNDING))
        numbers = np.arange(start, int(np.floor(last / ratio + _ROUNDING)) + 1)
        at = numbers * ratio - motion.start
        at = np.where(np.abs(at - np.rint(at)) < _ROUNDING, np.rint(at), at)
        before = np.clip(np.floor(at).astype(int), 0, max(motion.n_frames - 2, 0))
        return cls(float(fps), start, before, np.clip(at - before, 0.0, 1.0), 1 / motion.fps)

    @property
    def after(self) -> np.ndarray:
        """``(G)`` the frame after each new one; itself where it is one of those that are there."""
        return np.where(self.share > 0, self.before + 1, self.before)

    def linear(self, values: np.ndarray) -> np.ndarray:
        """Return ``(…, G)`` of values ``(…, F)``, straight from frame to frame."""
        a, b = values[..., self.before], values[..., self.after]
        return np.asarray(a + self.share * (b - a))

    def curve(
        self, value: np.ndarray, rate: np.ndarray, rate2: np.ndarray
    ) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Return values and two derivatives on the quintic through those of both neighbours."""
        h, s, first, last = self.step, self.share, self.before, self.after
        c0, c1, c2 = value[..., first], h * rate[..., first], h * h * rate2[..., first] / 2
        # What the quadratic from the frame before lacks at the frame after.
        d0 = value[..., last] - (c0 + c1 + c2)
        d1 = h * rate[..., last] - (c1 + 2 * c2)
        d2 = h * h * rate2[..., last] - 2 * c2
        c3 = 10 * d0 - 4 * d1 + d2 / 2
        c4 = -15 * d0 + 7 * d1 - d2
        c5 = 6 * d0 - 3 * d1 + d2 / 2
        there = s > 0  # on a frame nothing is lacking, and none may follow
        c3, c4, c5 = (np.where(there, c, 0.0) for c in (c3, c4, c5))
        return (
            c0 + s * (c1 + s * (c2 + s * (c3 + s * (c4 + s * c5)))),
            (c1 + s * (2 * c2 + s * (3 * c3 + s * (4 * c4 + s * 5 * c5)))) / h,
            (2 * c2 + s * (6 * c3 + s * (12 * c4 + s * 20 * c5))) / (h * h),
        )


def resample(motion: Motion, fps: float) -> Motion:
    """Return a motion at another frame rate, with derivatives where it has them.

    Between two frames it runs on the polynomial that has their places, velocities and accelerations
    (rotations as quaternions, normalised), so frames that both rates share stay as they are.
    Without derivatives those of the captured frames are used to that end.

    Args:
        motion: Captured or re-rooted.
        fps: Hz; new frames lie at times ``k / fps``.

    Raises:
        MocapRerootError: The motion is too short.
    """
    moving = motion if motion.has_derivatives else smooth(motion, None)
    samples = Samples.of(moving, fps)
    if not len(samples.share):
        raise MocapRerootError(
            f"{motion.n_frames} frames at {motion.fps:g} Hz are too short for {fps:g} Hz."
        )
    states = _turns(moving, samples)
    assert moving.linear_velocity is not None and moving.linear_acceleration is not None
    places = samples.curve(moving.displacement, moving.linear_velocity, moving.linear_acceleration)
    before, after = motion.flags[samples.before], motion.flags[samples.after]
    flags = np.where(np.isin(before, list(LEFT_OUT)), before, after)
    plates = motion.plates
    if plates is not None:
        force, moment = samples.linear(plates.force), samples.linear(plates.moment)
        plates = replace(plates, force=force, moment=moment)
    rates: dict[str, np.ndarray] = {}
    if motion.has_derivatives:
        rates = {"angular_velocity": states[1], "angular_acceleration": states[2]}
        rates |= {"linear_velocity": places[1], "linear_acceleration": places[2]}
    made = Motion(
        motion.skeleton, samples.fps, motion.up, states[0], places[0],
        flags=flags, start=samples.start, plates=plates, source=motion.source,
    )  # fmt: skip
    return replace(made, **rates)  # type: ignore[arg-type]


def _turns(motion: Motion, samples: Samples) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return rotations, angular velocities and accelerations of all bodies at new times."""
    assert motion.angular_velocity is not None and motion.angular_acceleration is not None
    n, size = motion.skeleton.n_bodies, len(samples.share)
    rotation, omega, alpha = (np.empty((n, c, size)) for c in (4, 3, 3))
    for i in range(n):
        q, w, dw = motion.rotation[i], motion.angular_velocity[i], motion.angular_acceleration[i]
        flips = np.where((q[:, 1:] * q[:, :-1]).sum(axis=0) < 0, -1.0, 1.0)  # NaN keeps its sign
        q = q * np.concatenate([[1.0], np.cumprod(flips)])
        pure = np.concatenate([np.zeros((1, w.shape[1])), w])
        rate = product(q, pure) / 2
        change = np.concatenate([np.zeros((1, w.shape[1])), dw])
        p, dp, ddp = samples.curve(q, rate, (product(q, change) + product(rate, pure)) / 2)
        back, norm = p * np.array([1.0, -1.0, -1.0, -1.0])[:, None], (p * p).sum(axis=0)
        rotation[i] = p / np.sqrt(norm)
        omega[i] = 2 * product(back, dp)[1:] / norm
        alpha[i] = 2 * product(back, ddp)[1:] / norm - 2 * (p * dp).sum(axis=0) / norm * omega[i]
    return rotation, omega, alpha
