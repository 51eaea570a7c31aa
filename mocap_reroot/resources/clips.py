"""Files meant by paths, folders and patterns, and where the results of each go."""

from __future__ import annotations

import hashlib
import os
import re
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from zipfile import BadZipFile, ZipFile

from mocap_reroot.errors import MocapRerootError, path_text
from mocap_reroot.resources.drafts import PREFIX

SUFFIXES = (
    *(".bvh", ".c3d", ".trc", ".amc", ".mvnx", ".npz"),
    *(".fbx", ".glb", ".gltf"),
)
RESERVED = ("index.parquet", "index.html", "failures.csv", "dataset")
"""Names in an output folder that a batch needs itself."""
_LONGEST_NAME = 255
"""Bytes that disks take as a name."""


@dataclass(frozen=True)
class Clip:
    """A file to work on.

    Attributes:
        path: The file.
        place: Folder of its results, relative to the output folder.
    """

    path: Path
    place: Path


def find_clips(
    paths: Iterable[str | Path],
    suffixes: tuple[str, ...] = SUFFIXES,
    absent: list[MocapRerootError] | None = None,
) -> list[Clip]:
    """Return the clips below folders, matched by patterns or named directly.

    Results of ``a/b/walk.bvh`` found below ``a`` go to ``b/walk``, those of a file named directly
    to ``walk``; where two would share a folder, both keep their suffix.

    Args:
        paths: Folders, patterns and files.
        suffixes: Of files that count.
        absent: Gets an error for every path that does not exist, instead of raising the first.

    Raises:
        MocapRerootError: A path does not exist, or nothing was found.
    """
    found: dict[Path, Path] = {}
    for given in paths:
        path = Path(given)
        if path.is_dir():
            inside = (p for p in sorted(path.rglob("*")) if p.suffix.lower() in suffixes)
            for file in inside:
                below = file.relative_to(path)
                if below.parts[0].startswith(PREFIX) or not file.is_file():  # a draft of ours
                    continue
                if file.suffix.lower() != ".npz" or _is_motion(file):
                    found.setdefault(file, below)
        elif path.exists():
            found.setdefault(path, Path(path.name))
        else:
            matches = _matching(path)
            if not matches:
                error = MocapRerootError(
                    f"{path_text(given)}: there is no such file or folder, "
                    "and nothing matches the pattern."
                )
                if absent is None:
                    raise error
                absent.append(error)
            for match in matches:
                found.setdefault(match, Path(match.name))
    if not found and not absent:
        where = ", ".join(map(path_text, paths))
        raise MocapRerootError(f"{where}: no {', '.join(suffixes)} file was found there.")
    return _places(found)


def _is_motion(file: Path) -> bool:
    """Return whether an ``.npz`` in a folder holds a motion; many hold something else."""
    try:
        with ZipFile(file) as inside:
            names = inside.namelist()
    except (OSError, BadZipFile, NotImplementedError):
        return False
    return "trans.npy" in names and ("poses.npy" in names or "pose_body.npy" in names)


def _matching(pattern: Path) -> list[Path]:
    """Return the files a pattern such as ``walks/**/*.bvh`` matches."""
    anchor = Path(pattern.anchor) if pattern.is_absolute() else Path()
    relative = str(pattern.relative_to(anchor))
    try:
        return sorted(p for p in anchor.glob(relative) if p.is_file())
    except (ValueError, NotImplementedError):  # pathlib's words for what is no pattern
        return []


def _without_suffix(name: Path) -> Path:
    """Return a name without its suffix, unless what is left leads elsewhere (``...bvh``)."""
    return name if name.stem.strip(". ") == "" else name.with_suffix("")


def is_below(place: str) -> bool:
    """Return whether a place, as an index has it, lies below the output folder."""
    path = PurePosixPath(place)
    return bool(path.parts) and not path.is_absolute() and ".." not in path.parts


def _writable(place: Path) -> Path:
    """Return a place whose name can be written in every table: bytes that are no text as %FF."""
    return Path(*(writable_name(part) for part in place.parts))


def writable_name(name: str) -> str:
    """Return the name of a file as text that every disk takes."""
    text = re.sub("[\udc80-\udcff]", lambda c: f"%{ord(c[0]) - 0xDC00:02X}", name)
    if len(text.encode()) <= _LONGEST_NAME:
        return text
    mark = hashlib.sha256(os.fsencode(name)).hexdigest()[:10]
    return f"{text[:100]}-{mark}{Path(text).suffix[:10]}"


def _unreserved(place: Path) -> Path:
    """Return a place that is not, and does not lie in, what a batch writes itself."""
    first, *rest = place.parts
    return Path(f"{first}-2", *rest) if first.lower() in RESERVED else place


def _places(found: dict[Path, Path]) -> list[Clip]:
    """Give every file a folder of its own."""
    found = {path: _writable(rel) for path, rel in found.items()}
    plain = {path: _without_suffix(rel) for path, rel in found.items()}
    shared = Counter(str(p).lower() for p in plain.values())
    around = {str(above).lower() for place in plain.values() for above in place.parents}
    places = {}
    for path, place in plain.items():
        key = str(place).lower()
        # Two share a folder, or one's would lie in the other's, which is replaced as a whole.
        taken_name = shared[key] > 1 or key in around or key in RESERVED
        places[path] = _unreserved(found[path] if taken_name else place)
    # Two names that differ in case only share a folder on some disks.
    taken = {str(above).lower() for place in places.values() for above in place.parents}
    clips = []
    for path, place in places.items():
        free, number = place, 1
        while str(free).lower() in taken:
            number += 1
            free = place.with_name(f"{place.name}-{number}")
        taken.add(str(free).lower())
        clips.append(Clip(path, free))
    return clips
