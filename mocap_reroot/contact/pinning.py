"""pin_feet(): hold stance feet that slide or sink, by inverse kinematics of the leg.

A foot that stands has one freedom left: it rolls over its heel until it is flat, and over its ball
afterwards. So every stance gets one place and one heading, its own usual ones; only the pitch
follows the capture. The difference to the capture fades out just before and after the stance. The
legs follow by displacement constraints: feet come to where they belong; hip, knee and ankle turn as
little as they can, and the pelvis gives way a little where a leg is too straight to do so alone.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise

import numpy as np
from scipy.ndimage import gaussian_filter1d, maximum_filter1d
from scipy.spatial.transform import Rotation

from mocap_reroot.contact.stance_feet import StanceFoot, foot_skate, stance_feet
from mocap_reroot.mechanics.displacement import TRUNCATION
from mocap_reroot.mechanics.kinematics import forward
from mocap_reroot.skeletons.fitting import Arrays, tree_arrays
from mocap_reroot.skeletons.vectors import quaternions
from mocap_reroot.types import Contacts, Motion, read_only

FADE = 0.1
"""s, before and after a stance, over which its correction fades, before it is smoothed."""
REACH = 0.2
"""s, before and after a stance, beyond which nothing is touched."""

_EASE = 0.002  # s, by which corrections are smoothed in time
_LIFT = 0.015  # s, the same for what lifts feet and toes out of the ground
_RAMP = 0.06  # s, at both ends of a stance, over which the foot comes to rest and leaves
_FLAT = 0.05  # rad, pitch of a sole below which it counts as flat
_SWITCH = 0.01  # rad, over which the bearing goes from heel to ball
_FARTHEST = (
    0.07  # of the leg, a shift beyond which a foot does not stand but shuffles, or is carried
)
_TWIST = 0.3  # rad, a turn beyond which it is meant
# Weights of what a step of the legs may cost: a point of the sole, a metre of the pelvis, a radian.
_FOOT, _PELVIS, _TURN, _FROZEN = 1e6, 2e3, 1.0, 1e6
_YIELD = 0.006  # rad, of rolling, over which the weight of what has left the ground falls by e
_LOOSEST = 14.0
_STEPS = 4


def pin_feet(motion: Motion, contacts: Contacts) -> Motion:
    """Hold stance feet where they stand.

    Args:
        motion: The captured motion, not smoothed.
        contacts: Which feet stand when, and on what ground.

    Returns:
        Motion: Legs (and, slightly, the pelvis) moved in stances and just beside them; nothing
        else. ``source.repairs`` says by how much. Velocities are dropped: smooth it afterwards.
    """
    feet = [] if motion.coordinates is not None else stance_feet(motion, contacts)
    if not feet:
        text = "No foot was pinned: none stands, or their legs are not free to bend."
        if motion.coordinates is not None:
            text = "No foot was pinned: the joints of a model move by its coordinates alone."
        return replace(motion, source=motion.source.adding(warnings=[text]))
    targets, looseness, carried = [], [], 0
    for foot in feet:
        turn, shift, loose, count = correction(foot, motion.fps, _leg(motion, foot.foot))
        targets.append(foot.turned(turn).shifted(shift))
        looseness.append(loose)
        carried += count
    pinned = toes_lifted(follow(motion, feet, targets, looseness), contacts)
    return _told(motion, pinned, feet, stance_feet(pinned, contacts), carried)


def correction(
    foot: StanceFoot, fps: float, leg: float
) -> tuple[np.ndarray, np.ndarray, np.ndarray, int]:
    """Return what holds a foot where it stands, and how many of its stances could not be held.

    Args:
        foot: The foot as captured.
        fps: Frames per second.
        leg: m; a stance that slides by a good part of it is on a belt, or was captured in place.

    Returns:
        tuple: Turns about the ankle ``(3, F)`` rad, shifts ``(3, F)`` m, how loosely heel and ball
        are held ``(2, F)``, and a count.
    """
    shape = foot.ankle.shape
    stands, turns, shifts, looseness = [], [], [], np.zeros((2, shape[1]))
    for start, stop in foot.stances:
        turn, shift, loose = _held(foot.cut(start, stop), ramp(stop - start, fps))
        farthest = _FARTHEST if turn.any() else _FARTHEST / 2
        if np.linalg.norm(shift, axis=0).max() < farthest * leg:
            stands.append((start, stop))
            turns.append(turn)
            shifts.append(shift)
            looseness[:, start:stop] = loose
    turn = spread(shape, stands, turns, fps)
    shift = spread(shape, stands, shifts, fps)
    height = foot.turned(turn).shifted(shift).height[:4]
    sunk = [np.maximum(0, -height[:, a:b].min(axis=0, keepdims=True)) for a, b in stands]
    shift = shift + foot.normal * spread((1, shape[1]), stands, sunk, fps, cover=True)
    return turn, shift, looseness, len(foot.stances) - len(stands)


def _held(foot: StanceFoot, rest: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return turn and shift ``(3, f)`` that hold a foot during one stance.

    Args:
        foot: Frames of the stance only.
        rest: ``(f)`` how firmly it rests, 0 to 1.

    Returns:
        tuple: Turn, shift, and how loosely heel and ball are held ``(2, f)``: while the foot rolls
        over one, the other may give way, so that the ankle rather than the knee makes up.
    """
    pitch = foot.level
    flat = rest * np.exp(-0.5 * (pitch / _FLAT) ** 2) + 1e-3 * rest + 1e-9
    middle = Rotation.from_matrix(foot.orientation).mean(flat).as_matrix()
    up = np.average(foot.normal, axis=1, weights=flat)
    sole = foot.sole
    heel, ball = sole[:2].mean(axis=0), sole[2:].mean(axis=0)
    side = middle @ (sole[3] - sole[2])
    side = side / np.linalg.norm(side)
    if side @ np.cross(middle @ (heel - ball), up) < 0:
        side = -side  # so that turning about it lifts the heel
    # How the sole is inclined in the middle of the stance; a little is taken as flat.
    usual = float(np.arcsin(up @ (middle @ (heel - ball)) / np.linalg.norm(heel - ball)))
    base = 0.0 if abs(usual) < 2 * _FLAT else usual
    apart = Rotation.from_matrix(foot.orientation @ middle.T).as_quat()  # x, y, z, w
    rolled = base + 2 * np.arctan2(apart[:, :3] @ side, apart[:, 3])
    rolled = (rolled + np.pi) % (2 * np.pi) - np.pi
    eased = rolled**3 / (rolled**2 + _FLAT**2)  # small inclinations are none
    about = Rotation.from_rotvec(np.outer(eased - base, side)).as_matrix()
    R = about @ middle
    onto_ball = 1 / (1 + np.exp(-np.clip(eased / _SWITCH, -50, 50)))
    flat_R = Rotation.from_rotvec(-base * side).as_matrix() @ middle
    pivot = heel[:, None] + np.outer(ball - heel, onto_ball)  # (3, f) in the foot
    ground = flat_R @ pivot  # the same point while the foot is flat, from the flat foot's ankle
    seen = foot.ankle + np.einsum("fij,jf->if", foot.orientation, pivot) - ground
    place = np.average(seen, axis=1, weights=rest + 1e-9)  # of the flat foot's ankle
    low = ((place[:, None] + flat_R @ sole.T - foot.point[:, :1]) * up[:, None]).sum(axis=0).min()
    place = place + up * max(0.0, -low)
    ankle = place[:, None] + ground - np.einsum("fij,jf->if", R, pivot)
    turn = Rotation.from_matrix(R @ foot.orientation.transpose(0, 2, 1)).as_rotvec().T
    if np.linalg.norm(turn * rest, axis=0).max() > _TWIST:  # it is meant to: a spin on the ball
        spin = np.zeros_like(turn)
        return spin, rest * _unslipped(foot, place, pivot, ground), np.zeros((2, len(rest)))
    loose = rest * np.clip(np.stack([eased, -eased]) / _YIELD, 0, _LOOSEST)
    return rest * turn, rest * (ankle - foot.ankle), loose


def _unslipped(
    foot: StanceFoot, place: np.ndarray, pivot: np.ndarray, ground: np.ndarray
) -> np.ndarray:
    """Return the shift ``(3, f)`` that only keeps the bearing point in place."""
    bearing = foot.ankle + np.einsum("fij,jf->if", foot.orientation, pivot)
    return np.asarray(place[:, None] + ground - bearing)


def ramp(frames: int, fps: float) -> np.ndarray:
    """Return ``(frames)`` 0 to 1 to 0: how firmly a foot rests in the course of a stance."""
    length = max(2.0, min(_RAMP * fps, frames / 3))
    at = np.arange(frames)
    rise = np.clip(np.minimum(at, frames - 1 - at) / length, 0, 1)
    return np.asarray(rise * rise * (3 - 2 * rise))


def spread(
    shape: tuple[int, ...],
    stances: Sequence[tuple[int, int]],
    paths: Sequence[np.ndarray],
    fps: float,
    *,
    cover: bool = False,
) -> np.ndarray:
    """Return corrections of stances over the whole clip, smooth, fading before and after them.

    Args:
        shape: Of the result, frames last.
        stances, paths: Where, and the correction there.
        fps: Frames per second.
        cover: Whether the result must nowhere be less than the paths.
    """
    total = np.zeros(shape)
    for (start, stop), path in zip(stances, paths, strict=True):
        total[:, start:stop] = path
    _fade(total, stances, fps)
    width = (_LIFT if cover else _EASE) * fps
    if cover:
        total = maximum_filter1d(total, 2 * int(np.ceil(2 * width)) + 1, axis=1)
    return np.asarray(gaussian_filter1d(total, width, axis=1, mode="nearest", truncate=3.0))


def _fade(total: np.ndarray, stances: Sequence[tuple[int, int]], fps: float) -> None:
    """Let corrections fade before and after stances, in place; near ones run into each other."""
    frames = total.shape[1]
    window = max(2, round(FADE * fps))
    edges = [(0, 0), *stances, (frames, frames)]
    for (_, off), (on, _) in pairwise(edges):
        gap = on - off
        if gap <= 0:
            continue
        before = total[:, off - 1] if off > 0 else np.zeros(len(total))
        after = total[:, on] if on < frames else np.zeros(len(total))
        at = np.arange(1, gap + 1)
        length = window if gap > 2 * window else gap + 1
        leaving, coming = _smooth_step(at / length), _smooth_step((gap + 1 - at) / length)
        if gap <= 2 * window:
            coming = 1 - leaving
        total[:, off:on] = before[:, None] * (1 - leaving) + after[:, None] * (1 - coming)


def _smooth_step(x: np.ndarray) -> np.ndarray:
    """Return 0 to 1 with no velocity and no acceleration at either end."""
    x = np.clip(x, 0, 1)
    return np.asarray(x**3 * (10 - 15 * x + 6 * x * x))


def _leg(motion: Motion, foot: int) -> float:
    """Return m, the two bones above a foot."""
    chain = motion.skeleton.chain(foot)
    lengths = np.linalg.norm(motion.skeleton.offset[list(chain[:-1])], axis=1)
    return float(lengths[:2].sum())


def follow(
    motion: Motion, feet: list[StanceFoot], targets: list[StanceFoot], looseness: list[np.ndarray]
) -> Motion:
    """Return the motion with feet moved and legs after them.

    Args:
        motion: To move.
        feet, targets: Where its feet are, and where they are to be.
        looseness: ``(2, F)`` a foot, how loosely heel and ball are held.
    """
    from mocap_reroot.kernels import fitting as kernels

    skeleton = motion.skeleton
    chains = [skeleton.chain(foot.foot) for foot in feet]
    legs = set().union(*(chain[:-1] for chain in chains))
    bodies = [int(b) for b in skeleton.order if b == skeleton.root or b in legs]
    new = [np.any(a.corners != b.corners, axis=(0, 1)) for a, b in zip(feet, targets, strict=True)]
    frames = np.flatnonzero(np.any(new, axis=0) & motion.analysed)
    if not len(frames):
        return motion
    tree = _subtree(motion, bodies, frames)
    rotation = motion.rotation[bodies][:, :, frames].transpose(2, 0, 1).copy(order="C")
    slot = skeleton.slot[skeleton.root]
    root = motion.displacement[slot][:, frames].T.copy(order="C")
    markers = _targets(motion, bodies, feet, targets, looseness, frames)
    weight = np.full((len(bodies), 3), _TURN)
    weight[0] = _FROZEN
    for chain in chains:  # between hip and pelvis nothing bends
        weight[[bodies.index(b) for b in chain[3:-1]]] = _FROZEN
    anchors = read_only(rotation.copy()), read_only(weight)
    still = read_only(np.zeros(3 + 3 * len(bodies)))
    for _ in range(_STEPS):
        kernels.sweep(tree, markers, anchors, still, 1e3, TRUNCATION, False, rotation, root)
    turned, moved = motion.rotation.copy(), motion.displacement.copy()
    for k, body in enumerate(bodies):
        turned[body][:, frames] = rotation[:, k].T
    moved[slot][:, frames] = root.T
    return replace(
        motion,
        rotation=turned,
        displacement=moved,
        angular_velocity=None,
        angular_acceleration=None,
        linear_velocity=None,
        linear_acceleration=None,
    )


def toes_lifted(motion: Motion, contacts: Contacts) -> Motion:
    """Return the motion with toes bent up where, in a stance, their tips are below the ground.

    Args:
        motion: To bend.
        contacts: Who stands when.
    """
    world, rotation = forward(motion), motion.rotation.copy()
    for foot in stance_feet(motion, contacts):
        toes = [sole.body for sole in contacts.soles if sole.foot == foot.foot != sole.body]
        if not toes or motion.skeleton.parents[toes[0]] < 0:
            continue
        body, tips = toes[0], foot.corners[4:]
        arm = tips.mean(axis=0) - world.position[body]
        reach = np.linalg.norm(arm, axis=0)
        deep = np.maximum(0, -foot.height[4:].min(axis=0))
        rise = (arm * foot.normal).sum(axis=0) / np.maximum(reach, 1e-6)
        angle = np.arcsin(np.clip(rise + deep / np.maximum(reach, 1e-6), -1, 1)) - np.arcsin(rise)
        paths = [angle[None, a:b] for a, b in foot.stances]
        angle = spread((1, len(deep)), foot.stances, paths, motion.fps, cover=True)[0]
        side = np.cross(arm, foot.normal, axis=0)
        side = side / np.maximum(np.linalg.norm(side, axis=0), 1e-9)
        bent = Rotation.from_rotvec((angle * side).T).as_matrix() @ world.matrix[body]
        frame = world.matrix[motion.skeleton.parents[body]].transpose(0, 2, 1)
        at = (angle > 1e-6) & motion.analysed
        rotation[body][:, at] = quaternions((frame @ bent)[at])
    return replace(motion, rotation=_signs(rotation))


def _signs(rotation: np.ndarray) -> np.ndarray:
    """Return ``(n, 4, F)`` quaternions with signs that run on."""
    from mocap_reroot.kernels.rotations import make_continuous

    make_continuous(rotation)
    return rotation


def _subtree(motion: Motion, bodies: list[int], frames: np.ndarray) -> Arrays:
    """Return the legs and the root as a tree of their own."""
    skeleton = motion.skeleton
    parents = [bodies.index(p) if (p := skeleton.parents[b]) >= 0 else -1 for b in bodies]
    offset = np.repeat(skeleton.offset[bodies][None], len(frames), axis=0)
    for k, body in enumerate(bodies[1:], start=1):
        if skeleton.slot[body] >= 0:
            offset[:, k] += motion.displacement[skeleton.slot[body]][:, frames].T
    return tree_arrays(np.arange(len(bodies)), np.array(parents), offset)


def _targets(
    motion: Motion,
    bodies: list[int],
    feet: list[StanceFoot],
    targets: list[StanceFoot],
    looseness: list[np.ndarray],
    frames: np.ndarray,
) -> Arrays:
    """Return where the corners of the feet and the pelvis are to be, as markers."""
    body, local, weight = [0], [np.zeros(3)], [np.full(len(frames), _PELVIS)]
    position = [forward(motion).position[motion.skeleton.root][:, frames].T]
    for foot, target, loose in zip(feet, targets, looseness, strict=True):
        for k, corner in enumerate(foot.sole):
            body.append(bodies.index(foot.foot))
            local.append(corner)
            weight.append(_FOOT * np.exp(-loose[k // 2, frames]))
            position.append(target.corners[k].T[frames])
    return (
        read_only(body, np.int64),
        read_only(local),
        read_only(np.stack(weight, axis=1)),
        read_only(np.stack(position, axis=1)),
    )


def _told(
    before: Motion, after: Motion, feet: list[StanceFoot], moved: list[StanceFoot], carried: int
) -> Motion:
    """Return the pinned motion with a sentence on what was done."""
    was, now = foot_skate(feet, before.fps), foot_skate(moved, after.fps)
    root = before.skeleton.slot[before.skeleton.root]
    hips = np.linalg.norm(after.displacement[root] - before.displacement[root], axis=0)
    hips = hips[before.analysed]
    sentence = (
        f"Stance feet were pinned: they skated at {was['skate']:.1f} mm/s and now at "
        f"{now['skate']:.1f} mm/s (median), were up to {was['below']:.1f} mm below the ground and "
        f"now {now['below']:.1f} mm; the pelvis moved by up to {1000 * hips.max():.1f} mm."
    )
    source = before.source.adding(repairs=[sentence])
    if carried:
        source = source.adding(
            warnings=[
                f"Stances that slide too far to be pinned: {carried} (a shuffle, a treadmill, or a "
                "clip captured in place)."
            ]
        )
    return replace(after, source=source)
