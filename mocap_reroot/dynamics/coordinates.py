"""Generalised forces of an OpenSim model's coordinates: ``coordinates.parquet``.

Newton-Euler gives every joint's wrench; a generalised force is its projection on what the joint
does at a unit of speed. So that the forces are those of OpenSim's solver, they hold the term by
which its accelerations differ (:func:`mocap_reroot.mechanics.model.opensim_term`); torques do not.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from mocap_reroot.mechanics.model import (
    JointMotion,
    generalised_forces,
    joint_motion,
    opensim_term,
    quaternion_of,
    rates_to_speeds,
)
from mocap_reroot.mechanics.newton_euler import newton_euler
from mocap_reroot.numerics.vectors import product, turn
from mocap_reroot.types import Dynamics, Generalised, Model, Motion

_INVERSE = np.array([[1.0], [-1.0], [-1.0], [-1.0]])
_STEPS = 8  # Newton's, to bring the root's coordinates to a corrected pose
_NEAR = 1e-10  # rad and m


def coordinate_columns(result: Dynamics, motion: Motion) -> dict[str, np.ndarray]:
    """Return the columns of ``coordinates.parquet``.

    Args:
        result: Wrenches of the capture tree.
        motion: The captured motion, with derivatives and coordinates.
    """
    assert motion.coordinates is not None
    coordinates = corrected_root(motion.coordinates, motion)
    model, value = coordinates.model, coordinates.value
    speed, acceleration = coordinates.speed, coordinates.acceleration
    assert speed is not None and acceleration is not None
    moment, force = np.array(result.torque), np.array(result.force)
    root, q = motion.skeleton.root, motion.rotation[motion.skeleton.root]
    pushed, turned = result.residual_force, result.residual_moment
    if result.external_force is not None and result.external_moment is not None:
        # what pushes another body reaches the root through the joints
        names = result.external_body
        here = names is None or np.isin(names, ("", motion.skeleton.names[root]))
        pushed = pushed + np.where(here, result.external_force, 0.0)
        turned = turned + np.where(here, result.external_moment, 0.0)
    force[root], moment[root] = turn(q, pushed, back=True), turn(q, turned, back=True)
    extra = np.array([opensim_term(model, body, value, speed) for body in range(len(model.bodies))])
    if np.nanmax(np.abs(extra), initial=0.0) > 0:
        more = newton_euler(_accelerating(motion, extra), result.body, gravity=0.0)
        moment, force = moment + more.moment, force + more.force
    columns = {"frame": result.frame, "time": result.time, "flag": result.flag_words}
    found = {}
    for body, joint in enumerate(model.joints):
        moved = joint_motion(model, body, value, speed, acceleration)
        forces = generalised_forces(moved, moment[body], force[body])
        rates = rates_to_speeds(model, body, value, speed, acceleration)
        for k, c in enumerate(joint.own):
            found[c] = value[c], rates[0][k], rates[1][k], forces[k]
    for c, name in enumerate(model.names):
        ends = ("value", "speed", "acceleration", "force")
        columns |= {f"{name}_{end}": part for end, part in zip(ends, found[c], strict=True)}
    return columns


def _accelerating(motion: Motion, turning: np.ndarray) -> Motion:
    """Return the poses of a motion at rest, but for accelerations ``(n, 3, F)`` of turns."""
    assert motion.angular_velocity is not None and motion.linear_velocity is not None
    slides = np.zeros_like(motion.linear_velocity)
    return replace(
        motion,
        angular_velocity=np.zeros_like(motion.angular_velocity),
        angular_acceleration=turning,
        linear_velocity=slides,
        linear_acceleration=slides,
    )


def corrected_root(coordinates: Generalised, motion: Motion) -> Generalised:
    """Return coordinates of which the root's tell where it is in a motion that has moved it.

    Args:
        coordinates: With rates; the root's are where to start.
        motion: The motion that they made, its root corrected since.
    """
    root, to_ground = motion.skeleton.root, coordinates.world.T
    own, slot = list(coordinates.model.joints[root].own), int(motion.skeleton.slot[root])
    assert motion.linear_velocity is not None and motion.linear_acceleration is not None
    assert motion.angular_velocity is not None and motion.angular_acceleration is not None
    assert coordinates.speed is not None and coordinates.acceleration is not None
    velocity = to_ground @ motion.linear_velocity[slot]
    acceleration = to_ground @ motion.linear_acceleration[slot]
    by_rates, value = _by_rates(coordinates.model, root), root_values(coordinates, motion)
    moved = joint_motion(by_rates, root, value)
    speed, change = coordinates.speed.copy(), coordinates.acceleration.copy()
    twist = np.concatenate([motion.angular_velocity[root], velocity])
    speed[own] = _solved(moved, twist)
    change[own] = 0.0
    bias = joint_motion(by_rates, root, value, speed, change)
    turning = motion.angular_acceleration[root] - bias.angular_acceleration
    change[own] = _solved(moved, np.concatenate([turning, acceleration - bias.acceleration]))
    return replace(coordinates, value=value, speed=speed, acceleration=change)


def root_values(coordinates: Generalised, motion: Motion) -> np.ndarray:
    """Return ``(c, F)`` values of coordinates, the root's where a motion has it."""
    root, back = motion.skeleton.root, quaternion_of(coordinates.world.T)
    own, by_rates = list(coordinates.model.joints[root].own), _by_rates(coordinates.model, root)
    place = coordinates.world.T @ motion.displacement[int(motion.skeleton.slot[root])]
    q, value = product(back, motion.rotation[root]), coordinates.value.copy()
    for _ in range(_STEPS):
        moved = joint_motion(by_rates, root, value)
        away = product(moved.rotation * _INVERSE, q)
        error = np.concatenate([2 * np.sign(away[0]) * away[1:], place - moved.position])
        step = _solved(moved, error)
        value[own] += step
        if not np.nanmax(np.abs(step), initial=0.0) > _NEAR:
            break
    return value


def _by_rates(model: Model, root: int) -> Model:
    """Return a model whose root is known by rates of its coordinates, whatever its speeds are."""
    return replace(model, joints=(replace(model.joints[root], by_rates=True), *model.joints[1:]))


def _solved(moved: JointMotion, twist: np.ndarray) -> np.ndarray:
    """Return ``(k, F)`` rates of coordinates that come nearest to a twist ``(6, F)``."""
    columns = np.concatenate([moved.turns, moved.slides], axis=1).transpose(2, 1, 0)  # (F, 6, k)
    known = np.isfinite(columns).all(axis=(1, 2)) & np.isfinite(twist).all(axis=0)
    result = np.full((columns.shape[2], len(columns)), np.nan)
    if known.any() and columns.shape[2]:
        result[:, known] = (np.linalg.pinv(columns[known]) @ twist.T[known][..., None])[..., 0].T
    return result
