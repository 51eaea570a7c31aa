"""Quaternions to a hierarchy with channels, for files that do not write BVH's angles."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence

import numpy as np

from mocap_reroot.kernels.euler import quaternion_to_euler
from mocap_reroot.types import Hierarchy, read_only

_POSITION = ("Xposition", "Yposition", "Zposition")
_ROTATION = ("Zrotation", "Yrotation", "Xrotation")
_AXES = (2, 1, 0)


def hierarchy_of_rotations(
    names: Sequence[str],
    parents: Sequence[int],
    offset: np.ndarray,
    rotation: np.ndarray,
    position: Mapping[int, np.ndarray],
    *,
    fixed: Collection[int] = (),
    sites: Sequence[tuple[int, np.ndarray]] = (),
) -> Hierarchy:
    """Return a hierarchy whose channels are the angles of given rotations.

    Args:
        names, parents: Unique names, parents before their children, −1 at the root.
        offset: ``(n, 3)`` where each body's joint is in its parent's axes.
        rotation: ``(n, 4, F)`` unit quaternions, child to parent; NaN where unknown.
        position: ``(3, F)`` of the bodies that move against their parent, the root among them.
        fixed: Bodies whose joint does not turn.
        sites: The ends of bones: body, and ``(3)`` where.
    """
    n, frames = len(names), rotation.shape[2]
    angles = np.empty((n, 3, frames))
    axes = read_only(np.tile(_AXES, (n, 1)), np.int64)
    quaternion_to_euler(read_only(rotation), axes, angles)
    channels = tuple(
        (_POSITION if body in position else ()) + (() if body in fixed else _ROTATION)
        for body in range(n)
    )
    values, row = np.empty((sum(map(len, channels)), frames)), 0
    for body in range(n):
        for part in ([position[body]] if body in position else []) + (
            [] if body in fixed else [angles[body]]
        ):
            values[row : row + 3] = part
            row += 3
    return Hierarchy(
        names=tuple(names),
        parents=read_only(parents, np.int64),
        offset=read_only(offset),
        channels=channels,
        site_body=read_only([body for body, _ in sites], np.int64),
        site_offset=read_only(np.reshape([at for _, at in sites], (-1, 3))),
        values=read_only(values),
    )
