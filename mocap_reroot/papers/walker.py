"""A walker of any shape: support point, touch-down impact, root change (section 7.2).

The tree is rooted where it stands. When another point hits the ground, the general re-rooting code
turns the tree over so that it is rooted there, and the impact is resolved with inertia matrices:
what can be pushed by nothing keeps its momentum (Eq. 23, for any tree and any support joint).
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property

import numpy as np

from mocap_reroot.mechanics.tree import Tree
from mocap_reroot.numerics.vectors import turn
from mocap_reroot.papers.integrate import Event, State, integrate
from mocap_reroot.rerooting.reroot import reroot
from mocap_reroot.types import BodyModel, Plane, Skeleton

TOLERANCE = 1e-11
"""Of the integration: energy between impacts is kept to 1e-9."""


@dataclass(frozen=True, eq=False)
class Tip:
    """A point that may hit the ground.

    Attributes:
        name: What to call it.
        body: Its body.
        at: ``(3)`` m, in the body's capture frame.
        fall: It cannot stand: when it hits the ground, the walk has ended.
    """

    name: str
    body: str
    at: np.ndarray
    fall: bool = False


@dataclass(frozen=True, eq=False)
class Walker:
    """What walks, on what ground.

    Attributes:
        body: Masses; capture frames.
        tips: Points that may hit the ground.
        ground: Plane.
        gravity: ``(3)`` m/s².
        joint: What holds the tip that stands: ``"revolute"`` or ``"spherical"``.
        axis: ``(3)`` world direction of a revolute support joint.
        forward: ``(3)`` a strike counts only this way from the point that stands (B2); None: any.
    """

    body: BodyModel
    tips: tuple[Tip, ...]
    ground: Plane
    gravity: np.ndarray
    joint: str = "spherical"
    axis: np.ndarray | None = None
    forward: np.ndarray | None = None


@dataclass(frozen=True, eq=False)
class Stance:
    """A walker between two impacts: a tree, rooted at the tip that stands, with its law of motion.

    Attributes:
        walker: Who.
        skeleton: The tree now.
        tip: The tip that stands.
    """

    walker: Walker
    skeleton: Skeleton
    tip: Tip

    @cached_property
    def tree(self) -> Tree:
        """The tree with its masses."""
        return Tree(self.skeleton, self.walker.body, gravity=self.walker.gravity)

    def acceleration(self, state: State) -> np.ndarray:
        """Return ``(speeds)`` the accelerations of a state."""
        return self.tree.forward_dynamics(state.q, state.speed)

    def energies(self, state: State) -> tuple[float, float]:
        """Return kinetic and potential energy, J."""
        return self.tree.energies(state.q, state.speed)

    def point(self, q: np.ndarray, tip: Tip) -> np.ndarray:
        """Return ``(3)`` m, where a tip is in the world."""
        orientation, position = self.tree.poses(q)
        i = self.skeleton.index(tip.body)
        arm = tip.at - self.skeleton.origin[i]
        return np.asarray(position[i] + turn(orientation[i], arm))

    def height(self, q: np.ndarray, tip: Tip) -> float:
        """Return m, how far a tip is above the ground, along its normal."""
        plane = self.walker.ground
        return float((self.point(q, tip) - plane.point) @ plane.normal)


@dataclass(frozen=True, eq=False)
class Impact:
    """A tip hits the ground.

    Attributes:
        tip: Its name.
        before, after: The tree and its state just before and just after.
    """

    tip: str
    before: tuple[Stance, State]
    after: tuple[Stance, State]


@dataclass(eq=False)
class Walk:
    """What happened.

    Attributes:
        stances: The tree and the states between impacts.
        impacts: What ended each stance.
        ended: Why the walk ended.
    """

    stances: list[tuple[Stance, list[State]]] = field(default_factory=list)
    impacts: list[Impact] = field(default_factory=list)
    ended: str = ""


def strike(stance: Stance, state: State, tip: Tip) -> tuple[Stance, State]:
    """Let a tip hit the ground: root the tree there, and resolve the plastic impact (Eq. 23).

    The pose is unchanged (A2) and, before the impact is resolved, so is the motion (A3). Whatever
    the impact pushes lies in the directions that the support joint forbids; along those that the
    new tree allows, ``P``, momentum is kept: ``H⁺ θ̇⁺ = Pᵀ H⁻ θ̇⁻``.
    """
    from mocap_reroot.kernels import joints

    walker = stance.walker
    up = -walker.gravity / np.linalg.norm(walker.gravity)
    motion = stance.tree.coordinates.to_motion(state.q, state.speed, up=up)
    free = reroot(motion, root=tip.body, at=tip.at)
    held = reroot(motion, root=tip.body, at=tip.at, joint=walker.joint, axis=walker.axis)
    flying, landed = Stance(walker, free.skeleton, tip), Stance(walker, held.skeleton, tip)
    old, new = flying.tree.coordinates, landed.tree.coordinates
    q_free, speed, _ = old.of_motion(free)
    q, _, _ = new.of_motion(held)
    allowed = np.zeros((old.n_speeds, new.n_speeds))
    for i in range(free.skeleton.n_bodies):
        rows, columns = old.speeds_of(i), new.speeds_of(i)
        subspace = np.eye(6)
        if i == held.skeleton.root:
            kind, axes = int(held.skeleton.joint_types[i]), held.skeleton.axes[i]
            joints.subspace(kind, axes, q[new.coordinates_of(i)], subspace)
        allowed[rows, columns] = subspace[: rows.stop - rows.start, : columns.stop - columns.start]
    momentum = allowed.T @ flying.tree.mass_matrix(q_free) @ speed
    return landed, State(state.time, q, np.linalg.solve(landed.tree.mass_matrix(q), momentum))


def walk(
    stance: Stance, state: State, *, steps: int, dt: float = 5e-3, longest: float = 5.0
) -> Walk:
    """Walk until a number of strikes, a fall, or until nothing hits the ground for too long.

    Args:
        stance: The tree, rooted at the tip that stands.
        state: Its state.
        steps: Strikes to make.
        dt: s, longest time step.
        longest: s, how long a step may take.

    Returns:
        Walk: States between impacts, and the impacts.
    """
    record = Walk(ended=f"{steps} steps made")
    while len(record.impacts) < steps:
        states, event = integrate(
            stance.tree.coordinates, stance.acceleration, state, state.time + longest,
            _events(stance, state), longest=dt, tolerance=TOLERANCE,
        )  # fmt: skip
        record.stances.append((stance, states))
        if event is None:
            record.ended = f"no strike within {longest:g} s of the last one"
            return record
        tip = next(t for t in stance.walker.tips if t.name == event.name)
        if tip.fall:
            record.ended = f"fell: the {tip.name} hit the ground at {states[-1].time:.3f} s"
            return record
        after = strike(stance, states[-1], tip)
        record.impacts.append(Impact(tip.name, (stance, states[-1]), after))
        stance, state = after
    return record


def _events(stance: Stance, state: State) -> list[Event]:
    """Return what may happen in a stance; heights count from where the standing point is."""
    walker, zero = stance.walker, stance.height(state.q, stance.tip)

    def event(tip: Tip) -> Event:
        def ahead(state: State) -> bool:
            way = stance.point(state.q, tip) - stance.point(state.q, stance.tip)
            return tip.fall or walker.forward is None or bool(way @ walker.forward > 0)

        return Event(tip.name, lambda state: stance.height(state.q, tip) - zero, ahead)

    return [event(tip) for tip in walker.tips if tip.name != stance.tip.name]
