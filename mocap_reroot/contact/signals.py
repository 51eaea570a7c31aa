"""Signals: smooth trajectories of points of the body, in a world where the ground stands still."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from mocap_reroot.contact.limbs import Point
from mocap_reroot.kernels.smoothing import biquad_both_ways
from mocap_reroot.kinematics import World

CUTOFF_HZ = 12.0
"""Light low-pass of the detection's own: the same events from raw and from smoothed motion."""
_TWO_PASSES = 0.802
"""A second-order Butterworth run both ways has its −3 dB point here, in units of its cut-off."""


def smooth(series: np.ndarray, fps: float, cutoff: float = CUTOFF_HZ) -> np.ndarray:
    """Return series ``(…, F)`` low-passed without lag; unchanged where the rate is too low."""
    frames = series.shape[-1]
    corner = cutoff / _TWO_PASSES / (fps / 2)
    if corner >= 0.95 or frames < 4:
        return series
    pad = min(frames - 1, int(np.ceil(2 * fps / cutoff)))
    flat = series.reshape(-1, frames)
    rows = np.zeros((-(-len(flat) // 4) * 4, frames + 2 * pad))  # the kernel takes four at a time
    inner = rows[: len(flat)]
    inner[:, pad : pad + frames] = flat
    if pad:  # both ends continued by odd reflection
        inner[:, :pad] = 2 * flat[:, :1] - flat[:, pad:0:-1]
        inner[:, pad + frames :] = 2 * flat[:, -1:] - flat[:, -2 : -2 - pad : -1]
    biquad_both_ways(rows, *_section(corner))
    return np.ascontiguousarray(inner[:, pad : pad + frames]).reshape(series.shape)


def _section(corner: float) -> tuple[float, float, float, float, float]:
    """Return b0, b1, b2, a1, a2 of a second-order Butterworth; corner in units of half the rate."""
    k = math.tan(0.5 * math.pi * corner)
    norm = 1 / (1 + math.sqrt(2) * k + k * k)
    b0 = k * k * norm
    return b0, 2 * b0, b0, 2 * (k * k - 1) * norm, (1 - math.sqrt(2) * k + k * k) * norm


def differentiate(series: np.ndarray, fps: float) -> np.ndarray:
    """Return the rate of change ``(…, F)`` per second; zero for a single frame."""
    if series.shape[-1] < 2:
        return np.zeros_like(series)
    return np.gradient(series, axis=-1) * fps


def bridged(series: np.ndarray, valid: np.ndarray) -> np.ndarray:
    """Return series ``(…, F)`` with frames that are not valid bridged by straight lines.

    A rest pose in front of the clip or a gap must not ring through the filter.
    """
    if valid.all() or not valid.any():
        return series
    result = series.copy()
    good, bad = np.flatnonzero(valid), np.flatnonzero(~valid)
    flat = result.reshape(-1, result.shape[-1])
    for row in flat:
        row[bad] = np.interp(bad, good, row[good])
    return result


@dataclass(frozen=True, eq=False)
class Paths:
    """Smooth paths of some bodies, of which the path of any point fixed in them follows.

    Smoothing is linear, so a smooth position and a smooth rotation matrix give the smooth path of
    every point of the body without filtering again.

    Attributes:
        rows: Row of each body.
        position: ``(b, 3, F)`` m, of the origins of the bodies' capture frames.
        matrix: ``(b, 3, 3, F)`` body to world.
        fps: Frames a second.
    """

    rows: dict[int, int]
    position: np.ndarray
    matrix: np.ndarray
    fps: float

    def of(self, points: Sequence[Point]) -> np.ndarray:
        """Return ``(P, 3, F)`` m world positions of points fixed in bodies."""
        rows = [self.rows[point.body] for point in points]
        local = np.array([point.local for point in points])
        return np.asarray(self.position[rows] + np.einsum("pijf,pj->pif", self.matrix[rows], local))

    def turned(self, body: int, vector: np.ndarray) -> np.ndarray:
        """Return ``(3, F)`` a vector ``(3)`` of a body's frame in world axes."""
        return np.einsum("ijf,j->if", self.matrix[self.rows[body]], vector)

    def turned_back(self, body: int, vector: np.ndarray) -> np.ndarray:
        """Return ``(3, F)`` a world vector ``(3)`` in a body's axes."""
        return np.einsum("jif,j->if", self.matrix[self.rows[body]], vector)

    def moved(self, shift: np.ndarray) -> Paths:
        """Return the paths moved by ``(3, F)`` m."""
        return replace(self, position=self.position + shift)


def paths(world: World, bodies: Sequence[int], valid: np.ndarray) -> Paths:
    """Return smooth paths of bodies of a captured tree; frames that are not valid are bridged."""
    bodies = list(dict.fromkeys(bodies))
    q = world.orientation[bodies]
    rows = np.concatenate([world.position[bodies], matrices(q)], axis=1)  # (b, 12, F)
    rows = smooth(bridged(rows, valid), world.motion.fps)
    matrix = rows[:, 3:].reshape(len(bodies), 3, 3, -1)
    return Paths({b: k for k, b in enumerate(bodies)}, rows[:, :3], matrix, world.motion.fps)


def matrices(q: np.ndarray) -> np.ndarray:
    """Return ``(b, 9, F)`` rotation matrices, row by row, of quaternions ``(b, 4, F)``."""
    w, x, y, z = q[:, 0], q[:, 1], q[:, 2], q[:, 3]
    rows = (
        1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y),
        2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x),
        2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y),
    )  # fmt: skip
    return np.stack(rows, axis=1)


def horizontal(vectors: np.ndarray, up: np.ndarray) -> np.ndarray:
    """Return vectors ``(…, 3, F)`` without their vertical component."""
    return np.asarray(vectors - up[:, None] * height(vectors, up)[..., None, :])


def height(vectors: np.ndarray, up: np.ndarray) -> np.ndarray:
    """Return ``(…, F)`` components of vectors ``(…, 3, F)`` along up."""
    return np.einsum("...cf,c->...f", vectors, up)


def length(vectors: np.ndarray) -> np.ndarray:
    """Return ``(…, F)`` lengths of vectors ``(…, 3, F)``."""
    return np.sqrt(np.einsum("...cf,...cf->...f", vectors, vectors))


def median(values: np.ndarray) -> np.ndarray:
    """Return medians over the last axis, not empty: numpy's own takes ten times as long for few."""
    ordered = np.sort(values, axis=-1)
    half = ordered.shape[-1] // 2
    if ordered.shape[-1] % 2:
        return np.asarray(ordered[..., half])
    return np.asarray(0.5 * (ordered[..., half - 1] + ordered[..., half]))


def runs(mask: np.ndarray) -> list[tuple[int, int]]:
    """Return the half-open ranges of frames in which a mask is true."""
    edges = np.flatnonzero(np.diff(np.concatenate([[0], mask.astype(np.int8), [0]])))
    return [(int(a), int(b)) for a, b in zip(edges[::2], edges[1::2], strict=True)]
