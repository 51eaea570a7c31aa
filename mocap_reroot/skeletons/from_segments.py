"""Segments with measured poses (Theia) to a skeleton in motion; nothing is fitted.

Each segment keeps its axes. Where a segment's origin is not at its joint (the trunk's is at the
neck), the joint is the point that stays put in both segments, and the body originates there.
"""

from __future__ import annotations

import re

import numpy as np

from mocap_reroot.errors import FileError
from mocap_reroot.numerics.units import LENGTH_UNITS
from mocap_reroot.numerics.vectors import axis_vector, axis_word
from mocap_reroot.skeletons.vectors import (
    bridged,
    bridged_points,
    mean_rotation,
    quaternions,
    to_local,
    to_world,
)
from mocap_reroot.types import (
    Anatomy,
    Inference,
    JointType,
    Motion,
    Recording,
    SegmentPoses,
    Skeleton,
    Source,
    flag_code,
)

_WORDS = {
    "pelvis": "pelvis", "thigh": "thigh", "shank": "shank", "foot": "foot", "toes": "toes",
    "torso": "trunk", "trunk": "trunk", "thorax": "trunk", "abdomen": "abdomen", "neck": "neck",
    "head": "head", "clavicle": "clavicle", "uarm": "upper_arm", "upperarm": "upper_arm",
    "larm": "forearm", "forearm": "forearm", "hand": "hand",
}  # fmt: skip
_PARENTS = {
    "thigh": ("pelvis",), "shank": ("thigh",), "foot": ("shank",), "toes": ("foot",),
    "abdomen": ("pelvis",), "trunk": ("abdomen", "pelvis"), "clavicle": ("trunk",),
    "upper_arm": ("clavicle", "trunk"), "forearm": ("upper_arm",), "hand": ("forearm",),
    "neck": ("trunk",), "head": ("neck", "trunk"),
}  # fmt: skip
_STEADY = 1e-3  # m: an offset that varies less is a joint
_PIVOT = 5e-3  # m: a point that varies less in both segments is a joint
_TOWARDS_PARENT = 0.85  # where a joint is looked for, on the way to the parent's origin
_DRAW = 0.05  # rad, rotations below this do not determine a joint


def segments_motion(
    recording: Recording, *, up: np.ndarray | None = None, rigid: bool = False
) -> Motion:
    """Turn segments with measured poses into a motion.

    Rest rotations are the mean rotation of each joint over the clip, the joint's own rotation
    being what is left.

    Args:
        recording: With segments.
        up: ``(3)`` unit vector; by default the axis along which the pelvis is above the feet.
        rigid: Hold every joint at its mean place. By default segments without a fixed point in
            their parent slide (their joint is free), so that every pose is the file's.

    Raises:
        FileError: If there is no pelvis among the segments.
    """
    segments = recording.segments
    if segments is None:
        raise FileError(recording.path, "the file holds no segments with rotations.")
    roles = [_role(name) for name in segments.names]
    parents = _tree(recording, roles)
    kept = [k for k in range(len(roles)) if roles[_top(parents, k)] == "pelvis"]
    scale = LENGTH_UNITS.get(recording.unit, 1e-3)
    R, P, good = _poses(recording, segments, scale)
    order = {old: new for new, old in enumerate(kept)}
    parent = np.array([order[parents[k]] if parents[k] >= 0 else -1 for k in kept])
    names = tuple(segments.names[k] for k in kept)
    R, P = R[kept], P[kept]
    joints = [_joint(R, P, i, p, good) for i, p in enumerate(parent)]
    moved = np.array([joint[1] for joint in joints])  # joints in their own segment's axes
    origin = np.array([p + to_world(r, m) for p, r, m in zip(P, R, moved, strict=True)])
    kinds, offset, rotation, rest, slides = [], [], [], [], []
    for i, p in enumerate(parent):
        relative = R[i] if p < 0 else R[p].transpose(0, 2, 1) @ R[i]
        place = origin[i] if p < 0 else to_local(R[p], origin[i] - origin[p])
        free = p < 0 or not (rigid or joints[i][0])
        kinds.append(JointType.FREE if free else JointType.SPHERICAL)
        offset.append(np.zeros(3) if p < 0 else np.median(place[:, good], axis=1))
        if free:
            slides.append(place - offset[-1][:, None])
        rotation.append(quaternions(relative))
        rest.append(quaternions(mean_rotation(relative[good])[None])[:, 0])
    vertical, inference = _up(roles, P, kept, good) if up is None else (up, None)
    sites = _heels(recording, names, moved)
    skeleton = Skeleton(
        names=names,
        parents=parent,
        offset=np.array(offset),
        rest=np.array(rest),
        joint_types=np.array(kinds),
        site_body=np.array([b for b, _ in sites], dtype=int),
        site_offset=np.array([at for _, at in sites]).reshape(-1, 3),
        anatomy=_anatomy(tuple(roles[k] for k in kept)),
    )
    warnings = [
        f"The joint of {names[i]} has no fixed point; it "
        + ("is held at its mean place." if rigid else "may slide.")
        for i, p in enumerate(parent)
        if p >= 0 and not joints[i][0]
    ]
    return Motion(
        skeleton=skeleton,
        fps=recording.fps,
        up=vertical,
        rotation=np.array(rotation),
        displacement=np.array(slides),
        flags=np.where(good, 0, flag_code("gap")),
        source=Source.of(
            recording,
            recording.unit or "mm",
            scale,
            () if inference is None else (inference,),
            warnings,
        ),
    )


def _poses(
    recording: Recording, segments: SegmentPoses, scale: float
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return rotations ``(s, F, 3, 3)``, positions ``(s, 3, F)`` m, and ``(F)`` known frames.

    Frames in which a segment is missing are bridged.
    """
    R = segments.rotation.transpose(0, 3, 1, 2)
    P = segments.position * scale
    good = np.asarray(np.isfinite(P).all(axis=(0, 1)) & _are_rotations(R).all(axis=0))
    if not good.any():
        raise FileError(recording.path, "there is no frame in which all segments are known.")
    whole = (_orthonormal(np.where(good[:, None, None], r, np.eye(3))) for r in R)
    R = np.array([bridged(r, good) for r in whole])
    return R, np.array([bridged_points(p, good) for p in P]), good


def _anatomy(roles: tuple[str, ...]) -> Anatomy:
    """Return who is who, as the file names its segments."""
    return Anatomy(
        segments=roles,
        confidence=np.ones(len(roles)),
        reasons=("name of the segment in the file",) * len(roles),
        human={"left_foot", "right_foot", "pelvis"} <= set(roles),
        convention="Theia",
    )


def _role(name: str) -> str:
    """Return the segment word of a name such as ``l_uarm``, or an empty word."""
    match = re.fullmatch(r"(?:(l|r|left|right)_?)?([a-z]+)", name.lower())
    if not match or match[2] not in _WORDS:
        return ""
    side = {"l": "left_", "r": "right_"}.get((match[1] or " ")[0], "")
    return side + _WORDS[match[2]]


def _tree(recording: Recording, roles: list[str]) -> list[int]:
    """Return the parent of every segment, −1 for the pelvis and for what hangs nowhere."""
    if "pelvis" not in roles:
        listed = ", ".join(recording.segments.names if recording.segments else ())
        raise FileError(recording.path, f"there is no pelvis among the segments {listed}.")
    parents: list[int] = []
    for role in roles:
        side = role.split("_", 1)[0] + "_" if role.startswith(("left_", "right_")) else ""
        options = _PARENTS.get(role.removeprefix(side), ())
        found = [roles.index(o) for name in options for o in (side + name, name) if o in roles]
        parents.append(found[0] if found else -1)
    return parents


def _top(parents: list[int], segment: int) -> int:
    """Return the segment that a segment hangs from in the end."""
    while parents[segment] >= 0:
        segment = parents[segment]
    return segment


def _joint(
    R: np.ndarray, P: np.ndarray, i: int, p: int, good: np.ndarray
) -> tuple[bool, np.ndarray]:
    """Return whether a segment has a joint with its parent, and ``(3)`` where, in its own axes."""
    if p < 0:
        return False, np.zeros(3)
    place = to_local(R[p], P[i] - P[p])[:, good]
    if np.ptp(place, axis=1).max() < _STEADY:
        return True, np.zeros(3)
    # The point c with place + (R_pᵀ R_i) c = constant: least squares over all frames, drawn
    # towards a point near the parent where the rotations are too small to tell.
    relative = (R[p].transpose(0, 2, 1) @ R[i])[good]
    turn = (relative - relative.mean(axis=0)).reshape(-1, 3)
    drift = (place - place.mean(axis=1, keepdims=True)).T.reshape(-1)
    near = -_TOWARDS_PARENT * np.einsum("fji,jf->if", relative, place).mean(axis=1)
    draw = _DRAW * np.sqrt(len(turn)) * np.eye(3)
    extra, *_ = np.linalg.lstsq(
        np.concatenate([turn, draw]), np.concatenate([-drift - turn @ near, np.zeros(3)])
    )
    point = near + extra
    left = drift + turn @ point
    return bool(np.abs(left).max() < _PIVOT), point


def _are_rotations(R: np.ndarray) -> np.ndarray:
    """Return ``(s, F)`` bool: matrices that are rotations but for noise; mirrors are none."""
    known = np.isfinite(R).all(axis=(2, 3)) & (np.abs(R) < 2).all(axis=(2, 3))
    determinant = np.linalg.det(np.where(known[..., None, None], R, np.eye(3)))
    return np.asarray(known & (determinant > 0.5) & (determinant < 2))


def _orthonormal(R: np.ndarray) -> np.ndarray:
    """Return the nearest rotations: files keep them in single precision."""
    U, _, Vt = np.linalg.svd(R)
    return U @ Vt


def _up(
    roles: list[str], P: np.ndarray, kept: list[int], good: np.ndarray
) -> tuple[np.ndarray, Inference]:
    where = {roles[k]: P[n][:, good] for n, k in enumerate(kept)}
    feet = [p for role, p in where.items() if role.endswith("foot")]
    rise = np.median(where["pelvis"] - np.mean(feet, axis=0), axis=1) if feet else np.eye(3)[2]
    word = axis_word(rise)
    evidence = f"the pelvis is above the feet along {word}"
    return axis_vector(word), Inference("up", word, 1.0, evidence)


def _heels(
    recording: Recording, names: tuple[str, ...], moved: np.ndarray
) -> list[tuple[int, np.ndarray]]:
    """Return heel points that the file states in the feet's axes (m)."""
    sites = []
    for side in ("l", "r"):
        point = [recording.subject.get(f"{side}_heel_{axis}".upper()) for axis in "xyz"]
        if f"{side}_foot" in names and all(value is not None for value in point):
            body = names.index(f"{side}_foot")
            sites.append((body, np.array(point, dtype=float) - moved[body]))
    return sites
