"""Body of the report's player: joints, and capsules as thick as the segment masses make them."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from mocap_reroot.export.body_shapes import DENSITY, THIN, capsule_radius
from mocap_reroot.numerics.vectors import turn
from mocap_reroot.report.clip_tables import ClipTables


@dataclass(frozen=True)
class Capsule:
    """A stretch of a body between two of its points.

    Attributes:
        start, stop: Indices of points.
        body: Index of the body it belongs to.
        radius: m.
    """

    start: int
    stop: int
    body: int
    radius: float


@dataclass(frozen=True, eq=False)
class Mannequin:
    """The body that the player draws.

    Attributes:
        bodies: Names.
        points: ``(p, 3, F)`` m, world axes: the bodies' origins, then the tips of end bodies.
        capsules: What to draw between them.
        com: ``(3, F)`` m, centre of mass of the whole body.
    """

    bodies: tuple[str, ...]
    points: np.ndarray
    capsules: tuple[Capsule, ...]
    com: np.ndarray


def mannequin(clip: ClipTables, frames: slice) -> Mannequin | None:
    """Return the body in the frames asked for, or None where no kinematics were written."""
    if "kinematics" not in clip or "bodies" not in clip:
        return None
    table, kinematics = clip["bodies"], clip["kinematics"]
    bodies = [str(b) for b in table["body"]]
    columns = [f"{b}_p{a}" for b in bodies for a in "xyz"]
    if not set(columns) <= set(kinematics.columns):
        return None
    n, shown = len(bodies), range(len(kinematics))[frames]
    origins, turns = np.empty((n, 3, len(shown))), np.empty((n, 4, len(shown)))
    for i, name in enumerate(bodies):  # one by one: of a long clip few frames are shown
        origins[i] = clip.vectors("kinematics", name, "p")[:, frames]
        turns[i] = kinematics[[f"{name}_q{a}" for a in "wxyz"]].to_numpy(float)[frames].T
    mass = table["mass"].to_numpy(float)
    centre = table[["com_x", "com_y", "com_z"]].to_numpy(float)
    offset = table[["offset_x", "offset_y", "offset_z"]].to_numpy(float)
    index = {b: i for i, b in enumerate(bodies)}
    parents = [index.get(str(p), -1) for p in table["parent"]]
    children: list[list[int]] = [[] for _ in bodies]
    for child, parent in enumerate(parents):
        if parent >= 0:
            children[parent].append(child)
    placed = origins + np.stack([turn(turns[i], centre[i, :, None]) for i in range(n)])
    points, capsules = list(origins), []
    for body in range(n):
        reach = {c: float(np.linalg.norm(offset[c])) for c in children[body]}
        reach = {c: length for c, length in reach.items() if length > 1e-4}
        # The body's mass goes into its main stretch: the one that its centre of mass lies along.
        main = max(reach, key=lambda c: _along(offset[c], centre[body]), default=-1)
        if not reach and mass[body] > 0 and np.linalg.norm(centre[body]) > 1e-4:
            tip = 2 * centre[body]
            points.append(origins[body] + turn(turns[body], tip[:, None]))
            length = float(np.linalg.norm(tip))
            # No thicker than a ball of that mass: heads whose centre is near the neck.
            ball = (0.75 * mass[body] / (np.pi * DENSITY)) ** (1 / 3)
            radius = min(capsule_radius(mass[body], length), 0.85 * float(ball))
            capsules.append(Capsule(body, len(points) - 1, body, radius))
        for child, length in reach.items():
            radius = capsule_radius(mass[body], length) if child == main else 0.0
            capsules.append(Capsule(body, child, body, max(radius, THIN)))
    total = mass.sum()
    com = (mass[:, None, None] * placed).sum(axis=0) / total if total > 0 else origins[0]
    return Mannequin(tuple(bodies), np.stack(points), tuple(capsules), com)


def _along(offset: np.ndarray, centre: np.ndarray) -> float:
    """Return how far towards the centre of mass an offset goes; its length decides ties."""
    return float(offset @ centre) + 0.1 * float(offset @ offset)
