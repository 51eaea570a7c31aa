"""Leaps: places where a joint that translates is thrown away and comes back, or does not.

A filter would spread one such frame over the whole clip, so it must be found before.
"""

from __future__ import annotations

import numpy as np

from mocap_reroot.types import Motion

FASTEST = 60.0
"""m/s; above the speed of any body that a laboratory records."""

_FARTHEST = 1e5  # m from where the joint usually is
_UNUSUAL = 20.0  # times the usual speed; a length unit that is wrong makes all steps large
_RETURN = 0.2  # of the leap: how far from its place a joint may be when it is back


def thrown_out(motion: Motion, usable: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Find frames in which a joint is where it cannot be.

    Args:
        motion: Joint states.
        usable: ``(F)`` bool, frames to look at; all finite.

    Returns:
        ``(F)`` bool frames out of place (out and back within one frame, or beyond all reach), and
        ``(F)`` bool frames beside a leap from which the joint does not come back.
    """
    out, beside = np.zeros(motion.n_frames, dtype=bool), np.zeros(motion.n_frames, dtype=bool)
    frames = np.flatnonzero(usable)
    if len(frames) < 3:
        return out, beside
    for joint in motion.displacement:
        if _keeps_to_its_place(joint, motion.fps):
            continue
        place = joint[:, frames]
        with np.errstate(over="ignore"):
            far = np.abs(place - np.median(place, axis=1, keepdims=True)).max(axis=0) > _FARTHEST
        out[frames[far]] = True
        kept = frames[~far]
        step = _speed(joint[:, kept], np.diff(kept), motion.fps)
        if len(kept) < 3 or not (step > FASTEST).any():
            continue
        limit = max(FASTEST, _UNUSUAL * float(np.median(step)))
        over = np.linalg.norm(joint[:, kept[2:]] - joint[:, kept[:-2]], axis=0)
        way = np.linalg.norm(np.diff(joint[:, kept], axis=1), axis=0)
        least = np.minimum(way[:-1], way[1:])
        spike = (np.minimum(step[:-1], step[1:]) > limit) & (over < _RETURN * least)
        out[kept[1:-1][spike]] = True
        kept = kept[~out[kept]]
        leap = _speed(joint[:, kept], np.diff(kept), motion.fps) > limit
        beside[kept[:-1][leap]] = beside[kept[1:][leap]] = True
    return out, beside & ~out


def _keeps_to_its_place(joint: np.ndarray, fps: float) -> bool:
    """Whether a joint ``(3, F)`` never leaps and never goes far, in any frame: the usual case."""
    with np.errstate(over="ignore", invalid="ignore"):
        step = joint[:, 1:] - joint[:, :-1]
        fastest = float(np.einsum("cf,cf->f", step, step).max())
        farthest = float((joint.max(axis=1) - joint.min(axis=1)).max())
    return fastest * fps * fps < FASTEST**2 and farthest < _FARTHEST  # neither is true of NaN


def _speed(place: np.ndarray, frames: np.ndarray, fps: float) -> np.ndarray:
    """Return m/s between neighbours that are some frames apart."""
    return np.asarray(np.linalg.norm(np.diff(place, axis=1), axis=0) * fps / frames)
