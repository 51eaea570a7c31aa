"""Who carries, by the forces: contacts seen in the pose, corrected by what the motion weighs.

Contacts are found by height and speed; accelerations know more. Smoothing spreads an impact over
some hundredths of a second, so at a detected touch-down the smoothed force is already large, and
a phase that starts there starts with a jump. Here

* no foot carries where the body weighs nothing: such frames are flight;
* a stance begins and ends where the smoothed wrench on the foot is least, near where it was seen;
* two feet carry as long as the body's centre of pressure is still between them;
* within a foot, the toes carry from where the centre of pressure passes the toe joint.

The total is what it was; only who bears it changes.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from mocap_reroot.ground.placing import Placed
from mocap_reroot.ground.support import (
    LEAST_FORCE,
    nearest,
    pressures_of,
    support_of,
)
from mocap_reroot.numerics.frames import runs
from mocap_reroot.numerics.vectors import dot
from mocap_reroot.types import STANDARD_GRAVITY, BodyModel, Contacts, Support, Total, read_only

NOTHING = 0.05
"""Body weights: below it the body is in the air."""
SHORTEST_FLIGHT = 0.03
"""s: the force may vanish for less without anyone leaving the ground."""
FARTHEST_INTO_FLIGHT, SHARE_OF_FLIGHT = 0.1, 0.35
"""s, and share of the flight: how far a stance may reach into it."""
FARTHEST_INTO_STANCE, LIGHT = 0.05, 0.5
"""s, and body weights: how far a flight may reach into a stance, where it weighs no more."""
LEVER = 0.1
"""m: half a foot; makes moments about the sole comparable with forces."""
FARTHEST_INTO_SINGLE, FARTHEST_ON_SOLE = 0.06, 0.04
"""s: how much longer two feet may carry than was seen; and while the sole of one bears it all."""
ALONE = 0.6
"""Share of the sole, about its middle, inside which a foot presses that bears the body alone."""
SHORTEST_HOP = 0.12
"""s: a shorter stance of one foot between two feet and a flight is a jump from both."""
OFF_SOLE = 0.01
"""m: a pressure this far outside the sole is not borne by that foot alone."""


@dataclass(frozen=True, eq=False)
class Carriers:
    """Who carries.

    Attributes:
        carrier: ``(l, F)`` for every limb the body that carries, −1 where it is off; to be put
            into contacts by their own stage.
        notes: Sentences on what was changed.
    """

    carrier: np.ndarray
    notes: tuple[str, ...]


def settle_carriers(total: Total, body: BodyModel, contacts: Contacts, placed: Placed) -> Carriers:
    """Return who carries once the forces are known.

    Args:
        total: What moves the whole body.
        body: Mass model.
        contacts: As detected; with feet.
        placed: The feet in the world.
    """
    support = support_of(contacts, placed)
    centre = pressures_of(total, support)
    weight = total.vertical / (body.total_mass * STANDARD_GRAVITY)
    known = np.isfinite(weight) & contacts.analysed
    on = np.array(contacts.carrier) >= 0
    before = on.copy()
    _lift_the_weightless(on, weight, known, contacts.fps)
    lifted = before & ~on
    _place_seams(on, total, support, weight, known, contacts.fps)
    reached = on & ~before
    middle = on.copy()
    _keep_both(on, total, centre, support, known, contacts.fps)
    kept = on & ~middle
    carrier = _parts(on, centre, support, placed, contacts)
    return Carriers(carrier, _notes(contacts, lifted, reached, kept))


def _lift_the_weightless(on: np.ndarray, weight: np.ndarray, known: np.ndarray, fps: float) -> None:
    """Take all feet off where the body weighs nothing for long enough, in place."""
    for start, stop in runs(known & (weight < NOTHING)):
        if stop - start >= SHORTEST_FLIGHT * fps:
            on[:, start:stop] = False


def _place_seams(
    on: np.ndarray,
    total: Total,
    support: Support,
    weight: np.ndarray,
    known: np.ndarray,
    fps: float,
) -> None:
    """Move the seams between stance and flight to where least is borne, in place.

    What is borne there appears at once at one side of the seam, and so does the torque it needs.
    """
    from mocap_reroot.kernels.loads import least_borne

    wrench = read_only(total.force), read_only(total.moment), read_only(total.about)
    middle = read_only(support.middle)
    light, heavy = weight < LIGHT, weight > NOTHING
    light[[0, -1]] = False  # of the clip itself the ends stay
    back = int(FARTHEST_INTO_STANCE * fps)
    for start, stop in runs(known & ~on.any(axis=0)):
        reach = int(min(FARTHEST_INTO_FLIGHT * fps, SHARE_OF_FLIGHT * (stop - start)))
        if start > 0 and known[start - 1]:
            feet = on[:, start - 1].copy()
            near = slice(max(start - back, 0), start)
            same = (on[:, near] == feet[:, None]).all(axis=0) & light[near]
            first = start - _leading(same[::-1], back)
            far = start + _leading(heavy[start : start + reach], reach)
            # the flight begins after the least that is borne
            seam = least_borne(*wrench, middle, feet, LEVER, first - 1, far) + 1
            on[:, first:start] = False
            on[:, first:seam] = feet[:, None]
        if stop < on.shape[1] and known[stop]:
            feet = on[:, stop].copy()
            near = slice(stop, stop + back)
            same = (on[:, near] == feet[:, None]).all(axis=0) & light[near]
            last = stop + _leading(same, back)
            far = stop - _leading(heavy[stop - reach : stop][::-1], reach)
            seam = least_borne(*wrench, middle, feet, LEVER, far, last + 1)
            on[:, stop:last] = False
            on[:, seam:last] = feet[:, None]


def _keep_both(
    on: np.ndarray,
    total: Total,
    centre: np.ndarray,
    support: Support,
    known: np.ndarray,
    fps: float,
) -> None:
    """Let the other foot carry on until the pressure is under the one that stays, in place."""
    alone = known & (on.sum(axis=0) == 1) & (total.vertical > LEAST_FORCE)
    carried = np.asarray(on.any(axis=0))
    longest, shorter = round(FARTHEST_INTO_SINGLE * fps), round(FARTHEST_ON_SOLE * fps)
    wanted = on.copy()
    for k in range(len(on)):
        mine = alone & on[k]
        stays = runs(mine)
        if not stays:
            continue
        # only near the ends of a stance another foot might carry longer
        near, nearer = (_ends(stays, reach, len(mine)) for reach in (longest, shorter))
        amid = _amid(centre[k], k, support, total.up, nearer)
        inside = nearest(centre[k], support.corners[k], total.up, near)
        for j in range(len(on)):
            if j == k:
                continue
            between = nearer & _towards(centre[k], amid, support.middle[j])
            between |= near & _towards(centre[k], inside, support.middle[j])
            for start, stop in stays:
                before, after = start > 0 and on[j, start - 1], stop < len(alone) and on[j, stop]
                hop = not (carried[max(start - 1, 0)] and carried[min(stop, len(alone) - 1)])
                if hop and (before or after) and stop - start <= SHORTEST_HOP * fps:
                    wanted[j, start:stop] = True
                if before:
                    wanted[j, start : start + _leading(between[start:stop], longest)] = True
                if after:
                    wanted[j, stop - _leading(between[start:stop][::-1], longest) : stop] = True
    on |= wanted


def _amid(
    centre: np.ndarray, k: int, support: Support, up: np.ndarray, where: np.ndarray
) -> np.ndarray:
    """Return ``(3, F)``, in some frames, the point amid the sole of foot k nearest to a pressure.

    Heel and toes bear the body only while another foot helps: plates show the pressure of single
    support in the middle of the sole, and not before its ball. Nearest in a smaller sole is near in
    the sole, from farther.
    """
    middle = support.middle[k]
    farther = middle + (centre - middle) / ALONE
    amid = middle + ALONE * (nearest(farther, support.corners[k], up, where) - middle)
    return np.asarray(amid - support.beyond_ball(k, amid, up))


def _ends(stays: list[tuple[int, int]], reach: int, frames: int) -> np.ndarray:
    """Return ``(F)`` whether a frame is within reach of the ends of a run."""
    near = np.zeros(frames, bool)
    for start, stop in stays:
        near[start : min(start + reach, stop)] = True
        near[max(stop - reach, start) : stop] = True
    return near


def _towards(centre: np.ndarray, place: np.ndarray, other: np.ndarray) -> np.ndarray:
    """Return ``(F)`` whether a pressure is off its place, on the side where the other foot is."""
    gap, way = centre - place, other - place
    size = np.sqrt(dot(gap, gap))
    return np.asarray((dot(gap, way) > 0.5 * size * np.sqrt(dot(way, way))) & (size > OFF_SOLE))


def _leading(mask: np.ndarray, longest: int) -> int:
    """Return how many of the first frames are True, up to a limit."""
    false = np.flatnonzero(~mask[:longest])
    return int(false[0]) if len(false) else min(longest, len(mask))


def _parts(
    on: np.ndarray, centre: np.ndarray, support: Support, placed: Placed, contacts: Contacts
) -> np.ndarray:
    """Return ``(l, F)`` which body of every limb carries.

    Alone on the ground, a foot hands over to its toes where the centre of pressure passes the toe
    joint. With another foot it keeps the part it had, or will have, alone.
    """
    seen = np.array(contacts.carrier)
    carrier = np.where(on, np.array(support.feet)[:, None], -1)
    alone = on & (on.sum(axis=0) == 1)
    for k, foot in enumerate(support.feet):
        toes = [sole.body for sole in contacts.soles if sole.foot == foot and sole.body != foot]
        if not toes:
            continue
        toe = toes[0]
        joint, up = placed.position[toe], placed.motion.up
        along = support.outlines[k][-1].mean(axis=0) - joint
        along = along - up[:, None] * dot(up, along)
        ahead = dot(centre[k] - joint, along) > 0
        for start, stop in runs(on[k]):
            mine = start + np.flatnonzero(alone[k, start:stop])
            if not len(mine):
                part = seen[k, start:stop]
                carrier[k, start:stop] = np.where(part >= 0, part, foot)
                continue
            # the hand-over that leaves the fewest frames on the wrong side
            wrong = np.concatenate([[0], np.cumsum(ahead[mine])])  # on the foot, yet ahead
            wrong = wrong + np.concatenate([np.cumsum(~ahead[mine][::-1])[::-1], [0]])
            best = int(np.argmin(wrong))
            hand_over = mine[best] if best < len(mine) else stop
            carrier[k, (start if best == 0 else hand_over) : stop] = toe
    return carrier


def _notes(
    contacts: Contacts, lifted: np.ndarray, reached: np.ndarray, kept: np.ndarray
) -> tuple[str, ...]:
    notes = []
    if lifted.any():
        notes.append(
            f"{int(lifted.any(axis=0).sum())} frames in which a foot seemed to stand are taken as "
            "flight: the body weighs nothing there."
        )
    if reached.any():
        notes.append(
            f"Stances reach {int(reached.any(axis=0).sum())} frames into flights, where smoothing "
            "has spread the force of landing and take-off."
        )
    if kept.any():
        notes.append(
            f"Two feet carry in {int(kept.any(axis=0).sum())} more frames than was seen: the "
            "centre of pressure is still between them."
        )
    return tuple(notes)
