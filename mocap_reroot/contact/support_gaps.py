"""A support where no stance was detected although the body does not fall."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from mocap_reroot.contact.scale import Scale
from mocap_reroot.contact.stances import LimbSignals, Stance, joined
from mocap_reroot.contact.support_force import SupportForce
from mocap_reroot.numerics.frames import runs
from mocap_reroot.parameters import ContactParameters


def fill_gaps(
    stances: list[list[Stance]],
    signals: Sequence[LimbSignals],
    force: SupportForce | None,
    distance: np.ndarray | None,
    scale: Scale,
    valid: np.ndarray,
    p: ContactParameters,
) -> tuple[list[list[Stance]], int]:
    """Return the stances with limbs put under a body that hangs in the air, and how many frames.

    Captures drift: a foot may stand a hand's breadth above where it stood before, or slide. Where
    no limb is found to stand but the body does not fall, the most likely one carries it: low,
    slow, and near where the push of the ground passes (``distance`` ``(l, F)`` m).
    """
    frames = len(valid)
    if force is None or distance is None or not stances:
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
    cost = np.array([_cost(s, d, scale, p) for s, d in zip(signals, distance, strict=True)])
    for start, stop in gaps:
        near = cost[:, start:stop]
        supported = _is_supported(force.vertical[start:stop], scale, p)
        if supported:  # all of it, by whoever is most likely; no single frame changes that
            near = _averaged(near, scale, p)
            possible = cost[:, start:stop].min(axis=0) < p.gap_unlikely
        else:
            pushed = force.vertical[start:stop] > p.gap_force
            if not pushed.any():
                continue
            possible = pushed & ((near.min(axis=0) < 1) | _lasting(pushed, scale, p))
        best = near.argmin(axis=0)
        for limb in range(len(stances)):
            for a, b in runs(possible & (best == limb)):
                touches_end = start + a == 0 or start + b == frames
                if supported or b - a >= scale.frames(p.gap_shortest, 2) or touches_end:
                    result[limb].append((float(start + a), float(start + b)))
                    filled += b - a
    return [joined(mine, 1) for mine in result], filled


def _is_supported(push: np.ndarray, scale: Scale, p: ContactParameters) -> bool:
    """Whether a gap between stances is no flight: within it, the body does not fall."""
    edge = scale.frames(p.gap_blurred)
    inner = push[edge:-edge]
    if len(inner) < scale.frames(p.gap_shortest, 2):
        return float(push.min()) > p.gap_least
    falls = int(np.count_nonzero(inner < p.gap_falls))
    return float(inner.sum()) > p.gap_mean * len(inner) and falls < p.gap_falling * len(inner)


def _lasting(mask: np.ndarray, scale: Scale, p: ContactParameters) -> np.ndarray:
    """Return a mask without its runs shorter than a blurred impact."""
    result = np.zeros_like(mask)
    for a, b in runs(mask):
        result[a:b] = b - a >= scale.frames(p.gap_long, 2)
    return result


def _averaged(cost: np.ndarray, scale: Scale, p: ContactParameters) -> np.ndarray:
    """Return costs ``(l, F)`` averaged over a short time, so that the best does not flicker."""
    width = min(2 * scale.frames(p.gap_shortest, 2) + 1, cost.shape[1])
    total = np.cumsum(np.pad(cost, ((0, 0), (1, 0))), axis=1)
    first = np.clip(np.arange(cost.shape[1]) - width // 2, 0, cost.shape[1] - width)
    return np.asarray(total[:, first + width] - total[:, first])


def _cost(
    signals: LimbSignals, distance: np.ndarray, scale: Scale, p: ContactParameters
) -> np.ndarray:
    """Return ``(F)`` how unlikely a limb is to carry; 1 and more: it does not."""
    high = np.maximum(signals.lowest, 0) / (p.gap_height * scale.leg)
    fast = signals.slowest / (p.gap_speed * scale.speed)
    aside = np.where(np.isnan(distance), 0.0, np.minimum(distance / (p.gap_aside * scale.leg), 1.0))
    return np.asarray(high * high + fast * fast + aside * aside)
