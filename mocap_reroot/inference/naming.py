"""Names: which segment a joint's name means, by naming convention or by vocabulary."""

from __future__ import annotations

import re
import tomllib
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from importlib import resources
from itertools import product
from pathlib import Path
from typing import Any

from mocap_reroot.errors import ConfigError, FileError

SIDED = ("thigh", "shank", "foot", "toes", "clavicle", "upper_arm", "forearm", "hand", "fingers")
CENTRAL = ("pelvis", "hip_dummy", "trunk", "neck", "head")
SEGMENTS = (*CENTRAL, *(f"{side}_{part}" for side in ("left", "right") for part in SIDED))
"""Every word that ``Anatomy.segments`` may hold, besides the empty one."""

_SIDE_WORDS = dict.fromkeys(("left", "l", "lft", "lt", "左"), "left")
_SIDE_WORDS |= dict.fromkeys(("right", "r", "rgt", "rt", "右"), "right")
_BEFORE = {"foot": "shank", "hand": "forearm"}
"""Where the bone lies that turns a part about its length: a "wrist twist" is in the forearm."""
_PROXIMAL = ("hip_dummy", "clavicle", "thigh", "upper_arm", "shank", "forearm")
_LONG_BONES = ("thigh", "shank", "upper_arm", "forearm")
_FINGERS = ("Thumb", "Index", "Middle", "Ring", "Pinky", "Little")
_NUMBERS = tuple(map(str, range(6))) + tuple(f"{a}{b}" for a in range(5) for b in range(5))
_ENOUGH = 0.6
"""Share of a file's names that a convention must know to be recognised."""
_UNMARKED = 0.8
"""The same where its marks are missing, so that it may be a cousin."""
_FEWEST = 5
"""Names a convention must know: fewer (Hips, Head) are common to all."""


@dataclass(frozen=True)
class Convention:
    """One way of naming the bodies of a person.

    Attributes:
        name, about: What it is called and where it is met.
        segment_of: Segment of every normalised name it knows (``helper``: not a body part).
        canonical: The first name it gives for each segment, as one would write it.
        names: Normalised names without fingers: what a complete file would hold.
        prefix: What its names usually start with, or empty.
        marks: Normalised names one of which tells it from its cousins, or empty.
        unit: The unit its files are usually in, or empty.
    """

    name: str
    about: str
    segment_of: Mapping[str, str]
    canonical: Mapping[str, tuple[str, ...]]
    names: frozenset[str]
    prefix: str = ""
    unit: str = ""
    marks: frozenset[str] = frozenset()


@dataclass(frozen=True)
class Naming:
    """What the names of a skeleton say.

    Attributes:
        convention: The convention recognised, or None.
        coverage: 0–1, share of the names it knows.
        segments: ``(n)`` segment each name speaks of, empty where it says nothing.
        reasons: ``(n)`` how it was understood.
        sides: ``(n)`` ``"left"``, ``"right"`` or empty, from the name alone.
        helpers: ``(n)`` True where the name is one of a helper (reference, IK target, prop).
        animal: Names that no human has (tail, wing …).
    """

    convention: Convention | None
    coverage: float
    segments: tuple[str, ...]
    reasons: tuple[str, ...]
    sides: tuple[str, ...]
    helpers: tuple[bool, ...]
    animal: tuple[str, ...] = field(default=())


def normalised(name: str) -> str:
    """Return a name in lower case with letters and digits only."""
    return re.sub(r"[^a-z0-9]", "", name.lower())


def part_of(segment: str) -> str:
    """Return a segment without its side: ``left_thigh`` → ``thigh``."""
    side, _, part = segment.partition("_")
    return part if side in ("left", "right") else segment


def side_of(segment: str) -> str:
    """Return ``"left"``, ``"right"`` or empty."""
    side = segment.partition("_")[0]
    return side if side in ("left", "right") else ""


def parse_convention(table: Mapping[str, Any], source: str) -> Convention:
    """Build a convention from the content of a TOML file; raise ConfigError if it is malformed."""
    unknown = set(table) - {"name", "about", "sides", "prefix", "unit", "marks", "segments"}
    missing = {"name", "sides", "segments"} - set(table)
    if unknown or missing:
        raise ConfigError(
            f"{source}: a naming convention has the keys name, sides and segments (and about, "
            f"prefix, unit, marks); "
            f"found besides them {sorted(unknown)}, missing {sorted(missing)}."
        )
    segment_of: dict[str, str] = {}
    canonical: dict[str, list[str]] = {}
    core: set[str] = set()
    for part, templates in table["segments"].items():
        if part not in (*SIDED, *CENTRAL, "helper"):
            raise ConfigError(
                f"{source}: {part!r} is no segment; there are: {', '.join((*SIDED, *CENTRAL))}."
            )
        for template in templates:
            for side, word in _sides(table["sides"], template):
                segment = f"{side}_{part}" if part in SIDED else part
                for name in _expanded(template.replace("{side}", word)):
                    segment_of.setdefault(normalised(name), segment)
                if word == _first(table["sides"], side):
                    canonical.setdefault(segment, []).append(
                        template.format(side=word, finger="Index", n="1")
                    )
                if "{finger}" not in template and "{n}" not in template:
                    core.add(normalised(template.replace("{side}", _first(table["sides"], side))))
    return Convention(
        table["name"],
        table.get("about", ""),
        segment_of,
        {segment: tuple(names) for segment, names in canonical.items()},
        frozenset(core),
        table.get("prefix", ""),
        table.get("unit", ""),
        frozenset(map(normalised, table.get("marks", ()))),
    )


def _first(sides: Mapping[str, Sequence[str]], side: str) -> str:
    return sides[side][0] if side else ""


def _sides(sides: Mapping[str, Sequence[str]], template: str) -> list[tuple[str, str]]:
    """Return (side, word) for every way a template can be filled."""
    if "{side}" not in template:
        return [("", "")]
    return [(side, word) for side in ("left", "right") for word in sides[side]]


def _expanded(template: str) -> list[str]:
    fingers = _FINGERS if "{finger}" in template else ("",)
    numbers = _NUMBERS if "{n}" in template else ("",)
    return [template.format(finger=f, n=n) for f, n in product(fingers, numbers)]


@cache
def conventions() -> tuple[Convention, ...]:
    """Return the conventions that come with the package, in the order of their names."""
    folder = resources.files("mocap_reroot.inference") / "conventions"
    files = sorted((f for f in folder.iterdir() if f.name.endswith(".toml")), key=lambda f: f.name)
    return tuple(parse_convention(tomllib.loads(f.read_text("utf-8")), f.name) for f in files)


@cache
def _words() -> tuple[re.Pattern[str], re.Pattern[str], dict[str, re.Pattern[str]], dict]:
    text = (resources.files("mocap_reroot.inference") / "words.toml").read_text("utf-8")
    table = tomllib.loads(text)
    parts = {part: re.compile(pattern) for part, pattern in table["parts"].items()}
    return re.compile(table["helper"]), re.compile(table["animal"]), parts, table["either"]


def read_segments(path: str | Path) -> tuple[dict[str, str], tuple[Convention, ...]]:
    """Read a user's ``--segments`` file: ``[bodies]`` name = segment, or a naming convention.

    Returns the segments given body by body, and the convention the file describes, if any.
    """
    path = Path(path)
    try:
        table = tomllib.loads(path.read_text("utf-8"))
    except FileNotFoundError:
        raise FileError(path, "There is no such file.", todo="Check --segments.") from None
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise FileError(path, f"This is not TOML: {error}.", todo="See --segments.") from None
    bodies = table.pop("bodies", {})
    wrong = sorted(f"{body} = {word!r}" for body, word in bodies.items() if not _valid(word))
    if wrong:
        raise FileError(
            path, f"{', '.join(wrong)}: no such segment.", todo=f"There are: {', '.join(SEGMENTS)}."
        )
    return dict(bodies), (parse_convention(table, str(path)),) if table else ()


def _valid(segment: object) -> bool:
    return segment == "" or segment in SEGMENTS


def recognise(names: Sequence[str], extra: Iterable[Convention] = ()) -> Naming:
    """Understand the names of a skeleton: the convention that knows most of them, then words."""
    short, prefix = stripped(names)
    keys = [normalised(name) for name in short]
    best, coverage = None, 0.0
    best_score = 0.0
    helper, animal, _, _ = _words()
    spoken = [_speak(name) for name in short]
    distinctive = [
        k for k, said in zip(keys, spoken, strict=True) if not _of_fingers(said[1])
    ] or keys
    for convention in (*extra, *conventions()):
        known = sum(key in convention.segment_of for key in distinctive) / len(distinctive)
        found = len(convention.names & set(keys)) / len(convention.names)
        score = known + 0.3 * found
        if convention.prefix:
            score += 0.3 if prefix.lower().startswith(convention.prefix.lower()) else -0.02
        marked = not convention.marks or bool(convention.marks & set(keys))
        score -= 0.0 if marked else 0.3
        enough = known >= (_ENOUGH if marked else _UNMARKED) and known * len(distinctive) >= _FEWEST
        if enough and score > best_score + 1e-9:
            best, coverage, best_score = convention, known, score
    segments, reasons, sides, helpers = [], [], [], []
    for name, key, (side, word) in zip(short, keys, spoken, strict=True):
        segment, reason = "", f"the name {name!r} says nothing"
        is_helper = bool(helper.search(name.lower()))
        if best is not None and key in best.segment_of:
            segment = best.segment_of[key]
            is_helper, segment = segment == "helper", "" if segment == "helper" else segment
            reason = f"{name!r} in the {best.name} convention"
        elif not is_helper:
            segment = _by_words(side, word, spoken)
            reason = f"the words of {name!r}" if segment else reason
        segments.append(segment)
        reasons.append(reason)
        sides.append(side_of(segment) or side)
        helpers.append(is_helper)
    beasts = tuple(
        name
        for name, segment, (_, word) in zip(names, segments, spoken, strict=True)
        if animal.search(word) and part_of(segment) != "fingers"
    )
    return Naming(
        best, coverage, tuple(segments), tuple(reasons), tuple(sides), tuple(helpers), beasts
    )


def _of_fingers(word: str) -> bool:
    """Whether a name speaks of fingers: all conventions name them alike, so they tell nothing."""
    pattern = _words()[2]["fingers"]
    return bool(pattern.search(word) or pattern.search(word.replace("_", "")))


def stripped(names: Sequence[str]) -> tuple[list[str], str]:
    """Take off namespaces and what most names begin or end with; return names and prefix."""
    prefix = ""
    short = []
    for name in names:
        space, colon, rest = name.rpartition(":")
        prefix = prefix or space + colon
        short.append(rest or name)
    for _ in range(2):  # "Model_Character1_Hips" has two
        first = Counter(m.group(0) for n in short if (m := re.match(r"[^_\-. ]+[_\-. ]+", n)))
        token, count = first.most_common(1)[0] if first else ("", 0)
        bare = sum(n == token.rstrip("_-. ") for n in short)  # "Bip01" itself
        if len(short) < 3 or count + bare < 0.8 * len(short) or _side_word(token):
            break
        prefix = prefix or token
        short = [n.removeprefix(token) or n for n in short]
    last = Counter(m.group(0) for n in short if (m := re.search(r"[_\-. ]+[^_\-. \d]+$", n)))
    token, count = last.most_common(1)[0] if last else ("", 0)
    if len(short) > 3 and count >= 0.8 * len(short) and not _side_word(token):  # "hips_JNT"
        short = [n.removesuffix(token) or n for n in short]
    if len(short) > 3:  # "mixamorigHips", without a separator
        common = _common_prefix(short)
        if len(common) >= 3 and not _side_word(common) and all(len(n) > len(common) for n in short):
            prefix = prefix or common
            short = [n[len(common) :] for n in short]
    return short, prefix


def _common_prefix(names: Sequence[str]) -> str:
    low, high = min(names), max(names)
    length = next((k for k, c in enumerate(low) if k >= len(high) or c != high[k]), len(low))
    return low[:length]


def _side_word(token: str) -> bool:
    return normalised(token) in ("l", "r", "left", "right") or token[:1] in ("左", "右")


def _speak(name: str) -> tuple[str, str]:
    """Return the side a name speaks of, and the rest of it, normalised but for ``_``."""
    spaced = re.sub(r"(?<=[a-z])(?=[A-Z])|(?<=^[LR])(?=[A-Z][a-z])", "_", name)  # camelCase
    spaced = re.sub(r"[\s.\-]+", "_", spaced).strip("_").lower()
    tokens = spaced.split("_")
    for at, token in enumerate(tokens):  # "LHandR" is the ring finger of the left hand
        if token in _SIDE_WORDS:
            return _SIDE_WORDS[token], "_".join(tokens[:at] + tokens[at + 1 :])
    for at in (0, -1):
        token = tokens[at]
        for full in ("left", "right", "左", "右"):
            if token.startswith(full) or token.endswith(full):
                tokens[at] = token.removeprefix(full).removesuffix(full)
                return _SIDE_WORDS[full], "_".join(t for t in tokens if t)
    # a bare l or r glued to a word that names a part: "lfemur", "rshldr"
    if spaced[:1] in "lr" and any(p.match(spaced[1:]) for p in _words()[2].values()):
        return ("left" if spaced[0] == "l" else "right"), spaced[1:]
    return "", spaced


def _by_words(side: str, word: str, spoken: Sequence[tuple[str, str]]) -> str:
    """Return the segment that the words of a name speak of, or empty."""
    _, _, parts, either = _words()
    key = word.replace("_", "")
    for part, pattern in parts.items():
        if pattern.search(key) or pattern.search(word):
            if part in _LONG_BONES and re.search(r"(end|nub|tip)\d*$", key):
                return ""  # the end of a forearm is no forearm: the shape tells whose it is
            if part in SIDED:
                part = _BEFORE.get(part, part) if _is_twist(key) else part
                return f"{side}_{part}" if side else ""
            if part == "pelvis" and side:
                continue  # "left hip" is a thigh or a dummy
            return part
    for text, choices in either.items():
        if side and key.rstrip("0123456789").endswith(text):
            own = word.rstrip("0123456789")  # "arm" and "arm1": the shape tells which is which
            others = [w for s, w in spoken if s == side and w.rstrip("0123456789") != own]
            taken = {_by_words(side, w, ()) for w in others if not _is_twist(w)}
            words = [c for c in choices if _sided(c, side) not in taken]
            return _sided(words[0] if words else min(choices, key=_PROXIMAL.index), side)
    return ""


def _is_twist(word: str) -> bool:
    """Whether a name is one of a bone that only turns about its length."""
    return bool(re.search("twist|roll", word))


def _sided(part: str, side: str) -> str:
    return f"{side}_{part}" if part in SIDED else part
