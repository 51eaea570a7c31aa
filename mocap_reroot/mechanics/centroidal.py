"""Centre of mass and angular momentum of the whole body, and their Jacobians by joint rotations."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from mocap_reroot.mechanics.kinematics import World
from mocap_reroot.numerics.vectors import cross, dot, matrices, product, skew
from mocap_reroot.types import BodyModel

_BACK = np.array([1.0, -1.0, -1.0, -1.0])[:, None]


@dataclass(frozen=True, eq=False)
class Centroidal:
    """A placed body about its centre of mass.

    Attributes:
        world: Where its bodies are.
        mass: ``(n)`` kg of each subtree.
        centre: ``(3, F)`` m, centre of mass of the whole.
        moment: ``(n, 3, F)`` kg·m, mass of each subtree × its centre, from ``centre`` on.
        inertia: ``(n, F, 3, 3)`` kg·m² of each subtree about ``centre``.
    """

    world: World
    mass: np.ndarray
    centre: np.ndarray
    moment: np.ndarray
    inertia: np.ndarray

    @staticmethod
    def of(world: World, body: BodyModel) -> Centroidal:
        """Return what the subtrees of a placed body weigh."""
        skeleton = world.motion.skeleton
        place = _centres(world, body)
        centre = np.einsum("n,ncf->cf", body.mass, place) / body.total_mass
        mass = np.array(body.mass)
        moment = body.mass[:, None, None] * (place - centre)
        inertia = world.matrix @ body.inertia[:, None] @ world.matrix.swapaxes(-1, -2)
        for b in range(len(mass)):
            arm = skew(place[b] - centre)
            inertia[b] -= body.mass[b] * arm @ arm
        for b in skeleton.order[:0:-1]:
            parent = skeleton.parents[b]
            mass[parent] += mass[b]
            moment[parent] += moment[b]
            inertia[parent] += inertia[b]
        return Centroidal(world, mass, centre, moment, inertia)

    def turning(self, joint: int) -> tuple[np.ndarray, np.ndarray]:
        """Return what a turn (world axes) of a joint's subtree does.

        Returns:
            tuple: ``(F, 3, 3)`` m/rad, the way of the centre of mass, and ``(F, 3, 3)`` kg·m²,
            angular momentum per rad/s.
        """
        arm = self.centre - self.world.position[joint]
        way = -skew(self.moment[joint] + self.mass[joint] * arm) / self.mass.max()
        return way, self.inertia[joint] - skew(self.moment[joint]) @ skew(arm)


def _centres(world: World, body: BodyModel) -> np.ndarray:
    return np.stack([world.point(i, body.com[i]) for i in range(len(body.mass))])


def angular_momentum(world: World, body: BodyModel) -> np.ndarray:
    """Return ``(3, F - 1)`` kg·m²/s about the centre of mass, between the frames of poses."""
    fps, place = world.motion.fps, _centres(world, body)
    centre = np.einsum("n,ncf->cf", body.mass, place) / body.total_mass
    arm, total = place - centre, np.zeros((3, place.shape[2] - 1))
    for b, mass in enumerate(body.mass):
        if mass == 0:
            continue
        one, two = world.orientation[b][:, :-1], world.orientation[b][:, 1:]
        two = two * np.where(dot4(one, two) < 0, -1.0, 1.0)
        step = product(two, one * _BACK)
        size = np.sqrt(dot(step[1:], step[1:]))
        spin = 2 * fps * step[1:] * (np.arctan2(size, step[0]) / np.maximum(size, 1e-15))
        half = one + two
        turn = np.moveaxis(matrices(half / np.sqrt(dot4(half, half))), -1, 0)
        own = turn @ body.inertia[b] @ turn.swapaxes(1, 2) @ spin.T[..., None]
        middle = (arm[b][:, 1:] + arm[b][:, :-1]) / 2
        total += mass * cross(middle, np.diff(arm[b]) * fps) + own[..., 0].T
    return total


def dot4(p: np.ndarray, q: np.ndarray) -> np.ndarray:
    """Return products ``(F)`` of quaternions ``(4, F)``."""
    return np.asarray((p * q).sum(axis=0))
