"""infer_hierarchy(): unit, up axis, frame rate and segments, each with evidence."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from mocap_reroot.errors import FileError, MocapRerootError
from mocap_reroot.inference.anatomy import Found, find_anatomy
from mocap_reroot.inference.axes import Up, find_up
from mocap_reroot.inference.channels import rotations
from mocap_reroot.inference.flights import find_flights, tracks
from mocap_reroot.inference.naming import Naming, part_of, read_segments, recognise
from mocap_reroot.inference.sampling import Poses, poses, sampled_frames, sound_frames
from mocap_reroot.inference.timebase import TimeBase, check_frame_time
from mocap_reroot.inference.units import Unit, find_unit, leg_length
from mocap_reroot.numerics.units import METRES
from mocap_reroot.numerics.vectors import axis_vector
from mocap_reroot.types import Anatomy, Hierarchy, Inference, Recording


@dataclass(frozen=True, eq=False)
class InferredHierarchy:
    """What was inferred about a hierarchy.

    Attributes:
        unit_scale, unit: Metres per file unit, and its name (a number as text where it has none).
        up: ``(3)`` unit vector.
        anatomy: Who is who.
        inferred: Every inference with its evidence.
        warnings: Sentences.
    """

    unit_scale: float
    unit: str
    up: np.ndarray
    anatomy: Anatomy
    inferred: tuple[Inference, ...]
    warnings: tuple[str, ...]


def infer_hierarchy(
    recording: Recording,
    *,
    unit: str | float = "auto",
    up: str = "auto",
    segments: str | Path | None = None,
    rotation: Callable[[], np.ndarray] | None = None,
) -> InferredHierarchy:
    """Infer what a hierarchy's file does not say; what the user or the file states is not inferred.

    Args:
        recording: With a hierarchy.
        unit: Name of the unit, metres per unit, or ``"auto"``.
        up: ``"y"``, ``"-z"`` …, or ``"auto"``.
        segments: The user's table of segments, or naming convention.
        rotation: Returns ``(n, 4, F)`` the clip's quaternions; asked only if they are needed.
    """
    hierarchy = recording.hierarchy
    if hierarchy is None:
        raise MocapRerootError(f"{recording.path}: a hierarchy was expected; the file has none.")
    stated, extra = read_segments(segments) if segments is not None else ({}, ())
    sound = sound_frames(recording)
    turned = None if rotation is None else rotation()
    look = poses(hierarchy, sampled_frames(sound), turned)
    if not look.size > 0:
        raise FileError(
            recording.path,
            "all its bones have length zero; a skeleton has an extent.",
            todo="Export it again with its bone lengths.",
        )
    naming = recognise(hierarchy.names, extra)
    found = find_anatomy(look, naming, stated)
    axis = _stated_up(up, recording) or find_up(look, found.plan, found.anatomy.segments)
    vector = axis_vector(axis.axis)
    followed = []
    if found.anatomy.human:
        turned_all = rotations(hierarchy) if rotation is None else rotation()
        followed = tracks(hierarchy, found.plan, vector, turned_all, sound)
    leg = leg_length(found.plan) if found.plan.legs else 0.0
    flights = find_flights(followed, recording.fps, leg)
    usual = naming.convention.unit if naming.convention else ""
    length = _stated_unit(unit, recording) or find_unit(look, found.plan, usual, vector, flights)
    clock = check_frame_time(recording.fps, length.scale, leg, followed, flights)
    inferred = [
        Inference("unit", _unit_value(length), length.confidence, length.evidence),
        Inference("up", axis.axis, axis.confidence, axis.evidence),
        _naming_inference(naming, found),
        Inference(
            "frame_time", 1 / recording.fps, clock.confidence, _clock_evidence(clock, recording)
        ),
        *_ground_and_root(hierarchy, look, vector, length.scale),
        *_unmeasured(recording),
    ]
    warnings = [*found.warnings, *_doubts(length, axis, clock, found)]
    if segments is None:
        warnings += _guesses(hierarchy.names, naming, found)
    warnings += [i.evidence for i in inferred if i.what == "root" and i.value != "travels"]
    return InferredHierarchy(
        length.scale,
        length.name or f"{length.scale:g}",
        vector,
        found.anatomy,
        tuple(inferred),
        tuple(warnings),
    )


def _unit_value(unit: Unit) -> str | float:
    return unit.name or unit.scale


def _stated_unit(unit: str | float, recording: Recording) -> Unit | None:
    if unit == "auto" and recording.unit in METRES:
        return Unit(recording.unit, METRES[recording.unit], 1.0, "stated by the file")
    if unit == "auto":
        return None
    if isinstance(unit, str):
        return Unit(unit, METRES[unit], 1.0, "stated by the user")
    return Unit("", float(unit), 1.0, "stated by the user")


def _stated_up(up: str, recording: Recording) -> Up | None:
    if up != "auto":
        return Up(up.removeprefix("+"), 1.0, "stated by the user")
    if recording.up:
        return Up(recording.up.removeprefix("+"), 1.0, "stated by the file")
    return None


def _unmeasured(recording: Recording) -> list[Inference]:
    """Report what the file holds though nobody measured it."""
    parts = recording.notes.get("unmeasured", "")
    return [Inference("unmeasured", parts, 1.0, "stated by the file")] if parts else []


def _clock_evidence(clock: TimeBase, recording: Recording) -> str:
    note = recording.notes.get("frame_time", "")
    return f"{note.rstrip('.')}; {clock.evidence}" if note else clock.evidence


def _naming_inference(naming: Naming, found: Found) -> Inference:
    name = found.anatomy.convention
    if name:
        evidence = (
            f"it knows {naming.coverage:.0%} of the names; the shape of the tree agrees with "
            f"{found.names_agree:.0%} of the key ones"
        )
        return Inference("convention", name, min(naming.coverage, 1.0), evidence)
    evidence = "no known convention holds these names; parts follow from their words and the shape"
    return Inference("convention", "", 0.0, evidence)


def _guesses(names: Sequence[str], naming: Naming, found: Found) -> list[str]:
    """Say which parts were guessed, where no known convention holds the names."""
    anatomy = found.anatomy
    if anatomy.convention or not anatomy.human:
        return []
    guessed: dict[str, str] = {}
    believed = any(reason.startswith("the words") for reason in anatomy.reasons)
    said = set(naming.segments) if believed else set()  # names that lie are not asked
    for name, segment in zip(names, anatomy.segments, strict=True):
        if segment not in said and part_of(segment) in _NAMED_PARTS:
            guessed.setdefault(segment, name)
    listed = ", ".join(f"{name} = {segment}" for segment, name in guessed.items())
    return [
        f"No naming convention holds these names (0 %), and of some parts neither do words tell: "
        f"guessed from the shape are {listed}. State with --segments what is wrong."
    ] * bool(guessed)


_NAMED_PARTS = ("pelvis", "thigh", "shank", "foot", "trunk", "head", "upper_arm", "forearm", "hand")
"""Parts that are named where they were guessed."""


def _ground_and_root(
    hierarchy: Hierarchy, look: Poses, up: np.ndarray, scale: float
) -> list[Inference]:
    """Report the level of the floor, and a root that does not travel."""
    axis = int(np.abs(up).argmax())
    level = float(np.quantile(look.lowest[int(up[axis] < 0), axis], 0.1)) * scale
    floor = Inference(
        "floor", round(level, 4), 0.7, f"the body's lowest points are at {level:.3f} m along up"
    )
    root = int((look.parents < 0).argmax())
    slack = 1e-5 * look.size  # rounding in print
    if len(look.frames) < 2:
        count = "only one" if hierarchy.values.shape[1] else "no"
        return [floor, Inference("root", "still", 1.0, f"There is {count} frame.")]
    if np.ptp(look.position[root], axis=1).max() > slack:
        return [floor, Inference("root", "travels", 1.0, "the root moves with the body")]
    moved = np.ptp(look.position, axis=2).max(axis=1)
    if moved.max() <= slack:
        return [floor, Inference("root", "still", 0.9, "Nothing moves: all frames are the same.")]
    for body, channels in enumerate(hierarchy.channels):
        slides = any(channel.lower().endswith("position") for channel in channels)
        if body != root and slides and moved[body] > 0.02 * look.size:
            name, base = look.names[body], look.names[root]
            return [
                floor,
                Inference(
                    "root",
                    f"static above {name}",
                    0.95,
                    f"The root {base!r} stands still and {name!r} below it travels.",
                ),
            ]
    return [
        floor,
        Inference(
            "root",
            "fixed",
            0.95,
            f"The root {look.names[root]!r} never moves: where the body travelled was not "
            "recorded, contacts follow from the pose alone.",
        ),
    ]


def _doubts(unit: Unit, up: Up, clock: TimeBase, found: Found) -> list[str]:
    doubts = [unit.warning, clock.warning]
    if up.confidence < 0.7:
        doubts.append(f"The up axis is uncertain ({up.axis}: {up.evidence}). State it with --up.")
    if not found.anatomy.human:
        doubts.append(
            "This is not taken for a whole person: what needs anatomy (segment masses by part, "
            "anatomical angles) is left out or approximated. State the parts with --segments."
        )
    return [doubt for doubt in doubts if doubt]
