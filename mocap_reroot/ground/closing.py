"""Closing: wrenches at full rate that add up to what the corrected motion needs, to rounding.

Between knots moments are not linear: what a straight line leaves out (a few N·m) is given to the
limbs in proportion to what they bear, as far as that shifts their pressure by little.
"""

from __future__ import annotations

import numpy as np

from mocap_reroot.ground.piece import Piece
from mocap_reroot.ground.problem import Solution
from mocap_reroot.numerics.vectors import cross, dot
from mocap_reroot.types import STANDARD_GRAVITY, Total

LEAST = 0.01
"""Body weights; a limb that bears less is off."""
_LACKS = 0.02
"""Body weights per body weight borne: a force that lacks after that, for limbs to make up."""
_SHIFT = 0.01
"""m, by which closing may shift pressures."""


def limb_wrenches(
    piece: Piece, found: Solution, total: Total, frames: slice
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return the limbs' forces and moments at full rate, and how far beyond the ball they press.

    Args:
        piece: Some frames of the clip.
        found: Its solution.
        total: What the corrected motion needs, of the whole clip.
        frames: Where the piece lies in the clip.

    Returns:
        ``(l, 3, F)`` N and N·m, world axes, about ``total.about``; ``(l, F)`` m, NaN where a limb
        is off.
    """
    weight, back = piece.whole.mass * STANDARD_GRAVITY, piece.turn.T
    linear = piece.knots.linear
    normal = linear(found.normal)
    on = normal > LEAST
    safe = np.where(on, normal, 1.0)
    force = weight * np.einsum("ab,lbf->laf", back, linear(found.force))
    place = np.einsum("ab,lbf->laf", back, linear(found.place)) / safe[:, None]
    couple = weight * np.einsum("ab,lbf->laf", back, linear(found.couple))
    about = total.about[:, frames]
    moment = np.array(
        [cross(p - about, f) + c for p, f, c in zip(place, force, couple, strict=True)]
    ).reshape(force.shape)
    off = np.broadcast_to(~on[:, None], force.shape)
    force[off] = 0.0
    moment[off] = 0.0
    share = np.where(on, normal, 0.0)
    borne = share.sum(axis=0)
    share = share / np.where(borne > 0, borne, 1.0)
    lacks = total.force[:, frames] - force.sum(axis=0)
    # A force that lacks acts where the limb presses; what lacks in flight is left as it is.
    lacks = lacks * _at_most(np.sqrt(dot(lacks, lacks)), _LACKS * weight * borne)
    for k in range(len(force)):
        extra = share[k] * lacks
        force[k] += extra
        moment[k] += np.where(on[k], cross(place[k] - about, extra), 0.0)
    lacks = total.moment[:, frames] - moment.sum(axis=0)
    lacks = lacks * _at_most(np.sqrt(dot(lacks, lacks)), _SHIFT * weight * borne)
    moment += share[:, None] * lacks
    return force, moment, np.where(on, linear(found.beyond) / safe, np.nan)


def _at_most(size: np.ndarray, most: np.ndarray) -> np.ndarray:
    """Return by how much to scale something so that it is no larger than ``most``."""
    return np.minimum(1.0, most / np.maximum(size, 1e-12))
