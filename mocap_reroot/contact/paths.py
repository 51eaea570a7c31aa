"""Smoothed trajectories of bodies, and of points fixed in them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import accumulate, pairwise

import numpy as np

from mocap_reroot.contact.limbs import Point
from mocap_reroot.kernels.paths import track


@dataclass(frozen=True, eq=False)
class Track:
    """What points do.

    Attributes:
        position, velocity: ``(P, 3, F)`` m, m/s; no rows where they were not asked for.
        height: ``(P, F)`` m along the direction that was asked for.
        speed: ``(P, F)`` m/s.
    """

    position: np.ndarray
    velocity: np.ndarray
    height: np.ndarray
    speed: np.ndarray

    def rows(self, start: int, stop: int) -> Track:
        """Return some of the points."""
        part = slice(start, stop)
        return Track(self.position[part], self.velocity[part], self.height[part], self.speed[part])

    def split(self, counts: Sequence[int]) -> list[Track]:
        """Return the points in groups, in order."""
        edges = [0, *accumulate(counts)]
        return [self.rows(a, b) for a, b in pairwise(edges)]


@dataclass(frozen=True, eq=False)
class Paths:
    """Smooth paths of some bodies, of which the path of any point fixed in them follows.

    Smoothing is linear, so a smooth position and a smooth rotation matrix give the smooth path of
    every point of the body without filtering again.

    Attributes:
        bodies: Which bodies.
        rows: ``(≥ 12 b, pad + F + pad)`` for each three rows of position, m, and nine of its
            matrix, body to world, row by row.
        pad: Columns before the first frame and after the last.
        fps: Frames a second.
    """

    bodies: tuple[int, ...]
    rows: np.ndarray
    pad: int
    fps: float

    @property
    def n_frames(self) -> int:
        """Number of frames."""
        return int(self.rows.shape[1]) - 2 * self.pad

    def of(
        self,
        points: Sequence[Point],
        up: np.ndarray,
        *,
        positions: bool = True,
        velocities: bool = True,
    ) -> Track:
        """Return what points fixed in bodies do.

        Args:
            points: The points.
            up: ``(3)`` direction of heights.
            positions, velocities: Whether they are wanted as well: of a long clip they take most
                of the memory.
        """
        row = {body: k for k, body in enumerate(self.bodies)}
        bearer = np.array([row[point.body] for point in points], np.int64)
        local = np.array([point.local for point in points]).reshape(-1, 3)
        count, frames = len(points), self.n_frames
        position, velocity = (
            np.empty((count if wanted else 1, 3, frames)) for wanted in (positions, velocities)
        )
        height, speed = np.empty((2, count, frames))
        track(
            self.rows, self.pad, bearer, local, np.array(up), self.fps,
            position, velocity, height, speed,
        )  # fmt: skip
        nothing = np.empty((0, 3, frames))
        return Track(
            position if positions else nothing, velocity if velocities else nothing, height, speed
        )

    def turned(self, body: int, vector: np.ndarray, frames: np.ndarray) -> np.ndarray:
        """Return ``(3)`` the mean of a vector ``(3)`` of a body's frame, in world axes."""
        return np.asarray(self._matrix(body, frames).sum(axis=2) @ vector / len(frames))

    def turned_back(self, body: int, vector: np.ndarray, frames: np.ndarray) -> np.ndarray:
        """Return ``(3, k)`` a world vector ``(3)`` in a body's axes, in some frames."""
        matrix = self._matrix(body, frames)
        return matrix[0] * vector[0] + matrix[1] * vector[1] + matrix[2] * vector[2]

    def _matrix(self, body: int, frames: np.ndarray) -> np.ndarray:
        """Return ``(3, 3, k)`` body to world, in the frames of which the numbers are given."""
        first = 12 * self.bodies.index(body) + 3
        return self.rows[first : first + 9].take(self.pad + frames, axis=1).reshape(3, 3, -1)

    def move(self, shift: np.ndarray) -> None:
        """Move the bodies by ``(3, F)`` m."""
        for k in range(len(self.bodies)):
            self.rows[12 * k : 12 * k + 3, self.pad : self.pad + self.n_frames] += shift
