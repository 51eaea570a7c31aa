"""Where a stance begins and ends: strike and off of a limb, from height and speed of its sole."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from mocap_reroot.contact.scale import Scale
from mocap_reroot.contact.signals import quantile
from mocap_reroot.kernels import stances as kernels
from mocap_reroot.kernels.stances import stances
from mocap_reroot.parameters import ContactParameters

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
    p: ContactParameters,
) -> np.ndarray:
    """Return ``(P, F)`` 0–1: low and slow is 1, high or fast is 0.

    ``limit`` is the speed, m/s, at which a point is as likely moving as standing. ``falling``
    ``(F)`` is 1 where the body as a whole falls freely, ``unloaded`` ``(F)`` where another limb
    carries all of it: limits are then narrow.
    """
    result = np.empty_like(signals.height)
    narrowed = (p.falling_limits, p.unloaded_limits)
    kernels.point_scores(
        signals.height, signals.speed, falling, unloaded, (p.height * scale.leg, limit), narrowed,
        result,
    )  # fmt: skip
    return result


def find_stances(
    scores: np.ndarray, signals: LimbSignals, scale: Scale, valid: np.ndarray, p: ContactParameters
) -> list[Stance]:
    """Return stances of one limb as times in frames (with fractions), strike and off.

    A stance that is cut by the ends of the clip starts at 0 or stops at F.
    """
    found = np.empty((len(valid) // 2 + 1, 2))
    ball = next((row for r in ("ball", "tip") if (row := signals.row(r)) is not None), 0)
    count = stances(
        scores, valid, signals.speed, signals.velocity, scale.up, ball, (p.leave, p.enter),
        (scale.frames(p.shortest_swing), scale.frames(p.shortest_stance, 2)),
        (scale.frames(p.event_window, 2), scale.frames(p.event_agreement, 2)),
        (p.strike_speed, p.strike_falling), (p.off_speed, p.off_rising), found,
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


def speed_limit(signals: LimbSignals, scale: Scale, p: ContactParameters) -> float:
    """Return m/s at which a sole point is as likely moving as standing."""
    return p.still * scale.speed + p.skid * quantile(signals.fastest, 0.95)
