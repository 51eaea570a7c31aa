"""Terms of the ground problem (capture noise, Newton, friction, sole …), one function each.

Unknown at every knot: coefficients of the splines by which the centre of mass (mm) and the
orientation (mrad) are moved; per stance the force along its axes (body weights), pressure × normal
force along and across the foot (body weights × m) and the free moment (body weights × m). Axes:
two across up, then up. ``Knots.density`` turns noise into that of a knot: see ``GroundParameters``.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from mocap_reroot.ground.knots import BEND, SLOPE, VALUE, Knots
from mocap_reroot.ground.limbs import Bearing
from mocap_reroot.ground.rows import NOTHING, Terms
from mocap_reroot.numerics.vectors import cross, dot
from mocap_reroot.parameters import GroundParameters
from mocap_reroot.types import STANDARD_GRAVITY

MILLI = 1e-3
UP = 2
N, ALONG, ACROSS, COUPLE = 1, 3, 4, 5
"""Rows of a stance's columns: force along its axes, of which the second is normal; then these."""


@dataclass(frozen=True, eq=False)
class Columns:
    """Where the unknowns of a window are.

    Attributes:
        path: ``(6, K + 2)`` of the coefficients.
        limbs: ``(6, E)`` of the entries.
        pushes: ``(6, K)`` of the force and moment that come from elsewhere, where there are any.
        count: How many there are.
    """

    path: np.ndarray
    limbs: np.ndarray
    pushes: np.ndarray
    count: int

    @staticmethod
    def over(count: int, b: Bearing, external: np.ndarray) -> Columns:
        """Number the unknowns knot by knot, so that what belongs together is near."""
        many = np.zeros(count + 2, int)
        many[1:-1] = np.bincount(b.knot, minlength=count) + external
        first = np.concatenate([[0], np.cumsum(6 + 6 * many)])
        nth = _nth(b.knot)
        limbs = first[b.knot + 1] + 6 + 6 * nth + np.arange(6)[:, None]
        pushes = np.where(external, first[2:-1] - 6 + np.arange(6)[:, None], NOTHING)
        return Columns(first[:-1] + np.arange(6)[:, None], limbs, pushes, int(first[-1]))

    def near(self, axes: slice | int) -> np.ndarray:
        """Return ``(…, K, 3)`` columns of the coefficients before, at and after every knot."""
        path = self.path[axes]
        return np.stack([path[..., :-2], path[..., 1:-1], path[..., 2:]], axis=-1)


@dataclass(frozen=True, eq=False)
class Captured:
    """What a window tells of the whole body, at its knots; axes of the problem.

    Attributes:
        mass: kg.
        off: ``(3, K)`` m, captured centre of mass from the reference, mean of the frames near.
        told: ``(K)`` frames behind it; ``when``, ``spread`` ``(K)`` moments of their time, s, s².
        acceleration: ``(3, K)`` m/s² of the reference.
        centre: ``(3, K)`` m, reference.
        momentum, rate: ``(3, K)`` kg·m²/s, N·m.
        inertia, swelling: ``(3, 3, K)`` kg·m², and its rate, kg·m²/s.
        lever: ``(3, 3, K)`` N·m/rad, by which forces turn the body more once it is turned: its
            limbs are then elsewhere.
        excess: ``(3, K)`` N·m, what a linear view of the orientation leaves out.
        external: ``(K)`` whether something else than the limbs supports the body.
        ahead: ``(3, K)`` the way the feet point, level.
        asked: ``(K)`` whether limbs near the ground are asked to carry that were not seen to.
        unsure: ``(2)`` m/s, how well the velocity is known at both ends (infinite: not at all).
        known: ``(6, K)`` N, N·m about the reference: what plates measured of the limbs; a limb that
            they bear has no unknowns.
        loose: ``(K)`` whether plates bear anything: what does not fit them stays residual.
        stands: ``(l, 3, K)`` m, limbs from the reference; ``bears`` ``(l, K)`` body weights that
            plates bear of them.
    """

    mass: float
    off: np.ndarray
    told: np.ndarray
    when: np.ndarray
    spread: np.ndarray
    acceleration: np.ndarray
    centre: np.ndarray
    momentum: np.ndarray
    rate: np.ndarray
    inertia: np.ndarray
    swelling: np.ndarray
    lever: np.ndarray
    excess: np.ndarray
    external: np.ndarray
    ahead: np.ndarray
    asked: np.ndarray
    unsure: np.ndarray
    known: np.ndarray
    loose: np.ndarray
    stands: np.ndarray
    bears: np.ndarray


@dataclass(frozen=True, eq=False)
class Pressed:
    """Where limbs were found to press, from the heel: ``(E)`` m along and across the foot."""

    along: np.ndarray
    across: np.ndarray


def captured_path(t: Terms, at: Columns, c: Captured, knots: Knots, p: GroundParameters) -> None:
    """Centre of mass as captured, which upwards lags behind the true one (m)."""
    h = knots.spacing
    weight = np.sqrt(100.0 * c.told / knots.fps)
    for axis in range(3):
        lag = p.lag / STANDARD_GRAVITY if axis == UP else 0.0
        w = weight / (p.height_noise if axis == UP else p.path_noise)
        slope, bend = c.when / h, (0.5 * c.spread - lag) / h**2
        values = VALUE + slope[:, None] * SLOPE + bend[:, None] * BEND
        wanted = c.off[axis] + lag * c.acceleration[axis]
        t.add(at.near(axis), MILLI * w[:, None] * values, w * wanted)


def captured_turn(t: Terms, at: Columns, c: Captured, knots: Knots, p: GroundParameters) -> None:
    """Orientation as captured: inertia × turn over the mass is small (m²), and the turn (rad)."""
    w = MILLI * knots.density / (p.turn_noise * c.mass)
    columns, values = _turned(at, c, [(c.inertia, VALUE)])
    for axis in range(3):
        t.add(columns, w[:, None] * values[axis])
        t.add(at.near(3 + axis), MILLI * knots.density[:, None] / p.angle_noise * VALUE)


def ends_as_captured(t: Terms, at: Columns, c: Captured, knots: Knots) -> None:
    """At a clip's ends the velocity is as captured (m/s; rad/s alike).

    There nothing else holds a force: the body would lean on the ground a little, at no price, to
    please the other terms. Where this holds exactly, an end is like the middle of a clip that runs
    back from there, and who stands still weighs what he weighs in every frame.
    """
    for end in (0, -1):
        w = MILLI / knots.spacing / c.unsure[end]
        t.add(at.near(slice(6))[:, end], np.full((6, 1), w) * SLOPE)


def newton(
    t: Terms,
    at: Columns,
    c: Captured,
    b: Bearing,
    pressed: Pressed | None,
    knots: Knots,
    p: GroundParameters,
) -> None:
    """Equations of motion over body weight: forces (1) and moments about the centre of mass (m).

    They hold, but where plates bear the body: there the residual is small. What plates measured
    stays where they are when the body is moved.
    """
    h, count, weight = knots.spacing, knots.count, c.mass * STANDARD_GRAVITY
    nth = _nth(b.knot)
    most = int(nth.max(initial=0)) + 1
    columns = np.full((count, most, 6), NOTHING)
    columns[b.knot, nth] = at.limbs.T
    wrench = np.zeros((6, count, most, 6))
    along, across = (b.middle, 0 * b.middle) if pressed is None else (pressed.along, pressed.across)
    arm = b.heel + along * b.ahead + across * b.aside
    normal = b.axes[:, N]
    tip, roll = cross(b.ahead, normal), cross(b.aside, normal)
    lever = np.stack([cross(arm, b.axes[:, j]) for j in range(3)])
    lever[N] -= along * tip + across * roll
    wrench[:3, b.knot, nth, :3] = b.axes.transpose(0, 2, 1)
    wrench[3:, b.knot, nth] = np.stack([*lever, tip, roll, normal], axis=-1)
    limbs, wrenches = columns.reshape(count, -1), wrench.reshape(6, count, -1)
    one = np.ones((count, 1))
    exact = knots.density / knots.density.max() / p.newton
    known = knots.density / p.residual
    w = np.where(c.loose, known, exact)
    bend = np.broadcast_to(-MILLI * BEND / h**2 / STANDARD_GRAVITY, (count, 3))
    for axis in range(3):
        wanted = c.acceleration[axis] / STANDARD_GRAVITY + (axis == UP) - c.known[axis] / weight
        values = np.concatenate([wrenches[axis], one, bend], 1)
        there = np.concatenate([limbs, at.pushes[axis][:, None], at.near(axis)], 1)
        t.add(there, w[:, None] * values, w * wanted)
    w = np.where(c.loose, known / p.residual_arm, exact)
    moved = _skew(MILLI / weight * c.known[:3])[..., None] * VALUE  # (3, 3, K, 3)
    shift = np.where(c.loose[:, None], np.concatenate([at.near(j) for j in range(3)], 1), NOTHING)
    turning = [
        (c.inertia, BEND / h**2),
        (c.swelling + _skew(-c.momentum), SLOPE / h),
        (_skew(-c.rate) - c.lever, VALUE),
    ]
    path, values = _turned(at, c, turning)
    for axis in range(3):
        shifted = moved[axis].transpose(1, 0, 2).reshape(count, 9)
        both = [wrenches[3 + axis], one, -MILLI / weight * values[axis], shifted]
        wanted = (c.rate[axis] + c.excess[axis] - c.known[3 + axis]) / weight
        there = np.concatenate([limbs, at.pushes[3 + axis][:, None], path, shift], 1)
        t.add(there, w[:, None] * np.concatenate(both, 1), w * wanted)


def stands_where_seen(
    t: Terms, at: Columns, c: Captured, knots: Knots, p: GroundParameters
) -> None:
    """A limb that plates bear stays where it was captured, and so its pressure (m)."""
    for arm, bears in zip(c.stands, c.bears, strict=True):
        w = MILLI * (knots.density * np.sqrt(bears))[:, None] / p.stand_noise
        columns, values = _turned(at, c, [(_skew(-arm), VALUE)])
        for axis in range(3):
            there = np.concatenate([at.near(axis), columns], 1)
            t.add(there, w * np.concatenate([np.tile(VALUE, (len(w), 1)), values[axis]], 1))


def bends_little(t: Terms, at: Columns, b: Bearing, knots: Knots, p: GroundParameters) -> None:
    """A limb's wrench is a smooth curve, nothing before and after (m/s⁴, m²/s⁴ over the mass)."""
    density = np.sqrt(100 * knots.spacing) / knots.spacing**2
    padded = np.pad(at.limbs, ((0, 0), (1, 1)), constant_values=NOTHING)
    other = np.pad(b.stance + b.limb * (b.stance.max(initial=0) + 1), 1, constant_values=-1)
    before = np.where(other[1:-1] == other[:-2], padded[:, :-2], NOTHING)
    after = np.where(other[1:-1] == other[2:], padded[:, 2:], NOTHING)
    whole = (b.opens | (before[0] != NOTHING)) & (b.closes | (after[0] != NOTHING))
    near = np.stack([before, at.limbs, after], axis=-1)[:, whole]
    size = np.repeat([p.force_bend, p.moment_bend, p.moment_bend * p.couple_bend], (3, 2, 1))
    w = density * STANDARD_GRAVITY / (size[:, None] * b.freed[whole])
    t.add(near.reshape(-1, 3), w.reshape(-1, 1) * BEND)


def pushed_little(t: Terms, at: Columns, c: Captured, knots: Knots, p: GroundParameters) -> None:
    """A push from elsewhere is small, and a smooth curve (body weights, m/s⁴; × m for moments)."""
    padded = np.pad(at.pushes, ((0, 0), (1, 1)), constant_values=NOTHING)
    there = at.pushes[0] != NOTHING
    near = np.stack([padded[:, :-2], at.pushes, padded[:, 2:]], axis=-1)[:, there]
    density = np.sqrt(100 * knots.spacing)
    price = np.tile(np.where(c.asked, 1 / p.asked, 1.0)[there], 3)[:, None]
    for rows, size, bend in (
        (slice(0, 3), p.push, p.force_bend),
        (slice(3, 6), p.push * p.push_arm, p.moment_bend),
    ):
        t.add(near[rows, :, 1].reshape(-1, 1), price * density / size)
        curve = density * STANDARD_GRAVITY / (bend * knots.spacing**2) * BEND
        t.add(near[rows].reshape(-1, 3), curve)


def presses_lowest(t: Terms, at: Columns, b: Bearing, knots: Knots, p: GroundParameters) -> None:
    """The pressure is near where the sole is lowest (m)."""
    w = knots.density[b.knot, None]
    t.add(at.limbs[[ALONG, N]].T, w / p.along * np.stack([np.ones(len(b.middle)), -b.middle], 1))
    t.add(at.limbs[[ACROSS]].T, w / p.across)


def twists_little(t: Terms, at: Columns, b: Bearing, knots: Knots, p: GroundParameters) -> None:
    """The free moment is small (m, over body weight)."""
    t.add(at.limbs[[COUPLE]].T, knots.density[b.knot, None] / p.couple)


def aims_at_centre(
    t: Terms, at: Columns, b: Bearing, c: Captured, knots: Knots, p: GroundParameters
) -> None:
    """A force points towards the centre of mass, by a share of that slope (body weights)."""
    ahead = c.ahead[:, b.knot]
    ways = ahead, np.stack([-ahead[1], ahead[0], 0 * ahead[2]])
    tall = np.maximum(-b.heel[UP], 0.3)
    w = knots.density[b.knot, None] / p.aim
    for way, share in zip(ways, (p.aim_ahead, p.aim_aside), strict=True):
        slope = share * -dot(b.heel, way) / tall
        forces = np.einsum("ie,ije->je", way, b.axes) - slope * b.axes[UP]
        pressed = [share * dot(way, v) / tall for v in (b.ahead, b.aside)]
        t.add(at.limbs[:5].T, w * np.stack([*forces, *pressed], 1))


def bears_when_seen(t: Terms, at: Columns, b: Bearing, knots: Knots, p: GroundParameters) -> None:
    """Bearing outside the stance that was seen has a price, dearer where the foot is high."""
    w = knots.density[b.knot] * b.away / 0.02 / p.early
    w = w * np.sqrt(1 + (b.height / p.clear) ** 2)
    dear = w > 0
    t.add(at.limbs[:3, dear].reshape(-1, 1), np.tile(w[dear], 3)[:, None])


def admissible(t: Terms, at: Columns, b: Bearing, p: GroundParameters) -> None:
    """Nothing pulls (the sole has a width), friction is limited, the pressure is on the sole."""
    one = np.ones(len(b.middle))
    rub = p.friction * one
    bounds = (
        (ALONG, one, -b.high), (ALONG, -one, b.low),
        (ACROSS, one, -b.half), (ACROSS, -one, -b.half),
        (0, one, -rub), (0, -one, -rub), (2, one, -rub), (2, -one, -rub),
    )  # fmt: skip
    columns = np.concatenate([at.limbs[[j, N]].T for j, _, _ in bounds])
    values = np.concatenate([np.stack([x, y], 1) for _, x, y in bounds])
    t.add(columns, values)


def _nth(knot: np.ndarray) -> np.ndarray:
    """Return ``(E)`` how many earlier entries have the same knot."""
    order = np.argsort(knot, kind="stable")
    same = knot[order]
    first = np.searchsorted(same, same)
    result = np.empty(len(knot), np.int64)
    result[order] = np.arange(len(knot)) - first
    return result


def _turned(
    at: Columns, c: Captured, parts: list[tuple[np.ndarray, np.ndarray]]
) -> tuple[np.ndarray, np.ndarray]:
    """Return ``(K, 9)`` columns and ``(3, K, 9)`` values of Σ matrix × spline of the turn."""
    columns = np.concatenate([at.near(axis) for axis in range(3, 6)], axis=-1)
    values = sum(m[..., None] * row for m, row in parts)  # (3, 3, K, 3)
    return columns, np.asarray(values).transpose(0, 2, 1, 3).reshape(3, c.told.size, 9)


def _skew(v: np.ndarray) -> np.ndarray:
    """Return ``(3, 3, K)`` matrices with which v × u = skew(v) u."""
    zero = np.zeros(v.shape[1])
    return np.array([[zero, -v[2], v[1]], [v[2], zero, -v[0]], [-v[1], v[0], zero]])
