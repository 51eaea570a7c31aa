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
        start, stop = round(strike), round(off)
        touching[0, start:stop] = True
        carrier[start:stop] = 0
        if n_parts == 1 or heel is None or tip is None or ball is None:
            continue
        limit = _LIFTED * scale.leg
        up = signals.height[:, start:stop]
        base = np.minimum(up.min(axis=0), 0.02 * scale.leg)
        toes_down = np.flatnonzero(np.minimum(up[tip], up[ball]) - base < limit)
        down = start + (int(toes_down[0]) if len(toes_down) else 0)
        heel_down = np.flatnonzero(up[heel] - base < limit)
        risen = start + (int(heel_down[-1]) + 1 if len(heel_down) else 0)
        touching[1, down:stop] = True
        if risen >= stop:
            continue
        change = max((risen + stop + 1) // 2, down)
        if stop - change >= scale.frames(_BRIEF, 2):
            carrier[change:stop] = 1
            rolled = np.flatnonzero((up[ball] - base)[change - start :] > 0.5 * limit)
            if len(rolled):
                touching[0, change + int(rolled[0]) : stop] = False
    return touching, carrier
