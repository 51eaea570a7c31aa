"""Supports: sole outlines on their ground planes, and the centre of pressure under each foot."""

from __future__ import annotations

import numpy as np

from mocap_reroot.contact.poses import ContactPoses
from mocap_reroot.mechanics.kinematics import World
from mocap_reroot.numerics.vectors import cross, dot, length, level_axes
from mocap_reroot.types import (
    LEAST_FORCE,
    Contacts,
    Loads,
    Sole,
    Support,
    Total,
    default,
    read_only,
)


def support_of(contacts: Contacts, placed: ContactPoses | World) -> Support:
    """Return who carries, from the phases of contacts, with soles placed in the world."""
    feet, frames = contacts.feet, len(contacts.flags)
    part = np.full((len(feet), frames), -1)
    limb = {sole.body: feet.index(sole.foot) for sole in contacts.soles}
    for phase in contacts.phase_list:
        for body in phase.support:
            part[limb[body], phase.start - contacts.start : phase.stop - contacts.start] = body
    points = np.array([plane.point for plane in contacts.planes]).reshape(-1, 3)
    normals = np.array([plane.normal for plane in contacts.planes]).reshape(-1, 3)
    stand = np.empty((2, len(feet), 3, frames))
    for k, foot in enumerate(feet):
        mine = [c for c, sole in enumerate(contacts.soles) if sole.foot == foot]
        under = contacts.plane[mine[0]]
        for c in mine[1:]:
            under = np.where(part[k] == contacts.soles[c].body, contacts.plane[c], under)
        stand[:, k] = points.T[:, under], normals.T[:, under]
    seen = np.array([contacts.foot_touching(foot) for foot in feet], bool).reshape(part.shape)
    soles = [[sole for sole in contacts.soles if sole.foot == foot] for foot in feet]
    sizes = tuple(tuple(len(sole.outline) for sole in parts) for parts in soles)
    balls = tuple(parts[0].ball for parts in soles)
    corners = _placed(soles, placed)
    return Support(feet, part, stand[0], stand[1], corners, sizes, balls, seen & (part >= 0))


def _placed(soles: list[list[Sole]], placed: ContactPoses | World) -> np.ndarray:
    """Return ``(f, part, corner, 3, F)`` m, the corners of the limbs' soles in the world."""
    from mocap_reroot.kernels.soles import place_corners

    parts = max((len(mine) for mine in soles), default=0)
    most = max((len(sole.outline) for mine in soles for sole in mine), default=0)
    filled = [[*mine, *mine[-1:] * (parts - len(mine))] for mine in soles]
    corners = np.empty((len(soles), parts, most, 3, placed.motion.n_frames))
    for k, mine in enumerate(filled):
        for p, sole in enumerate(mine):
            arm = sole.outline - placed.motion.skeleton.origin[sole.body]
            arm = read_only(arm[np.minimum(np.arange(most), len(arm) - 1)])
            place_corners(
                placed.orientation[sole.body], placed.position[sole.body], arm, corners[k, p]
            )
    return corners


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
    place, couple = _on_planes(force[None], moment[None], about, up, point[None], normal[None])
    return place[0], couple[0]


def _on_planes(
    force: np.ndarray,
    moment: np.ndarray,
    about: np.ndarray,
    up: np.ndarray,
    point: np.ndarray,
    normal: np.ndarray,
) -> tuple[np.ndarray, np.ndarray]:
    """Do as :func:`pressure` does, on several planes: ``(k, 3, F)``, a wrench for all or each."""
    from mocap_reroot.kernels import wrenches as compiled

    place, couple = np.empty(point.shape), np.empty(point[:, 0].shape)
    wrench = read_only(force), read_only(moment), read_only(about)
    plane = read_only(point), read_only(normal)
    compiled.pressures(*wrench, read_only(up), *plane, place, couple)
    return place, couple


def pressures(support: Support, loads: Loads, total: Total) -> tuple[np.ndarray, np.ndarray]:
    """Return ``(f, 3, F)`` m centres of pressure and ``(f, F)`` N·m couples along up.

    Of a foot that bears less than ``LEAST_FORCE`` the pressure is NaN and the couple is the one
    about the middle of its sole.
    """
    up, plane = total.up, (support.point, support.normal)
    place, couple = _on_planes(loads.force, loads.moment, total.about, up, *plane)
    vertical = dot(up, loads.force.swapaxes(0, 1))
    # A foot that pulls (smoothing spreads impacts) has a point of application too.
    firm = support.on & (np.abs(vertical) >= LEAST_FORCE)
    for k, faint in enumerate(support.on & ~firm):
        if faint.any():
            arm = support.middle[k][:, faint] - total.about[:, faint]
            moment = loads.moment[k][:, faint] - cross(arm, loads.force[k][:, faint])
            couple[k, faint] = dot(up, moment)
    place[~np.broadcast_to(firm[:, None], place.shape)] = np.nan
    couple[~support.on] = 0.0
    return place, couple


def outside(
    point: np.ndarray, corners: np.ndarray, up: np.ndarray, where: np.ndarray | None = None
) -> np.ndarray:
    """Return ``(F)`` m, how far a point is outside the nearest outline, seen from above."""
    return length(point - nearest(point, corners, up, where))


def nearest(
    point: np.ndarray, corners: np.ndarray, up: np.ndarray, where: np.ndarray | None = None
) -> np.ndarray:
    """Return ``(3, F)`` the nearest point that is inside one of the outlines, seen from above.

    Args:
        point: ``(3, F)`` m.
        corners: ``(part, corner, 3, F)`` m, in order around a convex area each.
        up: ``(3)``; the height of the point is kept.
        where: ``(F)`` frames in which it is asked for, all by default; elsewhere points stay.
    """
    from mocap_reroot.kernels import soles

    found, asked = np.empty(point.shape), default(where, np.ones(point.shape[1], bool))
    axes = read_only(level_axes(up))
    soles.nearest(read_only(point), read_only(corners), axes, read_only(asked, bool), found)
    return found
