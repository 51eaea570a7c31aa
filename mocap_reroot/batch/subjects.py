"""Table of subjects: mass, height, static trial, and which files are theirs."""

from __future__ import annotations

import csv
import logging
from collections.abc import Iterable
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from pathlib import Path, PurePosixPath

from mocap_reroot.config import Config
from mocap_reroot.errors import ConfigError, FileError, path_text
from mocap_reroot.resources.clips import Clip
from mocap_reroot.schema import INDEX

log = logging.getLogger("mocap_reroot")
COLUMNS = ("subject", "mass", "height", "sex", "static", "model", "files")
"""What a table of subjects has; further columns, such as ``group`` or ``age``, go to the index."""
_SEXES = {"m": "male", "f": "female", "w": "female"}


@dataclass(frozen=True)
class Subject:
    """A person of a study.

    Attributes:
        name: As in the index.
        options: Options of the configuration that hold for all files of this person.
        files: Pattern of their files; empty: those that bear the name.
        more: Further columns of the table, by name.
    """

    name: str = ""
    options: dict[str, str | float] = field(default_factory=dict)
    files: str = ""
    more: dict[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Subjects:
    """A table of subjects.

    Attributes:
        path: The file.
        rows: People, in its order.
    """

    path: Path
    rows: tuple[Subject, ...]

    @property
    def statics(self) -> set[Path]:
        """Static trials, which calibrate and are not analysed."""
        named = (row.options.get("static") for row in self.rows)
        return {Path(str(static)).resolve() for static in named if static}

    def without_statics(self, clips: Iterable[Clip]) -> list[Clip]:
        """Return the clips that are to be analysed."""
        statics = self.statics
        return [clip for clip in clips if clip.path.resolve() not in statics]

    def of(self, clips: list[Clip]) -> list[Subject]:
        """Return whose each clip is; a nameless subject where nobody claims it, with a note.

        Raises:
            ConfigError: Two people claim one file, or no file belongs to anybody.
        """
        found = [self._owner(clip) for clip in clips]
        if clips and not any(one.name for one in found):
            raise ConfigError(
                f"{path_text(self.path)}: none of the {len(clips)} files belongs to a subject of "
                f"this table; the first is {path_text(clips[0].path)}. Check its column files "
                "(patterns below the folders of the batch), or leave it empty where files or "
                "folders bear the subject's name."
            )
        idle = [row.name for row in self.rows if row.name not in {one.name for one in found}]
        if idle:
            log.warning("No file was found of %s.", ", ".join(idle))
        lone = [path_text(c.path) for c, one in zip(clips, found, strict=True) if not one.name]
        if lone:
            log.warning(
                "%d files belong to no subject of the table and are analysed as they are: %s%s.",
                len(lone), ", ".join(lone[:3]), " …" if len(lone) > 3 else "",
            )  # fmt: skip
        return found

    def _owner(self, clip: Clip) -> Subject:
        names = _names_of(clip, self.path.parent)
        claims = [row for row in self.rows if _claims(row, names, len(self.rows) == 1)]
        if len(claims) > 1:
            both = " and ".join(row.name for row in claims[:2])
            raise ConfigError(
                f"{path_text(self.path)}: {path_text(clip.path)} belongs to {both}. Make the "
                "patterns in its column files so that each file has one subject."
            )
        return claims[0] if claims else Subject()


def _names_of(clip: Clip, home: Path) -> list[PurePosixPath]:
    """Return what a clip's file is called: below the batch's folder, and from the table's."""
    place, suffix = clip.place, clip.path.suffix
    below = place if place.suffix == suffix else place.with_name(place.name + suffix)
    names = [PurePosixPath(below.as_posix())]
    if clip.path.resolve().is_relative_to(home.resolve()):
        names.append(PurePosixPath(clip.path.resolve().relative_to(home.resolve()).as_posix()))
    return names


def _claims(row: Subject, names: list[PurePosixPath], alone: bool) -> bool:
    if not row.files:
        return alone or any(_bears(part, row.name) for name in names for part in name.parts)
    pattern = row.files.replace("\\", "/").removeprefix("./").rstrip("/")
    patterns = (pattern, pattern.replace("**/", ""), f"{pattern}/*")
    return any(fnmatchcase(str(name), one) for name in names for one in patterns)


def _bears(part: str, name: str) -> bool:
    """Return whether a folder is a subject's or a file's name begins with theirs."""
    rest = part[len(name) :]
    return part.startswith(name) and not (name[-1:].isdigit() and rest[:1].isdigit())


def read_subjects(path: str | Path, config: Config) -> Subjects:
    """Read a table of subjects.

    Args:
        path: CSV file, a row a subject: ``subject, mass, height, sex, static, model, files``; empty
            cells are inferred, ``static`` and ``model`` are paths from the file's own folder.
        config: What holds for all, to see whether the cells fit it.

    Raises:
        ConfigError: It cannot be read, a column is missing or a cell cannot be used; says which.
    """
    path = Path(path)
    try:
        with path.open(encoding="utf-8-sig", newline="") as file:
            sample = file.read(4096)
            file.seek(0)
            comma = ";" if sample.partition("\n")[0].count(";") else ","  # as spreadsheets save it
            reader = csv.DictReader(file, delimiter=comma, skipinitialspace=True)
            head = [str(name).strip() for name in reader.fieldnames or ()]
            reader.fieldnames = head
            lines = [
                {k: (v or "").strip() for k, v in row.items() if isinstance(k, str)}
                for row in reader
            ]
    except (OSError, UnicodeDecodeError, csv.Error) as error:
        reason = getattr(error, "strerror", None) or error
        raise ConfigError(f"{path_text(path)}: cannot be read as a table: {reason}.") from None
    if "subject" not in head:
        raise ConfigError(
            f"{path_text(path)}: has no column 'subject' but {', '.join(head) or 'nothing'}; "
            f"expected {', '.join(COLUMNS)}. `mocap-reroot subjects PATH -o FILE.csv` makes one."
        )
    taken = set(head) & {n for c in INDEX.columns for n in c.names} - set(COLUMNS)
    if taken:
        raise ConfigError(
            f"{path_text(path)}: the index has a column {sorted(taken)[0]!r} of its own; "
            "call that of the table otherwise."
        )
    filled = [(n, line) for n, line in enumerate(lines, start=2) if any(line.values())]
    rows = [_subject(path, n, line, config) for n, line in filled]
    names = [row.name for row in rows]
    twice = next((name for name in names if names.count(name) > 1), None)
    if twice is not None:
        raise ConfigError(f"{path_text(path)}: subject {twice!r} has two rows; expected one each.")
    return Subjects(path, tuple(rows))


def _subject(path: Path, number: int, line: dict[str, str], config: Config) -> Subject:
    """Return one row, checked as options are."""
    where = f"{path_text(path)}, line {number}"
    name = line.get("subject", "")
    if not name:
        raise ConfigError(f"{where}: has no subject; every row needs a name.")
    options: dict[str, str | float] = {}
    for column in ("mass", "height", "sex", "static", "model"):
        cell = line.get(column, "")
        if not cell:
            continue
        if column in ("mass", "height"):
            try:
                options[column] = float(cell.replace(",", "."))
            except ValueError:
                raise ConfigError(
                    f"{where}: {column} of {name} is {cell!r}; expected a number."
                ) from None
        elif column == "sex":
            options[column] = _SEXES.get(cell.lower()[:1], cell)
        else:
            options[column] = str(path.parent / cell)
    try:
        config.with_options(options).require_files()
    except (ConfigError, FileError) as error:
        raise ConfigError(f"{where} ({name}): {error}") from None
    more = {k: v for k, v in line.items() if k and k not in COLUMNS}
    return Subject(name, options, line.get("files", ""), more)
