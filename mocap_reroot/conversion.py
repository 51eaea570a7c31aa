"""Conversion: one clip to BVH, re-rooted or not."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

from mocap_reroot.config import Contact, Reading
from mocap_reroot.contact.detection import detect_contacts
from mocap_reroot.export.bvh import write_bvh
from mocap_reroot.export.folders import PHASES, complete_folder, safe_name
from mocap_reroot.reading import read
from mocap_reroot.rerooting.reroot import reroot
from mocap_reroot.resources.clips import Clip
from mocap_reroot.types import Motion


@dataclass(frozen=True)
class Conversion:
    """One clip to convert: picklable, all a worker needs.

    Attributes:
        clip: The file and its place below ``out``.
        out: Output folder.
        reading: How to read it.
        contact: What its contacts are found from.
        root: Body to root the tree at, or None.
        support: One file per support phase, rooted at what carries the body.
    """

    clip: Clip
    out: Path
    reading: Reading
    contact: Contact = field(default_factory=Contact)
    root: str | None = None
    support: bool = False

    @property
    def folder(self) -> Path:
        """Where the files of the phases go."""
        return self.out / self.clip.place

    @property
    def file(self) -> Path:
        """Where the file goes, without phases."""
        return self.folder.with_name(f"{self.folder.name}.bvh")

    @property
    def targets(self) -> tuple[Path, ...]:
        """What is written."""
        return (self.folder if self.support else self.file,)


def convert_clip(task: Conversion, tell: Callable[[str], None]) -> list[Path]:
    """Write one clip as BVH and return the files.

    Args:
        task: What to convert, and how.
        tell: Called with the name of every stage that begins.

    Returns:
        list[Path]: ``<place>.bvh``, or ``<place>/phase-NNN-<mode>-<root>.bvh`` for each phase.
    """
    tell("read")
    motion = read(task.clip.path, **vars(task.reading), clean=False)
    if task.support:
        return _phases(motion, task, tell)
    if task.root is not None:
        tell("reroot")
        motion = reroot(motion, root=task.root)
    tell("write")
    return [write_bvh(motion, task.file)]


def _phases(motion: Motion, task: Conversion, tell: Callable[[str], None]) -> list[Path]:
    """Write one file per support phase; the folder appears when it is complete."""
    folder = task.folder
    tell("contacts")
    contacts = detect_contacts(motion, **task.contact.detection)
    tell("reroot")
    rooted = reroot(motion, contacts)
    tell("write")
    written = []
    with complete_folder(folder, PHASES) as draft:
        for phase, piece in rooted:
            if phase.index < 0:
                continue
            root = safe_name(piece.skeleton.names[piece.skeleton.root])[:60]
            file = f"phase-{phase.index:03d}-{phase.mode}-{root}.bvh"
            write_bvh(piece, draft / file)
            written.append(folder / file)
    return written
