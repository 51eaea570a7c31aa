"""Where a stance begins and ends: strike and off of a limb, from height and speed of its sole."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from mocap_reroot.contact.ground import STILL
from mocap_reroot.contact.signals import quantile
from mocap_reroot.contact.standing import Scale
from mocap_reroot.kernels import stances as kernels
from mocap_reroot.kernels.stances import stances

HIGH = 0.06
"""A sole point this high (share of a leg) is as likely off as on."""
SKID = 0.10
"""Added to the speed limit for fast clips: share of the foot's own top speed."""
ENTER, LEAVE = 0.6, 0.4
"""A stance needs a score above the first somewhere, and lasts while it is above the second."""
SHORTEST_STANCE, SHORTEST_SWING = 0.04, 0.06
"""s, of a high score; the stances of sprints, 0.08 to 0.12 s, are blurred by the low-pass."""
OFF_SPEED = (0.25, 0.35)
"""At foot-off the ball moves at the first share of the top speed of the swing that follows; the
second is added where it rises straight up, in proportion to the vertical share (cos² of the
angle) of its velocity."""
STRIKE_SPEED = (0.13, 0.30)
"""At foot strike the landing point has slowed down to this share of the swing's top speed. A foot
that glides in is almost at rest when it touches; one that drops is stopped by the ground."""
FALLING_LIMITS = 0.2
"""While the body falls freely, only a foot that is this much lower and slower still stands."""
UNLOADED_LIMITS = 0.5
"""The same while another foot carries all of it."""
_WINDOW = 0.12
"""s, how far the exact event may lie from the edge of the score."""
_AGREE = 0.06
"""s, signs of a strike farther apart than this do not speak of the same one."""


Stance = tuple[float, float]
"""Strike and off of a limb, in frames with fractions."""


@dataclass(frozen=True, eq=False)
class LimbSignals:
    """What a limb does, after smoothing.

    Attributes:
        roles: Role of each of its ``P`` sole points.
        position: ``(P, 3, F)`` m.
        velocity: ``(P, 3, F)`` m/s.
        height: ``(P, F)`` m above its ground.
        speed: ``(P, F)`` m/s.
    """

    roles: tuple[str, ...]
    position: np.ndarray
    velocity: np.ndarray
    height: np.ndarray
    speed: np.ndarray

    def row(self, role: str) -> int | None:
        """Return the row of a role, or None."""
        return self.roles.index(role) if role in self.roles else None

    @cached_property
    def lowest(self) -> np.ndarray:
        """``(F)`` m, height of the lowest point."""
        return np.asarray(self.height.min(axis=0))

    @cached_property
    def slowest(self) -> np.ndarray:
        """``(F)`` m/s, speed of the slowest point."""
        return np.asarray(self.speed.min(axis=0))

    @cached_property
    def fastest(self) -> np.ndarray:
        """``(F)`` m/s, speed of the fastest point."""
        return np.asarray(self.speed.max(axis=0))

    @cached_property
    def middle(self) -> np.ndarray:
        """``(3, F)`` m, between the points."""
        return np.asarray(self.position.sum(axis=0) / len(self.position))


def point_scores(
    signals: LimbSignals,
    limit: float,
    scale: Scale,
    falling: np.ndarray,
    unloaded: np.ndarray,
) -> np.ndarray:
    """Return ``(P, F)`` 0–1: low and slow is 1, high or fast is 0.

    ``limit`` is the speed, m/s, at which a point is as likely moving as standing. ``falling``
    ``(F)`` is 1 where the body as a whole falls freely, ``unloaded`` ``(F)`` where another limb
    carries all of it: limits are then narrow.
    """
    result = np.empty_like(signals.height)
    narrowed = (FALLING_LIMITS, UNLOADED_LIMITS)
    kernels.point_scores(
        signals.height, signals.speed, falling, unloaded, (HIGH * scale.leg, limit), narrowed,
        result,
    )  # fmt: skip
    return result


def find_stances(
    scores: np.ndarray, signals: LimbSignals, scale: Scale, valid: np.ndarray
) -> list[Stance]:
    """Return stances of one limb as times in frames (with fractions), strike and off.

    A stance that is cut by the ends of the clip starts at 0 or stops at F.
    """
    found = np.empty((len(valid) // 2 + 1, 2))
    ball = next((row for r in ("ball", "tip") if (row := signals.row(r)) is not None), 0)
    count = stances(
        scores, valid, signals.speed, signals.velocity, scale.up, ball, (LEAVE, ENTER),
        (scale.frames(SHORTEST_SWING), scale.frames(SHORTEST_STANCE, 2)),
        (scale.frames(_WINDOW, 2), scale.frames(_AGREE, 2)), STRIKE_SPEED, OFF_SPEED, found,
    )  # fmt: skip
    return [(strike, off) for strike, off in found[:count].tolist()]


def joined(stances: list[Stance], gap: float = 0.0) -> list[Stance]:
    """Return stances in order, those that overlap, or are no farther apart than a gap, as one."""
    result: list[Stance] = []
    for start, stop in sorted(stances):
        if result and start <= result[-1][1] + gap:
            result[-1] = (result[-1][0], max(stop, result[-1][1]))
        else:
            result.append((start, stop))
    return result


def speed_limit(signals: LimbSignals, scale: Scale) -> float:
    """Return m/s at which a sole point is as likely moving as standing."""
    return STILL * scale.speed + SKID * quantile(signals.fastest, 0.95)
