"""Weight: what the ground must be pushing with, and where, from the motion of the whole body."""

from __future__ import annotations

from dataclasses import dataclass

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
_LEGS_ALONE = _SHARES | {"pelvis": 0.59}
"""Where only the legs were captured the pelvis stands for the trunk: it falls with it, but does
not tell where it leans."""
_FALLING, _CARRIED = 0.1, 0.4
"""Body weights: below the first the body falls freely, above the second it does not."""
_PLACE_HZ = 5.0
"""Low-pass for where the ground pushes: slower than for how much, as levers are a metre long."""
_LEAST = 0.3
"""Body weights: below this nothing can be said about where the ground pushes."""


@dataclass(frozen=True, eq=False)
class Weight:
    """The push of the ground on the whole body, per unit of its weight.

    Attributes:
        push: ``(F)`` vertical force in body weights.
        base, lean: ``(3, F)``: the push passes the height ``z`` along up at ``base + z · lean``
            (both level; m, and m a m); NaN where there is hardly any push, or no trunk.
    """

    push: np.ndarray
    base: np.ndarray
    lean: np.ndarray

    def at(self, level: np.ndarray) -> np.ndarray:
        """Return ``(3, F)`` m where the push passes heights ``(F)`` along up, without height."""
        return self.base + level * self.lean


def weigh(world: World, scale: Scale, valid: np.ndarray, shift: np.ndarray) -> Weight | None:
    """Return how and where the ground pushes, or None where the skeleton does not tell.

    From the motion of a rough mass model: a point mass in the middle of every segment, of its
    usual share. Good enough to tell falling from standing, and one foot from the other; not for
    dynamics.

    Args:
        world: The bodies in the world.
        scale: Leg length and rates.
        valid: ``(F)`` frames that take part.
        shift: ``(3, F)`` m added to all positions so that the ground stands still.
    """
    skeleton = world.motion.skeleton
    if skeleton.anatomy is None or not skeleton.anatomy.human:
        return None
    segments = skeleton.anatomy.segments
    words = [s.removeprefix("left_").removeprefix("right_") for s in segments]
    if not {"thigh", "shank"} <= set(words):
        return None
    whole = bool({"trunk", "head"} & set(words))
    shares = _SHARES if whole else _LEGS_ALONE
    mass = np.array([
        shares.get(word, 0.0) / max(segments.count(segment), 1)
        for word, segment in zip(words, segments, strict=True)
    ])  # fmt: skip
    mass /= mass.sum()
    up, fps = scale.up, scale.fps
    place = bridged(_middles(world, np.flatnonzero(mass)) + shift, valid)
    mass = mass[mass > 0]
    centre = np.einsum("n,ncf->cf", mass, place)
    rate = differentiate(place, fps) * mass[:, None, None]
    moments = np.einsum("naf,nbf->abf", place, rate)  # of their differences, the momentum
    momentum = np.stack([moments[k - 2, k - 1] - moments[k - 1, k - 2] for k in range(3)])
    height = smooth(up @ centre, fps)
    push = 1 + differentiate(differentiate(height, fps), fps) / STANDARD_GRAVITY
    # The push passes where its moment about the origin, per weight, has no level component.
    centre, momentum = smooth(centre, fps, _PLACE_HZ), smooth(momentum, fps, _PLACE_HZ)
    force = differentiate(differentiate(centre, fps), fps) / STANDARD_GRAVITY + up[:, None]
    moment = differentiate(momentum, fps) / STANDARD_GRAVITY
    moment = moment + np.cross(centre, up[:, None], axis=0)
    vertical = up @ force
    known = (vertical > _LEAST) & (push > _LEAST) & whole
    vertical = np.where(known, vertical, np.nan)
    level = force - up[:, None] * (up @ force)
    return Weight(push, np.cross(up[:, None], moment, axis=0) / vertical, level / vertical)


def _middles(world: World, bodies: np.ndarray) -> np.ndarray:
    """Return ``(b, 3, F)`` m half way between the bodies' joints and those below them."""
    children = world.motion.skeleton.children
    middle = world.position[bodies]
    for row, body in zip(middle, bodies, strict=True):
        below = children[body]
        for child in below:
            row += (world.position[child] - world.position[body]) * (0.5 / len(below))
    return np.asarray(middle)


def doubt(weight: Weight | None, frames: int) -> np.ndarray:
    """Return ``(F)`` 0–1: how much the fall of the body speaks against any contact."""
    if weight is None:
        return np.zeros(frames)
    return np.asarray(np.clip((_CARRIED - weight.push) / (_CARRIED - _FALLING), 0, 1))
