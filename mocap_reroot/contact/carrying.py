"""Carrying: a body that does not fall is carried by somebody."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from mocap_reroot.contact.signals import runs
from mocap_reroot.contact.stances import LimbSignals
from mocap_reroot.contact.standing import Scale

_PUSH = 0.5
"""Body weights: where the ground pushes more than this for long, the body is not in flight."""
_HIGHEST, _FASTEST = 0.25, 0.5
"""Share of a leg, and of sqrt(g · leg): a limb higher or faster than this is not the one."""
_SHORTEST = 0.08
"""s, who carries does so for at least this long; the push of a stance is blurred over less."""

Stance = tuple[float, float]


def fill_gaps(
    stances: list[list[Stance]],
    signals: Sequence[LimbSignals],
    push: np.ndarray | None,
    scale: Scale,
    valid: np.ndarray,
) -> tuple[list[list[Stance]], int]:
    """Return the stances with limbs put under a body that hangs in the air, and how many frames.

    Captures drift: a foot may stand a hand's breadth above where it stood before, or slide. Where
    no limb is found to stand but the body does not fall, the lowest and slowest one carries it.
    """
    frames = len(valid)
    if push is None or not stances:
        return stances, 0
    free = valid.copy()
    for mine in stances:
        for strike, off in mine:
            free[max(round(strike), 0) : round(off)] = False
    result = [list(mine) for mine in stances]
    filled = 0
    cost = np.array([_cost(s, scale) for s in signals])
    for start, stop in runs(free):
        best = cost[:, start:stop].argmin(axis=0)
        possible = (cost[:, start:stop].min(axis=0) < 1) & (push[start:stop] > _PUSH)
        for limb in range(len(stances)):
            for a, b in runs(possible & (best == limb)):
                touches_end = start + a == 0 or start + b == frames
                if b - a >= scale.frames(_SHORTEST, 2) or touches_end:
                    result[limb].append((float(start + a), float(start + b)))
                    filled += b - a
    return [_joined(mine) for mine in result], filled


def _cost(signals: LimbSignals, scale: Scale) -> np.ndarray:
    """Return ``(F)`` how unlikely a limb is to carry; 1 and more: it does not."""
    high = np.maximum(signals.height.min(axis=0), 0) / (_HIGHEST * scale.leg)
    fast = signals.speed.min(axis=0) / (_FASTEST * scale.speed)
    return np.asarray(high**2 + fast**2)


def _joined(stances: list[Stance]) -> list[Stance]:
    result: list[Stance] = []
    for start, stop in sorted(stances):
        if result and start <= result[-1][1] + 1:
            result[-1] = (result[-1][0], max(stop, result[-1][1]))
        else:
            result.append((start, stop))
    return result
