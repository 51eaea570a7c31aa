"""OpenSim's inverse dynamics on the files we write, given our own velocities and accelerations."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import opensim

import mocap_reroot as mr
from mocap_reroot.export.osim import Posed, posed
from mocap_reroot.export.storage import to_y_up
from mocap_reroot.numerics.vectors import matrices


def rates(motion: mr.Motion, pose: Posed) -> dict[str, tuple[np.ndarray, np.ndarray]]:
    """Return speed and acceleration of every coordinate, from angular velocities and their rates.

    With ``R = R₁ R₂ R₃``, ``ω = R₃ᵀ R₂ᵀ a₁ q̇₁ + R₃ᵀ a₂ q̇₂ + a₃ q̇₃`` in the body's axes.
    """
    found = {}
    for body in range(motion.skeleton.n_bodies):
        q, axes = pose.angles[body], np.eye(3)[pose.sequence[body]]
        columns = _columns(q, axes)
        speed = np.linalg.solve(columns, motion.angular_velocity[body].T[..., None])[..., 0].T
        turns = [_about(axes[k], q[k]) for k in range(3)]
        # The axes turn with the rotations that follow them.
        w3 = axes[2][:, None] * speed[2]
        w2 = np.einsum("fji,j,f->if", turns[2], axes[1], speed[1])
        a1, a2 = columns[..., 0].T, columns[..., 1].T
        drift = np.cross(a1 * speed[0], w2 + w3, axis=0) + np.cross(a2 * speed[1], w3, axis=0)
        left = (motion.angular_acceleration[body] - drift).T[..., None]
        acceleration = np.linalg.solve(columns, left)[..., 0].T
        found |= dict(zip(pose.rotations(body), zip(speed, acceleration, strict=True), strict=True))
        if body in pose.slides:
            slot, turn = motion.skeleton.slot[body], np.eye(3)
            if body == motion.skeleton.root:
                turn = to_y_up(motion.up)
            both = turn @ motion.linear_velocity[slot], turn @ motion.linear_acceleration[slot]
            found |= dict(zip(pose.translations(body), zip(*both, strict=True), strict=True))
    return found


def _about(axis: np.ndarray, angle: np.ndarray) -> np.ndarray:
    """Return ``(F, 3, 3)`` rotations about an axis."""
    q = np.concatenate([np.cos(angle / 2)[None], axis[:, None] * np.sin(angle / 2)])
    return np.moveaxis(matrices(q), -1, 0)


def _columns(q: np.ndarray, axes: np.ndarray) -> np.ndarray:
    """Return ``(F, 3, 3)`` whose columns are the three axes of rotation, in the body's axes."""
    second, third = _about(axes[1], q[1]), _about(axes[2], q[2])
    first = np.einsum("fji,fkj,k->fi", third, second, axes[0])
    return np.stack(
        [first, np.einsum("fji,j->fi", third, axes[1]), np.tile(axes[2], (q.shape[1], 1))], axis=-1
    )


def projected(analysis: mr.Analysis, pose: Posed) -> dict[str, np.ndarray]:
    """Return our joint moments about the axes of the model's rotations, N·m."""
    found = {}
    for body in analysis.dynamics.joints:
        columns = _columns(pose.angles[body], np.eye(3)[pose.sequence[body]])
        moment = np.einsum("fic,if->cf", columns, analysis.dynamics.torque[body])
        found |= dict(zip(pose.rotations(body), moment, strict=True))
    return found


def solved(analysis: mr.Analysis, folder: Path, stem: str, frames: np.ndarray) -> dict:
    """Return generalised forces by coordinate, ``(frames)``, of OpenSim's InverseDynamicsSolver."""
    pose = posed(analysis.motion)
    moving = rates(analysis.motion, pose)
    value = pose.table
    model = opensim.Model(str(folder / f"{stem}.osim"))
    model.addModelComponent(opensim.ExternalLoads(str(folder / f"{stem}_external_loads.xml"), True))
    state = model.initSystem()
    solver = opensim.InverseDynamicsSolver(model)
    order = {}
    for k in range(model.getNumCoordinates()):  # where in Simbody's vectors each coordinate is
        coordinate = model.getCoordinateSet().get(k)
        state.updU().setToZero()
        coordinate.setSpeedValue(state, 1.0)
        u = state.getU().to_numpy()
        order[coordinate.getName()] = int(np.flatnonzero(u)[0])
    assert sorted(order.values()) == list(range(len(order)))
    found = {name: np.empty(len(frames)) for name in order}
    for at, frame in enumerate(frames):
        u, udot = np.zeros(len(order)), np.zeros(len(order))
        q = np.zeros(len(order))
        for name, place in order.items():
            q[place] = value[name].iloc[frame]
            u[place], udot[place] = (rate[frame] for rate in moving[name])
        state.setTime(float(pose.time[frame]))
        state.setQ(opensim.Vector.createFromMat(q))
        state.setU(opensim.Vector.createFromMat(u))
        force = solver.solve(state, opensim.Vector.createFromMat(udot)).to_numpy()
        for name, place in order.items():
            found[name][at] = force[place]
    return found
