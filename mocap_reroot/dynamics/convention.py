"""One meaning for every column: joint wrenches of any tree as the capture tree tells them.

A joint bears the name of its capture child, and its wrench is what the capture parent exerts on
that child, at the child's capture origin, in the child's axes. In a re-rooted tree a joint on the
chain between the two roots is used by its capture *parent*: there the wrench is seen from its other
side, so it changes its sense, is turned into the child's axes, and moved if the joint has slid.
"""

from __future__ import annotations

from itertools import pairwise

import numpy as np

from mocap_reroot.dynamics.vectors import cross, turn
from mocap_reroot.types import Motion, Skeleton


def to_capture(captured: Skeleton, motion: Motion, force: np.ndarray, moment: np.ndarray) -> None:
    """Turn the joint wrenches of a tree into those of the capture tree, in place.

    Args:
        captured: The capture tree.
        motion: The motion the wrenches belong to, on the same bodies with any root.
        force, moment: ``(n, 3, F)`` at the bodies' current origins, in their axes; on return at
            the capture origins, NaN at the capture root.
    """
    skeleton = motion.skeleton
    chain = captured.chain(skeleton.root)  # from the current root to the capture root
    for i in range(skeleton.n_bodies):
        if i not in chain and np.any(skeleton.origin[i] != 0):
            moment[i] += cross(skeleton.origin[i][:, None], force[i])
    # Each joint of the chain waits in the slot of its capture parent; the child's own slot is
    # free by then, as it is read one step earlier.
    for child, parent in pairwise(chain):
        q, slot = motion.rotation[parent], int(skeleton.slot[parent])
        force[child] = -turn(q, force[parent])
        moment[child] = -turn(q, moment[parent])
        arm = (skeleton.offset[parent] + skeleton.origin[child])[:, None]
        if slot >= 0:
            arm = arm + motion.displacement[slot]
        if np.any(arm != 0):
            moment[child] += cross(arm, force[child])
    force[captured.root] = np.nan
    moment[captured.root] = np.nan
