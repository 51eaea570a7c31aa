"""Overlapping windows of a long clip: solved one after the other and blended."""

from __future__ import annotations

from dataclasses import fields

import numpy as np

from mocap_reroot.ground.interval import Interval
from mocap_reroot.ground.problem import Solution, solve_window
from mocap_reroot.parameters import GroundParameters

LENGTH = 8.0
"""s, of a window: the time of a solution grows faster than the clip if there is but one."""
DISCARDED = 0.4
"""s, that are known less well at a window's ends."""


def solve_interval(interval: Interval, limbs: int, p: GroundParameters) -> Solution | None:
    """Return the solution of an interval, or None where a window has none."""
    count, h = interval.knots.count, interval.knots.spacing
    aside = max(round(DISCARDED / h), 2)
    length = max(round(LENGTH / h), 8 * aside)
    starts = [0] if count <= 1.5 * length else list(range(0, count - length // 2, length))
    whole: dict[str, np.ndarray] = {}
    worst = 0
    for i, start in enumerate(starts):
        first = max(0, start - aside) if i else 0
        stop = count if i == len(starts) - 1 else min(count, starts[i + 1] + aside)
        found = solve_window(interval, first, stop, limbs, p)
        if found.iterations < 0 or not np.isfinite(found.path).all():
            return None
        worst = max(worst, found.iterations)
        if len(starts) == 1:
            return found
        weight = _weight(first, stop, aside // 2, i > 0, i < len(starts) - 1)
        for field in fields(Solution)[:-1]:
            values = getattr(found, field.name)
            extra = values.shape[-1] - (stop - first)  # splines have a coefficient more at each end
            if field.name not in whole:
                whole[field.name] = np.zeros((*values.shape[:-1], count + extra))
            share = np.pad(weight, extra // 2, mode="edge")
            whole[field.name][..., first : stop + extra] += values * share
    return Solution(**whole, iterations=worst)


def _weight(first: int, stop: int, aside: int, fades_in: bool, fades_out: bool) -> np.ndarray:
    """Return ``(K)`` how much a window counts: nothing at its ends, all once the other ends."""
    weight = np.ones(stop - first)
    ramp = np.clip((np.arange(4 * aside) - aside + 0.5) / (2 * aside), 0, 1)
    if fades_in:
        weight[: len(ramp)] *= ramp
    if fades_out:
        weight[-len(ramp) :] *= ramp[::-1]
    return weight
