"""World poses of the bodies that may touch the ground, and the centre of mass."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from mocap_reroot.types import BodyModel, Contacts, Motion, read_only


class Rows:
    """Arrays of some bodies, looked up by the number of the body."""

    def __init__(self, bodies: Iterable[int], rows: np.ndarray) -> None:
        self._rows = dict(zip(bodies, rows, strict=True))

    def __getitem__(self, body: int) -> np.ndarray:
        return self._rows[body]


@dataclass(frozen=True, eq=False)
class ContactPoses:
    """Some bodies of a motion in the world, as a ``World`` has all of them.

    Attributes:
        motion: What was placed.
        orientation: ``[body]`` gives ``(4, F)`` body to world.
        position: ``[body]`` gives ``(3, F)`` m, of the frame's origin.
        centre: ``(3, F)`` m, centre of mass of the whole body.
    """

    motion: Motion
    orientation: Rows
    position: Rows
    centre: np.ndarray


def contact_poses(motion: Motion, body: BodyModel, contacts: Contacts) -> ContactPoses:
    """Place the bodies that carry or may carry."""
    from mocap_reroot.kernels.forward import place_some

    skeleton, frames = motion.skeleton, motion.n_frames
    chosen = sorted({*contacts.feet, *(sole.body for sole in contacts.soles)})
    orientation, position = np.empty((len(chosen), 4, frames)), np.empty((len(chosen), 3, frames))
    centre = np.empty((3, frames))
    tree = skeleton.order, skeleton.parents, skeleton.offset, skeleton.slot
    share, com = read_only(body.mass / body.total_mass), read_only(body.com - skeleton.origin)
    ids = read_only(chosen, np.int64)
    place_some(
        tree, motion.rotation, motion.displacement, share, com, ids, orientation, position, centre
    )
    rows = Rows(chosen, read_only(orientation)), Rows(chosen, read_only(position))
    return ContactPoses(motion, *rows, centre)
