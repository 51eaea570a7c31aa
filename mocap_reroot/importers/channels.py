"""Quaternions to a hierarchy with channels, for files that do not write BVH's angles."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence

import numpy as np

from mocap_reroot.kernels.rotations import quaternion_to_euler
from mocap_reroot.types import Hierarchy, flag_code, read_only

_POSITION = ("Xposition", "Yposition", "Zposition")


def hierarchy_of_rotations(
    names: Sequence[str],
    parents: Sequence[int] | np.ndarray,
    offset: np.ndarray,
    rotation: np.ndarray,
    position: Mapping[int, np.ndarray],
    *,
    fixed: Collection[int] = (),
    sites: Sequence[tuple[int, np.ndarray]] = (),
    rest: np.ndarray | None = None,
    order: str = "ZYX",
) -> Hierarchy:
    """Return a hierarchy whose channels are the angles of given rotations.

    Args:
        names, parents: Unique names, parents before their children, −1 at the root.
        offset: ``(n, 3)`` where each body's joint is in its parent's axes.
        rotation: ``(n, 4, F)`` unit quaternions, child to parent (with ``rest``: ``J`` of
            ``R = E J``); NaN where unknown.
        position: ``(3, F)`` of the bodies that move against their parent, the root among them.
        fixed: Bodies whose joint does not turn.
        sites: The ends of bones: body, and ``(3)`` where.
        rest: ``(n, 4)`` rest rotations ``E``, or None.
        order: Axes of the angles.
    """
    n, frames = len(names), rotation.shape[2]
    angles = np.empty((n, 3, frames))
    axes = np.tile(["XYZ".index(axis) for axis in order], (n, 1))
    quaternion_to_euler(read_only(rotation), read_only(axes, np.int64), angles)
    turning = tuple(f"{axis}rotation" for axis in order)
    channels: list[tuple[str, ...]] = []
    values: list[np.ndarray] = []
    for body in range(n):
        own: tuple[str, ...] = ()
        if body in position:
            own = _POSITION
            values.append(np.broadcast_to(position[body], (3, frames)))
        if body not in fixed:
            own += turning
            values.append(angles[body])
        channels.append(own)
    return Hierarchy(
        names=tuple(names),
        parents=read_only(parents, np.int64),
        offset=read_only(offset),
        channels=tuple(channels),
        site_body=read_only([body for body, _ in sites], np.int64),
        site_offset=read_only(np.reshape([at for _, at in sites], (-1, 3))),
        values=read_only(np.concatenate(values)),
        rest=rest,
    )


def flagged(hierarchy: Hierarchy, repairs: list[str]) -> np.ndarray:
    """Return ``(F)`` flags of frames, ``not_finite`` where values are missing, and say so."""
    missing = ~np.isfinite(hierarchy.values).all(axis=0)
    if missing.any():
        repairs.append(f"{missing.sum()} of {len(missing)} frames lack values and were flagged.")
    return read_only(np.where(missing, flag_code("not_finite"), 0), np.uint8)
