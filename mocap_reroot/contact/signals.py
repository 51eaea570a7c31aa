"""Signals: smooth trajectories of points of the body, in a world where the ground stands still."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from scipy.signal import butter, sosfiltfilt

from mocap_reroot.contact.limbs import Point
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
    sos = butter(2, corner, output="sos")
    pad = min(frames - 1, int(np.ceil(2 * fps / cutoff)))
    return np.asarray(sosfiltfilt(sos, series, axis=-1, padtype="odd", padlen=pad))


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


def turned(quaternion: np.ndarray, vector: np.ndarray) -> np.ndarray:
    """Return ``(3, F)`` a vector ``(3)`` of the body's frame in world axes, q ``(4, F)``."""
    w, u = quaternion[0], quaternion[1:]
    v = np.broadcast_to(np.asarray(vector, float)[:, None], u.shape)
    t = 2 * np.cross(u, v, axis=0)
    return np.asarray(v + w * t + np.cross(u, t, axis=0))


def turned_back(quaternion: np.ndarray, vector: np.ndarray) -> np.ndarray:
    """Return ``(3, F)`` a world vector ``(3)`` in the body's axes, q ``(4, F)``."""
    conjugate = quaternion * np.array([1.0, -1, -1, -1])[:, None]
    return turned(conjugate, vector)


def tracks(world: World, points: Sequence[Point]) -> np.ndarray:
    """Return ``(P, 3, F)`` m world positions of points fixed in bodies."""
    origin = world.motion.skeleton.origin
    return np.stack(
        [
            world.position[p.body] + turned(world.orientation[p.body], p.local - origin[p.body])
            for p in points
        ]
    )


def horizontal(vectors: np.ndarray, up: np.ndarray) -> np.ndarray:
    """Return vectors ``(…, 3, F)`` without their vertical component."""
    return np.asarray(vectors - up[:, None] * height(vectors, up)[..., None, :])


def height(vectors: np.ndarray, up: np.ndarray) -> np.ndarray:
    """Return ``(…, F)`` components of vectors ``(…, 3, F)`` along up."""
    return np.einsum("...cf,c->...f", vectors, up)


def length(vectors: np.ndarray) -> np.ndarray:
    """Return ``(…, F)`` lengths of vectors ``(…, 3, F)``."""
    return np.sqrt(np.einsum("...cf,...cf->...f", vectors, vectors))


def runs(mask: np.ndarray) -> list[tuple[int, int]]:
    """Return the half-open ranges of frames in which a mask is true."""
    edges = np.flatnonzero(np.diff(np.concatenate([[0], mask.astype(np.int8), [0]])))
    return [(int(a), int(b)) for a, b in zip(edges[::2], edges[1::2], strict=True)]
