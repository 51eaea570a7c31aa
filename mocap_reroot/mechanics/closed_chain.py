"""Closed kinematic chains: mobility, inverse and forward dynamics (Yamane and Nakamura 1999).

A mechanism with loops is a spanning tree and the closures that the tree lacks: a foot that stands
beside the one the tree is rooted at, two hands on a bar. The closures' Jacobian decides how many
degrees of freedom remain and which joints can describe them; torques of the open tree become
torques of the closed chain through the generalized forces.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
import scipy.linalg

from mocap_reroot.errors import UnknownNameError
from mocap_reroot.mechanics import closures as closing
from mocap_reroot.mechanics.displacement import TRUNCATION
from mocap_reroot.mechanics.tree import Tree
from mocap_reroot.mechanics.world_axes import turn_between
from mocap_reroot.numerics.vectors import product
from mocap_reroot.types import WORLD, Closure, JointType, held_directions, read_only, shaped

Vector = Sequence[float] | np.ndarray
RANK_TOLERANCE = 1e-9
"""Against the largest pivot: far above rounding, far below a real constraint."""
CLOSURE_TOLERANCE = 1e-11
"""The same where loops are closed, whose rows are scaled by masses."""


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
class ClosedChain(Tree):
    """A tree with closures.

    Attributes:
        skeleton, body, gravity: The spanning tree.
        closures: Joints that the tree does not contain. May be empty.
        actuated: ``(speeds)`` bool; by default every joint but a free one.
    """

    closures: tuple[Closure, ...] = ()
    actuated: np.ndarray = None  # type: ignore[assignment]

    def __post_init__(self) -> None:
        super().__post_init__()
        object.__setattr__(self, "closures", tuple(self.closures))
        actuated, size = self.actuated, self.coordinates.n_speeds
        if actuated is None:
            kinds = np.repeat(self.skeleton.joint_types, np.diff(self.coordinates.v_start))
            actuated = kinds != JointType.FREE
        object.__setattr__(self, "actuated", shaped("actuated", actuated, bool, (size,)))

    @cached_property
    def arrays(self) -> closing.Arrays:
        """The closures, in current frames."""
        return self.coordinates.closures(self.closures)

    @property
    def n_constraints(self) -> int:
        """Number of scalar constraints, independent or not."""
        return sum(closure.size for closure in self.closures)

    def without(self, *names: str) -> ClosedChain:
        """Return the chain with some closures opened: a hand lets go."""
        known = [closure.name for closure in self.closures]
        for name in names:
            if name not in known:
                raise UnknownNameError("closure", name, known)
        return replace(self, closures=tuple(c for c in self.closures if c.name not in names))

    def errors(self, q: np.ndarray) -> np.ndarray:
        """Return ``(rows)`` how far the loops are from closed: m and rad along held directions."""
        return closing.errors(self.arrays, self.poses(q))

    def constraints(
        self, q: np.ndarray, speed: np.ndarray | None = None
    ) -> tuple[np.ndarray, np.ndarray]:
        """Return ``J_C (rows, speeds)`` and ``J̇_C θ̇ (rows)``."""
        from mocap_reroot.kernels import tree as kernels

        tree, n = self.coordinates.tree, self.skeleton.n_bodies
        pose = self.poses(q)
        centre, s = pose[1][self.skeleton.root], self.columns(q, pose)
        first, second = closing.rows_of(self.arrays)
        moves = closing.grounded(self.moves.astype(float))
        jacobian = closing.wrenches(self.arrays, pose, centre) @ s.T
        jacobian *= moves[second] - moves[first]
        if speed is None:
            return jacobian, np.zeros(len(first))
        v, a, still = np.empty((n, 6)), np.empty((n, 6)), np.zeros(len(s))
        kernels.rates(tree, read_only(q), read_only(speed), still, *pose, centre, s, v, a)
        return jacobian, closing.drift(self.arrays, pose, centre, (v, a))

    def mobility(
        self, q: np.ndarray, speed: np.ndarray | None = None, feedback: np.ndarray | float = 0.0
    ) -> Mobility:
        """Find the degrees of freedom, the generalized coordinates, ``W`` and ``Ḣθ̇_G``.

        Args:
            q, speed: A state; at rest by default.
            feedback: ``(rows)`` relative accelerations asked of the closures.
        """
        jacobian, drift = self.constraints(q, speed)
        rows = _independent(jacobian.T)  # Eq. 13
        dependent = _independent(jacobian[rows])  # the columns of J_S (Eq. 15)
        free = np.setdiff1d(np.arange(jacobian.shape[1]), dependent)
        w, bias = np.zeros((jacobian.shape[1], len(free))), np.zeros(jacobian.shape[1])
        w[free, np.arange(len(free))] = 1.0
        right = np.column_stack([jacobian[np.ix_(rows, free)], (drift - feedback)[rows]])
        solved = -np.linalg.solve(jacobian[np.ix_(rows, dependent)], right)  # Eq. 4, 18 and 22
        w[dependent], bias[dependent] = solved[:, :-1], solved[:, -1]
        return Mobility(jacobian, rows, dependent, free, w, bias)

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
        tau_open = self.inverse_dynamics(q, speed, acceleration)
        tau_g = move.W.T @ tau_open  # Eq. 7
        actuated = np.flatnonzero(self.actuated)
        scale = np.ones(len(actuated)) if weights is None else np.sqrt(weights[actuated])
        # Sᵀ τ_A = τ_G (Eq. 8), smallest Σ weight τ²: least norm in y = √weight τ
        y, _, rank, _ = np.linalg.lstsq(move.W[actuated].T / scale, tau_g, rcond=RANK_TOLERANCE)
        torque = np.zeros(len(tau_open))
        torque[actuated] = y / scale
        multipliers = np.linalg.lstsq(move.jacobian.T, tau_open - torque, rcond=RANK_TOLERANCE)[0]
        left = tau_open - torque - move.jacobian.T @ multipliers
        wrenches = self.wrenches(q, multipliers)
        return ClosedInverse(
            torque, tau_open, tau_g, multipliers, wrenches, left, len(actuated) - int(rank)
        )

    def forward(
        self,
        q: np.ndarray,
        speed: np.ndarray,
        torque: np.ndarray | float = 0.0,
        feedback: np.ndarray | float = 0.0,
    ) -> np.ndarray:
        """Return ``(speeds)`` accelerations under joint torques (section 3.2).

        The inertia ``A = Wᵀ M W`` comes from the tree's composite bodies; the paper's unit
        vectors, one inverse dynamics a degree of freedom, give the same.

        Args:
            q, speed: A state that keeps the loops closed.
            torque: ``(speeds)`` at the joints of the tree.
            feedback: ``(rows)`` relative accelerations asked of the closures: zero for loops that
                stay closed, ``−2α ġ − α² g`` for Baumgarte's stabilisation.
        """
        move = self.mobility(q, speed, feedback)
        tau = self.inverse_dynamics(q, speed, move.bias)
        inertia = move.W.T @ self.mass_matrix(q) @ move.W
        generalized = np.linalg.solve(inertia, move.W.T @ (torque - tau))
        return np.asarray(move.bias + move.W @ generalized)

    def inertia(self, q: np.ndarray) -> np.ndarray:
        """Return ``(N_F, N_F)`` ``A``, the inertia of the generalized coordinates (Eq. 23)."""
        w = self.mobility(q).W
        return np.asarray(w.T @ self.mass_matrix(q) @ w)

    def wrenches(self, q: np.ndarray, multipliers: np.ndarray) -> np.ndarray:
        """Return ``(closures, 6)`` moment and force on the second bodies, world axes, at points."""
        pose, out, row = self.poses(q), np.zeros((len(self.closures), 6)), 0
        for k, closure in enumerate(self.closures):
            one = tuple(array[k : k + 1] for array in self.arrays)
            at = closing.places(one[1], one[3], one[5], pose)[0][0]
            stop = row + closure.size
            out[k] = multipliers[row:stop] @ closing.wrenches(one, pose, at)
            row = stop
        return out

    def close(
        self, q: np.ndarray, *, precision: float = 1e-10, iterations: int = 30
    ) -> tuple[np.ndarray, int]:
        """Return coordinates in which the loops are closed, and how many iterations it took.

        Faure's assembly in relative coordinates: the tree's own joints fit by themselves.

        Args:
            q: Where to start.
            precision: Stop when no error exceeds it, m and rad.
            iterations: Stop after so many.
        """
        from mocap_reroot.kernels import tree as kernels

        for iteration in range(iterations):
            error = self.errors(q)
            if np.abs(error).max(initial=0.0) <= precision:
                return q, iteration
            move = self._correction(q, -error)
            move *= min(1.0, TRUNCATION / np.abs(move).max())
            new = np.empty_like(q)
            kernels.advance(self.coordinates.tree, read_only(q), move, 1.0, new)
            q = new
        return q, iterations

    def keep_closed(self, q: np.ndarray, speed: np.ndarray) -> np.ndarray:
        """Return the nearest speeds that leave the loops closed (Faure, Eq. 6 and 9)."""
        return np.asarray(speed + self._correction(q, -self.constraints(q)[0] @ speed))

    def _correction(self, q: np.ndarray, b: np.ndarray) -> np.ndarray:
        """Return ``(speeds)`` the ``δ`` of least kinetic energy with ``J δ = b``."""
        jacobian, _ = self.constraints(q)
        weighted = np.linalg.solve(self.mass_matrix(q), jacobian.T)  # M⁻¹ Jᵀ
        multipliers = np.linalg.lstsq(jacobian @ weighted, b, rcond=CLOSURE_TOLERANCE)[0]
        return np.asarray(weighted @ multipliers)


def _independent(matrix: np.ndarray) -> np.ndarray:
    """Return which columns of a matrix are independent, ascending, by QR with pivoting."""
    if not matrix.size:
        return np.zeros(0, int)
    r, pivot = scipy.linalg.qr(matrix, mode="r", pivoting=True)
    sizes = np.abs(np.diag(r))
    return np.sort(pivot[: (sizes > RANK_TOLERANCE * sizes[0]).sum()])


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
    main = np.asarray(axis, float)
    turn = turn_between(np.eye(3)[0], main / np.linalg.norm(main))
    w, x, y, z = orientation
    axes = np.stack([turn, product(np.array([w, -x, -y, -z]), turn)])
    return Closure(WORLD, body, np.array([position, at]), axes, held_directions(kind), name)
