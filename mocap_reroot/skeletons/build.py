"""Segment lengths, joint offsets and neutral orientations, constant for a subject.

Feet and toes have axes from markers, turned so that they are level when the foot stands flat.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, replace

import numpy as np

from mocap_reroot.skeletons.landmarks import Landmarks
from mocap_reroot.skeletons.limbs import Measured
from mocap_reroot.skeletons.markersets import SIDES
from mocap_reroot.skeletons.vectors import (
    axes_along,
    axes_sideways,
    cross,
    level,
    median_point,
    to_local,
    to_world,
)

_BALL_ALONG_FOOT = 0.73  # heel to second metatarsal head, of the foot's length
_SOLE_BELOW_MARKER = 0.02  # m, where the floor is unknown
_FLOOR_REACH = 0.12  # m, how high above the floor the lowest marker of a flat foot can be
_STANDS_STILL = 0.15  # m/s
# What nobody marked: the foot's length, heel behind the ankle and height of the ankle over the
# length of the shank (Winter 2009; the heel as in Plug-in Gait trials).
_USUAL_LENGTH, _USUAL_HEEL, _USUAL_HEIGHT = 0.618, 0.14, 0.159

AIMS = {
    "thigh": ("hip", "knee"),
    "shank": ("knee", "ankle"),
    "upper_arm": ("shoulder", "elbow"),
    "forearm": ("elbow", "wrist"),
    "hand": ("wrist", "knuckle"),
}
"""Limb segments: the joint each hangs from and the point it is aimed at."""
_ARM = ("upper_arm", "forearm", "hand")
_ON_ARMS = (
    "acromion", "shoulder_centre", "lateral_elbow", "medial_elbow", "elbow_centre",
    "radial_wrist", "ulnar_wrist", "wrist_centre", "hand",
)  # fmt: skip
_KNUCKLE_ALONG_HAND = 0.53  # wrist to third knuckle, of the hand's length (de Leva 1996)


@dataclass(frozen=True, eq=False)
class FootShape:
    """What is constant in a foot, in its own axes: x along the sole, y up from it, z right.

    Attributes:
        turn: ``(3, 3)`` from the axes that the markers span to the foot's axes.
        heelless: ``(3, 3)`` the same from those that they span without the heel's, which may have
            been taken off after a static trial.
        heel, tip: ``(3)`` m, ends of the sole, from the ankle's centre.
        ball: ``(3)`` m, joint of the toes, from the ankle's centre; None without toe markers.
        toe_turn: ``(3, 3)`` the same as ``turn`` for the toes.
        assumed: No marker is on the toes: a foot of usual size that turns with the shank.
    """

    turn: np.ndarray
    heelless: np.ndarray
    heel: np.ndarray
    tip: np.ndarray
    ball: np.ndarray | None = None
    toe_turn: np.ndarray | None = None
    assumed: bool = False


def foot_shape(
    marks: Landmarks,
    side: str,
    ankle: np.ndarray,
    knee: np.ndarray,
    right: np.ndarray,
    up: np.ndarray,
    floors: np.ndarray,
) -> FootShape:
    """Return the constant shape of a foot, from the frames in which it stands flat.

    Args:
        marks: Landmarks of a static trial, or of the clip itself.
        side: ``"left"`` or ``"right"``.
        ankle, knee: ``(3, F)`` m, centres.
        right: ``(3, F)`` the shank's axis, to the right; for feet that nobody marked.
        up: ``(3)``.
        floors: ``(k)`` m, heights at which a floor may be (plates, zero).
    """
    toe, rear_end = _fore(marks, side), marks.get(f"{side}_heel")
    raw = _span(toe, rear_end, ankle, knee, right)
    flat = flat_frames(
        ankle if rear_end is None else rear_end, ankle if toe is None else toe, up, marks.fps
    )
    turn = level(raw[flat], up)
    heelless = level(_span(toe, None, ankle, knee, right)[flat], up)
    height = float(np.nanmedian((up @ ankle)[flat]))
    shank = float(np.nanmedian(np.linalg.norm(knee - ankle, axis=0)))
    if toe is None:
        return _usual_foot(heelless, shank, height, floors)
    axes = raw @ turn
    points = {
        name: median_point(to_local(axes, point - ankle))
        for name in ("toe", "toe_tip", "heel", "first_metatarsal", "fifth_metatarsal", "hallux")
        if (point := marks.get(f"{side}_{name}")) is not None
    }
    low = min(point[1] for point in points.values())
    sole = _sole(low, height, floors)
    front = points["toe" if "toe" in points else "toe_tip"]
    rear = -_USUAL_HEEL * shank
    if "heel" in points:
        rear = points["heel"][0] + marks.marker_radius
    end = rear + (front[0] - rear) / _BALL_ALONG_FOOT
    if "toe_tip" in points:
        end = points["toe_tip"][0]
    heel = np.array([rear, sole, points["heel"][2] if "heel" in points else 0.0])
    tip = np.array([end, sole, front[2]])
    if "hallux" not in points or "toe" not in points:
        return FootShape(turn, heelless, heel, tip)
    metatarsals = [points[m] for m in ("first_metatarsal", "fifth_metatarsal") if m in points]
    across = np.mean(metatarsals, axis=0) if len(metatarsals) == 2 else points["toe"]
    # The joint lies between the markers on the back of the foot and the sole.
    ball = np.array([across[0], (points["toe"][1] + sole) / 2, across[2]])
    pointing = _toe_span(axes, ankle + to_world(axes, ball), marks.points[f"{side}_hallux"])
    return FootShape(turn, heelless, heel, tip, ball, level(pointing[flat], up))


def foot_axes(
    marks: Landmarks,
    side: str,
    ankle: np.ndarray,
    knee: np.ndarray,
    right: np.ndarray,
    shape: FootShape,
) -> np.ndarray:
    """Return ``(F, 3, 3)`` axes of a foot whose shape is known; arguments as above."""
    heel = marks.get(f"{side}_heel")
    turn = shape.heelless if heel is None else shape.turn
    return _span(_fore(marks, side), heel, ankle, knee, right) @ turn


def toe_axes(
    marks: Landmarks, side: str, foot: np.ndarray, ball: np.ndarray, shape: FootShape
) -> np.ndarray:
    """Return ``(F, 3, 3)`` axes of the toes, which flex about the foot's z."""
    hallux = marks.get(f"{side}_hallux")
    if hallux is None or shape.toe_turn is None:
        return foot
    return _toe_span(foot, ball, hallux) @ shape.toe_turn


def flat_frames(heel: np.ndarray, toe: np.ndarray, up: np.ndarray, fps: float) -> np.ndarray:
    """Return ``(F)`` True where a foot stands flat.

    A foot that stands overground is still; on a treadmill it never is, and there the frames are
    taken in which heel and toe are both low.
    """
    if heel.shape[1] < 3:
        return np.ones(heel.shape[1], dtype=bool)
    speed = np.max(
        [np.linalg.norm(np.gradient(p, axis=1), axis=0) * fps for p in (heel, toe)], axis=0
    )
    score, slow = speed, np.nanpercentile(speed, 10)
    if slow > _STANDS_STILL:
        height = np.array([up @ heel, up @ toe])
        score = (height - np.nanmin(height, axis=1, keepdims=True)).max(axis=0)
        slow = np.nanpercentile(score, 10)
    return np.asarray(score <= slow)


def _usual_foot(turn: np.ndarray, shank: float, height: float, floors: np.ndarray) -> FootShape:
    """Return a foot of usual size, its sole on the floor nearest below the ankle of a flat foot.

    Args:
        turn: As in the shape.
        shank: m, its length.
        height: m, of the ankle when the foot stands flat.
        floors: ``(k)`` m.
    """
    above = height - floors
    possible = above[np.abs(above / (_USUAL_HEIGHT * shank) - 1) < 0.5]
    sole = -float(possible.min()) if len(possible) else -_USUAL_HEIGHT * shank
    rear = -_USUAL_HEEL * shank
    heel, tip = np.array([rear, sole, 0.0]), np.array([rear + _USUAL_LENGTH * shank, sole, 0.0])
    return FootShape(turn, turn, heel, tip, assumed=True)


def _fore(marks: Landmarks, side: str) -> np.ndarray | None:
    """Return the landmark that the foot points to: the ball, else the end of the toes."""
    toe = marks.get(f"{side}_toe")
    return marks.get(f"{side}_toe_tip") if toe is None else toe


def _span(
    toe: np.ndarray | None,
    heel: np.ndarray | None,
    ankle: np.ndarray,
    knee: np.ndarray,
    right: np.ndarray,
) -> np.ndarray:
    """Return the axes that the foot's markers span, or the shank's without one on the toes."""
    if toe is None:
        return axes_along(knee - ankle, right)
    if heel is None:
        return axes_sideways(cross(toe - ankle, knee - ankle), toe - ankle)
    return axes_sideways(cross(toe - heel, ankle - heel), toe - heel)


def _toe_span(foot: np.ndarray, ball: np.ndarray, hallux: np.ndarray) -> np.ndarray:
    return axes_sideways(foot[:, :, 2].T, hallux - ball)


def _sole(low: float, ankle_height: float, floors: np.ndarray) -> float:
    """Return m, height of the sole in foot axes: the floor nearest below a flat foot's markers."""
    above = low + ankle_height - floors
    possible = above[(above >= 0) & (above <= _FLOOR_REACH)]
    return low - float(possible.min()) if len(possible) else low - _SOLE_BELOW_MARKER


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


def with_arms(static: Build, own: Build, arms: Collection[str]) -> Build:
    """Return the build of a static trial with some arms as a clip itself has them.

    Shoulders ride on the trunk, and in static trials people hold out their arms: a chain from
    there is a few centimetres too long or too short for arms that hang, and their elbows buckle.

    Args:
        static, own: Builds from the static trial and from the clip.
        arms: Names of the bodies that are taken from the clip.
    """
    taken = {name: at for name, at in own.offset.items() if name in arms}
    kept = {name: at for name, at in static.offset.items() if name not in arms}
    sites = [s for s in static.sites if s[0] not in arms] + [s for s in own.sites if s[0] in arms]
    return replace(static, offset=kept | taken, sites=sites)


def arms_seen(marks: Landmarks, static: Landmarks) -> tuple[str, ...]:
    """Return names of the bodies of arms of which a clip sees all that a static trial does."""
    found: tuple[str, ...] = ()
    for side in SIDES:
        words = [name for name in static.points if name in {f"{side}_{w}" for w in _ON_ARMS}]
        if words and all(w in marks.points and not marks.filled[w].all() for w in words):
            found += tuple(f"{side}_{segment}" for segment in _ARM)
    return found


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
            near, far = (f"{side}_{joint}" for joint in AIMS[segment])
            if near in centres and far in centres:
                length = np.nanmedian(np.linalg.norm(centres[far] - centres[near], axis=0))
                offset[f"{side}_{below}"] = np.array([0.0, -length, 0.0])
        if f"{side}_ankle" in centres:
            leg = centres[f"{side}_ankle"], centres[f"{side}_knee"], body.sideways[f"{side}_shank"]
            shapes[side] = foot_shape(marks, side, *leg, up, floors)
            _foot_sites(side, shapes[side], offset, sites)
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
        head = head_span(marks)
        if head is not None:
            head_turn = level(head, up)
            sites.append(("head", _head_top(marks, head @ head_turn, centres["neck"])))
        elif not any(f"{side}_upper_arm" in offset for side in SIDES):
            sites.append(("trunk", offset["head"]))  # else nothing says how long it is
    return Build(offset, shapes, head_turn, -middle, sites)


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


def head_span(marks: Landmarks) -> np.ndarray | None:
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
    top, fore = marks.get("head_top"), marks.get("head_front")
    if temples[0] is not None and temples[1] is not None:
        across, between = temples[1] - temples[0], (temples[0] + temples[1]) / 2
        if top is not None:
            return axes_sideways(across, cross(top - between, across))
        if fore is not None:
            return axes_sideways(across, fore - between)
    rear, neck = marks.get("head_back"), marks.get("neck_centre")
    if fore is not None and rear is not None and top is not None:
        return axes_sideways(cross(fore - rear, top - rear), fore - rear)
    if fore is not None and neck is not None and top is not None:
        across = cross(fore - neck, top - neck)
        return axes_sideways(across, cross(top - neck, across))
    return None


def _head_top(marks: Landmarks, R: np.ndarray, neck: np.ndarray) -> np.ndarray:
    """Return ``(3)`` m, the crown in the head's axes: its marker, or half a head's depth above."""
    top = marks.get("head_top")
    if top is not None:
        return median_point(to_local(R, top - neck))
    ring = [p for name, p in marks.points.items() if name.endswith(("head_front", "head_back"))]
    half = 0.5
    if "left_head_side" in marks.points and "left_head_back" not in marks.points:
        ring += [marks.points[f"{side}_head_side"] for side in SIDES]
        half = 1.0
    local = np.array([median_point(to_local(R, point - neck)) for point in ring])
    return local.mean(axis=0) + np.array([0.0, half * np.ptp(local[:, 0]), 0.0])
