"""Conversion: one clip to BVH, re-rooted or not."""

from __future__ import annotations

from pathlib import Path

from mocap_reroot.clips import Clip
from mocap_reroot.config import Reading
from mocap_reroot.contact.detection import detect_contacts
from mocap_reroot.export.bvh import write_bvh
from mocap_reroot.reading import read
from mocap_reroot.rerooting.reroot import reroot


def convert_clip(
    clip: Clip, out: Path, reading: Reading, *, root: str | None = None, support: bool = False
) -> list[Path]:
    """Write one clip as BVH and return the files.

    Args:
        clip: The file and its place below ``out``.
        out: Output folder.
        reading: How to read it.
        root: Body to root the tree at, or None.
        support: One file per support phase, rooted at what carries the body.

    Returns:
        list[Path]: ``<place>.bvh``, or ``<place>/phase-NNN-<mode>-<root>.bvh`` for each phase.
    """
    motion = read(clip.path, **vars(reading))
    if not support:
        if root is not None:
            motion = reroot(motion, root=root)
        target = out / clip.place.with_name(f"{clip.place.name}.bvh")
        write_bvh(motion, target)
        return [target]
    written = []
    for phase, piece in reroot(motion, detect_contacts(motion)):
        if phase.index < 0:
            continue
        name = piece.skeleton.names[piece.skeleton.root]
        safe = "".join(c if c.isalnum() or c in "-_." else "_" for c in name)[:60]
        target = out / clip.place / f"phase-{phase.index:03d}-{phase.mode}-{safe}.bvh"
        write_bvh(piece, target)
        written.append(target)
    return written
