"""Load sharing: how several feet carry one total.

The total is known to the last digit; how two feet share it is a rule. Every rule here keeps the
total exact in every frame, gives a foot nothing at the moment it touches down or lifts off, and
so joins single support without a jump.

A rule decides two things: what share of the vertical force each foot bears, and how far the feet
push against each other. Pressures start from where each foot bore the body alone, move inside the
soles, and are shifted together until the moment is right to the last digit.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np

from mocap_reroot.errors import MocapRerootError, UnknownNameError
from mocap_reroot.ground.admissible import FARTHEST_MISS, FRICTION, give_way
from mocap_reroot.ground.effort import Leg, least_effort
from mocap_reroot.ground.support import LEAST_FORCE, nearest, pressure, pressures_of
from mocap_reroot.numerics.vectors import cross, dot, level_axes
from mocap_reroot.types import Loads, Support, Total, read_only

LONGEST_TRANSFER = 0.15
"""s: a longer double support is standing, and its weight is not handed over all the while."""
PRESSURE_ERROR = 0.04
"""m: how well the total's own centre of pressure is known."""
LOWEST_COM = 0.3
"""m: the centre of mass is taken to be at least so high above the feet, for its direction."""
EASE = 0.05
"""s: within it of a seam, feet need not yet keep their pressures inside the soles."""
WALKING = 0.5
"""m/s: slower than this, feet push against each other less and less."""
SHARE_ERROR = 0.25
"""How well the clock alone knows a foot's share."""


@dataclass(frozen=True, eq=False)
class Problem:
    """What a rule has to go by.

    Attributes:
        total: What must come out.
        support: Who carries.
        clock: ``(f, F)`` shares by time alone: rise after touch-down, fall before lift-off; sum 1.
        freedom: ``(f, F)`` the same of all that carry, seen or not: how far shares may leave the
            clock's.
        base: ``(f, 3, F)`` m, where each foot would bear its share.
        centre: ``(3, F)`` m, centre of pressure of the total, on the mean ground of the feet.
        com: ``(3, F)`` m, centre of mass of the body.
        travel: ``(3, F)`` the way it goes, level; a unit vector in walking, shorter if slower.
        legs: What the legs carry without the ground, for rules that ask.
    """

    total: Total
    support: Support
    clock: np.ndarray
    freedom: np.ndarray
    base: np.ndarray
    centre: np.ndarray
    com: np.ndarray
    travel: np.ndarray
    legs: list[Leg] | None = None


@dataclass(frozen=True)
class Rule:
    """How a load is shared.

    Attributes:
        shares: From a problem to ``(f, F)`` shares of the vertical force; they sum to 1.
        lean: 0: every foot's force is parallel to the total; 1: it leans towards the centre of
            mass along the way walked, as legs push along themselves: the rear foot drives and the
            front one brakes.
        asks_legs: Whether it wants to know what the legs carry.
    """

    shares: Callable[[Problem], np.ndarray]
    lean: float
    asks_legs: bool = False


def share(
    total: Total,
    support: Support,
    com: np.ndarray,
    fps: float,
    rule: str = "smooth",
    legs: Callable[[], list[Leg]] | None = None,
) -> Loads:
    """Share the total among the feet that carry.

    Args:
        total: What moves the whole body.
        support: Who carries.
        com: ``(3, F)`` m, centre of mass of the body.
        fps: Frames per second.
        rule: One of :data:`RULES`.
        legs: Tells what the legs carry without the ground; asked only by rules that need it.

    Returns:
        Loads: They add up to the total wherever a foot carries; zero in flight.

    Raises:
        UnknownNameError: There is no such rule.
    """
    if rule not in RULES:
        raise UnknownNameError("sharing rule", rule, RULES)
    if not support.feet:
        return Loads.none(0, total.force.shape[-1])
    problem = pose(total, support, com, fps)
    if RULES[rule].asks_legs and legs is not None:
        problem = replace(problem, legs=legs())
    # At a seam nothing gives way yet: the foot that stays bears all, where it did alone.
    ease = away_from_seams(support, fps)
    wanted = RULES[rule].shares(problem)
    shares, place, miss = give_way(problem.base, wanted, problem.centre, support, total.up, ease)
    loads = settle(problem, shares, place, RULES[rule].lean)
    loads.inadmissible[(support.count > 1) & (miss > FARTHEST_MISS)] = True
    return loads


def pose(total: Total, support: Support, com: np.ndarray, fps: float) -> Problem:
    """Return the problem that a rule is asked to solve."""
    # Smoothing lets a foot carry before it is seen to touch: nothing by the clock, yet more than
    # nothing if the pressure asks for it.
    clock = transfer(np.where(support.seen.any(axis=0), support.seen, support.on), fps)
    freedom = transfer(support.on, fps)
    point, normal = ((clock[:, None] * x).sum(axis=0) for x in (support.point, support.normal))
    level = ~(clock.any(axis=0) & np.isfinite(normal[0]))
    normal[:, level] = total.up[:, None]
    centre, _ = pressure(total.force, total.moment, total.about, total.up, point, normal)
    base = bases(total, support)
    travel = travel_of(com, total.up, fps)
    return Problem(total, support, clock, freedom, base, centre, com, travel)


def travel_of(com: np.ndarray, up: np.ndarray, fps: float) -> np.ndarray:
    """Return ``(3, F)`` the level direction of travel, shorter than 1 below walking speed."""
    if com.shape[1] < 2:
        return np.zeros_like(com)
    velocity = np.gradient(com, 1 / fps, axis=1)
    velocity = velocity - up[:, None] * dot(up, velocity)
    speed = np.sqrt(dot(velocity, velocity))
    return np.asarray(np.nan_to_num(velocity) / np.maximum(np.nan_to_num(speed), WALKING))


def away_from_seams(support: Support, fps: float) -> np.ndarray:
    """Return ``(F)`` 0 at seams between one foot and several, 1 a little away from them."""
    from mocap_reroot.kernels.handover import ease

    result, count = np.zeros(support.part.shape[1]), support.count
    ease(read_only(count, np.int64), read_only(count > 1, bool), EASE * fps, result)
    return result


def transfer(on: np.ndarray, fps: float) -> np.ndarray:
    """Return ``(f, F)`` shares by time: steady hand-over at every change of support, sum 1.

    Args:
        on: ``(f, F)`` whether a foot takes part.
        fps: Frames per second.
    """
    from mocap_reroot.kernels.handover import clock

    result = np.zeros(on.shape)
    clock(read_only(on, bool), max(1, round(LONGEST_TRANSFER * fps)), result)
    return result


def bases(total: Total, support: Support) -> np.ndarray:
    """Return ``(f, 3, F)`` m, where each foot would bear its share, on the plane under it.

    Where a foot bears the body alone, that is the body's own centre of pressure, no farther than
    the sole; before and after, it is held; a foot that never does bears at the middle of its sole.
    """
    from mocap_reroot.kernels.sharing import hold

    up, place = total.up, np.array(support.middle)
    alone = support.on & (support.count == 1) & (total.vertical > LEAST_FORCE)
    for k, centre in enumerate(pressures_of(total, support)):
        mine = read_only(alone[k], bool)
        np.copyto(place[k], nearest(centre, support.corners[k], up, mine), where=mine)
        hold(read_only(support.on[k], bool), mine, place[k])
    normal = support.normal.swapaxes(0, 1)
    drop = dot((place - support.point).swapaxes(0, 1), normal) / dot(up, normal)
    return np.asarray(place - up[:, None] * drop[:, None])


def by_clock(problem: Problem) -> np.ndarray:
    """Hand the load over by the clock alone, gently at both ends (after Ren et al. 2008)."""
    return _summing_to_one(problem.clock**2 * (3 - 2 * problem.clock))


def by_balance(problem: Problem) -> np.ndarray:
    """Let the total's centre of pressure decide the shares, the clock only where it is unsure.

    Least squares of both errors: with ``G`` the freedom of the shares, ``P`` the bases about their
    mean weighted by it, and ``c`` their mean weighted by the clock, shares leave the clock's by
    ``d = G Pᵀ (P G Pᵀ + ρ²)⁻¹ (centre − c)``; as ``G`` is zero for a foot that begins to carry, so
    is ``d``.
    """
    clock, free, axes = problem.clock, problem.freedom, level_axes(problem.total.up)
    x, y = (dot(axis, problem.base.swapaxes(0, 1)) for axis in axes)
    right, ahead = (
        dot(axis, problem.centre) - (clock * z).sum(axis=0)
        for axis, z in zip(axes, (x, y), strict=True)
    )
    x, y = (z - (free * z).sum(axis=0) for z in (x, y))
    known = np.isfinite(right + ahead) & (problem.total.vertical > LEAST_FORCE)
    unsure = (PRESSURE_ERROR / SHARE_ERROR) ** 2
    a, d = ((free * z * z).sum(axis=0) + unsure for z in (x, y))
    b = (free * x * y).sum(axis=0)
    firm = np.where(known, a * d - b * b, np.inf)
    pull_right, pull_ahead = (
        np.where(known, [d * right - b * ahead, a * ahead - b * right], 0.0) / firm
    )
    return _summing_to_one(np.maximum(clock + free * (pull_right * x + pull_ahead * y), 0))


def by_effort(problem: Problem) -> np.ndarray:
    """Make the sum of squared torques of the legs least, no faster than the clock allows."""
    if problem.legs is None:
        raise MocapRerootError("The rule of minimum effort needs to know what the legs carry.")
    total = problem.total
    arm = problem.centre - total.about
    couple = total.moment - cross(np.where(np.isfinite(arm), arm, 0.0), total.force)
    return least_effort(problem.legs, total.force, couple, problem.base, problem.clock)


RULES = {
    "smooth": Rule(by_clock, 0.0),
    "balance": Rule(by_balance, 1.0),
    "minimum_effort": Rule(by_effort, 1.0, asks_legs=True),
}
"""Sharing rules by name."""


def _summing_to_one(shares: np.ndarray) -> np.ndarray:
    """Return shares ``(f, F)`` over their sum, where it is not zero."""
    total = shares.sum(axis=0)
    return np.asarray(shares / np.where(total > 0, total, 1))


def settle(problem: Problem, shares: np.ndarray, place: np.ndarray, lean: float) -> Loads:
    """Return loads with the given shares whose sum is the total: all pressures shift together.

    Feet that lean stay within half the cone of friction: nobody walks on the brink of slipping.

    Args:
        problem: What is to be shared.
        shares: ``(f, F)`` of the vertical force.
        place: ``(f, 3, F)`` m, where the feet press before the shift.
        lean: As in :class:`Rule`.
    """
    from mocap_reroot.kernels import settling

    total, support = problem.total, problem.support
    loads = Loads.none(len(support.feet), total.force.shape[-1])
    settling.settle(
        tuple(map(read_only, (total.force, total.moment, total.about))),
        np.array(total.up),  # may be written to, like all vectors of a frame in the kernel
        level_axes(total.up),
        (read_only(support.point), read_only(support.normal)),
        read_only(support.on, bool),
        read_only(shares),
        read_only(problem.base),
        read_only(place),
        (read_only(problem.com), read_only(problem.travel)),
        ((lean, LOWEST_COM, 0.5 * FRICTION), LEAST_FORCE, FRICTION),
        loads.force,
        loads.moment,
        loads.inadmissible,
    )
    return loads
