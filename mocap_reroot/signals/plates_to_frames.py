"""Force plates at the frame rate: offset removed, averaged over each frame, not low-passed."""

from __future__ import annotations

import numpy as np

from mocap_reroot.types import Plates, RawPlates

_SMALL = 40.0  # N: what a plate shows above this with nobody on it is not an offset
_QUIET = 5.0  # N, noise of a plate with nobody on it
_WORTH_SAYING = 2.0  # N


def plates_to_frames(
    raw: RawPlates, fps: float, n_frames: int, up: np.ndarray, start_time: float = 0.0
) -> tuple[Plates, list[str]]:
    """Average force plates over the interval of every frame.

    The interval is centred: from half a frame before a frame to half a frame after it, so that
    forces and positions belong to the same instant. Corners are put in the order in which
    ``Plates.normal`` points up. Frames without samples, or with one that is no number, are NaN.

    Args:
        raw: Force plates at their own rate.
        fps: Frames per second of the motion.
        n_frames: Frames of the motion.
        up: ``(3)`` unit vector.
        start_time: s, time of the motion's first frame on the clock of ``raw.start``.

    Returns:
        The plates, and sentences about offsets that were taken off.
    """
    unknown = ~np.isfinite(np.concatenate([raw.force, raw.moment], axis=1)).all(axis=1)
    force, moment = (np.where(unknown[:, None], 0.0, a) for a in (raw.force, raw.moment))
    corners = raw.corners.copy()
    notes = []
    for k, name in enumerate(raw.names):
        corners[k] = upward(corners[k], up)
        if _pulls(force[k], corners[k], up):
            force[k], moment[k] = -force[k], -moment[k]
            notes.append(
                f"The force of {name.replace('_', ' ')} pointed down and was reversed: "
                "a floor can only push."
            )
        quiet = unloaded(up @ force[k], raw.rate)
        if quiet is None or not (quiet & ~unknown[k]).any():
            continue
        quiet &= ~unknown[k]
        offset = force[k][:, quiet].mean(axis=1)
        force[k] -= offset[:, None]
        moment[k] -= moment[k][:, quiet].mean(axis=1, keepdims=True)
        if np.linalg.norm(offset) > _WORTH_SAYING:
            plate, size = name.replace("_", " "), np.linalg.norm(offset)
            notes.append(
                f"An offset of {size:.1f} N was taken off {plate}: what it shows with nobody on it."
            )
    both = np.concatenate([force, moment], axis=1)
    when = raw.rate, fps, n_frames, raw.start - start_time
    frames = frame_means(both, *when)
    if unknown.any():  # a frame is known if all its samples are
        lost = frame_means(unknown.astype(float), *when) > 0
        frames = np.where(lost[:, None], np.nan, frames)
    return Plates(corners, frames[:, :3], frames[:, 3:], raw.names, raw.outlined), notes


def unloaded(push: np.ndarray, rate: float) -> np.ndarray | None:
    """Return ``(S)`` True where a plate carries nobody, or None if it always does.

    Args:
        push: ``(S)`` N, upward force.
        rate: Hz.
    """
    if not len(push) or not np.any(push):
        return None
    level = np.percentile(push, 2)
    near = np.abs(push - level) < 3 * _QUIET
    level = np.median(push[near])
    near = np.abs(push - level) < 3 * _QUIET
    # Median deviation: the feet of a stance's flanks must not widen what counts as noise.
    noise = 1.4826 * np.median(np.abs(push[near] - level))
    quiet = np.abs(push - level) <= 3 * noise + 1e-9
    enough = quiet.sum() > max(0.05 * rate, 0.02 * len(push))
    small = abs(level) < _SMALL and push.max() - level > 2 * _SMALL
    return quiet if enough and small and push[quiet].std() < _QUIET else None


def _pulls(force: np.ndarray, corners: np.ndarray, up: np.ndarray) -> bool:
    """Say whether a plate that lies flat seems to pull; walls and handles may do either."""
    normal = np.cross(corners[2] - corners[0], corners[3] - corners[1])
    push = up @ force
    flat = normal @ up > 0.5 * np.linalg.norm(normal)
    return bool(flat and len(push) and push[np.argmax(np.abs(push))] < -_SMALL)


def upward(corners: np.ndarray, up: np.ndarray) -> np.ndarray:
    """Return ``(4, 3)`` corners in the order in which their diagonals' cross product points up."""
    normal = np.cross(corners[2] - corners[0], corners[3] - corners[1])
    return corners if normal @ up >= 0 else corners[::-1]


def frame_means(
    values: np.ndarray, rate: float, fps: float, n_frames: int, start: float = 0.0
) -> np.ndarray:
    """Return means over one frame interval around every frame.

    Args:
        values: ``(…, S)`` samples, taken at ``start + k / rate``.
        rate: Hz, of the samples.
        fps: Hz, of the frames, the first at time 0.
        n_frames: Number of frames.
        start: s.

    Returns:
        ``(…, n_frames)``; intervals are cut at the first and last sample, NaN beyond them.
    """
    samples = values.shape[-1]
    middle = (np.arange(n_frames) / fps - start) * rate  # in samples
    half = max(rate / fps, 1.0) / 2
    low, high = np.clip(middle - half, 0, samples - 1), np.clip(middle + half, 0, samples - 1)
    if samples == 1:
        means = np.repeat(values, n_frames, axis=-1)
    else:
        area = np.zeros(values.shape)  # integral from the first sample, trapezoidal
        area[..., 1:] = np.cumsum((values[..., 1:] + values[..., :-1]) / 2, axis=-1)
        span = high - low
        inside = span > 1e-9
        means = np.empty((*values.shape[:-1], n_frames))
        difference = _integral(values, area, high) - _integral(values, area, low)
        means[..., inside] = difference[..., inside] / span[inside]
        means[..., ~inside] = values[..., low[~inside].round().astype(int)]
    beyond = (middle < -half) | (middle > samples - 1 + half)
    means[..., beyond] = np.nan
    return means


def _integral(values: np.ndarray, area: np.ndarray, at: np.ndarray) -> np.ndarray:
    """Return the integral of the straight-line interpolant from sample 0 to ``at`` (in samples)."""
    k = np.minimum(at.astype(int), values.shape[-1] - 2)
    u = at - k
    left, right = values[..., k], values[..., k + 1]
    return area[..., k] + u * left + u * u / 2 * (right - left)
