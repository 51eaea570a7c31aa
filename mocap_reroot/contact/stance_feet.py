"""Feet in stance: their soles over time, the ground under them, how they slide and sink."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from scipy.spatial.transform import Rotation

from mocap_reroot.mechanics.kinematics import World, forward
from mocap_reroot.numerics.frames import runs
from mocap_reroot.types import Contacts, JointType, Motion

_SHORTEST = 4  # frames of a stance


@dataclass(frozen=True, eq=False)
class StanceFoot:
    """A foot and what bears it.

    Attributes:
        foot: Index of the foot body.
        ankle: ``(3, F)`` m, its origin.
        orientation: ``(F, 3, 3)`` foot to world.
        corners: ``(k, 3, F)`` m, points of its sole, world: two of the heel, two of the ball, and
            the tips of toes that are a body of their own.
        bodies: ``(k)`` the body that each of these points is on.
        point, normal: ``(3, F)`` the ground under it.
        stances: Frames from, and up to but not including.
    """

    foot: int
    ankle: np.ndarray
    orientation: np.ndarray
    corners: np.ndarray
    bodies: tuple[int, ...]
    point: np.ndarray
    normal: np.ndarray
    stances: tuple[tuple[int, int], ...]

    @property
    def height(self) -> np.ndarray:
        """``(k, F)`` m above the ground."""
        return np.asarray(((self.corners - self.point) * self.normal).sum(axis=1))

    @property
    def in_stance(self) -> np.ndarray:
        """``(F)`` bool."""
        on = np.zeros(self.corners.shape[2], bool)
        for start, stop in self.stances:
            on[start:stop] = True
        return on

    @cached_property
    def sole(self) -> np.ndarray:
        """``(4, 3)`` m: heel and ball in the foot's own frame, where they do not move."""
        local = np.einsum("fji,kjf->kif", self.orientation, self.corners[:4] - self.ankle)
        return np.asarray(np.nanmedian(local, axis=2))

    @cached_property
    def level(self) -> np.ndarray:
        """``(F)`` rad: pitch of the sole against the ground, positive with the heel up."""
        heel, ball = self.corners[:2].mean(axis=0), self.corners[2:4].mean(axis=0)
        rise = ((heel - ball) * self.normal).sum(axis=0)
        return np.asarray(np.arcsin(rise / np.linalg.norm(heel - ball, axis=0)))

    def cut(self, start: int, stop: int) -> StanceFoot:
        """Return some of its frames."""
        return replace(
            self,
            ankle=self.ankle[:, start:stop],
            orientation=self.orientation[start:stop],
            corners=self.corners[..., start:stop],
            point=self.point[:, start:stop],
            normal=self.normal[:, start:stop],
            stances=((0, stop - start),),
        )

    def turned(self, turn: np.ndarray) -> StanceFoot:
        """Return the foot turned about its ankle by rotation vectors ``(3, F)``, world axes."""
        R = Rotation.from_rotvec(turn.T).as_matrix()
        corners = self.ankle + np.einsum("fij,kjf->kif", R, self.corners - self.ankle)
        return replace(self, orientation=R @ self.orientation, corners=corners)

    def shifted(self, shift: np.ndarray) -> StanceFoot:
        """Return the foot moved by ``(3, F)`` m."""
        return replace(self, ankle=self.ankle + shift, corners=self.corners + shift)


def stance_feet(motion: Motion, contacts: Contacts) -> list[StanceFoot]:
    """Return the feet of a motion that stand at some time, on legs that can bend."""
    world = forward(motion)
    return [
        found
        for foot in contacts.feet
        if foot not in contacts.others and _can_bend(motion, foot)
        if (found := _stance_foot(world, contacts, foot)).stances
    ]


def _stance_foot(world: World, contacts: Contacts, foot: int) -> StanceFoot:
    """Return a foot with what bears it."""
    rows = [r for r, sole in enumerate(contacts.soles) if sole.foot == foot]
    corners, bodies = [], []
    for row in rows:
        sole = contacts.soles[row]
        outline = sole.outline
        if len(rows) == 1 and len(outline) == 6:
            outline = outline[[0, 1, 2, 5]]  # toes that are no body of their own bend away
        elif sole.body != foot:
            outline = outline[2:]  # the ball is on the foot already
        corners += [world.point(sole.body, corner) for corner in outline]
        bodies += [sole.body] * len(outline)
    planes = contacts.plane[rows[0]]
    point = np.array([plane.point for plane in contacts.planes])[planes].T
    normal = np.array([plane.normal for plane in contacts.planes])[planes].T
    on = contacts.foot_touching(foot) & world.motion.analysed
    stances = tuple((a, b) for a, b in runs(on) if b - a >= _SHORTEST)
    pose = world.position[foot], world.matrix[foot]
    return StanceFoot(foot, *pose, np.array(corners), tuple(bodies), point, normal, stances)


def _can_bend(motion: Motion, foot: int) -> bool:
    """Say whether the joints of a leg turn freely."""
    kinds = motion.skeleton.joint_types[list(motion.skeleton.chain(foot))[:3]]
    return len(kinds) == 3 and bool(np.isin(kinds, (JointType.SPHERICAL, JointType.FREE)).all())


def foot_skate(feet: list[StanceFoot], fps: float) -> dict[str, float]:
    """Return the median speed of the slowest sole point (``skate``, mm/s) and depth (``below``)."""
    speeds, depths = [], []
    for foot in feet:
        on = foot.in_stance
        velocity = np.gradient(foot.corners, axis=2) * fps
        speeds.append(np.linalg.norm(velocity, axis=1).min(axis=0)[on])
        depths.append(-foot.height.min(axis=0)[on])
    skate, below = np.concatenate(speeds), np.concatenate(depths)
    return {
        "skate": 1000 * float(np.nanmedian(skate)),
        "below": 1000 * max(0.0, float(np.nanmax(below))),
    }
