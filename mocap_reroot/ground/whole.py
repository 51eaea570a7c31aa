"""Centre of mass, momentum and inertia of the whole body over a run of frames."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from mocap_reroot.types import STANDARD_GRAVITY, BodyModel


@dataclass(frozen=True, eq=False)
class Whole:
    """The whole body, world axes.

    Attributes:
        mass: kg.
        centre, velocity, acceleration: ``(3, F)`` m, m/s, m/s², of the centre of mass.
        momentum, rate: ``(3, F)`` kg·m²/s, N·m, angular momentum about it and its derivative.
        inertia: ``(3, 3, F)`` kg·m² about it.
    """

    mass: float
    centre: np.ndarray
    velocity: np.ndarray
    acceleration: np.ndarray
    momentum: np.ndarray
    rate: np.ndarray
    inertia: np.ndarray

    @property
    def weight(self) -> float:
        """N."""
        return self.mass * STANDARD_GRAVITY


def whole_body(world: np.ndarray, body: BodyModel) -> Whole:
    """Return the sums over bodies, ``(n, 19, F)`` as ``kinematics.moving`` places them."""
    from mocap_reroot.kernels.whole_body import whole_body as compiled

    frames = world.shape[-1]
    w = np.empty((21, frames))
    compiled(body.mass, body.com, body.inertia, world, w)
    inertia = w[[15, 18, 19, 18, 16, 20, 19, 20, 17]].reshape(3, 3, frames)
    return Whole(body.total_mass, w[:3], w[3:6], w[6:9], w[9:12], w[12:15], inertia)
