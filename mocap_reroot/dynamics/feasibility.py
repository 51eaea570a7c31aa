"""Feasibility of the motion for a robot or a simulator: friction, support margin, speeds."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from mocap_reroot.dynamics.quality import moment_arm, unexplained
from mocap_reroot.numerics.vectors import dot, length, level_axes
from mocap_reroot.types import LEAST_FORCE, Dynamics, Ground, Support

_DIRECTIONS = 64
_BLOCK = 4096  # frames at a time


@dataclass(frozen=True, eq=False)
class Feasibility:
    """What a motion asks for.

    Attributes:
        dynamics: What it was found from.
        friction_used: ``(F)`` tangential over normal force, the largest of the limbs; NaN where
            none bears more than 20 N.
        support_margin_m: ``(F)`` m, how far the pressure of all limbs is within the hull of the
            soles that carry, seen from above; negative outside, NaN without pressure.
        torque_nm_kg: ``(F)`` N·m/kg, the largest of the joints.
        joint_speed: ``(F)`` rad/s, the largest of the joints.
        unexplained: ``(F)`` of weight: residual and push from elsewhere; their moment counts by
            0.4 × stature, so that 0.05 is the limit of ``quality.unexplained``.
    """

    dynamics: Dynamics
    friction_used: np.ndarray
    support_margin_m: np.ndarray
    torque_nm_kg: np.ndarray
    joint_speed: np.ndarray
    unexplained: np.ndarray

    @property
    def medians(self) -> dict[str, float]:
        """The medians of sound frames, those that are known."""
        sound = self.dynamics.flags == 0
        found = {}
        for name in FIGURES:
            values = getattr(self, name)[sound]
            values = values[np.isfinite(values)]
            if len(values):
                found[name] = float(np.median(values))
        return found


FIGURES = tuple(name for name in Feasibility.__dataclass_fields__ if name != "dynamics")


def feasibility(result: Dynamics, ground: Ground) -> Feasibility:
    """Return what a motion asks for in every frame.

    Args:
        result: Torques and forces.
        ground: With the motion and its soles.
    """
    mass, joints = result.body.total_mass, list(result.joints)
    speed = ground.motion.angular_velocity
    assert speed is not None  # Newton-Euler has asked for it
    return Feasibility(
        result,
        _friction(result, ground.support),
        _margin(result, ground.support),
        _largest(result.torque, joints) / mass,
        _largest(speed, joints),
        unexplained(ground, moment_arm(result.body.height)),
    )


def _largest(vectors: np.ndarray, rows: list[int]) -> np.ndarray:
    """Return ``(F)`` the greatest length among some of ``(n, 3, F)`` vectors."""
    most = np.zeros(vectors.shape[-1])
    for row in rows:
        np.maximum(most, dot(vectors[row], vectors[row]), out=most)
    return np.sqrt(most)


def _friction(result: Dynamics, support: Support) -> np.ndarray:
    used = np.full(len(result.flags), np.nan)
    for force, normal in zip(result.foot_force, support.normal, strict=True):
        upright = dot(force, normal)
        loaded = upright > LEAST_FORCE
        ratio = length(force - upright * normal)[loaded] / upright[loaded]
        used[loaded] = np.fmax(used[loaded], ratio)
    return used


def _margin(result: Dynamics, support: Support) -> np.ndarray:
    margin, axes = np.full(len(result.flags), np.nan), level_axes(result.up)
    if not len(support.feet):
        return margin
    upright = dot(result.up, result.foot_force.swapaxes(0, 1))
    place = np.stack([dot(axis, result.foot_pressure.swapaxes(0, 1)) for axis in axes])
    share = np.where(np.isfinite(place[0]) & support.on & (upright > LEAST_FORCE), upright, 0.0)
    whole = share.sum(axis=0)
    known = np.flatnonzero(whole > LEAST_FORCE)
    for block in np.split(known, range(_BLOCK, len(known), _BLOCK)):
        if len(block):
            weights = share[:, block] / whole[block]
            point = (np.where(weights > 0, place[..., block], 0.0) * weights).sum(axis=1)
            corners = support.corners[..., block]
            down = np.broadcast_to((weights > 0)[:, None, None], np.delete(corners.shape, 3))
            seen = np.einsum("dc,fpmcb->dfpmb", axes, corners).reshape(2, -1, len(block))
            margin[block] = _inside(seen - point[:, None], down.reshape(-1, len(block)))
    return margin


def _inside(way: np.ndarray, down: np.ndarray) -> np.ndarray:
    """Return ``(F)`` m, how deep the origin is within the hull of points; negative outside.

    Of all directions the one counts in which the hull reaches least far. It is looked for among
    some; inside, the edges between the points that are farthest there and on either side are exact.

    Args:
        way: ``(2, k, F)`` m.
        down: ``(k, F)`` which of the points there are.
    """
    angle = np.linspace(0, 2 * np.pi, _DIRECTIONS, endpoint=False)
    reach = np.einsum("da,dkf->akf", np.stack([np.cos(angle), np.sin(angle)]), way)
    reach = np.where(down, reach, -np.inf)
    farthest = reach.argmax(axis=1)
    least = reach.max(axis=1)
    at, frames = least.argmin(axis=0), np.arange(way.shape[2])
    depth = least[at, frames]
    ends = [way[:, farthest[(at + k) % _DIRECTIONS, frames], frames] for k in (-1, 0, 1)]
    for a, b in pairwise(ends):
        edge = np.hypot(*(b - a))
        exact = np.abs(a[0] * b[1] - a[1] * b[0]) / np.maximum(edge, 1e-9)
        depth = np.where((depth > 0) & (edge > 1e-9), np.minimum(depth, exact), depth)
    return np.asarray(depth)
