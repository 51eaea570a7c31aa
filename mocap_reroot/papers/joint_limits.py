"""Joint limits of the figure on the swing, kept by torques: damped springs beyond the limits."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from mocap_reroot.mechanics.coordinates import Coordinates
from mocap_reroot.papers.integrate import State
from mocap_reroot.papers.swing_model import SIDES

Torque = Callable[[State], np.ndarray]
"""From a state to ``(speeds)`` torques."""

# rad: how far hinges may go; and how far bones at ball joints may lean away from the direction
# that hanging down becomes by a turn about y
_HINGES = {"forearm": (-2.4, -0.05), "shank": (0.05, 2.4)}
_CONES = {"upper_arm": (-1.6, 1.7), "thigh": (-0.7, 1.2)}
_STIFFNESS, _DAMPING = 300.0, 10.0  # N·m/rad and N·m·s/rad


def limit_torques(coordinates: Coordinates) -> Torque:
    """Return the torques that keep the figure's joints within their limits."""
    hinges, cones = [], []
    for side in SIDES:
        for name, (low, high) in _HINGES.items():
            v = coordinates.speeds_of(f"{side}_{name}").start
            k = coordinates.coordinates_of(f"{side}_{name}").start
            hinges.append((v, k, low, high))
        for name, (middle, widest) in _CONES.items():
            where = coordinates.speeds_of(f"{side}_{name}")
            place = coordinates.coordinates_of(f"{side}_{name}")
            centre = np.array([-np.sin(middle), 0.0, -np.cos(middle)])
            cones.append((where, place, centre, widest))

    def torque(state: State) -> np.ndarray:
        tau = np.zeros(coordinates.n_speeds)
        for v, k, low, high in hinges:
            angle = state.q[k]
            beyond = max(angle - high, 0.0) + min(angle - low, 0.0)
            if beyond:
                tau[v] = -_STIFFNESS * beyond - _DAMPING * state.speed[v]
        for where, place, centre, widest in cones:
            lean, axis = leaning(state.q[place], centre)
            if lean > widest:
                rate = state.speed[where] @ axis
                tau[where] = -(_STIFFNESS * (lean - widest) + _DAMPING * rate) * axis
        return tau

    return torque


def leaning(q: np.ndarray, centre: np.ndarray) -> tuple[float, np.ndarray]:
    """Return how far a bone leans from a direction, rad, and about which axis, in its own axes.

    Args:
        q: ``(4)`` the joint's rotation; the bone points along −z of its body.
        centre: ``(3)`` unit vector in the parent's axes.
    """
    w, x, y, z = q
    # the direction seen from the body: Rᵀ centre
    back = np.array([-x, -y, -z])
    t = 2 * np.cross(back, centre)
    cx, cy, cz = centre + w * t + np.cross(back, t)
    axis = np.array([-cy, cx, 0.0])  # centre × bone: turning about it leans further
    sine = float(np.hypot(cx, cy))
    lean = float(np.arctan2(sine, -cz))
    return lean, axis / sine if sine > 1e-12 else np.array([1.0, 0.0, 0.0])
