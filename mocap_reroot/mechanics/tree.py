"""An open tree in joint coordinates, one state at a time: CRBA, ABA, inverse dynamics, energies."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property

import numpy as np

from mocap_reroot.mechanics.coordinates import Coordinates
from mocap_reroot.numerics.vectors import matrices, skew
from mocap_reroot.types import STANDARD_GRAVITY, BodyModel, Skeleton, read_only


@dataclass(frozen=True, eq=False)
class Tree:
    """A tree with masses.

    Attributes:
        skeleton: Any tree, captured or re-rooted.
        body: Its mass model.
        gravity: ``(3)`` m/s², world axes.
    """

    skeleton: Skeleton
    body: BodyModel
    gravity: np.ndarray = field(
        kw_only=True, default_factory=lambda: np.array([0.0, 0.0, -STANDARD_GRAVITY])
    )

    def __post_init__(self) -> None:
        object.__setattr__(self, "gravity", read_only(self.gravity))

    @cached_property
    def coordinates(self) -> Coordinates:
        """Where each joint's numbers stand."""
        return Coordinates(self.skeleton)

    @cached_property
    def bodies(self) -> tuple[np.ndarray, ...]:
        """Masses, centres and inertias as the kernels take them."""
        return self.coordinates.bodies(self.body)

    def poses(self, q: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Return world orientations ``(n, 4)`` and positions ``(n, 3)`` of the bodies."""
        from mocap_reroot.kernels import tree as kernels

        n = self.skeleton.n_bodies
        orientation, position = np.empty((n, 4)), np.empty((n, 3))
        kernels.place(self.coordinates.tree, read_only(q), orientation, position)
        return orientation, position

    @cached_property
    def moves(self) -> np.ndarray:
        """``(n, speeds)`` bool: which speeds move which body."""
        skeleton = self.skeleton
        above = np.eye(skeleton.n_bodies, dtype=bool)
        for i in skeleton.order[1:]:
            above[i] |= above[skeleton.parents[i]]
        return np.repeat(above, np.diff(self.coordinates.v_start), axis=1)

    def columns(self, q: np.ndarray, pose: tuple[np.ndarray, np.ndarray]) -> np.ndarray:
        """Return ``(speeds, 6)`` what each speed does to bodies beyond its joint, at the root."""
        from mocap_reroot.kernels import tree as kernels

        s = np.empty((self.coordinates.n_speeds, 6))
        centre = pose[1][self.skeleton.root]
        kernels.columns(self.coordinates.tree, read_only(q), *pose, centre, s)
        return s

    def inertias(self, pose: tuple[np.ndarray, np.ndarray]) -> np.ndarray:
        """Return ``(n, 6, 6)`` spatial inertias in world axes, at the root."""
        (orientation, position), (mass, com, own) = pose, self.bodies
        turned = np.moveaxis(matrices(orientation.T), -1, 0)
        arm = np.einsum("nij,nj->ni", turned, com) + position - position[self.skeleton.root]
        lever = skew(arm.T)
        inertia = np.zeros((len(mass), 6, 6))
        inertia[:, 3:, 3:] = mass[:, None, None] * np.eye(3)
        inertia[:, :3, 3:] = mass[:, None, None] * lever
        inertia[:, 3:, :3] = -inertia[:, :3, 3:]
        inertia[:, :3, :3] = turned @ own @ turned.swapaxes(1, 2) - inertia[:, :3, 3:] @ lever
        return inertia

    def mass_matrix(self, q: np.ndarray) -> np.ndarray:
        """Return ``(speeds, speeds)`` ``M`` in ``M q̈ + bias = τ``, by composite bodies.

        With spatial vectors at one point the inertias of bodies that move together simply add, and
        ``M[k, l] = s_k · I s_l`` with all that joint k moves, for every joint l before it.
        """
        pose = self.poses(q)
        s, inertia = self.columns(q, pose), self.inertias(pose)
        composite = (self.moves.T.astype(float) @ inertia.reshape(-1, 36)).reshape(-1, 6, 6)
        matrix = (composite @ s[:, :, None])[:, :, 0] @ s.T
        before = np.repeat(self.moves, np.diff(self.coordinates.v_start), axis=0)
        matrix = np.where(before, matrix, np.where(before.T, matrix.T, 0.0))
        return (matrix + matrix.T) / 2  # within a joint rounding differs

    def inverse_dynamics(
        self, q: np.ndarray, speed: np.ndarray, acceleration: np.ndarray
    ) -> np.ndarray:
        """Return ``(speeds)`` the joint torques of a state, by Newton-Euler."""
        from mocap_reroot.kernels import tree as kernels

        tau = np.empty(self.coordinates.n_speeds)
        state = read_only(q), read_only(speed), read_only(acceleration)
        arrays = self.coordinates.tree, self.bodies, self.gravity
        kernels.inverse_dynamics(*arrays, *state, tau)
        return tau

    def forward_dynamics(
        self,
        q: np.ndarray,
        speed: np.ndarray,
        tau: np.ndarray | None = None,
        external: np.ndarray | None = None,
    ) -> np.ndarray:
        """Return ``(speeds)`` the joint accelerations of a state.

        Args:
            q, speed: State, body after body (see :class:`.coordinates.Coordinates`).
            tau: Joint forces and torques along the speeds; none by default.
            external: ``(n, 6)`` moment about the world's origin and force on every body, world
                axes; none by default.
        """
        pose = self.poses(q)
        s = self.columns(q, pose)
        bias = self.inverse_dynamics(q, speed, np.zeros(self.coordinates.n_speeds))
        left = -bias if tau is None else tau - bias
        if external is not None:
            force, centre = external[:, 3:], pose[1][self.skeleton.root]
            pushes = np.hstack([external[:, :3] - np.cross(centre, force), force])
            left = left + ((self.moves.T.astype(float) @ pushes) * s).sum(axis=1)
        return self._articulated(s, self.inertias(pose), left)

    def _articulated(self, s: np.ndarray, inertia: np.ndarray, left: np.ndarray) -> np.ndarray:
        """Return ``(speeds)`` ``M⁻¹ left`` by articulated bodies (Featherstone, section 7.3).

        What speeds and gravity do is in ``left`` already; with ``U = I_A S`` and ``D = Sᵀ U``,
        ``I_A − U D⁻¹ Uᵀ`` and ``p_A + U D⁻¹ (left − Sᵀ p_A)`` add inwards, and outwards
        ``q̈ = D⁻¹ (left − Sᵀ p_A − Uᵀ a)``.

        Args:
            s: ``(speeds, 6)`` motion of each speed (:meth:`columns`).
            inertia: ``(n, 6, 6)`` (:meth:`inertias`); overwritten by articulated ones.
            left: ``(speeds)`` forces along the speeds.
        """
        order, parents, start = self.skeleton.order, self.skeleton.parents, self.coordinates.v_start
        bias, motion = np.zeros((len(order), 6)), np.zeros((len(order), 6))
        found, joints = np.empty(len(left)), {}
        for i in order[::-1]:
            k = slice(start[i], start[i + 1])
            u = inertia[i] @ s[k].T
            freed = np.linalg.solve(s[k] @ u, np.column_stack([u.T, left[k] - s[k] @ bias[i]]))
            joints[i] = k, freed
            if parents[i] >= 0:
                inertia[parents[i]] += inertia[i] - u @ freed[:, :6]
                bias[parents[i]] += bias[i] + u @ freed[:, 6]
        for i in order:
            k, freed = joints[i]
            above = motion[parents[i]] if parents[i] >= 0 else motion[i]
            found[k] = freed[:, 6] - freed[:, :6] @ above
            motion[i] = above + found[k] @ s[k]
        return found

    def energies(self, q: np.ndarray, speed: np.ndarray) -> tuple[float, float]:
        """Return kinetic and potential energy, J."""
        from mocap_reroot.kernels import tree as kernels

        arrays = self.coordinates.tree, self.bodies, self.gravity
        kinetic, potential = kernels.energies(*arrays, read_only(q), read_only(speed))
        return float(kinetic), float(potential)
