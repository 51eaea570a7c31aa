"""What closures hold: their errors, wrenches, Jacobian and drift (Yamane and Nakamura; Faure).

``closures`` as :func:`mocap_reroot.types.closure_arrays` gives them. A scalar constraint is a row
``w = (P × t, t)`` or ``(r, 0)`` that relative twists of the second body against the first must not
touch, with spatial vectors, angular first, in world axes at one point, ``centre``:

    w · (V_b − V_a) = 0            J_C θ̇ = 0                    (Eq. 11, 12)
    w · (A_b − A_a) + ẇ · (V_b − V_a) = 0                        (its derivative)
"""

from __future__ import annotations

import numpy as np

from mocap_reroot.numerics.vectors import matrices, product, turn

Arrays = tuple[np.ndarray, ...]
_SMALL = 1e-12
"""Sine of an angle below which it is its own sine."""


def grounded(values: np.ndarray) -> np.ndarray:
    """Return values by body with zeros for the world at the end, where its index −1 finds them."""
    return np.concatenate([values, np.zeros((1, *values.shape[1:]), values.dtype)])


def places(
    body: np.ndarray, point: np.ndarray, axes: np.ndarray, pose: tuple[np.ndarray, np.ndarray]
) -> tuple[np.ndarray, np.ndarray]:
    """Return origins ``(L, 3)`` m and orientations ``(4, L)`` of frames on bodies, in the world.

    Args:
        body: ``(L)``.
        point, axes: ``(L, 3)`` m and ``(L, 4)``, in the bodies' frames.
        pose: Orientations ``(n, 4)`` and positions ``(n, 3)`` of the bodies.
    """
    q = np.concatenate([pose[0], [[1.0, 0, 0, 0]]])[body].T
    return grounded(pose[1])[body] + turn(q, point.T).T, product(q, axes.T)


def errors(closures: Arrays, pose: tuple[np.ndarray, np.ndarray]) -> np.ndarray:
    """Return ``(rows)`` how far held directions are from closed: m and rad (Faure, section 3.2).

    Faure projects the rotation vector. Where two rotations are held, the turn of the free axis says
    the same without depending on how far the joint has turned about it, which keeps the linear
    equation exact at hinges turned by any angle.
    """
    first, second, point_a, point_b, axes_a, axes_b, held = closures
    (at_a, q_a), (at_b, q_b) = (
        places(first, point_a, axes_a, pose),
        places(second, point_b, axes_b, pose),
    )
    gap = turn(q_a, (at_b - at_a).T, back=True).T
    between = product(q_a * np.array([[1.0], [-1], [-1], [-1]]), q_b)
    between = between * np.where(between[0] < 0, -1.0, 1.0)  # the short way round
    sine = np.linalg.norm(between[1:], axis=0)
    gain = np.where(sine > _SMALL, np.arctan2(sine, between[0]) / np.maximum(sine, _SMALL), 1.0)
    angle = (2 * gain * between[1:]).T
    hinge = np.flatnonzero(held[:, 3:].sum(axis=1) == 2)
    if len(hinge):
        free = np.argmin(held[hinge, 3:], axis=1)
        unit = np.eye(3)[free]
        image = turn(between[:, hinge], unit.T).T
        swing, cosine = np.cross(unit, image), (unit * image).sum(axis=1)
        sine = np.linalg.norm(swing, axis=1)
        swing *= (np.arctan2(sine, cosine) / np.maximum(sine, _SMALL))[:, None]
        over = (sine <= _SMALL) & (cosine < 0)  # turned over: any way back is as short
        swing[over] = np.pi * np.roll(unit[over], 1, axis=1)
        angle[hinge] = swing
    return np.concatenate([gap, angle], axis=1)[held]


def wrenches(
    closures: Arrays, pose: tuple[np.ndarray, np.ndarray], centre: np.ndarray
) -> np.ndarray:
    """Return ``(rows, 6)`` the wrench at centre that holds each direction, on the second body.

    Translations are held at the second body's point, in directions of the first body's frame.
    """
    first, second, point_a, point_b, axes_a, axes_b, held = closures
    axes = matrices(places(first, point_a, axes_a, pose)[1]).transpose(2, 1, 0)
    arm = places(second, point_b, axes_b, pose)[0] - centre
    w = np.zeros((len(first), 6, 6))
    w[:, :3, 3:] = w[:, 3:, :3] = axes
    w[:, :3, :3] = np.cross(arm[:, None], axes)
    return w[held]


def rows_of(closures: Arrays) -> tuple[np.ndarray, np.ndarray]:
    """Return ``(rows)`` the first and the second body of every scalar constraint."""
    count = closures[6].sum(axis=1)
    return np.repeat(closures[0], count), np.repeat(closures[1], count)


def drift(
    closures: Arrays,
    pose: tuple[np.ndarray, np.ndarray],
    centre: np.ndarray,
    rates: tuple[np.ndarray, np.ndarray],
) -> np.ndarray:
    """Return ``J̇_C θ̇ (rows)`` from twists and accelerations ``(n, 6)`` at ``θ̈ = 0``."""
    first, second, _, point_b, _, axes_b, held = closures
    v, a = grounded(rates[0]), grounded(rates[1])
    w = np.zeros((len(first), 6, 6))
    w[held] = wrenches(closures, pose, centre)
    arm = places(second, point_b, axes_b, pose)[0] - centre
    point_rate = v[second, 3:] + np.cross(v[second, :3], arm)
    rate = np.zeros_like(w)
    spin = v[first, None, :3]
    rate[:, :3, 3:] = np.cross(spin, w[:, :3, 3:])
    rate[:, :3, :3] = np.cross(point_rate[:, None], w[:, :3, 3:])
    rate[:, :3, :3] += np.cross(arm[:, None], rate[:, :3, 3:])
    rate[:, 3:, :3] = np.cross(spin, w[:, 3:, :3])
    total = np.einsum("lij,lj->li", w, a[second] - a[first])
    total += np.einsum("lij,lj->li", rate, v[second] - v[first])
    return total[held]
