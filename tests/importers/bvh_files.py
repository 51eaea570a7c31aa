"""A small BVH file in words, from which every dialect is made by one change."""

from __future__ import annotations

from pathlib import Path

from mocap_reroot.importers.bvh import read_bvh
from mocap_reroot.types import Recording

HEADER = """HIERARCHY
ROOT Hips
{
\tOFFSET 0.0 90.0 0.0
\tCHANNELS 6 Xposition Yposition Zposition Zrotation Xrotation Yrotation
\tJOINT Spine
\t{
\t\tOFFSET 0.0 10.0 1.0
\t\tCHANNELS 3 Zrotation Xrotation Yrotation
\t\tEnd Site
\t\t{
\t\t\tOFFSET 0.0 30.0 0.0
\t\t}
\t}
}
"""
MOTION = """MOTION
Frames: 3
Frame Time: 0.01
1.0 2.0 3.0 10.0 20.0 30.0 1.5 2.5 3.5
1.1 2.1 3.1 11.0 21.0 31.0 1.6 2.6 3.6
1.2 2.2 3.2 12.0 22.0 32.0 1.7 2.7 3.7
"""
PLAIN = HEADER + MOTION
FIRST_ROW = 19
"""Line of the first row in ``PLAIN``."""


def write(folder: Path, text: str | bytes) -> Path:
    """Write a file as it stands, line endings and all."""
    path = folder / "clip.bvh"
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return path


def chain(depth: int, frames: int) -> str:
    """Return a file with a chain of joints, each below the last, and ramps in every channel."""
    head = ["HIERARCHY"]
    for level in range(depth):
        kind = "JOINT" if level else "ROOT"
        words = "Xposition Yposition Zposition " if not level else ""
        count = 6 if not level else 3
        head += [f"{kind} body{level}", "{", "OFFSET 0 1 0"]
        head += [f"CHANNELS {count} {words}Zrotation Xrotation Yrotation"]
    head += ["End Site", "{", "OFFSET 0 1 0", "}"] + ["}"] * depth
    rows = [" ".join(f"{f + 0.25 * c:.2f}" for c in range(3 + 3 * depth)) for f in range(frames)]
    return "\n".join([*head, "MOTION", f"Frames: {frames}", "Frame Time: 0.01", *rows, ""])


def read(folder: Path, text: str | bytes) -> Recording:
    """Write a file into a folder and read it."""
    return read_bvh(write(folder, text))


def edit(old: str, new: str, text: str = PLAIN) -> str:
    """Return a file with something in it replaced."""
    assert old in text
    return text.replace(old, new)
