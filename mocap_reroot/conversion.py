"""Conversion: one clip to BVH, TRC, C3D, GLB or an OpenSim model, re-rooted or not."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from mocap_reroot.anthropometry.bodies import body_model
from mocap_reroot.config import Contact, Reading
from mocap_reroot.contact.detection import detect_contacts
from mocap_reroot.export.bvh import write_bvh
from mocap_reroot.export.folders import complete_folder, other_than_phases, safe_name
from mocap_reroot.reading import markers_of, motion_of, read_recording
from mocap_reroot.rerooting.reroot import reroot
from mocap_reroot.resources.clips import Clip
from mocap_reroot.types import BodyModel, Markers, Motion, Recording

FORMATS = ("bvh", "trc", "c3d", "glb", "osim")
"""What motion can be converted to."""


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
        to: One of :data:`FORMATS`.
    """

    clip: Clip
    out: Path
    reading: Reading
    contact: Contact = field(default_factory=Contact)
    root: str | None = None
    support: bool = False
    to: str = "bvh"

    @property
    def folder(self) -> Path:
        """Where the files of the phases go."""
        return self.out / self.clip.place

    @property
    def file(self) -> Path:
        """Where the file goes, without phases."""
        return self.folder.with_name(f"{self.folder.name}.{self.to}")

    @property
    def targets(self) -> tuple[Path, ...]:
        """What is written."""
        if self.to == "osim" and not self.support:
            return self.file, self.file.with_name(f"{self.file.stem}_ik.mot")
        return (self.folder if self.support else self.file,)


def convert_clip(task: Conversion, tell: Callable[[str], None]) -> list[Path]:
    """Write one clip in another format and return the files.

    Args:
        task: What to convert, and how.
        tell: Called with the name of every stage that begins.

    Returns:
        list[Path]: ``<place>.bvh``, or ``<place>/phase-NNN-<mode>-<root>.bvh`` for each phase; with
        the suffix of the format.
    """
    tell("read")
    recording = read_recording(task.clip.path, task.reading)
    motion = motion_of(recording, task.reading)
    body = body_model(motion) if task.to in ("glb", "osim") else None
    clip = Converted(recording, body)
    if task.support:
        return _phases(motion, clip, task, tell)
    if task.root is not None:
        tell("reroot")
        motion = reroot(motion, root=task.root)
    tell("write")
    return write_motion(motion, clip, task.file)


@dataclass(frozen=True, eq=False)
class Converted:
    """What a clip is written with besides its motion: its markers, and how thick its bodies are."""

    recording: Recording
    body: BodyModel | None = None


def write_motion(motion: Motion, clip: Converted, path: Path) -> list[Path]:
    """Write a motion in the format that the path's suffix names.

    Args:
        motion: Of the clip, re-rooted or not.
        clip: C3D, TRC and OpenSim's models keep its markers, if it has any; GLB draws its body.
        path: The file.

    Returns:
        The files that were written.
    """
    markers = markers_of(clip.recording, motion)
    if path.suffix == ".osim":
        from mocap_reroot.export.osim import write_model

        assert clip.body is not None  # a model is one of a body
        return list(write_model(motion, clip.body, path, markers))
    if path.suffix == ".glb":
        from mocap_reroot.export.gltf import write_glb

        return [write_glb(motion, path, body=clip.body)]
    if path.suffix == ".c3d":
        from mocap_reroot.export.c3d import write_c3d

        return [write_c3d(motion, path, markers=markers)]
    if path.suffix == ".trc":
        from mocap_reroot.export.c3d import joint_centres
        from mocap_reroot.export.trc import write_trc

        if markers is None:
            centres = joint_centres(motion)
            places = np.array([place for *_, place in centres])
            markers = Markers(tuple(label for label, *_ in centres), places)
        clock = motion.fps, motion.time, motion.up
        return [write_trc(path, markers.labels, markers.position, *clock)]
    return [write_bvh(motion, path)]


def _phases(
    motion: Motion, clip: Converted, task: Conversion, tell: Callable[[str], None]
) -> list[Path]:
    """Write one file per support phase; the folder appears when it is complete."""
    folder = task.folder
    tell("contacts")
    contacts = detect_contacts(motion, **task.contact.detection)
    tell("reroot")
    rooted = reroot(motion, contacts)
    tell("write")
    written = []
    with complete_folder(folder, other_than_phases) as draft:
        for phase, piece in rooted:
            if phase.index < 0:
                continue
            root = safe_name(piece.skeleton.names[piece.skeleton.root])[:60]
            file = f"phase-{phase.index:03d}-{phase.mode}-{root}.{task.to}"
            written += [folder / path.name for path in write_motion(piece, clip, draft / file)]
    return written
