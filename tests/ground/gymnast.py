"""A person of rods in the sagittal plane, moved slowly from pose to pose: forces are then known.

A pose says where the pelvis is and how the trunk leans, and where ankles and wrists are; knees and
elbows follow. Between poses everything moves with the least jerk, so what a pose holds in place
stays there exactly. Forces follow from sums over bodies, differentiated; none of the package's
formulas are used.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import pairwise

import numpy as np

from mocap_reroot.types import BodyModel, Motion, Skeleton
from tests.contact.walkers import UP, about_y, person

THIGH = SHANK = 0.42
UPPER_ARM, FOREARM = 0.30, 0.27
SHOULDER = 0.52
"""m, above the pelvis along the trunk."""
GRAVITY = 9.80665
Place = tuple[float, float, float]
"""x, z (m) and pitch (degrees, toes or fingers down) of an ankle or a wrist."""
FLAT = 0.08
"""m, height of an ankle whose sole is on the ground."""


@dataclass(frozen=True)
class Pose:
    """Where the body is at a time (s): pelvis x, z (m), lean (degrees, forwards), feet, hands.

    Hands and feet: one place for both, or one each, left first. A palm down on the ground has
    pitch −90 (fingers forwards) at a height of its own thickness.
    """

    time: float
    pelvis: tuple[float, float]
    lean: float
    feet: Place | tuple[Place, Place]
    hands: Place | tuple[Place, Place]

    def numbers(self) -> np.ndarray:
        """Return x, z, lean, then x, z, pitch of two feet and two hands."""
        pairs = [v if isinstance(v[0], tuple) else (v, v) for v in (self.feet, self.hands)]
        return np.array([*self.pelvis, self.lean, *np.ravel(pairs)], float)


def moved(poses: list[Pose], fps: float = 100.0) -> np.ndarray:
    """Return the numbers of poses ``(15, F)``, with the least jerk between them."""
    time = np.arange(round(poses[-1].time * fps) + 1) / fps
    result = np.empty((15, len(time)))
    for a, b in pairwise(poses):
        here = (time >= a.time) & (time <= b.time)
        s = (time[here] - a.time) / (b.time - a.time)
        ease = s**3 * (10 - 15 * s + 6 * s**2)
        start, stop = a.numbers()[:, None], b.numbers()[:, None]
        result[:, here] = start + (stop - start) * ease
    return result


def _reach(top: np.ndarray, end: np.ndarray, first: float, second: float, way: int) -> tuple:
    """Return the pitches of two bones from a joint to a place; the joint between bends ``way``."""
    v = end - top
    far = np.clip(np.hypot(*v), abs(first - second) + 1e-6, first + second - 1e-6)
    bend = np.arccos((first**2 + far**2 - second**2) / (2 * first * far))
    upper = np.arctan2(-v[0], -v[1]) + way * bend
    middle = top + first * np.array([-np.sin(upper), -np.cos(upper)])
    rest = end - middle
    return upper, np.arctan2(-rest[0], -rest[1])


def motion_of(poses: list[Pose], fps: float = 100.0, toes: float | None = None) -> Motion:
    """Return the motion; toes follow the foot, or keep a pitch of their own (degrees)."""
    return motion_of_numbers(moved(poses, fps), fps, toes)


def motion_of_numbers(
    n: np.ndarray,
    fps: float,
    toes: float | np.ndarray | None = None,
    skeleton: Skeleton | None = None,
) -> Motion:
    """Return the motion of a pose's numbers ``(15, F)``; toes ``(2, F)`` or one number."""
    skeleton = person() if skeleton is None else skeleton
    pelvis, lean = n[:2], np.radians(n[2])
    own = np.ones((2, n.shape[1])) * (0.0 if toes is None else toes)
    pitch = {"pelvis": lean, "trunk": lean, "head": lean}
    shoulder = pelvis + SHOULDER * np.array([np.sin(lean), np.cos(lean)])
    for k, side in enumerate(("left", "right")):
        foot, hand = n[3 + 3 * k : 6 + 3 * k], n[9 + 3 * k : 12 + 3 * k]
        thigh, shank = _reach(pelvis, foot[:2], THIGH, SHANK, -1)
        upper, fore = _reach(shoulder, hand[:2], UPPER_ARM, FOREARM, 1)
        sole = np.radians(foot[2])
        pitch |= {
            f"{side}_thigh": thigh, f"{side}_shank": shank, f"{side}_foot": sole,
            f"{side}_toes": sole if toes is None else np.radians(own[k]),
            f"{side}_upper_arm": upper, f"{side}_forearm": fore,
            f"{side}_hand": np.radians(hand[2]),
        }  # fmt: skip
    names, parents = skeleton.names, skeleton.parents
    rotation = np.stack(
        [
            about_y(pitch[name] - (pitch[names[p]] if p >= 0 else 0.0))
            for name, p in zip(names, parents, strict=True)
        ]
    )
    path = np.stack([pelvis[0], np.zeros_like(lean), pelvis[1]])
    return Motion(skeleton, fps, UP, rotation, path[None])


def over(pose: Pose, x: float, body: BodyModel, toes: float | None = None) -> Pose:
    """Return a pose with its pelvis moved along the ground until the centre of mass is at x."""
    for _ in range(12):
        later = replace(pose, time=pose.time + 0.05)
        held = motion_of([replace(pose, time=0.0), replace(later, time=0.05)], toes=toes)
        off = x - float(known(held, body).pressure[2])
        pose = replace(pose, pelvis=(pose.pelvis[0] + off, pose.pelvis[1]))
    return pose


@dataclass(frozen=True)
class Known:
    """What is known: ``(F)`` force forwards and up, N, and where it acts on the ground, m."""

    forwards: np.ndarray
    up: np.ndarray
    pressure: np.ndarray


def known(motion: Motion, body: BodyModel) -> Known:
    """Return the whole force by sums over bodies that turn in one plane."""
    com, turning, _ = summed(motion, body)
    dt = 1 / motion.fps
    momentum = np.gradient(turning, dt)
    push = np.gradient(np.gradient(com, dt, axis=-1), dt, axis=-1)
    forwards, up = body.total_mass * push[0], body.total_mass * (push[1] + GRAVITY)
    return Known(forwards, up, com[0] - (com[1] * forwards + momentum) / up)


def summed(motion: Motion, body: BodyModel) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return ``(2, F)`` centre of mass, ``(F)`` angular momentum about it, and inertia."""
    skeleton, frames, dt = motion.skeleton, motion.n_frames, 1 / motion.fps
    place, angle = np.zeros((skeleton.n_bodies, 2, frames)), np.zeros((skeleton.n_bodies, frames))
    centre = np.zeros_like(place)
    for i in skeleton.order:
        own = 2 * np.arctan2(motion.rotation[i, 2], motion.rotation[i, 0])
        p = int(skeleton.parents[i])
        above, base = (0 * own, motion.displacement[0][[0, 2]]) if p < 0 else (angle[p], place[p])
        angle[i], place[i] = above + own, base + _turned(above, skeleton.offset[i][[0, 2]])
        centre[i] = place[i] + _turned(angle[i], body.com[i][[0, 2]])
    share = (body.mass / body.total_mass)[:, None, None]
    com = (share * centre).sum(axis=0)
    rate = np.gradient(centre - com, dt, axis=-1)
    spin = np.unwrap(angle, axis=-1)
    arm = centre - com
    turning = body.mass[:, None] * (arm[:, 1] * rate[:, 0] - arm[:, 0] * rate[:, 1])
    turning += body.inertia[:, 1, 1][:, None] * np.gradient(spin, dt, axis=-1)
    inertia = body.mass[:, None] * (arm**2).sum(axis=1) + body.inertia[:, 1, 1][:, None]
    return com, turning.sum(axis=0), inertia.sum(axis=0)


def _turned(angle: np.ndarray | float, v: np.ndarray) -> np.ndarray:
    c, s = np.cos(angle), np.sin(angle)
    return np.stack(np.broadcast_arrays(c * v[0] + s * v[1], -s * v[0] + c * v[1]))
