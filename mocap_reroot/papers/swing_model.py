"""A human of sixteen degrees of freedom on a swing (Yamane and Nakamura, section 4).

The swing is two ropes of three links, six spherical joints in all, hung from a beam. The figure has
four degrees of freedom in each arm and leg (three at the shoulder or hip, one at the elbow or
knee). In the spanning tree it flies freely; two virtual links close the loops, one from the end of
each rope to a hand. Tree: 6 + 16 + 18 = 40 speeds; each grip holds a point, so that
40 − 2 × 3 = 34 degrees of freedom remain, the paper's number. World axes: z up, x forward.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from mocap_reroot.mechanics.closed_chain import ClosedChain
from mocap_reroot.mechanics.constraints import joint
from mocap_reroot.mechanics.coordinates import Coordinates
from mocap_reroot.numerics.vectors import turn
from mocap_reroot.papers.integrate import State
from mocap_reroot.types import BodyModel, Closure, JointType, Skeleton

GRAVITY = 9.81
LINKS = 3
SIDES = ("left", "right")

# Segment: parent, joint, place of the joint in the parent (left side; m), length downwards, mass kg
_SEGMENTS = {
    "upper_arm": ("trunk", JointType.SPHERICAL, (0.0, 0.20, 0.25), 0.30, 2.0),
    "forearm": ("upper_arm", JointType.REVOLUTE, (0.0, 0.0, -0.30), 0.35, 1.5),
    "thigh": ("trunk", JointType.SPHERICAL, (0.0, 0.09, -0.30), 0.42, 8.0),
    "shank": ("thigh", JointType.REVOLUTE, (0.0, 0.0, -0.42), 0.50, 4.0),
}
TRUNK_LENGTH, _TRUNK_MASS = 0.60, 35.0
_ACROSS = np.array([0.0, 1.0, 0.0])

# Limits that torques keep, rad: how far hinges may go; and how far bones at ball joints may lean
# away from the direction that hanging down becomes by a turn about y
_HINGES = {"forearm": (-2.4, -0.05), "shank": (0.05, 2.4)}
_CONES = {"upper_arm": (-1.6, 1.7), "thigh": (-0.7, 1.2)}
_STIFFNESS, _DAMPING = 300.0, 10.0  # N·m/rad and N·m·s/rad


@dataclass(frozen=True)
class SwingModel:
    """Sizes of the swing.

    Attributes:
        rope: m, length of each rope.
        rope_mass: kg, of each rope.
        width: m, between the ropes.
        grip: ``"point"`` (a hand may turn on the rope) or ``"rigid"``.
        gravity: m/s².
    """

    rope: float = 1.8
    rope_mass: float = 3.0
    width: float = 0.7
    grip: str = "point"
    gravity: float = GRAVITY

    def skeleton(self) -> Skeleton:
        """Return the spanning tree: a beam that stands still, the ropes, and the figure."""
        names, parents, kinds = ["beam"], [-1], [JointType.FIXED]
        offset: list[np.ndarray] = [np.zeros(3)]
        link = self.rope / LINKS
        for side, sign in zip(SIDES, (1, -1), strict=True):
            for k in range(LINKS):
                names.append(f"{side}_rope{k}")
                parents.append(0 if k == 0 else len(names) - 2)
                kinds.append(JointType.SPHERICAL)
                top = np.array([0.0, sign * self.width / 2, 0.0])
                offset.append(top if k == 0 else np.array([0.0, 0.0, -link]))
        names.append("trunk")
        parents.append(0)
        kinds.append(JointType.FREE)
        offset.append(np.zeros(3))
        for side, sign in zip(SIDES, (1, -1), strict=True):
            for name, (parent, kind, place, _, _) in _SEGMENTS.items():
                above = parent if parent == "trunk" else f"{side}_{parent}"
                names.append(f"{side}_{name}")
                parents.append(names.index(above))
                kinds.append(kind)
                offset.append(np.array(place) * (1, sign, 1))
        axes = np.zeros((len(names), 2, 3))
        axes[:, 0] = _ACROSS  # of elbows and knees; other joints take no notice
        return Skeleton(
            tuple(names), np.array(parents), np.array(offset),
            joint_types=np.array(kinds), axes=axes,
        )  # fmt: skip

    def body(self) -> BodyModel:
        """Return rods for the links and segments; the trunk a rod with some thickness."""
        skeleton = self.skeleton()
        n = skeleton.n_bodies
        mass, length = np.zeros(n), np.zeros(n)
        for i, name in enumerate(skeleton.names):
            if "rope" in name:
                mass[i], length[i] = self.rope_mass / LINKS, self.rope / LINKS
            elif name == "trunk":
                length[i], mass[i] = TRUNK_LENGTH, _TRUNK_MASS
            elif name != "beam":
                *_, length[i], mass[i] = _SEGMENTS[name.split("_", 1)[1]]
        com = np.zeros((n, 3))
        com[:, 2] = -length / 2
        com[skeleton.index("trunk")] = 0.0
        radius = np.where(mass > 10, 0.12, 0.04)
        radius[[i for i, name in enumerate(skeleton.names) if "rope" in name]] = 0.05
        inertia = np.zeros((n, 3, 3))
        across = mass * (length**2 / 12 + radius**2 / 4)
        inertia[:, 0, 0] = inertia[:, 1, 1] = across
        inertia[:, 2, 2] = mass * radius**2 / 2
        return BodyModel(skeleton, mass, com, inertia, table="rods")

    def grips(self) -> tuple[Closure, ...]:
        """Return the virtual links: the end of each rope, held by a hand."""
        skeleton = self.skeleton()
        end = np.array([0.0, 0.0, -self.rope / LINKS])
        hand = np.array([0.0, 0.0, -_SEGMENTS["forearm"][3]])
        return tuple(
            joint(
                self.grip,
                skeleton.index(f"{side}_rope{LINKS - 1}"),
                skeleton.index(f"{side}_forearm"),
                end,
                hand,
                axes_second=_about_y(np.pi),  # the arm comes from below, the rope from above
                name=f"{side}_hand",
            )
            for side in SIDES
        )

    def chain(self) -> ClosedChain:
        """Return the figure on the swing."""
        gravity = np.array([0.0, 0.0, -self.gravity])
        return ClosedChain(self.skeleton(), self.body(), self.grips(), gravity=gravity)

    def start(self, angle: float = 0.5) -> np.ndarray:
        """Return ``q`` of a figure hanging from ropes drawn back by an angle, its hands assembled.

        The pose is sketched (arms up, knees bent) and the displacement solver closes the loops.
        """
        chain = self.chain()
        layout, q = chain.coordinates, chain.coordinates.neutral()
        for side in SIDES:
            q[layout.coordinates_of(f"{side}_rope0")] = _about_y(angle)
            q[layout.coordinates_of(f"{side}_upper_arm")] = _about_y(-2.7)
            q[layout.coordinates_of(f"{side}_forearm")] = -0.5
            q[layout.coordinates_of(f"{side}_thigh")] = _about_y(-0.8)
            q[layout.coordinates_of(f"{side}_shank")] = 1.2
        hands = np.array([-np.sin(angle), 0.0, -np.cos(angle)]) * self.rope
        q[layout.coordinates_of("trunk")] = [*(hands - [0.0, 0.0, 0.75]), 1, 0, 0, 0]
        return chain.close(q, precision=1e-13)[0]


def _about_y(angle: float) -> list[float]:
    return [np.cos(angle / 2), 0.0, np.sin(angle / 2), 0.0]


def limit_torques(coordinates: Coordinates) -> Callable[[State], np.ndarray]:
    """Return the ``(speeds)`` torques by state that keep joints within limits: damped springs."""
    speeds, places = coordinates.speeds_of, coordinates.coordinates_of
    joints = [f"{side}_{name}" for side in SIDES for name in (*_HINGES, *_CONES)]

    def torque(state: State) -> np.ndarray:
        tau = np.zeros(coordinates.n_speeds)
        for name in joints:
            kind, at, own = name.split("_", 1)[1], speeds(name), state.q[places(name)]
            if kind in _HINGES:
                low, high = _HINGES[kind]
                beyond = float(max(own[0] - high, 0.0) + min(own[0] - low, 0.0))
                axis = np.ones(1)
            else:
                middle, widest = _CONES[kind]
                lean, axis = _leaning(own, np.array([-np.sin(middle), 0.0, -np.cos(middle)]))
                beyond = max(lean - widest, 0.0)
            if beyond:
                tau[at] = -(_STIFFNESS * beyond + _DAMPING * (state.speed[at] @ axis)) * axis
        return tau

    return torque


def _leaning(q: np.ndarray, centre: np.ndarray) -> tuple[float, np.ndarray]:
    """Return how far a bone leans from a direction, rad, and about which axis, in its own axes.

    Args:
        q: ``(4)`` the joint's rotation; the bone points along −z of its body.
        centre: ``(3)`` unit vector in the parent's axes.
    """
    x, y, z = turn(q, centre, back=True)  # the direction seen from the body
    sine = float(np.hypot(x, y))
    axis = np.array([-y, x, 0.0]) / max(
        sine, 1e-12
    )  # centre × bone: turning about it leans further
    return float(np.arctan2(sine, -z)), axis
