"""Heel and toe contact within a stance, and which of the two is the support."""

from __future__ import annotations

import numpy as np

from mocap_reroot.contact.scale import Scale
from mocap_reroot.contact.stances import LimbSignals, Stance
from mocap_reroot.kernels.stances import share
from mocap_reroot.parameters import ContactParameters


def share_parts(
    stances: list[Stance], signals: LimbSignals, n_parts: int, scale: Scale, p: ContactParameters
) -> tuple[np.ndarray, np.ndarray]:
    """Return ``(n_parts, F)`` touching and ``(F)`` the carrying part's number, −1 where off.

    See :func:`mocap_reroot.kernels.stances.share`.
    """
    frames = signals.height.shape[1]
    rows = tuple(signals.row(role) for role in ("heel", "ball", "tip"))
    known = None not in rows  # of a hand or a knee nothing tells
    edges = np.array([(round(a), round(b)) for a, b in stances], np.int64).reshape(-1, 2)
    touching, support_body = np.zeros((n_parts, frames), bool), np.full(frames, -1)
    share(
        edges, signals.height, rows if known else (0, 0, 0), p.part_lifted * scale.leg,
        p.part_sunk * scale.leg, scale.frames(p.part_shortest, 2),
        touching[: n_parts if known else 1], support_body,
    )  # fmt: skip
    return touching, support_body
