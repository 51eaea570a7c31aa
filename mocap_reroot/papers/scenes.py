"""Scenes for the assembly solver, of the sizes that Faure reports. World axes: z up."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from mocap_reroot.mechanics.constraints import joint
from mocap_reroot.mechanics.displacement import Solids
from mocap_reroot.numerics.vectors import turn
from mocap_reroot.types import Closure

ABOUT_Y = (np.sqrt(0.5), 0.0, 0.0, np.sqrt(0.5))
"""Quaternion that turns the main axis i of a joint's frame to y: a hinge across the body."""
ABOUT_Z = (np.sqrt(0.5), 0.0, -np.sqrt(0.5), 0.0)
"""The same to z."""


@dataclass(frozen=True, eq=False)
class Scene:
    """Solids where they start.

    Attributes:
        solids: Masses and joints.
        position, orientation: ``(n, 3)`` m and ``(n, 4)``.
        stick: ``(n, 2, 3)`` m, ends of a line that stands for each solid, in its own frame.
    """

    solids: Solids
    position: np.ndarray
    orientation: np.ndarray
    stick: np.ndarray

    def lines(self, position: np.ndarray, orientation: np.ndarray) -> np.ndarray:
        """Return ``(n, 2, 3)`` the sticks in the world."""
        turned = turn(orientation.T[:, :, None], np.moveaxis(self.stick, 2, 0))
        return np.moveaxis(turned, 0, 2) + position[:, None]


class _Rods:
    """Rods between two ends where they start, and the joints that are put between them."""

    def __init__(self, ends: np.ndarray) -> None:
        self.ends = np.asarray(ends, float)  # (n, 2, 3) m
        self.centre = self.ends.mean(axis=1)
        self.joints: list[Closure] = []

    def join(self, kind: str, a: int, b: int, at: np.ndarray, axes: Sequence[float] = ()) -> None:
        """Join two rods at a point of the world; ``axes`` of a hinge, the same in both."""
        places = at - self.centre[a], at - self.centre[b]
        self.joints.append(joint(kind, a, b, *places, *((axes, axes) if len(axes) else ())))

    def scene(self, mass: np.ndarray, radius: float = 0.05, led: int | None = None) -> Scene:
        """Return the scene; rods have some thickness, m; ``led`` is moved by others only."""
        along = self.ends[:, 1] - self.ends[:, 0]
        square = (along**2).sum(axis=1)[:, None, None]
        thin = (square * np.eye(3) - along[:, :, None] * along[:, None, :]) / 12
        inertia = mass[:, None, None] * (thin + 0.5 * radius**2 * np.eye(3))
        held = np.arange(len(mass)) == (-1 if led is None else led)
        solids = Solids(mass, inertia, tuple(self.joints), held)
        still = np.tile([1.0, 0, 0, 0], (len(mass), 1))
        return Scene(solids, self.centre, still, self.ends - self.centre[:, None])


# A body of unit stature, seen from behind (x forward, y to the left): ends of the segments, mass
# as part of the whole, and the joint at the first end with its parent and type.
_MIDDLE = {
    "pelvis": ((0, 0, 0.53), (0, 0, 0.60), 0.14, "", ""),
    "trunk": ((0, 0, 0.60), (0, 0, 0.82), 0.36, "pelvis", "spherical"),
    "head": ((0, 0, 0.84), (0, 0, 1.00), 0.08, "trunk", "spherical"),
}
_SIDE = {
    "upper_arm": ((0, 0.11, 0.81), (0, 0.17, 0.64), 0.03, "trunk", "spherical"),
    "forearm": ((0, 0.17, 0.64), (0.03, 0.20, 0.49), 0.02, "upper_arm", "pin"),
    "hand": ((0.03, 0.20, 0.49), (0.04, 0.21, 0.40), 0.01, "forearm", "spherical"),
    "thigh": ((0, 0.05, 0.53), (0, 0.06, 0.29), 0.10, "pelvis", "spherical"),
    "shank": ((0, 0.06, 0.29), (0, 0.06, 0.04), 0.04, "thigh", "pin"),
    "foot": ((0, 0.06, 0.04), (0.12, 0.07, 0.0), 0.01, "shank", "spherical"),
}


def body() -> tuple[list[str], np.ndarray, np.ndarray, list[tuple[int, int, str]]]:
    """Return names, ends ``(15, 2, 3)``, masses and joints (parent, child, type) of a body."""
    parts: list[tuple] = [(name, *data, 1) for name, data in _MIDDLE.items()]
    for side, sign in (("left", 1), ("right", -1)):
        parts += [(f"{side}_{name}", *data, sign) for name, data in _SIDE.items()]
    names = [part[0] for part in parts]
    ends = np.array([part[1:3] for part in parts], float)
    ends[:, :, 1] *= np.array([part[-1] for part in parts])[:, None]
    joints = []
    for child, (name, *_, parent, kind, _) in enumerate(parts):
        own = f"{name.split('_')[0]}_{parent}"
        if parent:
            joints.append((names.index(own if own in names else parent), child, kind))
    return names, ends, np.array([part[3] for part in parts]), joints


def hand_in_hand(figures: int = 13, gap: float = 0.62, seed: int = 0) -> Scene:
    """Return bodies of different sizes in a row, whose hands and feet are to be bound together.

    Hands meet in spherical joints and feet are bound rigidly: thirteen bodies make
    13 × 50 + 12 × (3 + 6) = 758 scalar constraints, the number of Fig. 3.
    """
    rng = np.random.default_rng(seed)
    names, unit, share, chain = body()
    n, ends, mass = len(names), [], []
    for k, size in enumerate(rng.uniform(1.3, 1.9, figures)):
        ends.append(size * unit + [0.15 * rng.normal(), 1.75 * gap * k, 0.0])
        mass.append(70 * (size / 1.7) ** 3 * share)
    rods = _Rods(np.concatenate(ends))
    for k in range(figures):
        for parent, child, kind in chain:
            axes = ABOUT_Y if kind == "pin" else ()
            rods.join(kind, k * n + parent, k * n + child, rods.ends[k * n + child, 0], axes)
    side = np.array([0.0, 0.05, 0.0])
    for k in range(figures - 1):
        a, b = k * n + names.index("left_hand"), (k + 1) * n + names.index("right_hand")
        at = (rods.ends[i, 1] - rods.centre[i] for i in (a, b))
        rods.joints.append(joint("spherical", a, b, *at))
        a, b = k * n + names.index("left_foot"), (k + 1) * n + names.index("right_foot")
        rods.joints.append(joint("rigid", a, b, side, -side))
    return rods.scene(np.concatenate(mass))


def fingers() -> Scene:
    """Return a hub with five fingers of eleven links, and a tracker that leads one finger's tip.

    56 solids and 261 scalar constraints, the numbers of Fig. 5: the fingers stand on spherical
    joints, as does one link of two of them; all other links are hinged. Hinges turn alternately
    about two axes. The tracker (a 57th solid, led) adds the three constraints of what it drags.
    """
    length, links, count = 0.25, 11, 5
    ends: list[np.ndarray] = [np.array([[-0.1, 0, 0], [0.1, 0, 0]])]
    joints: list[tuple] = []
    for finger in range(count):
        angle = 2 * np.pi * finger / count
        way = np.array([np.cos(angle), np.sin(angle), 0.0])
        across = (angle + np.pi / 2) / 2
        hinges = (np.cos(across), 0.0, 0.0, np.sin(across)), ABOUT_Z  # in the plane, or upright
        for link in range(links):
            start = way * (0.3 + length * link)
            before = 0 if link == 0 else len(ends) - 1
            if link == 0 or (link == 6 and finger < 2):
                joints.append(("spherical", before, len(ends), start))
            else:
                joints.append(("pin", before, len(ends), start, hinges[link % 2]))
            ends.append(np.stack([start, start + way * length]))
    tip, tracker = ends[-1][1], len(ends)
    rods = _Rods(np.stack([*ends, [tip, tip]]))
    for each in [*joints, ("spherical", tracker - 1, tracker, tip)]:
        rods.join(*each)
    return rods.scene(np.full(tracker + 1, 0.2), led=tracker)


def plate() -> Scene:
    """Return a plate that is led, with nine chains of three links below it, tied in a ring.

    28 solids and 108 scalar constraints, the numbers of Fig. 6: 27 spherical joints hold the
    chains and nine more tie the end of each to the middle of the next.
    """
    count, links, length, radius = 9, 3, 0.25, 0.4
    around = 2 * np.pi * np.arange(count) / count
    tops = radius * np.stack([np.cos(around), np.sin(around), 0 * around], axis=1)
    down = -length * np.array([0, 0, 1.0])
    ends = [[top + link * down, top + (link + 1) * down] for top in tops for link in range(links)]
    rods = _Rods(np.array([[[-radius, 0, 0], [radius, 0, 0]], *ends]))
    for b in range(1, 1 + count * links):
        rods.join("spherical", 0 if b % links == 1 else b - 1, b, rods.ends[b, 0])
    half = radius * np.sin(np.pi / count)
    for chain in range(count):
        a = 1 + chain * links + 1  # a peg from the middle link towards the next chain's
        b = 1 + ((chain + 1) % count) * links + 1
        angle = around[chain] + np.pi / count + np.pi / 2
        way = half * np.array([np.cos(angle), np.sin(angle), 0.0])
        rods.joints.append(joint("spherical", a, b, way, -way))
    # as thick as their pegs are long: a thin rod on a long lever would answer too violently
    return rods.scene(np.full(len(rods.ends), 0.2), radius=0.15, led=0)


def bar_and_disks() -> Scene:
    """Return Fig. 2: a bar whose ends have to coincide with the centres of two disks."""
    joints = [
        joint("spherical", 0, k, [side, 0, 0], np.zeros(3)) for k, side in ((1, -0.5), (2, 0.5))
    ]
    inertia = np.stack([np.diag([0.01, 0.1, 0.1]), 0.02 * np.eye(3), 0.02 * np.eye(3)])
    position = np.array([[0.0, 0, 0], [-0.1, 0, 0.7], [0.6, 0, -0.6]])
    stick = np.zeros((3, 2, 3))
    stick[0, :, 0] = -0.5, 0.5
    solids = Solids(np.ones(3), inertia, tuple(joints))
    return Scene(solids, position, np.tile([1.0, 0, 0, 0], (3, 1)), stick)


def chain_in_space(links: int = 6, seed: int = 6) -> Scene:
    """Return an isolated chain of rods with alternating hinges and spherical joints."""
    along = 0.4 * np.arange(links + 1)[:, None] * [1.0, 0, 0]
    rods = _Rods(np.stack([along[:-1], along[1:]], axis=1))
    for k in range(links - 1):
        kind, axes = ("pin", ABOUT_Y) if k % 2 else ("spherical", ())
        rods.join(kind, k, k + 1, rods.ends[k, 1], axes)
    return rods.scene(np.random.default_rng(seed).uniform(0.5, 2.0, links))
