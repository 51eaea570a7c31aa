"""Easing: turns that are faster than the frame rate can tell are smoothed further, where they are.

At 30 frames a second a throwing forearm turns by two radians within a frame. The low-pass spreads
that over its own width, but what remains is still rougher than the samples can hold: differences
of them disagree about the velocity, and so would any two readers of the results. There, and only
there, the curve is normalised and filtered again until they agree.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

RESOLVED = 0.1
"""A curve whose cut-off is below this share of the frame rate is resolved by its samples."""
_DOUBT, _AGREED = 0.012, 0.003
"""rad a frame: where five- and nine-point differences of a turn disagree by more than the first,
it is smoothed until they differ by less than the second (turns of a whole limb add up)."""
_REACH = 0.3
"""s, how far to both sides of the roughest frames the further smoothing fades out."""
_PASSES = 8

# nine-point less five-point first differences
_DISAGREEMENT = np.array(
    [1 / 280, -4 / 105, 7 / 60, -2 / 15, 0, 2 / 15, -7 / 60, 4 / 105, -1 / 280]
)


@dataclass(frozen=True)
class Eased:
    """A body whose turn was smoothed further: its index, and the frame of the run it is about."""

    body: int
    frame: int


def ease_turns(
    rows: np.ndarray,
    base: np.ndarray,
    first: int,
    pad: int,
    fps: float,
    low_pass: Callable[[np.ndarray], None],
) -> list[Eased]:
    """Smooth turns that the samples do not resolve, in place.

    Args:
        rows: ``(r, w)`` filtered quaternions, four rows a body, less ``base``.
        base: ``(r)``.
        first: Index of the first body.
        pad: Samples before the first frame and after the last.
        fps: Frames per second.
        low_pass: Filters four rows in place.
    """
    eased = []
    for k in range(len(rows) // 4):
        mine = slice(4 * k, 4 * k + 4)
        q, rest = rows[mine], base[mine, None]
        doubt = _doubt(q, pad)
        if doubt.max(initial=0.0) <= _DOUBT:
            continue
        eased.append(Eased(first + k, int(doubt.argmax())))
        rough = doubt > _DOUBT
        fade = _fade(rough, pad, fps)
        for _ in range(_PASSES):
            again = q + rest
            again = np.ascontiguousarray(again / np.linalg.norm(again, axis=0) - rest)
            low_pass(again)
            q += fade * (again - q)
            if _doubt(q, pad)[rough].max() <= _AGREED:
                break
    return eased


def _doubt(q: np.ndarray, pad: int) -> np.ndarray:
    """Return ``(F)`` rad a frame by which differences of a turn ``(4, w)`` disagree."""
    frames = q.shape[1] - 2 * pad
    first = pad - 4
    rate = sum(c * q[:, first + k : first + k + frames] for k, c in enumerate(_DISAGREEMENT))
    return 2 * np.sqrt(np.einsum("cf,cf->f", rate, rate))


def _fade(rough: np.ndarray, pad: int, fps: float) -> np.ndarray:
    """Return ``(w)`` 1 near rough frames ``(F)``, falling smoothly to 0 farther away."""
    places = pad + np.flatnonzero(rough)
    at = np.arange(len(rough) + 2 * pad)
    after = np.searchsorted(places, at)
    far = np.minimum(
        np.abs(at - places[np.minimum(after, len(places) - 1)]),
        np.abs(at - places[np.maximum(after - 1, 0)]),
    )
    ramp = np.clip(1.5 - 1.5 * far / (_REACH * fps), 0, 1)
    return np.asarray(ramp * ramp * (3 - 2 * ramp))
