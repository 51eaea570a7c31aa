"""Limbs at the knots of their stances: sole, ground plane, bounds of the centre of pressure."""

from __future__ import annotations

from dataclasses import dataclass, fields

import numpy as np

from mocap_reroot.ground.knots import Knots
from mocap_reroot.numerics.vectors import cross, dot
from mocap_reroot.parameters import GroundParameters
from mocap_reroot.types import Sole

_POINTS = 9  # along the line of the sole
_LEAST = 1e-9
_FAR = 10.0  # m, where no foot presses


@dataclass(frozen=True, eq=False)
class Line:
    """The line of a limb's sole from heel to tip.

    Attributes:
        nodes: Bodies and ``(3)`` m places in their capture frames: heel, (ball,) tip.
        width: m, at its widest.
        radius: m, by which the skin of a round part is below its nodes; 0 of a foot.
    """

    nodes: tuple[tuple[int, np.ndarray], ...]
    width: float
    radius: float = 0.0


def line_of(soles: list[Sole]) -> Line:
    """Return the line of the sole of a limb, which has one part or two."""
    first, last = soles[0], soles[-1]
    if first.core:
        return Line(first.core, 2 * first.radius, first.radius)
    rear = first.outline[:2].mean(axis=0)
    front = last.outline[3:5] if len(last.outline) == 6 else last.outline[2:4]
    corners = [sole.outline for sole in soles]
    width = max(float(np.linalg.norm(c[2] - c[-1])) for c in corners if len(c) >= 4)
    ends = [(first.body, rear), (last.body, front.mean(axis=0))]
    if len(soles) > 1:
        ends.insert(1, (first.body, first.outline[2:4].mean(axis=0)))
    return Line(tuple(ends), width)


@dataclass(frozen=True, eq=False)
class Bearing:
    """Limbs over their stances, which are widened at both ends: an entry a limb and knot.

    Entries of a stance follow each other. Axes of the problem.

    Attributes:
        limb, stance, knot: ``(E)`` which.
        opens, closes: ``(E)`` whether the stance begins or ends here; where it is cut, it does not.
        axes: ``(3, 3, E)`` columns along the foot, along the normal of the ground, and across.
        point: ``(3, E)`` m on the ground.
        heel: ``(3, E)`` m on the ground below the heel, from the centre of mass.
        ahead, aside: ``(3, E)`` unit vectors in the ground along and across the foot.
        middle: ``(E)`` m from the heel, where the sole is lowest.
        ball: ``(E)`` m from the heel, where the toes begin; far away without toes.
        low, high, half: ``(E)`` m, bounds of the pressure along the foot, and across.
        away: ``(E)`` s, how far outside the stance that was seen.
        height: ``(E)`` m of the lowest point over where it stands.
        freed: ``(E)`` by how much curves may bend more than in a stance of 0.3 s.
    """

    limb: np.ndarray
    stance: np.ndarray
    knot: np.ndarray
    opens: np.ndarray
    closes: np.ndarray
    axes: np.ndarray
    point: np.ndarray
    heel: np.ndarray
    ahead: np.ndarray
    aside: np.ndarray
    middle: np.ndarray
    ball: np.ndarray
    low: np.ndarray
    high: np.ndarray
    half: np.ndarray
    away: np.ndarray
    height: np.ndarray
    freed: np.ndarray

    @staticmethod
    def joined(parts: list[Bearing]) -> Bearing:
        """Return the entries of several limbs."""
        names = [field.name for field in fields(Bearing)]
        return Bearing(**{n: np.concatenate([getattr(p, n) for p in parts], -1) for n in names})

    def beside(self, known: np.ndarray, borne: np.ndarray) -> Bearing:
        """Return the entries of limbs whose wrenches are not known.

        While plates bear another limb, a stance is as long as it was seen: else it would take over
        what does not fit them.

        Args:
            known: ``(l, K)`` whose are.
            borne: ``(K)`` plates bear a limb.
        """
        early = borne[self.knot] & (self.away > 0)
        kept = ~known[self.limb, self.knot] & ~early
        parts = {field.name: getattr(self, field.name) for field in fields(Bearing)}
        next_to = (np.diff(self.knot) == 1) & (np.diff(self.limb) == 0)
        parts["opens"] = self.opens | np.append(False, early[:-1] & next_to)
        parts["closes"] = self.closes | np.append(early[1:] & next_to, False)
        cut = np.diff(self.stance, prepend=-1) != 0
        cut |= np.append(False, ~kept[:-1])
        parts["stance"] = np.cumsum(cut)
        return Bearing(**{name: values[..., kept] for name, values in parts.items()})

    def within(self, first: int, stop: int) -> Bearing:
        """Return the entries of some knots, which count from the first of them."""
        there = np.flatnonzero((self.knot >= first) & (self.knot < stop))
        kept = {field.name: getattr(self, field.name)[..., there] for field in fields(Bearing)}
        return Bearing(**kept | {"knot": kept["knot"] - first})


def seen_at(on: np.ndarray, knots: Knots) -> tuple[np.ndarray, np.ndarray]:
    """Return ``(K)`` s to the nearest frame in which a limb was seen to touch, and that frame."""
    frames = np.flatnonzero(on)
    if not len(frames):
        return np.full(knots.count, np.inf), np.zeros(knots.count, np.int64)
    at = np.minimum(np.arange(knots.count) * knots.step, knots.frames - 1)
    after = np.minimum(np.searchsorted(frames, at), len(frames) - 1)
    before = np.maximum(after - 1, 0)
    nearer = np.where(np.abs(at - frames[before]) < np.abs(at - frames[after]), before, after)
    nearest = frames[nearer]
    return np.abs(at - nearest) / knots.fps, nearest


def bearing_of(
    limb: int,
    line: Line,
    nodes: np.ndarray,
    ankle: np.ndarray,
    on: np.ndarray,
    plane: np.ndarray,
    planes: tuple[np.ndarray, np.ndarray],
    centre: np.ndarray,
    falling: np.ndarray,
    knots: Knots,
    p: GroundParameters,
) -> Bearing:
    """Return a limb over its stances.

    Args:
        limb: Which.
        line: Of its sole.
        nodes: ``(k, 3, K)`` m, the line in the world, axes of the problem.
        ankle: ``(3, K)`` m, the joint above it.
        on: ``(F)`` whether the limb was seen to touch.
        plane: ``(F)`` index of the ground under it.
        planes: ``(3, planes)`` m points and normals of the ground.
        centre: ``(3, K)`` m, centre of mass.
        falling: ``(K)`` m/s downwards.
        knots: Of the interval.
        p: Numbers.
    """
    away, nearest = seen_at(on, knots)
    wide = away <= p.margin + 1e-9
    under = np.where(wide, plane[nearest], -1)
    edge = np.flatnonzero(np.diff(under)) + 1
    stance = np.zeros(knots.count, np.int64)
    stance[edge] = 1
    stance = np.cumsum(stance)
    k = np.flatnonzero(wide & (np.bincount(stance)[stance] > 1))
    stance, knot, away = stance[k], k, away[k]
    first = np.flatnonzero(np.diff(stance, prepend=-1))  # entries with which stances begin
    size = np.diff(np.append(first, len(k)))
    point, normal = (x[:, under[k]] for x in planes)
    nodes = nodes[..., k]
    height = np.einsum("kie,ie->ke", nodes - point, normal)
    flat = nodes - normal * height[:, None]  # on the ground
    axis = flat[-1] - flat[0]
    mean = np.repeat(np.add.reduceat(axis, first, axis=1), size, axis=1) if len(k) else axis
    along = _unit(mean - normal * dot(normal, mean), _across(normal))
    ahead = _unit(axis, along)
    bears = (0.0, 1.0) if line.radius else (p.heel, p.ball)
    place, z = _along_line(flat, height, ahead, bears)
    least = z.min(axis=0)
    above = z - least
    share = np.exp(-above / p.lowest)
    if not line.radius:
        share = share * _rolled(place, flat, ankle[:, k], centre[:, k], ahead, p)
    down = above <= p.lifted
    seen = np.where(away <= 0.5 * knots.spacing, least, np.nan)
    level = np.array([_middle(seen[a : a + m], least[a : a + m]) for a, m in _spans(first, size)])
    since = (np.arange(len(k)) - np.repeat(first, size)) * knots.spacing
    fall = np.where(knot[first] > 0, np.maximum(falling[knot[first]], 0.0), 0.0)
    lasts = (0.3 / np.clip(size * knots.spacing, 0.1, 1.0)) ** p.bend_power
    if len(k):
        stood = np.add.reduceat(away <= 0.5 * knots.spacing, first) * knots.spacing
        lasts = lasts * np.maximum(p.short / np.maximum(stood, 0.05), 1.0) ** p.short_power
    fading = (p.impact * np.repeat(fall, size)) ** 2 * np.exp(-2 * since / p.impact_fades)
    opens, closes = np.zeros(len(k), bool), np.zeros(len(k), bool)
    opens[first], closes[first + size - 1] = True, True
    return Bearing(
        np.full(len(k), limb), stance, knot, opens & (knot > 0), closes & (knot < knots.count - 1),
        np.stack([along, normal, cross(normal, along)], axis=1), point, flat[0] - centre[:, k],
        ahead, cross(normal, ahead), (share * place).sum(axis=0) / share.sum(axis=0),
        dot(flat[1] - flat[0], ahead) if len(flat) == 3 else np.full(len(k), _FAR),
        np.where(down, place, np.inf).min(axis=0) - p.slack,
        np.where(down, place, -np.inf).max(axis=0) + p.slack,
        np.full(len(k), 0.5 * line.width * p.width + p.slack), away,
        np.maximum(least - np.repeat(level, size), 0.0),
        np.repeat(lasts, size) * np.sqrt(1 + fading),
    )  # fmt: skip


def _rolled(
    place: np.ndarray,
    flat: np.ndarray,
    ankle: np.ndarray,
    centre: np.ndarray,
    ahead: np.ndarray,
    p: GroundParameters,
) -> np.ndarray:
    """Return ``(points, E)`` how much each point of the sole counts as the body leans over it."""
    size = np.maximum(dot(flat[-1] - flat[0], ahead), 0.01)
    over = centre - ankle
    lean = dot(over, ahead) / np.maximum(over[2], 0.3)
    wanted = dot(ankle - flat[0], ahead) / size + p.roll_ahead + p.roll * lean
    wanted = np.clip(wanted, p.heel, p.ball)
    return np.asarray(np.exp(-0.5 * ((place / size - wanted) / p.roll_spread) ** 2))


def _spans(first: np.ndarray, size: np.ndarray) -> list[tuple[int, int]]:
    return list(zip(first.tolist(), size.tolist(), strict=True))


def _middle(seen: np.ndarray, least: np.ndarray) -> float:
    """Return the median height of the sole while it was seen to stand."""
    seen = seen[np.isfinite(seen)]
    return float(np.median(seen)) if len(seen) else float(least.min())


def _along_line(
    flat: np.ndarray, height: np.ndarray, ahead: np.ndarray, bears: tuple[float, float]
) -> tuple[np.ndarray, np.ndarray]:
    """Return ``(points, E)`` places along the foot from the heel and their heights, m."""
    parts = np.sqrt(((flat[1:] - flat[:-1]) ** 2).sum(axis=1) + np.diff(height, axis=0) ** 2)
    ends = np.concatenate([np.zeros((1, parts.shape[1])), np.cumsum(parts, axis=0)])
    place = np.einsum("kie,ie->ke", flat - flat[0], ahead)
    wanted = np.linspace(*bears, _POINTS)[:, None] * ends[-1]
    points, z = place[0] + 0 * wanted, height[0] + 0 * wanted
    for k in range(len(parts)):
        beyond = wanted >= ends[k]
        share = (wanted - ends[k]) / np.maximum(parts[k], _LEAST)
        for values, nodes in ((points, place), (z, height)):
            np.copyto(values, nodes[k] + share * (nodes[k + 1] - nodes[k]), where=beyond)
    return points, z


def _unit(v: np.ndarray, otherwise: np.ndarray) -> np.ndarray:
    """Return vectors ``(3, E)`` of length 1; where they have none, the others."""
    size = np.sqrt(dot(v, v))
    return np.where(size > 0.01, v / np.maximum(size, _LEAST), otherwise)


def _across(normal: np.ndarray) -> np.ndarray:
    """Return unit vectors ``(3, E)`` across normals."""
    steep = np.eye(3)[:, np.argmin(np.abs(normal), axis=0)]
    across = steep - normal * dot(normal, steep)
    return np.asarray(across / np.sqrt(dot(across, across)))
