"""Geometry: offsets, rest rotations, origins and axes of the re-rooted tree (section 6.2.1).

Body frames keep their orientation and move their origin by a constant ``s`` in their own axes: to
the support point in the new top body, elsewhere on the chain to the joint that the body uses from
now on. A joint that is turned over keeps its kind; its rest rotation is inverted, its axes turn
with it, and the two axes of a universal joint change places. The world's own joint moves from the
old top body to the new one as a free joint that still stands where it stood: this is what makes the
way back exact.
"""

from __future__ import annotations

from itertools import pairwise

import numpy as np

from mocap_reroot.rerooting.connectivity import inverted_parents
from mocap_reroot.types import JointType, Skeleton, read_only

POSITIONS = ("Xposition", "Yposition", "Zposition")
ROTATIONS = ("Zrotation", "Xrotation", "Yrotation")


def shifts(skeleton: Skeleton, chain: tuple[int, ...], at: np.ndarray) -> np.ndarray:
    """Return ``(len(chain), 3)`` m, how far the origin of each chain body moves, in its axes.

    Args:
        skeleton: The tree before.
        chain: From the new top body to the old one.
        at: ``(3)`` m, the support point in the new top body's capture frame.
    """
    moved = skeleton.offset[[0, *chain[:-1]]]  # s_p = t_i
    moved[0] = at - skeleton.origin[chain[0]]
    return moved


def rerooted_skeleton(skeleton: Skeleton, chain: tuple[int, ...], at: np.ndarray) -> Skeleton:
    """Return the tree on top of the first body of the chain, held by a free joint.

    Args:
        skeleton: The tree before.
        chain: From the new top body to the old one.
        at: ``(3)`` m, the support point in the new top body's capture frame.
    """
    top, root = chain[0], chain[-1]
    channels = rerooted_channels(skeleton, chain)
    if top == root and _stands_free(skeleton, top, at) and channels == skeleton.channels:
        return skeleton
    joints, users = list(chain[:-1]), list(chain[1:])  # each joint is used by its old owner now
    moved = np.zeros_like(skeleton.origin)
    moved[list(chain)] = shifts(skeleton, chain, at)
    offset = skeleton.offset - moved[skeleton.parents]
    offset[users] = -moved[joints]
    rest, kinds, axes = skeleton.rest.copy(), skeleton.joint_types.copy(), skeleton.axes.copy()
    rest[users] = skeleton.rest[joints] * (1, -1, -1, -1)
    kinds[users] = skeleton.joint_types[joints]
    axes[users] = turned_axes(skeleton, joints)
    offset[top], rest[top] = skeleton.offset[root], skeleton.rest[root]
    axes[top], kinds[top] = 0.0, JointType.FREE
    return skeleton.joined(
        parents=read_only(inverted_parents(skeleton, chain), np.int64),
        offset=read_only(offset + 0.0),  # no negative zeros
        origin=read_only(skeleton.origin + moved),
        rest=read_only(rest),
        axes=read_only(axes),
        joint_types=read_only(kinds, np.int64),
        channels=channels,
    )


def _stands_free(skeleton: Skeleton, top: int, at: np.ndarray) -> bool:
    """Return whether a body is held by a free joint at a point already."""
    free = skeleton.joint_types[top] == JointType.FREE and not skeleton.axes[top].any()
    return bool(free and (skeleton.origin[top] == at).all())


def turned_axes(skeleton: Skeleton, joints: list[int]) -> np.ndarray:
    """Return the ``(…, 2, 3)`` axes of joints that are turned over: ``E a``, in the new frame."""
    axes = skeleton.axes[joints]
    if not axes.any():  # joints that turn freely
        return axes
    w, x, y, z = skeleton.rest[joints].T[..., None]
    ax, ay, az = axes.transpose(2, 0, 1)
    tx, ty, tz = 2 * (y * az - z * ay), 2 * (z * ax - x * az), 2 * (x * ay - y * ax)
    turned = np.empty((len(joints), 2, 3))
    turned[..., 0] = ax + w * tx + y * tz - z * ty
    turned[..., 1] = ay + w * ty + z * tx - x * tz
    turned[..., 2] = az + w * tz + x * ty - y * tx
    swapped = skeleton.joint_types[joints] == JointType.UNIVERSAL
    turned[swapped] = turned[swapped, ::-1]
    return turned


def rerooted_channels(
    skeleton: Skeleton, chain: tuple[int, ...]
) -> tuple[tuple[str, ...], ...]:  # fmt: skip
    """Return BVH channels that go with the joints to the bodies that now use them.

    A joint turned over is written in the opposite order, so that its angles only change sign. The
    top body always gets six channels, in the order of the old one's.
    """
    if not skeleton.channels:
        return ()
    channels = list(skeleton.channels)
    for child, parent in pairwise(chain):
        old = skeleton.channels[child]
        turns = [name for name in old if name.endswith("rotation")]
        slides = [name for name in old if name.endswith("position")]
        channels[parent] = (*slides, *reversed(turns))
    old = skeleton.channels[chain[-1]]
    channels[chain[0]] = old if set(POSITIONS + ROTATIONS) <= set(old) else POSITIONS + ROTATIONS
    return tuple(channels)
