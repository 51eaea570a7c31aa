"""Minimum effort: share the load so that the legs' torques are small."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from mocap_reroot.mechanics.kinematics import forward
from mocap_reroot.mechanics.newton_euler import newton_euler
from mocap_reroot.numerics.vectors import turn
from mocap_reroot.types import BodyModel, Motion

HOLD = 1.0
"""How much leaving the clock's share costs, against the effort of bearing the whole load."""


@dataclass(frozen=True, eq=False)
class Leg:
    """What a leg's joints carry if its foot bears nothing.

    Attributes:
        joint: ``(m, 3, F)`` m, where the joints between foot and capture root are.
        moment: ``(m, 3, F)`` N·m, world axes, that they exert on the parts beyond them.
    """

    joint: np.ndarray
    moment: np.ndarray


def legs_of(motion: Motion, body: BodyModel, feet: tuple[int, ...]) -> list[Leg]:
    """Return the legs that end in some feet.

    Args:
        motion: Captured, with derivatives.
        body: Mass model.
        feet: Foot bodies.
    """
    wrenches, world = newton_euler(motion, body), forward(motion)
    legs = []
    for foot in feet:
        chain = list(motion.skeleton.chain(foot)[:-1])  # none, if it is the capture root itself
        moment = [turn(world.orientation[i], wrenches.moment[i]) for i in chain]
        legs.append(Leg(world.position[chain], np.reshape(moment, (-1, 3, motion.n_frames))))
    return legs


def least_effort(
    legs: list[Leg], force: np.ndarray, couple: np.ndarray, place: np.ndarray, clock: np.ndarray
) -> np.ndarray:
    """Return ``(f, F)`` shares that make the sum of squared leg torques least.

    A joint of leg k carries ``m − w_k b`` if the foot bears the share ``w_k`` of the total, ``b``
    the moment of the whole total about it. Their squares and ``ρ (w − g)² / g``, which keeps a
    foot that has just landed from bearing, give ``w_k = (B_k + ρ − ν) / (A_k + ρ / g_k)``; ``ν``
    makes them sum to 1.

    Args:
        legs: One a foot.
        force: ``(3, F)`` N, total.
        couple: ``(3, F)`` N·m, what remains of the total's moment at its centre of pressure.
        place: ``(f, 3, F)`` m, where each foot bears.
        clock: ``(f, F)`` shares by time.
    """
    square, product = np.zeros(clock.shape), np.zeros(clock.shape)
    for k, leg in enumerate(legs):
        whole = np.cross(place[k] - leg.joint, force[None], axis=1) + couple
        square[k] = (whole**2).sum(axis=(0, 1))
        product[k] = (whole * leg.moment).sum(axis=(0, 1))
    hold = HOLD * square.mean(axis=0)
    on = clock > 0
    stiff = square + hold / np.where(on, clock, 1)
    firm = stiff > 0
    gain = np.where(on & firm, 1 / np.where(firm, stiff, 1), 0.0)
    top = gain * (product + hold)
    total = gain.sum(axis=0)
    excess = (top.sum(axis=0) - 1) / np.where(total > 0, total, 1)
    shares = np.maximum(top - gain * excess, 0)
    shares = np.where(np.isfinite(shares), shares, clock)
    total = shares.sum(axis=0)
    return np.asarray(np.where(total > 0, shares / np.where(total > 0, total, 1), clock))
