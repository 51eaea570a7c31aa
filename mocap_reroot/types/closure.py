"""Closure: a joint between two bodies that the tree does not contain, so that it closes a loop."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from mocap_reroot.errors import MocapRerootError, UnknownNameError
from mocap_reroot.types.checks import check_arrays, read_only

WORLD = -1
"""Stands for the ground where a body's index is expected."""

# Held directions: translations along i, j, k, then rotations about them; i is the main axis.
HELD = {
    "spherical": (1, 1, 1, 0, 0, 0),
    "pin": (1, 1, 1, 0, 1, 1),
    "cylindrical": (0, 1, 1, 0, 1, 1),
    "prismatic": (0, 1, 1, 1, 1, 1),
    "sliding_ball": (0, 1, 1, 0, 0, 0),
    "surface": (1, 0, 0, 0, 0, 0),
    "plane": (1, 0, 0, 0, 1, 1),
    "rigid": (1, 1, 1, 1, 1, 1),
}
"""Directions that each type of joint holds."""

ALIASES = {
    "universal": "spherical",  # the names of Faure's table that mean something else today
    "ball-socket": "sliding_ball",
    "smooth surface contact": "surface",
    "flat": "rigid",  # contacts of a foot
    "line": "pin",
    "point": "spherical",
}


def held_directions(kind: str) -> np.ndarray:
    """Return ``(6)`` bool, the directions a named joint or contact holds."""
    try:
        return np.array(HELD[ALIASES.get(kind, kind)], dtype=bool)
    except KeyError:
        raise UnknownNameError("joint", kind, (*HELD, *ALIASES)) from None


@dataclass(frozen=True, eq=False)
class Closure:
    """Two frames, one on each of two bodies, and the directions along which they are held together.

    The directions are the axes ``i, j, k`` of the *first* frame and turn with it.

    Attributes:
        first, second: Body indices; :data:`WORLD` for the ground.
        point: ``(2, 3)`` m, origin of each frame in its body's capture frame (ground: world).
        axes: ``(2, 4)`` quaternions, each frame's axes to its body's (ground: to world).
        held: ``(6)`` bool: translations along ``i, j, k``, rotations about ``i, j, k``.
        name: What to call it.
    """

    first: int
    second: int
    point: np.ndarray
    axes: np.ndarray
    held: np.ndarray
    name: str = ""

    def __post_init__(self) -> None:
        check_arrays(self, point=(2, 3), axes=(2, 4))
        check_arrays(self, bool, held=(6,))
        if self.first == self.second:
            raise MocapRerootError(f"A closure joins two bodies; both are number {self.first}.")

    @property
    def size(self) -> int:
        """Number of scalar constraints."""
        return int(self.held.sum())


def closure_arrays(closures: tuple[Closure, ...], origin: np.ndarray) -> tuple[np.ndarray, ...]:
    """Return closures as the kernels take them: bodies, points and axes of both, what is held.

    Args:
        closures: Between bodies, or a body and the world.
        origin: ``(n + 1, 3)`` m, from which points of each body count; the last is the world's.

    Raises:
        MocapRerootError: One names a body that does not exist.
    """
    m, n = len(closures), len(origin) - 1
    bodies = np.array([(c.first, c.second) for c in closures], np.int64).reshape(m, 2)
    if bodies.max(initial=-1) >= n:
        raise MocapRerootError(
            f"A joint names body {bodies.max()}, which does not exist: there are {n}."
        )
    point = np.array([c.point for c in closures]).reshape(m, 2, 3) - origin[bodies]
    axes = np.array([c.axes for c in closures]).reshape(m, 2, 4)
    held = np.array([c.held for c in closures], bool).reshape(m, 6)
    pairs = [read_only(pair[:, k]) for pair in (point, axes) for k in range(2)]
    integers = [read_only(bodies[:, k], np.int64) for k in range(2)]
    return (*integers, *pairs, read_only(held, bool))
