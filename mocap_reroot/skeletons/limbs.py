"""Joint centres and segment axes of the limbs from landmarks, before any fitting.

Directions are in world axes, ``(3, F)``; sideways hints point to the body's right on both sides.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from mocap_reroot.skeletons import joint_centres
from mocap_reroot.skeletons.landmarks import Landmarks
from mocap_reroot.skeletons.markersets import SIDES
from mocap_reroot.skeletons.vectors import (
    axes_sideways,
    cross,
    median_point,
    to_local,
    to_world,
    unit,
)

_NECK_BEFORE_C7 = 0.04
"""Of stature, half the way from C7 to the sternal notch: nine people's median (0.079 / 2)."""
# Widths of joints over stature where nobody measured them: adults' means of ANSUR and Plug-in Gait
# trials, good to a centimetre.
_KNEE_WIDTH, _ANKLE_WIDTH, _ELBOW_WIDTH = 0.060, 0.041, 0.045
_LEG_OVER_BONES = (
    1.08  # from the ASIS, over thigh and shank (0.53 and 0.491 of stature, Winter 2009)
)
_SHOULDER_BELOW_ACROMION = 0.104  # of the upper arm's length (de Leva 1996)


@dataclass(eq=False)
class Measured:
    """What the markers say about the pelvis, the joints and the directions of the bones.

    Attributes:
        pelvis: ``(F, 3, 3)`` axes of the pelvis.
        asis: ``(3, F)`` midpoint of the ASIS, or of the hips.
        centres: ``{joint: (3, F)}`` m: ``left_hip``, ``left_knee``, ``left_ankle``, ``lumbar`` …
        sideways: ``{segment: (3, F)}`` hints to the right.
        hip: ``{side: (3)}`` hip centres in pelvic axes, from the ASIS midpoint.
        assumed: Widths of joints that had to be assumed.
    """

    pelvis: np.ndarray
    asis: np.ndarray
    centres: dict[str, np.ndarray] = field(default_factory=dict)
    sideways: dict[str, np.ndarray] = field(default_factory=dict)
    hip: dict[str, np.ndarray] = field(default_factory=dict)
    assumed: list[str] = field(default_factory=list)


def measure(
    marks: Landmarks, up: np.ndarray, height: float | None, hip_method: str = "davis"
) -> Measured:
    """Locate the joints of the whole body.

    Args:
        marks: Landmarks.
        up: ``(3)``.
        height: m, stature if known; scales widths that nobody measured.
        hip_method: ``"davis"``, ``"bell"``, ``"harrington"``; joint centres stated as points win
            only if there are no ASIS markers or the method is ``"stated"``.
    """
    body = _pelvis(marks, up)
    stature = height or _stature(marks, up)
    _hips(body, marks, hip_method)
    for side in SIDES:
        _leg(body, marks, side, stature)
    _trunk(body, marks, stature)
    for side in SIDES:
        _arm(body, marks, side, stature)
    return body


def _pelvis(marks: Landmarks, up: np.ndarray) -> Measured:
    left, right = marks.get("left_asis"), marks.get("right_asis")
    back = marks.get("sacrum")
    if back is None:
        back = marks.mean("left_psis", "right_psis")
    if left is not None and right is not None and back is not None:
        middle = (left + right) / 2
        return Measured(axes_sideways(right - left, middle - back), middle)
    left, right = marks.points["left_hip_centre"], marks.points["right_hip_centre"]
    middle = (left + right) / 2
    top = marks.get("neck_centre")
    if top is None:
        top = marks.mean("left_shoulder_centre", "right_shoulder_centre")
    above = np.repeat(up[:, None], marks.n_frames, axis=1) if top is None else top - middle
    return Measured(axes_sideways(right - left, np.cross(above, right - left, axis=0)), middle)


def _hips(body: Measured, marks: Landmarks, method: str) -> None:
    """Set the hip centres, constant in pelvic axes."""
    stated = {side: marks.get(f"{side}_hip_centre") for side in SIDES}
    have_asis = "left_asis" in marks.points and "right_asis" in marks.points
    all_stated = all(point is not None for point in stated.values())
    for side in SIDES:
        point = stated[side]
        if point is not None and all_stated and (method == "stated" or not have_asis):
            body.hip[side] = median_point(to_local(body.pelvis, point - body.asis))
        else:
            body.hip[side] = hip_regression(body, marks, side, method)
        body.centres[f"{side}_hip"] = body.asis + to_world(body.pelvis, body.hip[side])


def hip_regression(body: Measured, marks: Landmarks, side: str, method: str) -> np.ndarray:
    """Return ``(3)`` a hip centre in pelvic axes by one of the regressions.

    ``"stated"`` falls back on Harrington's where the file states none.
    """
    across = marks.points["right_asis"] - marks.points["left_asis"]
    width = marks.measures.get("asis_width", float(np.nanmedian(np.linalg.norm(across, axis=0))))
    standoff = marks.marker_radius + joint_centres.MARKER_BASE
    if method == "bell":
        return joint_centres.hip_bell(side, width, standoff)
    if method in ("harrington", "stated"):
        back = marks.mean("left_psis", "right_psis")
        back = marks.points["sacrum"] if back is None else back
        depth = float(np.nanmedian(np.linalg.norm(body.asis - back, axis=0)))
        return joint_centres.hip_harrington(side, width, depth, standoff)
    legs = {s: _leg_length(marks, s) for s in SIDES}
    depth = marks.measures.get(f"{side}_asis_depth", joint_centres.asis_depth_from_leg(legs[side]))
    mean_leg = (legs["left"] + legs["right"]) / 2
    return joint_centres.hip_davis(side, mean_leg, width, depth, marks.marker_radius)


def _leg_length(marks: Landmarks, side: str, other: str | None = "") -> float:
    """Return m, ASIS to ankle over the knee, where nobody measured it; of the other leg if need be.

    Args:
        marks: Landmarks.
        side: Whose leg.
        other: The leg to ask where this one has no markers; None: no other.
    """
    if other == "":
        other = SIDES[side == SIDES[0]]
    stated = marks.measures.get(f"{side}_leg_length")
    if stated is not None:
        return stated
    chain = [marks.get(f"{side}_{name}") for name in ("asis", "lateral_knee", "lateral_ankle")]
    if any(point is None for point in chain):
        chain = [marks.get(f"{side}_{name}") for name in ("asis", "knee_centre", "ankle_centre")]
    over_hip = 1.0
    if any(point is None for point in chain):
        chain = [marks.get(f"{side}_{name}_centre") for name in ("hip", "knee", "ankle")]
        over_hip = _LEG_OVER_BONES
    if any(point is None for point in chain):
        return 0.9 if other is None else _leg_length(marks, other, None)
    steps = np.diff(np.array(chain), axis=0)
    return over_hip * float(np.nanmedian(np.linalg.norm(steps, axis=1).sum(axis=0)))


def _stature(marks: Landmarks, up: np.ndarray) -> float:
    """Return m, a rough stature from the leg's length (0.53 of it, Winter 2009)."""
    return float(
        np.clip((_leg_length(marks, "left") + _leg_length(marks, "right")) / 2 / 0.53, 0.7, 2.3)
    )


def _half_width(body: Measured, marks: Landmarks, side: str, joint: str, usual: float) -> float:
    """Return m, from a lateral marker's centre to the joint's centre."""
    stated = marks.measures.get(f"{side}_{joint}_width")
    if stated is None:
        body.assumed.append(f"{side} {joint} {usual * 1000:.0f} mm")
        stated = usual
    return stated / 2 + marks.marker_radius


def _leg(body: Measured, marks: Landmarks, side: str, stature: float) -> None:
    sign = 1.0 if side == "right" else -1.0
    right = body.pelvis[:, :, 2].T
    above = body.centres[f"{side}_hip"]
    for joint, segment, wand, usual in (
        ("knee", "thigh", "thigh_wand", _KNEE_WIDTH * stature),
        ("ankle", "shank", "shank_wand", _ANKLE_WIDTH * stature),
    ):
        lateral, medial = marks.get(f"{side}_lateral_{joint}"), marks.get(f"{side}_medial_{joint}")
        stated, stick = marks.get(f"{side}_{joint}_centre"), marks.get(f"{side}_{wand}")
        if lateral is not None and medial is not None:
            centre, axis = (lateral + medial) / 2, sign * (lateral - medial)
        elif lateral is not None:
            half = _half_width(body, marks, side, joint, usual)
            if stick is not None:
                centre = joint_centres.chord(above, stick, lateral, half)
            else:
                centre = joint_centres.beside(lateral, above - lateral, -sign * right, half)
            axis = sign * (lateral - centre)
        elif stated is not None:
            centre, axis = stated, right
        else:
            return
        body.centres[f"{side}_{joint}"] = centre
        body.sideways[f"{side}_{segment}"] = axis
        above, right = centre, unit(axis)


def _trunk(body: Measured, marks: Landmarks, stature: float) -> None:
    """Set the lumbar joint, the neck, and which way the trunk and the head face."""
    c7, notch = marks.get("c7"), marks.get("sternal_notch")
    shoulders = marks.mean("left_acromion", "right_acromion")
    if shoulders is None:
        shoulders = marks.mean("left_shoulder_centre", "right_shoulder_centre")
    neck = marks.get("neck_centre")
    if neck is None and c7 is not None and notch is not None:
        neck = (c7 + notch) / 2
    if neck is None:
        neck = shoulders
    if neck is None and c7 is not None:
        neck = c7 + _NECK_BEFORE_C7 * stature * body.pelvis[:, :, 0].T
    if neck is None:
        return
    if {"left_asis", "right_asis"} <= set(marks.points):
        across = marks.points["right_asis"] - marks.points["left_asis"]
        lumbar = joint_centres.lumbar(float(np.nanmedian(np.linalg.norm(across, axis=0))))
    else:
        hips = float(np.linalg.norm(body.hip["right"] - body.hip["left"]))
        lumbar = joint_centres.lumbar_above_hips(hips)
    body.centres["lumbar"] = body.asis + to_world(body.pelvis, lumbar)
    body.centres["neck"] = neck
    front = [p for name in ("sternal_notch", "xiphoid") if (p := marks.get(name)) is not None]
    back = [p for name in ("c7", "t10") if (p := marks.get(name)) is not None]
    along = neck - body.centres["lumbar"]
    if front and back:
        forward = np.mean(front, axis=0) - np.mean(back, axis=0)
        body.sideways["trunk"] = np.cross(forward, along, axis=0)
    else:
        sides = [marks.get(f"{s}_acromion") for s in SIDES]
        if sides[0] is None or sides[1] is None:
            sides = [marks.get(f"{s}_shoulder_centre") for s in SIDES]
        if sides[0] is not None and sides[1] is not None:
            body.sideways["trunk"] = sides[1] - sides[0]
        else:
            body.sideways["trunk"] = body.pelvis[:, :, 2].T


def _arm(body: Measured, marks: Landmarks, side: str, stature: float) -> None:
    if "neck" not in body.centres:
        return
    sign = 1.0 if side == "right" else -1.0
    shoulder, acromion = marks.get(f"{side}_shoulder_centre"), marks.get(f"{side}_acromion")
    lateral, medial = marks.get(f"{side}_lateral_elbow"), marks.get(f"{side}_medial_elbow")
    elbow = marks.get(f"{side}_elbow_centre")
    outer = lateral if lateral is not None else elbow
    if outer is None:
        return
    if shoulder is None and acromion is not None:
        arm = float(np.nanmedian(np.linalg.norm(outer - acromion, axis=0)))
        drop = marks.measures.get(f"{side}_shoulder_offset", _SHOULDER_BELOW_ACROMION * arm)
        down = unit(body.centres["lumbar"] - body.centres["neck"])
        shoulder = acromion + (drop + marks.marker_radius) * down
    if shoulder is None:
        return
    radial, ulnar = marks.get(f"{side}_radial_wrist"), marks.get(f"{side}_ulnar_wrist")
    wrist = marks.get(f"{side}_wrist_centre")
    thick = marks.measures.get(f"{side}_wrist_width")
    if wrist is None:
        present = [point for point in (radial, ulnar) if point is not None]
        wrist = np.mean(present, axis=0) if present else None
        if wrist is not None and thick is not None and radial is not None and ulnar is not None:
            # Plug-in Gait: the markers lie on the back of the wrist, its centre is under them.
            palm = cross(outer - wrist, sign * (radial - ulnar))
            wrist = wrist + (thick / 2 + marks.marker_radius) * unit(palm)
    steady = unit(body.sideways["trunk"])
    # As in Plug-in Gait, the plane in which the arm bends is taken through the lateral marker.
    axis = steady if wrist is None else joint_centres.flexion_axis(shoulder, outer, wrist, steady)
    if lateral is not None and medial is not None:
        elbow = (lateral + medial) / 2
        axis = sign * (lateral - medial)
    elif lateral is not None and elbow is None:
        half = _half_width(body, marks, side, "elbow", _ELBOW_WIDTH * stature)
        elbow = joint_centres.beside(lateral, shoulder - lateral, -sign * axis, half)
    assert elbow is not None  # stated, between two markers, or beside the lateral one
    body.centres[f"{side}_shoulder"], body.centres[f"{side}_elbow"] = shoulder, elbow
    body.sideways[f"{side}_upper_arm"] = axis
    if wrist is None:
        return
    body.centres[f"{side}_wrist"] = wrist
    body.sideways[f"{side}_forearm"] = axis
    if radial is not None and ulnar is not None:
        body.sideways[f"{side}_forearm"] = sign * (radial - ulnar)
    hand = marks.get(f"{side}_hand")
    if hand is not None:
        body.centres[f"{side}_knuckle"] = hand
        body.sideways[f"{side}_hand"] = body.sideways[f"{side}_forearm"]
