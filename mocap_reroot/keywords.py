"""Keywords of ``mr.analyze``, for type checkers and editors.

Made from the configuration by docs/reference/make.py; do not edit.
"""

from pathlib import Path
from typing import Literal, TypedDict


class Options(TypedDict, total=False):
    """Every option, by the name that it has on the command line and in TOML."""

    unit: str | float
    up: Literal["auto", "x", "y", "z", "-x", "-y", "-z"]
    rate: float | None
    segments: str | Path | None
    markerset: str
    static: str | Path | None
    plates: str | Path | None
    fitting: Literal["auto", "stored", "first"]
    skeleton: str | Path | None
    smpl_model: str | Path | None
    model: str | Path | None
    scale_model: bool
    take: str | None
    subject: str | None
    mass: float | None
    height: float | None
    sex: Literal["male", "female"] | None
    segment_table: Literal["deleva", "winter"]
    segment_masses: Literal["auto", "table"]
    bodies: str | Path | None
    any_size: bool
    cutoff: str | float
    smoother: Literal["butterworth", "spline"]
    contacts: str | Path | None
    contact_source: Literal["auto", "kinematics", "plates", "events"]
    limbs: str
    hands: bool
    knees: bool
    pin_feet: bool
    forces: Literal["auto", "predicted", "measured"]
    ground: Literal["consistent", "filtered"]
    plates_cutoff: str | float
    compare_plates: bool
    band: bool
    normalise: Literal["none", "kg", "bwh"]
    tables: str | tuple[str, ...]
    format: tuple[str, ...]
    fps: float | None
    up_out: Literal["x", "y", "z"] | None
    float32: bool
    report: bool
