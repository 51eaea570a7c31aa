"""What feet can do: push, not pull, from inside their soles, within the cone of friction.

A rule proposes shares. Here they become pressures inside the soles; where the soles do not allow
it, the shares give way, as little as possible. What cannot be had at all is told, never forced:
the total is exact in any case.
"""

from __future__ import annotations

import numpy as np

from mocap_reroot.dynamics.ground import Support, packed
from mocap_reroot.types import read_only

FRICTION = 1.0
"""Level force over vertical force: above it a shoe slips on any floor of a laboratory."""
TOLERANCE = 0.002
"""m: how far pressures may miss before shares give way."""
STEP, FARTHEST = 0.01, 0.3
"""Shares give way in such steps, up to so much."""
_ROUNDS = 6


def pressures_inside(
    base: np.ndarray, shares: np.ndarray, centre: np.ndarray, support: Support, up: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Return pressures inside the soles whose weighted mean comes as near the centre as it can.

    Args:
        base: ``(f, 3, F)`` m, where the feet would like to bear.
        shares: ``(f, F)`` of the load.
        centre: ``(3, F)`` m, centre of pressure of the total.
        support: Soles.
        up: ``(3)``.

    Returns:
        ``(f, 3, F)`` m pressures and ``(F)`` m by how much their mean misses, seen from above.
    """
    from mocap_reroot.kernels import soles

    place = np.array(base)
    parts = max(len(outlines) for outlines in support.outlines)
    most = max(len(o) for outlines in support.outlines for o in outlines)
    corners = np.stack([packed(outlines, parts, most) for outlines in support.outlines])
    given = read_only(shares), read_only(centre), read_only(corners), read_only(up)
    soles.pressures(*given, _ROUNDS, place)
    miss = centre - np.einsum("kf,kcf->cf", shares, place)
    return place, np.linalg.norm(miss - up[:, None] * (up @ miss), axis=0)


def give_way(
    base: np.ndarray, shares: np.ndarray, centre: np.ndarray, support: Support, up: np.ndarray
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return shares, pressures and misses, with shares of two feet changed where soles demand it.

    The arguments are those of :func:`pressures_inside`; frames with one foot, or more than two,
    keep their shares.
    """
    shares = np.array(shares)
    place, miss = np.array(base), np.zeros(shares.shape[1])
    known = np.isfinite(centre).all(axis=0)
    several = np.flatnonzero((support.count > 1) & known)
    if not len(several):
        return shares, place, miss
    place[..., several], miss[several] = _inside(base, shares, centre, support, up, several)
    pair = several[(support.count[several] == 2) & (miss[several] > TOLERANCE)]
    best = miss[pair]
    first, second = (np.argsort(~support.on[:, pair], axis=0, kind="stable")[i] for i in (0, 1))
    start = shares[first, pair]
    for change in np.arange(1, round(FARTHEST / STEP) + 1) * STEP:
        for sign in (1, -1):
            open_ = np.flatnonzero(best > TOLERANCE)
            if not len(open_):
                return shares, place, miss
            frames = pair[open_]
            trial = np.zeros((len(shares), shares.shape[1]))
            share = np.clip(start[open_] + sign * change, 0, 1)
            trial[first[open_], frames], trial[second[open_], frames] = share, 1 - share
            there, missed = _inside(base, trial, centre, support, up, frames)
            better = missed < best[open_] - 0.5 * TOLERANCE
            good = frames[better]
            shares[:, good], place[..., good] = trial[:, good], there[..., better]
            miss[good] = missed[better]
            best[open_[better]] = missed[better]
    return shares, place, miss


def _inside(
    base: np.ndarray,
    shares: np.ndarray,
    centre: np.ndarray,
    support: Support,
    up: np.ndarray,
    frames: np.ndarray,
) -> tuple[np.ndarray, np.ndarray]:
    """Call :func:`pressures_inside` for some frames."""
    part = support.at(frames)
    return pressures_inside(base[..., frames], shares[:, frames], centre[:, frames], part, up)


def impossible(force: np.ndarray, miss: np.ndarray, support: Support, up: np.ndarray) -> np.ndarray:
    """Return ``(F)`` where several feet carry and one pulls, slips, or bears beside its sole.

    Args:
        force: ``(f, 3, F)`` N on every foot.
        miss: ``(F)`` m, from :func:`give_way`.
        support: Who carries.
        up: ``(3)``.
    """
    vertical = np.einsum("c,kcf->kf", up, force)
    level = np.linalg.norm(force - up[:, None] * vertical[:, None], axis=1)
    pulls = support.on & (vertical < 0)
    slips = support.on & (level > FRICTION * np.abs(vertical) + 1.0)
    return np.asarray((support.count > 1) & ((pulls | slips).any(axis=0) | (miss > 0.01)))
