"""An open tree in joint coordinates, one state at a time: CRBA, ABA, inverse dynamics, energies."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property

import numpy as np

from mocap_reroot.mechanics.coordinates import Coordinates
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

    def mass_matrix(self, q: np.ndarray) -> np.ndarray:
        """Return ``(speeds, speeds)`` ``M`` in ``M q̈ + bias = τ``, by composite bodies."""
        from mocap_reroot.kernels import forward_dynamics as kernels

        matrix = np.empty((self.coordinates.n_speeds,) * 2)
        kernels.mass_matrix(self.coordinates.tree, self.bodies, read_only(q), matrix)
        return matrix

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
        """Return ``(speeds)`` the joint accelerations of a state, by articulated bodies.

        Args:
            q, speed: State, body after body (see :class:`.coordinates.Coordinates`).
            tau: Joint forces and torques along the speeds; none by default.
            external: ``(n, 6)`` moment about the world's origin and force on every body, world
                axes; none by default.
        """
        from mocap_reroot.kernels import forward_dynamics as kernels

        size = self.coordinates.n_speeds
        tau = np.zeros(size) if tau is None else tau
        pushes = np.zeros((self.skeleton.n_bodies, 6)) if external is None else external
        state = read_only(q), read_only(speed), read_only(tau), read_only(pushes)
        acceleration = np.empty(size)
        arrays = self.coordinates.tree, self.bodies, self.gravity
        kernels.forward_dynamics(*arrays, *state, acceleration)
        return acceleration

    def energies(self, q: np.ndarray, speed: np.ndarray) -> tuple[float, float]:
        """Return kinetic and potential energy, J."""
        from mocap_reroot.kernels import tree as kernels

        arrays = self.coordinates.tree, self.bodies, self.gravity
        kinetic, potential = kernels.energies(*arrays, read_only(q), read_only(speed))
        return float(kinetic), float(potential)
