"""Runs of frames in which a condition holds, and frames at which a state changes."""

from __future__ import annotations

import numpy as np


def runs(mask: np.ndarray) -> list[tuple[int, int]]:
    """Return the half-open ranges of frames in which a mask ``(F)`` is true."""
    edges = ((mask[1:] != mask[:-1]).nonzero()[0] + 1).tolist()
    if len(mask) and mask[0]:
        edges.insert(0, 0)
    if len(mask) and mask[-1]:
        edges.append(len(mask))
    return list(zip(edges[::2], edges[1::2], strict=True))


def changes(state: np.ndarray) -> list[int]:
    """Return the edges of the runs in which states ``(k, F)`` stay the same, from 0 to F."""
    frames = state.shape[1]
    if not frames:
        return [0]
    change = (state[:, 1:] != state[:, :-1]).any(axis=0)
    return [0, *(change.nonzero()[0] + 1).tolist(), frames]
