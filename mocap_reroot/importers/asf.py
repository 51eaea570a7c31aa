"""ASF (Acclaim skeletons): bones with directions, lengths, axes and degrees of freedom.

A bone begins where its parent ends and reaches ``length`` along ``direction``, both in the world's
axes at rest. Its degrees of freedom turn about axes of its own: those of the world, turned by
``axis``. In both, the first angle is applied first, about axes that stay: Vicon's "Acclaim Format -
ASF line Details". Names are the same whatever their case.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from math import hypot, isfinite
from pathlib import Path

import numpy as np
from scipy.spatial.transform import Rotation

from mocap_reroot.errors import FileError, UnknownNameError, printable
from mocap_reroot.importers.files import opening

DEGREES_OF_FREEDOM = ("rx", "ry", "rz", "tx", "ty", "tz", "l")
"""Turns about x, y and z, shifts along them, and a bone that grows."""

LARGEST_SKELETON = 10_000_000
"""Bytes; a skeleton of 30 bones has 7,000."""

_CMU_LENGTH = 0.45
"""What ``length`` says in files of the CMU library: inches times 0.45."""
_MOST_BONES = 20_000
_BLANKS = str.maketrans("(),", "   ")  # the format counts them as such
_CENTRE = "root"


@dataclass
class Bone:
    """A bone of an Acclaim skeleton.

    Attributes:
        name: As the file has it.
        reach: ``(3)`` from its start to its end, file units, world axes at rest.
        axes: ``(3, 3)`` columns: the axes of its turns, in world axes at rest.
        freedom: Its degrees of freedom in the order of the motion file.
        parent: Index of the bone it hangs from, −1 at the root.
    """

    name: str
    reach: np.ndarray = field(default_factory=lambda: np.zeros(3))
    axes: np.ndarray = field(default_factory=lambda: np.eye(3))
    freedom: tuple[str, ...] = ()
    parent: int = -1


@dataclass
class Acclaim:
    """An Acclaim skeleton; the root comes first, and parents before their children.

    Attributes:
        bones: All of them.
        position: ``(3)`` of the root at rest.
        unit: ``"cmu"`` where the file has the CMU library's unit, else empty.
        degrees: Whether its angles are in degrees.
        repairs: Sentences.
    """

    bones: list[Bone]
    position: np.ndarray
    unit: str
    degrees: bool
    repairs: list[str]


Lines = dict[str, list[tuple[int, list[str]]]]
"""The words of a file, line by line with its number, by the section they stand in."""


def read_asf(path: str | Path) -> Acclaim:
    """Read an Acclaim skeleton.

    Raises:
        FileError: It is no skeleton; names the line.
    """
    path = Path(path)
    with opening(path, "the skeleton"), path.open("rb") as file:
        data = file.read(LARGEST_SKELETON + 1)
    if len(data) > LARGEST_SKELETON:
        raise FileError(path, "more than 10 MB are no skeleton; an .asf file was expected.")
    lines = _sections(data.decode("utf-8-sig", errors="replace"))
    if not lines.get("bonedata") or not lines.get("hierarchy"):
        raise FileError(
            path,
            "an Acclaim skeleton has the sections :root, :bonedata and :hierarchy; found "
            f"{', '.join(':' + name for name in list(lines)[:20]) or 'none'}.",
        )
    units = {words[0].lower(): words[1:] for _, words in lines.get("units", [])}
    degrees = not (units.get("angle") or ["deg"])[0].lower().startswith("rad")
    length = _number(path, units["length"][0], 0) if units.get("length") else 1.0
    repairs: list[str] = []
    root, position = _root(path, lines, degrees)
    bones = {root.name: root}
    for bone, line in _bones(path, lines, degrees, repairs):
        if bone.name.lower() in bones:
            raise FileError(path, f"there are two bones named {bone.name!r}.", line=line)
        bones[bone.name.lower()] = bone
    return Acclaim(
        bones=_tree(path, lines, bones, repairs),
        position=position,
        unit="cmu" if abs(length - _CMU_LENGTH) < 1e-6 else "",
        degrees=degrees,
        repairs=repairs,
    )


def _sections(text: str) -> Lines:
    lines: Lines = {}
    section = ""
    for number, line in enumerate(text.splitlines(), 1):
        words = line.split("#")[0].translate(_BLANKS).split()
        if not words:
            continue
        if words[0].startswith(":"):
            section = words[0][1:].lower()
            lines.setdefault(section, [])
        elif section != "documentation":
            lines.setdefault(section, []).append((number, words))
    return lines


def _number(path: Path, word: str, line: int) -> float:
    try:
        value = float(word)
    except ValueError:
        value = float("nan")
    if not isfinite(value) or abs(value) > 1e9:
        raise FileError(path, f"{word[:40]!r} is no number.", line=line or None)
    return value


def _numbers(path: Path, words: list[str], line: int) -> np.ndarray:
    if len(words) < 3:
        raise FileError(path, f"three numbers were expected; found {len(words)}.", line=line)
    return np.array([_number(path, word, line) for word in words[:3]])


def _turn(angles: np.ndarray, order: str, degrees: bool) -> np.ndarray:
    """Return ``(3, 3)`` the rotation by angles about fixed axes, the first one first."""
    return Rotation.from_euler(order, angles, degrees=degrees).as_matrix()


def _order(path: Path, word: str, line: int) -> str:
    order = word.lower()
    if sorted(order) != ["x", "y", "z"]:
        raise FileError(
            path, f"the order of axes is {word[:20]!r}; one like XYZ was expected.", line=line
        )
    return order


def _freedom(path: Path, words: list[str], line: int) -> tuple[str, ...]:
    found = tuple(word.lower() for word in words)
    for word in found:
        if word not in DEGREES_OF_FREEDOM:
            valid = ", ".join(DEGREES_OF_FREEDOM)
            raise FileError(
                path, f"{word[:20]!r} is no degree of freedom; there are {valid}.", line=line
            )
    if len(set(found)) != len(found):
        raise FileError(path, "a degree of freedom is listed twice.", line=line)
    return found


def _root(path: Path, lines: Lines, degrees: bool) -> tuple[Bone, np.ndarray]:
    order, angles, position = "xyz", np.zeros(3), np.zeros(3)
    freedom: tuple[str, ...] = ("tx", "ty", "tz", "rx", "ry", "rz")
    for line, (word, *rest) in lines.get("root", []):
        key = word.lower()
        if key == "order":
            freedom = _freedom(path, rest, line)
        elif key == "axis" and rest:
            order = _order(path, rest[0], line)
        elif key == "position":
            position = _numbers(path, rest, line)
        elif key == "orientation":
            angles = _numbers(path, rest, line)
    return Bone(_CENTRE, axes=_turn(angles, order, degrees), freedom=freedom), position


def _bones(path: Path, lines: Lines, degrees: bool, repairs: list[str]) -> list[tuple[Bone, int]]:
    found = []
    bone, direction, length, start = Bone(""), np.zeros(3), 0.0, 0
    for line, (word, *rest) in lines["bonedata"]:
        key = word.lower()
        if key == "begin":
            bone, direction, length, start = Bone(""), np.zeros(3), 0.0, line
        elif key == "name" and rest:
            bone.name = printable(rest[0])
        elif key == "direction":
            direction = _numbers(path, rest, line)
        elif key == "length" and rest:
            length = _number(path, rest[0], line)
        elif key == "axis":
            angles = _numbers(path, rest, line)
            order = _order(path, rest[3], line) if len(rest) > 3 else "xyz"
            bone.axes = _turn(angles, order, degrees)
        elif key == "dof":
            bone.freedom = _freedom(path, rest, line)
        elif key == "end":
            if not bone.name:
                raise FileError(path, "a bone has no name.", line=start)
            size = hypot(*direction)
            if size > 0:
                bone.reach = direction / size * length
            elif length:
                repairs.append(f"Line {start}: bone {bone.name} has no direction, so no length.")
            found.append((bone, start))
            if len(found) > _MOST_BONES:
                raise FileError(path, f"there are more than {_MOST_BONES} bones.", line=line)
    return found


def _tree(path: Path, lines: Lines, bones: dict[str, Bone], repairs: list[str]) -> list[Bone]:
    """Return the bones from the root on, parents first, with the indices of their parents."""
    children: dict[str, list[str]] = {}
    above: dict[str, str] = {}
    for line, words in lines["hierarchy"]:
        if words[0].lower() in ("begin", "end") and len(words) == 1:
            continue
        names = [printable(word).lower() for word in words]
        for name in names:
            if name not in bones:
                raise FileError(path, str(UnknownNameError("bone", name, bones)), line=line)
        for child in names[1:]:
            if child in above or child == _CENTRE:
                raise FileError(path, f"bone {child!r} hangs from two others.", line=line)
            above[child] = names[0]
            children.setdefault(names[0], []).append(child)
    ordered: list[Bone] = []
    stack = [(_CENTRE, -1)]
    while stack:
        name, parent = stack.pop()
        bones[name].parent = parent
        stack += [(child, len(ordered)) for child in reversed(children.get(name, []))]
        ordered.append(bones[name])
    found = {bone.name.lower() for bone in ordered}
    loose = [name for name in bones if name not in found]
    if loose:
        repairs.append(
            f"{len(loose)} bones hang from nothing and were left out: {', '.join(loose[:10])}."
        )
    return ordered
