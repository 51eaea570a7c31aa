"""markers_motion(): markers to a skeleton of constant segment lengths, and its motion.

Axes of every body: x forward, y up, z to the right in the neutral standing posture (ISB, Wu 2002
and 2005), so that rest rotations are identity but for the root's, which stands the body upright in
the file's axes. The pelvis originates midway between the hips; every other body at its joint.
Thigh and shank have z along the axis of knee and ankle, the foot has x along its sole.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from mocap_reroot.errors import FileError, UnknownNameError
from mocap_reroot.skeletons.build import (
    AIMS,
    Build,
    arms_seen,
    find_build,
    foot_axes,
    head_span,
    toe_axes,
    with_arms,
)
from mocap_reroot.skeletons.calibration import attached_markers, from_static
from mocap_reroot.skeletons.fitting import fitted_motion
from mocap_reroot.skeletons.joint_centres import constant_lengths
from mocap_reroot.skeletons.landmarks import Landmarks, find_landmarks, find_up
from mocap_reroot.skeletons.limbs import Measured, measure
from mocap_reroot.skeletons.markersets import MarkerSet
from mocap_reroot.skeletons.pivots import with_pivots
from mocap_reroot.skeletons.unsmoothing import find_spline_loss, restored
from mocap_reroot.skeletons.vectors import (
    axes_along,
    bridged,
    bridged_points,
    quaternions,
    to_world,
)
from mocap_reroot.types import Anatomy, Inference, Motion, Recording, Skeleton, Source, flag_code

_PARENTS = {
    "pelvis": "",
    "left_thigh": "pelvis", "left_shank": "left_thigh", "left_foot": "left_shank",
    "left_toes": "left_foot",
    "right_thigh": "pelvis", "right_shank": "right_thigh", "right_foot": "right_shank",
    "right_toes": "right_foot",
    "trunk": "pelvis", "head": "trunk",
    "left_upper_arm": "trunk", "left_forearm": "left_upper_arm", "left_hand": "left_forearm",
    "right_upper_arm": "trunk", "right_forearm": "right_upper_arm", "right_hand": "right_forearm",
}  # fmt: skip
_ESSENTIAL = ("pelvis", "thigh", "shank", "foot")
FITTINGS = ("auto", "stored", "first")
"""Ways to pose a skeleton: fitted to all markers, smoothing by a spline undone; fitted to them as
they are stored; in its first form."""


def markers_motion(
    recording: Recording,
    *,
    markerset: str | MarkerSet = "auto",
    static: Recording | None = None,
    hip: str = "auto",
    up: np.ndarray | None = None,
    unit: str | float = "auto",
    fitting: str = "auto",
) -> Motion:
    """Build a skeleton from markers and move it with them.

    Args:
        recording: With markers.
        markerset: ``"auto"``, the name of a set, a TOML file, or a set.
        static: A static trial of the same person: lengths, neutral posture and markers that were
            taken off later come from it. Without one, medians over the clip are used.
        hip: ``"auto"`` (as the set says), ``"davis"``, ``"bell"``, ``"harrington"``, ``"stated"``.
        up: ``(3)`` unit vector; by default as the file says, checked against the body.
        unit: ``"mm"``, ``"m"`` …, metres per unit, or ``"auto"``: as the file says.
        fitting: ``"auto"`` fits all markers at once (see :mod:`mocap_reroot.skeletons.fitting`),
            and undoes a spline that they were smoothed with before they were stored (see
            :mod:`mocap_reroot.skeletons.unsmoothing`); ``"stored"`` fits them as they are;
            ``"first"`` keeps the first form, in which every bone is aimed at its far joint.

    Returns:
        Motion: SI, the file's axes, without force plates. Frames in which pelvis or legs cannot be
        placed are flagged ``gap`` (and bridged); those that lean on filled gaps ``filled``.

    Raises:
        FileError, ConfigError: If no marker set fits or pelvis and legs are never seen together.
    """
    if fitting not in FITTINGS:
        raise UnknownNameError("fitting", fitting, FITTINGS)
    reference = None if static is None else find_landmarks(static, markerset, unit=unit)
    chosen = markerset if reference is None else reference[1]
    if static is not None and reference is not None:
        method = reference[1].methods.get("hip", "harrington") if hip == "auto" else hip
        reference = (with_pivots(static, reference[0], recording.height, method), reference[1])
    still_marks = reference[0] if reference else None
    if static is not None:
        recording = replace(
            recording,
            mass=recording.mass or static.mass,
            height=recording.height or static.height,
        )

    def posed(recording: Recording, marks: Landmarks, marker_set: MarkerSet) -> Motion:
        method = marker_set.methods.get("hip", "harrington") if hip == "auto" else hip
        return _posed(recording, marks, marker_set, static, reference, method, up, fitting)

    marks, marker_set = find_landmarks(recording, chosen, still_marks, unit=unit)
    motion = posed(recording, marks, marker_set)
    loss = find_spline_loss(recording, marks, marker_set) if fitting == "auto" else None
    if loss is None:
        return motion
    recording = restored(recording, marks, loss)
    marks, _ = find_landmarks(recording, marker_set, still_marks, unit=unit)
    motion = posed(recording, marks, marker_set)
    return replace(motion, source=motion.source.adding(inferred=[loss.inference]))


def _posed(
    recording: Recording,
    marks: Landmarks,
    marker_set: MarkerSet,
    static: Recording | None,
    reference: tuple[Landmarks, MarkerSet] | None,
    hip: str,
    up: np.ndarray | None,
    fitting: str,
) -> Motion:
    """Return the skeleton that markers show, in motion."""
    found_up, inference, warnings = find_up(recording, marks)
    up = found_up if up is None else np.asarray(up, dtype=float)
    height = recording.height
    body = measure(marks, up, height, hip)
    build = find_build(body, marks, up, _floors(recording, up))
    if reference is not None and static is not None:
        static_up = find_up(static, reference[0])[0]
        still = measure(reference[0], static_up, height, hip)
        arms = arms_seen(marks, reference[0])
        standing_build = find_build(still, reference[0], static_up, _floors(static, static_up))
        build = with_arms(standing_build, build, arms)
    names, R, origin = place(body, marks, build, up)
    named, why = (
        (marks, marker_set),
        (inference, warnings + _weaknesses(marker_set, marks, body, build)),
    )
    motion = _motion(recording, *named, build, up, names, R, origin, *why)
    if fitting == "first":
        return motion
    attached = attached_markers(motion, recording, *named, body.centres)
    if reference is None or static is None:
        return fitted_motion(motion, attached)
    names, R, origin = place(still, reference[0], standing_build, static_up)
    standing = _motion(
        static, *reference, standing_build, static_up, names, R, origin, inference, []
    )
    kept = attached_markers(standing, static, *reference)
    attached = from_static(attached, motion.skeleton, kept, standing.skeleton, but=arms)
    return fitted_motion(motion, attached, calibrations=1)


def place(
    body: Measured, marks: Landmarks, build: Build, up: np.ndarray
) -> tuple[list[str], dict[str, np.ndarray], np.ndarray]:
    """Chain the bodies from the pelvis outwards, each aimed at its measured far joint.

    Returns:
        Names of the bodies, parents first; their ``(F, 3, 3)`` axes, NaN where unknown; and the
        ``(3, F)`` origin of the pelvis.
    """
    origin = body.asis - to_world(body.pelvis, build.hip_to_asis)
    aims = dict(body.centres)
    R: dict[str, np.ndarray] = {"pelvis": body.pelvis}
    where: dict[str, np.ndarray] = {"pelvis": origin}
    for name, parent in _PARENTS.items():
        if name == "pelvis" or parent not in R or name not in build.offset:
            continue
        at = where[parent] + to_world(R[parent], build.offset[name])
        if name.endswith(("thigh", "upper_arm")):
            _share_out(name, at, aims, build)
        axes = _axes(name, at, body, aims, marks, build, R)
        if axes is not None and np.isfinite(axes).all(axis=(1, 2)).any():
            R[name], where[name] = axes, at
    return list(R), R, origin


def _share_out(name: str, at: np.ndarray, aims: dict[str, np.ndarray], build: Build) -> None:
    """Move the targets of a limb as little as its constant lengths allow."""
    side, part = name.split("_", 1)
    middle, end = ("knee", "ankle") if part == "thigh" else ("elbow", "wrist")
    below = {"thigh": ("shank", "foot"), "upper_arm": ("forearm", "hand")}[part]
    near, far = (build.offset.get(f"{side}_{bone}") for bone in below)
    joint, last = aims.get(f"{side}_{middle}"), aims.get(f"{side}_{end}")
    if near is None or far is None or joint is None or last is None:
        return
    lengths = float(np.linalg.norm(near)), float(np.linalg.norm(far))
    moved = constant_lengths(at, joint, last, lengths)
    aims[f"{side}_{middle}"], aims[f"{side}_{end}"] = moved


def _axes(
    name: str,
    at: np.ndarray,
    body: Measured,
    aims: dict[str, np.ndarray],
    marks: Landmarks,
    build: Build,
    R: dict[str, np.ndarray],
) -> np.ndarray | None:
    """Return the ``(F, 3, 3)`` axes of a body whose joint is at ``at``."""
    if name == "trunk":
        return axes_along(body.centres["neck"] - at, body.sideways["trunk"])
    if name == "head":
        span = head_span(marks)
        return None if span is None or build.head_turn is None else span @ build.head_turn
    side, part = name.split("_", 1)
    if part == "foot":
        if side not in build.feet:
            return None
        knee, right = body.centres[f"{side}_knee"], body.sideways[f"{side}_shank"]
        return foot_axes(marks, side, at, knee, right, build.feet[side])
    if part == "toes":
        return toe_axes(marks, side, R[f"{side}_foot"], at, build.feet[side])
    target = aims.get(f"{side}_{AIMS[part][1]}")
    if target is None or name not in body.sideways:
        return None
    return axes_along(at - target, body.sideways[name])


def _floors(recording: Recording, up: np.ndarray) -> np.ndarray:
    """Return heights at which there may be a floor: the plates', and zero."""
    plates = [] if recording.plates is None else list(recording.plates.corners.mean(axis=1) @ up)
    return np.array([0.0, *plates])


def _weaknesses(marker_set: MarkerSet, marks: Landmarks, body: Measured, build: Build) -> list[str]:
    """Say what had to be assumed, and what the set itself warns of."""
    said = [marker_set.caution] if marker_set.caution else []
    if body.assumed:
        widths = ", ".join(body.assumed)
        said.append(f"Joint widths not in the file were taken from stature: {widths}.")
    if any(shape.assumed for shape in build.feet.values()):
        said.append(
            "No marker is on the toes: feet of usual size that turn with the shanks stand for the "
            "feet, so ankles do not flex, and contacts and centres of pressure are rough."
        )
    elif any(f"{side}_heel" not in marks.points for side in build.feet):
        said.append(
            "No marker is on the heels: how feet turn is seen from ankles and toes, and without a "
            "static trial that has heels their length comes from the shanks'."
        )
    return said


def _motion(
    recording: Recording,
    marks: Landmarks,
    marker_set: MarkerSet,
    build: Build,
    up: np.ndarray,
    names: list[str],
    R: dict[str, np.ndarray],
    origin: np.ndarray,
    up_inference: Inference,
    warnings: list[str],
) -> Motion:
    good = {name: np.isfinite(R[name]).all(axis=(1, 2)) for name in names}
    good["pelvis"] = good["pelvis"] & np.isfinite(origin).all(axis=0)
    essential = [name for name in names if name.split("_", 1)[-1] in _ESSENTIAL]
    whole = np.all([good[name] for name in essential], axis=0)
    if not whole.any():
        never = [name for name in essential if not good[name].any()] or essential
        raise FileError(
            recording.path,
            f"there is no frame in which pelvis, legs and feet can all be placed "
            f"(missing: {', '.join(never)}).",
            todo="Fill the gaps in the capture software.",
        )
    flags = np.zeros(marks.n_frames, dtype=np.uint8)
    rebuilt = np.any(list(marks.filled.values()), axis=0)
    for frames in marks.by_joint.values():
        rebuilt = rebuilt | (frames & ~frames.all())  # of a marker never seen there are no gaps
    partial = np.any([~good[name] for name in names], axis=0)
    flags[rebuilt | partial] = flag_code("filled")
    flags[~whole] = flag_code("gap")
    axes = {name: bridged(R[name], good[name]) for name in names}
    parents = np.array([names.index(_PARENTS[n]) if _PARENTS[n] else -1 for n in names])
    rotation = [
        quaternions(axes[n] if p < 0 else axes[names[p]].transpose(0, 2, 1) @ axes[n])
        for n, p in zip(names, parents, strict=True)
    ]
    repairs = _gap_report(marks, names, good, whole)
    sites = [(names.index(body), at) for body, at in build.sites if body in names]
    skeleton = Skeleton(
        names=tuple(names),
        parents=parents,
        offset=np.array([build.offset.get(n, np.zeros(3)) for n in names]),
        rest=_rest(up, len(names)),
        site_body=np.array([b for b, _ in sites]),
        site_offset=np.array([at for _, at in sites]).reshape(-1, 3),
        anatomy=Anatomy(
            segments=tuple(names),
            confidence=np.ones(len(names)),
            reasons=(f"marker set {marker_set.name}",) * len(names),
            human=True,
            convention=marker_set.name,
        ),
    )
    set_evidence = f"its labels are there: {len(marks.points)} landmarks found"
    known = up_inference, Inference("marker_set", marker_set.name, 1.0, set_evidence)
    source = Source.of(recording, marks.unit, marks.unit_scale, known, warnings)
    return Motion(
        skeleton=skeleton,
        fps=recording.fps,
        up=up,
        rotation=np.array(rotation),
        displacement=bridged_points(origin, good["pelvis"])[None],
        flags=flags,
        source=source.adding(repairs=repairs),
    )


def _rest(up: np.ndarray, n: int) -> np.ndarray:
    """Return ``(n, 4)`` rest rotations: the root upright in the file's axes, the others none."""
    side = np.eye(3)[(int(np.argmax(np.abs(up))) + 1) % 3]
    x = np.cross(up, side)
    rest = np.tile([1.0, 0, 0, 0], (n, 1))
    rest[0] = quaternions(np.stack([x, up, np.cross(x, up)], axis=1)[None])[:, 0]
    return rest


def _gap_report(
    marks: Landmarks, names: list[str], good: dict[str, np.ndarray], whole: np.ndarray
) -> list[str]:
    """Say how many values were filled and how many frames are lost."""
    report = []
    filled = {name: int(loss.sum()) for name, loss in marks.filled.items() if loss.any()}
    if filled:
        worst = max(filled, key=lambda name: filled[name])
        report.append(
            f"Marker gaps were filled in {int(np.any(list(marks.filled.values()), axis=0).sum())} "
            f"frames (most: {worst}, {filled[worst]} frames)."
        )
    held = [name for name in names if not good[name][whole].all()]
    if held:
        report.append(f"Where markers were missing longer, poses were bridged: {', '.join(held)}.")
    if not whole.all():
        report.append(
            f"{int((~whole).sum())} of {len(whole)} frames lack pelvis or legs and are left out."
        )
    report += [
        f"{segment} is placed by two markers and the joint above in {int(frames.sum())} frames."
        for segment, frames in marks.by_joint.items()
    ]
    if marks.others:
        report.append(
            f"Other subjects or objects were left out: {', '.join(marks.others)}. "
            "Another person is chosen with --subject."
        )
    return report
