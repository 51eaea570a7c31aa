"""Close the loop that two feet on the ground make with it: both stay where they stand.

A support-rooted motion holds one foot by its root; the other, in double support, is held by the
ground as well, and the capture shows it moving by what all joints between are off. Here the joints
share that error out, as little as they can (Faure, section 3, in relative coordinates).
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from scipy.spatial.transform import Rotation

from mocap_reroot.mechanics.constraints import joint
from mocap_reroot.mechanics.coordinates import Coordinates
from mocap_reroot.mechanics.kinematics import World, forward
from mocap_reroot.mechanics.relative import Loops
from mocap_reroot.types import WORLD, BodyModel, Closure, Motion, Phase


def close_support(
    motion: Motion, phase: Phase, body: BodyModel | None = None, *, kind: str = "rigid"
) -> Motion:
    """Return a motion in which every body that carries stays where it usually is in its phase.

    Args:
        motion: One phase of a re-rooted motion (a captured one will do as well).
        phase: Whose ``support`` is held.
        body: Masses: heavy parts then move least; without them all joints count alike.
        kind: What the ground holds: ``"rigid"`` (a flat foot), ``"line"``, ``"point"``.

    Returns:
        Motion: Without velocities; smooth it, or keep what is needed of it.
    """
    coordinates = Coordinates(motion.skeleton)
    loops = Loops(coordinates, support_closures(forward(motion), phase, kind), body)
    states = np.empty((coordinates.n_coordinates, motion.n_frames))
    for frame in range(motion.n_frames):
        states[:, frame], _ = loops.close(coordinates.of_motion(motion, frame)[0])
    closed = coordinates.to_motion(states, up=motion.up, fps=motion.fps)
    return replace(
        motion,
        rotation=closed.rotation,
        displacement=closed.displacement,
        angular_velocity=None,
        angular_acceleration=None,
        linear_velocity=None,
        linear_acceleration=None,
    )


def support_closures(world: World, phase: Phase, kind: str = "rigid") -> tuple[Closure, ...]:
    """Return what holds the bodies that carry: to the ground, at their mean pose in the phase."""
    names, origin = world.motion.skeleton.names, world.motion.skeleton.origin
    closures = []
    for body in phase.support:
        turn = Rotation.from_matrix(world.matrix[body]).mean()
        at = world.position[body].mean(axis=1)
        axes = turn.as_quat(scalar_first=True)
        ground = names[body]
        closures.append(joint(kind, WORLD, body, at, origin[body], axes, name=ground))
    return tuple(closures)


def opening(motion: Motion, phase: Phase) -> float:
    """Return m, how far the bodies that carry move from their mean place in a phase, at most."""
    place = forward(motion).position[list(phase.support)]
    return float(np.linalg.norm(place - place.mean(axis=2, keepdims=True), axis=1).max())
