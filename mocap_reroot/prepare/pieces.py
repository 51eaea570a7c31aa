"""Pieces of mass fixed to bodies, and how they add up."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np

SHORT = 1e-4
"""m, bones shorter than this have no direction and carry nothing."""

_SLICES = 240  # per part that is spread over several bodies


@dataclass(frozen=True, eq=False)
class Piece:
    """Mass fixed to a body.

    Attributes:
        body: Index of the body that carries it.
        mass: kg, or any unit common to all pieces.
        com: ``(3)`` m, in the body's frame.
        inertia: ``(3, 3)`` about the centre of mass, in the body's axes.
    """

    body: int
    mass: float
    com: np.ndarray
    inertia: np.ndarray


@dataclass(frozen=True, eq=False)
class Bone:
    """A stretch of a limb that moves as one.

    Attributes:
        body: Index of the body it belongs to.
        start: ``(3)`` m, its upper end in the body's frame.
        vector: ``(3)`` m, from there to its lower end.
        side: ``(3)`` unit vector to the left, in the body's axes.
    """

    body: int
    start: np.ndarray
    vector: np.ndarray
    side: np.ndarray

    @property
    def length(self) -> float:
        """m."""
        return float(np.linalg.norm(self.vector))


def combine(pieces: Iterable[Piece], n: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return mass ``(n)``, centre of mass ``(n, 3)`` and inertia ``(n, 3, 3)`` of n bodies."""
    pieces = [piece for piece in pieces if piece.mass > 0]
    mass, com, inertia = np.zeros(n), np.zeros((n, 3)), np.zeros((n, 3, 3))
    for piece in pieces:
        mass[piece.body] += piece.mass
        com[piece.body] += piece.mass * piece.com
    com[mass > 0] /= mass[mass > 0, None]
    for piece in pieces:
        arm = piece.com - com[piece.body]
        inertia[piece.body] += piece.inertia + piece.mass * (
            arm @ arm * np.eye(3) - np.outer(arm, arm)
        )
    return mass, com, inertia


def oriented(radii_squared: Sequence[float], along: np.ndarray, side: np.ndarray) -> np.ndarray:
    """Return the inertia ``(3, 3)`` per unit mass from squared radii of gyration.

    Args:
        radii_squared: About the fore-aft, the left-right and the long axis, m².
        along: ``(3)`` unit vector of the long axis.
        side: ``(3)`` direction to the left; made perpendicular to ``along``.
    """
    left = side - (side @ along) * along
    if np.linalg.norm(left) < 0.2:  # an arm held sideways: its long axis is the left-right axis
        fore, left = _perpendicular(along)
        mean = (radii_squared[0] + radii_squared[1]) / 2
        radii_squared = (mean, mean, radii_squared[2])
    else:
        left = left / np.linalg.norm(left)
        fore = np.cross(along, left)
    axes = np.stack([fore, left, along])
    return np.asarray(axes.T @ np.diag(radii_squared) @ axes)


def _perpendicular(along: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return two unit vectors that complete a frame."""
    other = np.eye(3)[int(np.argmin(np.abs(along)))]
    first = np.cross(along, other)
    first /= np.linalg.norm(first)
    return first, np.cross(along, first)


def spread(
    bones: Sequence[Bone],
    start: float,
    stop: float,
    mass: float,
    com: float,
    radii: Sequence[float],
) -> list[Piece]:
    """Lay a part of the body along a chain of bones.

    A part within one bone is placed exactly. One that reaches over several is cut into slices of
    linearly varying mass, with the part's centre of mass and, as far as thin slices allow, its
    radii of gyration.

    Args:
        bones: The chain, first bone first; the part may stick out at either end.
        start, stop: m along the chain, where the part begins and ends (stop may be the smaller).
        mass: Of the part.
        com: m along the chain.
        radii: m, about the fore-aft, left-right and long axis.
    """
    edges = np.concatenate([[0.0], np.cumsum([bone.length for bone in bones])])
    long_bones = [k for k, bone in enumerate(bones) if bone.length > SHORT]
    low, high = min(start, stop), max(start, stop)
    owner = _owners(np.array([low, com, high]), edges, long_bones)
    if owner[0] == owner[2]:
        return [_piece(bones[owner[1]], edges[owner[1]], mass, com, 0.0, radii)]
    length = high - low
    u = (np.arange(_SLICES) + 0.5) / _SLICES - 0.5
    lean = np.clip(12 * ((com - low) / length - 0.5), -1.9, 1.9)
    weight = (1 + lean * u) / _SLICES
    at = low + (u + 0.5) * length
    variance = float(weight @ (at - weight @ at) ** 2)
    fore, left, long = (r * r for r in radii)
    fore, left = max(fore - variance, 0.05 * long), max(left - variance, 0.05 * long)
    thin = [float(np.sqrt(square)) for square in (fore, left, min(long, fore + left))]
    owner = _owners(at, edges, long_bones)
    pieces = []
    for k in np.unique(owner):
        mine = owner == k
        share = float(weight[mine].sum())
        centre = float(weight[mine] @ at[mine]) / share
        within = float(weight[mine] @ (at[mine] - centre) ** 2) / share
        pieces.append(_piece(bones[k], edges[k], mass * share, centre, within, thin))
    return pieces


def _owners(at: np.ndarray, edges: np.ndarray, candidates: list[int]) -> np.ndarray:
    """Return which of the candidate bones lies at each place along the chain."""
    starts = edges[candidates]
    starts[0] = -np.inf  # what sticks out below rides on the first bone
    # A part that ends where the next bone begins has no share in it.
    return np.asarray(candidates)[np.searchsorted(starts, at - 1e-6, side="right") - 1]


def _piece(
    bone: Bone, start: float, mass: float, at: float, variance: float, radii: Sequence[float]
) -> Piece:
    """Return mass on a bone: where along the chain, and how far it is spread along it (m²)."""
    along = bone.vector / bone.length
    com = bone.start + along * (at - start)
    fore, left, long = (float(r) ** 2 for r in radii)
    shape = oriented((fore + variance, left + variance, long), along, bone.side)
    return Piece(bone.body, mass, com, mass * shape)
