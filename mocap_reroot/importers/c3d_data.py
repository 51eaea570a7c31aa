"""Points, analogs and rotations of a C3D, decoded; which points are markers or model outputs."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from mocap_reroot.errors import FileError
from mocap_reroot.importers.c3d_parameters import BLOCK, Decoder, Layout
from mocap_reroot.importers.files import unique

_ROTATION = 17
"""Words of a stored rotation: a 4×4 matrix by columns, and how reliable it is (negative: not)."""

_OUTPUT_GROUPS = {
    "ANGLES", "FORCES", "MOMENTS", "POWERS", "SCALARS", "MODELED_MARKERS", "REACTIONS",
}  # fmt: skip
_OUTPUT_NAME = re.compile(
    r"(angles?|moments?|forces?|powers?|torques?)(_?v)?$|"
    r"(angles?|moments?|forces?|powers?)(harrington|davis|bell)?$|"
    r"normalisedgrf$|groundreaction|cent(re|er)ofmass|^com(floor)?$|progress",
    re.I,
)
_UNLABELLED = re.compile(r"^(\*|#|\?|uname|unlabel|u_\d|un_?\d|c_\d|unnamed|-?\d+$)", re.I)
_JOINT_CENTRE = re.compile(r"^[LR](HJC|KJC|AJC|SJC|EJC|WJC)", re.I)
_AXES = "OALP"  # Vicon stores a segment as origin, anterior, lateral and proximal point


@dataclass(frozen=True, eq=False)
class C3DData:
    """The data section of a C3D, decoded.

    Attributes:
        points: ``(m, 3, F)`` file units, NaN where missing.
        analog: ``(a, S)`` scaled by the file's own factors.
        rotations: ``(s, 4, 4, F)`` or None.
    """

    points: np.ndarray
    analog: np.ndarray
    rotations: np.ndarray | None = None


def decode(path: Path, data: bytes, layout: Layout) -> C3DData:
    """Decode the data section, written on any processor type, by integers or real numbers.

    Nothing larger than the file is ever made: its size was held against the header before.
    Missing analog factors count as 1, missing offsets as 0.

    Raises:
        FileError: The rotations do not lie where the parameters say.
    """
    table = _table(data, layout)
    factor = 1.0 if layout.scale < 0 else layout.scale
    words = table[:, : 4 * layout.points].reshape(len(table), layout.points, 4).transpose(1, 2, 0)
    points = words[:, :3] * np.float64(factor)
    points.transpose(0, 2, 1)[words[:, 3] < 0] = np.nan
    return C3DData(_missing(points), _analog(table, layout), _rotations(path, data, layout))


def _table(data: bytes, layout: Layout) -> np.ndarray:
    """Return ``(F, words)`` the data section as it stands, a row a frame."""
    words = 4 * layout.points + layout.analog_words
    stop = layout.data_start + layout.frames * layout.frame_size
    section = Decoder(layout.processor).words(data[layout.data_start : stop], layout.scale < 0)
    return section.reshape(max(layout.frames, 0), words)


def _analog(table: np.ndarray, layout: Layout) -> np.ndarray:
    """Return ``(a, S)`` the analog channels."""
    samples = max(layout.analog_per_frame, 1)
    channels = layout.analog_words // samples
    first = 4 * layout.points
    counts = table[:, first : first + channels * samples]
    counts = counts.reshape(len(table) * samples, channels).T
    scale, offset = _factors(layout, channels)
    declared = layout.texts("ANALOG", "FORMAT")
    if layout.scale > 0 and declared and declared[0].upper().startswith("UNSIGNED"):
        counts, offset = counts.astype(np.int32) % 65536, offset % 65536
    with np.errstate(over="ignore", invalid="ignore"):  # hostile factors
        return np.asarray((counts - offset) * scale)


def _rotations(path: Path, data: bytes, layout: Layout) -> np.ndarray | None:
    """Return ``(s, 4, 4, F)`` segments stored as matrices, or None where there are none."""
    used = int(layout.number("ROTATION", "USED", 0))
    if not used:
        return None
    frames = layout.frames * max(int(layout.number("ROTATION", "RATIO", 1)), 1)
    start = (int(layout.number("ROTATION", "DATA_START", 0)) - 1) * BLOCK
    stop = start + 4 * _ROTATION * used * frames
    if not (used > 0 and frames > 0 and 0 < start < stop <= len(data)):
        raise FileError(path, f"{used} rotations should stand at byte {start}; they do not fit.")
    words = Decoder(layout.processor).words(data[start:stop], real=True)
    words = words.reshape(frames, used, _ROTATION).astype(float)
    words[words[..., -1] < 0] = np.nan
    matrices = words[..., :-1].reshape(frames, used, 4, 4)  # a column of a matrix after the other
    return np.ascontiguousarray(matrices.transpose(1, 3, 2, 0))


def _missing(points: np.ndarray) -> np.ndarray:
    """Mark points that are exactly at the origin as missing: no marker is glued there."""
    points.transpose(0, 2, 1)[(points == 0).all(axis=1)] = np.nan
    points[~np.isfinite(points)] = np.nan
    return points


def _factors(layout: Layout, channels: int) -> tuple[np.ndarray, np.ndarray]:
    """Return ``(a, 1)`` scale and offset of the analog channels."""
    scale, offset = np.ones(channels), np.zeros(channels)
    for name, target in (("SCALE", scale), ("OFFSET", offset)):
        stated = layout.numbers("ANALOG", name)
        if stated is not None:
            target[: stated.size] = np.ravel(stated)[:channels]
    return scale[:, None] * layout.number("ANALOG", "GEN_SCALE", 1.0), offset[:, None]


@dataclass(frozen=True)
class Sorted:
    """Unique labels, and what each point is: ``marker``, ``output`` or ``nothing``."""

    labels: tuple[str, ...]
    kinds: tuple[str, ...]
    repairs: tuple[str, ...]

    def rows(self, kind: str) -> list[int]:
        """Return the rows of one kind."""
        return [k for k, found in enumerate(self.kinds) if found == kind]


def sort_labels(layout: Layout, points: np.ndarray) -> Sorted:
    """Tell markers from model outputs by TYPE_GROUPS, by name and by behaviour.

    Args:
        layout: The file's parameters.
        points: ``(m, 3, F)``, NaN where missing.
    """
    labels, repairs = _unique(layout.texts("POINT", "LABELS"), len(points))
    listed = _listed_outputs(layout)
    bare = [label.rsplit(":", 1)[-1] for label in labels]
    virtual = _segment_axes(set(bare))
    # What this program writes of a skeleton without markers are its joint centres.
    centres = layout.texts("MOCAP_REROOT", "POINTS") == ["joint centres"]
    modelled = bool(listed or virtual) and not centres
    kinds = []
    for label, name, point in zip(labels, bare, points, strict=True):
        if not name or _UNLABELLED.match(name):
            kind = "nothing"
        elif label in listed or name in listed or name in virtual or _OUTPUT_NAME.search(name):
            kind = "output"
        elif modelled and _JOINT_CENTRE.match(name):
            kind = "output"  # computed by the same model as the angles
        elif _scalar(point):
            kind = "output"
        elif np.isnan(point).all():
            kind = "nothing"
        else:
            kind = "marker"
        kinds.append(kind)
    return Sorted(tuple(labels), tuple(kinds), tuple(repairs))


def _unique(labels: list[str], count: int) -> tuple[list[str], list[str]]:
    """Return one label a point; a label that comes again gets a number."""
    labels = [label or f"*{k}" for k, label in enumerate((labels + [""] * count)[:count])]
    numbered = unique(labels)
    twice = dict.fromkeys(a for a, b in zip(labels, numbered, strict=True) if a != b)
    if not twice:
        return numbered, []
    return numbered, [f"Labels that occur more than once were numbered: {', '.join(twice)}."]


def _listed_outputs(layout: Layout) -> set[str]:
    groups = _OUTPUT_GROUPS | {g.upper() for g in layout.texts("POINT", "TYPE_GROUPS")}
    return {label for group in groups for label in layout.texts("POINT", group) if label}


def _segment_axes(names: set[str]) -> set[str]:
    """Return the names that come in fours, as Vicon writes the axes of a segment."""
    stems = {name[:-1] for name in names if len(name) == 4 and name.endswith("O")}
    whole = {stem for stem in stems if all(stem + end in names for end in _AXES)}
    return {stem + end for stem in whole for end in _AXES}


def _scalar(point: np.ndarray) -> bool:
    """Say whether two of the three components are exactly zero throughout: no marker does that."""
    there = point[:, ~np.isnan(point).any(axis=0)]
    return there.shape[1] > 1 and int((there == 0).all(axis=1).sum()) >= 2
