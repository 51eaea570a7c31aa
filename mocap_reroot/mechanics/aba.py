"""Articulated bodies: how a tree accelerates under torques."""

from __future__ import annotations

import numpy as np

from mocap_reroot.mechanics.coordinates import Coordinates
from mocap_reroot.types import STANDARD_GRAVITY, BodyModel, Skeleton, read_only


def forward_dynamics(
    skeleton: Skeleton,
    body: BodyModel,
    q: np.ndarray,
    speed: np.ndarray,
    tau: np.ndarray,
    *,
    up: np.ndarray = (0.0, 0.0, 1.0),  # type: ignore[assignment]
    gravity: float = STANDARD_GRAVITY,
    external: np.ndarray | None = None,
) -> np.ndarray:
    """Return ``(speeds)`` the joint accelerations of one state.

    Args:
        skeleton: Any tree, captured or re-rooted.
        body: Its mass model.
        q, speed: State, body after body (see :class:`.coordinates.Coordinates`).
        tau: Joint forces and torques along the speeds.
        up: Against gravity.
        gravity: m/s².
        external: ``(n, 6)`` moment about the world's origin and force on every body, world axes.
    """
    from mocap_reroot.kernels import aba

    layout = Coordinates(skeleton)
    outside = np.zeros((skeleton.n_bodies, 6)) if external is None else np.array(external, float)
    acceleration = np.empty(layout.n_speeds)
    state = np.array(q, float), np.array(speed, float), np.array(tau, float)
    down = read_only(-gravity * np.asarray(up, float))
    aba.forward_dynamics(layout.tree, layout.bodies(body), down, *state, outside, acceleration)
    return acceleration
