"""URDF out: a body for Pinocchio, PyBullet and Isaac, and its motion with forces as arrays.

URDF has no ball joints: each is three revolutes about axes of the body, one after the other, with
links without mass between them. The order is x, y, z, or, where the middle angle would come near a
right angle in the clip, the order that keeps it farthest from one. A joint that slides has three
prismatics before them. The root is not joined to anything: load it with a free-flyer.
"""

from __future__ import annotations

from itertools import permutations
from pathlib import Path
from xml.etree import ElementTree as Xml

import numpy as np

from mocap_reroot.export.body_shapes import Bone, Box, bones, sole_boxes
from mocap_reroot.export.simulators import Simulated, about, numbers, unique, write_model
from mocap_reroot.kernels.rotations import quaternion_to_euler
from mocap_reroot.mechanics.world_axes import turn_between
from mocap_reroot.numerics.vectors import cross, matrices, product, turn
from mocap_reroot.types import read_only
from mocap_reroot.version import __version__

NEAR_LOCK = 75.0
"""degrees of the middle angle, beyond which another order of axes is looked for."""
_USUAL = (0, 1, 2)
_AXES = "xyz"


def write_urdf(clip: Simulated, path: str | Path, *, float32: bool = False) -> tuple[Path, Path]:
    """Write ``<stem>.urdf`` and ``<stem>_urdf_motion.npz``.

    Args:
        clip: What to write.
        path: The URDF file; the arrays go beside it.
        float32: Whether arrays are in single precision.

    Returns:
        Both files.

    Raises:
        FileError: They cannot be written.
    """
    model = _Model(clip)
    return write_model(Path(path), model.xml, model.arrays(), "_urdf_motion.npz", float32)


class _Model:
    """A skeleton as Pinocchio has it: joints depth first, children by the names of their joints."""

    def __init__(self, clip: Simulated) -> None:
        self.clip, self.skeleton = clip, clip.motion.skeleton
        n, root = self.skeleton.n_bodies, self.skeleton.root
        self.name = unique(self.skeleton.names)
        self.turns = {b: _order(clip, b) for b in range(n) if b != root}
        links = unique(
            (f"{self.name[b]}_{w}" for b in self.turns for w in self.words(b)), tuple(self.name)
        )
        self.joint: dict[int, list[str]] = {}
        for b in self.turns:
            count = len(self.words(b))
            self.joint[b], links = links[:count], links[count:]
        self.order: list[int] = []
        ahead = [root]
        while ahead:
            body = ahead.pop()
            self.order.append(body)
            below = sorted(self.skeleton.children[body], key=lambda c: self.joint[c][0].encode())
            ahead.extend(reversed(below))

    def words(self, body: int) -> list[str]:
        """Return how a body's joints are called, in their order: slides ``tx``, turns ``rx`` …"""
        slides = ["tx", "ty", "tz"] if self.skeleton.slot[body] >= 0 else []
        return [*slides, *(f"r{_AXES[a]}" for a in self.turns[body][0])]

    def xml(self, title: str) -> Xml.Element:
        """Return the model."""
        clip, skeleton = self.clip, self.skeleton
        robot = Xml.Element("robot", name=unique([title])[0])
        said = f"mocap_reroot {__version__}: metres, kilograms, radians; up {clip.motion.up}."
        robot.append(Xml.Comment(said))
        links: dict[int, Xml.Element] = {}
        for body in self.order:
            if body != skeleton.root:
                self._joints(robot, body)
            links[body] = link = Xml.SubElement(robot, "link", name=self.name[body])
            inertial = Xml.SubElement(link, "inertial")
            Xml.SubElement(inertial, "origin", xyz=numbers(clip.com[body]), rpy="0 0 0")
            _inertia(inertial, float(clip.body.mass[body]), clip.body.inertia[body])
        soles = sole_boxes(clip.contacts, skeleton, clip.com)
        for bone in bones(skeleton, clip.body.mass):
            words = ["visual"] if bone.body in {box.body for box in soles} else _BOTH
            _shape(links[bone.body], bone, words)
        for box in soles:
            _shape(links[box.body], box, _BOTH)
        return robot

    def _joints(self, robot: Xml.Element, body: int) -> None:
        skeleton = self.skeleton
        parent = self.name[int(skeleton.parents[body])]
        rest = matrices(skeleton.rest[body])
        place, tilt, names = skeleton.offset[body], _rpy(rest), self.joint[body]
        for k, (name, word) in enumerate(zip(names, self.words(body), strict=True)):
            child = self.name[body] if k == len(names) - 1 else f"{name}_link"
            kind = "prismatic" if word[0] == "t" else "revolute"
            axis = np.eye(3)[_AXES.index(word[1])]
            axis = rest.T @ axis if kind == "prismatic" else axis  # along the parent's axes
            joint = Xml.SubElement(robot, "joint", name=name, type=kind)
            Xml.SubElement(joint, "parent", link=parent)
            Xml.SubElement(joint, "child", link=child)
            Xml.SubElement(joint, "origin", xyz=numbers(place), rpy=numbers(tilt))
            Xml.SubElement(joint, "axis", xyz=numbers(axis))
            far = "100" if kind == "prismatic" else numbers([4 * np.pi])
            Xml.SubElement(joint, "limit", lower=f"-{far}", upper=far, effort="1e5", velocity="1e5")
            parent, place, tilt = child, np.zeros(3), np.zeros(3)
            if k < len(names) - 1:
                inertial = Xml.SubElement(Xml.SubElement(robot, "link", name=child), "inertial")
                _inertia(inertial, 0.0, np.zeros((3, 3)))

    def arrays(self) -> dict[str, np.ndarray]:
        """Return what ``<stem>_urdf_motion.npz`` holds."""
        clip, motion, skeleton = self.clip, self.clip.motion, self.skeleton
        root, slot = skeleton.root, skeleton.slot
        velocity, acceleration = motion.linear_velocity, motion.linear_acceleration
        assert velocity is not None and acceleration is not None
        assert motion.angular_velocity is not None and motion.angular_acceleration is not None
        # A free-flyer: quaternion x y z w; velocities in the body's axes, linear first.
        pose, spin = motion.rotation[root], motion.angular_velocity[root]
        speed = turn(pose, velocity[slot[root]], back=True)
        gain = turn(pose, acceleration[slot[root]], back=True) - cross(spin, speed)
        q = [skeleton.offset[root][:, None] + motion.displacement[slot[root]], np.roll(pose, -1, 0)]
        v, a = [speed, spin], [gain, motion.angular_acceleration[root]]
        tau, joints = [clip.force[root], clip.torque[root]], ["root_joint"]
        for body in self.order[1:]:
            joints += self.joint[body]
            if slot[body] >= 0:
                q.append(motion.displacement[slot[body]])
                v.append(velocity[slot[body]])
                a.append(acceleration[slot[body]])
                tau.append(turn(motion.rotation[body], clip.force[body]))
            axes, angles = self.turns[body]
            ways, rate = _ways(axes, angles), motion.angular_velocity[body]
            back = np.linalg.inv(ways.transpose(2, 0, 1)).transpose(1, 2, 0)
            speed = np.einsum("ijf,jf->if", back, rate)
            drift = _drift(ways, speed)
            change = motion.angular_acceleration[body] - drift
            q.append(angles)
            v.append(speed)
            a.append(np.einsum("ijf,jf->if", back, change))
            tau.append(np.einsum("jif,jf->if", ways, clip.torque[body]))
        return {
            "q": np.concatenate(q).T,
            "v": np.concatenate(v).T,
            "a": np.concatenate(a).T,
            "tau": np.concatenate(tau).T,
            "xfrc": clip.push[self.order].transpose(2, 0, 1),
            "torques": clip.torque[self.order].transpose(2, 0, 1),
            "body_names": np.array([self.name[b] for b in self.order]),
            "joint_names": np.array(joints),
            **about(clip),
        }


_BOTH = ["visual", "collision"]


def _order(clip: Simulated, body: int) -> tuple[tuple[int, ...], np.ndarray]:
    """Return the axes of a joint's three revolutes and their ``(3, F)`` angles, rad."""
    rest = clip.motion.skeleton.rest[body] * np.array([1.0, -1.0, -1.0, -1.0])
    turned = product(rest[:, None], clip.motion.rotation[body])
    found: list[tuple[float, tuple[int, ...], np.ndarray]] = []
    for axes in (_USUAL, *(p for p in permutations(range(3)) if p != _USUAL)):
        angles = np.empty((1, 3, turned.shape[1]))
        sequence = read_only([axes], np.int64)
        quaternion_to_euler(read_only(turned[None]), sequence, angles)
        # How near the middle angle comes to 90° or an odd multiple of it.
        lean = np.degrees(np.arcsin(np.abs(np.sin(np.radians(angles[0, 1])))))
        found.append((float(lean.max(initial=0.0)), axes, np.radians(angles[0])))
        if found[0][0] < NEAR_LOCK:
            break
    _, axes, angles = min(found, key=lambda entry: entry[0])
    return axes, angles


def _ways(axes: tuple[int, ...], angles: np.ndarray) -> np.ndarray:
    """Return ``(3, 3, F)`` the three axes as columns, in the body's own axes."""
    one, two, three = np.eye(3)[list(axes)]
    quaternions = []
    for axis, angle in ((two, angles[1]), (three, angles[2])):
        half = angle / 2
        quaternions.append(np.concatenate([np.cos(half)[None], axis[:, None] * np.sin(half)]))
    frames = np.ones(angles.shape[1])
    last = three[:, None] * frames
    middle = turn(quaternions[1], two[:, None] * frames, back=True)
    first = turn(product(*quaternions), one[:, None] * frames, back=True)
    return np.stack([first, middle, last], axis=1)


def _drift(ways: np.ndarray, speed: np.ndarray) -> np.ndarray:
    """Return ``(3, F)`` the angular acceleration that is there without any of the joints'."""
    first, middle, last = ways[:, 0], ways[:, 1], ways[:, 2]
    below = speed[2] * last  # what turns beneath the middle axis
    both = below + speed[1] * middle
    return -cross(both, first) * speed[0] - cross(below, middle) * speed[1]


def _rpy(matrix: np.ndarray) -> np.ndarray:
    """Return ``(3)`` roll, pitch and yaw of a rotation ``Rz(yaw) Ry(pitch) Rx(roll)``."""
    pitch = np.arctan2(-matrix[2, 0], np.hypot(matrix[0, 0], matrix[1, 0]))
    if np.hypot(matrix[0, 0], matrix[1, 0]) < 1e-9:  # only roll ± yaw is determined
        return np.array([np.arctan2(-matrix[1, 2], matrix[1, 1]), pitch, 0.0])
    roll = np.arctan2(matrix[2, 1], matrix[2, 2])
    return np.array([roll, pitch, np.arctan2(matrix[1, 0], matrix[0, 0])])


def _inertia(inertial: Xml.Element, mass: float, inertia: np.ndarray) -> None:
    Xml.SubElement(inertial, "mass", value=numbers([mass]))
    words = {f"i{_AXES[i]}{_AXES[j]}": numbers([inertia[i, j]]) for i in range(3) for j in range(3)
             if i <= j}  # fmt: skip
    Xml.SubElement(inertial, "inertia", words)


def _shape(link: Xml.Element, shape: Bone | Box, words: list[str]) -> None:
    """Add a cylinder or a box to what is seen of a link, and to what collides."""
    for word in words:
        element = Xml.SubElement(link, word)
        if isinstance(shape, Bone):
            way = turn_between(np.array([0.0, 0.0, 1.0]), shape.end / shape.length)
            centre, axes = shape.end / 2, matrices(way)
        else:
            centre, axes = shape.centre, shape.axes
        Xml.SubElement(element, "origin", xyz=numbers(centre), rpy=numbers(_rpy(axes)))
        geometry = Xml.SubElement(element, "geometry")
        if isinstance(shape, Bone):
            size = {"radius": numbers([shape.radius]), "length": numbers([shape.length])}
            Xml.SubElement(geometry, "cylinder", size)
        else:
            Xml.SubElement(geometry, "box", size=numbers(2 * shape.half))
