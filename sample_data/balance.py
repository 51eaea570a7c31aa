"""State the ground forces and joint moments of a movement: sums over bodies, shared by two feet."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np

from sample_data import gait_model as model
from sample_data.gait import SIDES, Gait, load_share, pressure_path, stance_place

FINE = 1e-3
"""s, step of the differences behind the true forces."""


class Movement(Protocol):
    """Whatever has a pose at every time."""

    def pose(self, time: np.ndarray) -> tuple[np.ndarray, dict[str, np.ndarray]]:
        """Return the pelvis path ``(F, 3)`` and joint rotations of the person."""


@dataclass(frozen=True)
class Masses:
    """Mass, centre of mass and inertia of every body, in the order of ``gait_model.NAMES``."""

    mass: np.ndarray
    com: np.ndarray
    inertia: np.ndarray


@dataclass(frozen=True)
class Needs:
    """What every body needs to move as it does, world axes, bodies and frames first.

    Attributes:
        rotation, position: ``(n, F, 3, 3)``, ``(n, F, 3)`` of the bodies.
        force, moment: ``(n, F, 3)`` m (a − g), and d/dt (I ω) about the body's own centre.
        centre: ``(n, F, 3)`` m.
    """

    rotation: np.ndarray
    position: np.ndarray
    force: np.ndarray
    moment: np.ndarray
    centre: np.ndarray


@dataclass(frozen=True)
class Feet:
    """What the ground gives each foot, left then right; world axes.

    Attributes:
        on: ``(2, F)`` whether each foot stands.
        force, pressure, couple: ``(2, F, 3)`` N, ``(2, F, 3)`` m, ``(2, F)`` N m.
        shift: ``(F, 3)`` m, by which both pressures differ from the path that they should take.
    """

    on: np.ndarray
    force: np.ndarray
    pressure: np.ndarray
    couple: np.ndarray
    shift: np.ndarray


@dataclass(frozen=True)
class Truth:
    """What is true of a movement at given times; world axes, frames first.

    Attributes:
        rotation, position: ``(n, F, 3, 3)``, ``(n, F, 3)`` of the bodies.
        total_force, total_moment: ``(F, 3)``, moment about the world's origin.
        on: ``(2, F)`` whether each foot stands.
        force, pressure, couple: ``(2, F, 3)``, ``(2, F, 3)``, ``(2, F)`` of left and right foot.
        moment: ``(n, F, 3)`` N m, of the parent on the body at its joint, body axes.
    """

    rotation: np.ndarray
    position: np.ndarray
    total_force: np.ndarray
    total_moment: np.ndarray
    on: np.ndarray
    force: np.ndarray
    pressure: np.ndarray
    couple: np.ndarray
    moment: np.ndarray


def needs(gait: Movement, masses: Masses, time: np.ndarray) -> Needs:
    """Return poses and inertial wrenches at times, differentiated on a fine grid about each."""
    around = (time[:, None] + FINE * np.arange(-8, 9)).ravel()
    rotation, position = model.place(*gait.pose(around))
    shape = (len(model.NAMES), len(time), 17)
    rotation, position = rotation.reshape(*shape, 3, 3), position.reshape(*shape, 3)
    parts = [
        model.inertial_wrenches(
            rotation[:, f], position[:, f], masses.mass, masses.com, masses.inertia, FINE
        )
        for f in range(len(time))
    ]
    force, moment, centre = (np.stack([p[k][:, 8] for p in parts], axis=1) for k in range(3))
    return Needs(rotation[:, :, 8], position[:, :, 8], force, moment, centre)


def whole(need: Needs) -> tuple[np.ndarray, np.ndarray]:
    """Return the force and the moment about the origin ``(F, 3)`` that the whole body needs."""
    return need.force.sum(0), (need.moment + np.cross(need.centre, need.force)).sum(0)


def feet(gait: Gait, masses: Masses, time: np.ndarray, need: Needs) -> Feet:
    """Return what each foot gets, such that both together give what the body needs.

    Loads are shared by a smooth ramp. Feet push along their line to the centre of mass, as people's
    do who stand on both, and share what is left. Both pressures shift by the same.
    """
    force, moment = whole(need)
    com = np.einsum("n,nfi->fi", masses.mass, need.centre) / masses.mass.sum()
    share, on = np.zeros((2, len(time))), np.zeros((2, len(time)), bool)
    path = np.zeros((2, len(time), 3))
    for k, (_, sign) in enumerate(SIDES):
        phase, base, out = stance_place(gait, time, sign)
        share[k] = load_share(gait, phase)
        on[k] = phase <= gait.duty
        path[k] = pressure_path(gait, phase, base, out)
    up = np.where(np.abs(force[:, 1]) > 1e-9, force[:, 1], np.nan)
    pressed = np.stack([moment[:, 2] / up, 0 * up, -moment[:, 0] / up], axis=1)
    shift = pressed - (share[..., None] * path).sum(0) / np.maximum(share.sum(0), 1e-9)[:, None]
    pressure = path + np.where(on[..., None], shift, 0.0)
    line = (com - pressure) / com[:, 1:2]
    line[..., 1] = 1.0
    own = share[..., None] * force[:, 1:2] * line
    own += share[..., None] * (force - own.sum(0))
    rest = moment[:, 1] - np.cross(pressure, own).sum(0)[:, 1]
    return Feet(on, own, pressure, share * rest, shift)


def joint_moments(need: Needs, ground: Feet, joints: list[int] | None = None) -> np.ndarray:
    """Return ``(n, F, 3)`` N m at joints: what bodies beyond need, less what the ground gives."""
    out = np.zeros_like(need.position)
    for i in range(1, len(model.NAMES)) if joints is None else joints:
        beyond = BEYOND[i]
        arm = need.centre[beyond] - need.position[i]
        moment = (need.moment[beyond] + np.cross(arm, need.force[beyond])).sum(0)
        for k, (side, _) in enumerate(SIDES):
            if model.NAMES.index(f"{side}Foot") in beyond:
                arm = ground.pressure[k] - need.position[i]
                moment = moment - np.cross(arm, ground.force[k])
                moment[:, 1] -= ground.couple[k]
        out[i] = np.einsum("fji,fj->fi", need.rotation[i], moment)
    return out


def truth(
    gait: Any,
    masses: Masses,
    time: np.ndarray,
    shared: Callable[[Any, Masses, np.ndarray, Needs], Feet] = feet,
) -> Truth:
    """Return poses, ground forces and joint moments at given times, by sums over bodies.

    ``shared`` says what each foot gets of what a movement needs.
    """
    need = needs(gait, masses, time)
    ground = shared(gait, masses, time, need)
    return Truth(
        need.rotation,
        need.position,
        *whole(need),
        ground.on,
        ground.force,
        ground.pressure,
        ground.couple,
        joint_moments(need, ground),
    )


def _path_up(body: int) -> list[int]:
    path = [body]
    while model.PARENTS[path[-1]] >= 0:
        path.append(model.PARENTS[path[-1]])
    return path


BEYOND = [[k for k in range(len(model.NAMES)) if i in _path_up(k)] for i in range(len(model.NAMES))]
"""Of every joint the bodies that move with it."""
