"""Stoermer's integration of jointed solids, without velocities (Faure, section 4.2).

A step repeats the last displacement, adds what forces do, and lets the joints correct the result;
the correction becomes part of the displacement. Rotations are carried as angular momentum, which a
free solid keeps while its angular velocity changes.

Faure takes the directions of the corrections where the solids have arrived: linear momentum is kept
to rounding, but angular momentum and energy only to first order in the step. With the directions
taken where the step *started* (``directions="start"``) a correction is a set of forces that balance
there: angular momentum is kept to rounding too, and energy to second order.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np

from mocap_reroot.errors import UnknownNameError
from mocap_reroot.mechanics.displacement import TRUNCATION, Linearised, Solids, displace, to_world

Forces = Callable[[np.ndarray, np.ndarray], np.ndarray]
"""From positions ``(n, 3)`` and orientations ``(n, 4)`` to ``(n, 6)`` torque and force."""

DIRECTIONS = ("end", "start")


@dataclass(frozen=True, eq=False)
class Moving:
    """Solids on their way.

    Attributes:
        position, orientation: ``(n, 3)`` m and ``(n, 4)``.
        displacement: ``(n, 3)`` m, of the centres of mass in the last step.
        spin: ``(n, 3)`` kg·m²: angular momentum about the centre of mass, world axes, times ``dt``.
        dt: s, the last step.
    """

    position: np.ndarray
    orientation: np.ndarray
    displacement: np.ndarray
    spin: np.ndarray
    dt: float

    def momentum(self, solids: Solids) -> tuple[np.ndarray, np.ndarray]:
        """Return linear and angular momentum of all solids, the latter about the world's origin."""
        linear = solids.mass[:, None] * self.displacement / self.dt
        angular = np.cross(self.position, linear) + self.spin / self.dt
        return linear.sum(axis=0), angular.sum(axis=0)

    def kinetic_energy(self, solids: Solids) -> float:
        """Return J."""
        inverse = to_world(solids.inverse_inertia, self.orientation)
        spin = np.einsum("ni,nij,nj->", self.spin, inverse, self.spin)
        slide = (solids.mass * (self.displacement**2).sum(axis=1)).sum()
        return float(0.5 * (slide + spin) / self.dt**2)


def start(
    solids: Solids,
    position: np.ndarray,
    orientation: np.ndarray,
    velocity: np.ndarray,
    angular_velocity: np.ndarray,
    dt: float,
    forces: Forces | None = None,
) -> Moving:
    """Return solids ready for their first step, second order: ``Δq = q̇ dt − ½ q̈ dt²``.

    Args:
        solids: Masses and joints.
        position, orientation: ``(n, 3)`` m, ``(n, 4)``.
        velocity, angular_velocity: ``(n, 3)`` m/s and rad/s, world axes.
        dt: s, the first step.
        forces: What will act.
    """
    position, orientation = np.array(position, float), np.array(orientation, float)
    inertia = to_world(solids.inertia, orientation)
    spin = dt * np.einsum("nij,nj->ni", inertia, angular_velocity)
    displacement = dt * np.array(velocity, float)
    if forces is not None:
        push = forces(position, orientation)
        displacement = displacement - 0.5 * dt**2 * solids.inverse_mass[:, None] * push[:, 3:]
        spin = spin - 0.5 * dt**2 * push[:, :3]
    return Moving(position, orientation, displacement, spin, dt)


def step(
    solids: Solids,
    state: Moving,
    dt: float,
    forces: Forces | None = None,
    led: tuple[np.ndarray, np.ndarray] | None = None,
    *,
    iterations: int = 10,
    linear_iterations: int | None = None,
    precision: float = 1e-12,
    directions: str = "end",
) -> Moving:
    """Return the solids one step later.

    Args:
        solids: Masses, joints, and who is led.
        state: Where they are and how they came there.
        dt: s; may differ from the last step's: displacements are scaled.
        forces: What acts.
        led: Positions and orientations of all solids, used for those that are led.
        iterations, linear_iterations, precision: Of the correction (see ``assemble``).
        directions: ``"end"`` as in the paper, or ``"start"``.
    """
    if directions not in DIRECTIONS:
        raise UnknownNameError("choice of directions", directions, DIRECTIONS)
    scale = dt / state.dt
    slide, spin = scale * state.displacement, scale * state.spin
    if forces is not None:
        push = forces(state.position, state.orientation)
        slide = slide + dt**2 * solids.inverse_mass[:, None] * push[:, 3:]
        spin = spin + dt**2 * np.where(solids.led[:, None], 0.0, push[:, :3])
    state = replace(state, displacement=slide, spin=spin, dt=dt)
    at_end = directions == "end"
    position, orientation = _flight(solids, state, led)
    linear = None if at_end else Linearised.of(solids, state.position, state.orientation)
    for _ in range(iterations):
        error = solids.errors(position, orientation)
        if np.abs(error).max(initial=0.0) <= precision:
            break
        if linear is None or at_end:
            linear = Linearised.of(solids, position, orientation)
        multipliers, _ = linear.gradients(-error, 0.1 * precision, linear_iterations)
        impulse = np.where(solids.led[:, None], 0.0, linear.impulse(multipliers))
        slide = state.displacement + solids.inverse_mass[:, None] * impulse[:, 3:]
        state = replace(state, displacement=slide, spin=state.spin + impulse[:, :3])
        if at_end:  # the solids move on from where they flew to
            moved = linear.displacement(multipliers)
            position, orientation = displace(moved, position, orientation, TRUNCATION)
        else:  # they fly again, pushed from the start
            position, orientation = _flight(solids, state, led)
    return replace(state, position=position, orientation=orientation)


def _flight(
    solids: Solids, state: Moving, led: tuple[np.ndarray, np.ndarray] | None
) -> tuple[np.ndarray, np.ndarray]:
    """Return where the solids fly if nothing holds them; turns by the midpoint rule."""
    move = np.zeros((solids.n_solids, 6))
    inverse = to_world(solids.inverse_inertia, state.orientation)
    move[:, :3] = 0.5 * np.einsum("nij,nj->ni", inverse, state.spin)
    _, middle = displace(move, state.position, state.orientation)
    inverse = to_world(solids.inverse_inertia, middle)
    move[:, :3] = np.einsum("nij,nj->ni", inverse, state.spin)
    move[:, 3:] = state.displacement
    position, orientation = displace(move, state.position, state.orientation)
    if led is not None:
        position = np.where(solids.led[:, None], led[0], position)
        orientation = np.where(solids.led[:, None], led[1], orientation)
    return position, orientation
