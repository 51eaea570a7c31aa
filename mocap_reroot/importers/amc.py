"""AMC (Acclaim motions, with the ASF that holds their skeleton) to Recording.

Every frame is its number on a line, then a line a bone: its name and one number for each of its
degrees of freedom. The first frame says which bones there are.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from itertools import pairwise
from math import pi
from pathlib import Path

import numpy as np

from mocap_reroot.errors import FileError, printable
from mocap_reroot.importers.asf import Acclaim, Bone, read_asf
from mocap_reroot.importers.channels import flagged, hierarchy_of_rotations
from mocap_reroot.importers.files import read_bytes
from mocap_reroot.importers.frame_time import ASSUMED_AMC_FPS, is_rate
from mocap_reroot.importers.numbers import number, parse_lines
from mocap_reroot.kernels.rotations import euler_to_quaternion
from mocap_reroot.types import Hierarchy, Recording, read_only

_BEGIN = re.compile(rb"(?:^|\n)[ \t]*\d+[ \t]*(?=\n|$)")
_RATE = re.compile(rb":SAMPLES-PER-SECOND[ \t]+([^\s]+)", re.IGNORECASE)


@dataclass
class _Motion:
    """The numbers of all frames.

    Attributes:
        bones: Names in the order of the first frame, in lower case.
        counts: How many numbers each has there.
        values: ``(numbers, F)``, NaN where there is none.
        repairs: Sentences.
    """

    bones: list[str]
    counts: list[int]
    values: np.ndarray
    repairs: list[str] = field(default_factory=list)

    def of(self, bone: str) -> np.ndarray | None:
        """Return ``(k, F)`` the numbers of a bone."""
        if bone.lower() not in self.bones:
            return None
        at = self.bones.index(bone.lower())
        start = sum(self.counts[:at])
        return self.values[start : start + self.counts[at]]


def read_amc(path: str | Path, skeleton: str | Path | None = None) -> Recording:
    """Read an AMC file and the skeleton that belongs to it.

    Args:
        path: The motion.
        skeleton: Its ``.asf``; by default it is looked for beside the motion.

    Returns:
        Recording: With a hierarchy in the file's unit, bodies aligned with the world at rest.

    Raises:
        FileError: There is no skeleton, or one of the two cannot be understood.
    """
    path = Path(path)
    data = read_bytes(path)
    if b"\r" in data:
        data = data.replace(b"\r\n", b"\n").replace(b"\r", b"\n")
    first = _BEGIN.search(data)
    head = data[: first.start() if first else len(data)]
    if first is None:
        raise FileError(
            path,
            "there are no frames: each begins with its number on a line of its own.",
            todo="An Acclaim motion (.amc) was expected.",
        )
    found = Path(skeleton) if skeleton is not None else find_skeleton(path, head)
    acclaim = read_asf(found)
    motion = _frames(path, data[first.start() :], head.count(b"\n"))
    degrees = _degrees(head, acclaim)
    fps, notes, warnings = _rate(head)
    hierarchy, more = _hierarchy(path, found, acclaim, motion, degrees)
    repairs = [*acclaim.repairs, *motion.repairs]
    flags = flagged(hierarchy, repairs)
    return Recording(
        path=path,
        format="amc",
        n_frames=len(flags),
        fps=fps,
        hierarchy=hierarchy,
        unit=acclaim.unit,
        flags=flags,
        repairs=tuple(repairs),
        warnings=(*warnings, *more),
        notes={**notes, "skeleton": str(found)},
    )


def find_skeleton(path: Path, head: bytes = b"") -> Path:
    """Return the ``.asf`` that belongs to a motion.

    ``07_01.amc`` has ``07_01.asf`` or ``07.asf`` beside it, the one that its first lines name, or
    the only one in its folder.

    Raises:
        FileError: There is none, or several that might be meant.
    """
    beside = sorted(p for p in path.parent.iterdir() if p.suffix.lower() == ".asf")
    by_stem = {p.stem.lower(): p for p in beside}
    stem = path.stem.lower()
    while stem:
        if stem in by_stem:
            return by_stem[stem]
        stem = stem.rpartition("_")[0]
    named = re.search(rb"([^\\/\s:]+)\.asf", head[:4096], re.IGNORECASE)
    if named and (word := named[1].decode("latin-1").lower()) in by_stem:
        return by_stem[word]
    if len(beside) == 1:
        return beside[0]
    found = "there is no .asf file beside it"
    if beside:
        listed = ", ".join(p.name for p in beside[:10])
        found = f"several .asf files are beside it ({listed}) and none has its name"
    raise FileError(
        path,
        f"an AMC holds angles only, its bones are in an Acclaim skeleton; {found}.",
        todo="Name it with --skeleton FILE.asf.",
    )


def _degrees(head: bytes, acclaim: Acclaim) -> bool:
    words = head.upper().split()
    if b":RADIANS" in words:
        return False
    return acclaim.degrees or b":DEGREES" in words


def _rate(head: bytes) -> tuple[float, dict[str, str], list[str]]:
    stated = _RATE.search(head)
    if stated is not None:
        fps = number(stated[1])
        if is_rate(fps):
            return fps, {"frame_time": f"The file states {fps:g} frames/s."}, []
    text = (
        f"An AMC file does not state its frame rate; {ASSUMED_AMC_FPS:g} Hz, that of the CMU "
        "library, were assumed. State it with --rate."
    )
    return ASSUMED_AMC_FPS, {"frame_time": text}, [text]


def _frames(path: Path, data: bytes, line: int) -> _Motion:
    """Read all frames; ``line`` counts the lines before them."""
    lines = [text.split() for text in data.split(b"\n")]
    starts = [k for k, words in enumerate(lines) if len(words) == 1 and words[0].isdigit()]
    layout = _layout(path, lines[: starts[1] if len(starts) > 1 else len(lines)], line)
    first = dict(zip(layout, np.cumsum([0, *layout.values()]).tolist(), strict=False))
    usual = [words[0] for words in lines[starts[0] + 1 : starts[0] + 1 + len(layout)]]
    rows: list[list[bytes]] = []
    uneven, wrong = False, 0
    for start, stop in pairwise([*starts, len(lines)]):
        named = [words for words in lines[start + 1 : stop] if words]
        row = [b"nan"] * sum(layout.values())
        uneven |= [words[0] for words in named] != usual
        for words in named:
            name = printable(words[0].decode("utf-8", "replace"))
            if layout.get(name) == len(words) - 1:
                row[first[name] : first[name] + layout[name]] = words[1:]
            else:
                wrong += 1
        rows.append(row)
    repairs = []
    if uneven or wrong:
        repairs.append("Frames do not all hold the same bones; they were read line by line.")
    if wrong:
        repairs.append(f"{wrong} lines do not fit the first frame and were passed over.")
    values = parse_lines([b" ".join(row) for row in rows], sum(layout.values()))
    return _Motion([name.lower() for name in layout], list(layout.values()), values, repairs)


def _layout(path: Path, frame: list[list[bytes]], line: int) -> dict[str, int]:
    """Return the bones of a frame and how many numbers each has."""
    layout: dict[str, int] = {}
    for count, words in enumerate(frame):
        if not words or words[0].isdigit():
            continue
        name = printable(words[0].decode("utf-8", "replace"))
        if name in layout:
            raise FileError(path, f"bone {name!r} occurs twice in a frame.", line=line + count)
        layout[name] = len(words) - 1
    if not layout:
        raise FileError(path, "the first frame names no bone.", line=line)
    return layout


def _hierarchy(
    path: Path, asf: Path, acclaim: Acclaim, motion: _Motion, degrees: bool
) -> tuple[Hierarchy, list[str]]:
    """Put the skeleton and its motion together."""
    bones = acclaim.bones
    known = {bone.name.lower() for bone in bones}
    strange = [name for name in motion.bones if name not in known]
    if strange:
        raise FileError(
            path,
            f"it moves {', '.join(strange[:10])}, which {asf.name} does not have.",
            todo="Name the skeleton that belongs to it with --skeleton FILE.asf.",
        )
    frames = motion.values.shape[1]
    rotation, position, offset = np.zeros((len(bones), 4, frames)), {}, np.zeros((len(bones), 3))
    still, grows = [], []
    for index, bone in enumerate(bones):
        if bone.parent >= 0:
            offset[index] = bones[bone.parent].reach
        values = motion.of(bone.name)
        if values is None:
            if bone.freedom:
                still.append(bone.name)
            values = np.zeros((len(bone.freedom), frames))
        if len(values) != len(bone.freedom):
            raise FileError(
                path,
                f"bone {bone.name} has {len(values)} numbers a frame, but {asf.name} gives it "
                f"{len(bone.freedom)} degrees of freedom ({' '.join(bone.freedom) or 'none'}).",
                todo="Name the skeleton that belongs to it with --skeleton FILE.asf.",
            )
        rotation[index] = _rotation(bone, values, degrees)
        shift = _shift(bone, values)
        if bone.parent < 0:
            position[index] = acclaim.position[:, None] + (0.0 if shift is None else shift)
        elif shift is not None:
            position[index] = offset[index][:, None] + shift
        if "l" in bone.freedom:
            grows.append(bone.name)
    leaves = set(range(len(bones))) - {bone.parent for bone in bones}
    warnings = []
    if still:
        warnings.append(f"The motion says nothing of {', '.join(still[:10])}; they do not turn.")
    if grows:
        warnings.append(f"Bones that grow keep their length: {', '.join(grows[:10])}.")
    hierarchy = hierarchy_of_rotations(
        [bone.name for bone in bones],
        [bone.parent for bone in bones],
        offset,
        rotation,
        position,
        fixed={k for k, bone in enumerate(bones) if k and not set(bone.freedom) & _TURNS},
        sites=[(k, bones[k].reach) for k in sorted(leaves)],
    )
    return hierarchy, warnings


_TURNS = {"rx", "ry", "rz"}


def _rotation(bone: Bone, values: np.ndarray, degrees: bool) -> np.ndarray:
    """Return ``(4, F)`` how a bone is turned against its parent, in the world's axes at rest.

    Its own axes are those columns of ``bone.axes``; a turn about them has the same angle, and its
    axis is theirs.
    """
    turns = [(k, "xyz".index(word[1])) for k, word in enumerate(bone.freedom) if word in _TURNS]
    rows, axes = np.full((1, 3), -1), np.full((1, 3), -1)
    for place, (row, axis) in enumerate(reversed(turns)):  # the first angle is applied first
        rows[0, place], axes[0, place] = row, axis
    rotation = np.empty((1, 4, values.shape[1]))
    angles = values if degrees else values * (180 / pi)
    euler_to_quaternion(
        read_only(angles), read_only(rows, np.int64), read_only(axes, np.int64), rotation
    )
    rotation[0, 1:] = bone.axes @ rotation[0, 1:]
    return rotation[0]


def _shift(bone: Bone, values: np.ndarray) -> np.ndarray | None:
    """Return ``(3, F)`` how a bone is shifted, in its parent's axes; None where it cannot be."""
    shifts = [(k, "xyz".index(word[1])) for k, word in enumerate(bone.freedom) if word[0] == "t"]
    if not shifts:
        return None
    shift = np.zeros((3, values.shape[1]))
    for row, axis in shifts:
        shift[axis] = values[row]
    return shift if bone.parent < 0 else bone.axes @ shift
