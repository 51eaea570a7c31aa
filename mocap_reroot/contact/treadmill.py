"""Ground that stands still: of treadmills, and of roots that were not tracked."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from mocap_reroot.contact.limbs import Limb, Point
from mocap_reroot.contact.paths import Paths
from mocap_reroot.contact.scale import Scale
from mocap_reroot.contact.signals import (
    differentiate,
    height,
    horizontal,
    median,
    medians,
    quantile,
)
from mocap_reroot.contact.sole_normals import Known
from mocap_reroot.parameters import ContactParameters


def still_ground(
    root: np.ndarray,
    drift: float,
    path: Paths,
    limbs: Sequence[Limb],
    known: Known,
    scale: Scale,
    valid: np.ndarray,
    p: ContactParameters,
) -> tuple[np.ndarray | None, str]:
    """Return ``(3, F)`` m to add to all positions so that the ground stands still, and why.

    Three captures need it: a root that was never tracked (the lowest foot is then taken to
    stand), a root that does not travel (in place), and a treadmill (its belt carries the feet).
    Others need none: None.

    Args:
        root: ``(3, F)`` m, where the root is.
        drift: m/s, how fast the body as a whole gets away.
        path: Smooth paths of the parts.
        limbs, known: The limbs, and what their points do.
        scale: Leg length and rates.
        valid: ``(F)`` frames that take part.
        p: Numbers.
    """
    up, fps = scale.up, scale.fps
    feet = [k for k, limb in enumerate(limbs) if limb.kind == "foot"]
    points = [point for k in feet for point in known.points[k]]
    good = np.flatnonzero(valid)
    if not points or len(good) < scale.frames(0.2, 3):
        return None, ""
    way = root[:, good[-1]] - root[:, good[0]]
    way = way - up * (way @ up)
    fixed = p.root_fixed * scale.leg
    if np.abs(way).max() >= fixed or np.ptp(horizontal(root[:, good], up), axis=1).max() >= fixed:
        heights, speeds = (
            np.concatenate([a[k] for k in feet]) for a in (known.height, known.speed)
        )
        belt = _belt(path, points, heights, speeds, drift, scale, valid, p)
        if belt is None:
            return None, ""
        return belt[:, None] * (np.arange(len(valid)) / -fps), "treadmill"
    seen = path.of(points, up)
    shift, position, h = np.zeros((3, len(valid))), seen.position, seen.height
    if np.ptp(height(root[:, good], up)) < fixed:
        # Vertical first: the lowest point of all is on the ground.
        low = h.min(axis=0)
        shift = -up[:, None] * (low - low[valid].min())
        position = position + shift
        h = height(position, up)
    # The lower a point is, the more likely it stands: a soft choice does not jump.
    weight = np.exp(-(h - h.min(axis=0)) / (p.rest_band * scale.leg))
    speed = horizontal(differentiate(position, fps), up)
    ground = np.einsum("pf,pcf->cf", weight, speed) / weight.sum(axis=0)
    moved = np.cumsum(ground, axis=1) / fps
    return shift - moved + moved[:, :1], "root_fixed"


def _belt(
    path: Paths,
    points: Sequence[Point],
    heights: np.ndarray,
    speeds: np.ndarray,
    drift: float,
    scale: Scale,
    valid: np.ndarray,
    p: ContactParameters,
) -> np.ndarray | None:
    """Return ``(3)`` m/s the velocity of a treadmill's belt, or None where there is none.

    On a belt the lowest points (``heights`` and ``speeds`` ``(P, F)`` m, m/s) share one velocity
    while the body stays where it is: ``drift`` m/s, how fast that gets away.
    """
    lowest = heights.argmin(axis=0)
    low = heights[lowest, np.arange(len(lowest))]
    near = np.flatnonzero(valid & (low < quantile(low[valid], 0.5) + p.rest_band * scale.leg))
    # No component's median is greater than that of the speed.
    fastest = math.sqrt(3) * quantile(speeds[lowest[near], near], 0.5)
    if fastest <= p.belt_speed * scale.speed or drift >= p.belt_share * fastest:
        return None
    velocity = path.of(points, scale.up).velocity[lowest[near], :, near].T
    rising = np.abs(height(velocity, scale.up))  # a point that rises or sinks does not stand
    velocity = horizontal(velocity[:, rising <= quantile(rising, 0.5)], scale.up)
    middle = medians(velocity)
    pace = math.sqrt(middle @ middle)
    if pace <= p.belt_speed * scale.speed or drift >= p.belt_share * pace:
        return None
    apart = velocity - middle[:, None]
    spread = median(np.sqrt((apart * apart).sum(axis=0)))
    return middle if spread < p.belt_share * pace else None
