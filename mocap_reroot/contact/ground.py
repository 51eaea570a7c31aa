"""Ground planes: level, sloped or stepped, fitted to where feet have stood."""

from __future__ import annotations

import math
from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import accumulate, pairwise

import numpy as np

from mocap_reroot.contact.paths import Track
from mocap_reroot.contact.scale import Scale
from mocap_reroot.kernels.paths import footprints, lowest_points, summits
from mocap_reroot.numerics.frames import runs
from mocap_reroot.parameters import ContactParameters
from mocap_reroot.types import Plane


@dataclass(frozen=True, eq=False)
class Stand:
    """A run of frames in which a limb may have stood: its frames, and ``(3)`` m the place."""

    limb: int
    start: int
    stop: int
    place: np.ndarray


@dataclass(frozen=True, eq=False)
class Ground:
    """Pieces of ground and where they count.

    Attributes:
        planes: The pieces.
        kind: ``"level"``, ``"sloped"``, ``"stepped"`` or ``"unknown"``.
        index: ``(l, F)`` piece under every limb in every frame.
    """

    planes: tuple[Plane, ...]
    kind: str
    index: np.ndarray

    @property
    def normal(self) -> np.ndarray:
        """``(3)`` of all pieces: several are level, a sloped one is alone."""
        return self.planes[0].normal

    def below(self, height: np.ndarray, limb: int) -> np.ndarray:
        """Return ``(P, F)`` m how far points of a limb are above their ground.

        Args:
            height: ``(P, F)`` m, of the points along the ground's normal.
            limb: Number of the limb.
        """
        offsets = np.array([plane.normal @ plane.point for plane in self.planes])
        return np.asarray(height - (offsets[self.index[limb]] if len(offsets) > 1 else offsets))


def find_stands(
    points: Sequence[Track], body: np.ndarray, scale: Scale, valid: np.ndarray, p: ContactParameters
) -> list[Stand]:
    """Return the runs in which limbs stand, judged by motion and by each other.

    Args:
        points: For every limb what its sole points do, heights along up.
        body: ``(F)`` m, height of the lowest joint of the whole body.
        scale: Leg length and rates.
        valid: ``(F)`` frames that take part.
        p: Numbers.

    A limb that is still is a candidate. It is believed if nothing of the body is lower at some
    time of the run, or if it stands as high as a believed one; a leg held up in the air and the
    feet of a hand-stand are neither. At the top of a jump feet are slow, too, but lower before
    and after.
    """
    # For every limb its lowest point's place and height, and the lowest of all.
    series = np.empty((len(points), 5, len(valid)))
    for limb, mine in zip(points, series, strict=True):
        lowest_points(limb.position, limb.height, mine)
    series[:, 4] = np.minimum(series[:, 3].min(axis=0), body)
    shortest = min(scale.frames(p.footprint_shortest, 2), int(valid.sum()))
    believed: list[Stand] = []
    others: list[Stand] = []
    for k, (limb, mine) in enumerate(zip(points, series, strict=True)):
        slowest = limb.speed.min(axis=0)
        still = runs(valid & (slowest < p.still * scale.speed))
        edges = np.array([(a, b) for a, b in still if b - a >= shortest], np.int64).reshape(-1, 2)
        found = np.empty((len(edges), 5, 2))
        footprints(slowest, mine, edges, found)
        level, floor = found[:, 3, 0], found[:, 4, 1]
        carries = floor > level - p.footprint_level * scale.leg
        summit = np.empty(len(edges), bool)
        summits(
            mine[3], edges, level - p.apex_drop * scale.leg, scale.frames(p.apex_window, 2), summit
        )
        for j in (~summit).nonzero()[0].tolist():
            start, stop = edges[j].tolist()
            stand = Stand(k, start, stop, found[j, :3, 0])
            (believed if carries[j] else others).append(stand)
    if believed and others:
        levels = np.array([stand.place for stand in believed]) @ scale.up
        near = p.footprint_level * scale.leg
        believed += [s for s in others if np.abs(levels - scale.up @ s.place).min() < near]
    return sorted(believed, key=lambda s: (s.start, s.limb))


def find_ground(
    stands: list[Stand], limbs: int, frames: int, scale: Scale, fallback: float,
    slope_of_feet: np.ndarray | None, p: ContactParameters,
) -> Ground:  # fmt: skip
    """Return the ground that explains where limbs have stood.

    Args:
        stands: Believed stands; may be empty.
        limbs: How many limbs there are.
        frames: How many frames.
        scale: Leg length and rates.
        fallback: m, height along up of level ground when nobody stood.
        slope_of_feet: ``(3)`` mean normal of the soles while they stood, as the skeleton's rest
            pose has them, or None where it does not say; tells ramps from stairs.
        p: Numbers.
    """
    up = scale.up
    none = np.zeros((limbs, frames), np.int64)
    if not stands:
        return Ground((Plane(up * fallback, up),), "unknown", none)
    places = np.array([stand.place for stand in stands])
    weights = np.array([stand.stop - stand.start for stand in stands], float)
    level = _weighted_median(places @ up, weights)
    error = places @ up - level
    spread = _rms(error, weights)
    if (
        spread < p.plane_error * scale.leg
        and np.abs(error).max() < 2 * p.footprint_level * scale.leg
    ):
        middle = weights @ places / weights.sum()
        point = middle + up * (level - middle @ up)
        return Ground((Plane(point, up),), "level", none)
    slope = _sloped(places, weights, scale, p) if len(stands) > 2 else None
    if slope is not None and _is_ramp(slope, slope_of_feet, up, p):
        return Ground((slope,), "sloped", none)
    return _stepped(stands, limbs, frames, scale, p)


def _sloped(
    places: np.ndarray, weights: np.ndarray, scale: Scale, p: ContactParameters
) -> Plane | None:
    """Return the tilted plane through the places, or None if they do not lie on one."""
    up = scale.up
    middle = weights @ places / weights.sum()
    arm = places - middle
    rise = arm @ up
    flat = arm - rise[:, None] * up
    # The least slope that explains the heights: a straight walk does not tell the tilt across it.
    root = np.sqrt(weights)
    gradient, *_ = np.linalg.lstsq(root[:, None] * flat, root * rise, rcond=0.1)
    gradient = gradient - up * (gradient @ up)
    error = rise - flat @ gradient
    if _rms(error, weights) > p.plane_error * scale.leg:
        return None
    if np.abs(error).max() > 2.5 * p.footprint_level * scale.leg:
        return None
    normal = up - gradient
    return Plane(middle, normal / np.linalg.norm(normal))


def _is_ramp(plane: Plane, feet: np.ndarray | None, up: np.ndarray, p: ContactParameters) -> bool:
    """Whether a tilted plane is ground to walk on rather than the line of a staircase."""
    tilt = float(np.arccos(np.clip(plane.normal @ up, -1, 1)))
    if tilt < p.ramp_certain:
        return True  # a floor that drifts or tilts; no stairs are that flat
    if feet is None:
        return tilt < p.ramp_steepest
    to_plane, to_level = (float(np.arccos(np.clip(feet @ n, -1, 1))) for n in (plane.normal, up))
    return to_plane < to_level


def _stepped(
    stands: list[Stand], limbs: int, frames: int, scale: Scale, p: ContactParameters
) -> Ground:
    """Return several level pieces, and which of them is under each limb when."""
    up = scale.up
    heights = np.array([stand.place @ up for stand in stands])
    order = np.argsort(heights, kind="stable")
    jumps = np.diff(heights[order]) > p.step_height * scale.leg
    group = np.empty(len(stands), np.int64)
    group[order] = np.concatenate([[0], np.cumsum(jumps)])
    planes = []
    for k in range(group.max() + 1):
        members = [s for s, g in zip(stands, group, strict=True) if g == k]
        weights = np.array([s.stop - s.start for s in members], float)
        middle = weights @ np.array([s.place for s in members]) / weights.sum()
        planes.append(Plane(middle, up))
    index = np.zeros((limbs, frames), np.int64)
    for limb in range(limbs):
        mine = [(s, g) for s, g in zip(stands, group, strict=True) if s.limb == limb]
        # Between two stands the nearer one's ground counts.
        change = [(a.stop + b.start) // 2 for (a, _), (b, _) in pairwise(mine)]
        for (_, g), (start, stop) in zip(mine, pairwise([0, *change, frames]), strict=False):
            index[limb, start:stop] = g
    return Ground(tuple(planes), "stepped" if len(planes) > 1 else "level", index)


def _rms(error: np.ndarray, weights: np.ndarray) -> float:
    return math.sqrt(weights @ (error * error) / weights.sum())


def _weighted_median(values: np.ndarray, weights: np.ndarray) -> float:
    ordered = sorted(zip(values.tolist(), weights.tolist(), strict=True))
    total = list(accumulate(weight for _, weight in ordered))
    return ordered[bisect_left(total, 0.5 * total[-1])][0]
