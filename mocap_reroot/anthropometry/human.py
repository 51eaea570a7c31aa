"""Segment masses and inertias of a human, laid along the bones of a skeleton."""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np

from mocap_reroot.anthropometry.proportions import Proportions
from mocap_reroot.anthropometry.rigid_parts import SHORT, Bone, RigidPart, norm, oriented, spread
from mocap_reroot.anthropometry.segment_table import Part, SegmentTable

# Where ankle and ball of the foot stand between heel (0) and tip of the toes (1).
_ANKLE, _BALL = 0.25, 0.73
_TOES_SHARE = 0.14  # of the foot's mass, in front of the ball (as in OpenSim's gait models)
_FINGERS_SHARE = 0.4  # of the hand's mass
_NECK_SHARE = 1 / 6  # of the mass of head and neck
_FINGER_RADIUS = 0.005  # of stature
_ANKLE_HEIGHT = 0.039  # of stature (Drillis and Contini 1966), as are the shoulders' half breadth
_SHOULDER = 0.129
_SIDES = ("left", "right")
_TRUNK = ("lower_trunk", "middle_trunk", "upper_trunk")


def human_parts(proportions: Proportions, table: SegmentTable, height: float) -> list[RigidPart]:
    """Return parts of mass that add up to 1, laid along the bones of a human.

    Limbs take their lengths from the skeleton (mean of left and right, so that both sides weigh
    and turn alike), the girth of trunk, head, hands and feet comes from stature. Parts the
    skeleton lacks ride on their neighbour, where they would be; but what people keep upright does
    not turn with its neighbour, and weighs on it where the two join: a head that nobody saw on the
    trunk, a whole upper body that nobody saw on the pelvis.
    """
    spine = _spine(proportions, table, height)
    lower, *above = [list(parts) for parts in _trunk(proportions, spine, table, height)]
    upper = [
        *(part for parts in above for part in parts),
        *_head(proportions, spine[-1], table, height),
        *_arms(proportions, spine[-1], table, height),
    ]
    if not proportions.upper_body:
        pelvis = spine[0]
        joint = pelvis.start + pelvis.along * table[_TRUNK[0]].length * height
        upper = [RigidPart(pelvis.body, sum(p.mass for p in upper), joint, np.zeros((3, 3)))]
    return [*lower, *upper, *_legs(proportions, table, height)]


def _spine(proportions: Proportions, table: SegmentTable, height: float) -> list[Bone]:
    """Return the bones of the trunk up to the base of the neck, the last one with a length.

    Where the skeleton ends below that (at the shoulders, or anywhere), the last bone is lengthened.
    """
    bones = list(proportions.trunk)
    while len(bones) > 1 and bones[-1].length < SHORT:
        bones.pop()
    if proportions.neck_gap is not None:
        missing = proportions.neck_gap * height
    else:
        missing = sum(table[name].length for name in _TRUNK) * height - proportions.trunk_length
    last = bones[-1]
    stretched = last.vector * (1 + max(missing, 0.0) / last.length)
    return [*bones[:-1], Bone(last.body, last.start, stretched, last.side)]


def _trunk(
    proportions: Proportions, bones: list[Bone], table: SegmentTable, height: float
) -> Iterator[list[RigidPart]]:
    """Yield lower, middle and upper trunk.

    The pelvis carries the lower trunk; above it the joints of the spine divide the trunk.
    """
    shares = np.array([table[name].length for name in _TRUNK])
    length = sum(bone.length for bone in bones)
    edges = np.concatenate([[0.0], np.cumsum(shares / shares.sum())]) * length
    pelvis = bones[0]
    if pelvis.length < 0.02:
        up = proportions.local(pelvis.body, proportions.upward)
        pelvis = proportions.bone(pelvis.body, pelvis.start, 0.02 * up)
    for k, name in enumerate(_TRUNK):
        part, low, high = table[name], edges[k], edges[k + 1]
        com = high - part.com * (high - low)  # the table counts from above
        radii = [r * part.length * height for r in part.radii]
        yield spread([pelvis] if k == 0 else bones, low, high, part.mass, com, radii)


def _head(
    proportions: Proportions, top: Bone, table: SegmentTable, height: float
) -> Iterator[RigidPart]:
    part = table["head"]
    head, base = proportions.first("head"), proportions.neck_base
    if base is None:  # people look ahead, however the trunk leans
        yield RigidPart(top.body, part.mass, top.start + top.vector, np.zeros((3, 3)))
        return
    size = part.length * height
    radii = [r * size for r in part.radii]
    above = (1 - part.com) * size  # centre of mass over the base of the neck
    body = base if head is None else head
    bone = proportions.bone(body, np.zeros(3), size * _head_direction(proportions, body))
    neck = proportions.path(base, body) if base in proportions.skeleton.chain(body) else []
    length = sum(b.length for b in neck)
    if length < 0.02:
        yield from spread([bone], 0, size, part.mass, above, radii)
        return
    light, heavy = _NECK_SHARE * part.mass, (1 - _NECK_SHARE) * part.mass
    girth = 0.25 * size
    thin = [math.hypot(girth / 2, length / math.sqrt(12))] * 2 + [girth / math.sqrt(2)]
    yield from spread(neck, 0, length, light, length / 2, thin)
    # Head and neck together keep the table's centre of mass.
    rest = max((above - _NECK_SHARE * length / 2) / (1 - _NECK_SHARE) - length, 0.0)
    yield from spread([bone], 0, size, heavy, rest, radii)


def _head_direction(proportions: Proportions, body: int) -> np.ndarray:
    """Return the unit direction of the head in its own axes: its End Site, or up the trunk."""
    up = proportions.local(body, proportions.upward)
    tip = proportions.tip(body)
    if tip is not None and tip @ up > 0.5 * norm(tip):
        return np.asarray(tip / norm(tip))
    return up


def _arms(
    proportions: Proportions, top: Bone, table: SegmentTable, height: float
) -> Iterator[RigidPart]:
    down = -top.along
    for side in _SIDES:
        sign = 1.0 if side == "left" else -1.0
        shoulder = top.start + top.vector + sign * _SHOULDER * height * top.side
        last = Bone(top.body, shoulder - down * 1e-3, 1e-3 * down, top.side)
        for name, following in (("upper_arm", "forearm"), ("forearm", "hand")):
            bones = _limb(proportions, side, name, following, table[name].length * height, last)
            yield from _along(bones, table[name], _length(proportions, name, following, bones))
            last = bones[-1]
        yield from _hand(proportions, side, table["hand"], height, last)


def _legs(proportions: Proportions, table: SegmentTable, height: float) -> Iterator[RigidPart]:
    pelvis = proportions.pelvis
    down = proportions.local(pelvis, -proportions.upward)
    start = proportions.local(pelvis, proportions.mid_hip - proportions.rest_position[pelvis])
    for side in _SIDES:
        last = proportions.bone(pelvis, start - 1e-3 * down, 1e-3 * down)
        for name, following in (("thigh", "shank"), ("shank", "foot")):
            bones = _limb(proportions, side, name, following, table[name].length * height, last)
            yield from _along(bones, table[name], _length(proportions, name, following, bones))
            last = bones[-1]
        yield from _foot(proportions, side, table["foot"], height, last)


def _limb(
    proportions: Proportions, side: str, name: str, following: str, fallback: float, last: Bone
) -> list[Bone]:
    """Return the bones of a limb segment, or a stand-in that continues the last bone."""
    if proportions.first(f"{side}_{name}") is None:
        along = last.along
        return [Bone(last.body, last.start + last.vector, fallback * along, last.side)]
    return proportions.limb(f"{side}_{name}", f"{side}_{following}", fallback)


def _length(proportions: Proportions, name: str, following: str, bones: list[Bone]) -> float:
    """Return a limb segment's length, m: the mean of both sides where both are alike."""
    own = sum(bone.length for bone in bones)
    both = [
        sum(bone.length for bone in proportions.limb(f"{s}_{name}", f"{s}_{following}", own))
        for s in _SIDES
        if proportions.first(f"{s}_{name}") is not None
    ]
    mean = float(np.mean(both)) if len(both) == 2 else own
    return mean if abs(mean - own) < 0.1 * own else own


def _along(bones: list[Bone], part: Part, length: float) -> list[RigidPart]:
    """Lay a limb segment along its bones; the same about both cross axes."""
    fore, left, long = (r * length for r in part.radii)
    cross = math.hypot(fore, left) / math.sqrt(2)
    return spread(bones, 0.0, length, part.mass, part.com * length, (cross, cross, long))


def _hand(
    proportions: Proportions, side: str, part: Part, height: float, last: Bone
) -> Iterator[RigidPart]:
    size = part.length * height
    radii = [math.hypot(*part.radii[:2]) / math.sqrt(2) * size] * 2 + [part.radii[2] * size]
    hand = proportions.first(f"{side}_hand")
    if hand is None:  # beyond the wrist, on the forearm
        along = last.along
        stand_in = Bone(last.body, last.start + last.vector, size * along, last.side)
        yield from spread([stand_in], 0, size, part.mass, part.com * size, radii)
        return
    fingers = _small_bones(proportions, f"{side}_fingers")
    aim = _mean_direction(proportions, hand, f"{side}_fingers", last)
    bone = proportions.bone(hand, np.zeros(3), size * aim)
    if not fingers:
        yield from spread([bone], 0, size, part.mass, part.com * size, radii)
        return
    palm = (1 - _FINGERS_SHARE) * part.mass
    yield from spread([bone], 0, size, palm, 0.55 * size, radii)
    yield from _rods(fingers, _FINGERS_SHARE * part.mass, _FINGER_RADIUS * height)


def _foot(
    proportions: Proportions, side: str, part: Part, height: float, last: Bone
) -> Iterator[RigidPart]:
    size = part.length * height
    cross = math.hypot(*part.radii[:2]) / math.sqrt(2)
    radii = [cross * size, cross * size, part.radii[2] * size]
    foot, toes = proportions.first(f"{side}_foot"), proportions.first(f"{side}_toes")
    if foot is None:  # under the ankle, on the shank
        along = last.along
        depth = _ANKLE_HEIGHT * height
        stand_in = Bone(last.body, last.start + last.vector, depth * along, last.side)
        even = [cross * size] * 3
        yield from spread([stand_in], 0, depth, part.mass, depth / 2, even)
        return
    reach, at = _foot_reach(proportions, foot, toes, size, last)
    length = _mean_reach(proportions, side, norm(reach))
    bone = proportions.bone(foot, np.zeros(3), reach / norm(reach) * length)
    com = (part.com - _ANKLE) / (at - _ANKLE) * length
    if toes is None or toes not in proportions.skeleton.subtree(foot):
        yield from spread([bone], 0, length, part.mass, com, radii)
        return
    share = _TOES_SHARE
    small = _small_bones(proportions, f"{side}_toes")
    if not small:
        forward = proportions.rest_rotation[foot] @ reach / norm(reach)
        tip = proportions.local(toes, forward) * (1 - _BALL) * size
        small = [proportions.bone(toes, np.zeros(3), tip)]
    beyond = length * (1 + (1 - _BALL) / 2 / (_BALL - _ANKLE))
    com = max((com - share * beyond) / (1 - share), 0.0)
    shorter = [_BALL * r for r in radii[:2]] + [radii[2]]
    yield from spread([bone], 0, length, (1 - share) * part.mass, com, shorter)
    yield from _rods(small, share * part.mass, 2 * _FINGER_RADIUS * height)


def _foot_reach(
    proportions: Proportions, foot: int, toes: int | None, size: float, last: Bone
) -> tuple[np.ndarray, float]:
    """Return the vector from the ankle towards the toes, foot axes, and where it ends (0–1)."""
    if toes is not None and foot in proportions.skeleton.chain(toes):
        vector = proportions.rest_position[toes] - proportions.rest_position[foot]
        if norm(vector) > 0.02 * size:
            return proportions.local(foot, vector), _BALL
    tip = proportions.tip(foot)
    if tip is None:  # a foot without extent: some way on from the shank
        along = proportions.rest_rotation[last.body] @ last.along
        return proportions.local(foot, along) * 0.3 * size, 1.0
    return tip, 1.0


def _mean_reach(proportions: Proportions, side: str, own: float) -> float:
    """Return the length from ankle to toes, the mean of both feet where they are alike."""
    other = "right" if side == "left" else "left"
    foot, toes = proportions.first(f"{other}_foot"), proportions.first(f"{other}_toes")
    if foot is None:
        return own
    if toes is not None and foot in proportions.skeleton.chain(toes):
        reach = proportions.rest_position[toes] - proportions.rest_position[foot]
    else:
        tip = proportions.tip(foot)
        if tip is None:
            return own
        reach = tip
    length = norm(reach)
    return (own + length) / 2 if abs(length - own) < 0.2 * own else own


def _small_bones(proportions: Proportions, segment: str) -> list[Bone]:
    """Return the bones of all fingers or toes: to each child, or to the End Site."""
    bones = []
    for body in proportions.skeleton.order:
        if proportions.segments[body] != segment:
            continue
        ends = [proportions.skeleton.offset[c] for c in proportions.skeleton.children[body]]
        tip = proportions.tip(int(body))
        if not ends and tip is not None:
            ends = [tip]
        bones += [proportions.bone(int(body), np.zeros(3), end) for end in ends]
    return [bone for bone in bones if bone.length > 1e-3]


def _mean_direction(proportions: Proportions, hand: int, fingers: str, last: Bone) -> np.ndarray:
    """Return the unit direction of a hand in its axes: fingers, End Site, or the forearm's."""
    vectors = [
        proportions.rest_position[b] - proportions.rest_position[hand]
        for b in proportions.skeleton.subtree(hand)
        if proportions.segments[b] == fingers
    ]
    mean = proportions.local(hand, np.mean(vectors, axis=0)) if vectors else np.zeros(3)
    tip = proportions.tip(hand)
    if norm(mean) < 0.01 and tip is not None:
        mean = tip
    if norm(mean) < 0.01:
        mean = proportions.local(hand, proportions.rest_rotation[last.body] @ last.vector)
    return np.asarray(mean / norm(mean))


def _rods(bones: list[Bone], mass: float, radius: float) -> Iterator[RigidPart]:
    """Share mass over small bones by their length, as solid rods."""
    total = sum(bone.length for bone in bones)
    for bone in bones:
        along = bone.along
        cross = bone.length**2 / 12 + radius**2 / 4
        inertia = oriented((cross, cross, radius**2 / 2), along, bone.side)
        own = mass * bone.length / total
        yield RigidPart(bone.body, own, bone.start + bone.vector / 2, own * inertia)
