"""Configuration: one frozen dataclass per stage, TOML in and out; an unknown key is an error.

A field bears the name of its command-line option (``--pin-feet`` is ``pin_feet``). In a TOML file
it stands in its stage's section, ``[body] mass = 70``, or at the top level, ``mass = 70``.
"""

from __future__ import annotations

import json
import tomllib
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, fields
from difflib import get_close_matches
from math import inf
from pathlib import Path
from typing import Any, Literal

from mocap_reroot import schema
from mocap_reroot.errors import ConfigError, FileError

UNITS = ("auto", "m", "cm", "mm", "in", "cmu")
UP_AXES = ("auto", "x", "y", "z", "-x", "-y", "-z")
FORMATS = ("parquet", "csv", "sto", "c3d", "glb")
FITTINGS = ("auto", "stored", "first")
SEXES = ("male", "female")
SEGMENT_TABLES = ("deleva", "winter")
SEGMENT_MASSES = ("auto", "table")
SMOOTHERS = ("butterworth", "spline")
CONTACT_SOURCES = ("auto", "kinematics", "plates", "events")
FORCES = ("auto", "predicted", "measured")
GROUNDS = ("consistent", "filtered")
SHARING_RULES = ("smooth", "balance", "minimum_effort")
NORMALISATIONS = ("none", "kg", "bwh")
RATES = (1.0, 20_000.0)
"""Hz, between which frames can follow each other: anything else is not a time base."""
STATURES, MASSES = (0.3, 3.0), (1.0, 500.0)
"""m and kg, between which bodies of people are, newborns and giants included."""
_LARGEST = 1e12
"""A number beyond this is a slip of the pen, whatever its unit."""
_IN_WORDS = {
    "str": "text",
    "Literal": "text",
    "float": "a positive number",
    "tuple": "names",
    "bool": "true or false",
}
"""What a declared type is called in an error message."""


def _one_of(name: str, value: Any, valid: tuple[Any, ...]) -> None:
    if value not in valid:
        raise ConfigError(f"{name} is {value!r}; expected one of {', '.join(map(str, valid))}.")


def _positive(name: str, value: Any) -> None:
    good = isinstance(value, int | float) and not isinstance(value, bool)
    if value is not None and not (good and 0 < value < _LARGEST):
        raise ConfigError(f"{name} is {_shown(value)}; expected a positive number.")


def is_rate(hz: float) -> bool:
    """Whether frames can follow each other so fast; no number cannot."""
    return RATES[0] <= hz <= RATES[1]


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


def _shown(value: Any) -> str:
    text = repr(value)
    return text if len(text) < 80 else f"{text[:60]}…"


def _is_of(declared: str, value: Any) -> bool:
    """Return whether a value is of a declared type, such as ``"str | float"``."""
    if value is None:
        return "None" in declared
    if isinstance(value, bool):
        return declared == "bool"
    if isinstance(value, int | float):
        return "float" in declared
    if isinstance(value, str):
        return declared not in ("bool", "float | None") and "\0" not in value
    several = isinstance(value, list | tuple) and "tuple" in declared
    return several and all(isinstance(part, str) for part in value)


class _Part:
    """A section of the configuration, whose values are of the kinds that its fields declare."""

    def __post_init__(self) -> None:
        for option in fields(self):  # type: ignore[arg-type]
            value, declared = getattr(self, option.name), str(option.type)
            if isinstance(value, Path):
                value = str(value)
                object.__setattr__(self, option.name, value)
            if not _is_of(declared, value):
                kinds = (words for kind, words in _IN_WORDS.items() if kind in declared)
                wanted = " or ".join(dict.fromkeys(kinds))
                raise ConfigError(f"{option.name} is {_shown(value)}; expected {wanted}.")


@dataclass(frozen=True)
class Reading(_Part):
    """How a file becomes a motion.

    Attributes:
        unit: The file's length unit, or metres per unit as a number.
        up: The file's up axis.
        rate: Frames per second, where the file's are missing or wrong; None: the file's.
        segments: File that says which body is which segment.
        markerset: Name or file of a marker set.
        static: Static trial that calibrates the skeleton.
        plates: OpenSim ``.mot`` file with measured ground forces.
        fitting: ``"auto"``: skeletons are fitted to all markers, smoothing by a spline undone;
            ``"stored"``: to the markers as they are; ``"first"``: bone by bone.
        skeleton: Acclaim ``.asf`` file of an ``.amc`` motion.
        smpl_model: Body model (``.npz``) that places the joints of an AMASS file.
        take: Name of the take, where a file holds several.
    """

    unit: str | float = "auto"
    up: str = "auto"
    rate: float | None = None
    segments: str | None = None
    markerset: str = "auto"
    static: str | None = None
    plates: str | None = None
    fitting: str = "auto"
    skeleton: str | None = None
    smpl_model: str | None = None
    take: str | None = None

    def __post_init__(self) -> None:
        super().__post_init__()
        if isinstance(self.unit, str) and self.unit not in UNITS:
            try:
                object.__setattr__(self, "unit", float(self.unit))
            except ValueError:
                valid = ", ".join(UNITS)
                raise ConfigError(
                    f"unit is {self.unit!r}; expected one of {valid}, or metres per unit."
                ) from None
        if not isinstance(self.unit, str):
            _positive("unit", self.unit)
        object.__setattr__(self, "up", self.up.removeprefix("+"))
        _one_of("up", self.up, UP_AXES)
        if self.rate is not None and not is_rate(self.rate):
            raise ConfigError(
                f"rate is {_shown(self.rate)}; expected frames per second, "
                f"{RATES[0]:g} to {RATES[1]:g}."
            )
        _one_of("fitting", self.fitting, FITTINGS)


@dataclass(frozen=True)
class Body(_Part):
    """The mass of the body.

    Attributes:
        mass: kg; None: from the file, else estimated.
        height: m; None: from the file, else from the skeleton.
        sex: ``"male"``, ``"female"`` or None (the mean of both).
        segment_table: ``"deleva"`` or ``"winter"``.
        segment_masses: ``"auto"``: the table's, or what force plates tell where they are used and
            tell it well; ``"table"``: the table's.
        bodies: File in the format of ``bodies.csv`` that overrides everything.
        any_size: Whether the body may be heavier or lighter, taller or shorter than any person.
    """

    mass: float | None = None
    height: float | None = None
    sex: str | None = None
    segment_table: str = "deleva"
    segment_masses: str = "auto"
    bodies: str | None = None
    any_size: bool = False

    def __post_init__(self) -> None:
        super().__post_init__()
        for name, unit, (low, high) in (("mass", "kg", MASSES), ("height", "m", STATURES)):
            value = getattr(self, name)
            _positive(name, value)
            if value is not None and not self.any_size and not low <= value <= high:
                raise ConfigError(
                    f"{name} is {value:g} {unit}; a person has {low:g} to {high:g} {unit}. "
                    "For bodies that are no person say --any-size."
                )
        _one_of("sex", self.sex, (None, *SEXES))
        _one_of("segment_table", self.segment_table, SEGMENT_TABLES)
        _one_of("segment_masses", self.segment_masses, SEGMENT_MASSES)

    @property
    def model(self) -> dict[str, Any]:
        """Arguments of :func:`mocap_reroot.body_model`."""
        return {name: value for name, value in vars(self).items() if name != "segment_masses"}


@dataclass(frozen=True)
class Smoothing(_Part):
    """Low-pass filter before differentiation.

    Attributes:
        cutoff: Hz, or ``"auto"`` (least error in the accelerations).
        smoother: ``"butterworth"`` or ``"spline"``.
    """

    cutoff: str | float = "auto"
    smoother: str = "butterworth"

    def __post_init__(self) -> None:
        super().__post_init__()
        if isinstance(self.cutoff, str) and self.cutoff != "auto":
            try:
                object.__setattr__(self, "cutoff", float(self.cutoff))
            except ValueError:
                raise ConfigError(f"cutoff is {self.cutoff!r}; expected auto or Hz.") from None
        if not isinstance(self.cutoff, str):
            _positive("cutoff", self.cutoff)
        _one_of("smoother", self.smoother, SMOOTHERS)


@dataclass(frozen=True)
class Contact(_Part):
    """Which part carries the body, and when.

    Attributes:
        contacts: File with contacts given by the user.
        contact_source: ``"auto"``, ``"kinematics"``, ``"plates"`` or ``"events"``.
        hands, knees: Whether they may carry as well.
        pin_feet: Hold stance feet where they stand.
    """

    contacts: str | None = None
    contact_source: str = "auto"
    hands: bool = False
    knees: bool = False
    pin_feet: bool = False

    def __post_init__(self) -> None:
        super().__post_init__()
        _one_of("contact_source", self.contact_source, CONTACT_SOURCES)

    @property
    def detection(self) -> dict[str, Any]:
        """Arguments of :func:`mocap_reroot.detect_contacts`."""
        return {
            "source": self.contact_source,
            "table": self.contacts,
            "hands": self.hands,
            "knees": self.knees,
        }


@dataclass(frozen=True)
class Dynamics(_Part):
    """Forces and torques.

    Attributes:
        forces: ``"predicted"``, ``"measured"`` or ``"auto"`` (measured where plates cover every
            loaded foot).
        ground: ``"consistent"`` (the root's path is estimated together with the forces) or
            ``"filtered"`` (it is low-passed, and what it needs is shared between feet by a rule).
        sharing: How the load is then shared in double support: ``"smooth"`` (by the clock),
            ``"balance"`` (by the clock and the centre of pressure) or ``"minimum_effort"``.
        band: Whether to compute least and greatest torques over all admissible sharings.
        normalise: ``"none"``, ``"kg"`` or ``"bwh"`` (body weight × height): extra table.
    """

    forces: Literal["auto", "predicted", "measured"] = "auto"
    ground: str = "consistent"
    sharing: str = "balance"
    band: bool = False
    normalise: str = "none"

    def __post_init__(self) -> None:
        super().__post_init__()
        _one_of("forces", self.forces, FORCES)
        _one_of("ground", self.ground, GROUNDS)
        _one_of("sharing", self.sharing, SHARING_RULES)
        _one_of("normalise", self.normalise, NORMALISATIONS)


@dataclass(frozen=True)
class Output(_Part):
    """What is written.

    Attributes:
        tables: ``"all"``, ``"core"`` or a list of table names.
        format: Some of ``"parquet"``, ``"csv"``, ``"sto"``, ``"c3d"``, ``"glb"``.
        report: Whether to write ``report.html``.
    """

    tables: str | tuple[str, ...] = "all"
    format: tuple[str, ...] = ("parquet",)
    report: bool = True

    def __post_init__(self) -> None:
        super().__post_init__()
        for name in ("tables", "format"):
            value = getattr(self, name)
            if isinstance(value, str):
                value = tuple(part.strip() for part in value.split(",") if part.strip())
            else:
                value = tuple(value)
            if name == "tables" and value in (("all",), ("core",)):
                object.__setattr__(self, name, value[0])
                continue
            object.__setattr__(self, name, value)
            for part in value:
                _one_of(name, part, schema.WRITTEN if name == "tables" else FORMATS)
            if not value:
                raise ConfigError(f"{name} is empty; name at least one.")

    @property
    def wanted(self) -> tuple[str, ...]:
        """Names of the tables to write."""
        if self.tables == "all":
            return schema.WRITTEN
        return schema.CORE if self.tables == "core" else tuple(self.tables)


@dataclass(frozen=True)
class Config:
    """All of it, a section a stage."""

    reading: Reading = field(default_factory=Reading)
    body: Body = field(default_factory=Body)
    smoothing: Smoothing = field(default_factory=Smoothing)
    contact: Contact = field(default_factory=Contact)
    dynamics: Dynamics = field(default_factory=Dynamics)
    output: Output = field(default_factory=Output)

    @property
    def ground(self) -> dict[str, Any]:
        """Arguments of :func:`mocap_reroot.estimate_ground`."""
        return vars(self.smoothing) | {
            "forces": self.dynamics.forces,
            "ground": self.dynamics.ground,
            "sharing": self.dynamics.sharing,
            "segment_masses": self.body.segment_masses,
        }

    @property
    def torques(self) -> dict[str, Any]:
        """Arguments of :func:`mocap_reroot.inverse_dynamics`."""
        return {"band": self.dynamics.band, "normalise": self.dynamics.normalise}

    def with_options(self, options: Mapping[str, Any]) -> Config:
        """Return this configuration with some options changed; None leaves an option as it is."""
        changes: dict[str, dict[str, Any]] = {}
        for key, value in options.items():
            if value is not None:
                name = key.replace("-", "_")
                changes.setdefault(_section_of(name), {})[name] = value
        parts = {
            stage.name: type(getattr(self, stage.name))(
                **{**asdict(getattr(self, stage.name)), **changes.get(stage.name, {})}
            )
            for stage in fields(self)
        }
        return Config(**parts)

    def anywhere(self) -> Config:
        """Return the same with absolute paths, which holds wherever its TOML is written."""
        options = {name: value for part in self.as_dict().values() for name, value in part.items()}
        return self.with_options(
            {n: str(Path(v).absolute()) for n, v in options.items() if _is_path(n, v)}
        )

    def as_dict(self) -> dict[str, dict[str, Any]]:
        """Return plain nested dictionaries, ready for JSON."""
        return json.loads(json.dumps(asdict(self)))

    def to_toml(self) -> str:
        """Return the configuration as TOML text; options that are not set are left as comments."""
        lines = []
        for section, options in self.as_dict().items():
            lines.append(f"[{section}]")
            for name, value in options.items():
                if value is None:
                    lines.append(f"# {name} is not set")
                else:  # JSON's numbers, strings, booleans and lists are TOML's too
                    lines.append(f"{name} = {json.dumps(value, ensure_ascii=False)}")
            lines.append("")
        return "\n".join(lines)


def option_names() -> dict[str, str]:
    """Return every option's name with the section it belongs to."""
    config = Config()
    return {
        option.name: stage.name
        for stage in fields(config)
        for option in fields(getattr(config, stage.name))
    }


def _section_of(name: str, where: str = "") -> str:
    sections = option_names()
    if name not in sections:
        close = get_close_matches(name, list(sections), n=2, cutoff=0.5)
        offer = f" Did you mean {' or '.join(close)}?" if close else ""
        valid = ", ".join(sorted(sections))
        raise ConfigError(f"{where}There is no option {name!r}.{offer} There are: {valid}.")
    return sections[name]


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
    sections = {stage.name for stage in fields(Config())}
    options: dict[str, Any] = {}
    for key, value in content.items():
        if isinstance(value, dict):
            if key not in sections:
                close = get_close_matches(key, sorted(sections), n=1, cutoff=0.5)
                offer = f" Did you mean [{close[0]}]?" if close else ""
                valid = ", ".join(sorted(sections))
                raise ConfigError(
                    f"{path}: There is no section [{key}].{offer} There are: {valid}."
                )
            for name, inner in value.items():
                clean = name.replace("-", "_")
                if _section_of(clean, f"{path}, section [{key}]: ") != key:
                    right = _section_of(clean)
                    raise ConfigError(f"{path}: {name} belongs in [{right}], not in [{key}].")
                options[clean] = inner
        else:
            clean = key.replace("-", "_")
            _section_of(clean, f"{path}: ")
            options[clean] = value
    for name, value in options.items():
        if _is_path(name, value):
            options[name] = str(path.parent / value)
    return options


def _is_path(name: str, value: Any) -> bool:
    """Return whether an option names a file; a marker set or a table may be named otherwise."""
    if not isinstance(value, str):
        return False
    files = ("segments", "static", "plates", "bodies", "contacts", "skeleton", "smpl_model")
    return name in files or (name == "markerset" and value.lower().endswith(".toml"))


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
