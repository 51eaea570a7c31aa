"""Runge-Kutta methods for trees in motion, and events located within a step."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Protocol

import numpy as np
from scipy.integrate import DOP853
from scipy.optimize import brentq

from mocap_reroot.mechanics.coordinates import Coordinates
from mocap_reroot.types import JointType


@dataclass(frozen=True, eq=False)
class State:
    """A tree in motion at one instant.

    Attributes:
        time: s.
        q: Coordinates, as laid out by :class:`mocap_reroot.mechanics.coordinates.Coordinates`.
        speed: Speeds.
    """

    time: float
    q: np.ndarray
    speed: np.ndarray


class System(Protocol):
    """What can be integrated: a layout of coordinates and a law of motion."""

    @property
    def coordinates(self) -> Coordinates:
        """Where each joint's numbers stand."""

    def acceleration(self, state: State) -> np.ndarray:
        """Return ``(speeds)`` the accelerations of a state."""


@dataclass(frozen=True, eq=False)
class Event:
    """Something that happens when a value falls through zero.

    Attributes:
        name: What to call it.
        value: Of a state; the event is where it goes from positive to zero or below.
        accepted: Whether a crossing counts, asked at the crossing.
    """

    name: str
    value: Callable[[State], float]
    accepted: Callable[[State], bool] = lambda state: True


@lru_cache(maxsize=64)
def quaternion_places(coordinates: Coordinates) -> np.ndarray:
    """Return ``(k, 4)`` where the quaternions of a tree stand in ``q``."""
    kinds = coordinates.skeleton.joint_types
    starts = [coordinates.q_start[i] for i in np.flatnonzero(kinds == JointType.SPHERICAL)]
    starts += [coordinates.q_start[i] + 3 for i in np.flatnonzero(kinds == JointType.FREE)]
    return np.array(starts, np.int64)[:, None] + np.arange(4)


def normalised(coordinates: Coordinates, q: np.ndarray) -> np.ndarray:
    """Return coordinates with unit quaternions."""
    places = quaternion_places(coordinates)
    if len(places):
        q = q.copy()
        q[places] /= np.linalg.norm(q[places], axis=1, keepdims=True)
    return q


def runge_kutta(system: System, state: State, dt: float) -> State:
    """Return the state one fourth-order step later.

    Quaternions are normalised in every stage: the field continued that way off the unit sphere is
    smooth, so that the order is kept.
    """
    from mocap_reroot.kernels import tree as kernels

    layout = system.coordinates

    def rates(stage: State) -> tuple[np.ndarray, np.ndarray]:
        turn = np.empty_like(stage.q)
        kernels.coordinate_rates(layout.tree, stage.q, stage.speed, turn)
        return turn, system.acceleration(stage)

    def after(fraction: float, slope: tuple[np.ndarray, np.ndarray]) -> State:
        q = normalised(layout, state.q + fraction * dt * slope[0])
        return State(state.time + fraction * dt, q, state.speed + fraction * dt * slope[1])

    k1 = rates(state)
    k2 = rates(after(0.5, k1))
    k3 = rates(after(0.5, k2))
    k4 = rates(after(1.0, k3))
    mean = tuple((a + 2 * b + 2 * c + d) / 6 for a, b, c, d in zip(k1, k2, k3, k4, strict=True))
    return after(1.0, mean)


def dormand_prince(system: System, state: State, dt: float, tolerance: float = 1e-8) -> State:
    """Return the state after ``dt``, in as many steps of eighth order as a tolerance asks for."""
    from mocap_reroot.kernels import tree as kernels

    layout, n = system.coordinates, len(state.q)

    def rates(time: float, y: np.ndarray) -> np.ndarray:
        stage = State(time, normalised(layout, y[:n]), y[n:].copy())
        turn = np.empty(n)
        kernels.coordinate_rates(layout.tree, stage.q, stage.speed, turn)
        return np.concatenate([turn, system.acceleration(stage)])

    stop, y = state.time + dt, np.concatenate([state.q, state.speed])
    solver = DOP853(rates, state.time, y, stop, rtol=tolerance, atol=tolerance)
    while solver.status == "running":
        solver.step()
    return State(stop, normalised(layout, solver.y[:n]), solver.y[n:].copy())


def until(
    system: System,
    state: State,
    dt: float,
    stop: float,
    events: Sequence[Event],
    watch: Callable[[State], None] = lambda state: None,
) -> tuple[State, Event | None]:
    """Integrate to the first accepted event or to a time.

    Args:
        system: What moves.
        state: Where it starts.
        dt: s, step.
        stop: s, when to end if nothing happens.
        events: What may happen.
        watch: Called with every state reached, the last one included.

    Returns:
        tuple: The state at the event, located to rounding by shortening the last step, and the
        event; or the state at ``stop`` and None.
    """
    before = [event.value(state) for event in events]
    while state.time < stop - 1e-12:
        step = min(dt, stop - state.time)
        new = runge_kutta(system, state, step)
        now = [event.value(new) for event in events]
        found: tuple[float, State, Event] | None = None
        for event, old, value in zip(events, before, now, strict=True):
            if not (old > 0 >= value):
                continue
            length = _crossing(system, state, step, event)
            there = runge_kutta(system, state, length)
            if event.accepted(there) and (found is None or length < found[0]):
                found = length, there, event
        if found is not None:
            watch(found[1])
            return found[1], found[2]
        state, before = new, now
        watch(state)
    return state, None


def _crossing(system: System, state: State, step: float, event: Event) -> float:
    """Return how long a step must be to end where an event's value is zero."""

    def value(length: float) -> float:
        return event.value(runge_kutta(system, state, length)) if length > 0 else event.value(state)

    return float(brentq(value, 0.0, step, xtol=1e-15, rtol=8.9e-16))
