"""A support where no stance was detected although the body does not fall."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from mocap_reroot.contact.stances import LimbSignals, Stance, joined
from mocap_reroot.contact.standing import Scale
from mocap_reroot.contact.weight import Weight
from mocap_reroot.numerics.frames import runs

_PUSH = 0.5
"""Body weights: where the ground pushes more than this for long, the body is not in flight."""
_HIGHEST, _FASTEST = 0.25, 0.5
"""Share of a leg, and of sqrt(g · leg): a limb higher or faster than this is not the one."""
_UNLIKELY = 9.0
"""Three times as high or fast: nothing was captured that could carry, a chair or a partner does."""
_ASIDE = 0.5
"""Share of a leg: nor is one that the push passes at this distance."""
_SHORTEST = 0.08
"""s, who carries does so for at least this long; the push of a stance is blurred over less."""
_BLURRED = 0.05
"""s, at both ends of a flight the push of the stance beside it shows through the smoothing."""
_NO_FLIGHT = 0.4
"""Body weights: with a greater mean push within it, a gap between stances is no flight …"""
_FALLS, _RARELY = 0.2, 0.2
"""… if the push is below the first, in body weights, in less than the second share of it."""
_WHOLE = 0.8
"""Body weights: a gap too short to have a middle is no flight if the push is never less."""
_LONG = 0.15
"""s, a push that lasts longer than this is no blurred impact, however fast the feet move."""


def fill_gaps(
    stances: list[list[Stance]],
    signals: Sequence[LimbSignals],
    weight: Weight | None,
    distance: np.ndarray | None,
    scale: Scale,
    valid: np.ndarray,
) -> tuple[list[list[Stance]], int]:
    """Return the stances with limbs put under a body that hangs in the air, and how many frames.

    Captures drift: a foot may stand a hand's breadth above where it stood before, or slide. Where
    no limb is found to stand but the body does not fall, the most likely one carries it: low,
    slow, and near where the push of the ground passes (``distance`` ``(l, F)`` m).
    """
    frames = len(valid)
    if weight is None or distance is None or not stances:
        return stances, 0
    free = valid.copy()
    for mine in stances:
        for strike, off in mine:
            free[max(round(strike), 0) : round(off)] = False
    gaps = runs(free)
    if not gaps:
        return [joined(mine, 1) for mine in stances], 0
    result = [list(mine) for mine in stances]
    filled = 0
    cost = np.array([_cost(s, d, scale) for s, d in zip(signals, distance, strict=True)])
    for start, stop in gaps:
        near = cost[:, start:stop]
        carried = _is_carried(weight.push[start:stop], scale)
        if carried:  # all of it, by whoever is most likely; no single frame changes that
            near = _settled(near, scale)
            possible = cost[:, start:stop].min(axis=0) < _UNLIKELY
        else:
            pushed = weight.push[start:stop] > _PUSH
            if not pushed.any():
                continue
            possible = pushed & ((near.min(axis=0) < 1) | _lasting(pushed, scale))
        best = near.argmin(axis=0)
        for limb in range(len(stances)):
            for a, b in runs(possible & (best == limb)):
                touches_end = start + a == 0 or start + b == frames
                if carried or b - a >= scale.frames(_SHORTEST, 2) or touches_end:
                    result[limb].append((float(start + a), float(start + b)))
                    filled += b - a
    return [joined(mine, 1) for mine in result], filled


def _is_carried(push: np.ndarray, scale: Scale) -> bool:
    """Whether a gap between stances is no flight: within it, the body does not fall."""
    edge = scale.frames(_BLURRED)
    inner = push[edge:-edge]
    if len(inner) < scale.frames(_SHORTEST, 2):
        return float(push.min()) > _WHOLE
    falls = int(np.count_nonzero(inner < _FALLS))
    return float(inner.sum()) > _NO_FLIGHT * len(inner) and falls < _RARELY * len(inner)


def _lasting(mask: np.ndarray, scale: Scale) -> np.ndarray:
    """Return a mask without its runs shorter than a blurred impact."""
    result = np.zeros_like(mask)
    for a, b in runs(mask):
        result[a:b] = b - a >= scale.frames(_LONG, 2)
    return result


def _settled(cost: np.ndarray, scale: Scale) -> np.ndarray:
    """Return costs ``(l, F)`` averaged over a short time, so that the best does not flicker."""
    width = min(2 * scale.frames(_SHORTEST, 2) + 1, cost.shape[1])
    total = np.cumsum(np.pad(cost, ((0, 0), (1, 0))), axis=1)
    first = np.clip(np.arange(cost.shape[1]) - width // 2, 0, cost.shape[1] - width)
    return np.asarray(total[:, first + width] - total[:, first])


def _cost(signals: LimbSignals, distance: np.ndarray, scale: Scale) -> np.ndarray:
    """Return ``(F)`` how unlikely a limb is to carry; 1 and more: it does not."""
    high = np.maximum(signals.lowest, 0) / (_HIGHEST * scale.leg)
    fast = signals.slowest / (_FASTEST * scale.speed)
    aside = np.where(np.isnan(distance), 0.0, np.minimum(distance / (_ASIDE * scale.leg), 1.0))
    return np.asarray(high * high + fast * fast + aside * aside)
