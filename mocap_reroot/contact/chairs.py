"""Seats that were not captured: where the pelvis rests still, above the ground, behind the feet."""

from __future__ import annotations

from dataclasses import replace
from itertools import combinations

import numpy as np

from mocap_reroot.contact.observation import Observation
from mocap_reroot.contact.signals import height, horizontal, median
from mocap_reroot.contact.stances import Stance, joined
from mocap_reroot.numerics.frames import runs
from mocap_reroot.numerics.vectors import dot
from mocap_reroot.types import Plane


def find_chairs(
    seen: Observation,
    found: list[list[Stance]],
) -> tuple[Observation, list[list[Stance]], int]:
    """Return the seat on chairs where it rests and the push passes the feet; and how many chairs.

    Args:
        seen: With the seat among its limbs, or nothing is done.
        found: Stances of every limb.
    """
    seats = [k for k, limb in enumerate(seen.limbs) if limb.kind == "seat"]
    feet = [k for k, limb in enumerate(seen.limbs) if limb.kind == "foot"]
    if not seats or seen.force is None:
        return seen, found, 0
    seat, scale, p = seats[0], seen.scale, seen.parameters
    signals = seen.signals[seat]
    hips = height(signals.middle, scale.up) + seen.limbs[seat].radius
    soles = np.min([height(seen.signals[k].middle, scale.up) for k in feet], axis=0)
    velocity = signals.velocity.mean(axis=0)
    rests = seen.valid & (np.abs(height(velocity, scale.up)) < p.chair_still * scale.speed)
    rests &= np.sqrt(dot(velocity, velocity)) < p.chair_rolling * scale.speed
    bent = hips - soles < p.chair_bent * scale.leg
    rests &= (signals.lowest > p.chair_above * scale.leg) & bent
    aloft = np.min([seen.signals[k].lowest for k in feet], axis=0) > p.chair_above * scale.leg
    outside = ~(_beside(seen, feet) <= p.chair_outside * scale.leg)
    for k, mine in enumerate(found):
        for strike, off in mine if k not in (*feet, seat) else ():
            bears = slice(max(round(strike), 0), round(off))  # a hand or a knee
            outside[bears] = aloft[bears] = False
    stances, planes, index = list(found), list(seen.ground.planes), seen.ground.index.copy()
    last, before, shortest = 0, np.inf, scale.frames(p.chair_shortest)
    for begin, stop in runs(rests):
        start = max(begin, last)
        if stop - start < shortest:
            continue
        if np.mean(outside[start:stop]) < p.chair_mostly and aloft[start:stop].sum() < shortest:
            continue
        level = median(signals.lowest[start:stop])
        first, last = start, stop
        near = bent & (np.abs(signals.lowest - level) < p.chair_level)  # it moves before it leaves
        while first > 0 and near[first - 1] and seen.valid[first - 1]:
            first -= 1
        while last < len(near) and near[last] and seen.valid[last]:
            last += 1
        if abs(level - before) > p.chair_level:
            place = np.median(signals.middle[:, start:stop], axis=1)
            floor = seen.ground.planes[seen.ground.index[seat, start]].point
            planes.append(Plane(place + scale.up * (level + (floor - place) @ scale.up), scale.up))
        before = level  # and one may sit a little longer
        index[seat, max(first - shortest, 0) : last + shortest] = len(planes) - 1
        stances[seat] = [*stances[seat], (float(first), float(last))]
    chairs = len(planes) - len(seen.ground.planes)
    stances[seat] = joined(stances[seat], 1)
    ground = replace(seen.ground, planes=tuple(planes), index=index)
    return (replace(seen, ground=ground) if chairs else seen), stances, chairs


def _beside(seen: Observation, feet: list[int]) -> np.ndarray:
    """Return ``(F)`` m, how far the push passes the soles and the lines between them, level."""
    assert seen.force is not None
    up, level = seen.scale.up, float(seen.ground.planes[0].point @ seen.scale.up)
    below = seen.force.line_base + level * seen.force.line_slope
    result = np.full(seen.motion.n_frames, np.inf)
    ends = [horizontal(seen.signals[k].position[j], up) for k in feet for j in (0, -1)]
    for a, b in combinations(ends, 2):
        push = below - a
        way = b - a
        share = np.clip(dot(push, way) / np.maximum(dot(way, way), 1e-9), 0, 1)
        off = push - share * way
        result = np.fmin(result, np.sqrt(dot(off, off)))
    return result
