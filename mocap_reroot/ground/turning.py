"""Small rotation of the whole body: from the unknown ``(3, …)`` rad to a rotation and its rates.

The turn is that of the quaternion (1, φ/2), normalised: smooth, exact derivatives, near exp(φ).
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from mocap_reroot.numerics.vectors import cross, dot, product, turn


class Turn(NamedTuple):
    """Unit quaternions ``(4, F)``, angular velocity and acceleration ``(3, F)``, outer axes."""

    q: np.ndarray
    velocity: np.ndarray
    acceleration: np.ndarray


def turned(angle: np.ndarray, rate: np.ndarray, bend: np.ndarray) -> Turn:
    """Return the turn by ``angle`` (3, F) rad with its derivatives by time."""
    half, first, second = 0.5 * angle, 0.5 * rate, 0.5 * bend
    size = 1 + dot(half, half)
    # ω = 2 vec(Q̇ Q*) / |Q|², α likewise less ω times the relative growth of |Q|²
    velocity = 2 * (first - cross(first, half)) / size
    growth = 2 * dot(half, first) / size
    acceleration = 2 * (second - cross(second, half)) / size - growth * velocity
    q = np.concatenate([np.ones((1, angle.shape[1])), half]) / np.sqrt(size)
    return Turn(q, velocity, acceleration)


def moved(
    by: Turn, place: np.ndarray, velocity: np.ndarray, acceleration: np.ndarray
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return arms ``(3, F)`` and their derivatives after the turn."""
    r, v, a = (turn(by.q, x) for x in (place, velocity, acceleration))
    w = by.velocity
    swing = cross(w, r)
    return r, v + swing, a + 2 * cross(w, v) + cross(by.acceleration, r) + cross(w, swing)


def composed(
    by: Turn, q: np.ndarray, velocity: np.ndarray, acceleration: np.ndarray
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return an orientation ``(4, F)`` with its rates (own axes) after the turn, the same way."""
    # In the body's own axes the outer rate is turned back; d/dt of those components has no other
    # term than the swing of the axes with the body.
    result = product(by.q, q)
    w = turn(result, by.velocity, back=True)
    al = turn(result, by.acceleration, back=True)
    total = velocity + w
    return result, total, acceleration + al - cross(total, w)
