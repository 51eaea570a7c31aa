"""Flights: intervals without ground contact, and the body's acceleration in free fall.

Free fall is the one clock and the one yardstick that every clip with a jump carries: the centre of
mass falls at 9.81 m/s², whatever the file says about units and frame time.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise
from math import sqrt

import numpy as np

from mocap_reroot.inference.sampling import place
from mocap_reroot.inference.topology import BodyPlan
from mocap_reroot.numerics.frames import runs
from mocap_reroot.types import Hierarchy

MOST_FRAMES = 3000
"""Frames that are looked at; of longer clips ten stretches, evenly spread."""

_ON_HANDS = 0.4
"""Leg lengths over the floor: wrists that are lower, and below the ankles, may belong to somebody
who stands on the hands and whose centre of mass goes over them as if it fell."""

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
        wrists: ``(T)`` the lower one along up where both ankles are higher, else inf.
        stride: ``(T)`` ankle ahead of ankle, along the way the hips travel.
        travel: Distance the hips travel along the ground.
        speed: ``(T − 1)`` fastest of ankles and wrists, units per frame.
    """

    start: int
    mass_height: np.ndarray
    lowest: np.ndarray
    wrists: np.ndarray
    stride: np.ndarray
    travel: float
    speed: np.ndarray


def tracks(
    hierarchy: Hierarchy,
    plan: BodyPlan,
    up: np.ndarray,
    rotation: np.ndarray,
    sound: np.ndarray,
) -> list[Track]:
    """Follow a person through a clip (or ten stretches of a long one).

    Args:
        hierarchy: The clip.
        plan: Found in it.
        up: ``(3)``.
        rotation: ``(n, 4, F)`` its quaternions.
        sound: ``(F)`` bool, which frames have finite values; others are left out.
    """
    if not (plan.legs and plan.arms):
        return []
    frames, starts = np.arange(len(sound)), np.zeros(1, int)
    if len(sound) > MOST_FRAMES:
        length = MOST_FRAMES // 10
        starts = np.linspace(0, len(sound) - length, 10).round().astype(int)
        frames = (starts[:, None] + np.arange(length)).ravel()
    frames = frames[sound[frames]]
    weight = _weights(plan)
    joints = list(weight)
    everything = np.empty((len(joints), 3, len(frames)))
    place(hierarchy, frames, joints, rotation, everything)
    height = up @ everything
    mass, lowest = np.array(list(weight.values())) @ height, height.min(axis=0)
    row = {joint: k for k, joint in enumerate(joints)}
    ankles = [row[leg.points.get("foot", leg.end)] for leg in plan.legs]
    wrists = [row[arm.points.get("hand", arm.end)] for arm in plan.arms]
    below = height[wrists].min(axis=0)
    below[below > height[ankles].min(axis=0)] = np.inf
    apart = everything[ankles[0]] - everything[ankles[1]]
    hips = sum(0.5 * everything[row[leg.points["thigh"]]] for leg in plan.legs)
    speed = _fastest(everything[[*ankles, *wrists]])
    found = []
    for a, b in pairwise([*np.searchsorted(frames, starts).tolist(), len(frames)]):
        if a < b:
            way = hips[:, b - 1] - hips[:, a]
            way = way - up * (up @ way)
            travel = sqrt(float(way @ way))
            ahead = way / travel if travel > 0 else np.zeros(3)
            stride = ahead @ apart[:, a:b]
            heights = mass[a:b], lowest[a:b], below[a:b]
            found.append(Track(int(frames[a]), *heights, stride, travel, speed[a : b - 1]))
    return found


def _weights(plan: BodyPlan) -> dict[int, float]:
    """Return the joints (a site as −1 − index) that bear the body's mass, and their shares of it.

    Half of each part is at either end.
    """
    weight: defaultdict[int, float] = defaultdict(float)
    for leg, arm in zip(plan.legs, plan.arms, strict=True):  # the head is above the shoulders
        weight[leg.points["thigh"]] += 0.25 * _TRUNK - 0.2 * _HEAD
        weight[arm.points["upper_arm"]] += 0.25 * _TRUNK + 0.7 * _HEAD
        for limb, segments in ((leg, _LEG), (arm, _ARM)):
            for begin, end, part in segments:
                for joint in (begin, end):
                    weight[limb.points.get(joint, limb.end)] += 0.5 * part
    total = sum(weight.values())
    return {joint: part / total for joint, part in weight.items()}


def _fastest(points: np.ndarray) -> np.ndarray:
    """Return ``(T − 1)`` how far the fastest of ``(p, 3, T)`` points moves from frame to frame."""
    step = points[..., 1:] - points[..., :-1]
    return np.asarray(np.sqrt(np.einsum("pkf,pkf->pf", step, step).max(axis=0)))


def find_flights(track: list[Track], fps: float, leg: float) -> list[Flight]:
    """Return the stretches of free fall: off the ground, and falling along a parabola.

    Args:
        track: From :func:`tracks`.
        fps: As the file states it.
        leg: Length of thigh and shank, file units.
    """
    if not track:
        return []
    floor = float(np.quantile(np.concatenate([t.lowest for t in track]), 0.05))
    found = []
    for t in track:
        for start, stop in runs(t.lowest - floor > 0.05 * leg):
            trim = max(1, (stop - start) // 10)  # feet peel off before the body is free
            a, b = start + trim, stop - trim
            if b - a < 5:
                continue
            if float(t.lowest[start:stop].max()) - floor <= 0.07 * leg:
                continue
            if float(t.wrists[start:stop].min()) - floor < _ON_HANDS * leg:
                continue
            depth, miss = _parabola(t.mass_height[a:b])
            if depth > 0.012 * leg and miss < 0.04 * depth + 5e-4 * leg:
                half = (b - a - 1) / 2 / fps
                found.append(Flight(t.start + a, t.start + b, 2 * depth / half**2, depth / leg))
    return found


def _parabola(height: np.ndarray) -> tuple[float, float]:
    """Return how far the fitted parabola bends from its chord, downwards, and the RMS misfit."""
    n = len(height)
    time, square = _basis(n)
    rest = height - height.sum() / n
    bend = float(square @ rest / (square @ square))
    rest -= float(time @ rest / (time @ time)) * time + bend * square
    return -bend, sqrt(float(rest @ rest) / n)


@lru_cache(maxsize=256)
def _basis(n: int) -> tuple[np.ndarray, np.ndarray]:
    """Return ``(n)`` a line from −1 to 1 and its square less the mean: orthogonal to each other."""
    time = np.arange(1 - n, n, 2) / (n - 1)
    return time, time * time - (n + 1) / (3 * (n - 1))
