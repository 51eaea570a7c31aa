"""Joint coordinates: one state of a skeleton as the vectors that simulations integrate.

``q`` holds every joint's coordinates and ``speed`` its speeds, body after body in the order of
their indices (see :mod:`mocap_reroot.kernels.joints` for what each joint type stores).
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from mocap_reroot.errors import MocapRerootError
from mocap_reroot.numerics.vectors import turn
from mocap_reroot.types import (
    BodyModel,
    Closure,
    JointType,
    Motion,
    Skeleton,
    closure_arrays,
    read_only,
)

_COORDINATES = np.array([0, 1, 1, 2, 4, 7])
_SPEEDS = np.array([0, 1, 1, 2, 3, 6])


@dataclass(frozen=True, eq=False)
class Coordinates:
    """Where each joint's numbers stand in the vectors of a state.

    Attributes:
        skeleton: The tree.
    """

    skeleton: Skeleton

    @cached_property
    def q_start(self) -> np.ndarray:
        """``(n + 1)`` where each body's coordinates start; the last is their number."""
        counts = _COORDINATES[self.skeleton.joint_types]
        return read_only(np.concatenate([[0], np.cumsum(counts)]), np.int64)

    @cached_property
    def v_start(self) -> np.ndarray:
        """``(n + 1)`` where each body's speeds start; the last is their number."""
        counts = _SPEEDS[self.skeleton.joint_types]
        return read_only(np.concatenate([[0], np.cumsum(counts)]), np.int64)

    @property
    def n_coordinates(self) -> int:
        """Length of ``q``."""
        return int(self.q_start[-1])

    @property
    def n_speeds(self) -> int:
        """Length of ``speed``: the degrees of freedom of the tree."""
        return int(self.v_start[-1])

    def speeds_of(self, body: str | int) -> slice:
        """Return where one joint's speeds (and torques) stand."""
        i = self.skeleton.index(body)
        return slice(int(self.v_start[i]), int(self.v_start[i + 1]))

    def coordinates_of(self, body: str | int) -> slice:
        """Return where one joint's coordinates stand."""
        i = self.skeleton.index(body)
        return slice(int(self.q_start[i]), int(self.q_start[i + 1]))

    @cached_property
    def tree(self) -> tuple[np.ndarray, ...]:
        """The tree as :mod:`mocap_reroot.kernels.tree` takes it."""
        s = self.skeleton
        arrays = s.order, s.parents, s.offset, s.rest, s.joint_types, s.axes
        return (*arrays, self.q_start, self.v_start)

    def bodies(self, body: BodyModel) -> tuple[np.ndarray, ...]:
        """Return mass, com in current frames and inertia, as the kernels take them."""
        if body.skeleton.names != self.skeleton.names:
            raise MocapRerootError("The body model was made for another skeleton: names differ.")
        return body.mass, read_only(body.com - self.skeleton.origin), body.inertia

    def closures(self, closures: tuple[Closure, ...]) -> tuple[np.ndarray, ...]:
        """Return closures in current frames, as the kernels of closed chains take them."""
        origin = np.concatenate([self.skeleton.origin, np.zeros((1, 3))])  # the world's: last, −1
        return closure_arrays(closures, origin)

    @cached_property
    def quaternions(self) -> np.ndarray:
        """``(k, 4)`` where the quaternions of spherical and free joints stand in ``q``."""
        kinds = self.skeleton.joint_types
        starts = self.q_start[:-1] + np.where(kinds == JointType.FREE, 3, 0)
        turning = (kinds == JointType.SPHERICAL) | (kinds == JointType.FREE)
        return starts[turning, None] + np.arange(4)

    def normalised(self, q: np.ndarray) -> np.ndarray:
        """Return coordinates with unit quaternions."""
        q = q.copy()
        q[self.quaternions] /= np.linalg.norm(q[self.quaternions], axis=1, keepdims=True)
        return q

    def neutral(self) -> np.ndarray:
        """Return ``(q)`` with every joint at rest."""
        q = np.zeros(self.n_coordinates)
        q[self.quaternions[:, 0]] = 1.0
        return q

    def of_motion(
        self, motion: Motion, frame: int = 0
    ) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Return ``q``, speeds and accelerations of one frame (zero where the motion has none)."""
        from mocap_reroot.kernels import joints

        s = self.skeleton
        q, speed, acceleration = (
            np.zeros(k) for k in (self.n_coordinates, self.n_speeds, self.n_speeds)
        )
        for i, kind in enumerate(s.joint_types):
            slot, rotation = s.slot[i], motion.rotation[i, :, frame].copy()
            slide = motion.displacement[slot, :, frame].copy() if slot >= 0 else np.zeros(3)
            qs, vs = self.coordinates_of(i), self.speeds_of(i)
            joints.coordinates(int(kind), s.rest[i], s.axes[i], rotation, slide, q[qs])
            if motion.angular_velocity is None:
                continue
            twist, change = np.zeros(6), np.zeros(6)
            _twists(motion, i, frame, rotation, twist, change)
            args = twist, change, speed[vs], acceleration[vs]
            joints.speeds(int(kind), s.axes[i], q[qs], *args)
        return q, speed, acceleration

    def to_motion(
        self,
        q: np.ndarray,
        speed: np.ndarray | None = None,
        acceleration: np.ndarray | None = None,
        *,
        up: np.ndarray = (0.0, 0.0, 1.0),  # type: ignore[assignment]
        fps: float = 100.0,
    ) -> Motion:
        """Return the motion of states ``q (…, F)`` or one state ``q (…)``, with rates."""
        from mocap_reroot.kernels import joints

        s, n = self.skeleton, self.skeleton.n_bodies
        q = q[:, None] if q.ndim == 1 else q
        frames = q.shape[1]
        shape = (self.n_speeds, frames)
        rates = [np.zeros(shape) if x is None else x.reshape(shape) for x in (speed, acceleration)]
        rotation, omega, alpha = (np.zeros((n, c, frames)) for c in (4, 3, 3))
        slide, rate, rate2 = (np.zeros((n, 3, frames)) for _ in range(3))
        r, u, v, dv, du, ddu = (np.zeros(k) for k in (4, 3, 6, 6, 3, 3))
        for i, kind in enumerate(s.joint_types):
            for f in range(frames):
                x = q[self.coordinates_of(i), f].copy()
                w, dw = (y[self.speeds_of(i), f].copy() for y in rates)
                joints.pose(int(kind), s.rest[i], s.axes[i], x, r, u)
                joints.twist(int(kind), s.axes[i], x, w, dw, v, dv)
                joints.slide_rates(r, v, dv, du, ddu)
                rotation[i, :, f], omega[i, :, f], alpha[i, :, f] = r, v[:3], dv[:3]
                slide[i, :, f], rate[i, :, f], rate2[i, :, f] = u, du, ddu
        t = s.translating
        return Motion(
            s, fps, np.asarray(up, float), rotation, slide[t], omega, alpha, rate[t], rate2[t]
        )


def _twists(
    motion: Motion, i: int, frame: int, rotation: np.ndarray, v: np.ndarray, dv: np.ndarray
) -> None:
    """Fill the joint's twist and its derivative in body axes: ν = Rᵀu̇, ν̇ = Rᵀü − ω × ν."""
    assert motion.angular_velocity is not None and motion.linear_velocity is not None
    slot = motion.skeleton.slot[i]
    v[:3] = motion.angular_velocity[i, :, frame]
    if motion.angular_acceleration is not None:
        dv[:3] = motion.angular_acceleration[i, :, frame]
    if slot >= 0:
        v[3:] = turn(rotation, motion.linear_velocity[slot, :, frame], back=True)
        if motion.linear_acceleration is not None:
            dv[3:] = turn(rotation, motion.linear_acceleration[slot, :, frame], back=True)
        dv[3:] -= np.cross(v[:3], v[3:])
