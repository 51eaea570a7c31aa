"""Clips told in words: a small person whose numbers can be made hostile."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

PERSON: dict[str, tuple[str | None, tuple[float, float, float]]] = {
    "Hips": (None, (0, 0, 0)),
    "Spine": ("Hips", (0, 10, 0)),
    "Chest": ("Spine", (0, 20, 0)),
    "Neck": ("Chest", (0, 22, 0)),
    "Head": ("Neck", (0, 10, 0)),
}
for _side, _x in (("Left", 1), ("Right", -1)):
    PERSON[f"{_side}UpLeg"] = ("Hips", (9 * _x, -4, 0))
    PERSON[f"{_side}Leg"] = (f"{_side}UpLeg", (0, -42, 0))
    PERSON[f"{_side}Foot"] = (f"{_side}Leg", (0, -41, 0))
    PERSON[f"{_side}ToeBase"] = (f"{_side}Foot", (0, -6, 13))
    PERSON[f"{_side}Arm"] = ("Chest", (17 * _x, 18, 0))
    PERSON[f"{_side}ForeArm"] = (f"{_side}Arm", (28 * _x, 0, 0))
    PERSON[f"{_side}Hand"] = (f"{_side}ForeArm", (25 * _x, 0, 0))
ENDS = {"Head": (0, 15, 0), "LeftToeBase": (0, 0, 6), "RightToeBase": (0, 0, 6),
        "LeftHand": (15, 0, 0), "RightHand": (-15, 0, 0)}  # fmt: skip


@dataclass
class Clip:
    """A BVH in the making: marching on the spot, one foot after the other.

    Attributes:
        tree: Name to parent and offset, cm, parents first.
        ends: End sites.
        frames, fps: Length and rate.
        values: ``(F, 3 + 3 n)`` root position and Z, X, Y rotations of every joint.
    """

    tree: dict[str, tuple[str | None, tuple[float, float, float]]] = field(
        default_factory=lambda: dict(PERSON)
    )
    ends: dict[str, tuple[float, float, float]] = field(default_factory=lambda: dict(ENDS))
    frames: int = 120
    fps: float = 60.0
    values: np.ndarray = field(init=False)

    def __post_init__(self) -> None:
        self.values = np.zeros((self.frames, 3 + 3 * len(self.tree)))
        time = np.arange(self.frames) / self.fps
        self.values[:, 1] = 93.0
        for side, phase in (("Left", 0.0), ("Right", np.pi)):
            lift = np.maximum(0, np.sin(2 * np.pi * 0.8 * time + phase)) ** 2
            for joint, degrees in (("UpLeg", -40.0), ("Leg", 75.0), ("Foot", -35.0)):
                if f"{side}{joint}" in self.tree:
                    self.column(f"{side}{joint}", "X")[:] = degrees * lift

    def column(self, joint: str, axis: str) -> np.ndarray:
        """Return a view of one rotation channel, degrees."""
        return self.values[:, 3 + 3 * list(self.tree).index(joint) + "ZXY".index(axis)]

    def text(self, names: dict[str, str] | None = None) -> str:
        """Return the BVH; some joints may bear other names."""
        names = names or {}
        lines = ["HIERARCHY"]

        def write(joint: str) -> None:
            parent, offset = self.tree[joint]
            word = "ROOT" if parent is None else "JOINT"
            channels = "6 Xposition Yposition Zposition" if parent is None else "3"
            lines.append(f"{word} {names.get(joint, joint)}")
            lines.append("{")
            lines.append("OFFSET " + " ".join(f"{v:g}" for v in offset))
            lines.append(f"CHANNELS {channels} Zrotation Xrotation Yrotation")
            for child, (above, _) in self.tree.items():
                if above == joint:
                    write(child)
            if joint in self.ends:
                end = " ".join(f"{v:g}" for v in self.ends[joint])
                lines.append(f"End Site\n{{\nOFFSET {end}\n}}")
            lines.append("}")

        root = next(iter(self.tree))
        order: list[str] = []

        def visit(joint: str) -> None:
            order.append(joint)
            for child, (above, _) in self.tree.items():
                if above == joint:
                    visit(child)

        visit(root)
        write(root)
        places = [list(self.tree).index(joint) for joint in order]
        columns = [0, 1, 2] + [3 + 3 * place + k for place in places for k in range(3)]
        lines += ["MOTION", f"Frames: {self.frames}", f"Frame Time: {1 / self.fps:.8f}"]
        lines += [" ".join(f"{v:.6g}" for v in row) for row in self.values[:, columns]]
        return "\n".join(lines) + "\n"
