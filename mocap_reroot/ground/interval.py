"""Data of the ground problem for one run of frames: whole body and limbs, up axis last."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from mocap_reroot.ground.knots import Knots
from mocap_reroot.ground.known import Known
from mocap_reroot.ground.limbs import Bearing, Line, bearing_of, line_of
from mocap_reroot.ground.whole import Whole, whole_body
from mocap_reroot.mechanics.kinematics import moving
from mocap_reroot.numerics.vectors import level_axes, matrices
from mocap_reroot.parameters import GroundParameters
from mocap_reroot.types import BodyModel, Contacts, Motion, Plane

_SURE = 1e-6  # m/s, to which a velocity is known at best
_BORNE = 0.01  # body weights, from which plates bear something
_BLOCK = 4096  # frames that are placed in the world at once
_AROUND = 2.0  # s around a window, within which stances are seen as a whole


@dataclass(frozen=True, eq=False)
class Seen:
    """What is seen of a limb.

    Attributes:
        line: Of its sole.
        at: ``(1 + k, 3, K)`` m, its joint and the nodes of the line, axes of the problem.
        on, near: ``(F)`` whether it was seen to touch, and whether it may, if need be.
        plane: ``(F)`` index of what is under it.
    """

    line: Line
    at: np.ndarray
    on: np.ndarray
    near: np.ndarray
    plane: np.ndarray


@dataclass(frozen=True, eq=False)
class Interval:
    """A run of frames without a gap.

    Attributes:
        numbers: Of the problem.
        knots: Its knots.
        turn: ``(3, 3)`` from world axes to those of the problem: two across up, then up.
        whole: The whole body as captured, joint angles smoothed; axes of the problem.
        captured: ``(3, F)`` m, centre of mass as captured, nothing smoothed.
        reference: ``(3, K + 2)`` m, coefficients of the path from which corrections count.
        limbs: What is seen of every limb.
        planes: ``(3, planes)`` m points and normals of what they stand on.
        bearing: Limbs over their stances.
        ahead: ``(3, K)`` the way the feet point, level.
        unsure: ``(2)`` m/s, how well the velocity at both ends is known.
        held: ``(l, K)`` limbs whose wrenches are known.
        borne: ``(l, 6, K)`` N, N·m about the world's origin: these wrenches.
        stands: ``(l, 3, K)`` m, where limbs are, from the centre of mass.
    """

    numbers: GroundParameters
    knots: Knots
    turn: np.ndarray
    whole: Whole
    captured: np.ndarray
    reference: np.ndarray
    limbs: tuple[Seen, ...]
    planes: tuple[np.ndarray, np.ndarray]
    ahead: np.ndarray
    unsure: np.ndarray
    held: np.ndarray
    borne: np.ndarray
    stands: np.ndarray

    @cached_property
    def plated(self) -> np.ndarray:
        """Return ``(K)`` whether plates bear a limb."""
        return np.abs(self.borne[:, :3]).sum(axis=(0, 1)) > _BORNE * self.whole.weight

    @cached_property
    def bearing(self) -> Bearing:
        """Return the limbs over the stances that were seen."""
        return self._over([limb.on for limb in self.limbs], 0, self.knots.count)

    def needing(self, need: np.ndarray, first: int, stop: int) -> Bearing | None:
        """Return them with all near the ground where knots of a window need one, or None.

        Args:
            need: ``(stop − first)`` whether one is needed.
            first, stop: The window.
        """
        knots = self.knots
        reach = round(_AROUND / knots.spacing)
        begin, end = max(first - reach, 0), min(stop + reach, knots.count)
        part, frames = knots.cut(begin, end)
        wanted = np.zeros(part.count)
        wanted[first - begin : stop - begin] = need
        there = part.linear(wanted) > 0
        more = [limb.on[frames] | (limb.near[frames] & there) for limb in self.limbs]
        same = (a == limb.on[frames] for a, limb in zip(more, self.limbs, strict=True))
        if all(x.all() for x in same):
            return None
        return self._over(more, begin, end)

    @cached_property
    def _reached(self) -> tuple[np.ndarray, np.ndarray]:
        return _reached(self.whole, self.knots)

    def _over(self, on: list[np.ndarray], begin: int, end: int) -> Bearing:
        """Return limbs over stances; ``on`` has the frames of some knots."""
        knots, frames = self.knots.cut(begin, end)
        centre, velocity = (x[:, begin:end] for x in self._reached)
        found = Bearing.joined(
            [
                bearing_of(
                    k, limb.line, limb.at[1:, :, begin:end], limb.at[0, :, begin:end], on[k],
                    limb.plane[frames], self.planes, centre, -velocity[2], knots, self.numbers,
                )
                for k, limb in enumerate(self.limbs)
            ]
        )  # fmt: skip
        found = replace(found, knot=found.knot + begin)
        return found.beside(self.held, self.plated) if self.held.any() else found

    @cached_property
    def gathered(self) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
        """Return what the frames near each knot tell of the captured path (``Knots.gathered``)."""
        return self.knots.gathered(self.captured - self.knots.spline(self.reference)[0])

    @cached_property
    def turning(self) -> tuple[np.ndarray, np.ndarray]:
        """Return ``(3, K)`` kg·m²/s and N·m, angular momentum and its rate at the knots."""
        return self.knots.at(self.whole.momentum), self.knots.at(self.whole.rate)

    @cached_property
    def inertia(self) -> np.ndarray:
        """Return ``(3, 3, K)`` kg·m² at the knots."""
        return self.knots.at(self.whole.inertia)

    @cached_property
    def swelling(self) -> np.ndarray:
        """Return ``(3, 3, K)`` kg·m²/s, the rate of the inertia at the knots."""
        return np.asarray(np.gradient(self.inertia, self.knots.spacing, axis=-1))


def observe(
    captured: np.ndarray,
    smooth: Motion,
    body: BodyModel,
    contacts: Contacts,
    known: Known | None,
    p: GroundParameters,
) -> Interval:
    """Return an interval.

    Args:
        captured: ``(3, F)`` m, centre of mass as captured, world axes.
        smooth: Its motion with derivatives.
        body: Mass model.
        contacts: Who was seen to touch, in the same frames.
        known: What plates tell of the limbs in them, if there are any.
        p: Numbers.
    """
    knots = Knots.over(smooth.n_frames, smooth.fps, p.knot)
    turn = np.vstack([level_axes(smooth.up), smooth.up])
    lines = [line_of([s for s in contacts.soles if s.foot == f]) for f in contacts.feet]
    whole, nodes = _placed(smooth, body, lines)
    whole = replace(
        whole,
        **{
            name: turn @ getattr(whole, name)
            for name in ("centre", "velocity", "acceleration", "momentum", "rate")
        },
        inertia=np.einsum("ai,ijf,bj->abf", turn, whole.inertia, turn),
    )
    centre, velocity = _reached(whole, knots)
    ground = contacts.planes or (Plane(np.zeros(3), smooth.up),)
    point, normal = (
        turn @ np.array([getattr(g, n) for g in ground]).T for n in ("point", "normal")
    )
    found: list[Seen] = []
    ahead = np.zeros((3, knots.count))
    stands = np.zeros((len(lines), 3, knots.count))
    for k, (foot, line) in enumerate(zip(contacts.feet, lines, strict=True)):
        at = np.einsum("ab,kbf->kaf", turn, knots.at(nodes[k]))
        at[1:, 2] -= line.radius
        stands[k] = at[1:].mean(axis=0) - centre
        if foot not in contacts.others:
            ahead += at[-1] - at[1]
        part = next(c for c, sole in enumerate(contacts.soles) if sole.foot == foot)
        on = np.array(contacts.foot_touching(foot))
        on[[0, -1]] |= on[[1, -2]]  # in the last frame of a run nobody sees whether a foot stays
        found.append(Seen(line, at, on, contacts.candidate[k], contacts.plane[part]))
    slopes = _end_slopes(turn @ captured, knots, p)
    unsure = np.maximum(np.linalg.norm(slopes - velocity[:, [0, -1]], axis=0), _SURE)
    ahead[2] = 0.0
    ahead /= np.maximum(np.linalg.norm(ahead, axis=0), 1e-9)
    count = len(lines), knots.count
    held, borne = np.zeros(count, bool), np.zeros((count[0], 6, count[1]))
    if known is not None:
        held = knots.at(known.there)
        wrench = np.stack([known.loads.force, known.loads.moment], axis=1)
        borne = np.einsum("ab,lwbf->lwaf", turn, knots.gathered(wrench)[0]).reshape(borne.shape)
        borne = np.where(held[:, None], borne, 0.0)
    return Interval(
        p, knots, turn, whole, turn @ captured, knots.through(centre, slopes), tuple(found),
        (point, normal), ahead, unsure, held, borne, stands,
    )  # fmt: skip


def _placed(motion: Motion, body: BodyModel, lines: list[Line]) -> tuple[Whole, list[np.ndarray]]:
    """Place a motion in the world block by block; keep the whole, ankles and lines of soles."""
    wholes: list[Whole] = []
    found: list[list[np.ndarray]] = [[] for _ in lines]
    for a in range(0, motion.n_frames, _BLOCK):
        world = moving(motion.cut(a, min(a + _BLOCK, motion.n_frames)))
        wholes.append(whole_body(world, body))
        for k, line in enumerate(lines):
            places = [world[line.nodes[0][0], :3]]
            for part, local in line.nodes:
                arm = np.einsum("ijf,j->if", matrices(world[part, 3:7]), local)
                places.append(world[part, :3] + arm)
            found[k].append(np.array(places))
    joined = {
        name: np.concatenate([getattr(w, name) for w in wholes], axis=-1)
        for name in ("centre", "velocity", "acceleration", "momentum", "rate", "inertia")
    }
    nodes = [np.concatenate(parts, axis=-1) for parts in found]
    return Whole(body.total_mass, **joined), nodes


def _reached(whole: Whole, knots: Knots) -> tuple[np.ndarray, np.ndarray]:
    """Return ``(3, K)`` m, the centre of mass at the knots, and m/s, its velocity.

    The last knot may lie beyond the last frame: a falling or walking body does not stop there.
    """
    centre, velocity = knots.at(whole.centre), knots.at(whole.velocity)
    beyond = ((knots.count - 1) * knots.step - (knots.frames - 1)) / knots.fps
    rate = beyond * whole.acceleration[:, -1]
    centre[:, -1] += beyond * (velocity[:, -1] + 0.5 * rate)
    velocity[:, -1] += rate
    return centre, velocity


def _end_slopes(path: np.ndarray, knots: Knots, p: GroundParameters) -> np.ndarray:
    """Return ``(3, 2)`` m/s at the first and the last knot, by cubics through the frames near.

    Smoothing, which knows nothing beyond the ends, has them wrong in a stance of a run: how far the
    two differ tells how well a velocity is known there.
    """
    many = min(max(6, round(p.end * knots.fps)), knots.frames)
    time = np.arange(many) / knots.fps
    last = ((knots.count - 1) * knots.step - (knots.frames - many)) / knots.fps
    result = np.empty((3, 2))
    for k, (part, at) in enumerate(((path[:, :many], 0.0), (path[:, -many:], last))):
        cubic = np.polynomial.polynomial.polyfit(time - at, part.T, 3)
        result[:, k] = cubic[1]
    return result


def at_knots(coefficients: np.ndarray, row: np.ndarray) -> np.ndarray:
    """Return ``(…, K)`` a spline at its knots: ``VALUE``, ``SLOPE``, ``BEND`` over the spacing."""
    c = coefficients
    return np.asarray(row[0] * c[..., :-2] + row[1] * c[..., 1:-1] + row[2] * c[..., 2:])
