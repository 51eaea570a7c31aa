"""Hands, forearms, knees, seat and back as further supports: round contact surfaces."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import replace

import numpy as np

from mocap_reroot.contact.body_series import body_series
from mocap_reroot.contact.ground import Ground
from mocap_reroot.contact.limbs import SIDES, Limb, Point, first_of
from mocap_reroot.contact.observation import Observation
from mocap_reroot.contact.paths import Paths
from mocap_reroot.contact.signals import differentiate, height, medians
from mocap_reroot.contact.soles import underside
from mocap_reroot.contact.stances import LimbSignals
from mocap_reroot.errors import UnknownNameError
from mocap_reroot.mechanics.kinematics import forward
from mocap_reroot.numerics.vectors import turn
from mocap_reroot.options import tell_renamed
from mocap_reroot.parameters import ContactParameters
from mocap_reroot.types import Motion, Plane, Skeleton

KINDS = {"hand": "hands", "forearm": "forearms", "knee": "knees", "seat": "seat", "back": "back"}
"""Kinds of round parts, and what they are called in ``--limbs``."""


def named(
    limbs: str | Sequence[str], skeleton: Skeleton, *, hands: bool = False, knees: bool = False
) -> frozenset[str]:
    """Return the words of ``--limbs``: kinds, sides of kinds, and bodies.

    Raises:
        UnknownNameError: There is no such limb; offers names.
    """
    texts = [limbs] if isinstance(limbs, str) else limbs
    words = [word.strip() for text in texts for word in text.split(",") if word.strip()]
    for old, given in (("hands", hands), ("knees", knees)):
        if given:
            tell_renamed(old, f"limbs (feet,{old})")
            words += ["feet", old] if "auto" not in words else []
    both = [f"{side}_{kind}" for side in SIDES for kind in list(KINDS)[:3]]
    valid = ["auto", "feet", "all", *KINDS.values(), *both]
    for word in words:
        if word not in valid and word not in skeleton.names:
            raise UnknownNameError("limb", word, [*valid, *skeleton.names])
    if {"auto", "all"} & set(words) or not words:
        return frozenset(["feet", *KINDS.values()])
    return frozenset(words)


def find_pads(skeleton: Skeleton, leg: float, p: ContactParameters) -> list[Limb]:
    """Return the round parts of a person; none where nothing is known of who is who."""
    anatomy = skeleton.anatomy
    if anatomy is None or not anatomy.human:
        return []
    found: list[Limb] = []
    reach = (("hand", "hand", p.palm), ("forearm", "forearm", p.elbow), ("knee", "shank", p.shin))
    for side in SIDES:
        for kind, segment, share in reach:
            body = first_of(skeleton, f"{side}_{segment}")
            if body is not None:
                ends = [(body, np.zeros(3)), (body, share * _end(skeleton, body))]
                found.append(_pad(kind, side, ends, leg, p))
    pelvis, trunk = first_of(skeleton, "pelvis"), anatomy.find("trunk")
    thighs, arms = (
        [b for side in SIDES if (b := first_of(skeleton, f"{side}_{word}")) is not None]
        for word in ("thigh", "upper_arm")
    )
    if pelvis is not None and len(thighs) == 2:
        found.append(
            _pad("seat", "", [(pelvis, _joint(skeleton, pelvis, b)) for b in thighs], leg, p)
        )
    if trunk and arms:  # the upper back: below it, whoever sits is near the ground anyway
        high = max(trunk, key=lambda b: len(skeleton.chain(b)))
        top = np.mean([_joint(skeleton, high, b) for b in arms], axis=0)
        low = np.zeros(3) if len(trunk) > 1 else p.back_begins * top
        found.append(_pad("back", "", [(high, top), (high, low)], leg, p))
    return found


def _pad(
    kind: str, side: str, ends: Sequence[tuple[int, np.ndarray]], leg: float, p: ContactParameters
) -> Limb:
    """Return a round part from its first end, on whose body it is, to its last."""
    body, roles = ends[0][0], ("heel", "tip")
    points = tuple(Point(*end, role) for end, role in zip(ends, roles, strict=True))
    return Limb(body, (body,), kind, side, points, leg, getattr(p, kind) * leg)


def _joint(skeleton: Skeleton, body: int, below: int) -> np.ndarray:
    """Return ``(3)`` m, where the joint of a body below is in a body's frame, at rest."""
    place = np.zeros(3)
    for member in skeleton.chain(below):
        if member == body:
            break
        place = skeleton.offset[member] + turn(skeleton.rest[member], place)
    return place


def _end(skeleton: Skeleton, body: int) -> np.ndarray:
    """Return ``(3)`` m, the far end of a segment in its body's frame, at rest.

    That is the joint of the next segment; of a hand, the tip of the fingers.
    """
    segments, below = skeleton.segments, skeleton.subtree(body)
    ends = [_joint(skeleton, body, b) for b in below]
    ends += [
        _joint(skeleton, body, int(b)) + site
        for b, site in zip(skeleton.site_body, skeleton.site_offset, strict=True)
        if b in below
    ]
    following = [b for b in below if segments[b] != segments[body]]
    if following and not segments[body].endswith("hand"):
        nearest = min(following, key=lambda b: len(skeleton.chain(b)))
        return _joint(skeleton, body, nearest)
    return max(ends, key=lambda end: float(end @ end))


def with_pads(seen: Observation, wanted: Collection[str], *, always: bool = False) -> Observation:
    """Return an observation of the feet with the round parts that come near the ground.

    Args:
        seen: The feet, and the ground they stand on.
        wanted: Kinds of parts, sides and bodies (by name) that may carry.
        always: Whether also those that never come near it.
    """
    motion, p = seen.motion, seen.parameters
    names = motion.skeleton.names
    pads = [
        pad
        for pad in find_pads(motion.skeleton, seen.scale.leg, p)
        if {KINDS[pad.kind], f"{pad.side}_{pad.kind}", names[pad.foot]} & set(wanted)
    ]
    if not pads or not seen.limbs:
        return seen
    if seen.note == "root_fixed" and seen.ground.kind != "unknown":
        return seen  # nothing tells how high they are
    if not always:
        pads = _near(pads, seen)
    if not pads:
        return seen
    bodies = [point.body for pad in pads for point in pad.points] + [pad.foot for pad in pads]
    path = body_series(motion, bodies, None, p.cutoff).path
    if seen.shift is not None:
        path.move(seen.shift)
    under = np.repeat(seen.ground.index[:1], len(pads), axis=0)
    planes = seen.ground.planes
    if seen.ground.kind == "unknown":  # no foot ever stood: it is where the lowest of all is
        skins = [path.of(pad.points, seen.scale.up).height - pad.radius for pad in pads]
        lowest = np.min(np.concatenate(skins)[:, seen.valid], axis=0)
        level = min(float(planes[0].point @ seen.scale.up), float(np.quantile(lowest, 0.05)))
        planes = (Plane(seen.scale.up * level, seen.scale.up),)
    ground = Ground(planes, seen.ground.kind, np.vstack([seen.ground.index, under]))
    undersides, signals = [], []
    for pad, k in zip(pads, range(len(seen.limbs), len(ground.index)), strict=True):
        mine = _signals(pad, path, ground, k)
        low = np.where(seen.valid, mine.lowest, np.inf)
        frames = np.flatnonzero(low <= max(np.quantile(low[seen.valid], 0.1), 0.0))
        way_up = medians(path.turned_back(pad.foot, ground.normal, frames))
        way_up = way_up / max(float(np.linalg.norm(way_up)), 1e-9)
        undersides.append(underside(pad, (way_up,), np.zeros(3), seen.scale.leg))
        signals.append(mine)
    return replace(
        seen, limbs=(*seen.limbs, *pads), undersides=(*seen.undersides, *undersides),
        signals=(*seen.signals, *signals), ground=ground,
    )  # fmt: skip


def _near(pads: list[Limb], seen: Observation) -> list[Limb]:
    """Return the parts that come near the ground in some frame, or low enough to sit."""
    motion, scale, p = seen.motion, seen.scale, seen.parameters
    if seen.ground.kind == "unknown":
        return pads
    step = scale.frames(p.pad_interval)
    some = Motion(
        motion.skeleton, motion.fps / step, motion.up,
        np.ascontiguousarray(motion.rotation[..., ::step]),
        np.ascontiguousarray(motion.displacement[..., ::step]), flags=motion.flags[::step],
    )  # fmt: skip
    world, valid = forward(some), seen.valid[::step]
    normal = seen.ground.normal
    levels = np.array([plane.point @ normal for plane in seen.ground.planes])
    feet = np.min([height(world.position[limb.foot], normal)[valid] for limb in seen.limbs], axis=0)
    floor = levels[seen.ground.index[:, ::step]].min(axis=0)[valid]  # the lower of the feet's
    floor = np.minimum(floor, feet)  # which may be of the box that they have just left
    found = []
    for pad in pads:
        ends = [height(world.point(q.body, q.local), normal)[valid] for q in pad.points]
        lowest = float(np.min(ends - floor, initial=np.inf)) - pad.radius
        seat = pad.kind == "seat" and (np.min(ends, axis=0) - feet < p.pad_seated * scale.leg).any()
        if seat or lowest < p.pad_near * scale.leg:
            found.append(pad)
    return found


def _signals(pad: Limb, path: Paths, ground: Ground, k: int) -> LimbSignals:
    """Return what the skin of a round part does where it is lowest."""
    normal = ground.normal
    track = path.of(pad.points, normal)
    position = track.position - pad.radius * normal[:, None]
    velocity = track.velocity.copy()
    frames = np.arange(path.n_frames)
    for j, point in enumerate(pad.points):
        matrix = path._matrix(point.body, frames)
        down = np.einsum("ijf,i->jf", matrix, normal)
        spin = np.stack([differentiate(row, path.fps) for row in matrix])
        velocity[j] -= pad.radius * np.einsum("ijf,jf->if", spin, down)
    speed = np.sqrt((velocity**2).sum(axis=1))
    high = ground.below(track.height - pad.radius, k)
    return LimbSignals(tuple(q.role for q in pad.points), position, velocity, high, speed)
