"""Configuration: one frozen dataclass per stage, TOML in and out; an unknown key is an error.

A field is an option, the one place that says its type, default, meaning and values; it bears the
same name everywhere (``--pin-feet`` is ``pin_feet``). In a TOML file it stands in its stage's
section, ``[body] mass = 70``, or at the top level, ``mass = 70``. Tuned numbers stand in
``[parameters.STAGE]``.
"""

from __future__ import annotations

import json
import tomllib
from collections.abc import Mapping
from dataclasses import Field, asdict, dataclass, field, fields
from difflib import get_close_matches
from functools import cache
from math import inf
from pathlib import Path
from typing import Any, Literal

from mocap_reroot import schema
from mocap_reroot.errors import ConfigError, FileError, path_text
from mocap_reroot.options import Option, Section, current_name, option, options_of, words
from mocap_reroot.parameters import Parameters

UNITS = ("auto", "m", "cm", "mm", "in", "cmu")
UP_AXES = ("auto", "x", "y", "z", "-x", "-y", "-z")
SIMULATORS = ("mjcf", "urdf", "npz")
FORMATS = ("parquet", "csv", "sto", "c3d", "glb", *SIMULATORS)
AXES = ("x", "y", "z")
FITTINGS = ("auto", "stored", "first")
SEXES = ("male", "female")
SEGMENT_TABLES = ("deleva", "winter")
SEGMENT_MASSES = ("auto", "table")
SMOOTHERS = ("butterworth", "spline")
CONTACT_SOURCES = ("auto", "kinematics", "plates", "events")
FORCES = ("auto", "predicted", "measured")
GROUNDS = ("consistent", "filtered")
NORMALISATIONS = ("none", "kg", "bwh")
RATES = (1.0, 20_000.0)
"""Hz, between which frames can follow each other: anything else is not a time base."""
STATURES, MASSES = (0.3, 3.0), (1.0, 500.0)
"""m and kg, between which bodies of people are, newborns and giants included."""


def is_rate(hz: float) -> bool:
    """Whether frames can follow each other so fast; no number cannot."""
    return RATES[0] <= hz <= RATES[1]


def _check_rate(name: str, hz: float | None) -> None:
    if hz is not None and not is_rate(hz):
        raise ConfigError(
            f"{name} is {hz:g}; expected frames per second, {RATES[0]:g} to {RATES[1]:g}."
        )


def size_beyond(mass: float | None, height: float | None) -> float:
    """Return how many times heavier, lighter, taller or shorter than any person a body is.

    Args:
        mass: kg, or None.
        height: m, or None; no number counts as unknown.

    Returns:
        float: Above 1 where it is beyond them; 0 where nothing is known.
    """
    pairs = ((mass, MASSES), (height, STATURES))
    known = [(size, limits) for size, limits in pairs if size is not None and size == size]
    times = (max(size / high, low / size if size > 0 else inf) for size, (low, high) in known)
    return max(times, default=0.0)


@dataclass(frozen=True)
class Reading(Section):
    """How a file becomes a motion."""

    unit: str | float = option(
        "auto", "Length unit of the file, or metres per unit as a number.", UNITS
    )
    up: str = option("auto", "Up axis of the file.", UP_AXES)
    rate: float | None = option(
        None, "Frames per second, where the file's are missing or wrong; else the file's."
    )
    segments: str | None = option(
        None, "TOML file that says which body is which segment.", file=True
    )
    markerset: str = option("auto", "Name or TOML file of the marker set.")
    static: str | None = option(None, "Static trial that calibrates the skeleton.", file=True)
    plates: str | None = option(None, "OpenSim `.mot` file with measured ground forces.", file=True)
    fitting: str = option(
        "auto",
        "How skeletons are fitted to markers: `auto` to all of them, smoothing by a spline undone; "
        "`stored` to the markers as they are; `first` bone by bone.",
        FITTINGS,
    )
    skeleton: str | None = option(
        None, "Acclaim `.asf` file of an `.amc` motion; else the one beside it.", file=True
    )
    smpl_model: str | None = option(
        None, "SMPL, SMPL-H or SMPL-X model, `.npz`, for AMASS files.", file=True
    )
    model: str | None = option(
        None,
        "OpenSim model, `.osim`: its bodies, joints, masses and markers are used as they are.",
        file=True,
    )
    scale_model: bool = option(
        False,
        "Scale the model to the person, segment by segment, by the static trial or the clip, and "
        "its mass to `--mass`.",
    )
    take: str | None = option(None, "Name of the take, where a file holds several.")
    subject: str | None = option(
        None, "Name of the person, where a file holds markers of several; else who fits best."
    )

    def __post_init__(self) -> None:
        object.__setattr__(self, "up", str(self.up).removeprefix("+"))
        super().__post_init__()
        _check_rate("rate", self.rate)


@dataclass(frozen=True)
class Body(Section):
    """The mass of the body."""

    mass: float | None = option(None, "Body mass in kg; else the file's, else estimated.")
    height: float | None = option(None, "Stature in m; else the file's, else the skeleton's.")
    sex: str | None = option(None, "Which body-segment table; else the mean of both.", SEXES)
    segment_table: str = option("deleva", "Body-segment parameters.", SEGMENT_TABLES)
    segment_masses: str = option(
        "auto",
        "What segments weigh, and where the trunk's centre of mass is: `auto` what force plates "
        "tell where they are used and tell it well, else the table's; `table` the table's.",
        SEGMENT_MASSES,
    )
    bodies: str | None = option(
        None, "Mass model in the format of `bodies.csv`; overrides everything.", file=True
    )
    any_size: bool = option(
        False, "The body may be no person: heavier or lighter, taller or shorter than any."
    )

    def __post_init__(self) -> None:
        super().__post_init__()
        for name, unit, (low, high) in (("mass", "kg", MASSES), ("height", "m", STATURES)):
            value = getattr(self, name)
            if value is not None and not self.any_size and not low <= value <= high:
                raise ConfigError(
                    f"{name} is {value:g} {unit}; a person has {low:g} to {high:g} {unit}. "
                    "For bodies that are no person say --any-size."
                )

    @property
    def model(self) -> dict[str, Any]:
        """Arguments of :func:`mocap_reroot.body_model`."""
        return {name: value for name, value in vars(self).items() if name != "segment_masses"}


@dataclass(frozen=True)
class Smoothing(Section):
    """Low-pass filter before differentiation."""

    cutoff: str | float = option(
        "auto", "Low-pass cut-off in Hz; `auto`: least error in the accelerations.", ("auto",)
    )
    smoother: str = option("butterworth", "Smoothing method.", SMOOTHERS)


@dataclass(frozen=True)
class Contact(Section):
    """Which part carries the body, and when."""

    contacts: str | None = option(
        None, "Table of contacts to use instead of detecting them.", file=True
    )
    contact_source: str = option("auto", "What contacts are found from.", CONTACT_SOURCES)
    limbs: str = option(
        "auto",
        "Who may carry: `auto` (feet, and hands, forearms, knees, seat or back where the motion "
        "needs them), `feet`, `all`, or names (`feet,hands,left_knee`).",
    )
    hands: bool = option(False, "Of the version before: now `--limbs feet,hands`.")
    knees: bool = option(False, "Of the version before: now `--limbs feet,knees`.")
    pin_feet: bool = option(False, "Hold stance feet where they stand.")

    @property
    def detection(self) -> dict[str, Any]:
        """Arguments of :func:`mocap_reroot.detect_contacts`."""
        return {name: value for name, value in vars(self).items() if name != "pin_feet"}


@dataclass(frozen=True)
class Dynamics(Section):
    """Forces and torques."""

    forces: Literal["auto", "predicted", "measured"] = option(
        "auto",
        "Where ground forces come from; `auto`: measured where plates cover every loaded foot.",
        FORCES,
    )
    ground: str = option(
        "consistent",
        "`consistent`: the root's path is estimated together with the forces; `filtered`: it is "
        "low-passed, and feet share what it needs by the clock.",
        GROUNDS,
    )
    plates_cutoff: str | float = option(
        "auto",
        "Low-pass cut-off in Hz of force plates before they are used; `auto`: the bandwidth of the "
        "motion, `none`: as measured.",
        ("auto", "none"),
    )
    compare_plates: bool = option(
        True, "Where plates are used, also predict, for comparison (batch: off)."
    )
    band: bool = option(False, "Least and greatest torque over all admissible load sharings.")
    normalise: str = option(
        "none",
        "Also a table of torques by body mass (`kg`) or body weight × height (`bwh`).",
        NORMALISATIONS,
    )


@dataclass(frozen=True)
class Output(Section):
    """What is written."""

    tables: str | tuple[str, ...] = option(
        "all",
        "Tables to write: all, core, or names separated by commas.",
        ("all", "core", *schema.WRITTEN),
    )
    format: tuple[str, ...] = option(("parquet",), "Formats to write; several allowed.", FORMATS)
    fps: float | None = option(
        None, "Frames per second of exported motion (mjcf, urdf, npz; convert); else the file's."
    )
    up_out: str | None = option(
        None, "Axis that points up in exported motion (the same); else the file's.", AXES
    )
    float32: bool = option(
        False,
        "Numbers of Parquet tables and of mjcf, urdf and npz in single precision, half as large; "
        "times stay double.",
    )
    report: bool = option(True, "Write `report.html`.")

    def __post_init__(self) -> None:
        super().__post_init__()
        _check_rate("fps", self.fps)
        object.__setattr__(self, "format", words("format", self.format, FORMATS))
        named = words("tables", self.tables, ("all", "core", *schema.WRITTEN))
        object.__setattr__(self, "tables", named[0] if len(named) == 1 else named)

    @property
    def wanted(self) -> tuple[str, ...]:
        """Names of the tables to write."""
        given = (self.tables,) if isinstance(self.tables, str) else self.tables
        groups = {"all": schema.WRITTEN, "core": schema.CORE}
        return tuple(dict.fromkeys(name for word in given for name in groups.get(word, (word,))))


@dataclass(frozen=True)
class Config:
    """All of it, a section a stage."""

    reading: Reading = field(default_factory=Reading)
    body: Body = field(default_factory=Body)
    smoothing: Smoothing = field(default_factory=Smoothing)
    contact: Contact = field(default_factory=Contact)
    dynamics: Dynamics = field(default_factory=Dynamics)
    output: Output = field(default_factory=Output)
    parameters: Parameters = field(default_factory=Parameters)

    @property
    def detection(self) -> dict[str, Any]:
        """Arguments of :func:`mocap_reroot.detect_contacts`.

        Forces predicted from the motion alone have their contacts from it alone.
        """
        alone = self.dynamics.forces == "predicted" and self.contact.contact_source == "auto"
        options = self.contact.detection | ({"contact_source": "kinematics"} if alone else {})
        return options | {"parameters": self.parameters.contact}

    @property
    def ground(self) -> dict[str, Any]:
        """Arguments of :func:`mocap_reroot.estimate_ground`."""
        return vars(self.smoothing) | {
            "forces": self.dynamics.forces,
            "ground": self.dynamics.ground,
            "plates_cutoff": self.dynamics.plates_cutoff,
            "compare_plates": self.dynamics.compare_plates,
            "segment_masses": self.body.segment_masses,
            "parameters": self.parameters.ground,
        }

    @property
    def torques(self) -> dict[str, Any]:
        """Arguments of :func:`mocap_reroot.inverse_dynamics`."""
        return {"band": self.dynamics.band, "normalise": self.dynamics.normalise}

    def with_options(self, options: Mapping[str, Any]) -> Config:
        """Return this configuration with some options changed; None leaves an option as it is.

        ``parameters`` are numbers by stage and name.
        """
        changes: dict[str, dict[str, Any]] = {}
        parameters = self.parameters
        for key, value in options.items():
            if key == "parameters":
                parameters = parameters.with_numbers(value)
            elif value is not None:
                name = current_name(key, all_options())
                if not name:
                    continue
                changes.setdefault(all_options()[name].section, {})[name] = value
        parts = {
            stage.name: type(getattr(self, stage.name))(
                **{**asdict(getattr(self, stage.name)), **changes.get(stage.name, {})}
            )
            for stage in sections()
        }
        return Config(**parts, parameters=parameters)

    def require_files(self) -> None:
        """Go on if all files that options name are there.

        Raises:
            ConfigError: Names the option and the file.
        """
        for stage in sections():
            getattr(self, stage.name).require_files()

    def anywhere(self) -> Config:
        """Return the same with absolute paths, which holds wherever its TOML is written."""
        parts = [getattr(self, stage.name) for stage in sections()]
        options = {name: value for part in parts for name, value in vars(part).items()}
        return self.with_options(
            {n: str(Path(v).absolute()) for n, v in options.items() if _is_path(n, v)}
        )

    def as_dict(self) -> dict[str, dict[str, Any]]:
        """Return plain nested dictionaries, ready for JSON; of the parameters those changed."""
        plain = json.loads(json.dumps(asdict(self)))
        return plain | {"parameters": self.parameters.changed()}

    def to_toml(self) -> str:
        """Return the configuration as TOML text; options that are not set are left as comments."""
        lines = []
        content = self.as_dict()
        numbers = content.pop("parameters")
        content |= {f"parameters.{stage}": values for stage, values in numbers.items()}
        for section, options in content.items():
            lines.append(f"[{section}]")
            for name, value in options.items():
                if value is None:
                    lines.append(f"# {name} is not set")
                else:  # JSON's numbers, strings, booleans and lists are TOML's too
                    shown = path_text(value) if _is_path(name, value) else value
                    lines.append(f"{name} = {json.dumps(shown, ensure_ascii=False)}")
            lines.append("")
        return "\n".join(lines)


@cache
def sections() -> tuple[Field[Any], ...]:
    """Return the fields of the configuration that hold options."""
    return tuple(stage for stage in fields(Config) if stage.name != "parameters")


@cache
def all_options() -> dict[str, Option]:
    """Return every option by its name, in the order of the sections."""
    return {
        one.name: one
        for stage in sections()
        for one in options_of(stage.name, stage.default_factory)  # type: ignore[arg-type]
    }


def read_toml(path: str | Path) -> dict[str, Any]:
    """Return the options in a TOML file, sections or not; relative paths are the file's own.

    Raises:
        FileError: The file cannot be read or is not TOML.
        ConfigError: A key or section is unknown.
    """
    path = Path(path)
    try:
        content = tomllib.loads(path.read_text(encoding="utf-8-sig"))
    except (OSError, UnicodeDecodeError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        raise FileError(path, f"cannot be read as a configuration: {reason}.") from None
    except tomllib.TOMLDecodeError as error:
        raise FileError(path, f"is not valid TOML: {error}.") from None
    names = sorted(stage.name for stage in fields(Config))
    options: dict[str, Any] = {}
    for key, value in content.items():
        if key == "parameters":
            options[key] = value
        elif isinstance(value, dict):
            if key not in names:
                close = get_close_matches(key, names, n=1, cutoff=0.5)
                offer = f" Did you mean [{close[0]}]?" if close else ""
                valid = ", ".join(names)
                raise ConfigError(
                    f"{path}: There is no section [{key}].{offer} There are: {valid}."
                )
            for name, inner in value.items():
                clean = current_name(name, all_options(), f"{path}, section [{key}]: ")
                if not clean:
                    continue
                right = all_options()[clean].section
                if right != key:
                    raise ConfigError(f"{path}: {name} belongs in [{right}], not in [{key}].")
                options[clean] = inner
        else:
            options[current_name(key, all_options(), f"{path}: ")] = value
    options.pop("", None)
    for name, value in options.items():
        if _is_path(name, value):
            options[name] = str(path.parent / value)
    return options


def _is_path(name: str, value: Any) -> bool:
    """Return whether an option names a file; a marker set or a table may be named otherwise."""
    if not isinstance(value, str) or name == "parameters":
        return False
    return all_options()[name].file or (name == "markerset" and value.lower().endswith(".toml"))


def resolve(
    toml: str | Path | None = None, defaults: Mapping[str, Any] | None = None, **options: Any
) -> Config:
    """Return the configuration: flags over TOML over defaults.

    Args:
        toml: Configuration file, or None.
        defaults: Options to start from where they differ from the usual ones.
        **options: Options by name; None means not given.
    """
    config = Config().with_options(defaults or {})
    if toml is not None:
        written = read_toml(toml)
        try:
            config = config.with_options(written)
        except ConfigError as error:
            raise ConfigError(f"{toml}: {error}") from None
        except TypeError as error:
            raise ConfigError(f"{toml}: {error}.") from None
    return config.with_options(options)
