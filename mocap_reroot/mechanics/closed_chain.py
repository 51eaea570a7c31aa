"""Closed kinematic chains: mobility, inverse and forward dynamics (Yamane and Nakamura 1999).

A mechanism with loops is a spanning tree and the closures that the tree lacks: a foot that stands
beside the one the tree is rooted at, two hands on a bar. The closures' Jacobian decides how many
degrees of freedom remain and which joints can describe them; torques of the open tree become
torques of the closed chain through the generalized forces.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np

from mocap_reroot.errors import MocapRerootError
from mocap_reroot.mechanics.coordinates import Coordinates
from mocap_reroot.numerics.vectors import product
from mocap_reroot.types import (
    STANDARD_GRAVITY,
    WORLD,
    BodyModel,
    Closure,
    JointType,
    Skeleton,
    held_directions,
    read_only,
)

Vector = Sequence[float] | np.ndarray
_UP = (0.0, 0.0, 1.0)


@dataclass(frozen=True, eq=False)
class Mobility:
    """How a closed chain can move in one configuration (section 2.2).

    Attributes:
        jacobian: ``(rows, speeds)`` ``J_C`` of all closures.
        rows: Independent rows ``J_Cm``.
        dependent: Speeds ``θ̇_S`` that follow from the others.
        generalized: Speeds ``θ̇_G``; their number is the number of degrees of freedom.
        W: ``(speeds, N_F)`` ``∂θ_O/∂θ_G``.
        bias: ``(speeds)`` ``Ḣθ̇_G`` at the dependent speeds, zero at the generalized ones.
    """

    jacobian: np.ndarray
    rows: np.ndarray
    dependent: np.ndarray
    generalized: np.ndarray
    W: np.ndarray
    bias: np.ndarray

    @property
    def n_freedoms(self) -> int:
        """``N_F``, the degrees of freedom of the closed chain (Eq. 14)."""
        return len(self.generalized)


@dataclass(frozen=True, eq=False)
class ClosedInverse:
    """Torques and closure wrenches of one state.

    Attributes:
        torque: ``(speeds)`` ``τ_A``, zero where a joint is not actuated.
        open_torque: ``(speeds)`` ``τ_O`` of the open tree.
        generalized_force: ``(N_F)`` ``τ_G``.
        multipliers: ``(rows)`` force or moment along every held direction, on the second body.
        wrenches: ``(closures, 6)`` moment and force on the second body of each closure, world axes,
            about its point.
        unexplained: ``(speeds)`` part of ``τ_O`` that neither actuators nor closures can supply;
            zero unless the chain is underactuated.
        redundancy: How many torques could be chosen freely.
    """

    torque: np.ndarray
    open_torque: np.ndarray
    generalized_force: np.ndarray
    multipliers: np.ndarray
    wrenches: np.ndarray
    unexplained: np.ndarray
    redundancy: int


@dataclass(frozen=True, eq=False)
class ClosedChain:
    """A tree with closures, ready to be computed with.

    Attributes:
        skeleton: The spanning tree.
        body: Masses of its bodies.
        closures: Joints that the tree does not contain. May be empty.
        actuated: ``(speeds)`` bool; by default every joint but a free one.
        gravity: ``(3)`` m/s², world axes.
    """

    skeleton: Skeleton
    body: BodyModel
    closures: tuple[Closure, ...] = ()
    actuated: np.ndarray = None  # type: ignore[assignment]
    gravity: np.ndarray = field(default_factory=lambda: -STANDARD_GRAVITY * np.array(_UP))

    def __post_init__(self) -> None:
        object.__setattr__(self, "closures", tuple(self.closures))
        object.__setattr__(self, "gravity", read_only(self.gravity))
        actuated = self.actuated
        if actuated is None:
            kinds = np.repeat(self.skeleton.joint_types, np.diff(self.coordinates.v_start))
            actuated = kinds != JointType.FREE
        if np.shape(actuated) != (self.coordinates.n_speeds,):
            raise MocapRerootError(
                f"actuated has shape {np.shape(actuated)}; this tree has "
                f"{self.coordinates.n_speeds} speeds, one truth value each was expected."
            )
        object.__setattr__(self, "actuated", read_only(actuated, bool))

    @cached_property
    def coordinates(self) -> Coordinates:
        """Where each joint's numbers stand."""
        return Coordinates(self.skeleton)

    @cached_property
    def arrays(self) -> tuple[tuple[np.ndarray, ...], ...]:
        """Tree, bodies and closures as the kernels take them."""
        c = self.coordinates
        return c.tree, c.bodies(self.body), c.closures(self.closures)

    @property
    def n_constraints(self) -> int:
        """Number of scalar constraints, independent or not."""
        return sum(closure.size for closure in self.closures)

    def without(self, *names: str) -> ClosedChain:
        """Return the chain with some closures opened: a hand lets go."""
        known = [closure.name for closure in self.closures]
        for name in names:
            if name not in known:
                raise MocapRerootError(f"No closure is named {name!r}; there are {known}.")
        kept = tuple(c for c in self.closures if c.name not in names)
        return ClosedChain(self.skeleton, self.body, kept, self.actuated, self.gravity)

    def errors(self, q: np.ndarray) -> np.ndarray:
        """Return ``(rows)`` how far the loops are from closed: m and rad along held directions."""
        from mocap_reroot.kernels import closed_chain as kernels

        out = np.empty(self.n_constraints)
        kernels.closing_errors(self.arrays[0], self.arrays[2], read_only(q), out)
        return out

    def constraints(
        self, q: np.ndarray, speed: np.ndarray | None = None
    ) -> tuple[np.ndarray, np.ndarray]:
        """Return ``J_C (rows, speeds)`` and ``J̇_C θ̇ (rows)``."""
        from mocap_reroot.kernels import closed_chain as kernels

        n, m = self.coordinates.n_speeds, self.n_constraints
        jacobian, drift = np.empty((m, n)), np.empty(m)
        speed = np.zeros(n) if speed is None else speed
        tree, _, closures = self.arrays
        kernels.structure(tree, closures, read_only(q), read_only(speed), jacobian, drift)
        return jacobian, drift

    def mobility(self, q: np.ndarray, speed: np.ndarray | None = None) -> Mobility:
        """Find the degrees of freedom, the generalized coordinates, ``H``, ``W`` and ``Ḣθ̇_G``."""
        from mocap_reroot.kernels import closed_chain as kernels

        jacobian, drift = self.constraints(q, speed)
        rows, order = np.empty(len(drift), np.int64), np.empty(jacobian.shape[1], np.int64)
        rank = kernels.independent(jacobian, rows, order)
        w = np.empty((len(order), len(order) - rank))
        bias = kernels.mobility(jacobian, drift, rows, order, w)
        return Mobility(jacobian, rows[:rank], order[:rank], order[rank:], w, bias)

    def open_torque(self, q: np.ndarray, speed: np.ndarray, acceleration: np.ndarray) -> np.ndarray:
        """Return ``(speeds)`` ``τ_O``, what the open tree would need (Newton-Euler)."""
        from mocap_reroot.kernels import tree as kernels

        tau = np.empty(self.coordinates.n_speeds)
        tree, bodies, _ = self.arrays
        state = read_only(q), read_only(speed), read_only(acceleration)
        kernels.inverse_dynamics(tree, bodies, self.gravity, *state, tau)
        return tau

    def inverse(
        self,
        q: np.ndarray,
        speed: np.ndarray,
        acceleration: np.ndarray,
        weights: np.ndarray | None = None,
    ) -> ClosedInverse:
        """Compute actuator torques and closure wrenches of a motion the chain can make.

        Args:
            q, speed, acceleration: A state that keeps the loops closed.
            weights: ``(speeds)`` price of each squared torque where they are redundant; by
                default all the same, which is the minimum norm.
        """
        move = self.mobility(q, speed)
        tau_open = self.open_torque(q, speed, acceleration)
        tau_g = move.W.T @ tau_open  # Eq. 7
        actuated = np.flatnonzero(self.actuated)
        scale = np.ones(len(actuated)) if weights is None else np.sqrt(weights[actuated])
        # Sᵀ τ_A = τ_G (Eq. 8), smallest Σ weight τ²: least norm in y = √weight τ
        y, _, rank, _ = np.linalg.lstsq(move.W[actuated].T / scale, tau_g, rcond=1e-9)
        torque = np.zeros(len(tau_open))
        torque[actuated] = y / scale
        multipliers = np.linalg.lstsq(move.jacobian.T, tau_open - torque, rcond=1e-9)[0]
        left = tau_open - torque - move.jacobian.T @ multipliers
        wrenches = self.wrenches(q, multipliers)
        return ClosedInverse(
            torque, tau_open, tau_g, multipliers, wrenches, left, len(actuated) - int(rank)
        )

    def forward(
        self,
        q: np.ndarray,
        speed: np.ndarray,
        torque: np.ndarray | None = None,
        feedback: np.ndarray | None = None,
        *,
        by_unit_vectors: bool = True,
    ) -> np.ndarray:
        """Return ``(speeds)`` accelerations under joint torques, by the unit-vector method.

        Args:
            q, speed: A state that keeps the loops closed.
            torque: ``(speeds)`` at the joints of the tree, zero by default.
            feedback: ``(rows)`` relative accelerations asked of the closures, zero by default.
            by_unit_vectors: Build the inertia matrix as the paper does, one inverse dynamics a
                degree of freedom; else from composite bodies, which is faster and the same.
        """
        from mocap_reroot.kernels import closed_chain as kernels

        n = self.coordinates.n_speeds
        applied = np.zeros(n) if torque is None else torque
        asked = np.zeros(self.n_constraints) if feedback is None else feedback
        acceleration = np.empty(n)
        tree, bodies, closures = self.arrays
        inputs = read_only(q), read_only(speed), read_only(applied), read_only(asked)
        args = tree, bodies, closures, self.gravity, *inputs, by_unit_vectors
        kernels.forward(*args, acceleration)
        return acceleration

    def inertia(self, q: np.ndarray) -> np.ndarray:
        """Return ``(N_F, N_F)`` ``A``, the inertia of the generalized coordinates (Eq. 23)."""
        w = self.mobility(q).W
        still = np.zeros(self.coordinates.n_speeds)
        rest = self.open_torque(q, still, still)
        columns = [self.open_torque(q, still, w[:, g]) - rest for g in range(w.shape[1])]
        return w.T @ np.column_stack(columns) if columns else np.zeros((0, 0))

    def energies(self, q: np.ndarray, speed: np.ndarray) -> tuple[float, float]:
        """Return kinetic and potential energy, J."""
        from mocap_reroot.kernels import tree as kernels

        tree, bodies, _ = self.arrays
        kinetic, potential = kernels.energies(
            tree, bodies, self.gravity, read_only(q), read_only(speed)
        )
        return float(kinetic), float(potential)

    def wrenches(self, q: np.ndarray, multipliers: np.ndarray) -> np.ndarray:
        """Return ``(closures, 6)`` moment and force on the second bodies, world axes, at points."""
        from mocap_reroot.kernels import closed_chain as kernels
        from mocap_reroot.kernels import tree as tree_kernels

        tree, _, closures = self.arrays
        n = self.skeleton.n_bodies
        orientation, position = np.empty((n, 4)), np.empty((n, 3))
        tree_kernels.place(tree, read_only(q), orientation, position)
        out, row, at, turn = np.zeros((len(self.closures), 6)), 0, np.empty(3), np.empty(4)
        for k, closure in enumerate(self.closures):
            one = tuple(array[k : k + 1] for array in closures)
            kernels.frame_at(closure.second, one[3][0], one[5][0], orientation, position, at, turn)
            rows = np.empty((closure.size, 6))
            kernels.constraint_rows(one, orientation, position, at, rows)
            out[k] = multipliers[row : row + closure.size] @ rows
            row += closure.size
        return out


def contact(
    kind: str,
    body: int,
    at: Vector,
    position: Vector,
    orientation: Vector,
    axis: Vector = (1.0, 0.0, 0.0),
    name: str = "",
) -> Closure:
    """Return the closure that holds a body to the ground where it is.

    Args:
        kind: ``"flat"`` (6 constraints), ``"line"`` (5, free to turn about ``axis``), ``"point"``
            (3), or any joint of the table.
        body: Its index.
        at: ``(3)`` m, the point that touches, in the body's capture frame.
        position: ``(3)`` m, where that point is in the world.
        orientation: ``(4)`` quaternion, body to world.
        axis: ``(3)`` main axis of the contact, world axes.
        name: What to call it.
    """
    turn = _turn_to(np.asarray(axis, float))
    w, x, y, z = orientation
    axes = np.stack([turn, product(np.array([w, -x, -y, -z]), turn)])
    return Closure(WORLD, body, np.array([position, at]), axes, held_directions(kind), name)


def _turn_to(axis: np.ndarray) -> np.ndarray:
    """Return the quaternion of the shortest turn that takes i to an axis."""
    axis = axis / np.linalg.norm(axis)
    if axis[0] < -1 + 1e-12:
        return np.array([0.0, 0.0, 0.0, 1.0])
    q = np.array([1 + axis[0], 0.0, -axis[2], axis[1]])
    return q / np.linalg.norm(q)
