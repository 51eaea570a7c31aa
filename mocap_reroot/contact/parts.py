"""Parts: within a stance, when the heel end and when the toes touch, and which of them carries."""

from __future__ import annotations

import numpy as np

from mocap_reroot.contact.stances import LimbSignals
from mocap_reroot.contact.standing import Scale

_LIFTED = 0.035
"""A heel or tip this high (share of a leg) no longer touches."""
_BRIEF = 0.03
"""s, toes that carry for less than this are not worth a change of support."""


def share_parts(
    stances: list[tuple[float, float]], signals: LimbSignals, n_parts: int, scale: Scale
) -> tuple[np.ndarray, np.ndarray]:
    """Return ``(n_parts, F)`` touching and ``(F)`` the carrying part's number, −1 where off.

    The toes touch from when they come down to the foot's off. The foot touches from the strike
    until its ball leaves; the support passes from foot to toes half way between heel-rise and
    foot-off, about where the centre of pressure passes the toe joint.
    """
    frames = signals.height.shape[1]
    touching = np.zeros((n_parts, frames), bool)
    carrier = np.full(frames, -1)
    heel, ball, tip = (signals.row(role) for role in ("heel", "ball", "tip"))
    for strike, off in stances:
        touching[0, round(strike) : round(off)] = True
        carrier[round(strike) : round(off)] = 0
    if n_parts == 1 or heel is None or tip is None or ball is None:
        return touching, carrier
    limit, brief = _LIFTED * scale.leg, scale.frames(_BRIEF, 2)
    above = signals.height - np.minimum(signals.lowest, 0.02 * scale.leg)
    toes_down = np.minimum(above[tip], above[ball]) < limit
    heel_down, rolled = above[heel] < limit, above[ball] > 0.5 * limit
    for strike, off in stances:
        start, stop = max(round(strike), 0), min(round(off), frames)
        if start >= stop:
            continue
        down = start + int(toes_down[start:stop].argmax())  # the first
        risen = start
        if heel_down[start:stop].any():
            risen = stop - int(heel_down[start:stop][::-1].argmax())  # after the last
        touching[1, down:stop] = True
        if risen >= stop:
            continue
        change = max((risen + stop + 1) // 2, down)
        if stop - change >= brief:
            carrier[change:stop] = 1
            if rolled[change:stop].any():
                touching[0, change + int(rolled[change:stop].argmax()) : stop] = False
    return touching, carrier
