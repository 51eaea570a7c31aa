"""World axes: the same motion in a world that is turned, so that another axis points up."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from mocap_reroot.numerics.vectors import matrices, product
from mocap_reroot.types import Motion


def turn_between(start: np.ndarray, end: np.ndarray) -> np.ndarray:
    """Return ``(4)`` the smallest rotation that turns one unit vector ``(3)`` into another."""
    q = np.array([1 + start @ end, *np.cross(start, end)])
    if q[0] < 1e-12:  # opposite: half a turn about any axis across
        q = np.array([0.0, *np.cross(start, np.eye(3)[int(np.argmin(np.abs(start)))])])
    return q / np.linalg.norm(q)


def with_up(motion: Motion, axis: str | None) -> tuple[Motion, np.ndarray]:
    """Return a motion in a world whose ``axis`` points up, and the ``(3, 3)`` matrix that turns it.

    Args:
        motion: Captured or re-rooted.
        axis: ``"x"``, ``"y"`` or ``"z"``; None leaves the file's axes.
    """
    if axis is None:
        return motion, np.eye(3)
    up = np.eye(3)["xyz".index(axis)]
    q = turn_between(motion.up, up)
    matrix = matrices(q)
    skeleton, root = motion.skeleton, motion.skeleton.root
    slot = skeleton.slot[root]
    offset, rest = skeleton.offset.copy(), skeleton.rest.copy()
    offset[root] = matrix @ offset[root]
    rest[root] = product(q, rest[root])
    rotation = motion.rotation.copy()
    rotation[root] = product(q[:, None], rotation[root])
    sliding = {}
    for name in ("displacement", "linear_velocity", "linear_acceleration"):
        if (values := getattr(motion, name)) is not None:
            sliding[name] = values.copy()
            if slot >= 0:
                sliding[name][slot] = matrix @ values[slot]
    plates = motion.plates
    if plates is not None:
        plates = replace(
            plates,
            corners=plates.corners @ matrix.T,
            force=np.einsum("ij,pjf->pif", matrix, plates.force),
            moment=np.einsum("ij,pjf->pif", matrix, plates.moment),
        )
    moved = replace(skeleton, offset=offset, rest=rest)
    turned = replace(motion, skeleton=moved, up=up, rotation=rotation, plates=plates, **sliding)
    return turned, matrix
