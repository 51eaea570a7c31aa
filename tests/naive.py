"""Slow, readable twins of fast code: one frame at a time, rotation matrices, no shortcuts."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from mocap_reroot.kernels import joints
from mocap_reroot.types import BodyModel, Motion, Skeleton

# ---------------------------------------------------------------- rotations


def matrix(q: np.ndarray) -> np.ndarray:
    """Return the rotation matrix of a quaternion ``w, x, y, z``."""
    w, x, y, z = q
    return np.array(
        [
            [1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
            [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
            [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)],
        ]
    )


# ---------------------------------------------------------------- joints


def joint_state(motion: Motion, i: int, f: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return coordinates, speeds and their derivatives of one joint, by the inverse of jcalc."""
    skeleton = motion.skeleton
    kind, axes, slot = int(skeleton.joint_types[i]), skeleton.axes[i], int(skeleton.slot[i])
    rotation = np.ascontiguousarray(motion.rotation[i, :, f])
    slide, rate, rate2 = np.zeros((3, 3))
    v, dv = np.zeros((2, 6))
    if slot >= 0:
        slide = np.ascontiguousarray(motion.displacement[slot, :, f])
    if motion.has_derivatives:
        v[:3] = motion.angular_velocity[i, :, f]
        dv[:3] = motion.angular_acceleration[i, :, f]
        if slot >= 0:
            rate = motion.linear_velocity[slot, :, f]
            rate2 = motion.linear_acceleration[slot, :, f]
    back = matrix(rotation).T
    v[3:] = back @ rate
    dv[3:] = back @ rate2 - np.cross(v[:3], v[3:])
    q = np.zeros(joints.COORDINATES[kind])
    speed, acceleration = np.zeros((2, joints.SPEEDS[kind]))
    joints.coordinates(kind, skeleton.rest[i], axes, rotation, slide, q)
    joints.speeds(kind, axes, q, v, dv, speed, acceleration)
    return q, speed, acceleration


# ---------------------------------------------------------------- forward kinematics


@dataclass
class Moving:
    """A rigid body in the world: orientation, a point of it, and their derivatives."""

    R: np.ndarray
    p: np.ndarray
    w: np.ndarray
    v: np.ndarray
    al: np.ndarray
    a: np.ndarray

    def at(self, local: np.ndarray) -> Moving:
        """Return the same body with another of its points, given in its axes from this one."""
        r = self.R @ local
        v = self.v + np.cross(self.w, r)
        a = self.a + np.cross(self.al, r) + np.cross(self.w, np.cross(self.w, r))
        return Moving(self.R, self.p + r, self.w, v, self.al, a)


def world(motion: Motion, f: int = 0) -> list[Moving]:
    """Return every body at its current origin."""
    skeleton, placed = motion.skeleton, {}
    ground = Moving(np.eye(3), *np.zeros((5, 3)))
    for i in skeleton.order:
        parent = int(skeleton.parents[i])
        base = placed[parent] if parent >= 0 else ground
        slot = skeleton.slot[i]
        u, du, ddu = np.zeros((3, 3))
        if slot >= 0:
            u = motion.displacement[slot, :, f]
            du = motion.linear_velocity[slot, :, f]
            ddu = motion.linear_acceleration[slot, :, f]
        joint = base.at(skeleton.offset[i] + u)
        R = base.R @ matrix(motion.rotation[i, :, f])
        w_joint = R @ motion.angular_velocity[i, :, f]
        slide = base.R @ du
        placed[int(i)] = Moving(
            R,
            joint.p,
            base.w + w_joint,
            joint.v + slide,
            base.al + R @ motion.angular_acceleration[i, :, f] + np.cross(base.w, w_joint),
            joint.a + base.R @ ddu + 2 * np.cross(base.w, slide),
        )
    return [placed[i] for i in range(skeleton.n_bodies)]


def capture_world(motion: Motion, f: int = 0) -> list[Moving]:
    """Return every body at its capture origin, whatever the tree."""
    return [b.at(-o) for b, o in zip(world(motion, f), motion.skeleton.origin, strict=True)]


# ---------------------------------------------------------------- physics of a set of bodies


def momentum(motion: Motion, body: BodyModel, f: int = 0) -> tuple[np.ndarray, np.ndarray, float]:
    """Return linear and angular momentum about the world's origin, and kinetic energy."""
    linear, angular, energy = np.zeros(3), np.zeros(3), 0.0
    for i, frame in enumerate(capture_world(motion, f)):
        c = frame.at(body.com[i])
        inertia = c.R @ body.inertia[i] @ c.R.T
        linear += body.mass[i] * c.v
        angular += np.cross(c.p, body.mass[i] * c.v) + inertia @ c.w
        energy += body.mass[i] * c.v @ c.v / 2 + c.w @ inertia @ c.w / 2
    return linear, angular, energy


# ---------------------------------------------------------------- re-rooting


@dataclass
class Joint:
    """A body of a re-rooted tree: parent, geometry, and the state of the joint it uses."""

    parent: int
    offset: np.ndarray
    origin: np.ndarray
    R: np.ndarray
    u: np.ndarray
    w: np.ndarray
    al: np.ndarray
    du: np.ndarray
    ddu: np.ndarray


def reroot(motion: Motion, top: int, at: np.ndarray, f: int = 0) -> list[Joint]:
    """Re-root by placing every body in the world and asking how it moves against its new parent."""
    old = motion.skeleton
    parents = walk(old, top)
    origin = {i: old.origin[i] for i in range(old.n_bodies)}
    for body, parent in parents.items():
        if parent >= 0 and old.parents[parent] == body:  # turned over: it uses its child's joint
            origin[body] = old.origin[body] + old.offset[parent]
    origin[top] = at
    placed = [b.at(origin[i] - old.origin[i]) for i, b in enumerate(world(motion, f))]
    found = []
    for body in range(old.n_bodies):
        parent, here = parents[body], placed[body]
        if parent < 0:
            offset, base = old.offset[old.root], Moving(np.eye(3), *np.zeros((5, 3)))
        else:
            # where the joint stands in the old frame of the new parent
            stands = old.offset[body] if old.parents[body] == parent else np.zeros(3)
            offset, base = stands - (origin[parent] - old.origin[parent]), placed[parent]
        r = base.R.T @ (here.p - base.p)
        carried = base.at(r)
        slide, w = here.v - carried.v, here.w - base.w
        found.append(
            Joint(
                parent,
                offset,
                origin[body],
                base.R.T @ here.R,
                r - offset,
                here.R.T @ w,
                here.R.T @ (here.al - base.al - np.cross(base.w, w)),
                base.R.T @ slide,
                base.R.T @ (here.a - carried.a - 2 * np.cross(base.w, slide)),
            )
        )
    return found


def walk(skeleton: Skeleton, top: int) -> dict[int, int]:
    """Return the parent of every body when the undirected tree hangs from ``top``."""
    neighbours: dict[int, list[int]] = {i: [] for i in range(skeleton.n_bodies)}
    for child, parent in enumerate(skeleton.parents):
        if parent >= 0:
            neighbours[child].append(int(parent))
            neighbours[int(parent)].append(child)
    parents, todo = {top: -1}, [top]
    for body in todo:
        for other in neighbours[body]:
            if other not in parents:
                parents[other] = body
                todo.append(other)
    return parents
