"""Which foot is loaded: how far the required ground force passes each sole."""

from __future__ import annotations

import itertools
from collections.abc import Sequence

import numpy as np

from mocap_reroot.contact.scale import Scale
from mocap_reroot.contact.stances import LimbSignals
from mocap_reroot.contact.support_force import SupportForce
from mocap_reroot.kernels import soles as kernels
from mocap_reroot.numerics.frames import changes, runs
from mocap_reroot.parameters import ContactParameters


def distances(
    signals: Sequence[LimbSignals], force: SupportForce | None, up: np.ndarray
) -> np.ndarray | None:
    """Return ``(l, F)`` m how far, along the ground, the push passes every sole; NaN if unknown.

    The sole is the line from its first point to its last, heel to tip.
    """
    if force is None:
        return None
    ends = _ends(signals)
    result = np.empty((len(ends), ends.shape[-1]))
    kernels.distances(ends, force.line_base, force.line_slope, up, result)
    return result


def _ends(signals: Sequence[LimbSignals]) -> np.ndarray:
    """Return ``(l, 2, 3, F)`` m, the first and the last point of every sole."""
    return np.array([(s.position[0], s.position[-1]) for s in signals])


def unloaded(
    distance: np.ndarray | None, limbs: int, frames: int, scale: Scale, p: ContactParameters
) -> np.ndarray:
    """Return ``(l, F)`` 0–1: how surely another limb carries alone, this one nothing.

    1 where the push passes near another sole and far from this one.
    """
    result = np.zeros((limbs, frames))
    if distance is not None and limbs > 1:
        kernels.unloaded(distance, p.sole_near * scale.leg, p.sole_far * scale.leg, result)
    return result


def needs_external(
    on: np.ndarray,
    distance: np.ndarray | None,
    signals: Sequence[LimbSignals],
    force: SupportForce | None,
    scale: Scale,
    valid: np.ndarray,
    p: ContactParameters,
) -> np.ndarray:
    """Return ``(F)`` whether something besides the limbs that are on must carry the body.

    The push of the ground passes within the hull of the soles, if they alone carry. Where it
    passes far outside for most of a while, there is a seat, a hand-hold, a partner (or a capture
    that is out of balance).

    Args:
        on: ``(l, F)`` limbs that stand.
        distance: ``(l, F)`` m how far from every sole the push passes.
        signals: What they do.
        force: How and where the ground pushes.
        scale: Leg length and rates.
        valid: ``(F)`` frames that take part.
        p: Numbers.
    """
    result = np.zeros(on.shape[1], bool)
    if force is None or distance is None:
        return result
    limit = p.sole_outside * scale.leg
    aside = (~on | (distance > limit)).all(axis=0) & on.any(axis=0) & valid
    brief = scale.frames(p.outside_shortest, 2)
    if aside.sum() < brief:
        return result
    edges = changes(on)
    count = np.add.reduceat(aside, edges[:-1], dtype=np.int64).tolist()
    ends = _ends(signals)
    for (start, stop), lasts in zip(itertools.pairwise(edges), count, strict=True):
        if lasts < brief:
            continue  # one of the soles explains it
        limbs = np.flatnonzero(on[:, start])
        for a, b in runs(valid[start:stop]):
            kernels.outside_soles(
                ends, limbs, force.line_base, force.line_slope, scale.up, start + a, start + b,
                limit, scale.frames(p.outside_window), result,
            )  # fmt: skip
    for start, stop in runs(~result):  # a moment's doubt changes nothing, neither way
        result[start:stop] = start > 0 and stop < len(result) and stop - start < brief
    for start, stop in runs(result):
        result[start:stop] = stop - start >= brief
    return result & valid & on.any(axis=0)
