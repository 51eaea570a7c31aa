"""Stances: from heights and speeds of sole points to runs of frames in which a limb carries."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from mocap_reroot.contact.ground import STILL
from mocap_reroot.contact.signals import height, quantile, runs
from mocap_reroot.contact.standing import Scale

HIGH = 0.06
"""A sole point this high (share of a leg) is as likely off as on."""
SKID = 0.10
"""Added to the speed limit for fast clips: share of the foot's own top speed."""
ENTER, LEAVE = 0.6, 0.4
"""A stance needs a score above the first somewhere, and lasts while it is above the second."""
SHORTEST_STANCE, SHORTEST_SWING = 0.06, 0.06
"""s."""
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
_BEFORE = 3
"""Windows before a strike (after an off) within which the swing's top speed is looked for."""
_AGREE = 0.06
"""s, signs of a strike farther apart than this do not speak of the same one."""


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
    unloaded: np.ndarray | float = 0.0,
) -> np.ndarray:
    """Return ``(P, F)`` 0–1: low and slow is 1, high or fast is 0.

    ``limit`` is the speed, m/s, at which a point is as likely moving as standing. ``falling``
    ``(F)`` is 1 where the body as a whole falls freely, ``unloaded`` where another limb carries
    all of it: limits are then narrow.
    """
    narrow = 1 - np.maximum((1 - FALLING_LIMITS) * falling, (1 - UNLOADED_LIMITS) * unloaded)
    high = np.maximum(signals.height, 0) / (HIGH * scale.leg * narrow)
    fast = signals.speed / (limit * narrow)
    high *= high
    fast *= fast
    return np.asarray(np.sqrt(1 / (1 + high * high) * (1 / (1 + fast * fast))))


def find_stances(
    score: np.ndarray, signals: LimbSignals, scale: Scale, valid: np.ndarray
) -> list[tuple[float, float]]:
    """Return stances of one limb as times in frames (with fractions), strike and off.

    A stance that is cut by the ends of the clip starts at 0 or stops at F.
    """
    found = _hysteresis(np.where(valid, score, 0.0))
    found = _merged(found, scale.frames(SHORTEST_SWING))
    found = [(a, b) for a, b in found if b - a >= min(scale.frames(SHORTEST_STANCE, 2), len(score))]
    exact, edges = [], _Edges.of(signals, scale)
    for k, (start, stop) in enumerate(found):
        before = found[k - 1][1] if k else 0
        after = found[k + 1][0] if k + 1 < len(found) else len(score)
        strike = float(start)
        if start > 0 and valid[start - 1]:
            strike = edges.strike(start, before, (start + stop) // 2)
        off = float(stop)
        if stop < len(score) and valid[stop]:
            off = edges.off(stop, after, (start + stop) // 2)
        if off - strike >= 1:
            exact.append((strike, off))
    return exact


def _hysteresis(score: np.ndarray) -> list[tuple[int, int]]:
    return [(a, b) for a, b in runs(score > LEAVE) if score[a:b].max() > ENTER]


def _merged(found: list[tuple[int, int]], gap: int) -> list[tuple[int, int]]:
    result: list[tuple[int, int]] = []
    for start, stop in found:
        if result and start - result[-1][1] < gap:
            result[-1] = (result[-1][0], stop)
        else:
            result.append((start, stop))
    return result


@dataclass(frozen=True, eq=False)
class _Edges:
    """Finds the exact strikes and offs of one limb.

    Attributes:
        signals: What the limb does.
        up: Unit vector.
        reach, near: Frames: how far an event may lie from the edge of the score, and how far
            apart two signs of a strike may be.
        sinking: ``(F)`` m/s, how fast the sole as a whole sinks.
    """

    signals: LimbSignals
    up: tuple[float, float, float]
    reach: int
    near: int
    sinking: np.ndarray

    @classmethod
    def of(cls, signals: LimbSignals, scale: Scale) -> _Edges:
        sinking = height(signals.velocity.sum(axis=0), scale.up) / -len(signals.velocity)
        x, y, z = scale.up.tolist()
        reach, near = scale.frames(_WINDOW, 2), scale.frames(_AGREE, 2)
        return cls(signals, (x, y, z), reach, near, sinking)

    def strike(self, edge: int, first: int, last: int) -> float:
        """Return when the limb lands, in frames; ``edge`` is where the score says so, roughly.

        Two signs are averaged: the landing point has slowed down to a share of the swing's top
        speed (after Ghoussayni 2004), and the sole as a whole sinks fastest (after O'Connor 2007):
        from then on the ground brakes it.
        """
        low, high = max(first, edge - _BEFORE * self.reach), min(last, edge + self.reach)
        times = []
        for row, window in enumerate(self.signals.speed[:, low : max(high, edge + 1)].tolist()):
            before = window[: edge + 1 - low]
            top = max(before)
            if low + before.index(top) <= 1:
                top = self._usual(row, top)
            half = _slows_down(window, low, 0.5 * top, edge, low, high)
            drop = self._vertical_share(row, round(half))
            limit = (STRIKE_SPEED[0] + STRIKE_SPEED[1] * drop) * top
            times.append((_slows_down(window, low, limit, edge, low, high), drop))
        slowed, drop = min(times)
        a, b = max(first, round(slowed) - self.near), min(last, round(slowed) + self.near) + 1
        sinking = self.sinking[a:b].tolist()
        peak = sinking.index(max(sinking))
        if 0 < peak < len(sinking) - 1:  # a summit, not the slope of one farther away
            share = 0.5 * (1 - drop)
            summit = a + peak + _vertex(*sinking[peak - 1 : peak + 2])
            return (1 - share) * slowed + share * summit
        return slowed

    def off(self, edge: int, last: int, first: int) -> float:
        """Return when the limb leaves the ground, in frames: its ball moves off."""
        signals, frames = self.signals, self.signals.speed.shape[1]
        row = next((row for r in ("ball", "tip") if (row := signals.row(r)) is not None), 0)
        low, high = max(first, edge - self.reach), min(last, edge + _BEFORE * self.reach, frames)
        start, stop = min(low, edge - 1), max(high, edge + 1)
        window = signals.speed[row, start:stop].tolist()
        swing = window[edge - start : high - start] or window[edge - start : edge - start + 1]
        top = max(swing)
        fast = edge + swing.index(top)
        rise = self._vertical_share(row, fast)
        if fast >= frames - 2:
            top = self._usual(row, top)
        limit = (OFF_SPEED[0] + OFF_SPEED[1] * rise) * top
        # Seen backwards in time, moving off is slowing down.
        n, back = frames, window[::-1]
        return n - 1 - _slows_down(back, n - stop, limit, n - edge, n - high, n - low)

    def _usual(self, row: int, top: float) -> float:
        """Return the top speed of a swing that the clip cuts: at least what is usual in it."""
        return max(top, quantile(self.signals.speed[row], 0.95))

    def _vertical_share(self, row: int, frame: int) -> float:
        """Return cos² of the angle between a point's velocity and the vertical."""
        frame = min(max(frame, 0), len(self.sinking) - 1)
        (x, y, z), (ux, uy, uz) = self.signals.velocity[row, :, frame].tolist(), self.up
        return (x * ux + y * uy + z * uz) ** 2 / max(x * x + y * y + z * z, 1e-12)


def _slows_down(
    window: Sequence[float], start: int, limit: float, edge: int, low: int, high: int
) -> float:
    """Return the time near the edge at which a speed falls below a limit, interpolated.

    Forwards from the edge if it is too fast there, else backwards; between low and high. The
    window holds the speeds from frame ``start`` on.
    """
    k, low, high = max(edge, low) - start, low - start, high - start
    if window[k] >= limit:
        while k < high - 1 and window[k] >= limit:
            k += 1
        if window[k] >= limit:
            return float(start + k)
    else:
        while k > low and window[k - 1] < limit:
            k -= 1
        if k == low:
            return float(start + k)
    drop = window[k - 1] - window[k]
    return start + k - (limit - window[k]) / drop if drop > 0 else float(start + k)


def _vertex(left: float, middle: float, right: float) -> float:
    """Return where between three samples their parabola is greatest, from the middle one."""
    bend = left - 2 * middle + right
    return 0.5 * (left - right) / bend if bend < 0 else 0.0


def speed_limit(signals: LimbSignals, scale: Scale) -> float:
    """Return m/s at which a sole point is as likely moving as standing."""
    return STILL * scale.speed + SKID * quantile(signals.fastest, 0.95)
