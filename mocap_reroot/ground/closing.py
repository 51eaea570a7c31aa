"""Limb wrenches at the frame rate, which add up to what the corrected motion needs, to rounding.

Between knots moments are not linear: what a straight line leaves out (a few N·m) is given to the
limbs in proportion to what they bear, as far as that shifts their pressure by little. A limb that
stands alone gets all of it, or, where it bears too little for that, is off.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from mocap_reroot.ground.interval import Interval
from mocap_reroot.ground.known import Known
from mocap_reroot.ground.problem import Solution
from mocap_reroot.numerics.vectors import cross, dot
from mocap_reroot.types import STANDARD_GRAVITY, Total

LEAST = 0.01
"""Body weights; a limb that bears less is off."""
_LACKS = 0.02
"""Body weights per body weight borne: a force that lacks after that, for limbs to make up."""
_SHIFT = 0.01
"""m, by which closing may shift pressures of several limbs."""
_ALONE, _LIGHT = 0.06, 0.05
"""m, by which it may shift that of one, a quarter of a foot; one that bears less than this share of
body weight is else off."""


@dataclass(frozen=True, eq=False)
class LimbWrenches:
    """What limbs and others do at full rate; world axes, moments about the root's origin.

    Attributes:
        force, moment: ``(l, 3, F)`` N and N·m; 0 where a limb is off.
        beyond: ``(l, F)`` m, how far beyond the ball each presses, NaN where it is off.
        external: ``(6, F)`` N, N·m: a push from elsewhere, where the limbs cannot carry alone.
    """

    force: np.ndarray
    moment: np.ndarray
    beyond: np.ndarray
    external: np.ndarray


def limb_wrenches(
    interval: Interval, found: Solution, total: Total, known: Known | None, frames: slice
) -> LimbWrenches:
    """Return the limbs' forces and moments at full rate.

    Args:
        interval: Some frames of the clip.
        found: Its solution.
        total: What the corrected motion needs, of the whole clip.
        known: What plates tell of the limbs, of the whole clip: it stays as it is.
        frames: Where the interval lies in the clip.
    """
    weight, back = interval.whole.mass * STANDARD_GRAVITY, interval.turn.T
    linear = interval.knots.linear
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
    external = _external(interval, found, about)
    beyond = np.where(on, linear(found.beyond) / safe, np.nan)
    measured = np.zeros_like(on)
    if known is not None:
        known = known.cut(frames)
        measured, loads = known.there, known.loads.about(about)
        on = np.where(measured, known.on, on)
        force = np.where(measured[:, None], loads.force, force)
        moment = np.where(measured[:, None], loads.moment, moment)
        normal = np.where(measured, dot(total.up, force.swapaxes(0, 1)) / weight, normal)
        beyond = np.where(measured, np.where(on, known.beyond, np.nan), beyond)
    needed = [total.force[:, frames] - external[:3], total.moment[:, frames] - external[3:]]
    alone = (on.sum(axis=0) == 1) & ~external.any(axis=0) & ~(on & measured).any(axis=0)
    far = _shift(needed, force, moment, place - about, on, weight * safe) > _ALONE
    on &= ~(alone & far & (normal < _LIGHT))
    alone &= on.any(axis=0)
    off = np.broadcast_to(~on[:, None], force.shape)
    force[off] = 0.0
    moment[off] = 0.0
    share = np.where(on & ~measured, normal, 0.0)
    borne = share.sum(axis=0)
    share = share / np.where(borne > 0, borne, 1.0)
    lacks = needed[0] - force.sum(axis=0)
    # A force that lacks acts where the limb presses; what lacks in flight is left as it is.
    most = np.where(alone, np.inf, _LACKS * weight * borne)
    lacks = lacks * _at_most(np.sqrt(dot(lacks, lacks)), most)
    for k in range(len(force)):
        extra = share[k] * lacks
        force[k] += extra
        moment[k] += np.where(on[k], cross(place[k] - about, extra), 0.0)
    lacks = needed[1] - moment.sum(axis=0)
    most = np.where(alone, np.inf, _SHIFT * weight * borne)
    lacks = lacks * _at_most(np.sqrt(dot(lacks, lacks)), most)
    moment += share[:, None] * lacks
    beyond[~on] = np.nan
    return LimbWrenches(force, moment, beyond, external)


def _external(interval: Interval, found: Solution, about: np.ndarray) -> np.ndarray:
    """Return ``(6, F)`` N, N·m, a push from elsewhere, world axes, about a point ``(3, F)``."""
    weight, back = interval.whole.mass * STANDARD_GRAVITY, interval.turn.T
    push = weight * interval.knots.linear(found.push)
    force, couple = back @ push[:3], back @ push[3:]
    if not push.any():
        return np.concatenate([force, couple])
    centre = back @ interval.knots.spline(interval.reference + found.path[:3])[0]
    return np.concatenate([force, couple + cross(centre - about, force)])


def _shift(
    needed: list[np.ndarray],
    force: np.ndarray,
    moment: np.ndarray,
    arm: np.ndarray,
    on: np.ndarray,
    borne: np.ndarray,
) -> np.ndarray:
    """Return ``(l, F)`` m, how far each limb's pressure moves if it alone closes the balance."""
    result = np.zeros(on.shape)
    for k in range(len(on)):
        lacks = needed[0] - force[k]
        rest = needed[1] - moment[k] - cross(arm[k], lacks)
        result[k] = np.sqrt(dot(rest, rest)) / borne[k]
    return result


def _at_most(size: np.ndarray, most: np.ndarray) -> np.ndarray:
    """Return by how much to scale something so that it is no larger than ``most``."""
    return np.minimum(1.0, most / np.maximum(size, 1e-12))
