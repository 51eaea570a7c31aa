"""Composite rigid bodies: the inertia matrix of a tree in joint coordinates."""

from __future__ import annotations

import numpy as np

from mocap_reroot.mechanics.coordinates import Coordinates
from mocap_reroot.types import BodyModel, Skeleton


def mass_matrix(skeleton: Skeleton, body: BodyModel, q: np.ndarray) -> np.ndarray:
    """Return ``(speeds, speeds)`` the inertia matrix ``M`` in ``M q̈ + bias = τ``.

    Args:
        skeleton: Any tree, captured or re-rooted.
        body: Its mass model.
        q: Coordinates, body after body (see :class:`.coordinates.Coordinates`).
    """
    from mocap_reroot.kernels import crba

    layout = Coordinates(skeleton)
    matrix = np.empty((layout.n_speeds, layout.n_speeds))
    crba.mass_matrix(layout.tree, layout.bodies(body), np.array(q, float), matrix)
    return matrix
