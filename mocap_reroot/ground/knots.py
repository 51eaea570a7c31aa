"""Cubic splines on evenly spaced knots: the unknowns of the ground problem over time."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

VALUE = np.array([1.0, 4.0, 1.0]) / 6
"""A cubic B-spline at a knot, from the coefficients before, at and after it."""
SLOPE = np.array([-1.0, 0.0, 1.0]) / 2
"""Its derivative × spacing."""
BEND = np.array([1.0, -2.0, 1.0])
"""Its second derivative × spacing²; linear between knots."""


@dataclass(frozen=True, eq=False)
class Knots:
    """Evenly spaced knots over a run of frames; a spline has a coefficient more at either end.

    Attributes:
        frames: Frames of the run.
        fps: Hz.
        step: Frames between knots. Between frames nothing is known: knots are never closer, or
            forces would sway unseen between them (walks at 30 Hz: 13.0 instead of 4.5 % of weight).
        count: Number of knots: from the first frame to the last one or a little beyond.
    """

    frames: int
    fps: float
    step: int
    count: int

    @staticmethod
    def over(frames: int, fps: float, spacing: float) -> Knots:
        """Return knots about so far apart (s), on frames."""
        step = max(1, round(spacing * fps))
        return Knots(frames, fps, step, int(np.ceil((frames - 1) / step - 1e-9)) + 1)

    @property
    def spacing(self) -> float:
        """Return s between knots."""
        return self.step / self.fps

    @property
    def density(self) -> np.ndarray:
        """Return ``(K)`` √(100 Hz × time that a knot stands for), half a spacing at the ends."""
        share = np.full(self.count, 100 * self.spacing)
        share[[0, -1]] *= 0.5
        return np.sqrt(share)

    def cut(self, begin: int, end: int) -> tuple[Knots, slice]:
        """Return some of the knots, and their frames."""
        if end == self.count:
            frames = slice(begin * self.step, self.frames)
        else:
            frames = slice(begin * self.step, (end - 1) * self.step + 1)
        return Knots(frames.stop - frames.start, self.fps, self.step, end - begin), frames

    def at(self, values: np.ndarray) -> np.ndarray:
        """Return values ``(…, F)`` at the knots ``(…, K)``; beyond the last frame they stay."""
        where = np.minimum(np.arange(self.count) * self.step, self.frames - 1)
        return np.ascontiguousarray(values[..., where])

    def linear(self, values: np.ndarray) -> np.ndarray:
        """Return values at knots ``(…, K)``, linear between them, at the frames ``(…, F)``."""
        if self.count == 1:
            return np.repeat(values, self.frames, axis=-1)
        place = np.arange(self.frames) / self.step
        left = np.minimum(place.astype(int), self.count - 2)
        share = place - left
        return values[..., left] * (1 - share) + values[..., left + 1] * share

    def spline(self, coefficients: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Return a spline ``(…, K + 2)`` and its two derivatives by time at the frames."""
        place = np.arange(self.frames) / self.step
        left = np.minimum(place.astype(int), max(self.count - 2, 0))
        u, h = place - left, self.spacing
        c = [coefficients[..., left + k] for k in range(3)]
        c.append(coefficients[..., np.minimum(left + 3, self.count + 1)])
        v = 1 - u
        value = (v**3, 3 * u**3 - 6 * u**2 + 4, 3 * v**3 - 6 * v**2 + 4, u**3)
        slope = (-(v**2), 3 * u**2 - 4 * u, -3 * v**2 + 4 * v, u**2)
        bend = (v, 3 * u - 2, 3 * v - 2, u)
        mix = [sum(w * x for w, x in zip(ws, c, strict=True)) for ws in (value, slope, bend)]
        return mix[0] / 6, mix[1] / (2 * h), mix[2] / h**2

    def through(self, values: np.ndarray, slopes: np.ndarray) -> np.ndarray:
        """Return coefficients ``(…, K + 2)`` of the spline through values ``(…, K)`` at the knots.

        ``slopes (…, 2)`` are its derivatives by time at the first and the last of them.
        """
        from scipy.linalg import solve_banded

        reach = 2 * self.spacing * slopes
        # the coefficient beyond an end is the one before it, but for the slope
        band = np.repeat(VALUE[:, None], self.count, axis=1)
        band[0, 1], band[2, -2] = 2 * VALUE[0], 2 * VALUE[2]
        wanted = np.array(values)
        wanted[..., 0] += VALUE[0] * reach[..., 0]
        wanted[..., -1] -= VALUE[2] * reach[..., 1]
        rows = wanted.reshape(-1, self.count).T
        inner = solve_banded((1, 1), band, rows).T.reshape(values.shape)
        result = np.pad(inner, [(0, 0)] * (values.ndim - 1) + [(1, 1)], mode="reflect")
        result[..., 0] -= reach[..., 0]
        result[..., -1] += reach[..., 1]
        return result

    def quintic(self, coefficients: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Return a curve with the second derivatives of a cubic spline at the knots, smoother.

        The coefficients ``d`` of a quintic spline with ``(d₋ + 4 d + d₊) / 6 = c`` have the second
        differences that make its second derivative, a cubic spline, pass through those of ``c``:
        between knots it bends instead of having kinks. Ends continue as parabolas.

        Args:
            coefficients: ``(…, K + 2)`` of the cubic spline.

        Returns:
            ``(…, F)`` the curve and its two derivatives by time.
        """
        from scipy.linalg import solve_banded

        rows = coefficients.reshape(-1, coefficients.shape[-1]).T
        band = np.repeat(np.array([[1.0], [4.0], [1.0]]) / 6, len(rows), axis=1)
        # d beyond the ends follows from three inside: d₋ = 3 d₀ − 3 d₁ + d₂
        inner = solve_banded((2, 2), _with_parabolas(band), rows)
        first = 3 * inner[0] - 3 * inner[1] + inner[2]
        last = 3 * inner[-1] - 3 * inner[-2] + inner[-3]
        d = np.concatenate([first[None], inner, last[None], last[None]])
        place = np.arange(self.frames) / self.step
        left = np.minimum(place.astype(int), max(self.count - 2, 0))
        u, h = place - left, self.spacing
        near = [d[np.minimum(left + k, self.count + 3)].T for k in range(6)]
        shape = (*coefficients.shape[:-1], self.frames)
        found = [
            sum(w * x for w, x in zip(_quintic(u, order), near, strict=True)) / h**order
            for order in range(3)
        ]
        return found[0].reshape(shape), found[1].reshape(shape), found[2].reshape(shape)

    def gathered(self, values: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
        """Gather what frames tell about the knots beside them.

        Args:
            values: ``(…, F)``.

        Returns:
            ``(…, K)`` their means, weighted by nearness; ``(K)`` the sum of the weights, frames;
            ``(K)`` first and second moment of the time at which they were taken, s, s².
        """
        place = np.arange(self.frames) / self.step
        left = np.minimum(place.astype(int), self.count - 1)
        u = place - left
        right = np.minimum(left + 1, self.count - 1)

        def summed(x: np.ndarray, y: np.ndarray) -> np.ndarray:
            return np.bincount(left, x, self.count) + np.bincount(right, y, self.count)

        weight, h = summed(1 - u, u), self.spacing
        safe = np.maximum(weight, 1e-12)
        first = summed((1 - u) * u, u * (u - 1)) * h / safe
        second = summed((1 - u) * u**2, u * (u - 1) ** 2) * h**2 / safe
        flat = values.reshape(-1, self.frames)
        mean = np.array([summed((1 - u) * row, u * row) for row in flat]) / safe
        return mean.reshape(*values.shape[:-1], self.count), weight, first, second


def _with_parabolas(band: np.ndarray) -> np.ndarray:
    """Return three diagonals as five, for ends that continue as parabolas."""
    five = np.zeros((5, band.shape[1]))
    five[1:4] = band
    # row 0: d₋/6 + 4 d₀/6 + d₁/6 with d₋ = 3 d₀ − 3 d₁ + d₂, and likewise at the other end
    five[2, 0], five[1, 1], five[0, 2] = 7 / 6, -2 / 6, 1 / 6
    five[2, -1], five[3, -2], five[4, -3] = 7 / 6, -2 / 6, 1 / 6
    return five


def _quintic(u: np.ndarray, order: int) -> list[np.ndarray]:
    """Return the six quintic B-splines of an interval, or a derivative by ``u`` in 0 … 1."""
    found = []
    for k in range(6):
        x = u + (5 - k) - 3  # from the spline's centre, in spacings
        found.append(_BASIS[order](np.abs(x)) * np.where(x < 0, (-1.0) ** order, 1.0))
    return found


def _powers(x: np.ndarray, power: int, scale: float) -> np.ndarray:
    """Return the truncated powers of which a quintic B-spline is made."""
    return scale * sum(
        weight * np.maximum(reach - x, 0.0) ** power
        for reach, weight in ((3, 1.0), (2, -6.0), (1, 15.0))
    )


_BASIS = (
    lambda x: _powers(x, 5, 1 / 120),
    lambda x: _powers(x, 4, -1 / 24),
    lambda x: _powers(x, 3, 1 / 6),
)
"""A quintic B-spline and its derivatives at a distance from its centre."""
