"""A table of subjects proposed from the files (static trials, masses), to be edited."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass, field
from os.path import relpath
from pathlib import Path, PurePosixPath

import numpy as np

from mocap_reroot.batch.subjects import COLUMNS
from mocap_reroot.config import MASSES
from mocap_reroot.errors import MocapRerootError
from mocap_reroot.export.folders import complete_file
from mocap_reroot.export.tables import write_csv
from mocap_reroot.reading import read_recording
from mocap_reroot.resources.clips import Clip
from mocap_reroot.types import STANDARD_GRAVITY, Recording

STILL = 0.05
"""Of the size of the cloud of markers (its diagonal), that they move in a static trial. Standing
people sway by 0.1 to 2.5 % of it in the shared trials, whoever runs in place moves by 15 %."""
_PERSON = re.compile(r"(s|sub|subj|subject|p|pp|pt|patient|participant|proband)[-_ ]?\d+\w*", re.I)
_HEAD = re.compile(r"[^\W_]+?(?=[-_ ])")
_SWAY = 0.05
"""Of the force, that it varies while a person stands on plates with both feet."""
_WEIGHED = 2
"""Files of a person that are analysed to see what plates weigh, where nothing else tells it."""


@dataclass
class Proposal:
    """What was found of a subject.

    Attributes:
        row: Cells of the table.
        files: Number of files, the static trial among them.
        found: Where each cell comes from, in words.
    """

    row: dict[str, str]
    files: int
    found: list[str] = field(default_factory=list)

    def __str__(self) -> str:
        said = "; ".join(self.found) or "nothing more was found"
        return f"{self.row['subject']}: {self.files} file{'s' * (self.files != 1)}; {said}"


def propose(clips: list[Clip], table: Path) -> list[Proposal]:
    """Return a row a subject.

    Args:
        clips: The files.
        table: Where the table will lie: paths in it are from there.
    """
    groups: dict[tuple[str, str], list[Clip]] = defaultdict(list)
    for clip, whose in zip(clips, _people(clips), strict=True):
        groups[whose].append(clip)
    made = []
    for (name, pattern), mine in sorted(groups.items()):
        row = dict.fromkeys(COLUMNS, "") | {"subject": name, "files": pattern}
        made.append(Proposal(row, len(mine)))
        _look(made[-1], mine, table.parent)
    return made


def write_proposal(proposals: Iterable[Proposal], path: Path) -> None:
    """Write the table."""
    rows = [one.row for one in proposals]
    with complete_file(path) as draft:
        write_csv({column: [row[column] for row in rows] for column in COLUMNS}, draft)


def _people(clips: list[Clip]) -> list[tuple[str, str]]:
    """Return whose each clip is, and the pattern of that person's files.

    The folder that looks like a person's (``S01``, ``subject02``), else the first folder, else the
    file's name up to its first mark (``02`` of ``02_01``), else everybody is one.
    """
    found = []
    for clip in clips:
        parts = PurePosixPath(clip.place.as_posix()).parts
        folders = parts[:-1]
        depth = next((k + 1 for k, part in enumerate(folders) if _PERSON.fullmatch(part)), 1)
        name = "/".join(folders[:depth])
        head = _HEAD.match(parts[-1])
        if name:
            found.append((name, f"{name}/*"))
        elif head:
            found.append((head[0], f"{head[0]}{parts[-1][head.end()]}*"))
        else:
            found.append(("subject", "*"))
    return found


def _look(one: Proposal, clips: list[Clip], home: Path) -> None:
    """Find the static trial, mass and stature of one person."""
    statics, weighed, stated = [], [], []
    for clip in clips:
        try:
            recording = read_recording(clip.path)
        except MocapRerootError:  # whoever analyses it is told
            continue
        if recording.mass is not None:
            stated.append((recording.mass, clip.path.name))
        if recording.height is not None and not one.row["height"]:
            one.row["height"] = f"{recording.height:.3g}"
            one.found.append(f"{recording.height:.2f} m by {clip.path.name}")
        still = stillness(recording)
        if still is not None and still < STILL and recording.markers is not None:
            seen = np.isfinite(recording.markers.position).all(axis=1).any(axis=1).sum()
            statics.append((-int(seen), still, clip, standing_mass(recording)))
        elif recording.plates is not None:
            weighed.append(clip)
    standing = None
    if statics and len(clips) > 1:
        *_, static, standing = min(statics, key=lambda found: found[:2])
        one.row["static"] = Path(relpath(static.path, home)).as_posix()
        one.found.append(f"static trial {static.path.name}")
    mass, where = stated[0] if stated else (standing, "the plates of the static trial")
    if mass is None:
        mass, where = next(filter(None, map(_by_plates, weighed[:_WEIGHED])), (None, ""))
    if mass is not None:
        one.row["mass"] = f"{mass:.4g}"
        one.found.append(f"{mass:.1f} kg by {where}")
    models = sorted({m for c in clips for m in _models(c, one.row["subject"])})
    if len(models) == 1:
        one.row["model"] = Path(relpath(models[0], home)).as_posix()
        one.found.append(f"model {models[0].name}")


def _models(clip: Clip, name: str) -> list[Path]:
    """Return OpenSim models in the clip's folder and above it, up to the person's own."""
    above = list(clip.path.parents)[: max(len(clip.place.parts) - 1 - name.count("/"), 0)]
    return [model for folder in above for model in folder.glob("*.osim")]


def stillness(recording: Recording) -> float | None:
    """Return how far markers move, of the size of their cloud; None without markers."""
    if recording.markers is None:
        return None
    place = recording.markers.position
    seen = np.isfinite(place).all(axis=1)
    place = place[seen.mean(axis=1) > 0.5]
    if len(place) < 4 or place.shape[-1] < 2:
        return None
    low, high = np.nanpercentile(place, [2.5, 97.5], axis=2)
    cloud = np.nanmedian(place, axis=2)
    size = float(np.linalg.norm(np.ptp(cloud, axis=0)))
    moved = float(np.median(np.linalg.norm(high - low, axis=1)))
    return moved / size if size > 0 else None


def standing_mass(recording: Recording) -> float | None:
    """Return kg that plates bear while somebody stands on them; None where they do not tell."""
    if recording.plates is None or not recording.plates.force.size:
        return None
    force = np.linalg.norm(np.nansum(recording.plates.force, axis=0), axis=0)
    mass = float(np.median(force)) / STANDARD_GRAVITY
    steady = float(np.std(force)) < _SWAY * float(np.median(force))
    return mass if steady and 5 * MASSES[0] < mass < MASSES[1] else None


def _by_plates(clip: Clip) -> tuple[float, str] | None:
    """Return what plates weigh in a clip in motion, and in which."""
    from mocap_reroot.analysis import analyze

    try:
        motion = analyze(clip.path).motion
    except MocapRerootError:
        return None
    told = next((i for i in motion.source.inferred if i.what == "mass"), None)
    if told is None or "plates" not in told.evidence:
        return None
    return float(told.value), f"the plates of {clip.path.name}"
