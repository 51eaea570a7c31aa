"""Marker sets: which label is which landmark. Data in TOML; chosen by the labels present.

A set names landmarks of the middle (``[middle]``) and of both sides (``[sided]``, where ``{side}``
stands for the letters given as ``left`` and ``right``). A landmark is a label, labels joined by
``+`` (their mean), or a list of such alternatives, the first that is present being used.
``[clusters]`` lists markers that move with one segment: they rebuild each other in gaps.
"""

from __future__ import annotations

import tomllib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from importlib import resources
from pathlib import Path
from typing import Any

from mocap_reroot.errors import ConfigError, UnknownNameError
from mocap_reroot.types import Markers

MIDDLE = frozenset(
    {
        "sacrum", "pelvis_centre", "c7", "t10", "sternal_notch", "xiphoid", "head_top",
        "head_front", "head_back", "neck_centre",
    }
)  # fmt: skip
SIDED = frozenset(
    {
        "asis", "psis", "hip_centre", "thigh_wand", "lateral_knee", "medial_knee", "knee_centre",
        "shank_wand", "lateral_ankle", "medial_ankle", "ankle_centre", "heel", "toe",
        "first_metatarsal", "fifth_metatarsal", "hallux", "acromion", "shoulder_centre",
        "lateral_elbow", "medial_elbow", "elbow_centre", "radial_wrist", "ulnar_wrist",
        "wrist_centre", "hand", "head_front", "head_back", "head_side",
    }
)  # fmt: skip
SIDES = ("left", "right")
_KEYS = {
    "name", "description", "left", "right", "requires", "middle", "sided", "clusters", "methods",
}  # fmt: skip

Alternatives = tuple[tuple[str, ...], ...]


@dataclass(frozen=True)
class MarkerSet:
    """Which labels a marker set uses for which landmark.

    Attributes:
        name, description: What it is called.
        landmarks: ``{landmark: alternatives}``, sided ones as ``left_…`` and ``right_…``; an
            alternative is a tuple of labels whose mean is the landmark.
        requires: Landmarks without which the set does not apply.
        clusters: ``{segment: labels}`` that move together.
        methods: ``{"hip": "davis"}`` and the like.
    """

    name: str
    description: str
    landmarks: dict[str, Alternatives]
    requires: tuple[str, ...]
    clusters: dict[str, tuple[str, ...]]
    methods: dict[str, str]

    def found(self, labels: Iterable[str]) -> dict[str, tuple[str, ...]]:
        """Return ``{landmark: labels}`` for the landmarks that these labels (lower case) give."""
        there = set(labels)
        result = {}
        for landmark, alternatives in self.landmarks.items():
            for parts in alternatives:
                if all(part.lower() in there for part in parts):
                    result[landmark] = parts
                    break
        return result

    def missing(self, labels: Iterable[str]) -> list[str]:
        """Return the required landmarks that these labels do not give.

        One leg will do: a side of which nothing below the pelvis is there is not asked for.
        """
        found = self.found(labels)
        lost = [
            landmark for landmark in self.requires
            if not any(option in found for option in landmark.split("|"))
        ]  # fmt: skip
        for side in SIDES:
            leg = [r for r in self.requires if r.startswith(side) and not _on_pelvis(r)]
            if leg and lost == leg:
                return []
        return lost

    def used(self, labels: Iterable[str]) -> set[str]:
        """Return which of these labels (lower case) the set knows, as landmarks or in clusters."""
        there = set(labels)
        known = {part.lower() for parts in self.found(there).values() for part in parts}
        return known | {m.lower() for members in self.clusters.values() for m in members} & there

    def __repr__(self) -> str:
        return f"<MarkerSet: {self.name}, {len(self.landmarks)} landmarks>"


def names() -> list[str]:
    """Return the names of the marker sets that come with the package."""
    return sorted(file.name[:-5] for file in _files() if file.name.endswith(".toml"))


def load(name_or_file: str | Path) -> MarkerSet:
    """Load a marker set by name, or from a TOML file.

    Raises:
        UnknownNameError: If it is neither.
        ConfigError: If the file says something that is not understood.
    """
    path = Path(name_or_file)
    if path.suffix.lower() == ".toml":
        try:
            text = path.read_text(encoding="utf-8")
        except OSError as error:
            raise ConfigError(f"{path}: cannot be read ({error.strerror}).") from None
        return parse(text, str(path))
    if str(name_or_file) not in names():
        raise UnknownNameError("marker set", str(name_or_file), names())
    file = next(f for f in _files() if f.name == f"{name_or_file}.toml")
    return parse(file.read_text(encoding="utf-8"), file.name)


def parse(text: str, where: str) -> MarkerSet:
    """Return the marker set that a TOML text describes; an unknown word is an error."""
    try:
        table = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise ConfigError(f"{where}: this is not TOML ({error}).") from None
    _known(where, "key", table, _KEYS)
    _known(where, "landmark in [middle]", table.get("middle", {}), MIDDLE)
    _known(where, "landmark in [sided]", table.get("sided", {}), SIDED)
    letters = {"left": table.get("left", "L"), "right": table.get("right", "R")}
    landmarks = {k: _alternatives(where, k, v) for k, v in table.get("middle", {}).items()}
    clusters: dict[str, tuple[str, ...]] = {}
    requires: list[str] = []
    for side, letter in letters.items():
        for landmark, value in table.get("sided", {}).items():
            options = _alternatives(where, landmark, value)
            landmarks[f"{side}_{landmark}"] = tuple(
                tuple(label.replace("{side}", letter) for label in parts) for parts in options
            )
        for segment, labels in table.get("clusters", {}).items():
            name = f"{side}_{segment}" if any("{side}" in x for x in labels) else segment
            clusters[name] = tuple(label.replace("{side}", letter) for label in labels)
        for landmark in table.get("requires", []):
            names_ = landmark.split("|")
            sided = table.get("sided", {})
            requires.append("|".join(f"{side}_{k}" if k in sided else k for k in names_))
    return MarkerSet(
        name=table.get("name", Path(where).stem),
        description=table.get("description", ""),
        landmarks=landmarks,
        requires=tuple(dict.fromkeys(requires)),
        clusters=clusters,
        methods=table.get("methods", {}),
    )


def choose(labels: Sequence[str]) -> MarkerSet:
    """Return the set that has all it requires and uses the most of these labels.

    Raises:
        ConfigError: If none applies; says what the nearest one lacks.
    """
    lower = [label.lower() for label in labels]
    best: tuple[int, int, MarkerSet] | None = None
    for name in names():
        candidate = load(name)
        rank = (-len(candidate.missing(lower)), len(candidate.used(lower)), candidate)
        if best is None or rank[:2] > best[:2]:
            best = rank
    assert best is not None, "no marker sets are installed"
    if best[0] < 0:
        lacks = ", ".join(best[2].missing(lower)[:8])
        shown = ", ".join(labels[:12]) + (", …" if len(labels) > 12 else "")
        raise ConfigError(
            f"No marker set fits the labels {shown}. The nearest, {best[2].name!r}, lacks "
            f"{lacks}. Describe the set in a TOML file and give it with --markerset FILE, or, if "
            "these markers were worn in a static trial only, give that with --static FILE."
        )
    return best[2]


def subject_labels(markers: Markers) -> dict[str, dict[str, int]]:
    """Return ``{subject: {label: row}}``, labels in lower case and without their prefix.

    ``Subject:LASI`` names the subject; a prefix that all labels share (``Skeleton_``) is dropped.
    """
    subjects: dict[str, dict[str, int]] = {}
    for row, label in enumerate(markers.labels):
        subject, _, bare = label.rpartition(":")
        subjects.setdefault(subject, {})[bare.strip().lower()] = row
    for subject, rows in subjects.items():
        stem = _shared_prefix(list(rows))
        subjects[subject] = {label[len(stem) :]: row for label, row in rows.items()}
    return subjects


def _shared_prefix(labels: list[str]) -> str:
    if len(labels) < 4:
        return ""
    first, last = min(labels), max(labels)
    n = next((k for k, (a, b) in enumerate(zip(first, last, strict=False)) if a != b), 0)
    cut = max(first[:n].rfind(mark) for mark in "_.- ") + 1
    return first[:cut]


def _on_pelvis(landmark: str) -> bool:
    """Say whether a requirement is about the pelvis; a hip's centre is."""
    return any(word in landmark for word in ("asis", "psis", "hip_centre"))


def _alternatives(where: str, landmark: str, value: Any) -> Alternatives:
    options = [value] if isinstance(value, str) else value
    if not isinstance(options, list) or not all(isinstance(x, str) for x in options):
        raise ConfigError(f"{where}: {landmark} must be a label or a list of labels.")
    return tuple(tuple(part.strip() for part in option.split("+")) for option in options)


def _known(where: str, kind: str, table: dict[str, Any], valid: Iterable[str]) -> None:
    for key in table:
        if key not in set(valid):
            raise ConfigError(f"{where}: {UnknownNameError(kind, key, sorted(valid))}")


def _files() -> list[Any]:
    return list(resources.files("mocap_reroot.assembly").joinpath("markersets").iterdir())
