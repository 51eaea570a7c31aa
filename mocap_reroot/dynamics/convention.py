"""One meaning for every column: joint wrenches of any tree as the capture tree tells them.

A joint bears the name of its capture child, and its wrench is what the capture parent exerts on
that child, at the child's capture origin, in the child's axes. In a re-rooted tree a joint on the
chain between the two roots is used by its capture *parent*: there the wrench is seen from its other
side, so it changes its sense, is turned into the child's axes, and moved if the joint has slid.
"""

from __future__ import annotations

import numpy as np

from mocap_reroot.dynamics.vectors import cross
from mocap_reroot.types import Motion, Skeleton, read_only


def to_capture(
    captured: Skeleton, motion: Motion, force: np.ndarray, moment: np.ndarray, at: int = 0
) -> None:
    """Turn the joint wrenches of a tree into those of the capture tree, in place.

    Args:
        captured: The capture tree.
        motion: The motion the wrenches belong to, on the same bodies with any root.
        force, moment: ``(n, 3, ≥ F)`` at the bodies' current origins, in their axes; on return at
            the capture origins, NaN at the capture root.
        at: Frame of force and moment at which the motion starts.
    """
    from mocap_reroot.kernels.convention import hand_down

    skeleton, frames = motion.skeleton, motion.n_frames
    where = slice(at, at + frames)
    chain = captured.chain(skeleton.root)  # from the current root to the capture root
    for i in range(skeleton.n_bodies):
        if i not in chain and np.any(skeleton.origin[i] != 0):
            moment[i, :, where] += cross(skeleton.origin[i][:, None], force[i, :, where])
    # Each joint of the chain waits in the slot of its capture parent; the child's own slot is
    # free by then, as it is read one step earlier.
    arm = np.zeros((skeleton.n_bodies, 3))
    children, parents = list(chain[:-1]), list(chain[1:])
    arm[children] = skeleton.offset[parents] + skeleton.origin[children]
    hand_down(
        read_only(chain, np.int64), arm, skeleton.slot, motion.rotation, motion.displacement,
        force, moment, frames, at,
    )  # fmt: skip
    force[captured.root, :, where] = np.nan
    moment[captured.root, :, where] = np.nan
