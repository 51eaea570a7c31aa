"""``--ground filtered``: the low-passed motion's wrench, shared among the feet in stance.

A foot that stands alone bears all of it. Feet that stand together bear it in parallel, by the
clock: who landed takes over, gently at both ends, while who leaves gives away (the smooth
transition of Ren et al. 2008); their pressures lie about the total's as the middles of their soles
do, so that the total is exact. Where plates bear a foot, the others share the rest.
"""

from __future__ import annotations

from itertools import pairwise

import numpy as np

from mocap_reroot.ground.known import Known
from mocap_reroot.numerics.frames import changes
from mocap_reroot.numerics.vectors import cross
from mocap_reroot.types import Loads, Support, Total

LONGEST_TRANSFER = 0.15
"""s: a longer double support is standing, and its weight is not handed over all the while."""


def share(total: Total, support: Support, known: Known | None, fps: float) -> Loads:
    """Return what each limb that carries bears of a total.

    Args:
        total: What moves the whole body.
        support: Who carries.
        known: What plates tell of the limbs.
        fps: Frames per second.

    Returns:
        Loads: They add up to the total wherever a limb carries that no plate bears.
    """
    force, moment, on = total.force, total.moment, support.on
    loads = Loads.none(*on.shape)
    if known is not None:
        told = known.loads.about(total.about)
        loads = Loads(np.array(told.force), np.array(told.moment), loads.inadmissible)
        force, moment = force - loads.force.sum(axis=0), moment - loads.moment.sum(axis=0)
        on = on & ~known.there
    shares = handed_over(on, fps)
    middle = np.einsum("kf,kcf->cf", shares, support.middle)
    for k, part in enumerate(shares):
        bears = part > 0
        arm = support.middle[k] - middle
        loads.force[k][:, bears] += (part * force)[:, bears]
        loads.moment[k][:, bears] += (part * (moment + cross(arm, force)))[:, bears]
    return loads


def handed_over(on: np.ndarray, fps: float) -> np.ndarray:
    """Return ``(l, F)`` shares by the clock: a hand-over at every change of support; sum 1.

    Args:
        on: ``(l, F)`` who carries.
        fps: Frames per second.
    """
    weight, frames = on.astype(float), on.shape[1]
    for start, stop in pairwise(changes(on)):
        if on[:, start].sum() < 2:
            continue
        lasts = min(stop - start, max(round(LONGEST_TRANSFER * fps), 1))
        s = np.minimum((np.arange(stop - start) + 1) / (lasts + 1), 1.0)
        rise = s * s * (3 - 2 * s)
        if start > 0:
            weight[on[:, start] & ~on[:, start - 1], start:stop] *= rise
        if stop < frames:
            weight[on[:, stop - 1] & ~on[:, stop], start:stop] *= rise[::-1]
    total = weight.sum(axis=0)
    return np.asarray(weight / np.where(total > 0, total, 1.0))
