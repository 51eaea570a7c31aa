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

from mocap_reroot.dynamics.admissible import FRICTION, give_way, impossible
from mocap_reroot.dynamics.effort import Leg, least_effort
from mocap_reroot.dynamics.ground import (
    LEAST_FORCE,
    Loads,
    Support,
    Total,
    nearest,
    pressure,
    runs,
)
from mocap_reroot.dynamics.vectors import cross, level_axes
from mocap_reroot.errors import MocapRerootError, UnknownNameError

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
        base: ``(f, 3, F)`` m, where each foot would bear its share.
        centre: ``(3, F)`` m, centre of pressure of the total, on the mean ground of the feet.
        com: ``(3, F)`` m, centre of mass of the body.
        travel: ``(3, F)`` the way it goes, level; a unit vector in walking, shorter if slower.
        legs: What the legs carry without the ground, for rules that ask.
    """

    total: Total
    support: Support
    clock: np.ndarray
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
    wanted = RULES[rule].shares(problem)
    shares, place, miss = give_way(problem.base, wanted, problem.centre, support, total.up)
    # At a seam nothing gives way yet: the foot that stays bears all, where it did alone.
    ease = away_from_seams(support, fps)
    shares = wanted + ease * (shares - wanted)
    place = problem.base + ease * (place - problem.base)
    level = _level_forces(problem, shares, RULES[rule].lean)
    loads = settle(total, support, shares, place, level)
    bad = impossible(loads.force, miss, support, total.up)
    return Loads(loads.force, loads.moment, bad)


def pose(total: Total, support: Support, com: np.ndarray, fps: float) -> Problem:
    """Return the problem that a rule is asked to solve."""
    clock = transfer(support, fps)
    ground = [np.einsum("kf,kcf->cf", clock, x) for x in (support.point, support.normal)]
    length = np.linalg.norm(ground[1], axis=0)
    normal = np.where(length > 0, ground[1] / np.where(length > 0, length, 1), total.up[:, None])
    centre, _ = pressure(total.force, total.moment, total.about, total.up, ground[0], normal)
    base = bases(total, support)
    return Problem(total, support, clock, base, centre, com, travel_of(com, total.up, fps))


def travel_of(com: np.ndarray, up: np.ndarray, fps: float) -> np.ndarray:
    """Return ``(3, F)`` the level direction of travel, shorter than 1 below walking speed."""
    if com.shape[1] < 2:
        return np.zeros_like(com)
    velocity = np.gradient(com, 1 / fps, axis=1)
    velocity = velocity - up[:, None] * (up @ velocity)
    speed = np.linalg.norm(velocity, axis=0)
    return np.asarray(np.nan_to_num(velocity) / np.maximum(np.nan_to_num(speed), WALKING))


def away_from_seams(support: Support, fps: float) -> np.ndarray:
    """Return ``(F)`` 0 at seams between one foot and several, 1 a little away from them."""
    several = support.count > 1
    result = np.zeros(len(several))
    for start, stop in runs(several):
        rise = np.arange(1, stop - start + 1)
        since = rise if start > 0 and support.count[start - 1] == 1 else np.full(len(rise), np.inf)
        single_after = stop < len(several) and support.count[stop] == 1
        until = rise[::-1] if single_after else np.full(len(rise), np.inf)
        length = min(EASE * fps, 0.5 * (stop - start)) + 1
        s = np.clip(np.minimum(since, until) / length, 0, 1)
        result[start:stop] = s * s * (3 - 2 * s)
    return result


def transfer(support: Support, fps: float) -> np.ndarray:
    """Return ``(f, F)`` shares by time: steady hand-over at every change of support, sum 1.

    A foot has a share while it is seen to touch; where none is, all that carry share alike.
    """
    on = np.where(support.seen.any(axis=0), support.seen, support.on)
    several = on.sum(axis=0) > 1
    change = (np.diff(on.astype(int), axis=1) != 0).any(axis=0)
    longest = max(1, round(LONGEST_TRANSFER * fps))
    weight = on.astype(float)
    for k in range(len(on)):
        for start, stop in runs(on[k]):
            if start > 0:  # touched down within the clip
                until = _next_change(change, start, stop, several)
                weight[k, start:stop] *= _step(stop - start, min(until - start, longest))
            if stop < on.shape[1]:
                since = _last_change(change, start, stop, several)
                fall = _step(stop - start, min(stop - since, longest))
                weight[k, start:stop] *= fall[::-1]
    total = weight.sum(axis=0)
    return np.asarray(weight / np.where(total > 0, total, 1))


def _next_change(change: np.ndarray, start: int, stop: int, several: np.ndarray) -> int:
    """Return the first frame after start with another support; start itself in single support."""
    if not several[start]:
        return start
    later = np.flatnonzero(change[start : stop - 1])
    return start + int(later[0]) + 1 if len(later) else stop


def _last_change(change: np.ndarray, start: int, stop: int, several: np.ndarray) -> int:
    """Return since when the support has been the one just before stop; stop in single support."""
    if not several[stop - 1]:
        return stop
    earlier = np.flatnonzero(change[start : stop - 1])
    return start + int(earlier[-1]) + 1 if len(earlier) else start


def _step(size: int, length: int) -> np.ndarray:
    """Return ``(size)`` a step from 0 (one frame earlier) to 1 (at frame length), eased by half."""
    s = np.clip((np.arange(size) + 1) / (length + 1), 0, 1)
    return np.asarray(0.5 * s + 0.5 * s * s * (3 - 2 * s))


def bases(total: Total, support: Support) -> np.ndarray:
    """Return ``(f, 3, F)`` m, where each foot would bear its share, on the plane under it.

    Where a foot bears the body alone, that is the body's own centre of pressure, no farther than
    the sole; before and after, it is held; a foot that never does bears at the middle of its sole.
    """
    up, frames = total.up, total.force.shape[-1]
    result = np.empty((len(support.feet), 3, frames))
    alone = support.on & (support.count == 1) & (total.vertical > LEAST_FORCE)
    for k, outlines in enumerate(support.outlines):
        plane = support.point[k], support.normal[k]
        middle = np.mean([outline.mean(axis=0) for outline in outlines], axis=0)
        centre, _ = pressure(total.force, total.moment, total.about, up, *plane)
        own = nearest(np.where(alone[k], centre, middle), outlines, up)
        result[k] = middle
        for start, stop in runs(support.on[k]):
            frames_alone = start + np.flatnonzero(alone[k, start:stop])
            if len(frames_alone):
                held = np.interp(np.arange(start, stop), frames_alone, np.arange(len(frames_alone)))
                result[k][:, start:stop] = own[:, frames_alone[np.round(held).astype(int)]]
    return on_planes(result, support, up)


def on_planes(place: np.ndarray, support: Support, up: np.ndarray) -> np.ndarray:
    """Return points ``(f, 3, F)`` moved along up onto the plane under each foot."""
    drop = np.einsum("kcf,kcf->kf", place - support.point, support.normal)
    drop = drop / np.einsum("c,kcf->kf", up, support.normal)
    return np.asarray(place - up[:, None] * drop[:, None])


def by_clock(problem: Problem) -> np.ndarray:
    """Hand the load over by the clock alone, gently at both ends (after Ren et al. 2008)."""
    eased = problem.clock**2 * (3 - 2 * problem.clock)
    total = eased.sum(axis=0)
    return np.asarray(eased / np.where(total > 0, total, 1))


def by_balance(problem: Problem) -> np.ndarray:
    """Let the total's centre of pressure decide the shares, the clock only where it is unsure.

    Least squares of both errors: with ``P`` the bases about their mean and ``G`` the clock's
    shares, ``d = G Pᵀ (P G Pᵀ + ρ²)⁻¹ (centre − mean)``; as ``G`` is zero for a foot that has just
    landed, so is ``d``.
    """
    clock, up = problem.clock, problem.total.up
    axes = level_axes(up)
    mean = np.einsum("kf,kcf->cf", clock, problem.base)
    spread = np.einsum("ac,kcf->kaf", axes, problem.base - mean)
    error = axes @ (problem.centre - mean)
    gram = np.einsum("kf,kaf,kbf->fab", clock, spread, spread)
    gram += (PRESSURE_ERROR / SHARE_ERROR) ** 2 * np.eye(2)
    known = np.isfinite(error).all(axis=0) & (problem.total.vertical > LEAST_FORCE)
    error = np.where(known, error, 0.0)
    pull = np.linalg.solve(gram, error.T[..., None])[..., 0]
    shares = clock * (1 + np.einsum("fa,kaf->kf", pull, spread))
    shares = np.maximum(shares, 0)
    total = shares.sum(axis=0)
    return np.asarray(shares / np.where(total > 0, total, 1))


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


def _level_forces(problem: Problem, shares: np.ndarray, lean: float) -> np.ndarray:
    """Return ``(f, 3, F)`` N, every foot's force across up; they add up to the total's.

    Leaning feet stay within half the cone of friction: nobody walks on the brink of slipping.
    """
    total, up = problem.total, problem.total.up
    level = total.force - up[:, None] * total.vertical
    mean = np.einsum("kf,kcf->cf", shares, problem.base)
    height = np.maximum(up @ (problem.com - mean), LOWEST_COM)
    away = (mean - problem.base) / height
    # along the way only: sideways, plates show next to none of it
    away = problem.travel * np.einsum("cf,kcf->kf", problem.travel, away)[:, None]
    steepest = np.linalg.norm(away, axis=1).max(axis=0)
    limit = 0.5 * FRICTION / np.maximum(steepest, 0.5 * FRICTION)
    against = lean * limit * away * shares[:, None] * np.maximum(total.vertical, 0)
    return np.asarray(shares[:, None] * (level - against.sum(axis=0)) + against)


def settle(
    total: Total, support: Support, shares: np.ndarray, place: np.ndarray, level: np.ndarray
) -> Loads:
    """Return loads with the given shares whose sum is the total: all pressures shift together.

    With ``r_k`` from the total's point to foot k's pressure, ``Σ f_k r_k − z_k H_k = up × M``; a
    common shift ``δ`` along the planes solves ``(f + Σ H_k m_kᵀ) δ = rest``, ``m_k`` the planes'
    slopes. What is left along up is a couple, shared like the load.
    """
    up, axes = total.up, level_axes(total.up)
    carried = support.count > 0
    force = level + up[:, None] * (shares * total.vertical)[:, None]
    force = np.where(support.on[:, None], force, 0.0)
    arm = on_planes(place, support, up) - total.about
    rest = cross(up[:, None], total.moment)
    for k in range(len(force)):
        rest = rest - (arm[k] * (up @ force[k]) - (up @ arm[k]) * level[k])
    slope = (
        np.einsum("ac,kcf->kaf", axes, support.normal)
        / np.einsum("c,kcf->kf", up, support.normal)[:, None]
    )
    across = np.einsum("ac,kcf->kaf", axes, level)
    matrix = np.einsum("kaf,kbf->fab", across, slope) + total.vertical[:, None, None] * np.eye(2)
    firm = carried & (total.vertical > LEAST_FORCE) & np.isfinite(rest).all(axis=0)
    matrix[~firm] = np.eye(2)
    shift = np.linalg.solve(matrix, np.where(firm, axes @ rest, 0.0).T[..., None])[..., 0].T
    moved = arm + np.einsum("ac,af->cf", axes, shift)
    moved -= up[:, None] * np.einsum("kaf,af->kf", slope, shift)[:, None]
    moment = np.stack([cross(r, f) for r, f in zip(moved, force, strict=True)])
    # A couple along up remains; of a body that hardly weighs on the ground the whole moment does.
    couple = total.moment - moment.sum(axis=0)
    moment += np.where(support.on, shares, 0.0)[:, None] * couple
    moment = np.where(carried, moment, 0.0)
    return Loads(np.where(carried, force, 0.0), moment, np.zeros(len(carried), bool))
