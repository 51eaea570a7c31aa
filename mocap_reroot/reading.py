"""read(): file to Recording by its importer, then to a cleaned Motion in metres."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import replace
from functools import cache, partial
from importlib import import_module
from pathlib import Path
from stat import S_ISREG
from typing import Any

import numpy as np

from mocap_reroot.config import Reading, all_options
from mocap_reroot.errors import FileError, MocapRerootError, UnknownNameError
from mocap_reroot.inference.anatomy import unrecorded
from mocap_reroot.inference.channels import rotations
from mocap_reroot.inference.inference import infer_hierarchy
from mocap_reroot.inference.timebase import with_rate
from mocap_reroot.numerics.vectors import axis_vector
from mocap_reroot.options import with_keywords
from mocap_reroot.parameters import PlateParameters
from mocap_reroot.resources.memory import READING, require_memory
from mocap_reroot.signals.cleaning import clean as mended
from mocap_reroot.skeletons.hierarchy import hierarchy_motion
from mocap_reroot.types import Markers, Motion, Recording

IMPORTERS = {
    ".bvh": ("mocap_reroot.importers.bvh", "read_bvh"),
    ".c3d": ("mocap_reroot.importers.c3d", "read_c3d"),
    ".trc": ("mocap_reroot.importers.trc", "read_trc"),
    ".amc": ("mocap_reroot.importers.amc", "read_amc"),
    ".mvnx": ("mocap_reroot.importers.mvnx", "read_mvnx"),
    ".npz": ("mocap_reroot.importers.smpl", "read_smpl"),
    ".fbx": ("mocap_reroot.importers.fbx", "read_fbx"),
    ".glb": ("mocap_reroot.importers.gltf", "read_gltf"),
    ".gltf": ("mocap_reroot.importers.gltf", "read_gltf"),
    ".mot": ("mocap_reroot.importers.mot", "read_coordinates"),
    ".sto": ("mocap_reroot.importers.mot", "read_coordinates"),
}
"""Suffix to the module and the function that reads such files; loaded when needed."""

USES = {
    ".amc": ("skeleton",),
    ".npz": ("smpl_model",),
    ".fbx": ("take",),
    ".glb": ("take",),
    ".gltf": ("take",),
}
"""Suffix to the options of :class:`Reading` that the function takes besides the path."""

STREAMED = (".mvnx", ".npz")
"""Suffixes of files that are never held as a whole."""


@with_keywords([one for one in all_options().values() if one.section == "reading"])
def read(
    path: str | Path,
    *,
    clean: bool = True,
    parameters: PlateParameters | None = None,
    **options: Any,
) -> Motion:
    """Read a motion-capture file.

    The motion is in SI units and keeps the file's own axes. What was inferred, repaired or looks
    doubtful is in ``motion.source``.

    Args:
        path: A ``.bvh``, ``.c3d``, ``.trc``, ``.amc``, ``.mvnx``, ``.fbx``, ``.glb`` or AMASS
            ``.npz`` file, or ``.mot`` or ``.sto`` with coordinates of a model.
        unit: The file's length unit: ``"m"``, ``"cm"``, ``"mm"``, ``"in"``, ``"cmu"`` (that of the
            CMU library's BVH), metres per unit as a number, or ``"auto"``.
        up: The file's up axis: ``"x"``, ``"y"``, ``"z"``, ``"-x"`` …, or ``"auto"``.
        rate: Frames per second, where the file's are missing or wrong.
        segments: Table that says which body is which segment (BVH).
        markerset: Name or file of a marker set (C3D, TRC).
        static: Static trial that calibrates the skeleton (C3D, TRC).
        plates: OpenSim ``.mot`` file with measured ground forces.
        fitting: ``"auto"`` fits the skeleton to all markers at once and undoes a spline that they
            were smoothed with; ``"stored"`` takes them as they are; ``"first"`` aims bone after
            bone at its far joint (C3D, TRC).
        skeleton: Acclaim ``.asf`` file where it is not found beside the motion (AMC).
        smpl_model: Body model, ``.npz``, that places the joints (AMASS).
        model: OpenSim ``.osim`` model: its bodies, joints, masses and markers (C3D, TRC); that of
            coordinates (``.mot``, ``.sto``).
        scale_model: Whether the model is scaled to the person, by the static trial or the clip.
        take: Name of the take, where a file holds several.
        subject: Name of the person, where a file holds markers of several (C3D, TRC).
        clean: Whether what is not motion is mended or left out (rest poses, holes, repeated
            frames; see :func:`mocap_reroot.signals.cleaning.clean`); False: as the file has it.
        parameters: What plates must obey (``PlateParameters``).

    Raises:
        FileError: The file cannot be used; says why and where.
    """
    chosen = Reading(**options)
    motion = motion_of(read_recording(path, chosen), chosen, parameters)
    return mended(motion) if clean else motion


def read_recording(path: str | Path, options: Reading | None = None) -> Recording:
    """Read a file as it stands: its own units, nothing inferred."""
    path = Path(path)
    suffix = path.suffix.lower()
    if suffix not in IMPORTERS:
        from mocap_reroot.importers.other_kinds import refuse

        refuse(path, tuple(IMPORTERS))
    with suppress(OSError):  # the importer says what is wrong with the file
        found = path.stat()
        if not S_ISREG(found.st_mode):
            raise FileError(path, "is no file but a folder or a device; a file was expected.")
        size = found.st_size
        if suffix not in STREAMED:
            require_memory(path, READING * size, f"the {size / 1e9:.1f} GB of this file")
    module, function = IMPORTERS[suffix]
    given = {name: getattr(options or Reading(), name) for name in USES.get(suffix, ())}
    recording: Recording = getattr(import_module(module), function)(path, **given)
    return recording


def companions(path: Path, options: Reading) -> list[Path]:
    """Return the files beside one that are read with it, though no option names them."""
    if path.suffix.lower() != ".amc" or options.skeleton is not None:
        return []
    from mocap_reroot.importers.amc import find_skeleton

    with suppress(FileError, OSError):  # whoever reads the file says that there is none
        return [find_skeleton(path)]
    return []


def motion_of(
    recording: Recording, options: Reading, parameters: PlateParameters | None = None
) -> Motion:
    """Turn what an importer found into a motion."""
    options.require_files()
    recording = with_rate(recording, options.rate)
    if options.model is not None and (recording.markers or recording.coordinates):
        motion = _from_model(recording, options)
    elif recording.coordinates is not None:
        raise FileError(
            recording.path,
            "it holds coordinates of a model, not the model.",
            todo="Give the model with --model FILE.osim.",
        )
    elif recording.hierarchy is not None:
        motion = _from_hierarchy(recording, options)
    elif recording.segments is not None:
        motion = _from_segments(recording, options)
    elif recording.markers is not None:
        motion = _from_markers(recording, options)
    else:
        raise MocapRerootError(f"{recording.path}: the file holds no skeleton.")
    source = motion.source.adding(
        inferred=unrecorded(motion.skeleton.anatomy), warnings=_unused(recording, options)
    )
    motion = replace(motion, source=source)
    return _with_plates(motion, recording, options, parameters)


_FOR = {
    "segments": "files with a hierarchy",
    "skeleton": "AMC",
    "smpl_model": "AMASS",
    "take": "files that hold several takes",
}
"""What options that are not for markers are for."""


def markers_of(recording: Recording, motion: Motion) -> Markers | None:
    """Return the markers that a motion was made from, m, in its frames; None if there are none."""
    found, first = recording.markers, motion.start
    if found is None or first + motion.n_frames > found.position.shape[-1]:
        return None
    position = found.position[..., first : first + motion.n_frames]
    return Markers(found.labels, position * motion.source.unit_scale)


def _unused(recording: Recording, options: Reading) -> list[str]:
    """Say which options were given that files of this kind have no use for."""
    given = {
        "segments": options.segments is not None and recording.hierarchy is None,
        "markerset": options.markerset != "auto" and recording.markers is None,
        "static": options.static is not None and recording.markers is None,
        "subject": options.subject is not None and recording.markers is None,
        "model": options.model is not None and not (recording.markers or recording.coordinates),
        "scale_model": options.scale_model and (options.model is None or recording.markers is None),
    }
    used = USES.get(recording.path.suffix.lower(), ())
    given |= {
        name: getattr(options, name) is not None and name not in used
        for name in ("skeleton", "smpl_model", "take")
    }
    return [
        f"The option {name} was not used: it is for {_FOR.get(name, 'markers')}."
        for name, idle in given.items()
        if idle
    ]


def _from_hierarchy(recording: Recording, options: Reading) -> Motion:
    hierarchy = recording.hierarchy
    assert hierarchy is not None
    rotation = cache(partial(rotations, hierarchy))
    found = infer_hierarchy(
        recording,
        unit=options.unit,
        up=options.up,
        segments=options.segments,
        rotation=rotation,
    )
    return hierarchy_motion(
        recording,
        found.unit_scale,
        found.up,
        found.unit,
        rotation=rotation(),
        anatomy=found.anatomy,
        inferred=found.inferred,
        warnings=found.warnings,
    )


def _from_segments(recording: Recording, options: Reading) -> Motion:
    from mocap_reroot.skeletons.from_segments import segments_motion

    return segments_motion(recording, up=_up_vector(options.up))


def _from_markers(recording: Recording, options: Reading) -> Motion:
    from mocap_reroot.skeletons.from_markers import markers_motion

    recording, static = _of_one(recording, options)
    return markers_motion(
        recording,
        markerset=options.markerset,
        static=static,
        up=_up_vector(options.up),
        unit=options.unit,
        fitting=options.fitting,
    )


def _of_one(recording: Recording, options: Reading) -> tuple[Recording, Recording | None]:
    """Return the markers of the person who is asked for, and his static trial."""
    from mocap_reroot.skeletons.labels import of_subject

    static = None if options.static is None else read_recording(options.static)
    if options.subject is not None:
        recording = of_subject(recording, options.subject)
        with suppress(UnknownNameError):  # a trial of this person alone may not name him
            static = static and of_subject(static, options.subject)
    return recording, static


def _from_model(recording: Recording, options: Reading) -> Motion:
    from mocap_reroot.importers.osim import read_osim
    from mocap_reroot.skeletons import by_model

    assert options.model is not None
    model = read_osim(options.model)
    if recording.coordinates is not None:
        return by_model.coordinates_motion(recording, model)
    recording, static = _of_one(recording, options)
    return by_model.markers_motion(
        recording,
        model,
        static=static,
        scale=options.scale_model,
        up=_up_vector(options.up),
        unit=options.unit,
    )


def _with_plates(
    motion: Motion, recording: Recording, options: Reading, parameters: PlateParameters | None
) -> Motion:
    """Add measured ground forces: those of the given file, else the recording's own."""
    raw = recording.plates
    if options.plates is not None:
        from mocap_reroot.importers.mot import read_mot

        raw = read_mot(options.plates)
    if raw is None:
        return motion
    from mocap_reroot.contact.plate_rules import credible_plates
    from mocap_reroot.signals.plates_to_frames import plates_to_frames

    def shared(start: float) -> float:
        """Return s that motion and plates have in common if the motion starts then."""
        stop = min(start + motion.n_frames / motion.fps, raw.start + raw.force.shape[-1] / raw.rate)
        return stop - max(start, raw.start)

    starts = [recording.start_time]
    if recording.format == "c3d" and options.plates is not None:
        starts.append(0.0)  # files made of a C3D often count from its first frame
    start_time = max(starts, key=shared)
    plates, repairs = plates_to_frames(raw, motion.fps, motion.n_frames, motion.up, start_time)
    kept, warnings = credible_plates(raw, plates, motion, parameters)
    source = motion.source.adding(repairs=repairs, warnings=warnings)
    return replace(motion, plates=kept, source=source)


def _up_vector(word: str) -> np.ndarray | None:
    return None if word == "auto" else axis_vector(word)
