"""convert_clip(): one clip to another format, re-rooted or not."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from mocap_reroot.analysis import Analysis, analysis_of
from mocap_reroot.anthropometry.bodies import body_model
from mocap_reroot.config import SIMULATORS, Config
from mocap_reroot.consistency import Obeyed, obey, pinned
from mocap_reroot.contact.detection import detect_contacts
from mocap_reroot.errors import path_text
from mocap_reroot.export.bvh import write_bvh
from mocap_reroot.export.folders import complete_folder, other_than_phases, safe_name
from mocap_reroot.export.simulators import body_pushes
from mocap_reroot.mechanics.world_axes import with_up
from mocap_reroot.reading import markers_of, motion_of, read_recording
from mocap_reroot.rerooting.reroot import reroot
from mocap_reroot.resources.clips import Clip
from mocap_reroot.results import write_simulated
from mocap_reroot.signals.cleaning import clean
from mocap_reroot.signals.resampling import Samples, resample
from mocap_reroot.types import BodyModel, Markers, Motion, Rooted

FORMATS = ("bvh", "trc", "c3d", "glb", "osim", *SIMULATORS)
"""What motion can be converted to."""
_SUFFIXES = {"mjcf": "xml"}


@dataclass(frozen=True)
class Conversion:
    """One clip to convert: picklable, all a worker needs.

    Attributes:
        clip: The file and its place below ``out``.
        out: Output folder.
        config: How to read it, what its contacts are found from, rate and axis of what is written;
            for simulators, whose files hold forces, all of the analysis.
        root: Body to root the tree at, or None.
        support: One file per support phase, rooted at what carries the body.
        to: One of :data:`FORMATS`.
        consistent: Whether the clip is corrected to obey physics; with ``pin_feet`` of the contacts
            in its configuration, stance feet are held, too.
    """

    clip: Clip
    out: Path
    config: Config = field(default_factory=Config)
    root: str | None = None
    support: bool = False
    to: str = "bvh"
    consistent: bool = False

    @property
    def corrects(self) -> bool:
        """Whether poses are changed."""
        return self.consistent or self.config.contact.pin_feet

    @property
    def folder(self) -> Path:
        """Where the files of the phases go."""
        return self.out / self.clip.place

    @property
    def file(self) -> Path:
        """Where the file goes, without phases."""
        return self.folder.with_name(f"{self.folder.name}.{_SUFFIXES.get(self.to, self.to)}")

    @property
    def targets(self) -> tuple[Path, ...]:
        """What is written."""
        beside = {"mjcf": "_motion.npz", "urdf": "_urdf_motion.npz", "osim": "_ik.mot"}
        if self.support or self.to not in beside:
            return (self.folder if self.support else self.file,)
        return self.file, self.folder.with_name(self.folder.name + beside[self.to])


@dataclass(frozen=True, eq=False)
class Written:
    """What became of a clip.

    Attributes:
        files: That were written.
        line: How its motion was corrected, in a line; empty where it was not.
        row: The same as figures, for an index, with its grades before and after.
    """

    files: list[Path]
    line: str = ""
    row: dict[str, Any] = field(default_factory=dict)


def convert_clip(task: Conversion, tell: Callable[[str], None]) -> Written:
    """Write one clip in another format.

    Args:
        task: What to convert, and how.
        tell: Called with the name of every stage that begins.

    Returns:
        Written: Files ``<place>.bvh``, or ``<place>/phase-NNN-<mode>-<root>.bvh`` for each phase;
        with the suffix of the format, and the arrays beside it for simulators.
    """
    tell("read")
    reading = task.config.reading
    recording = read_recording(task.clip.path, reading)
    motion = motion_of(recording, reading, task.config.parameters.plates)
    corrected, analysis = None, None
    if task.corrects or task.to in SIMULATORS:
        motion = clean(motion)
    if task.corrects:
        corrected, analysis, row = _corrected(motion, task, tell)
        motion = corrected.after
    elif task.to in SIMULATORS:
        analysis = analysis_of(motion, task.config)
    if task.to in SIMULATORS:
        assert analysis is not None
        files = _simulated(task, analysis, tell)
    else:
        kept = task.to in ("c3d", "trc", "osim") and not task.corrects
        files = _moved(task, motion, markers_of(recording, motion) if kept else None, tell)
    return Written(files) if corrected is None else Written(files, corrected.line, row)


def _corrected(
    motion: Motion, task: Conversion, tell: Callable[[str], None]
) -> tuple[Obeyed, Analysis, dict[str, Any]]:
    """Return a clip before and after, its analysis after, and a row of the index."""
    # Plates measured the capture: they say nothing about what it was made into.
    alone = {"forces": "predicted", "pin_feet": False, "compare_plates": False}
    config = task.config.with_options(alone)
    tell("ground")
    before = analysis_of(motion, config)
    tell("consistent" if task.consistent else "pin_feet")
    body = body_model(motion, **config.body.model)
    contacts = detect_contacts(
        motion, body, **config.contact.detection, parameters=config.parameters.contact
    )
    pin = task.config.contact.pin_feet
    if task.consistent:
        found = obey(motion, body, contacts, pin_feet=pin, **vars(config.smoothing))
    else:
        found = pinned(motion, body, contacts)
    tell("ground")
    after = analysis_of(found.after, config.with_options({"parameters": {"ground": {"lag": 0.0}}}))
    row = {"clip": task.clip.place.as_posix(), "file": path_text(task.clip.path)}
    for word, analysis in (("before", before), ("after", after)):
        row[f"grade_{word}"] = analysis.summary["grade"]
        row[f"grade_reasons_{word}"] = "; ".join(analysis.summary["grade_reasons"])
    frames = {"frames": motion.n_frames, "frames_moved": int(found.where.sum())}
    return found, after, row | frames | found.figures


def _moved(
    task: Conversion, motion: Motion, markers: Markers | None, tell: Callable[[str], None]
) -> list[Path]:
    """Write a motion, re-rooted or not, at the rate and with the axis that are asked for."""
    output = task.config.output
    if output.fps is not None and output.fps != motion.fps:
        markers = _resampled(markers, Samples.of(motion, output.fps))
        motion = resample(motion, output.fps)
    motion, turn = with_up(motion, output.up_out)
    if markers is not None:
        markers = Markers(markers.labels, turn @ markers.position)
    solid = task.to in ("glb", "osim")
    body = body_model(motion, **task.config.body.model) if solid else None
    clip = Converted(motion.start, markers, body)
    if task.support:
        tell("contacts")
        contacts = detect_contacts(
            motion, **task.config.contact.detection, parameters=task.config.parameters.contact
        )
        tell("reroot")
        rooted = reroot(motion, contacts)
        tell("write")
        return _phases(task, rooted, lambda _, piece, path: write_motion(piece, clip, path))
    if task.root is not None:
        tell("reroot")
        motion = reroot(motion, root=task.root)
    tell("write")
    return write_motion(motion, clip, task.file)


def _resampled(markers: Markers | None, samples: Samples) -> Markers | None:
    """Return markers at another rate; one that is missing in a neighbouring frame is missing."""
    if markers is None:
        return None
    rate = np.gradient(markers.position, samples.step, axis=-1)
    change = np.gradient(rate, samples.step, axis=-1)
    return Markers(markers.labels, samples.curve(markers.position, rate, change)[0])


def _simulated(task: Conversion, analysis: Analysis, tell: Callable[[str], None]) -> list[Path]:
    """Write a clip with its forces for simulators."""
    tell("write")
    push, rooted = body_pushes(analysis.ground), analysis.rooted

    def write(k: int, piece: Motion, path: Path) -> list[Path]:
        part = push[..., slice(*rooted.span(k))]
        return write_simulated(analysis, task.to, path.with_suffix(""), piece, part)

    if task.support:
        return _phases(task, rooted, write)
    motion = analysis.motion if task.root is None else reroot(analysis.motion, root=task.root)
    return write_simulated(analysis, task.to, task.folder, motion, push)


@dataclass(frozen=True, eq=False)
class Converted:
    """What a clip is written with besides its motion.

    Attributes:
        start: Row at which the clip begins.
        markers: Of the whole clip, m, or None.
        body: How heavy its bodies are, or None.
    """

    start: int = 0
    markers: Markers | None = None
    body: BodyModel | None = None

    def markers_in(self, motion: Motion) -> Markers | None:
        """Return the markers in the frames of a piece of the clip."""
        if self.markers is None:
            return None
        first = motion.start - self.start
        position = self.markers.position[..., first : first + motion.n_frames]
        return Markers(self.markers.labels, position)


def write_motion(motion: Motion, clip: Converted, path: Path) -> list[Path]:
    """Write a motion in the format that the path's suffix names.

    Args:
        motion: Of the clip, re-rooted or not.
        clip: C3D, TRC and OpenSim's models keep its markers, if it has any; GLB draws its body.
        path: The file.

    Returns:
        The files that were written.
    """
    markers = clip.markers_in(motion)
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
    task: Conversion, rooted: Rooted, write: Callable[[int, Motion, Path], list[Path]]
) -> list[Path]:
    """Write files for every support phase; the folder appears when it is complete."""
    folder, written = task.folder, []
    with complete_folder(folder, other_than_phases) as draft:
        for k, (phase, piece) in enumerate(rooted):
            if phase.index < 0:
                continue
            root = safe_name(piece.skeleton.names[piece.skeleton.root])[:60]
            name = f"phase-{phase.index:03d}-{phase.mode}-{root}{task.file.suffix}"
            written += [folder / path.name for path in write(k, piece, draft / name)]
    return written
