"""Flights: stretches in which nothing touches the ground, and how fast the body then falls.

Free fall is the one clock and the one yardstick that every clip with a jump carries: the centre of
mass falls at 9.81 m/s², whatever the file says about units and frame time.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from mocap_reroot.prepare.sampling import poses
from mocap_reroot.prepare.topology import Person
from mocap_reroot.types import Hierarchy

MOST_FRAMES = 3000
"""Frames that are looked at; of longer clips ten stretches, evenly spread."""

# Shares of the body's mass, after de Leva (1996), both sexes, rounded; at the middle of each part.
_TRUNK, _HEAD = 0.43, 0.07
_LEG = (("thigh", "shank", 0.143), ("shank", "foot", 0.044), ("foot", "", 0.013))
_ARM = (("upper_arm", "forearm", 0.026), ("forearm", "hand", 0.015), ("hand", "", 0.006))


@dataclass(frozen=True)
class Flight:
    """One stretch of free fall.

    Attributes:
        start, stop: Rows of the file, half open.
        acceleration: File units / s², positive downwards.
        depth: How far the path bends from a straight line, in leg lengths.
    """

    start: int
    stop: int
    acceleration: float
    depth: float


@dataclass(frozen=True, eq=False)
class Track:
    """A stretch of frames in file units: height of the centre of mass and of the lowest point.

    Attributes:
        start: First row.
        mass_height, lowest: ``(T)`` along up.
        stride: ``(T)`` ankle ahead of ankle, along the way the hips travel.
        travel: Distance the hips travel along the ground.
        speed: ``(T − 1)`` fastest of ankles and wrists, units per frame.
    """

    start: int
    mass_height: np.ndarray
    lowest: np.ndarray
    stride: np.ndarray
    travel: float
    speed: np.ndarray


def tracks(hierarchy: Hierarchy, person: Person, up: np.ndarray) -> list[Track]:
    """Follow a person through a clip (or ten stretches of a long one)."""
    if not (person.legs and person.arms):
        return []
    n_frames = hierarchy.values.shape[1]
    wanted = np.zeros(len(hierarchy.names), bool)
    for limb in (*person.legs, *person.arms):
        wanted[list(limb.points.values())] = True
        wanted[limb.end if limb.end >= 0 else hierarchy.site_body[-1 - limb.end]] = True
    blocks = [np.arange(n_frames)]
    if n_frames > MOST_FRAMES:
        length = MOST_FRAMES // 10
        starts = np.linspace(0, n_frames - length, 10).round().astype(int)
        blocks = [np.arange(start, start + length) for start in starts]
    return [_track(hierarchy, person, up, frames, wanted) for frames in blocks]


def _track(
    hierarchy: Hierarchy, person: Person, up: np.ndarray, frames: np.ndarray, wanted: np.ndarray
) -> Track:
    placed = poses(hierarchy, frames, wanted)

    def point(joint: int) -> np.ndarray:
        return placed.site_position[-1 - joint] if joint < 0 else placed.position[joint]

    hips = [point(leg.points["thigh"]) for leg in person.legs]
    shoulders = [point(arm.points["upper_arm"]) for arm in person.arms]
    middle, top = np.add(*hips) / 2, np.add(*shoulders) / 2
    mass = _TRUNK * (middle + top) / 2 + _HEAD * (top + 0.4 * (top - middle))
    lows = []
    for limbs, segments in ((person.legs, _LEG), (person.arms, _ARM)):
        for limb in limbs:
            for begin, end, share in segments:
                start = point(limb.points.get(begin, limb.end))
                stop = point(limb.points.get(end, limb.end))
                mass = mass + share * (start + stop) / 2
                lows += [up @ start, up @ stop]
    total = _TRUNK + _HEAD + 2 * sum(s for *_, s in (*_LEG, *_ARM))
    ankles = [point(leg.points.get("foot", leg.end)) for leg in person.legs]
    level = middle - np.outer(up, up @ middle)
    way = level[:, -1] - level[:, 0]
    travel = float(np.linalg.norm(way))
    ahead = way / travel if travel > 0 else np.zeros(3)
    moving = [*ankles, *(point(arm.points.get("hand", arm.end)) for arm in person.arms)]
    speed = np.max([np.linalg.norm(np.diff(p, axis=1), axis=0) for p in moving], axis=0)
    return Track(
        int(placed.frames[0]),
        up @ mass / total,
        np.min(lows, axis=0),
        ahead @ (ankles[0] - ankles[1]),
        travel,
        speed,
    )


def find_flights(track: list[Track], fps: float, leg: float) -> list[Flight]:
    """Return the stretches of free fall: off the ground, and falling along a parabola.

    Args:
        track: From :func:`tracks`.
        fps: As the file states it.
        leg: Length of thigh and shank, file units.
    """
    if not track:
        return []
    floor = float(np.percentile(np.concatenate([t.lowest for t in track]), 5))
    found = []
    for t in track:
        for start, stop in _runs(t.lowest - floor > 0.05 * leg):
            trim = max(1, (stop - start) // 10)  # feet peel off before the body is free
            a, b = start + trim, stop - trim
            if b - a < 5:
                continue
            height = t.mass_height[a:b]
            time = np.linspace(-1, 1, b - a)
            curve = np.polynomial.polynomial.Polynomial.fit(time, height, 2, domain=[-1, 1])
            depth = -float(curve.coef[2])
            miss = float(np.std(height - curve(time)))
            high = float(t.lowest[start:stop].max()) - floor > 0.07 * leg
            if high and depth > 0.012 * leg and miss < 0.04 * depth + 5e-4 * leg:
                half = (b - a - 1) / 2 / fps
                found.append(Flight(t.start + a, t.start + b, 2 * depth / half**2, depth / leg))
    return found


def _runs(mask: np.ndarray) -> list[tuple[int, int]]:
    edges = np.flatnonzero(np.diff(np.concatenate([[False], mask, [False]]).astype(np.int8)))
    return [(int(a), int(b)) for a, b in edges.reshape(-1, 2)]
