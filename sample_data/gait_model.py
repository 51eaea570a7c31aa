"""A person as rigid bodies, written down once more without the package: placed, weighed, summed.

World axes: x to the left, y up, z forward; metres. Rotations are matrices ``(F, 3, 3)``, body to
parent. Ground forces and joint moments are sums over bodies of differentiated momenta, so they
share no formula with a recursive Newton-Euler.
"""

from __future__ import annotations

import numpy as np

GRAVITY = 9.80665
STATURE = 1.75

THIGH, SHANK, ANKLE_HEIGHT = 0.245 * STATURE, 0.246 * STATURE, 0.039 * STATURE
TOE_JOINT = np.array([0.0, -ANKLE_HEIGHT + 0.015, 0.135])
HEEL = np.array([0.0, -ANKLE_HEIGHT, -0.055])
HIP_WIDTH = 0.085
STRAIGHT = -np.cos(np.radians(1.5))
"""Cosine of the inner angle of a knee beyond which it does not stretch."""

# name, parent, offset in the parent's frame (T-pose)
BODIES: list[tuple[str, str, tuple[float, float, float]]] = [("Hips", "", (0.0, 0.0, 0.0))]
for side, sign in (("Left", 1.0), ("Right", -1.0)):
    BODIES += [
        (f"{side}UpLeg", "Hips", (sign * HIP_WIDTH, -0.06, 0.0)),
        (f"{side}Leg", f"{side}UpLeg", (0.0, -THIGH, 0.0)),
        (f"{side}Foot", f"{side}Leg", (0.0, -SHANK, 0.0)),
        (f"{side}ToeBase", f"{side}Foot", tuple(TOE_JOINT)),
    ]
BODIES += [
    ("Spine", "Hips", (0.0, 0.10, 0.0)),
    ("Spine1", "Spine", (0.0, 0.20, 0.0)),
    ("Neck", "Spine1", (0.0, 0.24, 0.0)),
    ("Head", "Neck", (0.0, 0.09, 0.0)),
]
for side, sign in (("Left", 1.0), ("Right", -1.0)):
    BODIES += [
        (f"{side}Shoulder", "Spine1", (sign * 0.03, 0.19, 0.0)),
        (f"{side}Arm", f"{side}Shoulder", (sign * 0.155, 0.0, 0.0)),
        (f"{side}ForeArm", f"{side}Arm", (sign * 0.30, 0.0, 0.0)),
        (f"{side}Hand", f"{side}ForeArm", (sign * 0.25, 0.0, 0.0)),
    ]
NAMES = [name for name, _, _ in BODIES]
PARENTS = [NAMES.index(parent) if parent else -1 for _, parent, _ in BODIES]
OFFSETS = np.array([offset for _, _, offset in BODIES])
SITES = {
    "LeftToeBase": (0.0, 0.0, 0.07),
    "RightToeBase": (0.0, 0.0, 0.07),
    "Head": (0.0, 0.19, 0.0),
    "LeftHand": (0.18, 0.0, 0.0),
    "RightHand": (-0.18, 0.0, 0.0),
}


def turn(axis: str, angle: np.ndarray) -> np.ndarray:
    """Return rotation matrices ``(F, 3, 3)`` about x, y or z."""
    c, s, one, nil = np.cos(angle), np.sin(angle), np.ones_like(angle), np.zeros_like(angle)
    rows = {
        "x": [[one, nil, nil], [nil, c, -s], [nil, s, c]],
        "y": [[c, nil, s], [nil, one, nil], [-s, nil, c]],
        "z": [[c, -s, nil], [s, c, nil], [nil, nil, one]],
    }[axis]
    return np.moveaxis(np.array(rows), (0, 1), (1, 2))


def apply(matrix: np.ndarray, vector: np.ndarray) -> np.ndarray:
    """Return matrix times vector, frame by frame, ``(F, 3)``."""
    return np.einsum("fij,...j->fi" if vector.ndim == 1 else "fij,fj->fi", matrix, vector)


def place(root: np.ndarray, local: dict[str, np.ndarray]) -> tuple[np.ndarray, np.ndarray]:
    """Return world rotations ``(n, F, 3, 3)`` and positions ``(n, F, 3)`` from joint rotations."""
    frames = len(root)
    rotation = np.empty((len(NAMES), frames, 3, 3))
    position = np.empty((len(NAMES), frames, 3))
    for i, name in enumerate(NAMES):
        parent = PARENTS[i]
        own = local.get(name, np.tile(np.eye(3), (frames, 1, 1)))
        if parent < 0:
            rotation[i], position[i] = own, root
        else:
            rotation[i] = rotation[parent] @ own
            position[i] = position[parent] + apply(rotation[parent], OFFSETS[i])
    return rotation, position


def leg(
    hip: np.ndarray, pelvis: np.ndarray, ankle: np.ndarray, foot: np.ndarray, strict: bool = True
) -> list[np.ndarray]:
    """Return thigh, shank and foot joint rotations that put ankle and foot where they should be.

    Args:
        hip, ankle: ``(F, 3)`` world.
        pelvis, foot: ``(F, 3, 3)`` world orientations.
        strict: Whether an ankle out of reach is an error; else the leg is almost straight.
    """
    reach = apply(np.swapaxes(pelvis, 1, 2), ankle - hip)
    length = np.linalg.norm(reach, axis=1)
    cosine = (THIGH**2 + SHANK**2 - length**2) / (2 * THIGH * SHANK)
    if strict and cosine.min() < STRAIGHT:
        raise ValueError(f"the leg is too short: needs {length.max():.3f} m")
    bend = np.pi - np.arccos(np.maximum(cosine, STRAIGHT))
    # In the thigh's plane the straight line hip-ankle leans behind the thigh by this much.
    lean = np.arctan2(SHANK * np.sin(bend), THIGH + SHANK * np.cos(bend))
    abduction = np.arctan2(reach[:, 0], -reach[:, 1])
    in_plane = np.hypot(reach[:, 0], reach[:, 1])
    flexion = np.arctan2(reach[:, 2], in_plane) + lean
    thigh = turn("z", abduction) @ turn("x", -flexion)
    shank = turn("x", bend)
    return [thigh, shank, np.swapaxes(pelvis @ thigh @ shank, 1, 2) @ foot]


def derivative(values: np.ndarray, step: float, order: int) -> np.ndarray:
    """Return time derivatives along axis 1 by 9-point differences; NaN in four frames a side."""
    stencil = {
        1: np.array([1 / 280, -4 / 105, 1 / 5, -4 / 5, 0, 4 / 5, -1 / 5, 4 / 105, -1 / 280]),
        2: np.array(
            [-1 / 560, 8 / 315, -1 / 5, 8 / 5, -205 / 72, 8 / 5, -1 / 5, 8 / 315, -1 / 560]
        ),
    }[order]
    out = np.full_like(values, np.nan)
    inner = values.shape[1] - 8
    out[:, 4:-4] = sum(c * values[:, j : j + inner] for j, c in enumerate(stencil)) / step**order
    return out


def inertial_wrenches(
    rotation: np.ndarray,
    position: np.ndarray,
    mass: np.ndarray,
    com: np.ndarray,
    inertia: np.ndarray,
    step: float,
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return what every body needs to move as it does: force, moment about its com, and its com.

    Returns:
        force ``(n, F, 3)`` = m (a − g), moment ``(n, F, 3)`` = d/dt (I ω), com ``(n, F, 3)``.
    """
    centre = position + np.einsum("nfij,nj->nfi", rotation, com)
    acceleration = derivative(centre, step, 2)
    acceleration[..., 1] += GRAVITY
    spin = derivative(rotation, step, 1) @ np.swapaxes(rotation, 2, 3)
    omega = np.stack([spin[..., 2, 1], spin[..., 0, 2], spin[..., 1, 0]], axis=-1)
    world_inertia = rotation @ inertia[:, None] @ np.swapaxes(rotation, 2, 3)
    momentum = np.einsum("nfij,nfj->nfi", world_inertia, omega)
    return mass[:, None, None] * acceleration, derivative(momentum, step, 1), centre
