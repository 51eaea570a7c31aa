"""Observation: limbs, soles and ground of a clip, and what every sole point does above it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from mocap_reroot.contact.ground import Ground, Stand, find_ground, find_stands
from mocap_reroot.contact.limbs import Limb, find_limbs
from mocap_reroot.contact.signals import (
    Paths,
    differentiate,
    height,
    length,
    matrices,
    paths,
)
from mocap_reroot.contact.soles import Underside, underside
from mocap_reroot.contact.stances import LimbSignals
from mocap_reroot.contact.standing import Scale, alike, standing_normals, still_ground
from mocap_reroot.contact.weight import Weight, weigh
from mocap_reroot.kinematics import World, forward
from mocap_reroot.types import Motion, Plane

Ups = tuple[np.ndarray, ...]
"""For every part of a limb the way up when it stands, in its frame."""
Moved = list[np.ndarray]
"""For every limb the paths ``(P, 3, F)`` of its sole points."""

_FLOOR_AT_ZERO = (-0.03, 0.06)
"""Points that stand between these shares of a leg above zero stand on a floor at zero."""
_ON_PLATE = (-0.04, 0.12)
"""The same above a force plate, whose height is certain."""
_SLIGHT = 0.03
"""rad, a tilt that markers which move on the shoe can feign."""
_THICKNESS = 0.015
"""Skin and shoe below the lowest joint or marker, share of a leg, where nothing tells."""


@dataclass(frozen=True, eq=False)
class Observation:
    """What there is to see of a clip before contacts are decided.

    Attributes:
        motion: The clip.
        world: Its bodies in the world.
        valid: ``(F)`` frames that take part.
        scale: Leg length and rates.
        limbs: The limbs that may carry.
        undersides: Their soles.
        signals: What their sole points do.
        ground: What they stand on.
        stands: Where they stood, as far as the ground was made from it.
        weight: How and where the ground pushes, or None where unknown.
        note: ``"root_fixed"``, ``"treadmill"`` or empty.
        warnings: Sentences.
    """

    motion: Motion
    world: World
    valid: np.ndarray
    scale: Scale
    limbs: tuple[Limb, ...]
    undersides: tuple[Underside, ...]
    signals: tuple[LimbSignals, ...]
    ground: Ground
    stands: tuple[Stand, ...]
    weight: Weight | None
    note: str
    warnings: tuple[str, ...]


def observe(motion: Motion, *, hands: bool = False, knees: bool = False) -> Observation:
    """Return what the limbs of a motion do above the ground."""
    world = forward(_bare(motion))
    valid = motion.analysed & np.isfinite(world.position).all(axis=(0, 1))
    limbs = find_limbs(motion.skeleton, lambda: _lowest(world, valid), hands=hands, knees=knees)
    scale = Scale.of(limbs, motion.fps, motion.up)
    warnings = []
    if not limbs or not valid.any():
        warnings.append(
            "No foot was found in this skeleton: the clip is taken as flight throughout. "
            "Name the feet with a segments file if there are any."
        )
        ground = find_ground([], 0, motion.n_frames, scale, 0.0)
        return Observation(
            motion, world, valid, scale, (), (), (), ground, (), None, "", tuple(warnings)
        )
    path = paths(world, [part for limb in limbs for part in limb.parts], valid)
    shift, note = still_ground(world, path, limbs, scale, valid)
    path = path.moved(shift)
    warnings += _NOTES.get(note, [])
    normals = [standing_normals(path, limb, scale, valid) for limb in limbs]
    forwards = [
        _forward(world, path, limb, scale, flat)
        for limb, (_, flat) in zip(limbs, normals, strict=True)
    ]

    def look(ups: Sequence[Ups], clearance: float) -> tuple[tuple[Underside, ...], Moved]:
        soles = tuple(
            underside(limb, up, ahead, clearance, scale.leg)
            for limb, up, ahead in zip(limbs, ups, forwards, strict=True)
        )
        return soles, [path.of(sole.points) for sole in soles]

    ups = alike(limbs, [up for up, _ in normals])
    soles, moved = look(ups, 0.0)
    low = _lowest_joint(world, scale, shift)
    feet_up = _sole_normal(world, path, limbs, normals, scale)
    ground, stands = _ground(moved, low, scale, valid, feet_up)
    normal = ground.planes[0].normal
    if ground.kind == "sloped" and normal @ scale.up < np.cos(0.03):
        # On a ramp the soles are parallel to the ramp: look again with its normal.
        tilted = Scale(scale.leg, scale.speed, scale.fps, normal)
        ups = alike(limbs, [standing_normals(path, limb, tilted, valid)[0] for limb in limbs])
        soles, moved = look(ups, 0.0)
        again, stands = _ground(moved, low, scale, valid, normal)
        ground = again if again.kind == "sloped" else ground
    ground = _levelled(ground, motion, scale)
    clearance = _clearance(ground, motion, scale)
    soles, moved = look(ups, clearance)
    ground = _lowered(ground, clearance)
    signals = tuple(
        _signals(sole, position, ground, k, scale)
        for k, (sole, position) in enumerate(zip(soles, moved, strict=True))
    )
    weight = None if note == "root_fixed" else weigh(world, scale, valid, shift)
    return Observation(
        motion, world, valid, scale, limbs, soles, signals, ground, tuple(stands), weight, note,
        tuple(warnings),
    )  # fmt: skip


_NOTES = {
    "root_fixed": [
        "The root of this capture does not travel: contacts are found from the pose alone, the "
        "lowest foot being taken to stand."
    ],
    "treadmill": [
        "The standing feet share one velocity while the body stays in place: a treadmill, whose "
        "belt is taken as the ground."
    ],
}


def _bare(motion: Motion) -> Motion:
    """Return the motion without derivatives: contacts do not depend on how it was smoothed."""
    if not motion.has_derivatives:
        return motion
    return Motion(
        motion.skeleton, motion.fps, motion.up, motion.rotation, motion.displacement,
        flags=motion.flags, start=motion.start, plates=motion.plates, source=motion.source,
    )  # fmt: skip


def _lowest(world: World, valid: np.ndarray) -> np.ndarray:
    """Return ``(n)`` m the least height of every body, its end sites included."""
    skeleton, up = world.motion.skeleton, world.motion.up
    if not valid.any():
        return np.zeros(skeleton.n_bodies)
    low = np.einsum("ncf,c->nf", world.position[:, :, valid], up).min(axis=1)
    for body, local in zip(skeleton.site_body, skeleton.site_offset, strict=True):
        matrix = matrices(world.orientation[[body]][:, :, valid]).reshape(3, 3, -1)
        arm = np.einsum("i,ijf,j->f", up, matrix, local)
        low[body] = min(low[body], (up @ world.position[body][:, valid] + arm).min())
    return np.asarray(low)


def _lowest_joint(world: World, scale: Scale, shift: np.ndarray) -> np.ndarray:
    """Return ``(F)`` m the height of the lowest joint of the body."""
    heights = np.einsum("ncf,c->nf", world.position, scale.up)
    return np.asarray(heights.min(axis=0) + scale.up @ shift)


def _forward(world: World, path: Paths, limb: Limb, scale: Scale, flat: np.ndarray) -> np.ndarray:
    """Return ``(3)`` the way a limb points, in its frame, where its own bones do not say.

    People walk forwards: the way the root travels, else any level direction.
    """
    if any(point.role in ("ball", "tip") for point in limb.points):
        return np.zeros(3)
    root = world.position[world.motion.skeleton.root]
    travel = root[:, -1] - root[:, 0]
    travel = travel - scale.up * (travel @ scale.up)
    if np.linalg.norm(travel) < 0.2 * scale.leg or not np.isfinite(travel).all():
        travel = np.cross(scale.up, np.eye(3)[int(np.argmin(np.abs(scale.up)))])
    return np.asarray(np.median(path.turned_back(limb.foot, travel)[:, flat], axis=1))


def _ground(
    moved: Moved, low: np.ndarray, scale: Scale, valid: np.ndarray, normal: np.ndarray | None
) -> tuple[Ground, list[Stand]]:
    heights = [height(position, scale.up) for position in moved]
    lowest = np.array([h.min(axis=0) for h in heights])
    slowest = np.array([length(differentiate(p, scale.fps)).min(axis=0) for p in moved])
    frames = lowest.shape[1]
    at = np.arange(frames)
    place = np.array([p[h.argmin(axis=0), :, at].T for p, h in zip(moved, heights, strict=True)])
    stands = find_stands(lowest, slowest, place, low, scale, valid)
    fallback = float(np.minimum(lowest.min(axis=0), low)[valid].min())
    return find_ground(stands, len(moved), frames, scale, fallback, normal), stands


def _sole_normal(
    world: World, path: Paths, limbs: tuple[Limb, ...],
    normals: Sequence[tuple[Ups, np.ndarray]], scale: Scale,
) -> np.ndarray | None:  # fmt: skip
    """Return the mean normal of the standing soles as the skeleton itself has them, or None.

    From heel and ball where both are known; a foot drawn level in its rest pose tells it, too.
    """
    found = []
    for limb, (_, flat) in zip(limbs, normals, strict=True):
        known = {point.role: point for point in limb.points}
        front = known.get("ball", known.get("tip"))
        if limb.kind != "foot" or front is None or front.body != limb.foot:
            continue
        if "heel" in known:
            ahead = front.local - known["heel"].local
            way = path.turned(limb.foot, ahead)[:, flat].mean(axis=1)
            level = way - scale.up * (way @ scale.up)
            tilt = level * (way @ scale.up) / max(float(level @ level), 1e-12)
            found.append(scale.up - tilt)
        elif any(world.motion.skeleton.channels):
            found.append(path.turned(limb.foot, scale.up)[:, flat].mean(axis=1))
    if not found:
        return None
    normal = np.mean(found, axis=0)
    return np.asarray(normal / np.linalg.norm(normal))


def _levelled(ground: Ground, motion: Motion, scale: Scale) -> Ground:
    """Return a floor with force plates in it as level as they are, if it almost is."""
    plane = ground.planes[0]
    if motion.plates is None or ground.kind != "sloped":
        return ground
    level = bool((np.abs(motion.plates.normal @ scale.up) > np.cos(0.01)).all())
    if not level or plane.normal @ scale.up < np.cos(_SLIGHT):
        return ground
    return Ground((Plane(plane.point, scale.up),), "level", ground.index)


def _clearance(ground: Ground, motion: Motion, scale: Scale) -> float:
    """Return m how far the ground is below the points that were seen to stand on it."""
    level = float(ground.planes[0].point @ scale.up)
    if motion.plates is not None:
        gaps = [
            float((plane.point - centre) @ scale.up)
            for plane in ground.planes
            for centre in motion.plates.centre
        ]
        low, high = (share * scale.leg for share in _ON_PLATE)
        good = [gap for gap in gaps if low <= gap < high]
        if good:
            return min(good, key=abs)
    low, high = (share * scale.leg for share in _FLOOR_AT_ZERO)
    if ground.kind == "level" and low <= level < high:
        return level
    return _THICKNESS * scale.leg


def _lowered(ground: Ground, clearance: float) -> Ground:
    planes = tuple(Plane(p.point - clearance * p.normal, p.normal) for p in ground.planes)
    return Ground(planes, ground.kind, ground.index)


def _signals(
    sole: Underside, position: np.ndarray, ground: Ground, limb: int, scale: Scale
) -> LimbSignals:
    velocity = differentiate(position, scale.fps)
    roles = tuple(point.role for point in sole.points)
    return LimbSignals(roles, position, velocity, ground.below(position, limb), length(velocity))
