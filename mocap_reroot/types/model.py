"""Model: a musculoskeletal model's bodies, joints, coordinates and markers, as OpenSim has them.

A joint takes a frame F on the parent to a frame M on the child: three turns about axes, one after
the other, and three slides along axes of F, each a function of one coordinate or constant.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path

import numpy as np

from mocap_reroot.types.checks import read_only, shaped

_WHOLE_TURN = 2 * np.pi - 1e-3  # rad; files round π


@dataclass(frozen=True, eq=False)
class Function:
    """A piecewise polynomial of one variable.

    Attributes:
        left: ``(p)`` where each piece begins, ascending; the first is −∞.
        centre: ``(p)`` what each piece's powers are counted from.
        coefficients: ``(p, d)`` of ascending powers.
    """

    left: np.ndarray
    centre: np.ndarray
    coefficients: np.ndarray

    @classmethod
    def polynomial(cls, *ascending: float) -> Function:
        """Return one polynomial for all numbers, by its coefficients of ascending powers."""
        return cls(np.array([-np.inf]), np.zeros(1), np.array([ascending]))

    def __post_init__(self) -> None:
        object.__setattr__(self, "left", read_only(self.left))
        object.__setattr__(self, "centre", read_only(self.centre))
        object.__setattr__(self, "coefficients", read_only(self.coefficients))

    def times(self, scale: float) -> Function:
        """Return the function multiplied by a number."""
        return Function(self.left, self.centre, self.coefficients * scale)

    def __call__(self, x: np.ndarray | float) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Return value, first and second derivative at every ``x``."""
        x = np.asarray(x, dtype=float)
        piece = np.searchsorted(self.left, x, side="right") - 1
        away, c = x - self.centre[piece], self.coefficients[piece]
        value, slope, bend = np.zeros((3, *x.shape))
        for k in range(c.shape[-1] - 1, -1, -1):  # Horner, with both derivatives
            bend = bend * away + 2 * slope
            slope = slope * away + value
            value = value * away + c[..., k]
        return value, slope, bend


@dataclass(frozen=True)
class ModelCoordinate:
    """A generalised coordinate.

    Attributes:
        name: As in the model.
        turns: Whether it is an angle (rad); else a length (m).
        default: rad or m.
        lowest, highest: Its range, rad or m; fitting keeps to it if ``clamped``.
        clamped, locked: What the model says of it; locked ones stay at their default.
    """

    name: str
    turns: bool
    default: float = 0.0
    lowest: float = -np.inf
    highest: float = np.inf
    clamped: bool = False
    locked: bool = False

    @property
    def bounds(self) -> tuple[float, float]:
        """What fitting keeps to; a whole turn bounds nothing: angles go on beyond 180°."""
        whole = self.turns and self.highest - self.lowest > _WHOLE_TURN
        return (self.lowest, self.highest) if self.clamped and not whole else (-np.inf, np.inf)


@dataclass(frozen=True, eq=False)
class ModelJoint:
    """How a body moves against its parent.

    Attributes:
        name, kind: e.g. ``"knee_r"``, ``"CustomJoint"``.
        parent_turn, parent_place: ``(3, 3)``, ``(3)`` m: the frame F in the parent's.
        child_turn, child_place: ``(3, 3)``, ``(3)`` m: the frame M in the body's.
        axes: ``(6, 3)`` unit vectors: of three turns, then of three slides.
        functions: Six: rad and m as functions of their coordinates.
        coordinates: ``(6)`` index of the coordinate of each function, −1 where it is constant.
        by_rates: Whether speeds are rates of the coordinates; else (ball, free) the turning speed
            and the velocity in the axes of F.
    """

    name: str
    kind: str
    parent_turn: np.ndarray
    parent_place: np.ndarray
    child_turn: np.ndarray
    child_place: np.ndarray
    axes: np.ndarray
    functions: tuple[Function, ...]
    coordinates: tuple[int, ...]
    by_rates: bool = True

    @property
    def own(self) -> tuple[int, ...]:
        """Indices of its coordinates, in their order."""
        return tuple(sorted({c for c in self.coordinates if c >= 0}))


@dataclass(frozen=True, eq=False)
class Coupling:
    """A coordinate that follows another: ``dependent = function(independent)``, by index."""

    dependent: int
    independent: int
    function: Function


@dataclass(frozen=True, eq=False)
class Model:
    """A tree of bodies with its own joints, coordinates, masses and markers; SI, its own axes.

    Attributes:
        name, path: The model and its file.
        bodies: ``(n)`` names, parents first; the first hangs from the ground.
        parents: ``(n)`` index, −1 for the ground.
        mass, com, inertia: ``(n)`` kg, ``(n, 3)`` m in the body's frame, ``(n, 3, 3)`` kg·m² about
            the centre of mass.
        joints: ``(n)`` of each body with its parent.
        coordinates: ``(c)`` in the order of the model.
        couplings: Coordinates that follow others.
        labels, marker_body, marker_place: ``(m)``, ``(m)``, ``(m, 3)`` m in the body's frame.
        marker_fixed: ``(m)`` whether a marker sits on a landmark of the model; others were placed
            where a person wore them.
        up: ``(3)`` unit vector, the other way than the model's gravity.
        warnings: Sentences about what was not understood or is not used.
        scaled: Whether it was scaled to a person, whose mass is then another.
    """

    name: str
    path: Path
    bodies: tuple[str, ...]
    parents: np.ndarray
    mass: np.ndarray
    com: np.ndarray
    inertia: np.ndarray
    joints: tuple[ModelJoint, ...]
    coordinates: tuple[ModelCoordinate, ...]
    couplings: tuple[Coupling, ...]
    labels: tuple[str, ...]
    marker_body: np.ndarray
    marker_place: np.ndarray
    marker_fixed: np.ndarray
    up: np.ndarray
    warnings: tuple[str, ...] = ()
    scaled: bool = False

    def __post_init__(self) -> None:
        n, m = len(self.bodies), len(self.labels)
        for name, dtype, shape in (
            ("parents", np.int64, (n,)),
            ("mass", float, (n,)),
            ("com", float, (n, 3)),
            ("inertia", float, (n, 3, 3)),
            ("marker_body", np.int64, (m,)),
            ("marker_place", float, (m, 3)),
            ("marker_fixed", bool, (m,)),
            ("up", float, (3,)),
        ):
            value = shaped(f"Model.{name}", getattr(self, name), dtype, shape)
            object.__setattr__(self, name, value)

    @cached_property
    def names(self) -> tuple[str, ...]:
        """``(c)`` names of the coordinates."""
        return tuple(coordinate.name for coordinate in self.coordinates)

    @property
    def default(self) -> np.ndarray:
        """``(c)`` default values, rad and m."""
        return np.array([coordinate.default for coordinate in self.coordinates])

    def __repr__(self) -> str:
        return (
            f"<Model: {self.name!r}, {len(self.bodies)} bodies, {len(self.coordinates)} "
            f"coordinates, {len(self.labels)} markers, {self.mass.sum():.1f} kg>"
        )


@dataclass(frozen=True, eq=False)
class Generalised:
    """A model's coordinates over the frames of a motion.

    Attributes:
        model: Whose they are.
        world: ``(3, 3)`` turn of the model's ground into the axes of the file.
        value: ``(c, F)`` rad, m.
        given: ``(c)`` whether the coordinate was given or fitted; others follow by a coupling.
        speed, acceleration: ``(c, F)`` rates of the values, or None.
    """

    model: Model
    world: np.ndarray
    value: np.ndarray
    given: np.ndarray
    speed: np.ndarray | None = None
    acceleration: np.ndarray | None = None

    def cut(self, start: int, stop: int) -> Generalised:
        """Return frames ``start`` to ``stop``, half open."""
        names = ("value", "speed", "acceleration")
        parts = {k: v[:, start:stop] for k in names if (v := getattr(self, k)) is not None}
        return replace(self, **parts)
