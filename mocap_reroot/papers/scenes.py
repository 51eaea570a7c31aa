"""Scenes for the assembly solver, of the sizes that Faure reports. World axes: z up."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from mocap_reroot.mechanics.constraints import joint
from mocap_reroot.mechanics.displacement import Solids
from mocap_reroot.types import Closure

ABOUT_Y = (np.sqrt(0.5), 0.0, 0.0, np.sqrt(0.5))
"""Quaternion that turns the main axis i of a joint's frame to y: a hinge across the body."""


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
        w, v = orientation[:, None, :1], orientation[:, None, 1:]
        t = 2 * np.cross(v, self.stick)
        return np.asarray(self.stick + w * t + np.cross(v, t) + position[:, None])


def rods(ends: np.ndarray, mass: np.ndarray, radius: float = 0.05) -> np.ndarray:
    """Return ``(n, 3, 3)`` inertias of rods between two ends ``(n, 2, 3)``, with some thickness."""
    along = ends[:, 1] - ends[:, 0]
    square = (along**2).sum(axis=1)[:, None, None]
    thin = (square * np.eye(3) - along[:, :, None] * along[:, None, :]) / 12
    return mass[:, None, None] * (thin + 0.5 * radius**2 * np.eye(3))


# A person of unit stature, seen from behind (x forward, y to the left): ends of the segments, mass
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


def person() -> tuple[list[str], np.ndarray, np.ndarray, list[tuple[int, int, str]]]:
    """Return names, ends ``(15, 2, 3)``, masses and joints (parent, child, type) of a person."""
    names, ends, mass, joints = [], [], [], []
    parts: list[tuple] = [(name, *data, 1) for name, data in _MIDDLE.items()]
    for side, sign in (("left", 1), ("right", -1)):
        parts += [(f"{side}_{name}", *data, sign) for name, data in _SIDE.items()]
    for name, a, b, share, parent, kind, sign in parts:
        mirror = np.array([1.0, sign, 1.0])
        names.append(name)
        ends.append([mirror * a, mirror * b])
        mass.append(share)
        if parent:
            side = name.split("_")[0] if "_" in name else ""
            own = f"{side}_{parent}"
            joints.append((names.index(own if own in names else parent), len(names) - 1, kind))
    return names, np.array(ends), np.array(mass), joints


def hand_in_hand(figures: int = 13, gap: float = 0.62, seed: int = 0) -> Scene:
    """Return figures of different sizes in a row, whose hands and feet are to be bound together.

    Hands meet in spherical joints and feet are bound rigidly: thirteen figures make
    13 × 50 + 12 × (3 + 6) = 758 scalar constraints, the number of Fig. 3.
    """
    rng = np.random.default_rng(seed)
    names, unit, share, chain = person()
    n = len(names)
    joints: list[Closure] = []
    ends, mass = [], []
    for k, size in enumerate(rng.uniform(1.3, 1.9, figures)):
        shift = np.array([0.15 * rng.normal(), 1.75 * gap * k, 0.0])
        ends.append(size * unit + shift)
        mass.append(70 * (size / 1.7) ** 3 * share)
    every, masses = np.concatenate(ends), np.concatenate(mass)
    centre = every.mean(axis=1)
    for k in range(figures):
        for parent, child, kind in chain:
            a, b = k * n + parent, k * n + child
            at = every[b, 0]
            axes = (ABOUT_Y, ABOUT_Y) if kind == "pin" else ()
            joints.append(joint(kind, a, b, at - centre[a], at - centre[b], *axes))
    sides = ("left", "right")
    for k in range(figures - 1):
        hand, foot = (
            [names.index(f"{side}_{part}") for side in sides] for part in ("hand", "foot")
        )
        a, b = k * n + hand[0], (k + 1) * n + hand[1]
        joints.append(joint("spherical", a, b, every[a, 1] - centre[a], every[b, 1] - centre[b]))
        a, b = k * n + foot[0], (k + 1) * n + foot[1]
        side = np.array([0.0, 0.05, 0.0])
        joints.append(joint("rigid", a, b, side, -side))
    solids = Solids(masses, rods(every, masses), tuple(joints))
    still = np.tile([1.0, 0, 0, 0], (len(masses), 1))
    return Scene(solids, centre, still, every - centre[:, None])


def fingers() -> Scene:
    """Return a hub with five fingers of eleven links, and a tracker that leads one finger's tip.

    56 solids and 261 scalar constraints, the numbers of Fig. 5: the fingers stand on spherical
    joints, as does one link of two of them; all other links are hinged. Hinges turn alternately
    about two axes. The tracker (a 57th solid, led) adds the three constraints of what it drags.
    """
    length, links, count = 0.25, 11, 5
    ends: list = [[[-0.1, 0, 0], [0.1, 0, 0]]]
    joints: list[Closure] = []
    centre = [np.zeros(3)]
    for finger in range(count):
        angle = 2 * np.pi * finger / count
        way = np.array([np.cos(angle), np.sin(angle), 0.0])
        for link in range(links):
            start = way * (0.3 + length * link)
            middle = start + way * length / 2
            before = 0 if link == 0 else len(centre) - 1
            soft = link == 0 or (link == 6 and finger < 2)
            axes = () if soft else (_across(way, link % 2),) * 2
            kind = "spherical" if soft else "pin"
            at = start - centre[before], start - middle
            joints.append(joint(kind, before, len(centre), *at, *axes))
            centre.append(middle)
            ends.append([start, start + way * length])
    tip = len(centre) - 1
    every = np.array(ends)
    ends.append([every[tip, 1], every[tip, 1]])
    centre.append(every[tip, 1])
    joints.append(joint("spherical", tip, tip + 1, every[tip, 1] - centre[tip], np.zeros(3)))
    every, middles = np.array(ends), np.array(centre)
    mass = np.full(len(centre), 0.2)
    led = np.arange(len(centre)) == tip + 1
    solids = Solids(mass, rods(every, mass), tuple(joints), led)
    still = np.tile([1.0, 0, 0, 0], (len(mass), 1))
    return Scene(solids, middles, still, every - middles[:, None])


def _across(way: np.ndarray, upright: int) -> Sequence[float]:
    """Return axes whose i stands across a direction: in the plane, or along z."""
    if upright:
        return (np.sqrt(0.5), 0.0, -np.sqrt(0.5), 0.0)  # i to z
    angle = np.arctan2(way[1], way[0]) + np.pi / 2
    return (np.cos(angle / 2), 0.0, 0.0, np.sin(angle / 2))


def plate() -> Scene:
    """Return a plate that is led, with nine chains of three links below it, tied in a ring.

    28 solids and 108 scalar constraints, the numbers of Fig. 6: 27 spherical joints carry the
    chains and nine more tie the end of each to the middle of the next.
    """
    count, links, length = 9, 3, 0.25
    ends: list = [[[-0.4, 0, 0], [0.4, 0, 0]]]
    joints: list[Closure] = []
    for chain in range(count):
        angle = 2 * np.pi * chain / count
        top = 0.4 * np.array([np.cos(angle), np.sin(angle), 0.0])
        for link in range(links):
            a = top - np.array([0, 0, length * link])
            ends.append([a, a - np.array([0, 0, length])])
    every = np.array(ends, float)
    centre = every.mean(axis=1)
    centre[0] = 0.0
    for chain in range(count):
        for link in range(links):
            b = 1 + chain * links + link
            a = 0 if link == 0 else b - 1
            at = every[b, 0]
            joints.append(joint("spherical", a, b, at - centre[a], at - centre[b]))
    half = 2 * 0.4 * np.sin(np.pi / count) / 2
    for chain in range(count):
        a = 1 + chain * links + 1  # a peg from the middle link towards the next chain's
        b = 1 + ((chain + 1) % count) * links + 1
        angle = 2 * np.pi * (chain + 0.5) / count + np.pi / 2
        way = half * np.array([np.cos(angle), np.sin(angle), 0.0])
        joints.append(joint("spherical", a, b, way, -way))
    mass = np.full(len(every), 0.2)
    led = np.arange(len(every)) == 0
    # as thick as their pegs are long: a thin rod on a long lever would answer too violently
    solids = Solids(mass, rods(every, mass, radius=0.15), tuple(joints), led)
    still = np.tile([1.0, 0, 0, 0], (len(mass), 1))
    return Scene(solids, centre, still, every - centre[:, None])


def bar_and_disks() -> Scene:
    """Return Fig. 2: a bar whose ends have to coincide with the centres of two disks."""
    joints = [
        joint("spherical", 0, 1, [-0.5, 0, 0], np.zeros(3)),
        joint("spherical", 0, 2, [0.5, 0, 0], np.zeros(3)),
    ]
    inertia = np.stack([np.diag([0.01, 0.1, 0.1])] + [0.02 * np.eye(3)] * 2)
    position = np.array([[0.0, 0, 0], [-0.1, 0, 0.7], [0.6, 0, -0.6]])
    stick = np.array([[[-0.5, 0, 0], [0.5, 0, 0]], *[[[0, 0, 0], [0, 0, 0]]] * 2], float)
    solids = Solids(np.ones(3), inertia, tuple(joints))
    return Scene(solids, position, np.tile([1.0, 0, 0, 0], (3, 1)), stick)


def chain_in_space(links: int = 6, seed: int = 6) -> Scene:
    """Return an isolated chain of rods with alternating hinges and spherical joints."""
    ends = np.array([[[k * 0.4, 0, 0], [(k + 1) * 0.4, 0, 0]] for k in range(links)], float)
    centre = ends.mean(axis=1)
    joints = []
    for k in range(links - 1):
        kind = "pin" if k % 2 else "spherical"
        axes = (ABOUT_Y, ABOUT_Y) if k % 2 else ()
        at = ends[k, 1]
        joints.append(joint(kind, k, k + 1, at - centre[k], at - centre[k + 1], *axes))
    mass = np.random.default_rng(seed).uniform(0.5, 2.0, links)
    solids = Solids(mass, rods(ends, mass), tuple(joints))
    return Scene(solids, centre, np.tile([1.0, 0, 0, 0], (links, 1)), ends - centre[:, None])
