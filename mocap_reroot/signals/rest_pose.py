"""Rest pose: some frames in which the body is as it was drawn, before it leaps into motion."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

_SECONDS = 0.05
"""How far into the clip a rest pose (and the way out of it) may reach, unless joints that never
stir say that it lasts."""


def held(mean: np.ndarray, at_rest: Callable[[int], float], fps: float) -> tuple[int, float]:
    """Return how many of the first frames hold a rest pose, and their leap in usual steps.

    The evidence is a leap within the first frames that dwarfs all other steps; less is enough if
    many of the joints that move stand exactly in their rest rotation before it, and little if most
    do. Converters that filter or resample smear the leap over a few frames: those go with it.

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
    leaps = np.flatnonzero(mean[1 : reach + 1] > needed * usual) + 1
    if len(leaps) == 0:
        return 0, 0.0
    stop = first_leap = int(leaps[0])
    if (mean[1:first_leap] > 0.2 * usual).any():  # motion, not a pose held, before the leap
        return 0, 0.0
    while stop < 2 * reach and mean[stop + 1] > 1.5 * usual:
        stop += 1
    return stop, float(mean[first_leap] / usual)
