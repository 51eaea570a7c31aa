"""A made-up person, small enough to reason about: expected values are obvious."""

from __future__ import annotations

import numpy as np

from mocap_reroot.types import (
    Anatomy,
    BodyModel,
    Contacts,
    Motion,
    Phase,
    Plane,
    Skeleton,
    Sole,
)

NAMES = (
    "pelvis", "trunk", "left_thigh", "left_shank", "left_foot", "left_toes",
    "right_thigh", "right_shank", "right_foot", "right_toes",
)  # fmt: skip
PARENTS = (-1, 0, 0, 2, 3, 4, 0, 6, 7, 8)
# x forward, y up, z to the right
OFFSETS = np.array(
    [
        [0, 0, 0], [0, 0.1, 0],
        [0, 0, -0.1], [0, -0.4, 0], [0, -0.4, 0], [0.12, -0.06, 0],
        [0, 0, 0.1], [0, -0.4, 0], [0, -0.4, 0], [0.12, -0.06, 0],
    ]
)  # fmt: skip
MASSES = np.array([10.0, 38, 7, 3, 0.8, 0.2, 7, 3, 0.8, 0.2])
ANKLE, BALL = 0.08, 0.02
"""m, heights of the ankle and the toe joint above the sole."""


def person(turn: np.ndarray | None = None) -> Skeleton:
    """Return the skeleton; every body's axes may be turned by a quaternion of its own ``(n, 4)``.

    The person is the same: offsets are told in the turned axes.
    """
    n = len(NAMES)
    turn = np.tile([1.0, 0, 0, 0], (n, 1)) if turn is None else turn
    rest, offset = np.empty((n, 4)), np.empty((n, 3))
    for i, p in enumerate(PARENTS):
        # a body whose axes are turned by q stands at rest with q against the parent's axes
        rest[i] = product(inverse(turn[p]), turn[i]) if p >= 0 else turn[i]
        offset[i] = turned(inverse(turn[p]), OFFSETS[i]) if p >= 0 else OFFSETS[i]
    anatomy = Anatomy(NAMES, np.ones(n), ("given",) * n, True)
    return Skeleton(NAMES, np.array(PARENTS), offset, rest=rest, anatomy=anatomy)


def body_of(skeleton: Skeleton) -> BodyModel:
    """Return masses at the middle of the bones, in turned axes where the skeleton has them."""
    n = skeleton.n_bodies
    com = np.zeros((n, 3))
    for i in range(n):
        ends = [skeleton.offset[c] for c in skeleton.children[i]]
        com[i] = np.mean(ends, axis=0) / 2 if ends else np.zeros(3)
    inertia = np.stack([0.01 * m * np.eye(3) for m in MASSES])
    return BodyModel(skeleton, MASSES, com, inertia, height=1.7)


def posed(
    skeleton: Skeleton,
    angles: dict[str, np.ndarray],
    place: np.ndarray,
    fps: float = 100.0,
    rates: bool = True,
) -> Motion:
    """Return a motion: rotation vectors ``(3, F)`` in person axes of named joints, pelvis at place.

    Derivatives are central differences, exact enough for slow movements.
    """
    from scipy.spatial.transform import Rotation

    n, frames = skeleton.n_bodies, place.shape[1]
    rotation = np.empty((n, 4, frames))
    world = np.empty((n, 4))
    for i in skeleton.order:
        p = int(skeleton.parents[i])
        world[i] = product(world[p], skeleton.rest[i]) if p >= 0 else skeleton.rest[i]
        vector = angles.get(skeleton.names[i], np.zeros((3, frames)))
        q = Rotation.from_rotvec(np.asarray(vector).T).as_quat(scalar_first=True)
        # a turn about person axes, told in the joint's own frame at rest
        base = inverse(world[i])
        for f in range(frames):
            joint = product(product(base, q[f]), world[i])
            rotation[i, :, f] = product(skeleton.rest[i], joint)
    if not rates:
        return Motion(skeleton, fps, np.array([0.0, 1, 0]), rotation, place[None])
    d = np.gradient(rotation, 1 / fps, axis=-1)
    omega = np.empty((n, 3, frames))
    for i in range(n):
        for f in range(frames):
            omega[i, :, f] = 2 * product(inverse(rotation[i, :, f]), d[i, :, f])[1:]
    alpha = np.gradient(omega, 1 / fps, axis=-1)
    velocity = np.gradient(place, 1 / fps, axis=-1)
    acceleration = np.gradient(velocity, 1 / fps, axis=-1)
    return Motion(
        skeleton, fps, np.array([0.0, 1, 0]), rotation, place[None],
        omega, alpha, velocity[None], acceleration[None],
    )  # fmt: skip


def soles() -> tuple[Sole, ...]:
    """Return the undersides of feet and toes, in person axes."""
    found = []
    for foot, toe in ((4, 5), (8, 9)):
        back, ball = -0.06, 0.12
        low = -ANKLE
        rear = [[back, low, 0.03], [back, low, -0.03], [ball, low, -0.045], [ball, low, 0.045]]
        front = [[0, -BALL, 0.045], [0, -BALL, -0.045], [0.07, -BALL, -0.03], [0.07, -BALL, 0.03]]
        found += [Sole(foot, foot, np.array(rear), ball=(2, 3)), Sole(toe, foot, np.array(front))]
    return tuple(found)


def contacts_of(motion: Motion, plan: list[tuple[str, int, int]]) -> Contacts:
    """Return contacts from a plan: ``"left"``, ``"right"``, ``"both"`` or ``"none"`` for frames."""
    frames = motion.n_frames
    feet = {"left": (4,), "right": (8,), "both": (4, 8), "none": ()}
    modes = ("flight", "single", "double")
    touching = np.zeros((4, frames), bool)
    phases = []
    for number, (word, start, stop) in enumerate(plan):
        support = feet[word]
        touching[[0, 1], start:stop] |= 4 in support
        touching[[2, 3], start:stop] |= 8 in support
        root = support[0] if support else 0
        at = np.array([0.03, -ANKLE, 0]) if support else np.zeros(3)
        phases.append(Phase(number, modes[len(support)], root, support, start, stop, at))
    ground = Plane(np.zeros(3), np.array([0.0, 1, 0]))
    return Contacts(
        skeleton=motion.skeleton,
        fps=motion.fps,
        start=0,
        flags=motion.flags,
        soles=soles(),
        touching=touching,
        score=touching.astype(float),
        planes=(ground,),
        plane=np.zeros((4, frames)),
        phase_list=tuple(phases),
    )


def product(p: np.ndarray, q: np.ndarray) -> np.ndarray:
    """Return the quaternion p q."""
    w = p[0] * q[0] - p[1:] @ q[1:]
    return np.concatenate([[w], p[0] * q[1:] + q[0] * p[1:] + np.cross(p[1:], q[1:])])


def inverse(q: np.ndarray) -> np.ndarray:
    """Return q̄."""
    return q * [1, -1, -1, -1]


def turned(q: np.ndarray, v: np.ndarray) -> np.ndarray:
    """Return R(q) v."""
    return product(product(q, np.concatenate([[0.0], v])), inverse(q))[1:]
