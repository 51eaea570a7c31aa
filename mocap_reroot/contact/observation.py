"""observe(): feet, soles and ground planes, and height and speed of every sole point."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from mocap_reroot.anthropometry.bodies import body_model
from mocap_reroot.contact.body_series import body_series, lowest
from mocap_reroot.contact.ground import Ground, Stand, find_ground, find_stands
from mocap_reroot.contact.limbs import Limb, find_feet
from mocap_reroot.contact.paths import Paths, Track
from mocap_reroot.contact.scale import Scale
from mocap_reroot.contact.signals import height, medians
from mocap_reroot.contact.sole_normals import (
    FlatFoot,
    Known,
    flat_feet,
    level_at_rest,
    symmetric,
)
from mocap_reroot.contact.soles import Underside, underside
from mocap_reroot.contact.stances import LimbSignals
from mocap_reroot.contact.support_force import SupportForce, observable_force, support_force
from mocap_reroot.contact.treadmill import still_ground
from mocap_reroot.parameters import ContactParameters
from mocap_reroot.types import BodyModel, Inference, Motion, Plane

Ups = tuple[np.ndarray, ...]
"""For every part of a limb the way up when it stands, in its frame."""


@dataclass(frozen=True, eq=False)
class Observation:
    """What there is to see of a clip before contacts are decided.

    Attributes:
        motion: The clip.
        parameters: The stage's numbers.
        valid: ``(F)`` frames that take part.
        scale: Leg length and rates.
        limbs: The limbs that may carry.
        undersides: Their soles.
        signals: What their sole points do.
        ground: What they stand on.
        stands: Where they stood, as far as the ground was made from it.
        force: How and where the ground pushes, or None where unknown.
        note: ``"root_fixed"``, ``"treadmill"`` or empty.
        warnings: Sentences.
        belt: ``(3)`` m/s, velocity of a treadmill's belt, else None.
        surface: What the body moves over, with the evidence.
        shift: ``(3, F)`` m added to all positions so that the ground stands still, or None.
    """

    motion: Motion
    parameters: ContactParameters
    valid: np.ndarray
    scale: Scale
    limbs: tuple[Limb, ...]
    undersides: tuple[Underside, ...]
    signals: tuple[LimbSignals, ...]
    ground: Ground
    stands: tuple[Stand, ...]
    force: SupportForce | None
    note: str
    warnings: tuple[str, ...]
    belt: np.ndarray | None = None
    surface: Inference | None = None
    shift: np.ndarray | None = None


def observe(
    motion: Motion, body: BodyModel | None = None, parameters: ContactParameters | None = None
) -> Observation:
    """Return what the feet of a motion do above the ground; without a body, of a usual one."""
    p = parameters or ContactParameters()
    limbs = find_feet(motion.skeleton, lambda: lowest(motion))
    scale = Scale.of(limbs, motion.fps, motion.up)
    pushed, whole = observable_force(motion.skeleton)
    if pushed and body is None:
        body = body_model(motion)
    parts = [part for limb in limbs for part in limb.parts]
    seen = body_series(motion, parts, body if pushed else None, p.cutoff)
    path, valid, low = seen.path, seen.valid, seen.low
    if not limbs or not valid.any():
        ground = find_ground([], 0, motion.n_frames, scale, 0.0, None, p)
        return Observation(motion, p, valid, scale, (), (), (), ground, (), None, "", (_NO_FOOT,))
    known = Known.of(limbs, path, scale.up)
    root = _root(motion)
    drift = _drift(seen.centre if pushed else root, scale, valid)
    shift, note = still_ground(root, drift, path, limbs, known, scale, valid, p)
    belt = None
    if shift is not None:
        if note == "treadmill":
            belt = -motion.fps * (shift[:, 1] - shift[:, 0])
        path.move(shift)
        known = Known.of(limbs, path, scale.up)
        low = low + height(shift, scale.up)
    force = None
    if pushed and note != "root_fixed":
        force = support_force(seen, scale, whole, shift, p)
    normals = flat_feet(path, limbs, known, scale, valid, p)
    del known
    forwards = [
        _forward(motion, path, limb, scale, flat)
        for limb, (_, flat) in zip(limbs, normals, strict=True)
    ]

    def soles_at(ups: Sequence[Ups]) -> list[Underside]:
        each = zip(limbs, ups, forwards, strict=True)
        return [underside(limb, way_up, ahead, scale.leg) for limb, way_up, ahead in each]

    ups = level_at_rest(motion, limbs, symmetric(limbs, [up for up, _ in normals], p), p)
    soles = soles_at(ups)
    moved = _follow(path, soles, scale.up, velocities=False)
    feet_up = _sole_normal(motion, path, limbs, normals, scale)
    ground, stands = _ground(moved, low, scale, valid, feet_up, p)
    if ground.kind == "sloped" and ground.normal @ scale.up < np.cos(p.slight_tilt):
        # On a ramp the soles are parallel to the ramp: look again with its normal.
        tilted = Scale(scale.leg, scale.speed, scale.fps, ground.normal)
        known = Known.of(limbs, path, ground.normal)
        ups = symmetric(limbs, [up for up, _ in flat_feet(path, limbs, known, tilted, valid, p)], p)
        soles = soles_at(ups)
        moved = _follow(path, soles, scale.up, velocities=False)
        again, stands = _ground(moved, low, scale, valid, ground.normal, p)
        ground = again if again.kind == "sloped" else ground
    ground = _levelled(ground, motion, scale, p)
    clearance = _clearance(ground, motion, scale, p)
    ground = _lowered(ground, clearance)
    del moved
    soles = [sole.lowered(up, clearance) for sole, up in zip(soles, ups, strict=True)]
    moved = _follow(path, soles, ground.normal, velocities=True)
    signals = tuple(
        LimbSignals(
            tuple(point.role for point in sole.points),
            t.position,
            t.velocity,
            ground.below(t.height, k),
            t.speed,
        )
        for k, (sole, t) in enumerate(zip(soles, moved, strict=True))
    )
    return Observation(
        motion, p, valid, scale, limbs, tuple(soles), signals, ground, tuple(stands), force, note,
        _NOTES.get(note, ()), belt, _surface(note, drift, belt), shift,
    )  # fmt: skip


_NO_FOOT = (
    "No foot was found in this skeleton: the clip is taken as flight throughout. "
    "Name the feet with a segments file if there are any."
)
_NOTES = {
    "root_fixed": (
        "The root of this capture does not travel: contacts are found from the pose alone, the "
        "lowest foot being taken to stand.",
    ),
    "treadmill": (
        "The standing feet share one velocity while the body stays in place: a treadmill, whose "
        "belt is taken as the ground.",
    ),
}


def _drift(centre: np.ndarray, scale: Scale, valid: np.ndarray) -> float:
    """Return m/s how fast the body as a whole ``(3, F)`` gets away, along the ground."""
    good = np.flatnonzero(valid)
    way = centre[:, good[-1]] - centre[:, good[0]]
    way = way - scale.up * (way @ scale.up)
    return math.sqrt(way @ way) * scale.fps / len(good)


def _surface(note: str, drift: float, belt: np.ndarray | None) -> Inference:
    """Say what the body moves over."""
    if note == "root_fixed":
        return Inference("surface", "in place", 0.9, "the root does not travel")
    if belt is None:
        why = f"the body as a whole travels at {drift:.2f} m/s and the feet that stand do not"
        return Inference("surface", "overground", 0.9, why)
    speed = math.sqrt(belt @ belt)
    why = f"the feet that stand move at {speed:.2f} m/s, the body as a whole at {drift:.2f} m/s"
    return Inference("surface", f"treadmill, {speed:.2f} m/s", 0.95, why)


def _root(motion: Motion) -> np.ndarray:
    """Return ``(3, F)`` m where the root is."""
    skeleton = motion.skeleton
    at = np.repeat(skeleton.offset[skeleton.root][:, None], motion.n_frames, axis=1)
    slot = skeleton.slot[skeleton.root]
    return at + motion.displacement[slot] if slot >= 0 else at


def _forward(motion: Motion, path: Paths, limb: Limb, scale: Scale, flat: np.ndarray) -> np.ndarray:
    """Return ``(3)`` the way a limb points, in its frame, where its own bones do not say.

    People walk forwards: the way the root travels, else any level direction.
    """
    if any(point.role in ("ball", "tip") for point in limb.points):
        return np.zeros(3)
    root = _root(motion)
    travel = root[:, -1] - root[:, 0]
    travel = travel - scale.up * (travel @ scale.up)
    if np.linalg.norm(travel) < 0.2 * scale.leg or not np.isfinite(travel).all():
        travel = np.cross(scale.up, np.eye(3)[int(np.argmin(np.abs(scale.up)))])
    return medians(path.turned_back(limb.foot, travel, flat))


def _follow(
    path: Paths, soles: Sequence[Underside], up: np.ndarray, *, velocities: bool
) -> list[Track]:
    """Return for every sole what its points do; heights along up."""
    points = [point for sole in soles for point in sole.points]
    return path.of(points, up, velocities=velocities).split([len(sole.points) for sole in soles])


def _ground(
    moved: Sequence[Track], low: np.ndarray, scale: Scale, valid: np.ndarray,
    normal: np.ndarray | None, p: ContactParameters,
) -> tuple[Ground, list[Stand]]:  # fmt: skip
    stands = find_stands(moved, low, scale, valid, p)
    floor = low
    if not stands:
        floor = np.minimum(low, np.min([limb.height.min(axis=0) for limb in moved], axis=0))
    fallback = float(floor[valid].min())
    return find_ground(stands, len(moved), len(low), scale, fallback, normal, p), stands


def _sole_normal(
    motion: Motion, path: Paths, limbs: tuple[Limb, ...],
    normals: Sequence[FlatFoot], scale: Scale,
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
            way = path.turned(limb.foot, ahead, flat)
            level = way - scale.up * (way @ scale.up)
            tilt = level * (way @ scale.up) / max(float(level @ level), 1e-12)
            found.append(scale.up - tilt)
        elif any(motion.skeleton.channels):
            found.append(path.turned(limb.foot, scale.up, flat))
    if not found:
        return None
    normal = sum(found[1:], found[0])
    return np.asarray(normal / math.sqrt(normal @ normal))


def _levelled(ground: Ground, motion: Motion, scale: Scale, p: ContactParameters) -> Ground:
    """Return a floor with force plates in it as level as they are, if it almost is."""
    plane = ground.planes[0]
    if motion.plates is None or ground.kind != "sloped":
        return ground
    level = bool((np.abs(motion.plates.normal @ scale.up) > np.cos(p.plate_level)).all())
    if not level or plane.normal @ scale.up < np.cos(p.slight_tilt):
        return ground
    return Ground((Plane(plane.point, scale.up),), "level", ground.index)


def _clearance(ground: Ground, motion: Motion, scale: Scale, p: ContactParameters) -> float:
    """Return m how far the ground is below the points that were seen to stand on it."""
    level = float(ground.planes[0].point @ scale.up)
    if motion.plates is not None:
        gaps = [
            float((plane.point - centre) @ scale.up)
            for plane in ground.planes
            for centre in motion.plates.centre
        ]
        low, high = -p.plate_below * scale.leg, p.plate_above * scale.leg
        good = [gap for gap in gaps if low <= gap < high]
        if good:
            return min(good, key=abs)
    low, high = -p.floor_below * scale.leg, p.floor_above * scale.leg
    if ground.kind == "level" and low <= level < high:
        return level
    return p.skin * scale.leg


def _lowered(ground: Ground, clearance: float) -> Ground:
    planes = tuple(Plane(p.point - clearance * p.normal, p.normal) for p in ground.planes)
    return Ground(planes, ground.kind, ground.index)
