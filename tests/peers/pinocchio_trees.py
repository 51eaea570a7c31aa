"""Build Pinocchio models of our skeletons, and take states to Pinocchio and forces back.

Ours and Pinocchio's conventions differ in four places: quaternions are ``w, x, y, z`` here and
``x, y, z, w`` there; speeds of a free joint are angular first here and linear first there; a
universal joint becomes two hinges with a massless body between them (Pinocchio's own wants
perpendicular axes); a fixed joint merges its body with the parent's.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pinocchio as pin

from mocap_reroot.types import STANDARD_GRAVITY, BodyModel, JointType, Motion, Skeleton
from tests.naive import joint_state

SWAP = [3, 4, 5, 0, 1, 2]
"""Angular first to linear first, and back."""


def depth_first(skeleton: Skeleton) -> list[int]:
    """Return bodies so that every subtree is contiguous: Pinocchio's factorisations rely on it."""
    found, waiting = [], [skeleton.root]
    while waiting:
        found.append(waiting.pop())
        waiting.extend(skeleton.children[found[-1]])
    return found


def placement(rotation: np.ndarray, translation: np.ndarray) -> pin.SE3:
    """Return a placement from a quaternion ``w, x, y, z`` and a translation."""
    w, x, y, z = rotation
    return pin.SE3(pin.Quaternion(w, x, y, z).normalized().matrix(), np.array(translation))


@dataclass
class PinocchioTree:
    """A Pinocchio model of a skeleton, with a frame at every body's current origin.

    Attributes:
        skeleton: What was modelled.
        model, data: Pinocchio's.
        joint: ``(n)`` index of the joint that carries each body (its parent's for a fixed one).
        slices: ``(n)`` where the body's own speeds stand in Pinocchio's ``v``.
        frame: ``(n)`` index of the frame at each body's current origin.
    """

    skeleton: Skeleton
    model: pin.Model
    data: pin.Data
    joint: list[int]
    slices: list[slice]
    frame: list[int]

    def state(self, motion: Motion, f: int = 0) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Return Pinocchio's ``q, v, a`` of one frame of a motion of this skeleton."""
        q, v, a = [], [], []
        for i in depth_first(self.skeleton):
            kind = int(self.skeleton.joint_types[i])
            state = [np.array(x) for x in joint_state(motion, i, f)]
            if kind == JointType.SPHERICAL:
                state[0] = np.roll(state[0], -1)
            elif kind == JointType.FREE:
                state[0][3:] = np.roll(state[0][3:], -1)
                state[1], state[2] = state[1][SWAP], state[2][SWAP]
            for vector, part in zip((q, v, a), state, strict=True):
                vector.append(part)
        return np.concatenate(q), np.concatenate(v), np.concatenate(a)

    def joint_values(self, values: np.ndarray) -> list[np.ndarray]:
        """Return speeds or joint forces, one array a body in our order (angular first)."""
        result = []
        for i, where in enumerate(self.slices):
            part = np.array(values[where])
            result.append(part[SWAP] if self.skeleton.joint_types[i] == JointType.FREE else part)
        return result

    def from_joint_values(self, parts: list[np.ndarray]) -> np.ndarray:
        """Return Pinocchio's vector of speeds or joint forces: inverse of :meth:`joint_values`."""
        values = np.zeros(self.model.nv)
        for i, (where, part) in enumerate(zip(self.slices, parts, strict=True)):
            free = self.skeleton.joint_types[i] == JointType.FREE
            values[where] = np.asarray(part)[SWAP] if free else part
        return values

    def world(self, motion: Motion, f: int = 0) -> dict[str, np.ndarray]:
        """Return orientation ``(n, 3, 3)`` and ``(n, 3)`` world states of every body's origin."""
        pin.forwardKinematics(self.model, self.data, *self.state(motion, f))
        pin.updateFramePlacements(self.model, self.data)
        axes = pin.ReferenceFrame.LOCAL_WORLD_ALIGNED
        found: dict[str, list[np.ndarray]] = {k: [] for k in ("R", "p", "w", "v", "al", "a")}
        for k in self.frame:
            velocity = pin.getFrameVelocity(self.model, self.data, k, axes)
            acceleration = pin.getFrameClassicalAcceleration(self.model, self.data, k, axes)
            found["R"].append(self.data.oMf[k].rotation.copy())
            found["p"].append(self.data.oMf[k].translation.copy())
            found["w"].append(velocity.angular.copy())
            found["v"].append(velocity.linear.copy())
            found["al"].append(acceleration.angular.copy())
            found["a"].append(acceleration.linear.copy())
        return {key: np.array(value) for key, value in found.items()}


def pinocchio_tree(
    skeleton: Skeleton, body: BodyModel | None = None, up: np.ndarray | None = None
) -> PinocchioTree:
    """Return a Pinocchio model of a skeleton, captured or re-rooted.

    Args:
        skeleton: Any tree; joints of all types, any rest rotations.
        body: Masses and inertias (massless without them).
        up: Against gravity; the y axis if not given.
    """
    model = pin.Model()
    model.gravity.linear = -STANDARD_GRAVITY * (np.array([0.0, 1, 0]) if up is None else up)
    n = skeleton.n_bodies
    joint, slices, frame = [0] * n, [slice(0, 0)] * n, [0] * n
    at = [pin.SE3.Identity()] * n  # where the body's frame stands in the joint that carries it
    for i in depth_first(skeleton):
        parent, name = int(skeleton.parents[i]), skeleton.names[i]
        stand = placement(skeleton.rest[i], skeleton.offset[i])
        carrier = joint[parent] if parent >= 0 else 0
        if parent >= 0:
            stand = at[parent] * stand
        start = model.nv
        for part in _joint_models(skeleton, i):
            carrier = model.addJoint(carrier, part, stand, f"{name}/{model.njoints}")
            stand = pin.SE3.Identity()
        joint[i], at[i], slices[i] = carrier, stand, slice(start, model.nv)
        frame[i] = model.addFrame(pin.Frame(name, carrier, 0, stand, pin.FrameType.OP_FRAME))
        if body is not None:
            inertia = pin.Inertia(
                float(body.mass[i]), body.com[i] - skeleton.origin[i], np.array(body.inertia[i])
            )
            model.appendBodyToJoint(carrier, inertia, stand)
    return PinocchioTree(skeleton, model, model.createData(), joint, slices, frame)


def _joint_models(skeleton: Skeleton, i: int) -> list[pin.JointModel]:
    """Return the Pinocchio joints that one of ours is made of, in order from the parent."""
    first, second = (np.array(axis) for axis in skeleton.axes[i])
    match JointType(int(skeleton.joint_types[i])):
        case JointType.FIXED:
            return []
        case JointType.REVOLUTE:
            return [pin.JointModelRevoluteUnaligned(first)]
        case JointType.PRISMATIC:
            return [pin.JointModelPrismaticUnaligned(first)]
        case JointType.UNIVERSAL:
            return [
                pin.JointModelRevoluteUnaligned(first),
                pin.JointModelRevoluteUnaligned(second),
            ]
        case JointType.SPHERICAL:
            return [pin.JointModelSpherical()]
        case JointType.FREE:
            return [pin.JointModelFreeFlyer()]
