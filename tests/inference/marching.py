"""Marching on the spot: a clip for any skeleton whose parts are known, written as a BVH file.

A skeleton is a table, one line a joint, indented as it hangs: name, part, offset. ``{}`` stands for
the side and is written for both; ``[a,b]`` are joints side by side, ``[1,2,3]`` a chain of them.
"""

from __future__ import annotations

import re
import warnings
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path

import numpy as np
from scipy.spatial.transform import Rotation

from mocap_reroot.inference.naming import SIDED

FPS = 60.0
_UP = {"y": ("x", "y", "z"), "z": ("x", "z", "-y"), "-y": ("x", "-y", "-z")}
"""Where left, up and forward usually point in files whose up axis is this one."""
_AIMS = {  # left, up, forward: where the bone of a part points in one who stands
    "hip_dummy": (1, -0.3, 0),
    "thigh": (0, -1, 0.03),
    "shank": (0, -1, -0.03),
    "foot": (0.05, -0.5, 0.85),
    "toes": (0.05, 0, 1),
    "clavicle": (1, 0.05, 0),
    "upper_arm": (0.15, -1, 0),
    "forearm": (0.05, -1, 0.2),
    "hand": (0.02, -1, 0.1),
    "fingers": (0.02, -1, 0.1),
    "trunk": (0, 1, 0),
    "neck": (0, 1, 0.15),
    "head": (0, 1, 0.1),
}
_FROM_PELVIS = {"thigh": (1, -0.3, 0), "hip_dummy": (1, -0.3, 0)}
_FROM_TRUNK = {"clavicle": (0.5, 0.8, 0), "upper_arm": (1, 0.1, 0), "thigh": (1, -0.8, 0)}
_FROM_NECK = {"clavicle": (1, -0.2, 0), "upper_arm": (1, -0.1, 0)}


@dataclass
class Joint:
    """One body of a table: its name, parent, offset in file units, and what it truly is."""

    name: str
    parent: int
    offset: np.ndarray
    segment: str
    side: int = 0
    site: np.ndarray | None = None

    @property
    def part(self) -> str:
        """Return the segment without its side."""
        return self.segment.removeprefix("left_").removeprefix("right_")


@dataclass(frozen=True)
class Skeleton:
    """A family of files.

    Attributes:
        name: What it is called here.
        table: Its joints; see above.
        sides: What ``{}`` stands for.
        unit, up: Truth.
        mirror: Signs by which a right limb's first offset differs from the left one's.
        below: The same for the offsets below it; those of ``mirror`` where None.
        facing: Left, up and forward in the file's axes; the usual ones where None.
        convention: What the names should be recognised as, or empty.
        seen: What the table was written from: ``"file"``, such a file (lengths rounded);
            ``"part"``, some of one, or one whose pose and lengths were evened out; ``"list"``, its
            joints as code lists them (lengths invented); ``"none"``, memory alone.
    """

    name: str
    table: str
    sides: tuple[str, str] = ("Left", "Right")
    unit: str = "cm"
    up: str = "y"
    mirror: tuple[int, int, int] = (-1, 1, 1)
    below: tuple[int, int, int] | None = None
    facing: tuple[str, str, str] | None = None
    convention: str = ""
    seen: str = field(default="none", kw_only=True)
    channels: str = field(default="ZXY", kw_only=True)

    @cached_property
    def joints(self) -> list[Joint]:
        """The bodies, parents first."""
        found: list[Joint] = []
        above: list[tuple[int, list[int]]] = []  # indent, the joints there: one, or both sides
        for line in self.table.splitlines():
            if not line.strip():
                continue
            indent = len(line) - len(line.lstrip())
            *words, part, x, y, z = line.split()
            name, offset = " ".join(words), np.array([x, y, z], float)
            while above and above[-1][0] >= indent:
                above.pop()
            parents = above[-1][1] if above else [-1]
            if name == "End Site":
                for parent, sign in zip(parents, (0, 1), strict=False):
                    mirrored = len(parents) == 2 and sign
                    found[parent].site = offset * self._below if mirrored else offset
                continue
            if "{}" not in name:
                here = self._chains(found, name, parents[0], offset, part, 0)
            else:
                both = parents if len(parents) == 2 else parents * 2
                first = len(parents) == 1
                signs = np.array(self.mirror) if first else self._below
                left = self._chains(found, name, both[0], offset, part, 1)
                right = self._chains(found, name, both[1], offset * signs, part, -1)
                here = left + right
            above.append((indent, here))
        return found

    @property
    def _below(self) -> np.ndarray:
        return np.array(self.mirror if self.below is None else self.below)

    def _chains(
        self, found: list[Joint], name: str, parent: int, offset: np.ndarray, part: str, side: int
    ) -> list[int]:
        """Add the joints that a line stands for; return the first of them."""
        word = self.sides[0 if side > 0 else 1] if side else ""
        sided = {1: "left_", -1: "right_", 0: ""}[side] if part in SIDED else ""
        segment = sided + part if part != "-" else ""
        lists = [text.split(",") for text in re.findall(r"\[([^]]*)\]", name)]
        plain = re.sub(r"\[[^]]*\]", "\0", name).replace("{}", word)
        beside, chain = (lists[0], lists[1]) if len(lists) == 2 else ([""], (*lists, [""])[0])
        first = len(found)
        for k, sibling in enumerate(beside):
            at, spread = parent, offset * (1.0 if k == 0 else 1.0 - 0.03 * k)
            for depth, number in enumerate(chain):
                words = iter([sibling, number] if len(lists) == 2 else [number])
                text = "".join(next(words) if c == "\0" else c for c in plain)
                step = spread if depth == 0 else 0.3 * offset
                found.append(Joint(text, at, step, segment, side))
                at = len(found) - 1
        return [first]

    @cached_property
    def axes(self) -> np.ndarray:
        """``(3, 3)`` left, up and forward as columns, in the file's axes."""
        columns = np.zeros((3, 3))
        for k, word in enumerate(self.facing or _UP[self.up]):
            columns["xyz".index(word[-1]), k] = -1.0 if word.startswith("-") else 1.0
        return columns

    def standing(self) -> list[np.ndarray]:
        """Return for every body the rotation, file axes, that makes the skeleton stand."""
        turned: list[np.ndarray] = []
        for body, joint in enumerate(self.joints):
            bones, aims = [], []
            for child in self.joints:
                if child.parent == body and np.any(child.offset):
                    aim = self._aim(joint, child)
                    if aim is not None:
                        bones.append(child.offset)
                        aims.append(aim)
            if joint.site is not None and np.any(joint.site) and joint.part in _AIMS:
                bones.append(joint.site)
                aims.append(self._signed(_AIMS[joint.part], joint.side))
            above = turned[joint.parent] if joint.parent >= 0 else np.eye(3)
            turned.append(_aligned(bones, aims) if bones else above)
        return turned

    def _aim(self, joint: Joint, child: Joint) -> np.ndarray | None:
        if joint.part == "pelvis":
            aim = _FROM_PELVIS.get(child.part, (0, 1, 0))
        elif joint.part == "trunk":
            aim = _FROM_TRUNK.get(child.part, (0, 1, 0))
        elif joint.part == "neck" and child.part in _FROM_NECK:
            aim = _FROM_NECK[child.part]
        elif joint.part in _AIMS and child.segment:
            aim = _AIMS[joint.part]
        else:
            return None
        return self._signed(aim, child.side or joint.side)

    def _signed(self, aim: tuple[float, float, float], side: int) -> np.ndarray:
        vector = np.array(aim, float) * (side or 1, 1, 1)
        return np.asarray(self.axes @ (vector / np.linalg.norm(vector)))

    def values(self, seconds: float = 4.0) -> np.ndarray:
        """Return ``(frames, channels)``: stand, bend the knees, lift the left foot, the right."""
        time = np.arange(round(seconds * FPS)) / FPS / seconds
        bend = 20 * _bump(time, 0.05, 0.25)
        lift = {1: 40 * _bump(time, 0.35, 0.55), -1: 40 * _bump(time, 0.7, 0.9)}
        still = self.standing()
        rotation, place = [], []
        left = self.axes[:, 0] * np.linalg.det(self.axes)
        for joint, turn in zip(self.joints, still, strict=True):
            angle = {"thigh": -bend - lift.get(joint.side, 0), "shank": bend}.get(
                joint.part, 0 * time
            )
            angle = angle + (0.5 * lift[joint.side] if joint.part == "shank" else 0)
            turns = Rotation.from_rotvec(np.radians(angle)[:, None] * left).as_matrix() @ turn
            rotation.append(turns)
            place.append(
                place[joint.parent] + rotation[joint.parent] @ joint.offset
                if joint.parent >= 0
                else np.zeros((len(time), 3))
            )
        feet = [k for k, joint in enumerate(self.joints) if joint.part == "foot"]
        ankles = [next(k for k in feet if self.joints[k].side == side) for side in (1, -1)]
        on_right = (lift[1] > 1e-9)[:, None]
        apart = place[ankles[1]][0] - place[ankles[0]][0]
        root = np.where(on_right, apart - place[ankles[1]], -place[ankles[0]])
        soles = [k for k, joint in enumerate(self.joints) if joint.part in ("foot", "toes")]
        low = min(float((place[k][0] + root[0]) @ self.axes[:, 1]) for k in soles)
        root = root - 1.1 * low * self.axes[:, 1]
        columns = [root]
        for body in self._depth_first(0):
            joint = self.joints[body]
            above = rotation[joint.parent] if joint.parent >= 0 else np.eye(3)
            local = np.swapaxes(above, -1, -2) @ rotation[body]
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")  # of gimbal lock: any angles will do
                turn = Rotation.from_matrix(local).as_euler(self.channels, degrees=True)
            columns.append(turn)
        return np.concatenate(columns, axis=1)

    def _depth_first(self, body: int) -> list[int]:
        """Return a body and all below it as a file lists them."""
        below = [k for k, joint in enumerate(self.joints) if joint.parent == body]
        return [body, *(k for child in below for k in self._depth_first(child))]

    def text(self, seconds: float = 4.0) -> str:
        """Return the BVH file."""
        lines = ["HIERARCHY", *self._written(0, "")]
        values = self.values(seconds)
        lines += ["MOTION", f"Frames: {len(values)}", f"Frame Time: {1 / FPS:.6f}"]
        lines += [" ".join(f"{v:.5f}" for v in row) for row in values]
        return "\n".join(lines) + "\n"

    def _written(self, body: int, tab: str) -> list[str]:
        joint = self.joints[body]
        words = " ".join(f"{axis}rotation" for axis in self.channels)
        lines = [f"{tab}{'JOINT' if tab else 'ROOT'} {joint.name}", tab + "{"]
        lines.append(f"{tab}  OFFSET " + " ".join(f"{v:g}" for v in joint.offset))
        move = "Xposition Yposition Zposition "
        lines.append(f"{tab}  CHANNELS 3 {words}" if tab else f"  CHANNELS 6 {move}{words}")
        children = [k for k, other in enumerate(self.joints) if other.parent == body]
        for child in children:
            lines += self._written(child, tab + "  ")
        if joint.site is not None or not children:
            site = np.zeros(3) if joint.site is None else joint.site
            place = " ".join(f"{v:g}" for v in site)
            lines += [f"{tab}  End Site", tab + "  {", f"{tab}    OFFSET {place}", tab + "  }"]
        return [*lines, tab + "}"]

    def write(self, folder: Path, seconds: float = 4.0) -> Path:
        """Write the file into a folder and return its path."""
        path = folder / f"{re.sub('[^A-Za-z0-9]+', '_', self.name)}.bvh"
        path.write_text(self.text(seconds), "utf-8")
        return path


def _bump(time: np.ndarray, start: float, stop: float) -> np.ndarray:
    """Return a smooth rise from 0 to 1 and back between two times."""
    phase = np.clip((time - start) / (stop - start), 0, 1)
    return np.asarray(np.sin(np.pi * phase) ** 2)


def _aligned(bones: list[np.ndarray], aims: list[np.ndarray]) -> np.ndarray:
    """Return the rotation that best turns bones into their aims (Kabsch)."""
    units = [bone / np.linalg.norm(bone) for bone in bones]
    u, _, v = np.linalg.svd(np.array(aims).T @ np.array(units))
    return np.asarray(u @ np.diag([1, 1, np.sign(np.linalg.det(u @ v))]) @ v)
