"""Sole normals: which way is up for the parts of a flat foot, before the ground is known."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from mocap_reroot.contact.limbs import Limb, Point
from mocap_reroot.contact.paths import Paths
from mocap_reroot.contact.scale import Scale
from mocap_reroot.contact.signals import (
    medians,
    quantile,
)
from mocap_reroot.numerics.vectors import product, turn
from mocap_reroot.parameters import ContactParameters
from mocap_reroot.types import Motion, Skeleton

FlatFoot = tuple[tuple[np.ndarray, ...], np.ndarray]
"""For every part of a limb the way up in its frame, and the frames in which it stands flat."""


@dataclass(frozen=True, eq=False)
class Known:
    """How high and fast the points are that a skeleton knows of its limbs.

    Attributes:
        points: For every limb those on its sole, and its parts' joints.
        height, speed: For every limb ``(P, F)`` m along up, m/s.
    """

    points: list[list[Point]]
    height: list[np.ndarray]
    speed: list[np.ndarray]

    @classmethod
    def of(cls, limbs: Sequence[Limb], path: Paths, up: np.ndarray) -> Known:
        """Follow the points along smooth paths."""
        nowhere = np.zeros(3)
        points = [
            [*limb.points, *(Point(part, nowhere, "part") for part in limb.parts)] for limb in limbs
        ]
        every = [point for mine in points for point in mine]
        tracks = path.of(every, up, positions=False, velocities=False).split([*map(len, points)])
        return cls(points, [track.height for track in tracks], [track.speed for track in tracks])


def flat_feet(
    path: Paths,
    limbs: Sequence[Limb],
    known: Known,
    scale: Scale,
    valid: np.ndarray,
    p: ContactParameters,
) -> list[FlatFoot]:
    """Return how every limb stands; see :func:`_flat_foot`."""
    return [
        _flat_foot(path, limb, heights, speeds, scale, valid, p)
        for limb, heights, speeds in zip(limbs, known.height, known.speed, strict=True)
    ]


def _flat_foot(
    path: Paths,
    limb: Limb,
    heights: np.ndarray,
    speeds: np.ndarray,
    scale: Scale,
    valid: np.ndarray,
    p: ContactParameters,
) -> FlatFoot:
    """Return for every part the way up when it stands flat, in its frame, and the frames used.

    The foot stands flat when all of it is slow; of those frames the ones count in which it is
    low, so that a leg held still in the air has no say.

    Args:
        path: Smooth paths of the parts.
        limb: The limb.
        heights, speeds: ``(P, F)`` m along up, m/s, of its known points.
        scale: Leg length and rates; the way up.
        valid: ``(F)`` frames that take part.
        p: Numbers.
    """
    speed, low = speeds.max(axis=0), heights.sum(axis=0) / len(heights)
    slow = quantile(speed[valid], 0.2) if valid.any() else 0.0
    still = valid & (speed <= max(slow, p.rest_speed * scale.speed))
    if not still.any():
        still = valid if valid.any() else np.ones_like(valid)
    frames = np.flatnonzero(still)
    frames = frames[low[frames] <= quantile(low[frames], 0.5) + p.rest_band * scale.leg]
    if limb.points and limb.points[0].body == limb.foot:
        # On tiptoe the foot is steep: of the low frames the flatter half counts.
        ankle = len(limb.points) + limb.parts.index(limb.foot)
        steep = heights[ankle, frames] - heights[0, frames]
        frames = frames[steep <= quantile(steep, 0.5) + 1e-9]
    normals = []
    for part in limb.parts:
        way_up = medians(path.turned_back(part, scale.up, frames))
        size = math.sqrt(way_up @ way_up)
        normals.append(way_up / size if size > 1e-9 else scale.up)
    return tuple(normals), frames


def symmetric(
    limbs: tuple[Limb, ...], normals: list[tuple[np.ndarray, ...]], p: ContactParameters
) -> list[tuple[np.ndarray, ...]]:
    """Return the normals with a foot that was never seen flat corrected by its fellow.

    Left and right feet are built alike: the bone to the ball is as steep in both when they stand
    flat. Where one is steeper (it was seen on tiptoe only), its normal is turned until it is not.
    """
    result = list(normals)
    feet = [k for k, limb in enumerate(limbs) if limb.kind == "foot" and len(limbs[k].points) > 0]
    for number in range(2):
        mine: list[tuple[int, np.ndarray, float]] = []
        for k in feet:
            bone = _bone_of_part(limbs[k], number)
            if bone is not None:
                mine.append((k, bone, float(bone @ result[k][number])))
        if len(mine) < 2:
            continue
        flattest = max(steep for _, _, steep in mine)
        for k, bone, steep in mine:
            if flattest - steep > p.foot_asymmetry:
                across = result[k][number] - bone * steep
                across = across / max(float(np.linalg.norm(across)), 1e-9)
                turned = bone * flattest + across * np.sqrt(max(1 - flattest**2, 0.0))
                result[k] = tuple(turned if j == number else n for j, n in enumerate(result[k]))
    return result


def level_at_rest(
    motion: Motion,
    limbs: tuple[Limb, ...],
    normals: list[tuple[np.ndarray, ...]],
    p: ContactParameters,
) -> list[tuple[np.ndarray, ...]]:
    """Return the normals, of feet that never stood flat as the rest pose draws them.

    Who turns cartwheels or sprints lands on the balls of his feet. A foot drawn level under an
    upright leg, and moved about that, tells better where its sole is than such stances do.
    """
    skeleton, result = motion.skeleton, list(normals)
    feet = [k for k, limb in enumerate(limbs) if limb.kind == "foot" and limb.points]
    rest = {k: _at_rest(skeleton, limbs[k].foot) for k in feet}
    way_up = sum((-place for place, _ in rest.values()), np.zeros(3))
    if not any(skeleton.channels) or not way_up.any():
        return result
    way_up = way_up / np.linalg.norm(way_up)
    never = False
    for k in feet:
        foot, (place, turned) = limbs[k].foot, rest[k]
        flat = turn(turned, way_up, back=True)
        bone = _bone_of_part(limbs[k], 0)
        upright = -place @ way_up > math.cos(p.rest_upright) * np.linalg.norm(place)
        dot = np.abs(skeleton.rest[foot] @ motion.rotation[foot][:, motion.analysed])
        about = 2 * math.acos(min(float(np.median(dot)), 1.0))
        drawn = bone is not None and upright and abs(bone @ flat) < math.sin(p.rest_level)
        if not drawn or about > p.rest_reach:
            return list(normals)
        never |= bool(flat @ normals[k][0] < math.cos(p.never_flat))
        result[k] = (flat,) * len(limbs[k].parts)
    return result if never else list(normals)


def _at_rest(skeleton: Skeleton, foot: int) -> tuple[np.ndarray, np.ndarray]:
    """Return ``(3)`` m from hip to ankle and ``(4)`` the foot's turn, at rest, in the root."""
    above = skeleton.chain(foot)[-2::-1]  # below the root, parents first
    turned, place = np.array([1.0, 0.0, 0.0, 0.0]), np.zeros(3)
    for body in above:
        if body in above[-2:]:  # knee and ankle
            place = place + turn(turned, skeleton.offset[body])
        turned = product(turned, skeleton.rest[body])
    return place, turned


def _bone_of_part(limb: Limb, number: int) -> np.ndarray | None:
    """Return the unit vector from a part's joint to its front end, in the part's frame."""
    if number >= len(limb.parts):
        return None
    for point in limb.points:
        if point.body == limb.parts[number] and point.role in ("ball", "tip"):
            size = float(np.linalg.norm(point.local))
            return point.local / size if size > 0 else None
    return None
