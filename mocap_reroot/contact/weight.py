"""Weight: what the ground must be pushing with, from the motion of the whole body."""

from __future__ import annotations

import numpy as np

from mocap_reroot.contact.signals import bridged, differentiate, smooth
from mocap_reroot.contact.standing import Scale
from mocap_reroot.kinematics import World
from mocap_reroot.types import STANDARD_GRAVITY

# Shares of the body's mass, after de Leva 1996, both sexes, rounded.
_SHARES = {
    "pelvis": 0.12, "trunk": 0.31, "neck": 0.01, "head": 0.06, "thigh": 0.143, "shank": 0.044,
    "foot": 0.013, "upper_arm": 0.026, "forearm": 0.015, "hand": 0.006,
}  # fmt: skip
_FALLING, _CARRIED = 0.1, 0.4
"""Body weights: below the first the body falls freely, above the second it does not."""


def ground_push(world: World, scale: Scale, valid: np.ndarray) -> np.ndarray | None:
    """Return ``(F)`` the vertical force on the body, in body weights, or None if unknown.

    From the acceleration of a rough centre of mass: the middles of the segments, weighted by
    their usual shares. Good enough to tell falling from standing; not for dynamics.
    """
    skeleton = world.motion.skeleton
    if skeleton.anatomy is None or not skeleton.anatomy.human:
        return None
    words = [s.removeprefix("left_").removeprefix("right_") for s in skeleton.anatomy.segments]
    if not {"thigh", "shank"} <= set(words) or not {"trunk", "head"} & set(words):
        return None  # legs alone do not show where the body goes
    total, height = 0.0, np.zeros(world.position.shape[-1])
    origin = np.einsum("ncf,c->nf", world.position, scale.up)
    for body, (word, segment) in enumerate(zip(words, skeleton.anatomy.segments, strict=True)):
        share = _SHARES.get(word, 0.0) / max(skeleton.anatomy.segments.count(segment), 1)
        if share == 0:
            continue
        below = skeleton.children[body]
        end = origin[list(below)].mean(axis=0) if below else origin[body]
        height += share * 0.5 * (origin[body] + end)
        total += share
    height = smooth(bridged(height / total, valid), scale.fps)
    rate = differentiate(differentiate(height, scale.fps), scale.fps)
    return np.asarray(1 + rate / STANDARD_GRAVITY)


def doubt(push: np.ndarray | None, frames: int) -> np.ndarray:
    """Return ``(F)`` 0–1: how much the fall of the body speaks against any contact."""
    if push is None:
        return np.zeros(frames)
    return np.asarray(np.clip((_CARRIED - push) / (_CARRIED - _FALLING), 0, 1))
