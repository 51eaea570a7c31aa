"""Joints offered in a report: left beside right, by their clinical names."""

from __future__ import annotations

import re
from dataclasses import dataclass, field

import numpy as np

from mocap_reroot.report.clip_tables import ClipTables

_JOINT_OF_SEGMENT = {
    "thigh": "Hip",
    "shank": "Knee",
    "foot": "Ankle",
    "toes": "Toes",
    "pelvis": "Pelvis",
    "trunk": "Trunk",
    "upper_arm": "Shoulder",
    "forearm": "Elbow",
    "hand": "Wrist",
    "head": "Neck",
}
_ANATOMY = re.compile(r"^(?:(left|right)_)?([a-z]+)_(.+)_(deg|moment)$")
FIRST = ("Hip", "Knee", "Ankle")


@dataclass
class Choice:
    """A joint, or a pair of joints, that can be picked.

    Attributes:
        label: What it is called.
        known: Whether the label is an anatomical one.
        bodies: Child body by side (``left``, ``right``, or empty).
        motions: Anatomical motions with an angle or a moment, e.g. ``flexion``.
    """

    label: str
    known: bool
    bodies: dict[str, str]
    motions: list[str] = field(default_factory=list)


def choices(clip: ClipTables) -> list[Choice]:
    """Return the joints of a clip in pairs, those with common names first, legs before arms."""
    main = _main_bodies(clip)
    found: dict[str, Choice] = {}
    for body in (*filter(main.get, clip.joints), *(b for b in clip.joints if not main.get(b))):
        side, name = clip.sides.get(body, ""), main.get(body, "")
        # A body may be called what another body's joint is called, e.g. Neck below the head's neck.
        for label in filter(None, (name, _without_side(body, side), body, f"{body} (body)")):
            choice = found.setdefault(label, Choice(label, label == name, {}))
            if not choice.bodies or (side and not {side, ""} & set(choice.bodies)):
                choice.bodies[side] = body
                break
    root = _root(clip)
    if (
        root
        and "anatomy" in clip
        and "pelvis_tilt_deg" in clip["anatomy"]
        and "Pelvis" not in found
    ):
        found["Pelvis"] = Choice("Pelvis", True, {"": root})
    for choice in found.values():
        choice.bodies = dict(sorted(choice.bodies.items()))
        choice.motions = _motions(clip, choice)
    rank = {label: place for place, label in enumerate(_JOINT_OF_SEGMENT.values())}
    return sorted(found.values(), key=lambda c: rank.get(c.label, 99) if c.known else 99)


def first_choice(every: list[Choice], clip: ClipTables) -> list[str]:
    """Return the labels to show at first: hip, knee and ankle, else the hardest working."""
    legs = [c.label for c in every if c.known and c.label in FIRST]
    if len(legs) == len(FIRST):
        return legs
    work = {
        c.label: max((peak(clip, b)[0] for b in c.bodies.values() if b in clip.joints), default=0)
        for c in every
    }
    ranked = sorted(work, key=lambda label: -work[label])[: len(FIRST)]
    return [c.label for c in every if c.label in ranked]


def peak(clip: ClipTables, body: str) -> tuple[float, int]:
    """Return the largest moment of a joint, N·m, and the frame it is in (0, −1 where none is)."""
    size = np.linalg.norm(clip.vectors("torques", body, "m"), axis=0)
    if not np.isfinite(size).any():
        return 0.0, -1
    where = int(np.nanargmax(size))
    return float(size[where]), where


def _root(clip: ClipTables) -> str:
    """Return the capture root: it has angles in space, but no joint."""
    if "bodies" not in clip:
        return ""
    table = clip["bodies"]
    return next((str(b) for b, p in zip(table["body"], table["parent"], strict=True) if not p), "")


def _main_bodies(clip: ClipTables) -> dict[str, str]:
    """Return the joint's common name for the bodies that bear one: a segment's first with mass."""
    if "bodies" not in clip:
        return {}
    table, taken, main = clip["bodies"], set(), {}
    for body, segment, mass in zip(table["body"], table["segment"], table["mass"], strict=True):
        name = _JOINT_OF_SEGMENT.get(re.sub("^(left|right)_", "", str(segment)), "")
        if name and float(mass) > 0 and segment not in taken:
            taken.add(segment)
            main[str(body)] = name
    return main


def _without_side(body: str, side: str) -> str:
    if not side:
        return body
    bare = re.sub(rf"^{side}[_ ]?", "", body, flags=re.IGNORECASE)
    bare = re.sub(rf"^({side[0]}|{side[0].upper()})[_.]?(?=[A-Z])", "", bare)
    return bare or body


def _motions(clip: ClipTables, choice: Choice) -> list[str]:
    """Return the motions of ``anatomy.parquet`` that belong to a joint."""
    if "anatomy" not in clip or not choice.known:
        return []
    found = []
    for column in clip["anatomy"].columns:
        match = _ANATOMY.match(str(column))
        same = match and match[2] == choice.label.lower() and (match[1] or "") in choice.bodies
        if match and same and match[3] not in found:
            found.append(match[3])
    return found


def relative_turn(clip: ClipTables, body: str, frames: slice) -> np.ndarray | None:
    """Return ``(3, F)`` deg: the body's rotation vector against its capture parent.

    None where no kinematics were written. Continuous in time: the vector may grow beyond 180°
    rather than jump.
    """
    if "kinematics" not in clip or "bodies" not in clip:
        return None
    table = clip["bodies"].set_index("body")
    parent = str(table["parent"].get(body, ""))
    if not parent:
        return None
    q, p = (
        clip["kinematics"][[f"{name}_q{a}" for a in "wxyz"]].to_numpy(float)[frames].T
        for name in (body, parent)
    )
    w = q[0] * p[0] + (q[1:] * p[1:]).sum(axis=0)
    v = p[0] * q[1:] - q[0] * p[1:] - np.cross(p[1:], q[1:], axis=0)
    known = np.isfinite(w)
    if known.any():
        both = np.vstack([w, v])[:, known]
        both = both * (1 if both[0, 0] >= 0 else -1)
        turned = np.cumprod(np.sign((both[:, 1:] * both[:, :-1]).sum(axis=0)) + 0.0)
        both[:, 1:] *= np.where(turned == 0, 1, turned)
        w[known], v[:, known] = both[0], both[1:]
    size = np.linalg.norm(v, axis=0)
    angle = 2 * np.degrees(np.arctan2(size, w))
    return v * np.where(size > 1e-12, angle / np.maximum(size, 1e-12), 0.0)
