"""Clips: which files are meant by paths, folders and patterns, and where each one's results go."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from zipfile import BadZipFile, ZipFile

from mocap_reroot.errors import MocapRerootError

SUFFIXES = (
    *(".bvh", ".c3d", ".trc", ".amc", ".mvnx", ".npz"),
    *(".fbx", ".glb", ".gltf"),
)


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
                if file.is_file() and (file.suffix.lower() != ".npz" or _is_motion(file)):
                    found.setdefault(file, file.relative_to(path))
        elif path.exists():
            found.setdefault(path, Path(path.name))
        else:
            matches = _matching(path)
            if not matches:
                error = MocapRerootError(
                    f"{given}: there is no such file or folder, and nothing matches the pattern."
                )
                if absent is None:
                    raise error
                absent.append(error)
            for match in matches:
                found.setdefault(match, Path(match.name))
    if not found and not absent:
        where = ", ".join(str(p) for p in paths)
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


def _places(found: dict[Path, Path]) -> list[Clip]:
    """Give every file a folder of its own."""
    plain = {path: _without_suffix(rel) for path, rel in found.items()}
    shared = Counter(str(p).lower() for p in plain.values())
    around = {str(above).lower() for place in plain.values() for above in place.parents}
    places = {}
    for path, place in plain.items():
        key = str(place).lower()
        # Two share a folder, or one's would lie in the other's, which is replaced as a whole.
        places[path] = found[path] if shared[key] > 1 or key in around else place
    taken: Counter[str] = Counter()
    clips = []
    for path, place in places.items():
        key = str(place).lower()  # two names that differ in case only share a folder on some disks
        taken[key] += 1
        if taken[key] > 1:
            place = place.with_name(f"{place.name}-{taken[key]}")
        clips.append(Clip(path, place))
    return clips
