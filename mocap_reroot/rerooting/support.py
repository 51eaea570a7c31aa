"""Support joint: the root held by a spherical, revolute or fixed joint; what that discards.

A ``free`` joint loses nothing. The others stand still in the world, at the mean position of the
support point, and the root's state is projected onto what the joint can do (the inverse of jcalc,
section 6.2.2), level by level: pose, velocity and acceleration each lose what it does not allow.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from mocap_reroot.errors import MocapRerootError
from mocap_reroot.numerics.vectors import product, turn
from mocap_reroot.types import Inference, JointType, Motion, Skeleton

SUPPORT_JOINTS = ("free", "spherical", "revolute", "fixed")
_UNITS = {
    "position": "m",
    "velocity": "m/s",
    "acceleration": "m/s²",
    "rotation": "rad",
    "angular velocity": "rad/s",
    "angular acceleration": "rad/s²",
}
_BACK = np.array([1.0, -1, -1, -1])


def held_by(motion: Motion, joint: str, axis: Sequence[float] | np.ndarray | None = None) -> Motion:
    """Return a motion whose free root is held by another joint, fitted to all its frames.

    Args:
        motion: Rooted at its support by a free joint.
        joint: One of :data:`SUPPORT_JOINTS`.
        axis: ``(3)`` world direction of a revolute joint; found from the motion if None.

    Returns:
        Motion: Its source tells what was discarded, as root mean squares over the frames. Without
        a single finite frame there is nothing to fit, and the motion returns as it is.
    """
    if joint == "free":
        return motion
    root = motion.skeleton.root
    path = _support_path(motion)
    sound = np.isfinite(path).all(axis=0)
    if not sound.any():
        return motion
    rest, axes = motion.skeleton.rest[root], np.zeros((2, 3))
    if joint != "spherical":
        rest = _mean_rotation(motion.rotation[root][:, sound])
    if joint == "revolute":
        axes[0] = turn(rest * _BACK, _hinge_axis(motion, rest, axis))
    stand = path[:, sound].mean(axis=1)
    new = {"offset": stand, "rest": rest, "axes": axes, "joint_types": JointType[joint.upper()]}
    arrays: dict[str, Any] = {}
    for name, value in new.items():
        arrays[name] = getattr(motion.skeleton, name).copy()
        arrays[name][root] = value
    held, lost = projected(motion, replace(motion.skeleton, **arrays))
    told = _told(motion.skeleton.names[root], joint, lost)
    return replace(held, source=motion.source.adding(**told))


def projected(motion: Motion, skeleton: Skeleton) -> tuple[Motion, dict[str, np.ndarray]]:
    """Project the state of a free root onto the root joint of the same tree held otherwise.

    Args:
        motion: Its root is held by a free joint.
        skeleton: The same tree with a root joint that does not translate.

    Returns:
        The motion of that skeleton, and what was lost: ``(…, F)`` arrays by quantity, SI units.
    """
    root, slot = skeleton.root, int(motion.skeleton.slot[skeleton.root])
    lost = {"position": _support_path(motion) - skeleton.offset[root][:, None]}
    if motion.linear_velocity is not None and motion.linear_acceleration is not None:
        lost["velocity"] = motion.linear_velocity[slot]
        lost["acceleration"] = motion.linear_acceleration[slot]
    others = [k for k in range(len(motion.skeleton.translating)) if k != slot]
    states: dict[str, Any] = {}
    for name in ("displacement", "linear_velocity", "linear_acceleration"):
        if (rows := getattr(motion, name)) is not None:
            states[name] = rows[others]
    if skeleton.joint_types[root] != JointType.SPHERICAL:
        _project_turns(motion, skeleton.rest[root], skeleton.axes[root, 0], states, lost)
    return replace(motion, skeleton=skeleton, **states), lost


def _support_path(motion: Motion) -> np.ndarray:
    """Return ``(3, F)`` m, world positions of a free root's origin."""
    root, slot = motion.skeleton.root, int(motion.skeleton.slot[motion.skeleton.root])
    return np.asarray(motion.skeleton.offset[root][:, None] + motion.displacement[slot])


def _project_turns(
    motion: Motion,
    rest: np.ndarray,
    axis: np.ndarray,
    states: dict[str, Any],
    lost: dict[str, np.ndarray],
) -> None:
    """Add states whose root turns about a hinge only (not at all if the axis is zero), and losses.

    Products with a zero axis rather than zeros: frames that are missing stay missing.
    """
    root = motion.skeleton.root
    joint = product((rest * _BACK)[:, None], motion.rotation[root])  # J = Eᵀ R
    twist = np.concatenate([joint[:1], axis[:, None] * (axis @ joint[1:])])
    if not axis.any():
        twist[0] = np.sign(joint[0]) + (joint[0] == 0)
    twist /= np.linalg.norm(twist, axis=0)
    states["rotation"] = motion.rotation.copy()
    states["rotation"][root] = product(rest[:, None], twist)
    # |q − q'| = 2 sin θ/4, whichever of ±q' is nearer: exact for small angles too
    chords = [np.linalg.norm(joint - sign * twist, axis=0) for sign in (1, -1)]
    lost["rotation"] = 4 * np.arcsin(np.minimum(*chords) / 2)[None]
    for name in ("angular_velocity", "angular_acceleration"):
        if (rows := getattr(motion, name)) is not None:
            states[name] = rows.copy()
            states[name][root] = axis[:, None] * (axis @ rows[root])
            lost[name.replace("_", " ")] = rows[root] - states[name][root]


def _hinge_axis(
    motion: Motion, rest: np.ndarray, axis: Sequence[float] | np.ndarray | None
) -> np.ndarray:
    """Return the unit world direction given, or the one about which the root turns most."""
    if axis is not None:
        direction = np.asarray(axis, dtype=float)
        length = np.linalg.norm(direction)
        if direction.shape != (3,) or not 0 < length < np.inf:
            raise MocapRerootError(f"axis must be a direction in the world; found {axis!r}.")
        return np.asarray(direction / length)
    root = motion.skeleton.root
    turns = product(motion.rotation[root], (rest * _BACK)[:, None])[
        1:
    ]  # away from the mean, world axes
    if motion.angular_velocity is not None:
        turns = turn(motion.rotation[root], motion.angular_velocity[root])
    turns = turns[:, np.isfinite(turns).all(axis=0)]
    return np.asarray(np.linalg.eigh(turns @ turns.T)[1][:, -1])


def _told(body: str, joint: str, lost: dict[str, np.ndarray]) -> dict[str, list[Any]]:
    """Return what a support joint discarded: an inference and, unless it is rounding, a warning."""
    rms = {what: float(np.sqrt(np.nanmean((x**2).sum(axis=0)))) for what, x in lost.items()}
    amounts = ", ".join(f"{what} {value:.3g} {_UNITS[what]}" for what, value in rms.items())
    sentence = f"A {joint} joint holds {body!r} at its support and discards (rms) {amounts}."
    value = {"body": body, "joint": joint, "discarded_rms": rms}
    warnings = [sentence] if max(rms.values()) > 1e-9 else []
    return {"inferred": [Inference("support joint", value, 1.0, sentence)], "warnings": warnings}


def _mean_rotation(q: np.ndarray) -> np.ndarray:
    """Return the mean ``(4)`` of rotations ``(4, F)``, whatever their signs."""
    mean = np.linalg.eigh(q @ q.T)[1][:, -1]
    return np.asarray(mean * (np.sign(mean @ q[:, 0]) or 1.0))
