"""One window of the ground problem: assembled from its terms, solved, read back."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from mocap_reroot.ground import terms
from mocap_reroot.ground.interval import Interval, at_knots
from mocap_reroot.ground.knots import BEND, SLOPE, VALUE, Knots
from mocap_reroot.ground.limbs import Bearing
from mocap_reroot.ground.rows import NOTHING, Terms
from mocap_reroot.ground.terms import MILLI, Captured, Columns, N, Pressed
from mocap_reroot.ground.turning import turned
from mocap_reroot.kernels.ground_qp import REACH, WIDE, Rows, envelope, minimise
from mocap_reroot.numerics.vectors import cross, dot, turn
from mocap_reroot.parameters import GroundParameters
from mocap_reroot.types import STANDARD_GRAVITY

_MOST = 40  # iterations of the solver
_ENOUGH = 1e-4  # mean of slack × price; tighter changes forces by less than 0.1 % of weight
_LINEAR = 0.05  # rad, up to which one look at the orientation suffices


@dataclass(frozen=True, eq=False)
class Solution:
    """What a window tells.

    Attributes:
        path: ``(6, K + 2)`` m, rad: coefficients of the correction.
        force: ``(l, 3, K)`` body weights, axes of the problem; 0 outside stances.
        normal: ``(l, K)`` body weights.
        place: ``(l, 3, K)`` m × body weights: centre of pressure × normal force.
        beyond: ``(l, K)`` m × body weights: pressure ahead of the toe joint × normal force.
        couple: ``(l, 3, K)`` m × body weights.
        push: ``(6, K)`` body weights, m × body weights about the centre of mass: what comes from
            elsewhere, where the limbs cannot carry alone; else 0.
        iterations: Of the solver; negative where it failed.
    """

    path: np.ndarray
    force: np.ndarray
    normal: np.ndarray
    place: np.ndarray
    beyond: np.ndarray
    couple: np.ndarray
    push: np.ndarray
    iterations: int


def solve_window(
    interval: Interval, first: int, stop: int, limbs: int, p: GroundParameters
) -> Solution:
    """Solve knots ``first`` to ``stop`` of an interval, then once more about what was found."""
    knots = replace(interval.knots, count=stop - first)
    bearing = interval.bearing.within(first, stop)
    captured = _captured(interval, bearing, first, stop)
    z, at, iterations = _solve(captured, bearing, None, knots, p)
    path = MILLI * z[at.path]
    moved = _moved(path, captured, knots, p)
    if iterations >= 0 and ((moved > 1).any() or np.abs(path[3:]).max() > _LINEAR):
        near = max(1, round(p.margin / knots.spacing))
        spread, external = _around(moved > 1, near), _around(moved > p.far, near)
        # Where the body was moved too far, nothing was learned of how it is turned.
        believed = 1 - np.convolve(spread, np.ones(near) / near)[near // 2 :][: len(spread)]
        path = path * np.pad(np.clip(believed, 0, 1), 1, mode="edge")
        by, excess = _beyond_linear(captured, path[3:], knots)
        pressed = _pressed(z[at.limbs], bearing)
        force = captured.mass * STANDARD_GRAVITY * z[at.limbs[:3]]
        every = None
        if spread.any():
            every = interval.needing(spread, first, stop)
        if every is not None:
            before, bearing = bearing, every.within(first, stop)
            pressed, force = _carried_over(before, bearing, pressed, force, knots.count)
            more = np.bincount(bearing.knot, minlength=knots.count) > np.bincount(
                before.knot, minlength=knots.count
            )
            captured = replace(captured, asked=_around(more, 2 * near))
        bearing = _turned(bearing, by, at_knots(path[:3], VALUE), captured)
        force = np.einsum("aje,je->ae", bearing.axes, force)
        arm = bearing.heel + pressed.along * bearing.ahead + pressed.across * bearing.aside
        lever = _lever(arm, force, bearing.knot, knots.count)
        guess = _first_lever(captured, bearing)
        lever = np.where(spread, guess, lever)
        excess = excess + np.einsum("ijk,jk->ik", lever, at_knots(path[3:], VALUE))
        captured = replace(
            captured, lever=lever, excess=excess, external=captured.external | external
        )
        z, at, iterations = _solve(captured, bearing, pressed, knots, p)
    return _read(z, at, captured, bearing, interval.held[:, first:stop], iterations)


def _carried_over(
    before: Bearing, after: Bearing, pressed: Pressed, force: np.ndarray, count: int
) -> tuple[Pressed, np.ndarray]:
    """Return where limbs press, and their forces ``(3, E)`` N, of entries old and new."""
    if not len(before.knot):  # nobody was seen to stand
        return Pressed(after.middle, np.zeros_like(after.middle)), np.zeros((3, len(after.knot)))
    row = np.full((int(after.limb.max(initial=0)) + 1, count), NOTHING)
    row[before.limb, before.knot] = np.arange(len(before.knot))
    old = row[after.limb, after.knot]
    known = old != NOTHING
    along = np.where(known, pressed.along[old], after.middle)
    across = np.where(known, pressed.across[old], 0.0)
    return Pressed(along, across), np.where(known, force[:, old], 0.0)


def _solve(
    c: Captured, b: Bearing, pressed: Pressed | None, knots: Knots, p: GroundParameters
) -> tuple[np.ndarray, Columns, int]:
    """Put the terms together and solve."""
    at = Columns.over(knots.count, b, c.external)
    least, under = Terms(), Terms()
    terms.captured_path(least, at, c, knots, p)
    terms.captured_turn(least, at, c, knots, p)
    terms.ends_as_captured(least, at, c, knots)
    if c.loose.any():
        terms.stands_where_seen(least, at, c, knots, p)
    terms.newton(least, at, c, b, pressed, knots, p)
    terms.bends_little(least, at, b, knots, p)
    terms.pushed_little(least, at, c, knots, p)
    terms.presses_lowest(least, at, b, knots, p)
    terms.twists_little(least, at, b, knots, p)
    terms.aims_at_centre(least, at, b, c, knots, p)
    terms.bears_when_seen(least, at, b, knots, p)
    terms.admissible(under, at, b, p)
    rows, wanted = least.rows()
    bounds, _ = under.rows()
    z = np.zeros(at.count)
    return z, at, _minimised(rows, wanted, bounds, z)


def _minimised(least: Rows, wanted: np.ndarray, under: Rows, z: np.ndarray) -> int:
    groups = len(z) // WIDE
    last = np.empty(groups, np.int64)
    envelope(least, under, last)
    rows = last + 1 - WIDE * np.arange(groups)
    if rows.max() + 8 > REACH:
        return -3
    head = np.concatenate([[0], np.cumsum(WIDE * rows)])
    return int(minimise(least, wanted, under, head, last, _MOST, _ENOUGH, z))


def _moved(path: np.ndarray, c: Captured, knots: Knots, p: GroundParameters) -> np.ndarray:
    """Return ``(K)`` how far the body had to be moved or turned, over what captures err."""
    now = at_knots(path[:3], VALUE) + c.when / knots.spacing * at_knots(path[:3], SLOPE)
    way = np.where(c.told > 0, np.sqrt(((now - c.off) ** 2).sum(axis=0)), 0.0)
    angle = np.sqrt((at_knots(path[3:], VALUE) ** 2).sum(axis=0))
    spin = np.linalg.solve(c.inertia.transpose(2, 0, 1), c.momentum.T[..., None])[..., 0]
    rate = np.sqrt((spin**2).sum(axis=1))
    moved = way / (p.most_moved + p.spun_moved * rate)
    return np.asarray(np.maximum(moved, angle / (p.most_turned + p.spun_turned * rate)))


def _around(there: np.ndarray, near: int) -> np.ndarray:
    """Return ``(K)`` knots that are there, and those near them."""
    # "same" would be as long as the window, where an interval is shorter than that.
    return np.asarray(np.convolve(there, np.ones(2 * near + 1))[near : near + len(there)] > 0)


def _lever(arm: np.ndarray, force: np.ndarray, knot: np.ndarray, count: int) -> np.ndarray:
    """Return ``(3, 3, K)`` N·m/rad: limbs that turn with the body by φ add Σ (φ × arm) × force."""
    lever = np.zeros((count, 3, 3))
    parts = np.einsum("ie,je->eij", arm, force) - np.einsum("e,ij->eij", dot(arm, force), np.eye(3))
    np.add.at(lever, knot, parts)
    return lever.transpose(1, 2, 0)


def _first_lever(c: Captured, b: Bearing) -> np.ndarray:
    """Return the lever before forces are known: limbs that were seen to stand share the total."""
    seen = np.where(b.away > 0, 0.0, 1.0)
    many = np.maximum(np.bincount(b.knot, seen, c.told.size), 1.0)
    total = c.mass * (c.acceleration + STANDARD_GRAVITY * np.eye(3)[:, terms.UP, None])
    total = total - c.known[:3]
    force = total[:, b.knot] * seen / many[b.knot]
    return _lever(b.heel + b.middle * b.ahead, force, b.knot, c.told.size)


def _captured(interval: Interval, b: Bearing, first: int, stop: int) -> Captured:
    """Return what a window of an interval tells of the whole body."""
    knots, whole, k = interval.knots, interval.whole, slice(first, stop)
    off, told, when, spread = (x[..., k] for x in interval.gathered)
    reference = interval.reference[:, first : stop + 2]
    none = np.zeros((3, 3, stop - first))
    centre, known = at_knots(reference, VALUE), np.array(interval.borne[:, :, k].sum(axis=0))
    known[3:] -= cross(centre, known[:3])
    momentum, rate = interval.turning
    found = Captured(
        whole.mass, off, told, when, spread,
        at_knots(reference, BEND / knots.spacing**2), centre,
        momentum[:, k], rate[:, k], interval.inertia[..., k], interval.swelling[..., k], none,
        none[0],
        none[0, 0] > 0, interval.ahead[:, k], none[0, 0] > 0,
        np.where([first == 0, stop == knots.count], interval.unsure, np.inf),
        known, interval.plated[k], interval.stands[..., k],
        np.clip(interval.borne[:, terms.UP, k] / whole.weight, 0.0, 1.0),
    )  # fmt: skip
    return replace(found, lever=_first_lever(found, b))


def _beyond_linear(c: Captured, path: np.ndarray, knots: Knots) -> tuple[np.ndarray, np.ndarray]:
    """Return the turn ``(4, K)`` and ``(3, K)`` N·m of ḣ that its linear view leaves out."""
    h = knots.spacing
    angle, rate, bend = (at_knots(path, r) for r in (VALUE, SLOPE / h, BEND / h**2))
    by = turned(angle, rate, bend)
    w, al = by.velocity, by.acceleration

    def times(matrix: np.ndarray, v: np.ndarray) -> np.ndarray:
        return turn(by.q, np.einsum("ijk,jk->ik", matrix, turn(by.q, v, back=True)))

    spin = times(c.inertia, w)
    whole = (
        cross(w, turn(by.q, c.momentum)) + turn(by.q, c.rate) + times(c.swelling, w)
        + times(c.inertia, al) + cross(w, spin)
    )  # fmt: skip
    linear = (
        c.rate + cross(rate, c.momentum) + cross(angle, c.rate)
        + np.einsum("ijk,jk->ik", c.swelling, rate) + np.einsum("ijk,jk->ik", c.inertia, bend)
    )  # fmt: skip
    return by.q, whole - linear


def _turned(b: Bearing, q: np.ndarray, shift: np.ndarray, c: Captured) -> Bearing:
    """Return limbs after the whole body was turned and moved; heels stay on the ground."""
    k, normal = b.knot, b.axes[:, N]
    heel, ahead = turn(q[:, k], b.heel), turn(q[:, k], b.ahead)
    high = dot(normal, heel + c.centre[:, k] + shift[:, k] - b.point)
    ahead = ahead - normal * dot(normal, ahead)
    ahead = ahead / np.maximum(np.sqrt(dot(ahead, ahead)), 1e-9)
    return replace(b, heel=heel - normal * high, ahead=ahead, aside=cross(normal, ahead))


def _pressed(z: np.ndarray, b: Bearing) -> Pressed:
    """Return where limbs press; where they bear nothing, where the sole is lowest."""
    normal = z[N]
    firm = normal > 1e-3
    safe = np.where(firm, normal, 1.0)
    along = np.clip(np.where(firm, z[terms.ALONG] / safe, b.middle), b.low, b.high)
    across = np.clip(np.where(firm, z[terms.ACROSS] / safe, 0.0), -b.half, b.half)
    return Pressed(along, across)


def _read(
    z: np.ndarray, at: Columns, c: Captured, b: Bearing, held: np.ndarray, iterations: int
) -> Solution:
    """Return the unknowns as curves of the limbs; beside what plates know, they stay."""
    limbs, count = held.shape
    path = MILLI * z[at.path]
    centre = c.centre + at_knots(path[:3], VALUE)
    force, place, couple = np.zeros((3, limbs, 3, count))
    normal, beyond = np.zeros((2, limbs, count))
    u, k, i = z[at.limbs], b.knot, b.limb
    force[i, :, k] = np.einsum("aje,je->ea", b.axes, u[:3])
    normal[i, k] = u[N]
    where = u[N] * (b.heel + centre[:, k]) + u[terms.ALONG] * b.ahead + u[terms.ACROSS] * b.aside
    place[i, :, k] = where.T
    beyond[i, k] = u[terms.ALONG] - b.ball * u[N]
    couple[i, :, k] = (b.axes[:, N] * u[terms.COUPLE]).T
    push = np.where(at.pushes != NOTHING, z[np.maximum(at.pushes, 0)], 0.0)
    for curve in (force, normal, place, beyond, couple):
        for side in (-1, 1):
            there = np.zeros_like(held)
            there[i, np.clip(k + side, 0, count - 1)] = True
            limb, beside = np.nonzero(there & held)
            curve[limb, ..., beside] = curve[limb, ..., beside - side]
    return Solution(path, force, normal, place, beyond, couple, push, iterations)
