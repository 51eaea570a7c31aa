"""Vectors ``(3, …)`` and quaternions ``(4, …)`` over frames: components first, frames last."""

from __future__ import annotations

from math import hypot

import numpy as np


def cross(u: np.ndarray, v: np.ndarray) -> np.ndarray:
    """Return ``u × v``, components along the first axis; ``(3, 1)`` stands for a constant."""
    return np.stack(
        [u[1] * v[2] - u[2] * v[1], u[2] * v[0] - u[0] * v[2], u[0] * v[1] - u[1] * v[0]]
    )


def dot(u: np.ndarray, v: np.ndarray) -> np.ndarray:
    """Return ``u · v``, components along the first axis; ``(3)`` stands for a constant.

    Over few numbers in many frames it is quicker than a product of matrices, which wakes threads.
    """
    return u[0] * v[0] + u[1] * v[1] + u[2] * v[2]


def length(v: np.ndarray) -> np.ndarray:
    """Return ``|v|``, components along the first axis."""
    return np.asarray(np.sqrt(dot(v, v)))


def turn(q: np.ndarray, v: np.ndarray, *, back: bool = False) -> np.ndarray:
    """Return vectors turned by quaternions, or by their inverses."""
    w, u = q[0], -q[1:] if back else q[1:]
    t = 2 * cross(u, v)
    return v + w * t + cross(u, t)


def product(p: np.ndarray, q: np.ndarray) -> np.ndarray:
    """Return the quaternions ``p q``."""
    w = p[0] * q[0] - dot(p[1:], q[1:])
    return np.concatenate([w[None], p[0] * q[1:] + q[0] * p[1:] + cross(p[1:], q[1:])])


def matrices(q: np.ndarray) -> np.ndarray:
    """Return ``(3, 3, …)`` rotation matrices of quaternions ``(4, …)``."""
    w, x, y, z = q
    x2, y2, z2 = 2 * x, 2 * y, 2 * z
    xx, yy, zz, xy, xz, yz = x * x2, y * y2, z * z2, x * y2, x * z2, y * z2
    wx, wy, wz = w * x2, w * y2, w * z2
    result = np.empty((3, 3, *np.shape(w)))
    result[0] = 1 - (yy + zz), xy - wz, xz + wy
    result[1] = xy + wz, 1 - (xx + zz), yz - wx
    result[2] = xz - wy, yz + wx, 1 - (xx + yy)
    return result


def skew(v: np.ndarray) -> np.ndarray:
    """Return ``(F, 3, 3)`` matrices ``[v]×`` of vectors ``(3, F)``."""
    zero = np.zeros_like(v[0])
    x, y, z = v
    return np.moveaxis(np.array([[zero, -z, y], [z, zero, -x], [-y, x, zero]]), -1, 0)


def axis_word(vector: np.ndarray) -> str:
    """Return the axis that a vector is nearest to, with its sign: ``"+x"``, ``"-z"``."""
    k = int(np.argmax(np.abs(vector)))
    return f"{'+' if vector[k] > 0 else '-'}{'xyz'[k]}"


def axis_vector(word: str) -> np.ndarray:
    """Return ``(3)`` the unit vector of an axis like ``"y"``, ``"+z"`` or ``"-X"``."""
    vector = np.zeros(3)
    vector["xyz".index(word[-1].lower())] = -1.0 if word.startswith("-") else 1.0
    return vector


def level_axes(up: np.ndarray) -> np.ndarray:
    """Return ``(2, 3)`` unit vectors across up, which with it form a right-handed frame."""
    u: list[float] = up.tolist()
    steep = min(range(3), key=lambda c: abs(u[c]))  # the axis that is most across up
    x, y, z = (float(c == steep) - u[c] * u[steep] for c in range(3))
    length = hypot(x, y, z)
    x, y, z = x / length, y / length, z / length
    second = u[1] * z - u[2] * y, u[2] * x - u[0] * z, u[0] * y - u[1] * x
    return np.array([(x, y, z), second])
