"""Root invariance: the certificate that torques do not depend on where the tree was rooted."""

from __future__ import annotations

import numpy as np


def largest_difference(torque: np.ndarray, other: np.ndarray, frames: np.ndarray) -> float:
    """Return the largest difference of two computations of the torques, N·m.

    Args:
        torque, other: ``(n, 3, F)``; the capture root is NaN in both.
        frames: ``(F)`` which frames to compare.

    Returns:
        NaN where nothing could be compared.
    """
    difference = np.abs(torque[..., frames] - other[..., frames])
    return float(np.nanmax(difference)) if np.isfinite(difference).any() else float("nan")
