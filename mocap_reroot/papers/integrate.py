"""States of a tree in time: Runge-Kutta of fourth order, and SciPy's eighth order with events."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from scipy.integrate import DOP853
from scipy.optimize import brentq

from mocap_reroot.mechanics.coordinates import Coordinates

SAME_INSTANT = 1e-12
"""s: times closer than this are one."""


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


Law = Callable[[State], np.ndarray]
"""From a state to its ``(speeds)`` accelerations."""


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


class _Flow:
    """The first-order system ``y = (q, speed)`` of a law of motion.

    Quaternions are normalised where it is evaluated: the field continued that way off the unit
    sphere is smooth, so that the order of a method is kept.
    """

    def __init__(self, coordinates: Coordinates, law: Law) -> None:
        self.coordinates, self.law = coordinates, law

    def state(self, time: float, y: np.ndarray) -> State:
        n = self.coordinates.n_coordinates
        return State(float(time), self.coordinates.normalised(y[:n]), y[n:].copy())

    def __call__(self, time: float, y: np.ndarray) -> np.ndarray:
        from mocap_reroot.kernels import tree as kernels

        state = self.state(time, y)
        rates = np.empty_like(state.q)
        kernels.coordinate_rates(self.coordinates.tree, state.q, state.speed, rates)
        return np.concatenate([rates, self.law(state)])


def runge_kutta(coordinates: Coordinates, law: Law, state: State, dt: float) -> State:
    """Return the state one fourth-order step later."""
    flow, t, y = _Flow(coordinates, law), state.time, np.concatenate([state.q, state.speed])
    k1 = flow(t, y)
    k2 = flow(t + dt / 2, y + dt / 2 * k1)
    k3 = flow(t + dt / 2, y + dt / 2 * k2)
    k4 = flow(t + dt, y + dt * k3)
    return flow.state(t + dt, y + dt / 6 * (k1 + 2 * k2 + 2 * k3 + k4))


def integrate(
    coordinates: Coordinates,
    law: Law,
    state: State,
    stop: float,
    events: Sequence[Event] = (),
    *,
    longest: float = np.inf,
    tolerance: float = 1e-8,
) -> tuple[list[State], Event | None]:
    """Integrate to the first accepted event or to a time, with steps of eighth order.

    Args:
        coordinates, law: What moves, and how.
        state: Where it starts.
        stop: s, when to end if nothing happens.
        events: What may happen.
        longest: s, step.
        tolerance: Error allowed in a step, relative and absolute.

    Returns:
        tuple: The states reached, the first and that of the event or of ``stop`` included; and the
        event, or None.
    """
    flow, y = _Flow(coordinates, law), np.concatenate([state.q, state.speed])
    limits = {"rtol": tolerance, "atol": tolerance, "max_step": longest}
    solver, states = DOP853(flow, state.time, y, stop, **limits), [state]
    while solver.status == "running" and states[-1].time < stop - SAME_INSTANT:
        solver.step()
        new, found = flow.state(solver.t, solver.y), []
        for event in events:
            if event.value(states[-1]) > 0 >= event.value(new):
                there = _crossing(flow, solver, event)
                if event.accepted(there):
                    found.append((there.time, there, event))
        if found:
            _, there, event = min(found, key=lambda one: one[0])
            return [*states, there], event
        states.append(new)
    return states, None


def _crossing(flow: _Flow, solver: DOP853, event: Event) -> State:
    """Return the state within a solver's last step at which an event's value is zero."""
    within = solver.dense_output()

    def at(time: float) -> State:
        return flow.state(time, within(time))

    if event.value(at(solver.t_old)) <= 0:
        return at(solver.t_old)
    root = brentq(lambda time: event.value(at(time)), solver.t_old, solver.t, xtol=1e-15)
    return at(float(root))
