"""A walker of any shape: a tree that stands on one point and falls onto the next (section 7.2).

The tree is rooted where it stands. When another point hits the ground, the general re-rooting code
turns the tree over so that it is rooted there, and the impact is resolved with inertia matrices:
what can be pushed by nothing keeps its momentum (Eq. 23, for any tree and any support joint).
Knees may lock when they straighten and let go when the leg becomes the swinging one.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from functools import cached_property

import numpy as np

from mocap_reroot.errors import MocapRerootError
from mocap_reroot.mechanics.coordinates import Coordinates
from mocap_reroot.papers.integrate import Event, State, until
from mocap_reroot.rerooting.reroot import reroot
from mocap_reroot.types import BodyModel, JointType, Plane, Skeleton, read_only


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
class Knee:
    """A hinge that locks when it straightens, between two bodies whichever carries the other.

    Attributes:
        upper, lower: Names of the bodies.
        axis: ``(3)`` world direction about which the lower body turns when the knee *extends*.
        tip: Name of the tip of the same leg: while the body stands on it the knee stays locked.
    """

    upper: str
    lower: str
    axis: np.ndarray
    tip: str


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
        knees: Hinges that lock.
        forward: ``(3)`` a strike counts only this way from the point that stands (B2); None: any.
    """

    body: BodyModel
    tips: tuple[Tip, ...]
    ground: Plane
    gravity: np.ndarray
    joint: str = "spherical"
    axis: np.ndarray | None = None
    knees: tuple[Knee, ...] = ()
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
    def coordinates(self) -> Coordinates:
        """Where each joint's numbers stand."""
        return Coordinates(self.skeleton)

    @cached_property
    def _arrays(self) -> tuple:
        layout = self.coordinates
        outside = np.zeros((self.skeleton.n_bodies, 6))
        return layout.bodies(self.walker.body), read_only(self.walker.gravity), outside

    def acceleration(self, state: State) -> np.ndarray:
        """Return ``(speeds)`` the accelerations of a state, by articulated bodies."""
        from mocap_reroot.kernels import aba

        bodies, gravity, outside = self._arrays
        result, torque = np.empty(len(state.speed)), np.zeros(len(state.speed))
        aba.forward_dynamics(
            self.coordinates.tree, bodies, gravity, state.q, state.speed, torque, outside, result
        )
        return result

    def inertia(self, q: np.ndarray) -> np.ndarray:
        """Return ``(speeds, speeds)`` the generalized inertia matrix, by composite bodies."""
        from mocap_reroot.kernels import crba

        size = self.coordinates.n_speeds
        matrix = np.empty((size, size))
        crba.mass_matrix(self.coordinates.tree, self._arrays[0], np.array(q, float), matrix)
        return matrix

    def energies(self, state: State) -> tuple[float, float]:
        """Return kinetic and potential energy, J."""
        from mocap_reroot.kernels import tree as kernels

        bodies, gravity, _ = self._arrays
        kinetic, potential = kernels.energies(
            self.coordinates.tree, bodies, gravity, read_only(state.q), read_only(state.speed)
        )
        return float(kinetic), float(potential)

    def poses(self, q: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Return world orientations ``(n, 4)`` and positions ``(n, 3)`` of the bodies."""
        from mocap_reroot.kernels import tree as kernels

        n = self.skeleton.n_bodies
        orientation, position = np.empty((n, 4)), np.empty((n, 3))
        kernels.place(self.coordinates.tree, np.array(q, float), orientation, position)
        return orientation, position

    def point(self, q: np.ndarray, tip: Tip) -> np.ndarray:
        """Return ``(3)`` m, where a tip is in the world."""
        from mocap_reroot.kernels import joints

        orientation, position = self.poses(q)
        i = self.skeleton.index(tip.body)
        arm = tip.at - self.skeleton.origin[i]
        joints.turned(orientation[i], arm, arm)
        return np.asarray(position[i] + arm)

    def height(self, q: np.ndarray, tip: Tip) -> float:
        """Return m, how far a tip is above the ground, along its normal."""
        plane = self.walker.ground
        return float((self.point(q, tip) - plane.point) @ plane.normal)

    def hinge(self, knee: Knee) -> int:
        """Return the body that now uses a knee: the lower one or, below the ground, the upper."""
        upper, lower = self.skeleton.index(knee.upper), self.skeleton.index(knee.lower)
        return lower if self.skeleton.parents[lower] == upper else upper

    def flexion(self, q: np.ndarray, knee: Knee) -> float:
        """Return rad, how far a knee is bent."""
        orientation, _ = self.poses(q)
        upper, lower = (orientation[self.skeleton.index(b)] for b in (knee.upper, knee.lower))
        # the turn from upper to lower, in world axes: lower · conj(upper)
        w = lower @ upper
        v = -lower[0] * upper[1:] + upper[0] * lower[1:] - np.cross(lower[1:], upper[1:])
        sign = 1.0 if w >= 0 else -1.0  # the short way round
        return float(-2 * np.arctan2(sign * (v @ knee.axis), sign * w))


@dataclass(frozen=True, eq=False)
class Impact:
    """One event of a walk.

    Attributes:
        name: ``"strike <tip>"`` or ``"lock <body>"``.
        before, after: The tree and its state just before and just after.
    """

    name: str
    before: tuple[Stance, State]
    after: tuple[Stance, State]


@dataclass(eq=False)
class Walk:
    """What happened.

    Attributes:
        walker: Who walked.
        pieces: The tree and the states between impacts.
        impacts: What ended each piece.
        ended: Why the walk ended.
    """

    walker: Walker
    pieces: list[tuple[Stance, list[State]]] = field(default_factory=list)
    impacts: list[Impact] = field(default_factory=list)
    ended: str = ""

    @property
    def strikes(self) -> list[Impact]:
        """The impacts with the ground."""
        return [impact for impact in self.impacts if impact.name.startswith("strike")]


def kept_momentum(before: Stance, state: State, after: Stance, q: np.ndarray) -> np.ndarray:
    """Return ``(speeds)`` of the new tree after a plastic impact in an unchanged pose (Eq. 23).

    Whatever the impact pushes lies in the directions that the new tree forbids; along those that
    it allows, ``P``, momentum is kept: ``H⁺ θ̇⁺ = Pᵀ H⁻ θ̇⁻``. The trees differ in joints that lost
    freedom only: free to what stands, hinge to locked.
    """
    old, new = before.coordinates, after.coordinates
    embedding = np.zeros((old.n_speeds, new.n_speeds))
    for i in range(after.skeleton.n_bodies):
        rows, cols = old.speeds_of(i), new.speeds_of(i)
        kinds = before.skeleton.joint_types[i], after.skeleton.joint_types[i]
        if kinds[0] == kinds[1]:
            embedding[rows, cols] = np.eye(rows.stop - rows.start)
        elif kinds[0] == JointType.FREE:
            from mocap_reroot.kernels import joints

            subspace = np.empty((6, 6))
            own = np.array(q[new.coordinates_of(i)], float)
            joints.subspace(int(kinds[1]), after.skeleton.axes[i], own, subspace)
            embedding[rows, cols] = subspace[:, : cols.stop - cols.start]
        elif kinds[1] != JointType.FIXED:
            raise MocapRerootError(
                f"A joint cannot change from {kinds[0]} to {kinds[1]} by impact."
            )
    momentum = before.inertia(state.q) @ state.speed
    return np.linalg.solve(after.inertia(q), embedding.T @ momentum)


def strike(stance: Stance, state: State, tip: Tip) -> tuple[Stance, State]:
    """Let a tip hit the ground: root the tree there, and resolve the impact.

    The pose is unchanged (A2) and, before the impact is resolved, so is the motion (A3).
    """
    walker = stance.walker
    up = -walker.gravity / np.linalg.norm(walker.gravity)
    motion = stance.coordinates.to_motion(state.q, state.speed, up=up)
    free = reroot(motion, root=tip.body, at=tip.at)
    held = reroot(motion, root=tip.body, at=tip.at, joint=walker.joint, axis=walker.axis)
    flying, landed = Stance(walker, free.skeleton, tip), Stance(walker, held.skeleton, tip)
    q_free, speed_free, _ = flying.coordinates.of_motion(free)
    q, _, _ = landed.coordinates.of_motion(held)
    before = State(state.time, q_free, speed_free)
    return landed, State(state.time, q, kept_momentum(flying, before, landed, q))


def lock(stance: Stance, state: State, knee: Knee) -> tuple[Stance, State]:
    """Lock a knee in the pose it has, by a plastic impact."""
    i = stance.hinge(knee)
    motion = stance.coordinates.to_motion(state.q)
    rest, kinds = stance.skeleton.rest.copy(), stance.skeleton.joint_types.copy()
    rest[i], kinds[i] = motion.rotation[i, :, 0], JointType.FIXED
    locked = Stance(
        stance.walker, replace(stance.skeleton, rest=rest, joint_types=kinds), stance.tip
    )
    q = np.delete(state.q, stance.coordinates.coordinates_of(i))
    return locked, State(state.time, q, kept_momentum(stance, state, locked, q))


def unlock(stance: Stance, state: State, knee: Knee) -> tuple[Stance, State]:
    """Let go of a locked knee; nothing jumps."""
    i = stance.hinge(knee)
    kinds = stance.skeleton.joint_types.copy()
    kinds[i] = JointType.REVOLUTE
    freed = Stance(stance.walker, replace(stance.skeleton, joint_types=kinds), stance.tip)
    at_q = freed.coordinates.coordinates_of(i).start
    at_v = freed.coordinates.speeds_of(i).start
    q, speed = np.insert(state.q, at_q, 0.0), np.insert(state.speed, at_v, 0.0)
    return freed, State(state.time, q, speed)


def _events(stance: Stance, height: float) -> list[Event]:
    """Return what may happen in a stance."""
    walker, events = stance.walker, []
    unlocked = [k for k in walker.knees if not _is_locked(stance, k)]
    for knee in unlocked:

        def bend(state: State, knee: Knee = knee) -> float:
            return stance.flexion(state.q, knee)

        events.append(Event(f"lock {knee.lower}", bend))
    for tip in walker.tips:
        if tip.name == stance.tip.name:
            continue

        def gap(state: State, tip: Tip = tip) -> float:
            return stance.height(state.q, tip) - height

        def ahead(state: State, tip: Tip = tip) -> bool:
            if tip.fall:
                return True
            if any(knee.tip == tip.name for knee in unlocked):
                return False  # a bent leg swings through (B2)
            way = stance.point(state.q, tip) - stance.point(state.q, stance.tip)
            return walker.forward is None or bool(way @ walker.forward > 0)

        events.append(Event(f"{'fall' if tip.fall else 'strike'} {tip.name}", gap, ahead))
    return events


def _is_locked(stance: Stance, knee: Knee) -> bool:
    return bool(stance.skeleton.joint_types[stance.hinge(knee)] == JointType.FIXED)


def walk(
    stance: Stance,
    state: State,
    *,
    steps: int,
    dt: float = 1e-3,
    longest: float = 5.0,
    watch: Callable[[Impact], None] = lambda impact: None,
) -> Walk:
    """Walk until a number of strikes, or until nothing hits the ground for too long.

    Args:
        stance: The tree, rooted at the tip that stands.
        state: Its state.
        steps: Strikes to make.
        dt: s, time step.
        longest: s, how long a step may take.
        watch: Called with every impact.

    Returns:
        Walk: States between impacts, and the impacts.
    """
    record, struck = Walk(stance.walker), 0
    start = state.time
    while struck < steps:
        states = [state]
        record.pieces.append((stance, states))
        # the standing point itself is the zero of heights: the ground is where it stands
        zero = stance.height(state.q, stance.tip)
        events = _events(stance, zero)
        there, event = until(stance, state, dt, start + longest, events, states.append)
        if event is None:
            record.ended = f"no strike within {longest:g} s of the last one"
            return record
        kind, name = event.name.split(" ", 1)
        if kind == "fall":
            record.ended = f"fell: the {name} hit the ground at {there.time:.3f} s"
            return record
        if kind == "lock":
            knee = next(k for k in stance.walker.knees if k.lower == name)
            after = lock(stance, there, knee)
        else:
            after = _new_stance(stance, there, name)
            struck, start = struck + 1, there.time
        impact = Impact(event.name, (stance, there), after)
        record.impacts.append(impact)
        watch(impact)
        stance, state = after
    record.ended = f"{steps} steps made"
    return record


def _new_stance(stance: Stance, state: State, name: str) -> tuple[Stance, State]:
    """Strike with a tip, then free the knees of the legs that do not stand."""
    tip = next(t for t in stance.walker.tips if t.name == name)
    after, state = strike(stance, state, tip)
    for knee in stance.walker.knees:
        if knee.tip != tip.name and _is_locked(after, knee):
            after, state = unlock(after, state, knee)
    return after, state
