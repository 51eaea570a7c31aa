"""The ground: the total it must supply, and what each foot takes of it."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from mocap_reroot.dynamics.placing import Placed
from mocap_reroot.dynamics.vectors import cross, dot, turn
from mocap_reroot.types import Contacts, Motion, read_only

LEAST_FORCE = 20.0
"""N: below it a centre of pressure means nothing and is left empty."""


@dataclass(frozen=True, eq=False)
class Total:
    """The wrench that moves the whole body, gravity taken off.

    Attributes:
        force: ``(3, F)`` N, world axes.
        moment: ``(3, F)`` N·m, world axes, about ``about``.
        about: ``(3, F)`` m, the capture root's origin.
        up: ``(3)``.
    """

    force: np.ndarray
    moment: np.ndarray
    about: np.ndarray
    up: np.ndarray

    @property
    def vertical(self) -> np.ndarray:
        """``(F)`` N, force along up."""
        return self.up @ self.force


@dataclass(frozen=True, eq=False)
class Support:
    """Who carries when, and on what ground.

    Attributes:
        feet: ``(f)`` foot bodies (limbs).
        part: ``(f, F)`` body that carries for each limb, −1 where it is off.
        point, normal: ``(f, 3, F)`` the plane under each limb.
        outlines: For every limb the outlines of its parts, ``(m, 3, F)`` m each, in the world.
        seen: ``(f, F)`` whether the limb was seen to touch; it may carry a little longer.
    """

    feet: tuple[int, ...]
    part: np.ndarray
    point: np.ndarray
    normal: np.ndarray
    outlines: tuple[tuple[np.ndarray, ...], ...]
    seen: np.ndarray

    @cached_property
    def on(self) -> np.ndarray:
        """``(f, F)`` whether the limb carries."""
        return self.part >= 0

    @cached_property
    def count(self) -> np.ndarray:
        """``(F)`` number of limbs that carry."""
        return np.asarray(self.on.sum(axis=0))

    def at(self, frames: np.ndarray) -> Support:
        """Return the support in some frames."""
        return Support(
            self.feet,
            self.part[:, frames],
            self.point[..., frames],
            self.normal[..., frames],
            tuple(tuple(o[..., frames] for o in outlines) for outlines in self.outlines),
            self.seen[:, frames],
        )

    def bodies(self, k: int) -> tuple[int, ...]:
        """Return the bodies that carry for one limb at some time."""
        return tuple(int(b) for b in np.unique(self.part[k]) if b >= 0)


@dataclass(frozen=True, eq=False)
class Loads:
    """The wrench of the ground on every foot.

    Attributes:
        force: ``(f, 3, F)`` N, world axes.
        moment: ``(f, 3, F)`` N·m, world axes, about the total's ``about``.
        inadmissible: ``(F)`` no sharing keeps every foot pushing, inside its sole and its cone.
    """

    force: np.ndarray
    moment: np.ndarray
    inadmissible: np.ndarray

    @staticmethod
    def none(feet: int, frames: int) -> Loads:
        """Return loads of zero."""
        zero = np.zeros((feet, 3, frames))
        return Loads(zero, zero.copy(), np.zeros(frames, bool))


def support_of(contacts: Contacts, world: Placed) -> Support:
    """Return who carries, from the phases of contacts, with soles placed in the world."""
    feet, frames = contacts.feet, len(contacts.flags)
    part = np.full((len(feet), frames), -1)
    limb = {sole.body: feet.index(sole.foot) for sole in contacts.soles}
    for phase in contacts.phase_list:
        where = slice(phase.start - contacts.start, phase.stop - contacts.start)
        for body in phase.support:
            part[limb[body], where] = body
    points = np.array([plane.point for plane in contacts.planes]).reshape(-1, 3)
    normals = np.array([plane.normal for plane in contacts.planes]).reshape(-1, 3)
    under = np.zeros((len(feet), frames), np.int64)
    outlines: list[tuple[np.ndarray, ...]] = []
    for k, foot in enumerate(feet):
        soles = [(c, sole) for c, sole in enumerate(contacts.soles) if sole.foot == foot]
        under[k] = contacts.plane[soles[0][0]]
        for c, sole in soles:
            under[k] = np.where(part[k] == sole.body, contacts.plane[c], under[k])
        outlines.append(
            tuple(
                np.stack([_place(world, sole.body, corner) for corner in sole.outline])
                for _, sole in soles
            )
        )
    stand = [np.moveaxis(x[under], 2, 1) for x in (points, normals)]
    seen = np.array([contacts.foot_touching(foot) for foot in feet], bool).reshape(part.shape)
    return Support(feet, part, stand[0], stand[1], tuple(outlines), seen & (part >= 0))


def _place(world: Placed, body: int, local: np.ndarray) -> np.ndarray:
    """Return ``(3, F)`` where a point of a body's capture frame is; one body at a time."""
    arm = (local - world.motion.skeleton.origin[body])[:, None]
    return world.position[body] + turn(world.orientation[body], arm)


def origin_of_root(motion: Motion) -> np.ndarray:
    """Return ``(3, F)`` where the current origin of a motion's root is in the world."""
    root = motion.skeleton.root
    slot = int(motion.skeleton.slot[root])
    still = np.repeat(motion.skeleton.offset[root][:, None], motion.n_frames, axis=1)
    return still + motion.displacement[slot] if slot >= 0 else still


def pressure(
    force: np.ndarray,
    moment: np.ndarray,
    about: np.ndarray,
    up: np.ndarray,
    point: np.ndarray,
    normal: np.ndarray,
) -> tuple[np.ndarray, np.ndarray]:
    """Return the point of a plane where a wrench leaves a couple along up only, and that couple.

    With ``r`` from ``about`` to the point, split along and across up, the moment's part across up
    vanishes there if ``r_h = (up × M + z F_h) / f``; the plane fixes the height ``z``.

    Args:
        force, moment: ``(3, F)`` world axes, moment about ``about (3, F)``.
        about: ``(3, F)`` m.
        up: ``(3)``.
        point, normal: ``(3, F)`` the plane.

    Returns:
        ``(3, F)`` m and ``(F)`` N·m; not finite where the force has no vertical part.
    """
    vertical = up @ force
    with np.errstate(divide="ignore", invalid="ignore"):
        lean = (force - up[:, None] * vertical) / vertical
        level = cross(up[:, None], moment) / vertical
        drop = dot(about - point, normal) + dot(level, normal)
        height = -drop / (up @ normal + dot(lean, normal))
        arm = level + height * (lean + up[:, None])
        couple = up @ (moment - cross(arm, force))
    return about + arm, couple


def pressures(support: Support, loads: Loads, total: Total) -> tuple[np.ndarray, np.ndarray]:
    """Return ``(f, 3, F)`` m centres of pressure and ``(f, F)`` N·m couples along up.

    Of a foot that bears less than ``LEAST_FORCE`` the pressure is NaN and the couple is the one
    about the middle of its sole.
    """
    place, couple = np.full(loads.force.shape, np.nan), np.zeros(support.on.shape)
    for k, outlines in enumerate(support.outlines):
        wrench = loads.force[k], loads.moment[k]
        plane = support.point[k], support.normal[k]
        point, free = pressure(*wrench, total.about, total.up, *plane)
        # A foot that pulls (smoothing spreads impacts) has a point of application too.
        firm = support.on[k] & (np.abs(total.up @ loads.force[k]) >= LEAST_FORCE)
        middle = np.mean([outline.mean(axis=0) for outline in outlines], axis=0)
        about_sole = total.up @ (wrench[1] - cross(middle - total.about, wrench[0]))
        place[k] = np.where(firm, point, np.nan)
        couple[k] = np.where(support.on[k], np.where(firm, free, about_sole), 0.0)
    return place, couple


def outside(point: np.ndarray, outlines: tuple[np.ndarray, ...], up: np.ndarray) -> np.ndarray:
    """Return ``(F)`` m, how far a point is outside the nearest outline, seen from above."""
    return np.linalg.norm(point - nearest(point, outlines, up), axis=0)


def nearest(point: np.ndarray, outlines: tuple[np.ndarray, ...], up: np.ndarray) -> np.ndarray:
    """Return ``(3, F)`` the nearest point that is inside one of the outlines, seen from above.

    Args:
        point: ``(3, F)`` m.
        outlines: ``(m, 3, F)`` m each, corners in order around a convex area.
        up: ``(3)``; the height of the point is kept.
    """
    from mocap_reroot.kernels import soles

    found = np.empty(point.shape)
    soles.nearest(read_only(point), read_only(packed(outlines)), read_only(up), found)
    return found


def packed(outlines: tuple[np.ndarray, ...], parts: int = 0, corners: int = 0) -> np.ndarray:
    """Return outlines as one array ``(part, corner, 3, F)``, filled up with the last ones."""
    corners = max(corners, *(len(outline) for outline in outlines))
    filled = [o[np.minimum(np.arange(corners), len(o) - 1)] for o in outlines]
    return np.stack(filled + [filled[-1]] * (parts - len(filled)))


def runs(mask: np.ndarray) -> list[tuple[int, int]]:
    """Return first frame and the frame after the last of every run of True."""
    edges = np.flatnonzero(np.diff(np.concatenate([[0], mask.astype(int), [0]])))
    return [(int(a), int(b)) for a, b in zip(edges[::2], edges[1::2], strict=True)]
