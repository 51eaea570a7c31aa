"""The subject of an MVNX file: its segments, their points, and the joints between them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from mocap_reroot.errors import FileError, printable

_MOST = 1000
"""Segments, joints, contacts, or points of a segment; the format has 23 and some props."""

_PARENTS = {
    "L5": "Pelvis", "L3": "L5", "T12": "L3", "T8": "T12", "Neck": "T8", "Head": "Neck",
    **{
        side + part: above.replace("*", side)
        for side in ("Left", "Right")
        for part, above in {
            "Shoulder": "T8", "UpperArm": "*Shoulder", "ForeArm": "*UpperArm", "Hand": "*ForeArm",
            "UpperLeg": "Pelvis", "LowerLeg": "*UpperLeg", "Foot": "*LowerLeg", "Toe": "*Foot",
        }.items()
    },
}  # fmt: skip
"""What hangs from what where a file does not say it: MVN's 23 segments."""

_ENDS = ("pTopOfHead", "pLeftTopOfHand", "pRightTopOfHand", "pLeftToe", "pRightToe",
         "pLeftHeelFoot", "pRightHeelFoot")  # fmt: skip
"""Points that bones reach to beyond their joints."""
_CONTACTS = ("LeftFoot_Heel", "LeftFoot_Toe", "RightFoot_Heel", "RightFoot_Toe")
"""What foot contacts are of, where a file does not say it."""


@dataclass
class Subject:
    """Who was recorded.

    Attributes:
        attributes: What the file says of the subject.
        labels: Names of the segments, in the order of the frames' numbers.
        points: Of each segment, its points by name, ``(3)`` m, in its axes.
        joints: The two connectors of each joint, ``"Pelvis/jL5S1"``.
        contact_labels: Index and name of the foot contacts.
    """

    attributes: Mapping[str, str] = field(default_factory=dict)
    labels: list[str] = field(default_factory=list)
    points: list[dict[str, np.ndarray]] = field(default_factory=list)
    joints: list[list[str]] = field(default_factory=list)
    contact_labels: dict[int, str] = field(default_factory=dict)
    _point: str = ""

    def add_segment(self, attributes: Mapping[str, str]) -> None:
        """Note a segment that begins."""
        label = printable(attributes.get("label", "")[:200]) or f"segment {len(self.labels) + 1}"
        if label in self.labels:
            label = f"{label}_{len(self.labels) + 1}"
        if len(self.labels) < _MOST:
            self.labels.append(label)
            self.points.append({})

    def add_point(self, attributes: Mapping[str, str]) -> None:
        """Note a point that begins."""
        self._point = attributes.get("label", "")

    def place(self, text: str) -> None:
        """Note where the point is that began last."""
        words = text.split()
        try:
            at = np.array([float(word) for word in words[:4]])
        except ValueError:
            return
        sound = len(at) == 3 and (np.abs(at) < 10).all()  # m: no segment is longer
        if self._point and self.points and len(self.points[-1]) < _MOST and sound:
            self.points[-1][self._point] = at

    def add_contact(self, attributes: Mapping[str, str]) -> None:
        """Note what one of the foot contacts is of."""
        word = attributes.get("index", "")
        if word.isdecimal() and len(word) < 4:
            self.contact_labels[int(word)] = attributes.get("label", "")

    def contact_columns(self) -> dict[str, list[int]]:
        """Return which of the foot contacts are of the left and the right foot."""
        labels = self.contact_labels or dict(enumerate(_CONTACTS))
        return {
            side: [k for k, label in labels.items() if label.lower().startswith(side)]
            for side in ("left", "right")
        }

    def ends(self, segment: int) -> list[np.ndarray]:
        """Return the points that a segment reaches to beyond its joints."""
        points = self.points[segment]
        return [points[name] for name in _ENDS if name in points]


@dataclass
class Joined:
    """The segments as a tree.

    Attributes:
        kept: Segments that hang from the pelvis, parents first.
        parents: Of those, as places in ``kept``; −1 first.
        warnings: Sentences.
    """

    kept: list[int]
    parents: list[int]
    warnings: list[str]


def joined(path: Path, subject: Subject) -> Joined:
    """Return the tree that joints make of the segments.

    Raises:
        FileError: There is no pelvis.
    """
    where = {label: k for k, label in enumerate(subject.labels)}
    if "Pelvis" not in where:
        listed = ", ".join(subject.labels[:30])
        raise FileError(path, f"there is no segment Pelvis; found {listed}.")
    above: dict[int, int] = {}
    for first, second in subject.joints or [[p, c] for c, p in _PARENTS.items()]:
        parent, child = (where.get(word.split("/")[0], -1) for word in (first, second))
        if parent >= 0 and child >= 0 and child != where["Pelvis"]:
            above.setdefault(child, parent)
    kept, parents = [where["Pelvis"]], [-1]
    for place, segment in enumerate(kept):  # grows while it is walked
        for child in (k for k in range(len(where)) if above.get(k) == segment):
            kept.append(child)
            parents.append(place)
    loose = [label for label, k in where.items() if k not in set(kept)]
    warnings = []
    if loose:
        warnings.append(
            f"Segments that no joint connects with the pelvis were left out: {', '.join(loose)}."
        )
    return Joined(kept, parents, warnings)
