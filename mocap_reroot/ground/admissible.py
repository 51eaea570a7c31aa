"""What feet can do: push, not pull, from inside their soles, within the cone of friction.

A rule proposes shares. Here they become pressures inside the soles; where the soles do not allow
it, the shares give way, as little as possible. What cannot be had at all is told, never forced:
the total is exact in any case.
"""

from __future__ import annotations

import numpy as np

from mocap_reroot.numerics.vectors import level_axes
from mocap_reroot.types import Support, read_only

FRICTION = 1.0
"""Level force over vertical force: above it a shoe slips on any floor of a laboratory."""
TOLERANCE = 0.002
"""m: how far pressures may miss before shares give way."""
STEP, FARTHEST = 0.01, 0.3
"""Shares give way in such steps, up to so much."""
FARTHEST_MISS = 0.01
"""m: pressures that miss by more are not inside the soles."""
SLACK = 0.02
"""m: soles are estimates, and may be so much larger on every side."""
_ROUNDS = 6


def give_way(
    base: np.ndarray,
    shares: np.ndarray,
    centre: np.ndarray,
    support: Support,
    up: np.ndarray,
    ease: np.ndarray,
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return shares, pressures and misses of feet that press inside their soles.

    The weighted mean of the pressures comes as near the centre as it can. Where the soles of two
    feet do not let it, their shares change; frames with one foot, or more than two, keep theirs.

    Args:
        base: ``(f, 3, F)`` m, where the feet would like to bear.
        shares: ``(f, F)`` of the load, as wanted.
        centre: ``(3, F)`` m, centre of pressure of the total.
        support: Soles.
        up: ``(3)``.
        ease: ``(F)`` how much of a change is made, 0 to 1.

    Returns:
        ``(f, F)`` shares, ``(f, 3, F)`` m pressures and ``(F)`` m, by how much the mean would miss
        the centre if every change were made, seen from above.
    """
    from mocap_reroot.kernels import sharing

    given = read_only(base), read_only(shares), read_only(centre)
    soles = read_only(support.on, bool), read_only(support.corners), read_only(level_axes(up))
    found, place, miss = np.array(shares), np.array(base), np.zeros(shares.shape[1])
    limits = TOLERANCE, STEP, round(FARTHEST / STEP), _ROUNDS
    sharing.give_way(*given, *soles, read_only(ease), limits, found, place, miss)
    return found, place, miss
