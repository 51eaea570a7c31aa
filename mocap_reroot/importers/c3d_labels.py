"""Which points of a C3D are markers, which are model outputs, and which are nothing."""

from __future__ import annotations

import re
from dataclasses import dataclass

import numpy as np

from mocap_reroot.importers.c3d_parameters import Layout
from mocap_reroot.importers.files import unique

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
