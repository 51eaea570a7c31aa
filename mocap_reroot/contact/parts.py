"""Heel and toe contact within a stance, and which of the two is the support."""

from __future__ import annotations

import numpy as np

from mocap_reroot.contact.stances import LimbSignals, Stance
from mocap_reroot.contact.standing import Scale
from mocap_reroot.kernels.stances import share

_LIFTED = 0.035
"""A heel or tip this high (share of a leg) no longer touches."""
_SUNK = 0.02
"""Height is counted from the lowest point, or from this share of a leg if that is higher."""
_BRIEF = 0.03
"""s, toes that carry for less than this are not worth a change of support."""


def share_parts(
    stances: list[Stance], signals: LimbSignals, n_parts: int, scale: Scale
) -> tuple[np.ndarray, np.ndarray]:
    """Return ``(n_parts, F)`` touching and ``(F)`` the carrying part's number, −1 where off.

    See :func:`mocap_reroot.kernels.stances.share`.
    """
    frames = signals.height.shape[1]
    rows = tuple(signals.row(role) for role in ("heel", "ball", "tip"))
    known = None not in rows  # of a hand or a knee nothing tells
    edges = np.array([(round(a), round(b)) for a, b in stances], np.int64).reshape(-1, 2)
    touching, carrier = np.zeros((n_parts, frames), bool), np.full(frames, -1)
    share(
        edges, signals.height, rows if known else (0, 0, 0), _LIFTED * scale.leg,
        _SUNK * scale.leg, scale.frames(_BRIEF, 2), touching[: n_parts if known else 1], carrier,
    )  # fmt: skip
    return touching, carrier
