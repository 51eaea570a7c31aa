"""Discontinuities: rest poses before the motion, joints out of reach, jumps of the whole body.

A filter would spread one such frame over the whole clip, and whatever looks at more than one frame
reaches over the jump. So a frame out of place is found before, and at a jump that does not come
back (a clip pasted after another, a tracker that lost the subject) the clip is cut, as at a gap. So
are frames at an end in which the body is as it was drawn, before it jumps into motion.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from mocap_reroot.types import Motion

FASTEST = 60.0
"""m/s; above the speed of any body that a laboratory records."""

_FARTHEST = 1e5  # m from where the joint usually is
_UNUSUAL = 20.0  # times the usual speed; a length unit that is wrong makes all steps large
_RETURN = 0.2  # of the jump: how far from its place a joint may be when it is back
_ROOT_BLIP = 5.0
"""m/s by which one step of the root differs from the steps around it: real ones, landings at 30 Hz
included, stay below 3, a seam of 5 cm at 120 Hz has 6."""
_POSE_BLIP = 3.0
"""rad/s, the same of the turns, mean over the bodies that move: clips pasted together have 3 to 70,
real clips less, but for single bodies that flip."""
_TOGETHER, _SEVERAL = 1 / 3, 4
"""Share and number of the moving bodies that jump at once where a pose does: clips pasted together
have 0.4 to 1, what solvers lose in a frame (an arm, a pelvis and its legs) is 0.26 at the most."""
_OWN_BLIP = (3.0, 0.01)
"""A body takes part if it turns by more than so many times its usual step, and so many rad."""

_SECONDS = 0.05
"""How far into the clip a rest pose (and the way out of it) may reach, unless joints that never
stir say that it lasts."""


def out_of_place(motion: Motion, usable: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Find frames in which a joint is where it cannot be.

    Args:
        motion: Joint states.
        usable: ``(F)`` bool, frames to look at; all finite.

    Returns:
        ``(F)`` bool frames out of place (out and back within one frame, or beyond all reach), and
        ``(F)`` bool the first frames after a jump from which the joint does not come back.
    """
    out, after = np.zeros(motion.n_frames, dtype=bool), np.zeros(motion.n_frames, dtype=bool)
    frames = np.flatnonzero(usable)
    if len(frames) < 3:
        return out, after
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
        jump = _speed(joint[:, kept], np.diff(kept), motion.fps) > limit
        after[kept[1:][jump]] = True
    return out, after & ~out


def jumps(motion: Motion, turn: np.ndarray, moving: np.ndarray, usable: np.ndarray) -> np.ndarray:
    """Find where the motion does not go on: the root or the whole pose jumps.

    A step counts against the two most similar of the four around it, so that fast motion, landings
    and throws pass, and both steps of a frame out of place are found.

    Args:
        motion: Joint states.
        turn: ``(F)`` rad into each frame, summed over the bodies.
        moving: ``(n)`` bool, bodies that move at all.
        usable: ``(F)`` bool, frames to look at; all finite.

    Returns:
        ``(F)`` bool, the first frame after each jump.
    """
    found = np.zeros(motion.n_frames, dtype=bool)
    if motion.n_frames < 4:
        return found
    known = usable.copy()
    known[1:] &= usable[:-1]  # of the step into each frame
    known[0] = False
    blip = _excess(np.where(known, turn, np.nan)[None]) * motion.fps / max(int(moving.sum()), 1)
    for k in np.flatnonzero(blip > _POSE_BLIP).tolist():
        found[k] = _jump_together(motion.rotation[moving], known, k)
    slot = int(motion.skeleton.slot[motion.skeleton.root])
    if slot >= 0:
        path = motion.displacement[slot]
        step = np.full(path.shape, np.nan)
        step[:, 1:] = np.where(known[1:], path[:, 1:] - path[:, :-1], np.nan)
        blip = _excess(step) * motion.fps
        usual = float(np.median(blip[np.isfinite(blip)])) if np.isfinite(blip).any() else 0.0
        found |= blip > max(_ROOT_BLIP, _UNUSUAL * usual)
    return found


def _excess(step: np.ndarray) -> np.ndarray:
    """Return ``(F)`` how far steps ``(c, F)`` are from the second most similar one around them."""
    frames = step.shape[1]
    away = np.full((4, frames), np.nan)
    with np.errstate(over="ignore", invalid="ignore"):
        for row, by in enumerate((1, 2)):
            apart = np.sqrt(((step[:, by:] - step[:, :-by]) ** 2).sum(axis=0))
            away[2 * row, by:], away[2 * row + 1, :-by] = apart, apart
    if len(step) == 1:  # a size, not a vector: only what is larger than others jumps
        for row, by in enumerate((1, 2)):
            larger = step[0, by:] > step[0, :-by]
            away[2 * row, by:][~larger], away[2 * row + 1, :-by][larger] = 0.0, 0.0
    away.sort(axis=0)  # no number comes last
    return np.where(np.isnan(away[1]), np.nan_to_num(away[0]), away[1])


def _jump_together(rotation: np.ndarray, known: np.ndarray, frame: int) -> bool:
    """Whether many bodies turn into a frame as they do not around it."""
    near = [k for k in range(frame - 2, frame + 3) if 0 < k < len(known) and known[k]]
    dot = [np.abs((rotation[..., k] * rotation[..., k - 1]).sum(axis=1)) for k in near]
    turn = 2 * np.arccos(np.clip(dot, 0.0, 1.0))
    mine = turn[near.index(frame)]
    others = np.sort(np.delete(turn, near.index(frame), axis=0), axis=0)
    usual = others[min(1, len(others) - 1)] if len(others) else np.zeros(len(mine))
    jumping = int(np.sum(mine > _OWN_BLIP[0] * usual + _OWN_BLIP[1]))
    return jumping >= max(_SEVERAL, _TOGETHER * len(mine))


def _keeps_to_its_place(joint: np.ndarray, fps: float) -> bool:
    """Whether a joint ``(3, F)`` never jumps and never goes far, in any frame: the usual case."""
    with np.errstate(over="ignore", invalid="ignore"):
        step = joint[:, 1:] - joint[:, :-1]
        fastest = float(np.einsum("cf,cf->f", step, step).max())
        farthest = float((joint.max(axis=1) - joint.min(axis=1)).max())
    return fastest * fps * fps < FASTEST**2 and farthest < _FARTHEST  # neither is true of NaN


def _speed(place: np.ndarray, frames: np.ndarray, fps: float) -> np.ndarray:
    """Return m/s between neighbours that are some frames apart."""
    return np.asarray(np.linalg.norm(np.diff(place, axis=1), axis=0) * fps / frames)


def rest_pose_frames(
    mean: np.ndarray, at_rest: Callable[[int], float], fps: float
) -> tuple[int, float]:
    """Return how many of the first frames hold a rest pose, and their jump in usual steps.

    The evidence is a jump within the first frames that dwarfs all other steps; less is enough if
    many of the joints that move stand exactly in their rest rotation before it, and little if most
    do. Converters that filter or resample smear the jump over a few frames: those go with it.

    Args:
        mean: ``(F)`` rad into each frame, mean over the bodies that move.
        at_rest: Returns the share of them that is exactly at rest in a frame.
        fps: Hz.
    """
    frames, reach = len(mean), max(1, round(_SECONDS * fps))
    first = at_rest(0)
    while first > 0.6 and 4 * reach < frames and at_rest(reach) > 0.6:
        reach += 1  # held for as long as the joints do not move at all
    if frames < 2 * reach + 8:
        return 0, 0.0
    later = mean[2 * reach :]
    later = later[np.isfinite(later)]
    usual = max(float(np.quantile(later, 0.99)) if len(later) else 0.0, 0.5 / fps)
    needed = 1.5 if first > 0.6 else 2.5 if first > 0.4 else 6.0
    jumps_found = np.flatnonzero(mean[1 : reach + 1] > needed * usual) + 1
    if len(jumps_found) == 0:
        return 0, 0.0
    stop = first_jump = int(jumps_found[0])
    if (mean[1:first_jump] > 0.2 * usual).any():  # motion, not a pose held, before the jump
        return 0, 0.0
    while stop < 2 * reach and mean[stop + 1] > 1.5 * usual:
        stop += 1
    return stop, float(mean[first_jump] / usual)
