"""Fill gaps in marker trajectories: from markers of the same segment, then by short splines."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from scipy.interpolate import CubicSpline

MAX_GAP = 0.2
"""s, the longest gap that is interpolated in time."""


@dataclass(frozen=True, eq=False)
class Pivot:
    """A joint that two clusters share.

    Attributes:
        above: Segment of the cluster above it.
        there, here: ``(3)`` m, where it is in the shape of that cluster, and in that of its own.
    """

    above: str
    there: np.ndarray
    here: np.ndarray


def rigid_fit(source: np.ndarray, target: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return rotation ``(F, 3, 3)`` and shift ``(F, 3)`` that carry points onto measured ones.

    Least squares (Söderkvist and Wedin 1993).

    Args:
        source: ``(k, 3)`` points of a rigid segment.
        target: ``(k, 3, F)`` the same points in every frame, all present.
    """
    centre = source.mean(axis=0)
    centres = target.mean(axis=0)
    H = np.einsum("ki,kjf->fij", source - centre, target - centres)
    U, _, Vt = np.linalg.svd(H)
    handed = np.sign(np.linalg.det(U @ Vt))
    U[:, :, 2] *= handed[:, None]
    R = (U @ Vt).transpose(0, 2, 1)
    return R, centres.T - R @ centre


def fill_from_cluster(
    points: np.ndarray, reference: np.ndarray, joint: np.ndarray | None = None
) -> np.ndarray:
    """Return the points of one segment with missing ones rebuilt from at least three others.

    Args:
        points: ``(k, 3, F)``, NaN where missing.
        reference: ``(k, 3)`` the segment's shape; NaN for points that are never seen. One more
            where a joint's centre is given.
        joint: ``(3, F)`` m, the joint above, which makes up for a third point; NaN where unknown.
    """
    if joint is not None:
        few = (np.isfinite(points).all(axis=1) & np.isfinite(reference[:-1, :1])).sum(axis=0) < 3
        points = np.concatenate([points, np.where(few, joint, np.nan)[None]])
        return fill_from_cluster(points, reference)[:-1]
    filled = points.copy()
    there = ~np.isnan(points).any(axis=1)
    known = ~np.isnan(reference).any(axis=1)
    patterns, which = np.unique(there & known[:, None], axis=1, return_inverse=True)
    for number, pattern in enumerate(patterns.T):
        wanted = known & ~pattern
        if pattern.sum() < 3 or not wanted.any() or _thin(reference[pattern]):
            continue
        frames = np.flatnonzero(which.ravel() == number)
        R, shift = rigid_fit(reference[pattern], points[pattern][:, :, frames])
        rebuilt = np.einsum("fij,kj->kif", R, reference[wanted]) + shift.T
        for k, values in zip(np.flatnonzero(wanted), rebuilt, strict=True):
            filled[k][:, frames] = values
    return filled


def segment_shape(points: np.ndarray) -> np.ndarray:
    """Return ``(k, 3)`` the shape of a segment: mean over frames after they are laid together.

    Points that are never seen together with three others are NaN.
    """
    there = ~np.isnan(points).any(axis=1)
    usual = there.mean(axis=1) > 0.2
    shape = np.full(points.shape[:2], np.nan)
    if usual.sum() < 3:
        return shape
    whole = there[usual].all(axis=0)
    if not whole.any():
        return shape
    core = points[usual][:, :, whole]
    guess = core[:, :, core.shape[2] // 2]
    for _ in range(3):
        R, shift = rigid_fit(guess, core)
        guess = np.einsum("fji,kjf->kif", R, core - shift.T).mean(axis=2)
    shape[usual] = guess
    return shape


def fill_in_time(points: np.ndarray, longest: int) -> np.ndarray:
    """Return ``(m, 3, F)`` points with gaps of up to ``longest`` frames bridged by cubic splines.

    Nothing is added before the first or after the last frame in which a point is seen.
    """
    filled = points.copy()
    for k, point in enumerate(points):
        there = ~np.isnan(point).any(axis=0)
        if there.all() or there.sum() < 4:
            continue
        known = np.flatnonzero(there)
        gaps = np.flatnonzero((np.diff(known) > 1) & (np.diff(known) <= longest + 1))
        if not len(gaps):
            continue
        for gap in gaps:
            lo, hi = known[gap], known[gap + 1]
            near = known[max(0, gap - 4) : gap + 6]
            spline = CubicSpline(near, point[:, near], axis=1)
            filled[k, :, lo + 1 : hi] = spline(np.arange(lo + 1, hi))
    return filled


def fill(
    points: np.ndarray,
    labels: Sequence[str],
    clusters: Mapping[str, Iterable[str]],
    fps: float,
    shapes: Mapping[str, np.ndarray] | None = None,
    pivots: Mapping[str, Pivot] | None = None,
) -> np.ndarray:
    """Return the points with gaps filled from their segments, then in time.

    Args:
        points: ``(m, 3, F)``, NaN where missing.
        labels: ``(m)`` in lower case.
        clusters: ``{segment: labels}`` that move together.
        fps: Frames per second.
        shapes: ``{segment: (k, 3)}`` known shapes, e.g. from a static trial; by default they are
            found in these points.
        pivots: ``{segment: joint above}``, with which two points of a cluster are enough.
    """
    filled = points.copy()
    rows = {label: k for k, label in enumerate(labels)}
    placed: dict[str, tuple[np.ndarray, np.ndarray]] = {}
    for segment, members in clusters.items():
        here = [rows[m.lower()] for m in members if m.lower() in rows]
        if len(here) < 3:
            continue
        known = None if shapes is None else shapes.get(segment)
        shape = segment_shape(filled[here]) if known is None else known
        if not np.isfinite(shape).any():
            continue
        pivot = None if pivots is None else pivots.get(segment)
        if pivot is not None and pivot.above in placed:
            turned, shift = placed[pivot.above]
            joint = (turned @ pivot.there + shift).T
            filled[here] = fill_from_cluster(filled[here], np.vstack([shape, pivot.here]), joint)
        else:
            filled[here] = fill_from_cluster(filled[here], shape)
        if pivots:
            placed[segment] = placement(filled[here], shape)
    return fill_in_time(filled, round(MAX_GAP * fps))


def placement(points: np.ndarray, shape: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return rotation ``(F, 3, 3)`` and shift ``(F, 3)`` of a shape; NaN where points are missing.

    Args:
        points: ``(k, 3, F)`` of a segment, NaN where missing.
        shape: ``(k, 3)``; NaN for points that are never seen.
    """
    known = np.isfinite(shape).all(axis=1)
    whole = np.isfinite(points[known]).all(axis=(0, 1))
    turned = np.full((len(whole), 3, 3), np.nan)
    shift = np.full((len(whole), 3), np.nan)
    if known.sum() >= 3 and whole.any():
        turned[whole], shift[whole] = rigid_fit(shape[known], points[known][:, :, whole])
    return turned, shift


def _thin(shape: np.ndarray) -> bool:
    """Say whether points lie so nearly on a line that they do not fix a rotation."""
    spread = np.linalg.svd(shape - shape.mean(axis=0), compute_uv=False)
    return bool(spread[1] < 0.05 * spread[0])
