"""Markers to a skeleton in motion: constant lengths, every bone aimed at its far joint.

Axes of every body: x forward, y up, z to the right in the neutral standing posture (ISB, Wu 2002
and 2005), so that rest rotations are identity but for the root's, which stands the body upright in
the file's axes. The pelvis originates midway between the hips; every other body at its joint.
Thigh and shank have z along the axis of knee and ankle, the foot has x along its sole.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from mocap_reroot.assembly import feet
from mocap_reroot.assembly.feet import FootShape
from mocap_reroot.assembly.joint_centres import constant_lengths
from mocap_reroot.assembly.landmarks import Landmarks, find_landmarks
from mocap_reroot.assembly.limbs import Measured, measure
from mocap_reroot.assembly.markersets import SIDES, MarkerSet
from mocap_reroot.assembly.up_axis import find_up
from mocap_reroot.assembly.vectors import (
    axes_along,
    axes_sideways,
    bridged,
    bridged_points,
    cross,
    level,
    median_point,
    quaternions,
    to_local,
    to_world,
)
from mocap_reroot.errors import FileError
from mocap_reroot.types import Anatomy, Inference, Motion, Recording, Skeleton, Source, flag_code

_PARENTS = {
    "pelvis": "",
    **{
        f"{side}_{body}": (f"{side}_{parent}" if parent not in ("pelvis", "trunk") else parent)
        for side in SIDES
        for body, parent in (
            ("thigh", "pelvis"),
            ("shank", "thigh"),
            ("foot", "shank"),
            ("toes", "foot"),
        )
    },
    "trunk": "pelvis",
    "head": "trunk",
    **{
        f"{side}_{body}": (f"{side}_{parent}" if parent != "trunk" else parent)
        for side in SIDES
        for body, parent in (("upper_arm", "trunk"), ("forearm", "upper_arm"), ("hand", "forearm"))
    },
}
_AIMS = {  # body: (its joint, the joint it is aimed at, whether that one is above)
    "thigh": ("hip", "knee"),
    "shank": ("knee", "ankle"),
    "upper_arm": ("shoulder", "elbow"),
    "forearm": ("elbow", "wrist"),
    "hand": ("wrist", "knuckle"),
}
_ESSENTIAL = ("pelvis", "thigh", "shank", "foot")
_KNUCKLE_ALONG_HAND = 0.53  # wrist to third knuckle, of the hand's length (de Leva 1996)


@dataclass(frozen=True, eq=False)
class Build:
    """What is constant in a person: lengths, offsets and neutral turns, from one recording.

    Attributes:
        offset: ``{body: (3)}`` m, its joint in the parent's axes.
        feet: ``{side: FootShape}``.
        head_turn: ``(3, 3)`` from the axes the head's markers span to the head's axes, or None.
        hip_to_asis: ``(3)`` m, from mid-hips to mid-ASIS in pelvic axes.
        sites: ``[(body, (3))]`` end points.
    """

    offset: dict[str, np.ndarray]
    feet: dict[str, FootShape]
    head_turn: np.ndarray | None
    hip_to_asis: np.ndarray
    sites: list[tuple[str, np.ndarray]]


def markers_motion(
    recording: Recording,
    *,
    markerset: str | MarkerSet = "auto",
    static: Recording | None = None,
    hip: str = "auto",
    up: np.ndarray | None = None,
    unit: str | float = "auto",
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

    Returns:
        Motion: SI, the file's axes, without force plates. Frames in which pelvis or legs cannot be
        placed are flagged ``gap`` (and bridged); those that lean on filled gaps ``filled``.

    Raises:
        FileError, ConfigError: If no marker set fits or pelvis and legs are never seen together.
    """
    reference = None if static is None else find_landmarks(static, markerset)
    chosen = markerset if reference is None else reference[1]
    marks, marker_set = find_landmarks(
        recording, chosen, reference[0] if reference else None, unit=unit
    )
    found_up, inference, warnings = find_up(recording, marks)
    up = found_up if up is None else np.asarray(up, dtype=float)
    method = marker_set.methods.get("hip", "harrington") if hip == "auto" else hip
    height = recording.height or (static.height if static is not None else None)
    body = measure(marks, up, height, method)
    if reference is not None and static is not None:
        static_up = find_up(static, reference[0])[0]
        still = measure(reference[0], static_up, height, method)
        build = find_build(still, reference[0], static_up, _floors(static, static_up))
    else:
        build = find_build(body, marks, up, _floors(recording, up))
    names, R, origin = place(body, marks, build, up)
    return _motion(
        recording,
        marks,
        marker_set,
        build,
        up,
        names,
        R,
        origin,
        inference,
        warnings + _assumptions(body),
    )


def find_build(body: Measured, marks: Landmarks, up: np.ndarray, floors: np.ndarray) -> Build:
    """Return the constant measures of a person: medians over the recording."""
    middle = (body.hip["left"] + body.hip["right"]) / 2
    offset = {f"{side}_thigh": body.hip[side] - middle for side in SIDES}
    sites: list[tuple[str, np.ndarray]] = []
    shapes: dict[str, FootShape] = {}
    centres = body.centres
    for side in SIDES:
        for segment, below in (
            ("thigh", "shank"),
            ("shank", "foot"),
            ("upper_arm", "forearm"),
            ("forearm", "hand"),
        ):
            near, far = (f"{side}_{joint}" for joint in _AIMS[segment])
            if near in centres and far in centres:
                length = np.nanmedian(np.linalg.norm(centres[far] - centres[near], axis=0))
                offset[f"{side}_{below}"] = np.array([0.0, -length, 0.0])
        if f"{side}_ankle" in centres:
            shape = feet.foot_shape(
                marks, side, centres[f"{side}_ankle"], centres[f"{side}_knee"], up, floors
            )
            if shape is not None:
                shapes[side] = shape
                _foot_sites(side, shape, offset, sites)
        knuckle = f"{side}_knuckle"
        if knuckle in centres:
            reach = np.nanmedian(
                np.linalg.norm(centres[knuckle] - centres[f"{side}_wrist"], axis=0)
            )
            sites.append((f"{side}_hand", np.array([0.0, -reach / _KNUCKLE_ALONG_HAND, 0.0])))
    head_turn = None
    if "neck" in centres:
        offset["trunk"] = (
            median_point(to_local(body.pelvis, centres["lumbar"] - body.asis)) - middle
        )
        trunk = axes_along(centres["neck"] - centres["lumbar"], body.sideways["trunk"])
        offset["head"] = median_point(to_local(trunk, centres["neck"] - centres["lumbar"]))
        for side in SIDES:
            if f"{side}_shoulder" in centres:
                arm = to_local(trunk, centres[f"{side}_shoulder"] - centres["lumbar"])
                offset[f"{side}_upper_arm"] = median_point(arm)
        head = _head_span(marks)
        if head is not None:
            head_turn = level(head, up)
            sites.append(("head", _head_top(marks, head @ head_turn, centres["neck"])))
    return Build(offset, shapes, head_turn, -middle, sites)


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
        span = _head_span(marks)
        return None if span is None or build.head_turn is None else span @ build.head_turn
    side, part = name.split("_", 1)
    if part == "foot":
        if side not in build.feet:
            return None
        return feet.foot_axes(marks, side, at, body.centres[f"{side}_knee"], build.feet[side])
    if part == "toes":
        return feet.toe_axes(marks, side, R[f"{side}_foot"], at, build.feet[side])
    target = aims.get(f"{side}_{_AIMS[part][1]}")
    if target is None or name not in body.sideways:
        return None
    return axes_along(at - target, body.sideways[name])


def _foot_sites(
    side: str, shape: FootShape, offset: dict[str, np.ndarray], sites: list[tuple[str, np.ndarray]]
) -> None:
    """Add the ends of the sole: heel and toe tip, or heel and ball with the tip on the toes."""
    sites.append((f"{side}_foot", shape.heel))
    if shape.ball is None:
        sites.append((f"{side}_foot", shape.tip))
        return
    offset[f"{side}_toes"] = shape.ball
    sites.append((f"{side}_foot", np.array([shape.ball[0], shape.tip[1], shape.ball[2]])))
    sites.append((f"{side}_toes", shape.tip - shape.ball))


def _head_span(marks: Landmarks) -> np.ndarray | None:
    """Return the axes that the head's markers span, from whichever of them are there."""
    front = {s: p for s in SIDES if (p := marks.get(f"{s}_head_front")) is not None}
    back = {s: p for s in SIDES if (p := marks.get(f"{s}_head_back")) is not None}
    pairs = [group for group in (front, back) if len(group) == 2]
    both = [side for side in SIDES if side in front and side in back]
    if pairs and both:
        across = np.mean([group["right"] - group["left"] for group in pairs], axis=0)
        forward = np.mean([front[side] - back[side] for side in both], axis=0)
        return axes_sideways(across, forward)
    temples = [marks.get(f"{s}_head_side") for s in SIDES]
    top = marks.get("head_top")
    if temples[0] is not None and temples[1] is not None and top is not None:
        across = temples[1] - temples[0]
        return axes_sideways(across, cross(top - (temples[0] + temples[1]) / 2, across))
    fore, rear = marks.get("head_front"), marks.get("head_back")
    if fore is not None and rear is not None and top is not None:
        return axes_sideways(cross(fore - rear, top - rear), fore - rear)
    return None


def _head_top(marks: Landmarks, R: np.ndarray, neck: np.ndarray) -> np.ndarray:
    """Return ``(3)`` m, the crown in the head's axes: its marker, or half a head's depth above."""
    top = marks.get("head_top")
    if top is not None:
        return median_point(to_local(R, top - neck))
    ring = [p for name, p in marks.points.items() if name.endswith(("head_front", "head_back"))]
    local = np.array([median_point(to_local(R, point - neck)) for point in ring])
    return local.mean(axis=0) + np.array([0.0, np.ptp(local[:, 0]) / 2, 0.0])


def _floors(recording: Recording, up: np.ndarray) -> np.ndarray:
    """Return heights at which there may be a floor: the plates', and zero."""
    plates = [] if recording.plates is None else list(recording.plates.corners.mean(axis=1) @ up)
    return np.array([0.0, *plates])


def _assumptions(body: Measured) -> list[str]:
    if not body.assumed:
        return []
    return [f"The file gives no joint widths: {'; '.join(body.assumed)}."]


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
    source = Source(
        path=recording.path,
        format=recording.format,
        unit=marks.unit,
        unit_scale=marks.unit_scale,
        first_frame=recording.first_frame,
        inferred=(up_inference, Inference("marker_set", marker_set.name, 1.0, set_evidence)),
        repairs=(*recording.repairs, *repairs),
        warnings=(*recording.warnings, *warnings),
        mass=recording.mass,
        height=recording.height,
        events=recording.events,
    )
    return Motion(
        skeleton=skeleton,
        fps=recording.fps,
        up=up,
        rotation=np.array(rotation),
        displacement=bridged_points(origin, good["pelvis"])[None],
        flags=flags,
        source=source,
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
    filled = {name: int(lost.sum()) for name, lost in marks.filled.items() if lost.any()}
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
    if marks.others:
        report.append(f"Other subjects or objects were left out: {', '.join(marks.others)}.")
    return report
