"""Collision shapes: capsules along bones, boxes at soles, steps under feet."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from math import pi

import numpy as np

from mocap_reroot.mechanics.kinematics import forward
from mocap_reroot.numerics.vectors import level_axes
from mocap_reroot.types import Contacts, Motion, Plane, Skeleton

DENSITY = 1000.0  # kg/m³, roughly a human body's
THIN, _THICK = 0.008, 0.115  # m, so that fingers stay visible and trunks slim
_SLIM = 0.08  # radius over length where no mass is known
_SHORT = 1e-4  # m
_SOLE = 0.02  # m, how thick a box a sole is
_SAME_LEVEL = 0.01  # m: planes that differ less are one
_BESIDE = 0.1  # m that a step reaches beyond the soles that stood on it
_LOOKED_AT = 120  # poses that tell which bones overlap in the motion itself


@dataclass(frozen=True, eq=False)
class Bone:
    """A capsule from a body's origin to ``end`` ``(3)`` m, in its frame; radius in m."""

    body: int
    end: np.ndarray
    length: float
    radius: float


@dataclass(frozen=True, eq=False)
class Box:
    """A box: where its middle is ``(3)`` m, its axes as columns ``(3, 3)``, half its sizes, m."""

    body: int
    centre: np.ndarray
    axes: np.ndarray
    half: np.ndarray


def bones(skeleton: Skeleton, mass: np.ndarray | None) -> Iterator[Bone]:
    """Yield capsules along the bones of a body, in the frames of its bodies.

    A body's mass goes into its longest stretch, which is as thick as that makes it.

    Args:
        skeleton: Any tree.
        mass: ``(n)`` kg, or None.
    """
    for body in range(skeleton.n_bodies):
        ends = [skeleton.offset[child] for child in skeleton.children[body]]
        own = np.flatnonzero(skeleton.site_body == body)
        ends += list(skeleton.site_offset[own] - skeleton.origin[body])
        lengths = [float(np.linalg.norm(end)) for end in ends]
        longest = max(lengths, default=0.0)
        for end, length in zip(ends, lengths, strict=True):
            if _SHORT < length < np.inf:
                heavy = None if mass is None else float(mass[body]) if length == longest else 0.0
                yield Bone(body, end, length, capsule_radius(heavy, length))


def capsule_radius(mass: float | None, length: float) -> float:
    """Return m, as thick as a capsule of that mass and length is at a body's density."""
    if mass is None:
        return float(np.clip(_SLIM * length, THIN, _THICK))
    return float(np.clip(np.sqrt(max(mass, 0.0) / (pi * DENSITY * length)), THIN, _THICK))


def sole_boxes(contacts: Contacts, skeleton: Skeleton, com: np.ndarray) -> list[Box]:
    """Return a flat box on every sole, in its body's current frame.

    Args:
        contacts: With the soles.
        skeleton: The tree in use.
        com: ``(n, 3)`` m, centres of mass in current frames: they are above the soles.
    """
    found = []
    for sole in contacts.soles:
        corners = sole.outline - skeleton.origin[sole.body]
        middle = corners.mean(axis=0)
        along, _, up = np.linalg.svd(corners - middle)[2]
        up = up if up @ (com[sole.body] - middle) >= 0 else -up
        axes = np.stack([along, np.cross(up, along), up], axis=1)
        place = (corners - middle) @ axes
        low, high = place.min(axis=0), place.max(axis=0)
        low[2], high[2] = 0.0, _SOLE
        centre = middle + axes @ ((low + high) / 2)
        found.append(Box(sole.body, centre, axes, (high - low) / 2))
    return found


def steps(motion: Motion, contacts: Contacts, planes: tuple[Plane, ...]) -> list[Box]:
    """Return boxes for the pieces of ground that rise above the lowest, as far as they are known.

    Args:
        motion: In whose world they stand; captured frames or re-rooted ones.
        contacts: Who stood on which plane; its frames may be others than the motion's.
        planes: The pieces of ground, in the motion's world; the first of them may be a floor.
    """
    up = motion.up
    heights = np.array([up @ plane.point for plane in planes])
    if not len(heights) or np.ptp(heights) < _SAME_LEVEL:
        return []
    world, ahead_aside = forward(motion), level_axes(up)
    axes = np.stack([*ahead_aside, up], axis=1)
    at = np.rint(motion.frame * (contacts.fps / motion.fps)).astype(int) - contacts.start
    at = np.clip(at, 0, len(contacts.flags) - 1)
    found = []
    for k in range(len(planes)):
        places = []
        for c, sole in enumerate(contacts.soles):
            stood = (contacts.touching[c] & (contacts.plane[c] == k))[at]
            if stood.any():
                places += [world.point(sole.body, corner)[:, stood] for corner in sole.outline]
        if not places or heights[k] - heights.min() < _SAME_LEVEL:
            continue
        level = ahead_aside @ np.concatenate(places, axis=1)
        low, high = level.min(axis=1) - _BESIDE, level.max(axis=1) + _BESIDE
        low, high = np.append(low, heights.min()), np.append(high, heights[k])
        found.append(Box(-1, axes @ ((low + high) / 2), axes, (high - low) / 2))
    return found


def touching_pairs(motion: Motion, shapes: list[Bone]) -> list[tuple[int, int]]:
    """Return pairs of bodies whose bones overlap in the motion itself.

    The person did it, so they cannot collide: capsules are only roughly what limbs are.

    Args:
        motion: Looked at in some of its frames, all of them whole.
        shapes: Its bones.
    """
    frames = np.unique(np.linspace(0, motion.n_frames - 1, _LOOKED_AT).astype(int))
    world = forward(motion)
    start = np.stack([world.position[bone.body][:, frames] for bone in shapes])
    stop = np.stack(
        [world.point(b.body, b.end + motion.skeleton.origin[b.body])[:, frames] for b in shapes]
    )
    found: set[tuple[int, int]] = set()
    parents = motion.skeleton.parents
    for i, one in enumerate(shapes):
        for j in range(i + 1, len(shapes)):
            two = shapes[j]
            pair = min(one.body, two.body), max(one.body, two.body)
            # Neighbours never collide in simulators anyway.
            if one.body == two.body or pair in found or one.body == parents[two.body]:
                continue
            if two.body == parents[one.body]:
                continue
            apart = _distance(start[i], stop[i], start[j], stop[j])
            if (apart < one.radius + two.radius).any():
                found.add(pair)
    return sorted(found)


def _distance(a: np.ndarray, b: np.ndarray, c: np.ndarray, d: np.ndarray) -> np.ndarray:
    """Return ``(F)`` m, the least distance of stretches from a to b and from c to d, ``(3, F)``."""
    u, v, w = b - a, d - c, a - c
    uu, uv, vv = (u * u).sum(axis=0), (u * v).sum(axis=0), (v * v).sum(axis=0)
    uw, vw = (u * w).sum(axis=0), (v * w).sum(axis=0)
    across = np.maximum(uu * vv - uv * uv, 1e-12 * uu * vv)
    s = np.clip((uv * vw - vv * uw) / across, 0, 1)
    t = np.clip((uv * s + vw) / vv, 0, 1)
    s = np.clip((uv * t - uw) / uu, 0, 1)
    way = w + s * u - t * v
    return np.asarray(np.sqrt((way * way).sum(axis=0)))
