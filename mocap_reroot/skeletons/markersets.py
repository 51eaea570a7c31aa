"""Marker sets: which label is which landmark; TOML data, chosen by the labels present.

A set names landmarks of the middle (``[middle]``) and of both sides (``[sided]``, where ``{side}``
stands for what is given as ``left`` and ``right``: letters, words, or lists of them). A landmark is
a label, labels joined by ``+`` (their mean), or a list of such alternatives, the first that is
present being used. ``[clusters]`` lists markers that move with one segment: they rebuild each other
in gaps. A ``caution`` is said whenever the set is used; ``docs/marker-sets.md`` shows how to write
one.
"""

from __future__ import annotations

import tomllib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cache
from importlib import resources
from pathlib import Path
from typing import Any

from mocap_reroot.errors import ConfigError, UnknownNameError
from mocap_reroot.skeletons.joint_centres import HIP_METHODS
from mocap_reroot.skeletons.labels import plain

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
        "toe_tip", "first_metatarsal", "fifth_metatarsal", "hallux", "acromion", "shoulder_centre",
        "lateral_elbow", "medial_elbow", "elbow_centre", "radial_wrist", "ulnar_wrist",
        "wrist_centre", "hand", "head_front", "head_back", "head_side",
    }
)  # fmt: skip
SIDES = ("left", "right")
SEGMENTS = (
    "pelvis", "trunk", "head", "thigh", "shank", "foot", "toes", "upper_arm", "forearm", "hand",
)  # fmt: skip
NEEDED = (
    ("asis", "hip_centre"),
    ("sacrum", "psis", "hip_centre"),
    ("lateral_knee", "knee_centre"),
    ("lateral_ankle", "ankle_centre"),
)
"""Landmarks without which there is no skeleton; of each row one will do."""
_KEYS = {
    "name", "description", "caution", "left", "right", "requires", "middle", "sided", "clusters",
    "methods",
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
        caution: What is weak about it, a sentence; or empty.
    """

    name: str
    description: str
    landmarks: dict[str, Alternatives]
    requires: tuple[str, ...]
    clusters: dict[str, tuple[str, ...]]
    methods: dict[str, str]
    caution: str = ""

    def found(self, labels: Iterable[str]) -> dict[str, tuple[str, ...]]:
        """Return ``{landmark: labels}`` for the landmarks that these labels give."""
        there = {plain(label) for label in labels}
        result = {}
        for landmark, alternatives in self.landmarks.items():
            for parts in alternatives:
                if all(plain(part) in there for part in parts):
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
        """Return which of these labels, as compared, the set knows: landmarks or in clusters."""
        there = {plain(label) for label in labels}
        known = {plain(part) for parts in self.found(there).values() for part in parts}
        return known | {plain(m) for members in self.clusters.values() for m in members} & there

    def spelt(self, landmark: str) -> str:
        """Return the first label of a landmark, or of ``one|or another``."""
        named = (name for name in landmark.split("|") if name in self.landmarks)
        return next((" + ".join(self.landmarks[name][0]) for name in named), "no label given")

    def __repr__(self) -> str:
        return f"<MarkerSet: {self.name}, {len(self.landmarks)} landmarks>"


def names() -> list[str]:
    """Return the names of the marker sets that come with the package."""
    return [known.name for known in packaged()]


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
    for known in packaged():
        if known.name == str(name_or_file):
            return known
    raise UnknownNameError("marker set", str(name_or_file), names())


@cache
def packaged() -> tuple[MarkerSet, ...]:
    """Return the marker sets that come with the package, by name."""
    files = [file for file in _files() if file.name.endswith(".toml")]
    sets = (parse(file.read_text(encoding="utf-8"), file.name) for file in files)
    return tuple(sorted(sets, key=lambda known: known.name))


def parse(text: str, where: str) -> MarkerSet:
    """Return the marker set that a TOML text describes; an unknown word is an error."""
    try:
        table = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise ConfigError(f"{where}: this is not TOML ({error}).") from None
    middle, sided, groups, methods = _checked(where, table)
    words = {side: _texts(where, side, table.get(side, side[0].upper())) for side in SIDES}
    landmarks = {k: _alternatives(where, k, v) for k, v in middle.items()}
    clusters: dict[str, tuple[str, ...]] = {}
    requires: list[str] = []
    for side, spellings in words.items():
        for landmark, value in sided.items():
            options = _alternatives(where, landmark, value)
            landmarks[f"{side}_{landmark}"] = tuple(
                tuple(label.replace("{side}", word) for label in parts)
                for parts in options
                for word in spellings
            )
        for segment, value in groups.items():
            labels = _texts(where, segment, value)
            name = f"{side}_{segment}" if any("{side}" in x for x in labels) else segment
            spelt = (label.replace("{side}", word) for label in labels for word in spellings)
            clusters[name] = tuple(dict.fromkeys(spelt))
        for needed in _needs(where, table):
            names_ = (f"{side}_{k}" if k in SIDED - set(middle) else k for k in needed)
            requires.append("|".join(names_))
    return MarkerSet(
        name=str(table.get("name", Path(where).stem)),
        description=str(table.get("description", "")),
        landmarks=landmarks,
        requires=tuple(dict.fromkeys(requires)),
        clusters=clusters,
        methods=methods,
        caution=str(table.get("caution", "")),
    )


def _checked(where: str, table: dict[str, Any]) -> tuple[dict[str, Any], ...]:
    """Return the tables of landmarks, clusters and methods; every word in them is known."""
    _known(where, "key", table, _KEYS)
    tables = tuple(table.get(key, {}) for key in ("middle", "sided", "clusters", "methods"))
    for key, found in zip(("middle", "sided", "clusters", "methods"), tables, strict=True):
        if not isinstance(found, dict):
            raise ConfigError(f"{where}: [{key}] must be a table.")
    middle, sided, clusters, methods = tables
    _known(where, "landmark in [middle]", middle, MIDDLE)
    _known(where, "landmark in [sided]", sided, SIDED)
    _known(where, "segment in [clusters]", clusters, SEGMENTS)
    _known(where, "key in [methods]", methods, ("hip",))
    _known(where, "method for the hip", methods.values(), (*HIP_METHODS, "stated"))
    return tables


def _needs(where: str, table: dict[str, Any]) -> list[list[str]]:
    """Return what the set requires, as lists of which one is enough; and what anybody needs."""
    named = {*table.get("middle", {}), *table.get("sided", {})}
    stated = [x.split("|") for x in _texts(where, "requires", table.get("requires", []))]
    for options in stated:
        _known(where, "landmark in requires", options, MIDDLE | SIDED)
        if not named & set(options):
            raise ConfigError(
                f"{where}: requires {' or '.join(options)}, for which no label is given."
            )
    rest = [list(x) for x in NEEDED if not any(set(options) <= set(x) for options in stated)]
    return stated + rest


def choose(labels: Sequence[str], shown: Sequence[str] = ()) -> MarkerSet:
    """Return the set that has all it requires and uses the most of these labels.

    Args:
        labels: Without prefixes.
        shown: The same as the file has them, for the refusal.

    Raises:
        ConfigError: If none applies; says what the nearest one lacks.
    """
    scores = [(-len(s.missing(labels)), len(s.used(labels))) for s in packaged()]
    best = max(range(len(scores)), key=lambda k: scores[k])
    if scores[best][0] < 0:
        nearest = max(zip(scores, packaged(), strict=True), key=_near)[1]
        raise ConfigError(_none_fits(labels, shown or labels, nearest))
    return packaged()[best]


def _near(scored: tuple[tuple[int, int], MarkerSet]) -> tuple[int, int]:
    """Rank sets of which none applies: by what they know and lack together, then by what lacks."""
    (minus_missing, used), _ = scored
    return used + 2 * minus_missing, minus_missing


def _none_fits(labels: Sequence[str], shown: Sequence[str], nearest: MarkerSet) -> str:
    """Say what was found, what was expected and what to do."""
    some = ", ".join(shown[:12]) + (", …" if len(shown) > 12 else "")
    told = f"No marker set fits the labels {some or '(none)'}. "
    used = len(nearest.used(labels))
    if used:
        lacks = [f"{name} ({nearest.spelt(name)})" for name in nearest.missing(labels)]
        told += (
            f"The nearest, {nearest.name!r}, knows {used} of them but lacks "
            f"{', '.join(lacks[:6])}{', …' if len(lacks) > 6 else ''}. "
        )
    return told + (
        f"Known sets: {', '.join(names())}. Describe this one in a TOML file (docs/marker-sets.md) "
        "and give it with --markerset FILE. If these are clusters, whose landmarks were worn in a "
        "static trial only, give that with --static FILE, or an OpenSim model that knows the "
        "markers with --model FILE.osim."
    )


def _on_pelvis(landmark: str) -> bool:
    """Say whether a requirement is about the pelvis; a hip's centre is."""
    return any(word in landmark for word in ("asis", "psis", "hip_centre"))


def _texts(where: str, what: str, value: Any) -> list[str]:
    """Return a text or a list of texts as a list."""
    texts = [value] if isinstance(value, str) else value
    if not isinstance(texts, list) or not all(isinstance(x, str) for x in texts):
        raise ConfigError(f"{where}: {what} must be a text or a list of texts.")
    return texts


def _alternatives(where: str, landmark: str, value: Any) -> Alternatives:
    options = _texts(where, landmark, value)
    return tuple(tuple(part.strip() for part in option.split("+")) for option in options)


def _known(where: str, kind: str, words: Iterable[Any], valid: Iterable[str]) -> None:
    for word in words:
        if word not in list(valid):
            raise ConfigError(f"{where}: {UnknownNameError(kind, str(word), sorted(valid))}")


def _files() -> list[Any]:
    return list(resources.files("mocap_reroot.skeletons").joinpath("markersets").iterdir())
