"""Random skeletons and motions of every joint type, seeded; used by property and peer tests."""

from __future__ import annotations

import numpy as np

from mocap_reroot.kernels import joints
from mocap_reroot.types import BodyModel, JointType, Motion, Skeleton


def random_unit(rng: np.random.Generator, *shape: int) -> np.ndarray:
    """Return random unit vectors along the last axis."""
    vectors = rng.normal(size=shape)
    return vectors / np.linalg.norm(vectors, axis=-1, keepdims=True)


def random_skeleton(
    rng: np.random.Generator,
    n: int,
    kinds: tuple[JointType, ...] = tuple(JointType),
    *,
    rest: bool = True,
    root: JointType = JointType.FREE,
) -> Skeleton:
    """Return a tree of n bodies with random shape, rest rotations and joint types.

    Indices are shuffled: a body's index may be smaller than its parent's.
    """
    parents = np.array([-1] + [int(rng.integers(max(0, i - 4), i)) for i in range(1, n)])
    label = rng.permutation(n)
    shuffled = np.empty(n, int)
    for body, parent in enumerate(parents):
        shuffled[label[body]] = label[parent] if parent >= 0 else -1
    joint_types = rng.choice([int(k) for k in kinds], size=n)
    joint_types[shuffled < 0] = root
    sites = int(rng.integers(0, 4))
    return Skeleton(
        names=tuple(f"body{i}" for i in range(n)),
        parents=shuffled,
        offset=0.4 * rng.normal(size=(n, 3)),
        rest=random_unit(rng, n, 4) if rest else None,
        joint_types=joint_types,
        axes=random_unit(rng, n, 2, 3),
        site_body=rng.integers(0, n, sites),
        site_offset=rng.normal(size=(sites, 3)),
    )


def random_coordinates(rng: np.random.Generator, kind: int, frames: int) -> np.ndarray:
    """Return ``(nq, F)`` joint coordinates."""
    if kind == JointType.SPHERICAL:
        return random_unit(rng, frames, 4).T
    if kind == JointType.FREE:
        return np.concatenate([rng.normal(size=(3, frames)), random_unit(rng, frames, 4).T])
    return rng.uniform(-1.4, 1.4, size=(joints.COORDINATES[kind], frames))


def motion_from_coordinates(
    skeleton: Skeleton,
    q: list[np.ndarray],
    speed: list[np.ndarray],
    acceleration: list[np.ndarray],
    fps: float = 100.0,
) -> Motion:
    """Return the motion of joint coordinates, speeds and accelerations, each ``(…, F)`` a body."""
    n, frames = skeleton.n_bodies, q[0].shape[-1]
    rotation, omega, alpha = (np.empty((n, c, frames)) for c in (4, 3, 3))
    slide, rate, rate2 = (np.empty((n, 3, frames)) for _ in range(3))
    u, r, v, dv, du, ddu = (np.empty(k) for k in (3, 4, 6, 6, 3, 3))
    for i in range(n):
        kind, axes = int(skeleton.joint_types[i]), skeleton.axes[i]
        for f in range(frames):
            state = [np.ascontiguousarray(x[i][:, f]) for x in (q, speed, acceleration)]
            joints.pose(kind, skeleton.rest[i], axes, state[0], r, u)
            joints.twist(kind, axes, *state, v, dv)
            joints.slide_rates(r, v, dv, du, ddu)
            rotation[i, :, f], slide[i, :, f] = r, u
            omega[i, :, f], alpha[i, :, f] = v[:3], dv[:3]
            rate[i, :, f], rate2[i, :, f] = du, ddu
    t = skeleton.translating
    return Motion(
        skeleton, fps, np.array([0.0, 1.0, 0.0]), rotation, slide[t],
        omega, alpha, rate[t], rate2[t],
    )  # fmt: skip


def random_motion(rng: np.random.Generator, skeleton: Skeleton, frames: int = 1) -> Motion:
    """Return independent random states, one a frame (not a trajectory)."""
    kinds = [int(k) for k in skeleton.joint_types]
    q = [random_coordinates(rng, k, frames) for k in kinds]
    rates = [[rng.normal(size=(joints.SPEEDS[k], frames)) for k in kinds] for _ in range(2)]
    return motion_from_coordinates(skeleton, q, *rates)


def random_body(rng: np.random.Generator, skeleton: Skeleton) -> BodyModel:
    """Return random masses and physical inertias."""
    n = skeleton.n_bodies
    points = 0.3 * rng.normal(size=(n, 6, 3))
    weights = rng.uniform(0.1, 2.0, size=(n, 6))
    mass = weights.sum(axis=1)
    com = (weights[..., None] * points).sum(axis=1) / mass[:, None]
    arm = points - com[:, None]
    square = (arm**2).sum(-1)[..., None, None] * np.eye(3) - arm[..., :, None] * arm[..., None, :]
    return BodyModel(skeleton, mass, com, (weights[..., None, None] * square).sum(axis=1))
