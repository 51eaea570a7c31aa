"""Foot strikes and offs measured by the force plates that belong to the limbs."""

from __future__ import annotations

import numpy as np

from mocap_reroot.contact.plate_feet import PlateOwners
from mocap_reroot.contact.stances import Stance
from mocap_reroot.numerics.frames import runs
from mocap_reroot.parameters import ContactParameters
from mocap_reroot.types import LEAST_FORCE, Plates


def plate_stances(
    plates: Plates,
    owned: PlateOwners,
    stances: list[list[Stance]],
    up: np.ndarray,
    fps: float,
    p: ContactParameters,
) -> list[list[Stance]]:
    """Return for every limb the stances that plates measured, in frames with fractions.

    Args:
        plates: The plates.
        owned: Whose they are.
        stances: For every limb the stances found from the motion. A plate's edge counts where the
            motion knows of one nearby, and no other limb stands on the plate then.
        up: ``(3)``.
        fps: Frames per second.
        p: Numbers.

    Returns:
        The same stances with measured edges; only those with at least one.
    """
    frames, near = plates.force.shape[-1], p.plate_agreement * fps
    pushes = np.nan_to_num(np.einsum("c,pcf->pf", up, plates.force))
    result: list[list[Stance]] = []
    for limb, mine in enumerate(stances):
        spans = [
            _edges(push, start, stop)
            for push, owner in zip(pushes, owned.owner, strict=True)
            for start, stop in runs(owner == limb)
            if stop - start >= max(p.plate_knock * fps, 2)
        ]
        alone = ~owned.shared[limb]
        begins = [a for a, _ in spans if 0 < a < frames and alone[min(round(a) + 1, frames - 1)]]
        ends = [b for _, b in spans if 0 < b < frames and alone[max(round(b) - 1, 0)]]
        found = []
        for strike, off in mine:
            begin, end = _nearest(begins, strike, near), _nearest(ends, off, near)
            if (begin, end) != (None, None):
                found.append((strike if begin is None else begin, off if end is None else end))
        result.append(found)
    return result


def _edges(push: np.ndarray, start: int, stop: int) -> Stance:
    """Return where a force passes ``LEAST_FORCE`` within a run of frames, with fractions."""
    over = start + np.flatnonzero(push[start:stop] > LEAST_FORCE)
    if not len(over):
        return -1.0, -1.0
    first, last = int(over[0]), int(over[-1])
    begin, end = float(first), float(last + 1)
    if first > 0 and push[first - 1] < LEAST_FORCE:
        begin = first - (push[first] - LEAST_FORCE) / (push[first] - push[first - 1])
    if last + 1 < len(push) and push[last + 1] < LEAST_FORCE:
        end = last + (push[last] - LEAST_FORCE) / (push[last] - push[last + 1])
    return begin, end


def _nearest(times: list[float], when: float, near: float) -> float | None:
    """Return the time nearest to another, both in frames, or None where none is near."""
    best = min(times, key=lambda time: abs(time - when), default=None)
    return best if best is not None and abs(best - when) <= near else None
