"""A model's own kinematics: poses, their rates and the motion of every joint, from coordinates.

A body's frame here has the model's axes and originates where its joint's frame M does, so that
slides are slides of the origin and turns leave it where it is.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from mocap_reroot.numerics.vectors import cross, product, turn
from mocap_reroot.types import Generalised, Model, ModelJoint, Skeleton


@dataclass(frozen=True, eq=False)
class JointMotion:
    """How a body moves against its parent, over frames.

    Attributes:
        rotation: ``(4, F)`` body to parent, of the ground's axes for the root.
        position: ``(3, F)`` m, of the body's origin in the parent's frame.
        angular_velocity, angular_acceleration: ``(3, F)`` rad/s, body's axes, and its derivative.
        velocity, acceleration: ``(3, F)`` m/s, m/s², of the position.
        turns, slides: ``(k, 3, F)`` what each of the joint's speeds does: turning velocity in the
            body's axes, velocity in the parent's, a unit of speed.
    """

    rotation: np.ndarray
    position: np.ndarray
    angular_velocity: np.ndarray
    angular_acceleration: np.ndarray
    velocity: np.ndarray
    acceleration: np.ndarray
    turns: np.ndarray
    slides: np.ndarray


def joint_motion(
    model: Model,
    body: int,
    value: np.ndarray,
    speed: np.ndarray | None = None,
    acceleration: np.ndarray | None = None,
) -> JointMotion:
    """Return how one body moves against its parent.

    Args:
        model: The model.
        body: Index of the body.
        value: ``(c, F)`` of all coordinates, rad and m.
        speed, acceleration: ``(c, F)`` their rates; None: at rest.
    """
    joint, frames = model.joints[body], value.shape[1]
    own = joint.own
    still = np.zeros_like(value)
    rates = still if speed is None else speed, still if acceleration is None else acceleration
    # theta, its rates, and d theta / d coordinate, step by step
    steps = [_step(joint, k, value, *rates) for k in range(6)]
    q = np.repeat([[1.0], [0.0], [0.0], [0.0]], frames, axis=1)
    w, dw = np.zeros((2, 3, frames))
    turns, slides = np.zeros((2, len(own), 3, frames))
    for k in range(3):
        axis = joint.axes[k][:, None]
        theta, rate, change, slope = steps[k]
        by = np.concatenate([np.cos(theta / 2)[None], np.sin(theta / 2) * axis])
        q = product(q, by)
        w, dw = turn(by, w, back=True), turn(by, dw, back=True)
        dw = dw - cross(rate * axis, w) + change * axis
        w = w + rate * axis
        for j in range(len(own)):
            turns[j] = turn(by, turns[j], back=True)
        if joint.coordinates[k] >= 0:
            turns[own.index(joint.coordinates[k])] += slope * axis
    along = np.zeros((3, 3, frames))
    for k in range(3, 6):
        axis = joint.axes[k][:, None]
        for row, part in zip(along, steps[k][:3], strict=True):
            row += part * axis
        if joint.coordinates[k] >= 0:
            slides[own.index(joint.coordinates[k])] += steps[k][3] * axis
    if not joint.by_rates:  # turning speed in the axes of F
        for j in range(3):
            turns[j] = turn(q, np.repeat(np.eye(3)[:, [j]], frames, axis=1), back=True)
    to_body, to_parent = joint.child_turn, joint.parent_turn
    rotation = product(
        product(quaternion_of(to_parent), q),
        quaternion_of(to_body) * [[1.0], [-1.0], [-1.0], [-1.0]],
    )
    return JointMotion(
        rotation=rotation,
        position=joint.parent_place[:, None] - _origin(model, body)[:, None] + to_parent @ along[0],
        angular_velocity=to_body @ w,
        angular_acceleration=to_body @ dw,
        velocity=to_parent @ along[1],
        acceleration=to_parent @ along[2],
        turns=np.einsum("ij,kjf->kif", to_body, turns),
        slides=np.einsum("ij,kjf->kif", to_parent, slides),
    )


def _step(
    joint: ModelJoint, k: int, value: np.ndarray, speed: np.ndarray, acceleration: np.ndarray
) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """Return a turn or slide, its first and second rate, and its slope by the coordinate."""
    c = joint.coordinates[k]
    if c < 0:
        nothing = np.zeros(value.shape[1])
        return nothing + joint.functions[k](0.0)[0], nothing, nothing, nothing
    theta, slope, bend = joint.functions[k](value[c])
    return theta, slope * speed[c], bend * speed[c] ** 2 + slope * acceleration[c], slope


def _origin(model: Model, body: int) -> np.ndarray:
    """Return ``(3)`` m, where the parent's frame originates here, in the model's frame of it."""
    parent = int(model.parents[body])
    return np.zeros(3) if parent < 0 else model.joints[parent].child_place


def quaternion_of(turn_: np.ndarray) -> np.ndarray:
    """Return ``(4, 1)`` the quaternion of a rotation matrix."""
    from scipy.spatial.transform import Rotation

    return Rotation.from_matrix(turn_).as_quat(scalar_first=True)[:, None]


def generalised_forces(moved: JointMotion, moment: np.ndarray, force: np.ndarray) -> np.ndarray:
    """Return ``(k, F)`` N·m or N: a joint's wrench projected on what its speeds do.

    Args:
        moved: How the joint moves.
        moment, force: ``(3, F)`` of the parent on the body, at its origin, in its axes.
    """
    pushed = turn(moved.rotation, force)
    turning = np.einsum("kif,if->kf", moved.turns, moment)
    return np.asarray(turning + np.einsum("kif,if->kf", moved.slides, pushed))


def rates_to_speeds(
    model: Model, body: int, value: np.ndarray, speed: np.ndarray, acceleration: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Return ``(k, F)`` speeds and their rates of a joint's own coordinates, as OpenSim has them.

    They are the rates of the coordinates, but for turns of ball and free joints: there they are
    the components of the turning velocity along the axes of F.
    """
    joint = model.joints[body]
    own = list(joint.own)
    u, du = speed[own].copy(), acceleration[own].copy()
    if not joint.by_rates:
        moved = joint_motion(model, body, value, speed, acceleration)
        to_f = product(quaternion_of(joint.parent_turn.T), moved.rotation)  # body to F
        u[:3] = turn(to_f, moved.angular_velocity)
        du[:3] = turn(to_f, moved.angular_acceleration)  # d(R w) = R dw, for w × w is nothing
    return u, du


def opensim_term(model: Model, body: int, value: np.ndarray, speed: np.ndarray) -> np.ndarray:
    """Return ``(3, F)`` rad/s², body's axes: what OpenSim's accelerations have besides the true.

    In a CustomJoint, Simbody turns the second and third axis with the motion of the first speed,
    and of all but the third; that is the motion of the axes before them only where each turn has a
    coordinate of its own. Where several follow one (Walker's knee), a product of rates is too much.
    """
    joint = model.joints[body]
    rates = [_step(joint, k, value, speed, np.zeros_like(value))[:2] for k in range(3)]
    if joint.kind != "CustomJoint" or not joint.own:
        return np.zeros((3, value.shape[1]))
    q = np.repeat([[1.0], [0.0], [0.0], [0.0]], value.shape[1], axis=1)
    columns = []  # of each turn, rad/s, in the axes of F
    for k, (theta, rate) in enumerate(rates):
        axis = joint.axes[k][:, None]
        columns.append(turn(q, np.repeat(axis, value.shape[1], axis=1)) * rate)
        q = product(q, np.concatenate([np.cos(theta / 2)[None], np.sin(theta / 2) * axis]))
    first = [joint.coordinates[k] == joint.own[0] for k in range(3)]
    but_third = [len(joint.own) < 3 or joint.coordinates[k] != joint.own[2] for k in range(3)]
    early = sum((c for c, used in zip(columns, first, strict=True) if used), np.zeros_like(q[1:]))
    late = sum(
        (c for c, used in zip(columns, but_third, strict=True) if used), np.zeros_like(q[1:])
    )
    extra = cross(early - columns[0], columns[1])
    extra += cross(late - columns[0] - columns[1], columns[2])
    return joint.child_turn @ turn(q, extra, back=True)


def following(coordinates: Generalised) -> Generalised:
    """Return coordinates, with their rates, of which those not given follow their couplings."""
    value = coordinates.value.copy()
    speed, acceleration = (
        None if rate is None else rate.copy()
        for rate in (coordinates.speed, coordinates.acceleration)
    )
    for coupling in coordinates.model.couplings:
        c, of = coupling.dependent, coupling.independent
        if coordinates.given[c]:
            continue
        value[c], slope, bend = coupling.function(value[of])
        if speed is not None and acceleration is not None:
            speed[c] = slope * speed[of]
            acceleration[c] = bend * speed[of] ** 2 + slope * acceleration[of]
    return replace(coordinates, value=value, speed=speed, acceleration=acceleration)


def model_states(coordinates: Generalised, skeleton: Skeleton) -> dict[str, np.ndarray]:
    """Return the states of a motion by name, with rates where the coordinates have them.

    Args:
        coordinates: Of the model that the skeleton was made of.
        skeleton: Captured: its root is turned into the axes of the file.
    """
    model, frames = coordinates.model, coordinates.value.shape[1]
    n, k = skeleton.n_bodies, len(skeleton.translating)
    rotation, displacement = np.empty((n, 4, frames)), np.empty((k, 3, frames))
    angular, linear = np.empty((2, n, 3, frames)), np.empty((2, k, 3, frames))
    rates = coordinates.speed, coordinates.acceleration
    world = coordinates.world
    for body in range(n):
        moved = joint_motion(model, body, coordinates.value, *rates)
        along = moved.position, moved.velocity, moved.acceleration
        rotation[body] = moved.rotation
        angular[:, body] = moved.angular_velocity, moved.angular_acceleration
        if body == skeleton.root:
            rotation[body] = product(quaternion_of(world), moved.rotation)
            along = world @ along[0], world @ along[1], world @ along[2]
        if (slot := int(skeleton.slot[body])) >= 0:
            displacement[slot] = along[0] - skeleton.offset[body][:, None]
            linear[:, slot] = along[1:]
    states = {"rotation": rotation, "displacement": displacement}
    if coordinates.acceleration is None:
        return states
    return states | {
        "angular_velocity": angular[0], "angular_acceleration": angular[1],
        "linear_velocity": linear[0], "linear_acceleration": linear[1],
    }  # fmt: skip
