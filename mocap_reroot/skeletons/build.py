"""What is constant in a person: lengths, offsets, neutral turns of feet and head, end points."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, replace

import numpy as np

from mocap_reroot.skeletons import feet
from mocap_reroot.skeletons.feet import FootShape
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
)

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
            shapes[side] = feet.foot_shape(marks, side, *leg, up, floors)
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
