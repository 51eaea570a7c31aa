"""Foot strikes and offs measured by force plates, assigned to the feet."""

from __future__ import annotations

import numpy as np

from mocap_reroot.contact.observation import Observation
from mocap_reroot.contact.stances import Stance
from mocap_reroot.numerics.frames import runs
from mocap_reroot.parameters import ContactParameters
from mocap_reroot.types import LEAST_FORCE, Plates


def plate_stances(
    seen: Observation, plates: Plates, stances: list[list[Stance]]
) -> list[list[Stance]]:
    """Return for every limb the stances that plates measured, in frames with fractions.

    Args:
        seen: The clip.
        plates: Its plates.
        stances: For every limb the stances found from the motion. A plate's edge counts when the
            part of the sole that touches then is over the plate, the motion knows of a stance
            there, and no other limb loads the plate at that time.

    Returns:
        The same stances with measured edges; only those with at least one.
    """
    result: list[list[Stance]] = [[] for _ in stances]
    loads = [(p, *run) for p in range(len(plates.names)) for run in _loads(plates, p, seen)]
    for limb, mine in enumerate(stances):
        for strike, off in mine:
            begin = _edge(seen, plates, loads, stances, limb, strike, first=True)
            end = _edge(seen, plates, loads, stances, limb, off, first=False)
            if begin is not None or end is not None:
                result[limb].append(
                    (strike if begin is None else begin, off if end is None else end)
                )
    return result


def _loads(plates: Plates, plate: int, seen: Observation) -> list[tuple[float, float]]:
    """Return when a plate is loaded, in frames with fractions."""
    normal, p = plates.normal[plate], seen.parameters
    normal = normal if normal @ seen.motion.up >= 0 else -normal
    force = np.nan_to_num(normal @ plates.force[plate])
    found = []
    for start, stop in runs(force > p.plate_empty):
        over = np.flatnonzero(force[start:stop] > LEAST_FORCE)
        if stop - start < seen.scale.frames(p.plate_knock, 2) or not len(over):
            continue
        first, last = start + int(over[0]), start + int(over[-1]) + 1
        begin, end = float(first), float(last)
        if first > 0:
            begin = first - (force[first] - LEAST_FORCE) / (force[first] - force[first - 1])
        if last < len(force):
            end = last - 1 + (force[last - 1] - LEAST_FORCE) / (force[last - 1] - force[last])
        found.append((begin, end))
    return found


def _edge(
    seen: Observation, plates: Plates, loads: list[tuple[int, float, float]],
    stances: list[list[Stance]], limb: int, when: float, *, first: bool,
) -> float | None:  # fmt: skip
    """Return the measured time of a strike or an off near the given one, or None."""
    frames, p = seen.valid.size, seen.parameters
    if not 0 < when < frames:
        return None
    near = p.plate_agreement * seen.scale.fps
    for plate, begin, end in loads:
        time = begin if first else end
        if abs(time - when) > near or not 0 < time < frames:
            continue
        signals = seen.signals[limb]
        frame = min(max(round(time) + (1 if first else -1), 0), frames - 1)
        touching = int(np.argmin(signals.height[:, frame]))
        if not over_plate(plates, plate, signals.position[touching, :, frame], p):
            continue
        if any(
            _stands_on(seen, plates, plate, k, other)
            for k, theirs in enumerate(stances)
            for other in theirs
            if k != limb and other[0] < time < other[1]
        ):
            continue
        return time
    return None


def _stands_on(seen: Observation, plates: Plates, plate: int, limb: int, stance: Stance) -> bool:
    """Whether a limb is over a plate in the middle of one of its own stances."""
    middle = min(round(0.5 * (stance[0] + stance[1])), seen.valid.size - 1)
    return over_plate(
        plates, plate, seen.signals[limb].position[:, :, middle].mean(axis=0), seen.parameters
    )


def over_plate(plates: Plates, plate: int, point: np.ndarray, p: ContactParameters) -> bool:
    """Whether a point ``(3)`` is over a plate and near its surface's height."""
    corner = plates.corners[plate]
    sides = corner[1] - corner[0], corner[3] - corner[0]
    arm = point - corner[0]
    for side in sides:
        size = float(np.linalg.norm(side))
        along = float(arm @ side) / size
        if not -p.plate_margin <= along <= size + p.plate_margin:
            return False
    return abs(float(arm @ plates.normal[plate])) < p.plate_height
