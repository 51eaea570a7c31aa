"""Ground force that the whole body's motion requires, and where its line of action passes."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from mocap_reroot.contact.body_series import BodySeries
from mocap_reroot.contact.scale import Scale
from mocap_reroot.contact.signals import bridge, height, smooth
from mocap_reroot.kernels import wrenches as kernels
from mocap_reroot.numerics.frames import runs
from mocap_reroot.numerics.vectors import cross
from mocap_reroot.parameters import ContactParameters
from mocap_reroot.types import STANDARD_GRAVITY, Skeleton


@dataclass(frozen=True, eq=False)
class SupportForce:
    """The push of the ground on the whole body, per unit of its weight.

    Attributes:
        vertical: ``(F)`` vertical force in body weights.
        line_base, line_slope: ``(3, F)``: its line of action passes the height ``z`` along up at
            ``line_base + z · line_slope``
            (both level; m, and m a m); NaN where there is hardly any push, or no trunk.
    """

    vertical: np.ndarray
    line_base: np.ndarray
    line_slope: np.ndarray


def observable_force(skeleton: Skeleton) -> tuple[bool, bool]:
    """Return whether a skeleton tells how it is pushed, and whether also where.

    The first needs a person's legs, the second a trunk or a head.
    """
    if skeleton.anatomy is None or not skeleton.anatomy.human:
        return False, False
    segments = skeleton.anatomy.segments
    words = {s.removeprefix("left_").removeprefix("right_") for s in segments}
    return {"thigh", "shank"} <= words, bool({"trunk", "head"} & words)


def support_force(
    seen: BodySeries, scale: Scale, whole: bool, shift: np.ndarray | None, p: ContactParameters
) -> SupportForce:
    """Return how and where the ground pushes.

    From the motion of the bodies' centres, unsmoothed and without their own turning. Good enough to
    tell falling from standing, and one foot from the other; not for dynamics.

    Args:
        seen: The centre of the masses and how they swing about the origin.
        scale: Leg length and rates.
        whole: Whether trunk or head are among them; else nothing tells where the body leans.
        shift: ``(3, F)`` m added to all positions so that the ground stands still, or None.
        p: Numbers.
    """
    up, fps = scale.up, scale.fps
    centre, momentum = _bridged(seen, fps, shift)
    rise = smooth(height(centre, up), fps, p.cutoff)
    centre, momentum = smooth(np.stack([centre, momentum]), fps, p.line_cutoff)
    push, base, lean = np.empty_like(rise), np.empty_like(centre), np.empty_like(centre)
    least = p.line_force if whole else math.inf
    kernels.push(rise, centre, momentum, up, fps, STANDARD_GRAVITY, least, push, base, lean)
    return SupportForce(push, base, lean)


def _bridged(
    seen: BodySeries, fps: float, shift: np.ndarray | None
) -> tuple[np.ndarray, np.ndarray]:
    """Return ``(3, F)`` m centre and m²/s angular momentum about the origin, per mass.

    Central differences of a point's path ``p`` turn ``p × ṗ`` into the mean of its swings
    ``p × (p' − p)`` to the frame and from it. Where frames are missing the points move on straight
    lines, on which every step swings alike.
    """
    centre, swing = seen.centre.copy(), seen.swing
    if shift is not None:  # of all points alike
        good = np.flatnonzero(seen.valid)
        swing, here, there = swing.copy(), good[:-1], good[1:]
        moved, way = shift[:, here], shift[:, there] - shift[:, here]
        swing[:, there] += cross(centre[:, here] + moved, way)
        swing[:, there] += cross(moved, centre[:, there] - centre[:, here])
        centre += shift
    bridge(centre, seen.valid)
    if not seen.valid.all():
        swing = swing.copy()
        for start, stop in runs(~seen.valid):
            within = start > 0 and stop < len(seen.valid)
            gap = swing[:, stop : stop + 1] / (stop - start + 1) if within else 0.0
            swing[:, start : stop + 1] = gap
    momentum = swing.copy()
    momentum[:, :-1] += swing[:, 1:]
    momentum[:, 1:-1] *= 0.5
    return centre, momentum * fps


def free_fall(force: SupportForce | None, frames: int, p: ContactParameters) -> np.ndarray:
    """Return ``(F)`` 0–1: how much the fall of the body speaks against any contact."""
    if force is None:
        return np.zeros(frames)
    return np.asarray(np.clip((p.no_fall - force.vertical) / (p.no_fall - p.free_fall), 0, 1))
