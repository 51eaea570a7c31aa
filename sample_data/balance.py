"""Find the pelvis path that keeps the balance, and state the forces that follow."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from sample_data import gait_model as model
from sample_data.gait import (
    GRID,
    Balance,
    Gait,
    load_share,
    pose,
    pressure_path,
    ramp,
    stance_place,
)

FINE = 1e-3
"""s, step of the differences behind the true forces."""
FEET = (("Left", 1.0, 0.0), ("Right", -1.0, 0.5))


@dataclass(frozen=True)
class Masses:
    """Mass, centre of mass and inertia of every body, in the order of ``gait_model.NAMES``."""

    mass: np.ndarray
    com: np.ndarray
    inertia: np.ndarray


@dataclass(frozen=True)
class Truth:
    """What is true of a gait at given times; world axes, frames first.

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


def wrenches(gait: Gait, balance: Balance, masses: Masses, time: np.ndarray) -> tuple:
    """Return poses and inertial wrenches at times, differentiated on a fine grid about each."""
    around = (time[:, None] + FINE * np.arange(-8, 9)).ravel()
    rotation, position = model.place(*pose(gait, balance, around))
    shape = (len(model.NAMES), len(time), 17)
    rotation, position = rotation.reshape(*shape, 3, 3), position.reshape(*shape, 3)
    parts = [
        model.inertial_wrenches(
            rotation[:, f], position[:, f], masses.mass, masses.com, masses.inertia, FINE
        )
        for f in range(len(time))
    ]
    force, moment, centre = (np.stack([p[k][:, 8] for p in parts], axis=1) for k in range(3))
    return rotation[:, :, 8], position[:, :, 8], force, moment, centre


def second_derivative(period: float) -> np.ndarray:
    """Return the spectral matrix ``(GRID, GRID)`` of d²/dt² on periodic samples."""
    k = np.fft.fftfreq(GRID, 1 / GRID)
    rate = 2j * np.pi * k / period
    return np.fft.ifft((rate**2)[:, None] * np.fft.fft(np.eye(GRID), axis=0), axis=0).real


def find_balance(gait: Gait, masses: Masses, rounds: int = 8) -> Balance:
    """Return the periodic pelvis path for which pressure travels from heel to toe."""
    balance = Balance()
    time = np.arange(GRID) / GRID * gait.period
    second = second_derivative(gait.period)
    weight = masses.mass.sum() * model.GRAVITY
    share, target = np.zeros((2, GRID)), np.zeros((2, GRID, 3))
    for k, (_, sign, delay) in enumerate(FEET):
        phase, base, out = stance_place(gait, time, sign, delay)
        share[k] = load_share(gait, phase)
        target[k] = pressure_path(gait, phase, base, out)
    vertical = vertical_force(gait, time) * weight
    lift = np.linalg.lstsq(second, (vertical - weight) / masses.mass.sum(), rcond=None)[0]
    for _ in range(rounds):
        _, _, force, moment, centre = wrenches(gait, balance, masses, time)
        com = (masses.mass[:, None, None] * centre).sum(0) / masses.mass.sum()
        spin = (moment + np.cross(centre - com, force)).sum(0)
        balance.samples[:, 1] += (lift - lift.mean()) - (com[:, 1] - com[:, 1].mean())
        w = np.maximum(vertical, 0) / (masses.mass.sum() * com[:, 1])
        sure = ramp(vertical / weight / 0.2)
        total_share = np.maximum(share.sum(0), 1e-9)
        for axis, turn_axis, sense in ((0, 2, 1.0), (2, 0, -1.0)):
            wanted = (share * target[..., axis]).sum(0) / total_share
            drift = gait.speed * time if axis == 2 else 0.0
            limb = sense * spin[:, turn_axis] / (masses.mass.sum() * com[:, 1]) * sure
            path = np.linalg.solve(np.diag(w) - second, w * (wanted - drift) - limb)
            balance.samples[:, axis] += path - (com[:, axis] - drift)
    return balance


def vertical_force(gait: Gait, time: np.ndarray) -> np.ndarray:
    """Return the whole vertical force in body weights.

    A run pushes once in every stance and nowhere else; a walk has two waves a stride.
    """
    if not gait.flight:
        wave = 4 * np.pi * (time / gait.period - 0.5 * (gait.duty - 0.5))
        return 1 + gait.force_wave[0] * np.cos(wave) + gait.force_wave[1] * np.cos(2 * wave)
    force = np.zeros_like(time)
    for _, sign, delay in FEET:
        phase, _, _ = stance_place(gait, time, sign, delay)
        force += np.sin(np.pi * np.clip(phase / gait.duty, 0, 1)) ** 2
    return force / force.mean()


def truth(gait: Gait, balance: Balance, masses: Masses, time: np.ndarray) -> Truth:
    """Return poses, ground forces and joint moments at given times, by sums over bodies."""
    rotation, position, force, moment, centre = wrenches(gait, balance, masses, time)
    total_force = force.sum(0)
    total_moment = (moment + np.cross(centre, force)).sum(0)
    frames = len(time)
    share, on = np.zeros((2, frames)), np.zeros((2, frames), bool)
    pressure = np.zeros((2, frames, 3))
    for k, (_, sign, delay) in enumerate(FEET):
        phase, base, out = stance_place(gait, time, sign, delay)
        share[k] = load_share(gait, phase)
        on[k] = phase < gait.duty
        pressure[k] = pressure_path(gait, phase, base, out)
    # The pressure of both feet shifts together so that the whole wrench is met exactly.
    up = np.where(np.abs(total_force[:, 1]) > 1e-9, total_force[:, 1], np.nan)
    centre_of_pressure = np.stack(
        [total_moment[:, 2] / up, 0 * up, -total_moment[:, 0] / up], axis=1
    )
    wanted = (share[..., None] * pressure).sum(0)
    pressure = pressure + on[..., None] * (centre_of_pressure - wanted)
    foot_force = share[..., None] * total_force
    rest = total_moment[:, 1] - np.cross(pressure, foot_force).sum(0)[:, 1]
    joints = _joint_moments(
        rotation, position, force, moment, centre, foot_force, pressure, share * rest
    )
    return Truth(
        rotation,
        position,
        total_force,
        total_moment,
        on,
        foot_force,
        pressure,
        share * rest,
        joints,
    )


def _joint_moments(
    rotation: np.ndarray,
    position: np.ndarray,
    force: np.ndarray,
    moment: np.ndarray,
    centre: np.ndarray,
    foot_force: np.ndarray,
    pressure: np.ndarray,
    couple: np.ndarray,
) -> np.ndarray:
    """Return moments at every joint: what the bodies beyond it need, less what the ground gives."""
    out = np.zeros_like(position)
    for i in range(1, len(model.NAMES)):
        beyond = [k for k in range(len(model.NAMES)) if i in _path_up(k)]
        arm = centre[beyond] - position[i]
        need = (moment[beyond] + np.cross(arm, force[beyond])).sum(0)
        for k, side in enumerate(("Left", "Right")):
            if model.NAMES.index(f"{side}Foot") in beyond:
                need = need - np.cross(pressure[k] - position[i], foot_force[k])
                need[:, 1] -= couple[k]
        out[i] = np.einsum("fji,fj->fi", rotation[i], need)
    return out


def _path_up(body: int) -> list[int]:
    path = [body]
    while model.PARENTS[path[-1]] >= 0:
        path.append(model.PARENTS[path[-1]])
    return path
