"""SegmentTable: mass, centre of mass and radii of gyration of segments (de Leva, Winter)."""

from __future__ import annotations

import tomllib
from dataclasses import dataclass
from functools import cache
from importlib import resources

import numpy as np

from mocap_reroot.errors import UnknownNameError

TABLES = ("deleva", "winter")
SEXES = ("male", "female")
PARTS = (
    *("head", "upper_trunk", "middle_trunk", "lower_trunk"),
    *("upper_arm", "forearm", "hand", "thigh", "shank", "foot"),
)
_SINGLE = frozenset(PARTS[:4])


@dataclass(frozen=True)
class Part:
    """One part of a body.

    Attributes:
        mass: Of the body's mass.
        length: Between its end points, of stature.
        com: Centre of mass, from the upper (proximal) end point, of the length.
        radii: Of gyration about the fore-aft, left-right and long axis through the centre of mass,
            of the length.
    """

    mass: float
    length: float
    com: float
    radii: tuple[float, float, float]


@dataclass(frozen=True)
class SegmentTable:
    """Parts of a body by name; masses of the whole body (limbs twice) add up to 1.

    Attributes:
        title: Author and year.
        parts: One for every name of :data:`PARTS`.
    """

    title: str
    parts: dict[str, Part]

    def __getitem__(self, name: str) -> Part:
        return self.parts[name]


@cache
def load_table(name: str = "deleva", sex: str | None = None) -> SegmentTable:
    """Return a table of segment parameters.

    Args:
        name: ``"deleva"`` (de Leva 1996) or ``"winter"`` (Dempster 1955 after Winter 2009).
        sex: ``"male"`` or ``"female"``; None takes the mean of both. Winter has one for all.

    Raises:
        UnknownNameError: No such table or sex.
    """
    if name not in TABLES:
        raise UnknownNameError("segment table", name, TABLES)
    if sex is not None and sex not in SEXES:
        raise UnknownNameError("sex", sex, SEXES)
    if name == "winter":
        return _read("winter")
    if sex is not None:
        return _read(f"deleva_{sex}")
    both = [_read(f"deleva_{s}") for s in SEXES]
    return _normalised("de Leva 1996, mean of male and female", [t.parts for t in both])


def _read(stem: str) -> SegmentTable:
    folder = resources.files("mocap_reroot.anthropometry") / "segment_tables"
    raw = tomllib.loads((folder / f"{stem}.toml").read_text(encoding="utf-8"))
    parts = {
        key: Part(raw[key]["mass"], raw[key]["length"], raw[key]["com"], tuple(raw[key]["radii"]))
        for key in PARTS
    }
    return _normalised(raw["title"], [parts])


def _normalised(title: str, tables: list[dict[str, Part]]) -> SegmentTable:
    """Return the mean of tables, with masses that add up to exactly 1 (printed ones do to 1e-4)."""

    def mean(key: str, attribute: str) -> np.ndarray:
        return np.mean([getattr(t[key], attribute) for t in tables], axis=0)

    masses = {key: float(mean(key, "mass")) for key in PARTS}
    total = sum(m if key in _SINGLE else 2 * m for key, m in masses.items())
    parts = {
        key: Part(
            masses[key] / total,
            float(mean(key, "length")),
            float(mean(key, "com")),
            tuple(float(r) for r in mean(key, "radii")),  # type: ignore[arg-type]
        )
        for key in PARTS
    }
    return SegmentTable(title, parts)
