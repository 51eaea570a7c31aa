"""Topology: legs, trunk and arms found by the shape of the tree alone, without names.

The bodies are taken as an undirected graph whose edges are the joints, so that it does not matter
at which body the file roots its tree. A person is then two mirrored branches that could be legs at
one body (the pelvis), two that could be arms at another (the chest), and a head.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import dist, hypot, inf, log

import numpy as np

from mocap_reroot.inference.body_graph import Branch, Graph
from mocap_reroot.inference.limbs import ARM, LEG, Fit, Limb, fit_limbs, measure
from mocap_reroot.inference.sampling import Poses, lengths

_HUMAN = 9.0
"""Cost above which a four-limbed tree is no person; real people cost 0.2 to 8."""
_FOUR_LIMBS = 20.0
"""Cost below which four limbs, of whatever being, are preferred to legs or arms alone."""

MOST_BODIES = 1000
"""Above it a tree is no person's, and the search is not worth its time."""


@dataclass(frozen=True, eq=False)
class BodyPlan:
    """Who is who by shape. Sides are called ``a`` and ``b`` until geometry or names tell them.

    Attributes:
        parts: ``(n)`` part of each body without side, empty where none.
        side: ``(n)`` ``"a"``, ``"b"`` or empty; ``a`` is the same side for arms and legs.
        legs, arms: The two limbs ``a`` and ``b``, where found.
        pelvis, chest: Bodies that the legs and arms hang from; −1 where none.
        cost: How unlike a person; 0 is perfect, see ``human``.
        human: Whether the proportions are those of a person.
        why: Sentence.
    """

    parts: tuple[str, ...]
    side: tuple[str, ...]
    legs: tuple[Limb, ...] = ()
    arms: tuple[Limb, ...] = ()
    pelvis: int = -1
    chest: int = -1
    cost: float = float("inf")
    human: bool = False
    why: str = "no two branches mirror each other as legs do"


def find_body_plan(poses: Poses) -> BodyPlan:
    """Look for a person, or the legs of one, in a tree."""
    if poses.n_bodies > MOST_BODIES:
        nothing = ("",) * poses.n_bodies
        return BodyPlan(nothing, nothing, why=f"no person has more than {MOST_BODIES} bodies")
    graph = Graph(poses)
    pairs = _pairs(graph, poses)
    cost, legs, best_arms = _best_four(graph, poses, pairs)
    if cost >= _FOUR_LIMBS:
        for pair in pairs:
            if pair.as_leg is not None:
                away = graph.way(pair.hub, _root(poses))
                alone = pair.cost(LEG) + 4.0 + 1.5 * (len(away) - 1)
                if alone < cost:
                    cost, legs, best_arms = alone, pair, None
    if legs is None:
        return _upper_body(graph, poses, pairs)
    if best_arms is None:
        upper = _upper_body(graph, poses, pairs)
        if upper.cost < cost:
            return upper
    return _assign(graph, poses, legs, best_arms, cost)


@dataclass(frozen=True, eq=False)
class _Pair:
    """Two mirrored branches, and what they would be as legs and as arms."""

    hub: int
    a: Branch
    b: Branch
    as_leg: tuple[Fit, Fit] | None
    as_arm: tuple[Fit, Fit] | None

    def fits(self, kind: str) -> tuple[Fit, Fit]:
        fits = self.as_leg if kind == LEG else self.as_arm
        assert fits is not None
        return fits

    def cost(self, kind: str) -> float:
        return sum(fit.cost for fit in self.fits(kind)) / 2

    def length(self, kind: str) -> float:
        return sum(fit.length for fit in self.fits(kind)) / 2

    def middle(self, kind: str, part: str, points: np.ndarray) -> np.ndarray:
        """Return ``(3, S)`` the middle of the joints at which a part begins (or the limb ends)."""
        found = []
        for branch, fit in zip((self.a, self.b), self.fits(kind), strict=True):
            joint = branch.joints[(*fit.parts, part).index(part)]
            found.append(points[joint] if joint >= 0 else points[branch.n_bodies - 1 - joint])
        return 0.5 * np.asarray(found[0] + found[1])

    def apart_from(self, other: _Pair) -> bool:
        mine, theirs = self.a.bodies | self.b.bodies, other.a.bodies | other.b.bodies
        return not (mine & theirs or self.hub in theirs or other.hub in mine)


def _root(poses: Poses) -> int:
    return int((poses.parents < 0).argmax())


def _pairs(graph: Graph, poses: Poses) -> list[_Pair]:
    """Return every two branches that could be legs or arms."""
    branches = list({id(branch): branch for pair in graph.mirrored for branch in pair}.values())
    if not branches:
        return []
    points = poses.points[[poses.row(joint) for branch in branches for joint in branch.joints]]
    measured = measure(points, [len(branch.joints) for branch in branches], graph.zero)
    chains = dict(zip(map(id, branches), measured, strict=True))
    pairs = []
    for a, b in graph.mirrored:
        leg, arm = (fit_limbs(kind, chains[id(a)], chains[id(b)]) for kind in (LEG, ARM))
        if leg or arm:
            pairs.append(_Pair(a.hub, a, b, leg, arm))
    return pairs


def _best_four(
    graph: Graph, poses: Poses, pairs: Sequence[_Pair]
) -> tuple[float, _Pair | None, _Pair | None]:
    """Return how unlike a person the best choice of legs and arms is, and these; inf if none."""
    options = [
        (_proportions(graph, poses, legs, arms), legs, arms)
        for legs in pairs
        for arms in pairs
        if legs.as_leg is not None and arms.as_arm is not None and legs.apart_from(arms)
    ]
    best: tuple[float, _Pair | None, _Pair | None] = (inf, None, None)
    for cost, legs, arms in sorted(options, key=lambda option: option[0]):
        if cost >= best[0]:  # and to stand bent makes none better
            break
        cost += 8.0 * max(0.0, 0.6 - _uprightness(poses, legs, arms))
        if cost < best[0]:
            best = cost, legs, arms
    return best


def _proportions(graph: Graph, poses: Poses, legs: _Pair, arms: _Pair) -> float:
    """Return how unlike a person this choice of legs and arms is, however it stands."""
    cost = legs.cost(LEG) + arms.cost(ARM)
    leg, arm = legs.length(LEG), arms.length(ARM)
    cost += 0.5 * (log(leg / arm / 1.45) / 0.2) ** 2
    way = graph.way(legs.hub, arms.hub)
    trunk = _length_of_way(graph, way)
    cost += 0.5 * (log(max(trunk, 0.02 * leg) / leg / 0.55) / 0.45) ** 2
    root = _root(poses)
    if root in arms.a.bodies | arms.b.bodies or root == arms.hub != legs.hub:
        cost += 1.5  # captured trees are rooted at the pelvis, re-rooted ones at a foot
    if _head(graph, arms, way) is None:
        cost += 1.0
    return cost


def _uprightness(poses: Poses, legs: _Pair, arms: _Pair) -> float:
    """Return the cosine between legs and trunk at their straightest: people stretch, dogs do not.

    The rest pose counts as a frame: one who sits throughout may still be drawn standing.
    """
    hips = legs.middle(LEG, "thigh", poses.with_rest)
    leg = hips - legs.middle(LEG, "foot", poses.with_rest)
    trunk = arms.middle(ARM, "upper_arm", poses.with_rest) - hips
    size = lengths(leg) * lengths(trunk)
    cosine = np.einsum("ks,ks->s", leg, trunk) / np.maximum(size, 1e-300)
    return max(float(np.quantile(cosine[:-1], 0.95)), float(cosine[-1]))


def _length_of_way(graph: Graph, way: Sequence[int]) -> float:
    """Return the length from the first body of a way to its last, joint to joint."""
    total = 0.0
    for k, body in enumerate(way[1:-1]):
        total += dist(graph.place(body, way[k]), graph.place(body, way[k + 2]))
    if len(way) > 1 and way[0] == graph.parents[way[1]]:
        total += hypot(*graph.place(way[0], way[1]))
    return total


def _head(graph: Graph, arms: _Pair, way: Sequence[int]) -> Branch | None:
    """Return the branch of the head: the longest at the chest that is neither arm nor trunk."""
    taken = {arms.a.first, arms.b.first, *way}
    others = [graph.branch(arms.hub, v) for v in graph.neighbours[arms.hub] if v not in taken]
    fits = [b for b in others if graph.zero < b.reach < arms.length(ARM) * 1.2]
    if not fits:  # a joint without a bone beyond it, above the shoulders and between them
        fits = [b for b in others if b.reach <= graph.zero and _above(graph, arms, way, b.first)]
    return max(fits, key=lambda b: b.reach) if fits else None


def _above(graph: Graph, arms: _Pair, way: Sequence[int], body: int) -> bool:
    """Whether a joint of the chest is farther from its lower end than the arms, midway of both."""
    low = graph.place(arms.hub, way[-2]) if len(way) > 1 else (0.0, 0.0, 0.0)
    place, *sides = (graph.place(arms.hub, v) for v in (body, arms.a.first, arms.b.first))
    one, other = (dist(place, side) for side in sides)
    rise = min(dist(place, low) - dist(side, low) for side in sides)
    return min(one, other) > 0.3 * arms.length(ARM) and rise > 0 and abs(one - other) < 0.1 * one


def _upper_body(graph: Graph, poses: Poses, pairs: Sequence[_Pair]) -> BodyPlan:
    """Return arms and head where there are no legs: not a person we can stand up."""
    arms = [p for p in pairs if p.as_arm is not None]
    n = poses.n_bodies
    if not arms:
        return BodyPlan(("",) * n, ("",) * n)
    best = min(arms, key=lambda p: p.cost(ARM))
    way = graph.way(_root(poses), best.hub)
    cost = best.cost(ARM) + 4.0 + (0.0 if len(way) > 1 else 2.0)
    return _assign(graph, poses, None, best, cost)


def _assign(
    graph: Graph, poses: Poses, legs: _Pair | None, arms: _Pair | None, cost: float
) -> BodyPlan:
    """Give every body its part."""
    parts, side = [""] * poses.n_bodies, [""] * poses.n_bodies
    leg_limbs = arm_limbs = ()  # type: tuple[Limb, ...]
    root, parents = _root(poses), graph.parents
    if legs is not None:
        start, stop = legs.hub, arms.hub if arms is not None else legs.hub
    else:
        assert arms is not None
        start, stop = root, arms.hub
    way = graph.way(start, stop)
    for body in way:
        parts[body] = "trunk"
    if legs is not None:
        parts[legs.hub] = "pelvis"
        if len(way) > 1 and way[1] == parents[legs.hub] and parents[way[1]] not in way:
            parts[way[1]] = "pelvis"  # "Hips" above a body that only gathers the legs
        leg_limbs = tuple(_limb(graph, LEG, legs, k, parts) for k in (0, 1))
    if arms is not None:
        head = _head(graph, arms, way)
        if head is not None:
            _head_and_neck(graph, head, arms.length(ARM), parts)
        arm_limbs = tuple(_limb(graph, ARM, arms, k, parts) for k in (0, 1))
        if legs is not None and _crossed(poses, leg_limbs, arm_limbs):
            arm_limbs = arm_limbs[::-1]
    elif legs is not None:
        taken = {legs.a.first, legs.b.first}
        spine = [graph.branch(legs.hub, v) for v in graph.neighbours[legs.hub] if v not in taken]
        if spine:
            for body in max(spine, key=lambda b: b.reach).path:
                parts[body] = "trunk"
    for k, word in enumerate("ab"):
        for limbs in (leg_limbs, arm_limbs):
            for body in limbs[k].bodies if limbs else ():
                side[body] = word
    pelvis = legs.hub if legs is not None else -1
    _rigid_helpers(graph, parts)
    human = legs is not None and arms is not None and cost < _HUMAN
    human |= legs is not None and arms is None and cost < _HUMAN
    why = f"proportions of legs, arms and trunk are off by a cost of {cost:.1f} (people: below 9)"
    chest = arms.hub if arms is not None else -1
    return BodyPlan(
        tuple(parts), tuple(side), leg_limbs, arm_limbs, pelvis, chest, cost, human, why
    )


def _limb(graph: Graph, kind: str, pair: _Pair, which: int, parts: list[str]) -> Limb:
    """Name the bodies of one limb and return it."""
    branch = (pair.a, pair.b)[which]
    fits = pair.fits(kind)
    for body, part in zip(branch.path, fits[which].parts, strict=True):
        parts[body] = part
    for body, length in zip(branch.path, branch.lengths, strict=True):
        if parts[body] in ("fingers", "toes") and length > 0.6 * fits[which].length:
            parts[body] = ""  # a sword, a ski
    for origin, body, rigid in graph.beside(branch):
        above = parts[origin]  # what hangs beside the path belongs to what it hangs from
        beyond = {"hand": "fingers", "foot": "toes"} if not rigid else {}
        parts[body] = beyond.get(above, above)
    points: dict[str, int] = {}
    for joint, part in zip(branch.joints[:-1], fits[which].parts, strict=True):
        points.setdefault(part, joint)
    return Limb(kind, branch.path, fits[which], branch.bodies, points, branch.joints[-1])


def _head_and_neck(graph: Graph, branch: Branch, arm: float, parts: list[str]) -> None:
    solid = [
        b for b, length in zip(branch.path, branch.lengths, strict=True) if length > graph.zero
    ]
    last = branch.path.index(solid[-1]) if solid else len(branch.path) - 1
    if branch.reach < 0.36 * arm and last + 1 < len(branch.path):
        last += 1  # too short to end at the top of a head: the tip is where the head begins
    elif last > 0:  # two alike at the tip are eyes: the head bears them
        bearer, above = branch.path[last - 1], (branch.hub, *branch.path)[last - 1]
        tips = [graph.branch(bearer, v) for v in graph.neighbours[bearer] if v != above]
        twins = [t for t in tips if t.first != branch.path[last]]
        tip = next(t for t in tips if t.first == branch.path[last])
        if any(t.reach > graph.zero and graph.similar(tip, t) for t in twins):
            last -= 1
    for k, body in enumerate(branch.path):
        parts[body] = "neck" if k < last else "head"
    for body in branch.bodies - set(branch.path):
        parts[body] = "head"  # eyes, jaw


def _crossed(poses: Poses, legs: Sequence[Limb], arms: Sequence[Limb]) -> bool:
    """Whether arm ``a`` is on the side of leg ``b``."""
    hips = poses.position[legs[0].points["thigh"]] - poses.position[legs[1].points["thigh"]]
    arm_a, arm_b = (poses.position[arm.points["upper_arm"]] for arm in arms)
    return float(np.vdot(hips, arm_a - arm_b)) < 0


def _rigid_helpers(graph: Graph, parts: list[str]) -> None:
    """Let bodies without a part that coincide with a named neighbour share its part."""
    for body in graph.rigid_ends:
        if not parts[body]:
            parts[body] = parts[graph.parents[body]]
