"""Unrecorded: what of a person was not captured, and what cannot be known without it."""

from __future__ import annotations

from mocap_reroot.types import Anatomy, Inference

_NO_TRUNK = (
    "nothing above the pelvis was recorded: how trunk and arms move is in no predicted force, and "
    "moments of the back and the arms, the centre of the whole body and its momentum cannot be "
    "known; with force plates the legs' moments do not depend on it"
)
_NO_ARMS = (
    "no arms were recorded: they ride on the trunk, so that their swing is in no predicted force "
    "and their moments cannot be known"
)


def unrecorded(anatomy: Anatomy | None) -> list[Inference]:
    """Return what of a person is missing: trunk, head and arms, or the arms; else nothing."""
    if anatomy is None or not anatomy.human:
        return []
    parts = {s.removeprefix("left_").removeprefix("right_") for s in anatomy.segments}
    if not parts & {"trunk", "neck", "head", "clavicle", "upper_arm"}:
        return [Inference("not_recorded", "trunk, head and arms", 1.0, _NO_TRUNK)]
    if not parts & {"upper_arm", "forearm"}:
        return [Inference("not_recorded", "arms", 1.0, _NO_ARMS)]
    return []
