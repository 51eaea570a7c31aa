"""Vector algebra over frames: points are ``(3, F)``, rotations ``(F, 3, 3)`` body to world."""

from __future__ import annotations

import numpy as np
from scipy.spatial.transform import Rotation, Slerp


def unit(v: np.ndarray) -> np.ndarray:
    """Return unit vectors along ``(3, F)`` vectors; NaN where they vanish."""
    length = np.linalg.norm(v, axis=0)
    return v / np.where(length > 1e-12, length, np.nan)


def cross(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """Return ``a × b`` over frames."""
    return np.cross(a, b, axis=0)


def axes_along(y: np.ndarray, z_hint: np.ndarray) -> np.ndarray:
    """Return ``(F, 3, 3)`` axes with y exact and z as near to the hint as it can be."""
    y = unit(y)
    x = unit(cross(y, z_hint))
    return np.stack([x, y, cross(x, y)], axis=0).transpose(2, 1, 0)


def axes_sideways(z: np.ndarray, x_hint: np.ndarray) -> np.ndarray:
    """Return ``(F, 3, 3)`` axes with z exact and x as near to the hint as it can be."""
    z = unit(z)
    y = unit(cross(z, x_hint))
    return np.stack([cross(y, z), y, z], axis=0).transpose(2, 1, 0)


def to_world(R: np.ndarray, local: np.ndarray) -> np.ndarray:
    """Return ``(3, F)`` world vectors of a constant ``(3)`` or moving ``(3, F)`` local one."""
    if local.ndim == 1:
        return (R @ local).T
    return np.einsum("fij,jf->if", R, local)


def to_local(R: np.ndarray, world: np.ndarray) -> np.ndarray:
    """Return ``(3, F)`` components of ``(3, F)`` world vectors along the axes."""
    return np.einsum("fji,jf->if", R, world)


def median_point(points: np.ndarray) -> np.ndarray:
    """Return the ``(3)`` median over frames, missing ones left out."""
    return np.nanmedian(points, axis=1)


def quaternions(R: np.ndarray) -> np.ndarray:
    """Return ``(4, F)`` sign-continuous ``w, x, y, z`` of ``(F, 3, 3)`` rotations."""
    q = Rotation.from_matrix(R).as_quat(scalar_first=True).T
    flips = np.where((q[:, 1:] * q[:, :-1]).sum(axis=0) < 0, -1.0, 1.0)
    q[:, 1:] *= np.cumprod(flips)
    return q


def bridged(R: np.ndarray, good: np.ndarray) -> np.ndarray:
    """Return rotations with the frames that are not good bridged along the shortest way.

    Before the first and after the last good frame the nearest one is held.
    """
    if good.all():
        return R
    known = np.flatnonzero(good)
    if len(known) == 1:
        return np.repeat(R[known], len(R), axis=0)
    frames = np.clip(np.arange(len(R)), known[0], known[-1])
    result = Slerp(known, Rotation.from_matrix(R[known]))(frames).as_matrix()
    result[known] = R[known]
    return result


def bridged_points(p: np.ndarray, good: np.ndarray) -> np.ndarray:
    """Return ``(3, F)`` points with the frames that are not good bridged by straight lines."""
    if good.all():
        return p
    known, frames = np.flatnonzero(good), np.arange(p.shape[1])
    return np.stack([np.interp(frames, known, row[known]) for row in p])


def mean_rotation(R: np.ndarray) -> np.ndarray:
    """Return the ``(3, 3)`` rotation nearest to all of ``(F, 3, 3)``."""
    return Rotation.from_matrix(R).mean().as_matrix()


def level(R: np.ndarray, up: np.ndarray) -> np.ndarray:
    """Return the constant ``(3, 3)`` turn after which y is up in ``(F, 3, 3)`` neutral poses.

    The forward axis keeps its heading. Multiply from the right: ``R @ turn``.
    """
    y = np.nanmedian(up @ R, axis=0)  # up in body axes, frame by frame: Rᵀ up
    y = y / np.linalg.norm(y)
    x = np.array([1.0, 0, 0]) - y[0] * y
    if not np.isfinite(y).all() or np.linalg.norm(x) < 0.5:  # points up or down: nothing to level
        return np.eye(3)
    x = x / np.linalg.norm(x)
    return np.stack([x, y, np.cross(x, y)], axis=1)
