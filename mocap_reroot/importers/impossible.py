"""Coordinates that no laboratory is large enough for: a broken file's, not a marker's."""

from __future__ import annotations

import numpy as np

FARTHEST = 1e7
"""File units from the origin: 10 km if they are millimetres."""


def drop_impossible(position: np.ndarray) -> list[str]:
    """Mark impossible points as missing, in place.

    Args:
        position: ``(m, 3, F)`` file units, NaN where missing.

    Returns:
        list: A sentence if there were any.
    """
    with np.errstate(invalid="ignore"):
        bad = (np.abs(position) > FARTHEST).any(axis=1)
    if not bad.any():
        return []
    position.transpose(0, 2, 1)[bad] = np.nan
    markers, frames = bad.any(axis=1).sum(), bad.any(axis=0).sum()
    return [
        f"Coordinates beyond {FARTHEST:g} units were taken as missing: {bad.sum()} points of "
        f"{markers} markers in {frames} frames."
    ]
