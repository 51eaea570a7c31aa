"""Stances: from heights and speeds of sole points to runs of frames in which a limb carries."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from mocap_reroot.contact.ground import STILL
from mocap_reroot.contact.signals import height, runs
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


def point_scores(
    signals: LimbSignals, scale: Scale, falling: np.ndarray, unloaded: np.ndarray | float = 0.0
) -> np.ndarray:
    """Return ``(P, F)`` 0–1: low and slow is 1, high or fast is 0.

    ``falling`` ``(F)`` is 1 where the body as a whole falls freely, ``unloaded`` where another
    limb carries all of it: limits are then narrow.
    """
    narrow = 1 - np.maximum((1 - FALLING_LIMITS) * falling, (1 - UNLOADED_LIMITS) * unloaded)
    low = 1 / (1 + (np.maximum(signals.height, 0) / (HIGH * scale.leg * narrow)) ** 4)
    slow = 1 / (1 + (signals.speed / (speed_limit(signals, scale) * narrow)) ** 4)
    return np.asarray(np.sqrt(low * slow))


def find_stances(
    score: np.ndarray, signals: LimbSignals, scale: Scale, valid: np.ndarray
) -> list[tuple[float, float]]:
    """Return stances of one limb as times in frames (with fractions), strike and off.

    A stance that is cut by the ends of the clip starts at 0 or stops at F.
    """
    found = _hysteresis(np.where(valid, score, 0.0))
    found = _merged(found, scale.frames(SHORTEST_SWING))
    found = [(a, b) for a, b in found if b - a >= min(scale.frames(SHORTEST_STANCE, 2), len(score))]
    exact = []
    for k, (start, stop) in enumerate(found):
        before = found[k - 1][1] if k else 0
        after = found[k + 1][0] if k + 1 < len(found) else len(score)
        strike = float(start)
        if start > 0 and valid[start - 1]:
            strike = _strike(signals, scale, start, before, (start + stop) // 2)
        off = float(stop)
        if stop < len(score) and valid[stop]:
            off = _off(signals, scale, stop, after, (start + stop) // 2)
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


def _strike(signals: LimbSignals, scale: Scale, edge: int, first: int, last: int) -> float:
    """Return when the limb lands, in frames; ``edge`` is where the score says so, roughly.

    Two signs are averaged: the landing point has slowed down to a share of the swing's top speed
    (after Ghoussayni 2004), and the sole as a whole sinks fastest (after O'Connor 2007): from
    then on the ground brakes it.
    """
    reach = scale.frames(_WINDOW, 2)
    low, high = max(first, edge - _BEFORE * reach), min(last, edge + reach)
    rows = [k for k, role in enumerate(signals.roles) if role in ("heel", "ball", "tip", "knee")]
    times = []
    for row in rows:
        speed = signals.speed[row]
        fast = low + int(np.argmax(speed[low : edge + 1]))
        top = _top_speed(speed, fast, cut=fast <= 1)
        half = _slows_down(speed, 0.5 * top, edge, low, high)
        drop = _vertical_share(signals, scale, row, round(half))
        limit = (STRIKE_SPEED[0] + STRIKE_SPEED[1] * drop) * top
        times.append((_slows_down(speed, limit, edge, low, high), drop))
    slowed, drop = min(times)
    sinking = -height(signals.velocity[rows].mean(axis=0), scale.up)
    near = scale.frames(_AGREE, 2)
    a, b = max(first, round(slowed) - near), min(last, round(slowed) + near) + 1
    k = int(np.argmax(sinking[a:b]))
    if 0 < k < b - a - 1:  # a summit, not the slope of one farther away
        share = 0.5 * (1 - drop)
        return (1 - share) * slowed + share * (a + _peak(sinking[a:b]))
    return slowed


def _off(signals: LimbSignals, scale: Scale, edge: int, last: int, first: int) -> float:
    """Return when the limb leaves the ground, in frames: its ball moves off."""
    row = next((signals.row(r) for r in ("ball", "tip") if signals.row(r) is not None), 0)
    assert row is not None
    reach = scale.frames(_WINDOW, 2)
    low, high = max(first, edge - reach), min(last, edge + _BEFORE * reach, signals.speed.shape[1])
    speed = signals.speed[row]
    fast = edge + int(np.argmax(speed[edge:high])) if high > edge else min(edge, len(speed) - 1)
    rise = _vertical_share(signals, scale, row, fast)
    top = _top_speed(speed, fast, cut=fast >= len(speed) - 2)
    limit = (OFF_SPEED[0] + OFF_SPEED[1] * rise) * top
    # Seen backwards in time, moving off is slowing down.
    n = len(speed)
    return n - 1 - _slows_down(speed[::-1], limit, n - edge, n - high, n - low)


def _top_speed(speed: np.ndarray, fast: int, *, cut: bool) -> float:
    """Return the top speed of a swing; of a swing that the clip cuts, what is usual in the clip."""
    top = float(speed[fast])
    return max(top, float(np.quantile(speed, 0.95))) if cut else top


def _vertical_share(signals: LimbSignals, scale: Scale, row: int, frame: int) -> float:
    """Return cos² of the angle between a point's velocity and the vertical."""
    velocity = signals.velocity[row][:, min(max(frame, 0), signals.speed.shape[1] - 1)]
    return float((velocity @ scale.up) ** 2 / max(float(velocity @ velocity), 1e-12))


def _slows_down(speed: np.ndarray, limit: float, edge: int, low: int, high: int) -> float:
    """Return the time near the edge at which a speed falls below a limit, interpolated.

    Forwards from the edge if it is too fast there, else backwards; between low and high.
    """
    k = min(max(edge, low), len(speed) - 1)
    if speed[k] >= limit:
        while k < high - 1 and speed[k] >= limit:
            k += 1
        if speed[k] >= limit:
            return float(k)
    else:
        while k > low and speed[k - 1] < limit:
            k -= 1
        if k == low:
            return float(k)
    drop = speed[k - 1] - speed[k]
    return k - (limit - speed[k]) / drop if drop > 0 else float(k)


def _peak(series: np.ndarray) -> float:
    """Return where a series is greatest, between samples by a parabola."""
    k = int(np.argmax(series))
    if 0 < k < len(series) - 1:
        left, mid, right = series[k - 1], series[k], series[k + 1]
        bend = left - 2 * mid + right
        if bend < 0:
            return k + 0.5 * (left - right) / bend
    return float(k)


def speed_limit(signals: LimbSignals, scale: Scale) -> float:
    """Return m/s at which a sole point is as likely moving as standing."""
    top = float(np.quantile(signals.speed.max(axis=0), 0.95))
    return STILL * scale.speed + SKID * top


def limits(
    signals: Sequence[LimbSignals], n_parts: Sequence[int], scale: Scale
) -> dict[str, np.ndarray]:
    """Return ``(c)`` limits of height and speed for the diagnostics, one a part."""
    speeds = [
        speed_limit(s, scale) for s, n in zip(signals, n_parts, strict=True) for _ in range(n)
    ]
    return {
        "height_limit": np.full(len(speeds), HIGH * scale.leg),
        "speed_limit": np.array(speeds, float),
    }
