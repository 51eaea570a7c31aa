"""MJCF out: a body, its soles and its ground for MuJoCo, and its motion with forces as arrays.

A joint is a ball (the root's is free); one that also slides has three slides before the ball, along
its parent's axes. MuJoCo refuses bodies that move and have no mass: such a body is welded to its
parent if it never turns, else it gets ``LEAST_MASS``; both are named in the arrays.
"""

from __future__ import annotations

from pathlib import Path
from xml.etree import ElementTree as Xml

import numpy as np

from mocap_reroot.export.body_shapes import Box, bones, sole_boxes, steps, touching_pairs
from mocap_reroot.export.bvh import depth_first
from mocap_reroot.export.simulators import Simulated, about, numbers, unique, write_model
from mocap_reroot.mechanics.world_axes import turn_between
from mocap_reroot.numerics.vectors import matrices, product, turn
from mocap_reroot.types import STANDARD_GRAVITY
from mocap_reroot.version import __version__

LEAST_MASS = 1e-9
"""kg of a body that turns and has no mass; at most 1e-6, less than what torques are exact to."""
LEAST_INERTIA = 1e-12
"""kg·m² of such a body, and of one whose inertia is none: MuJoCo wants more than 1e-15."""
_STILL = 1e-8  # rad, rad/s and rad/s² × s: what never turns by more may be welded
_COLOURS = {"left": "0.16 0.44 0.76 0.6", "right": "0.85 0.33 0.2 0.6", "": "0.66 0.68 0.72 0.6"}
"""See through: the arrow of a leg that stands runs within it."""


def write_mjcf(clip: Simulated, path: str | Path, *, float32: bool = False) -> tuple[Path, Path]:
    """Write ``<stem>.xml`` and ``<stem>_motion.npz``.

    Args:
        clip: What to write.
        path: The XML file; the arrays go beside it.
        float32: Whether arrays are in single precision.

    Returns:
        Both files.

    Raises:
        FileError: They cannot be written.
    """
    model = _Model(clip)
    return write_model(Path(path), model.xml, model.arrays(), "_motion.npz", float32)


class _Model:
    """A skeleton as MuJoCo has it: bodies depth first, after the world."""

    def __init__(self, clip: Simulated) -> None:
        self.clip, self.skeleton = clip, clip.motion.skeleton
        self.order = depth_first(self.skeleton)
        names = unique((self.skeleton.names[b] for b in self.order), taken=("world",))
        self.name = dict(zip(self.order, names, strict=True))
        light = clip.body.mass <= 0
        self.welded = [b for b in self.order if light[b] and self._never_turns(b)]
        self.massless = [b for b in self.order if light[b] and b not in self.welded]

    def _never_turns(self, body: int) -> bool:
        """Return whether a body keeps its pose against its parent in the whole clip."""
        if body == self.skeleton.root or self.skeleton.slot[body] >= 0:
            return False
        motion = self.clip.motion
        assert motion.angular_velocity is not None and motion.angular_acceleration is not None
        q = motion.rotation[body]
        rates = motion.angular_velocity[body], motion.angular_acceleration[body] / motion.fps
        return all(np.abs(x).max(initial=0.0) < _STILL for x in (q - q[:, :1], *rates))

    def joints(self, body: int) -> list[tuple[str, str]]:
        """Return name and kind of a body's joints, in the order of their coordinates."""
        name = self.name[body]
        if body == self.skeleton.root:
            return [(name, "free")]
        if body in self.welded:
            return []
        slides = [(f"{name}_t{a}", "slide") for a in "xyz"] if self.skeleton.slot[body] >= 0 else []
        return [*slides, (name, "ball")]

    def xml(self, title: str) -> Xml.Element:
        """Return the model."""
        clip, up = self.clip, self.clip.motion.up
        mujoco = Xml.Element("mujoco", model=unique([title])[0])
        said = [f"mocap_reroot {__version__}: metres, kilograms, seconds, radians; up {up}."]
        for word, bodies in (("Welded, without mass", self.welded), ("No mass", self.massless)):
            if bodies:
                said.append(f"{word}: {', '.join(self.name[b] for b in bodies)}.")
        mujoco.append(Xml.Comment(" ".join(said).replace("--", "__")))
        Xml.SubElement(mujoco, "compiler", angle="radian", inertiafromgeom="false")
        gravity = numbers(-STANDARD_GRAVITY * up)
        Xml.SubElement(mujoco, "option", gravity=gravity, integrator="implicitfast")
        _visible(mujoco)
        world = Xml.SubElement(mujoco, "worldbody")
        self._ground(world)
        shapes = list(bones(self.skeleton, clip.body.mass))
        soles = sole_boxes(clip.contacts, self.skeleton, clip.com)
        parts: dict[int, Xml.Element] = {}
        for body in self.order:
            parent = int(self.skeleton.parents[body])
            parts[body] = self._body(world if parent < 0 else parts[parent], body)
        flat = {box.body for box in soles}
        for bone in shapes:
            segment = self.skeleton.segments[bone.body]
            side = next((s for s in ("left", "right") if segment.startswith(s)), "")
            # Soles stand on boxes; the bones above them are only seen.
            seen = {"contype": "0", "conaffinity": "0"} if bone.body in flat else {}
            seen["fromto"] = numbers([0, 0, 0, *bone.end])
            seen |= {"size": numbers([bone.radius]), "rgba": _COLOURS[side]}
            Xml.SubElement(parts[bone.body], "geom", seen, type="capsule")
        for box in soles:
            _box(parts[box.body], box, "0.3 0.3 0.35 1")
        contact = Xml.SubElement(mujoco, "contact")
        for one, two in touching_pairs(clip.motion, shapes):
            if one not in flat and two not in flat:
                Xml.SubElement(contact, "exclude", body1=self.name[one], body2=self.name[two])
        return mujoco

    def _ground(self, world: Xml.Element) -> None:
        """Add light, the lowest plane as the floor, and steps above it."""
        motion, planes = self.clip.motion, self.clip.planes
        up = motion.up
        Xml.SubElement(
            world, "light", directional="true", pos=numbers(4 * up), dir=numbers(-up),
            diffuse="0.6 0.6 0.6",
        )  # fmt: skip
        level = min(planes, key=lambda plane: float(up @ plane.point), default=None)
        point = level.point if level is not None else np.zeros(3)
        normal = level.normal if level is not None else up
        floor = turn_between(np.array([0.0, 0.0, 1.0]), normal / np.linalg.norm(normal))
        Xml.SubElement(
            world, "geom", name=self._free("floor"), type="plane", size="0 0 0.1",
            pos=numbers(point), quat=numbers(floor), rgba="0.72 0.74 0.7 1",
        )  # fmt: skip
        for box in steps(motion, self.clip.contacts, planes):
            _box(world, box, "0.8 0.8 0.76 1")

    def _free(self, name: str) -> str:
        return unique([name], tuple(self.name.values()))[0]

    def _body(self, parent: Xml.Element, body: int) -> Xml.Element:
        clip, skeleton = self.clip, self.skeleton
        rest = skeleton.rest[body]
        if body in self.welded:
            rest = clip.motion.rotation[body, :, 0]
        element = Xml.SubElement(
            parent, "body", name=self.name[body], pos=numbers(skeleton.offset[body]),
            quat=numbers(rest),
        )  # fmt: skip
        for name, kind in self.joints(body):
            if kind == "free":
                Xml.SubElement(element, "freejoint", name=name)
                continue
            axis = {}
            if kind == "slide":  # along the parent's axes
                axis["axis"] = numbers(matrices(rest)["xyz".index(name[-1])])
            Xml.SubElement(element, "joint", axis, name=name, type=kind)
        mass, inertia = float(clip.body.mass[body]), clip.body.inertia[body]
        if mass <= 0:
            mass, inertia = 0.0 if body in self.welded else LEAST_MASS, np.zeros((3, 3))
        if body not in self.welded:
            if np.linalg.eigvalsh(inertia)[0] < LEAST_INERTIA:
                inertia = inertia + LEAST_INERTIA * np.eye(3)
            Xml.SubElement(
                element, "inertial", pos=numbers(clip.com[body]), mass=numbers([mass]),
                fullinertia=numbers(inertia[(0, 1, 2, 0, 0, 1), (0, 1, 2, 1, 2, 2)]),
            )  # fmt: skip
        return element

    def arrays(self) -> dict[str, np.ndarray]:
        """Return what ``<stem>_motion.npz`` holds."""
        clip, motion, skeleton = self.clip, self.clip.motion, self.skeleton
        qpos, qvel, qacc, qfrc, joints = [], [], [], [], []
        for body in self.order:
            slot = skeleton.slot[body]
            for name, kind in self.joints(body):
                joints.append(name)
                if kind == "slide":
                    a = "xyz".index(name[-1])
                    qpos.append(motion.displacement[slot, a][None])
                    qvel.append(motion.linear_velocity[slot, a][None])  # type: ignore[index]
                    qacc.append(motion.linear_acceleration[slot, a][None])  # type: ignore[index]
                    qfrc.append(turn(motion.rotation[body], clip.force[body])[a][None])
                    continue
                pose = motion.rotation[body]
                if kind == "free":
                    qpos.append(skeleton.offset[body][:, None] + motion.displacement[slot])
                    qvel.append(motion.linear_velocity[slot])  # type: ignore[index]
                    qacc.append(motion.linear_acceleration[slot])  # type: ignore[index]
                    qfrc.append(turn(pose, clip.force[body]))
                else:
                    back = skeleton.rest[body] * np.array([1.0, -1.0, -1.0, -1.0])
                    pose = product(back[:, None], pose)
                qpos.append(pose)
                qvel.append(motion.angular_velocity[body])  # type: ignore[index]
                qacc.append(motion.angular_acceleration[body])  # type: ignore[index]
                qfrc.append(clip.torque[body])
        still = np.zeros((motion.n_frames, 1, 6))
        named = [self.name[b] for b in self.order]
        return {
            "qpos": np.concatenate(qpos).T,
            "qvel": np.concatenate(qvel).T,
            "qacc": np.concatenate(qacc).T,
            "qfrc": np.concatenate(qfrc).T,
            "xfrc": np.concatenate([still, clip.push[self.order].transpose(2, 0, 1)], axis=1),
            "torques": np.concatenate(
                [still[..., :3], clip.torque[self.order].transpose(2, 0, 1)], axis=1
            ),
            "body_names": np.array(["world", *named]),
            "joint_names": np.array(joints),
            "welded": np.array([self.name[b] for b in self.welded], dtype=str),
            "massless": np.array([self.name[b] for b in self.massless], dtype=str),
            **about(clip),
        }


def _visible(mujoco: Xml.Element) -> None:
    """Say how the model is seen: bright, under a sky, forces a metre long for 1000 N."""
    visual = Xml.SubElement(mujoco, "visual")
    Xml.SubElement(visual, "headlight", ambient="0.3 0.3 0.3", diffuse="0.4 0.4 0.4")
    Xml.SubElement(visual, "map", force="0.001")  # m per N and kg of mean mass
    Xml.SubElement(mujoco, "statistic", meanmass="1")
    Xml.SubElement(visual, "rgba", force="0.1 0.62 0.35 1")
    Xml.SubElement(visual, "global", offwidth="1280", offheight="960")
    asset = Xml.SubElement(mujoco, "asset")
    sky = {"builtin": "gradient", "rgb1": "0.75 0.85 0.95", "rgb2": "1 1 1"}
    Xml.SubElement(asset, "texture", sky, type="skybox", width="64", height="64")


def _box(parent: Xml.Element, box: Box, colour: str) -> None:
    x, y, _ = box.axes.T
    Xml.SubElement(
        parent, "geom", type="box", pos=numbers(box.centre), size=numbers(box.half),
        xyaxes=numbers([*x, *y]), rgba=colour,
    )  # fmt: skip
