"""Formats that are not read: refused, with the program that converts them."""

from __future__ import annotations

import tomllib
from functools import cache
from importlib import resources
from pathlib import Path
from typing import NoReturn

from mocap_reroot.errors import FileError

_BEGINNINGS = {
    b"HIERARCHY": ".bvh",
    b"PathFileType": ".trc",
    b"Kaydara FBX Binary": ".fbx",
    b"glTF": ".glb",
    b":FULLY-SPECIFIED": ".amc",
}
"""How files begin whose suffix was changed or lost."""


@cache
def other_kinds() -> dict[str, tuple[str, str]]:
    """Return by suffix what a file is and what to do with it."""
    text = (resources.files("mocap_reroot.importers") / "other_kinds.toml").read_text("utf-8")
    return {
        suffix: (kind["what"], kind["todo"])
        for kind in tomllib.loads(text)["kind"]
        for suffix in kind["suffixes"]
    }


def refuse(path: Path, known: tuple[str, ...]) -> NoReturn:
    """Say what a file is that is not read here, which program converts it, and to what.

    Args:
        path: The file.
        known: Suffixes of the files that are read.

    Raises:
        FileError: Always.
    """
    listed = ", ".join(known)
    if path.is_dir():
        raise FileError(path, "is a folder.", todo=f"Name a file in it: {listed}.")
    meant = _by_content(path)
    if meant in known and meant != path.suffix.lower():
        raise FileError(path, f"it begins like a {meant} file.", todo=f"Rename it to *{meant}.")
    what, todo = other_kinds().get(path.suffix.lower(), ("", ""))
    if not what:
        kind = f"files of type {path.suffix!r}" if path.suffix else "files without a suffix"
        raise FileError(
            path,
            f"{kind} are unknown; known are {listed}.",
            todo="Export it from the program that wrote it: markers as C3D, a skeleton as BVH.",
        )
    raise FileError(path, f"this is {what}; read are {listed}.", todo=todo)


def _by_content(path: Path) -> str:
    """Return the suffix that a file should have by its first bytes, or an empty one."""
    try:
        with path.open("rb") as file:
            start = file.read(4096)
    except OSError:
        return ""
    text = start.removeprefix(b"\xef\xbb\xbf").lstrip()
    for beginning, suffix in _BEGINNINGS.items():
        if text.startswith(beginning):
            return suffix
    if text.startswith(b"<") and b"<mvnx" in text:
        return ".mvnx"
    if len(start) > 512 and start[:2] in (b"\x02\x50", b"\x03\x50"):
        return ".c3d"
    return ""
