"""Rotations that no joint can have (failures of a capture solver): found and rebuilt.

Solvers that fit skeletons to markers lose small segments: a foot lies on its back, a thumb points
away from the hand, for some frames or for most of a clip. No joint turns that fast, and none goes
on where it cannot be. So the evidence is a leap within one frame into what lies out of reach of
the frames before, and the other side of the body says which of the two was right.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import pairwise

import numpy as np

from mocap_reroot.mechanics.kinematics import forward
from mocap_reroot.numerics.frames import runs
from mocap_reroot.numerics.vectors import product, turn
from mocap_reroot.types import Motion, Skeleton

REACH = {"foot": 45.0, "toes": 55.0, "forearm": 110.0, "hand": 80.0, "fingers": 80.0}
"""Degrees from the middle of its sound frames within which a joint stays."""
_LEAP = (50.0, 4000.0)
"""Degrees a frame, and a second, beyond which a step is no turn of a joint: the fastest elbows of
pitchers reach 2,500 degrees a second, feet and hands less."""
_SHORTEST = 0.1
"""s, between two leaps nothing shorter is believed."""
_OFTEN = 0.5
"""Share of the frames: a joint lost in more of them is nowhere believed out of reach."""
_USUAL = 0.95
"""Share of the sound frames whose distance from their middle is no less within reach."""
_UNSURE = 30.0
"""Degrees that middles are uncertain by: with less between two states in likeness to the other side
the longer one is sound."""
_BACKWARDS = 120.0
"""Degrees from its rest: a foot there throughout, and the other one not, was never found."""
_ROUGH = 30.0
"""Degrees of a step that is left within what was turned back: bridged, with …"""
_BESIDE = 0.025
"""… s on both sides of it."""
_EASE = 0.15
"""s, after which a joint that nothing is known of is back in the middle of its sound frames."""
_STANDS = (0.03, 0.07)
"""m above its lowest sound frames: an ankle below the first is that of a foot that stands flat as
it did there, one above the second says nothing."""
_ALIKE = 0.96
"""Length of the mean of the ways up there, in the foot: with less it did not stand flat (±16°)."""


@dataclass(frozen=True, eq=False)
class Lost:
    """A joint that was lost for some frames.

    Attributes:
        body: Its index.
        turned, bridged: ``(F)`` bool, frames turned back by half a turn, and rebuilt.
    """

    body: int
    turned: np.ndarray
    bridged: np.ndarray

    @property
    def frames(self) -> np.ndarray:
        """``(F)`` bool, all of them."""
        return np.asarray(self.turned | self.bridged)


def rebuild(
    motion: Motion, usable: np.ndarray, fastest: np.ndarray
) -> tuple[np.ndarray, list[Lost]]:
    """Return ``(n, 4, F)`` rotations with lost joints rebuilt, and which they are.

    A foot on its back is turned about its own length, which keeps where it points. What half a
    turn does not bring back is a gap of that joint: bridged from the sound frames beside it, long
    ones by the middle of all sound frames, under a low ankle flat on the ground.

    Args:
        motion: Joint states.
        usable: ``(F)`` bool, frames to look at; all finite.
        fastest: ``(n)`` rad, the largest step of every body.
    """
    skeleton = motion.skeleton
    leap = max(_LEAP[0], _LEAP[1] / motion.fps)
    rotation = motion.rotation
    found: list[Lost] = []
    for body in skeleton.order.tolist():
        part = _part(skeleton, body)
        if part not in REACH:
            continue
        above = [lost for lost in found if lost.body == skeleton.parents[body] and part == "toes"]
        if np.degrees(fastest[body]) < leap and not above and part != "foot":
            continue
        state = _State.of(motion, body, usable, leap)
        lost = state.lost()
        if above:
            lost |= above[0].frames
        if not lost.any():
            continue
        if rotation is motion.rotation:
            rotation = motion.rotation.copy()
        turned = np.zeros_like(lost)
        if not above:
            turned, state = state.turned_back(lost, rotation[body])
        bridged = lost & ~turned
        state.bridge(bridged, rotation[body])
        found.append(Lost(body, turned, bridged))
        if part == "foot" and bridged.any():
            _stand(motion, rotation, body, bridged, usable & ~bridged)
    return rotation, found


@dataclass(frozen=True, eq=False)
class _State:
    """What one joint does.

    Attributes:
        q: ``(4, F)``.
        usable: ``(F)`` bool.
        step: ``(F)`` degrees into each frame; 0 beside frames that are not usable.
        leap: Degrees beyond which a step is none of a joint.
        reach: Degrees.
        shortest: Frames.
        bone: ``(3)`` unit vector along the body, or 0.
        rest: ``(4)``.
        fellow: Degrees from its rest at which the other side's joint usually is; None without.
        middle: ``(4)`` middle of the sound frames.
        sound: ``(F)`` bool, pieces between leaps that are believed.
        fps: Hz.
    """

    q: np.ndarray
    usable: np.ndarray
    step: np.ndarray
    leap: float
    reach: float
    shortest: int
    bone: np.ndarray
    rest: np.ndarray
    fellow: float | None
    middle: np.ndarray
    sound: np.ndarray
    fps: float

    @classmethod
    def of(cls, motion: Motion, body: int, usable: np.ndarray, leap: float) -> _State:
        """Find the pieces between leaps, and those that are sound."""
        skeleton, q = motion.skeleton, motion.rotation[body]
        part = _part(skeleton, body)
        step = _steps(q, usable)
        shortest = max(2, round(_SHORTEST * motion.fps))
        fellow = _fellow(motion, body, usable)
        rest, reach = skeleton.rest[body], REACH[part]
        middle, sound = _settled(q, usable, step > leap, reach, shortest, rest, fellow)
        never = fellow is not None and _apart(rest, middle) > _BACKWARDS and fellow < reach
        if part == "foot" and never:
            middle, sound = rest, np.zeros_like(usable)
        elif part == "toes" and fellow is not None and fellow < _UNSURE:
            middle = rest  # little is left of toes that were lost
        bone = _bone(skeleton, body)
        return cls(
            q, usable, step, leap, reach, shortest, bone, rest, fellow, middle, sound, motion.fps
        )

    def lost(self) -> np.ndarray:
        """Return ``(F)`` bool: frames beyond a leap, and those out of reach on the way there.

        Of a joint that was lost for long nothing out of reach is believed.
        """
        lost = self.usable & ~self.sound
        if lost.any():
            often = lost.sum() > _OFTEN * self.usable.sum()
            far = _apart(self.middle, self.q) > self.reach
            for a, b in runs(self.usable & (far | lost)):
                lost[a:b] |= often or lost[a:b].any()
        return lost

    def turned_back(self, lost: np.ndarray, out: np.ndarray) -> tuple[np.ndarray, _State]:
        """Undo half turns in place; return ``(F)`` bool where that was enough, and what is known.

        Most of a clip may have been lost: the middle of its frames is known only then.
        """
        turned = np.zeros_like(lost)
        for a, b in _pieces(lost, self.step > self.leap):
            half = np.repeat(
                np.array([[0.0, *axis] for axis in self._axes(a, b)])[..., None], b - a, -1
            )
            back = [product(self.q[:, a:b], turns) for turns in half]
            away = [float(np.median(_apart(self.middle, q))) for q in back]
            if away and min(away) <= self.reach + _UNSURE:
                out[:, a:b] = back[away.index(min(away))]
                turned[a:b] = True
        known = turned | (self.usable & ~lost)
        middle = _middle(out[:, known]) if turned.any() else self.middle
        apart, kept = _apart(middle, out), self.usable & ~lost
        usual = float(np.quantile(apart[kept], _USUAL)) if kept.any() else 0.0
        turned &= apart <= max(self.reach, usual)
        rough = np.flatnonzero((_steps(out, turned) > _ROUGH) & turned)
        beside = max(1, round(_BESIDE * self.fps))
        for frame in rough.tolist():
            turned[max(0, frame - beside) : frame + beside] = False
        return turned, replace(self, middle=middle)

    def _axes(self, a: int, b: int) -> list[np.ndarray]:
        """Return axes of half turns, in the body: its length, and those of the leaps around."""
        axes = [self.bone] if self.bone.any() else []
        for edge in (a, b):
            if 0 < edge < len(self.step) and self.step[edge] > 180 - _ROUGH:
                before = self.q[:, edge - 1] * np.array([1.0, -1.0, -1.0, -1.0])
                leap = product(before, self.q[:, edge])[1:]
                axes.append(leap / np.linalg.norm(leap))
        return axes

    def bridge(self, holes: np.ndarray, out: np.ndarray) -> None:
        """Fill holes of ``(4, F)`` in place, from the frames beside them and the middle."""
        for a, b in runs(holes):
            before = out[:, a - 1] if a > 0 and self.usable[a - 1] else None
            after = out[:, b] if b < out.shape[1] and self.usable[b] else None
            along = np.arange(1, b - a + 1) / (b - a + 1)
            way = along * along * (3 - 2 * along)
            ends = [self.middle if q is None else _towards(self.middle, q) for q in (before, after)]
            away = np.full(b - a, np.inf)
            for known, frames in ((before, np.arange(1, b - a + 1)), (after, b - np.arange(a, b))):
                if known is not None:
                    away = np.minimum(away, frames / self.fps)
            ease = np.clip(away / _EASE, 0.0, 1.0)
            ease = ease * ease * (3 - 2 * ease)
            path = np.outer(ends[0], 1 - way) + np.outer(ends[1], way)
            path = path * (1 - ease) + np.outer(self.middle, ease)
            out[:, a:b] = path / np.linalg.norm(path, axis=0)


def _settled(
    q: np.ndarray,
    usable: np.ndarray,
    leaps: np.ndarray,
    reach: float,
    shortest: int,
    rest: np.ndarray,
    fellow: float | None,
) -> tuple[np.ndarray, np.ndarray]:
    """Return the middle ``(4)`` of the state that is sound, and ``(F)`` bool the pieces of it."""
    pieces = sorted(_pieces(usable, leaps), key=lambda p: p[0] - p[1])
    if len(pieces) == 1 or not leaps.any():
        return _middle(q[:, usable]), usable
    states: list[list[tuple[int, int]]] = []
    middles: list[np.ndarray] = []
    for a, b in pieces:
        here = _middle(q[:, a:b])
        near = [k for k, middle in enumerate(middles) if _apart(middle, here) <= reach]
        if b - a < shortest and middles:
            continue
        if near:
            states[near[0]].append((a, b))
        else:
            states.append([(a, b)])
            middles.append(here)
    unlike = [abs(float(_apart(rest, middle)) - (fellow or 0.0)) for middle in middles]
    alike = [k for k, cost in enumerate(unlike) if cost < min(unlike) + _UNSURE]
    best = max(alike, key=lambda k: sum(b - a for a, b in states[k]))
    sound = np.zeros(len(usable), bool)
    for a, b in states[best]:
        sound[a:b] = True
    return _middle(q[:, sound]), sound


def _stand(
    motion: Motion, rotation: np.ndarray, foot: int, holes: np.ndarray, sound: np.ndarray
) -> None:
    """Lay a foot flat in the holes in which its ankle is low, in place."""
    if not sound.any():
        return
    world = forward(motion)
    parent = world.orientation[motion.skeleton.parents[foot]]
    height = motion.up @ world.position[foot]
    low = sound & (height <= np.quantile(height[sound], 0.1) + _STANDS[0])
    up = turn(product(parent[:, low], rotation[foot][:, low]), motion.up[:, None], back=True)
    flat = up.mean(axis=1)
    alike = float(np.linalg.norm(flat))
    if alike < _ALIKE:
        return
    flat /= alike
    floor = float(np.median(height[low]))
    share = np.clip((floor + _STANDS[1] - height[holes]) / (_STANDS[1] - _STANDS[0]), 0.0, 1.0)
    q = rotation[foot][:, holes]
    wanted = turn(product(parent[:, holes], q), motion.up[:, None], back=True)
    axis = np.cross(flat[:, None], wanted, axis=0)  # turns the sole's normal into the way up
    size = np.linalg.norm(axis, axis=0)
    half = 0.5 * share * np.arctan2(size, flat @ wanted)
    axis = axis / np.maximum(size, 1e-12)
    rotation[foot][:, holes] = product(q, np.vstack([np.cos(half), np.sin(half) * axis]))


def _part(skeleton: Skeleton, body: int) -> str:
    """Return the part of the body, without its side; empty for the root."""
    if skeleton.parents[body] < 0 or skeleton.anatomy is None:
        return ""
    return skeleton.segments[body].removeprefix("left_").removeprefix("right_")


def _fellow(motion: Motion, body: int, usable: np.ndarray) -> float | None:
    """Return how far from its rest, in degrees, the other side's joint usually is."""
    skeleton, segment = motion.skeleton, motion.skeleton.segments[body]
    side, _, part = segment.partition("_")
    other = {"left": "right", "right": "left"}.get(side, "")
    mine = [k for k, word in enumerate(skeleton.segments) if word == segment]
    theirs = [k for k, word in enumerate(skeleton.segments) if word == f"{other}_{part}"]
    if len(mine) != len(theirs) or not theirs:
        return None
    k = theirs[mine.index(body)]
    return float(np.median(_apart(skeleton.rest[k], motion.rotation[k][:, usable])))


def _bone(skeleton: Skeleton, body: int) -> np.ndarray:
    """Return ``(3)`` the unit vector from a joint to what hangs from it; 0 where nothing does."""
    ends = [skeleton.offset[k] for k in skeleton.children[body]]
    ends += [o for k, o in zip(skeleton.site_body, skeleton.site_offset, strict=True) if k == body]
    longest = max(ends, key=lambda end: float(end @ end), default=np.zeros(3))
    return np.asarray(longest / max(float(np.linalg.norm(longest)), 1e-12))


def _steps(q: np.ndarray, usable: np.ndarray) -> np.ndarray:
    """Return ``(F)`` degrees into each frame; 0 where it or the one before is not usable."""
    step = np.zeros(q.shape[1])
    dot = np.abs((q[:, 1:] * q[:, :-1]).sum(axis=0))
    step[1:] = np.degrees(2 * np.arccos(np.clip(dot, 0.0, 1.0)))
    step[1:] *= usable[1:] & usable[:-1]
    return step


def _pieces(mask: np.ndarray, leaps: np.ndarray) -> list[tuple[int, int]]:
    """Return the runs of a mask, cut before the frames of leaps."""
    result = []
    for a, b in runs(mask):
        cuts = [a, *(np.flatnonzero(leaps[a + 1 : b]) + a + 1).tolist(), b]
        result += list(pairwise(cuts))
    return result


def _apart(a: np.ndarray, q: np.ndarray) -> np.ndarray:
    """Return degrees between a rotation ``(4)`` and others ``(4, …)``."""
    return np.asarray(np.degrees(2 * np.arccos(np.clip(np.abs(a @ q), 0.0, 1.0))))


def _middle(q: np.ndarray) -> np.ndarray:
    """Return ``(4)`` the mean rotation of ``(4, F)``."""
    return np.asarray(np.linalg.eigh(q @ q.T)[1][:, -1])


def _towards(reference: np.ndarray, q: np.ndarray) -> np.ndarray:
    """Return ``q`` with the sign that is nearer to a reference."""
    return q if reference @ q >= 0 else -q
