"""Shapes for a glTF scene: the capsules of a mannequin, an arrow and a ball, as triangles."""

from __future__ import annotations

from dataclasses import dataclass
from math import pi

import numpy as np

from mocap_reroot.export.body_shapes import bones
from mocap_reroot.mechanics.world_axes import turn_between
from mocap_reroot.numerics.vectors import matrices
from mocap_reroot.types import Skeleton

AROUND = 12
"""Corners of a round cross-section."""


@dataclass(frozen=True, eq=False)
class Shape:
    """Triangles: ``(v, 3)`` positions and unit normals, ``(t, 3)`` corners, ``(v)`` bodies."""

    position: np.ndarray
    normal: np.ndarray
    triangle: np.ndarray
    body: np.ndarray

    @classmethod
    def joined(cls, shapes: list[Shape]) -> Shape:
        """Return several shapes as one."""
        first = np.cumsum([0, *(len(shape.position) for shape in shapes)])
        return cls(
            np.concatenate([shape.position for shape in shapes]),
            np.concatenate([shape.normal for shape in shapes]),
            np.concatenate([s.triangle + k for s, k in zip(shapes, first, strict=False)]),
            np.concatenate([shape.body for shape in shapes]),
        )

    def turned(self, rotation: np.ndarray, origin: np.ndarray) -> Shape:
        """Return the shape in other axes: ``(3, 3)`` matrix, then moved by ``(3)``."""
        turned = self.position @ rotation.T + origin
        return Shape(turned, self.normal @ rotation.T, self.triangle, self.body)


def lathe(profile: list[tuple[float, float, float, float]], body: int = 0) -> Shape:
    """Return what a profile becomes when it is turned about y.

    Args:
        profile: Radius, height and the normal's share outwards and up, from bottom to top.
        body: The body it belongs to.
    """
    angle = np.linspace(0, 2 * pi, AROUND, endpoint=False)
    ring = np.stack([np.cos(angle), np.zeros(AROUND), np.sin(angle)], axis=1)
    up = np.array([0.0, 1.0, 0.0])
    position = np.concatenate([radius * ring + height * up for radius, height, *_ in profile])
    normal = np.concatenate([out * ring + rise * up for *_, out, rise in profile])
    lengths = np.linalg.norm(normal, axis=1, keepdims=True)
    k = np.arange(AROUND)
    following = (k + 1) % AROUND
    rings = []
    for level in range(len(profile) - 1):
        low, high = level * AROUND, (level + 1) * AROUND
        rings += [
            np.stack([low + k, high + k, low + following], axis=1),
            np.stack([low + following, high + k, high + following], axis=1),
        ]
    triangle = np.concatenate(rings)
    return Shape(position, normal / lengths, triangle, np.full(len(position), body))


def capsule(length: float, radius: float, body: int) -> Shape:
    """Return a capsule along y whose axis runs from the origin so far up."""
    turns = (0.0, pi / 6, pi / 3, pi / 2)
    tiny = 1e-3  # of the radius: poles of no radius would be triangles without an area
    low = [(max(np.sin(a), tiny), -np.cos(a)) for a in turns]
    profile = [(r * radius, h * radius, r, h) for r, h in low]
    profile += [(r * radius, length - h * radius, r, -h) for r, h in reversed(low)]
    return lathe(profile, body)


def arrow() -> Shape:
    """Return an arrow of length 1 along y, its point at the top."""
    thin, wide, neck = 0.018, 0.045, 0.86
    return lathe(
        [
            (1e-4, 0, 0, -1), (thin, 0, 0, -1), (thin, 0, 1, 0), (thin, neck, 1, 0),
            (thin, neck, 0, -1), (wide, neck, 0, -1), (wide, neck, 1, 0.3), (1e-4, 1, 1, 0.3),
        ]
    )  # fmt: skip


def ball(radius: float) -> Shape:
    """Return a ball about the origin."""
    turns = np.linspace(0.02, pi - 0.02, 8)
    return lathe([(radius * np.sin(a), -radius * np.cos(a), np.sin(a), -np.cos(a)) for a in turns])


def mannequin(
    skeleton: Skeleton, orientation: np.ndarray, position: np.ndarray, mass: np.ndarray | None
) -> dict[str, Shape]:
    """Return capsules along the bones of a body at rest, in the world, by side.

    Args:
        skeleton: Any tree.
        orientation: ``(n, 3, 3)`` body to world at rest.
        position: ``(n, 3)`` m, origins at rest.
        mass: ``(n)`` kg, or None.
    """
    parts: dict[str, list[Shape]] = {"left": [], "right": [], "": []}
    segments = skeleton.anatomy.segments if skeleton.anatomy else ("",) * skeleton.n_bodies
    for bone in bones(skeleton, mass):
        body = bone.body
        side = next((word for word in ("left", "right") if segments[body].startswith(word)), "")
        shape = capsule(bone.length, bone.radius, body)
        turned = orientation[body] @ matrices(turn_between(np.eye(3)[1], bone.end / bone.length))
        parts[side].append(shape.turned(turned, position[body]))
    if not any(parts.values()):  # a single body: something to see
        parts[""].append(ball(0.05).turned(np.eye(3), position[skeleton.root]))
    return {side: Shape.joined(shapes) for side, shapes in parts.items() if shapes}
