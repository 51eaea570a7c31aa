"""Joints as pairs of frames with constrained directions (Faure, Fig. 1 and Table 1).

    joint                    holds                        leaves
    spherical ("universal")  ti tj tk                     three rotations
    pin                      ti tj tk    rj rk            a rotation about i
    cylindrical                 tj tk    rj rk            rotation about and slide along i
    prismatic                   tj tk ri rj rk            a slide along i
    sliding_ball             tj tk  ("ball-socket")       three rotations, a slide along i
    surface                  ti  ("smooth surface")       three rotations, two slides
    plane                    ti          rj rk            a rotation about i, two slides
    rigid                    all                          nothing

Names in quotes are Faure's, where today's use differs; both are understood. Any other joint is
given by its directions.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from mocap_reroot.errors import MocapRerootError
from mocap_reroot.types import WORLD, Closure, held_directions

Vector = Sequence[float] | np.ndarray
_STILL = (1.0, 0.0, 0.0, 0.0)
_DIRECTIONS = ("ti", "tj", "tk", "ri", "rj", "rk")


def directions(*names: str) -> np.ndarray:
    """Return ``(6)`` bool from words such as ``"ti"`` or ``"rk"``."""
    unknown = [name for name in names if name not in _DIRECTIONS]
    if unknown:
        raise MocapRerootError(
            f"{unknown[0]!r} is no direction of a joint; expected among {', '.join(_DIRECTIONS)}."
        )
    return np.array([name in names for name in _DIRECTIONS])


def joint(
    kind: str | np.ndarray,
    first: int,
    second: int,
    at_first: Vector,
    at_second: Vector,
    axes_first: Vector = _STILL,
    axes_second: Vector = _STILL,
    name: str = "",
) -> Closure:
    """Return a joint between two solids.

    Args:
        kind: A name of the table, or ``(6)`` directions (see :func:`directions`).
        first, second: Indices of the solids; :data:`mocap_reroot.types.WORLD` for the ground.
        at_first, at_second: ``(3)`` m, the frames' origins, in each solid's own frame.
        axes_first, axes_second: ``(4)`` quaternions, the frames' axes to the solid's.
        name: What to call it.
    """
    held = held_directions(kind) if isinstance(kind, str) else np.asarray(kind, bool)
    return Closure(
        first,
        second,
        np.array([at_first, at_second], float),
        np.array([axes_first, axes_second], float),
        held,
        name,
    )


def pinned(solid: int, at: Vector, position: Vector, name: str = "") -> Closure:
    """Return the joint that keeps a point of a solid at a place: a marker, a tracker."""
    return joint("spherical", WORLD, solid, position, at, name=name)
