"""Least and greatest torques over all admissible ways to share the load between feet.

With two feet or more on the ground a share of the load can be moved from foot to foot without any
trace in the motion. How much that matters for a torque is a pair of linear programs: every foot
pushes at the corners of its sole, within a pyramid of friction, and all of it adds up to the total.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from mocap_reroot.mechanics.kinematics import World
from mocap_reroot.numerics.vectors import level_axes
from mocap_reroot.types import LEAST_FORCE, Dynamics, Support, Total

FRICTION = 1.0
"""Level force over vertical force: above it a shoe slips on any floor of a laboratory."""
SLACK = 0.02
"""m: soles are estimates, and may be so much larger on every side."""
SIDES = 8
"""Edges of the friction pyramid; it lies within the cone."""


@dataclass(frozen=True, eq=False)
class Pushes:
    """Unit pushes of one frame: what the linear programs may combine.

    Attributes:
        foot: ``(v)`` which foot each belongs to.
        wrench: ``(6, v)`` moment about the total's point and force.
        origin: ``(v, 3)`` m, where it pushes.
    """

    foot: np.ndarray
    wrench: np.ndarray
    origin: np.ndarray


def torque_band(
    result: Dynamics,
    total: Total,
    support: Support,
    world: World,
    unloaded: np.ndarray,
    inadmissible: np.ndarray,
) -> np.ndarray:
    """Return ``(n, 3, 2, F)`` N·m, least and greatest torque of every joint, in the body's axes.

    Where one foot carries, or none, or plates measured what each foot bears, there is nothing to
    share: both are the torque itself. Where no admissible sharing exists they are NaN.

    Args:
        result: Torques under one sharing.
        total: What the feet share.
        support: Who carries.
        world: The captured motion placed in the world.
        unloaded: ``(n, 3, F)`` N·m, torques if no foot bore anything, body axes.
        inadmissible: ``(F)`` the sharing of the result is none of those that count.
    """
    low, high = np.array(result.torque), np.array(result.torque)
    legs = [result.skeleton.chain(foot)[:-1] for foot in support.feet]
    several = (support.count > 1) & (total.vertical > LEAST_FORCE) & (result.source == "predicted")
    for f in np.flatnonzero(several & np.isfinite(total.force).all(axis=0)):
        pushes = _pushes(total, support, int(f))
        goal = np.concatenate([total.moment[:, f], total.force[:, f]])
        for k, leg in enumerate(legs):
            for joint in leg if support.on[k, f] else ():
                mine = pushes.foot == k
                arm = pushes.origin - world.position[joint, :, f]
                moment = np.cross(arm, pushes.wrench[3:].T).T * mine
                rows = world.matrix[joint, f].T @ moment
                for c in range(3):
                    ends = _extremes(rows[c], pushes.wrench, goal)
                    own = unloaded[joint, c, f]
                    low[joint, c, f], high[joint, c, f] = own - ends[1], own - ends[0]
    # The sharing in use is one of them; a pyramid within the cone may leave it out by a little.
    own = several & ~inadmissible
    low[..., own] = np.fmin(low, result.torque)[..., own]
    high[..., own] = np.fmax(high, result.torque)[..., own]
    return np.stack([low, high], axis=2)


def _pushes(total: Total, support: Support, f: int) -> Pushes:
    """Return unit pushes at the corners of all soles that carry in a frame."""
    up, axes = total.up, level_axes(total.up)
    turns = 2 * np.pi * np.arange(SIDES) / SIDES
    edges = up + FRICTION * (np.outer(np.cos(turns), axes[0]) + np.outer(np.sin(turns), axes[1]))
    feet, origins, forces = [], [], []
    for k in np.flatnonzero(support.on[:, f]):
        corners = np.concatenate([outline[..., f] for outline in support.outlines[k]])
        away = corners - corners.mean(axis=0)
        corners = corners + SLACK * away / np.linalg.norm(away, axis=1, keepdims=True)
        normal = support.normal[k, :, f]
        drop = (corners - support.point[k, :, f]) @ normal / (up @ normal)
        corners = corners - np.outer(drop, up)
        origins.append(np.repeat(corners, SIDES, axis=0))
        forces.append(np.tile(edges, (len(corners), 1)))
        feet.append(np.full(len(corners) * SIDES, k))
    origin, force = np.concatenate(origins), np.concatenate(forces)
    moment = np.cross(origin - total.about[:, f], force)
    return Pushes(np.concatenate(feet), np.concatenate([moment, force], axis=1).T, origin)


def _extremes(objective: np.ndarray, wrench: np.ndarray, goal: np.ndarray) -> tuple[float, float]:
    """Return least and greatest ``objective · x`` for ``wrench x = goal``, ``x ≥ 0``."""
    from scipy.optimize import linprog  # takes longer to load than most clips to analyse

    ends = []
    for sign in (1, -1):
        found = linprog(sign * objective, A_eq=wrench, b_eq=goal, bounds=(0, None), method="highs")
        ends.append(sign * found.fun if found.status == 0 else np.nan)
    return ends[0], ends[1]
