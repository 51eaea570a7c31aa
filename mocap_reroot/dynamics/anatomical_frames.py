"""Anatomical (ISB) axes of the segments, from the skeleton's geometry alone.

ISB axes: x forward, y up (towards the head, or the proximal joint), z to the right. The rest pose
and left-right symmetry tell where forward, up and right are; each limb segment's frame follows from
its proximal neighbour's by the smallest turn that lays y along the bone. So flexion means flexion
whatever the local axes of the file are, and a rest pose with arms or legs spread reads as abducted.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from mocap_reroot.anthropometry.proportions import Proportions
from mocap_reroot.types import Skeleton, Sole

UPPER = ("head", "neck", "trunk")
PAIRED = ("thigh", "shank", "foot", "clavicle", "upper_arm", "forearm", "hand")


@dataclass(frozen=True, eq=False)
class Frames:
    """Anatomical frames of the bodies that have one.

    Attributes:
        turn: Body index to ``(3, 3)``: anatomical axes (columns) in the body's own axes.
        rightwards: Side word to +1 if that side lies to the right of the body, else −1.
    """

    turn: dict[int, np.ndarray]
    rightwards: dict[str, int]


def anatomical_frames(skeleton: Skeleton, soles: tuple[Sole, ...] = ()) -> Frames | None:
    """Return the anatomical frames of a human skeleton, or None where they cannot be told.

    Args:
        skeleton: Captured, with anatomy.
        soles: Undersides of the feet; without them a foot is taken to stand flat at rest.
    """
    if skeleton.anatomy is None or not skeleton.anatomy.human:
        return None
    rest = Proportions(skeleton)
    place = rest.rest_position
    whole = _whole_body(skeleton, rest)
    if whole is None:
        return None
    first = {s: skeleton.anatomy.find(s)[0] for s in dict.fromkeys(skeleton.anatomy.segments) if s}
    world: dict[str, np.ndarray] = {"pelvis": whole, "trunk": whole}
    rightwards = {}
    for side in ("left", "right"):
        hip = first.get(f"{side}_thigh")
        if hip is None:
            continue
        other = first.get(f"{'right' if side == 'left' else 'left'}_thigh", hip)
        across = whole[:, 2] @ (rest.rest_position[hip] - rest.rest_position[other])
        rightwards[side] = 1 if across > 0 or (across == 0 and side == "right") else -1
        for chain in (("thigh", "shank", "foot"), ("upper_arm", "forearm", "hand")):
            near = whole
            for name, far in zip(chain, (*chain[1:], ""), strict=True):
                body, end = first.get(f"{side}_{name}"), first.get(f"{side}_{far}")
                if far == "foot":  # a talus stands at the ankle, the foot behind it begins below
                    end = first.get(f"{side}_talus", end)
                if body is None:
                    break
                if name in ("foot", "hand"):
                    frame = near
                elif end is not None and np.linalg.norm(bone := place[body] - place[end]) > 1e-6:
                    frame = _along(near, bone)
                else:  # no length, no axis
                    break
                world[f"{side}_{name}"] = near = frame
                if name == "foot":
                    world[f"{side}_talus"] = frame
    turn = {}
    for segment, frame in world.items():
        for body in skeleton.anatomy.find(segment):
            turn[body] = rest.rest_rotation[body].T @ frame
    _stand_on_soles(skeleton, rest, soles, turn, world)
    return Frames(turn, rightwards)


def _whole_body(skeleton: Skeleton, rest: Proportions) -> np.ndarray | None:
    """Return ``(3, 3)`` forward, up, right (columns) of the body at rest."""
    anatomy = skeleton.anatomy
    assert anatomy is not None
    right = np.zeros(3)
    for name in PAIRED:
        sides = [anatomy.find(f"{side}_{name}") for side in ("left", "right")]
        if all(sides):
            right += rest.rest_position[sides[1][0]] - rest.rest_position[sides[0][0]]
    hips, low = (
        [b for side in ("left", "right") for b in anatomy.find(f"{side}_{name}")]
        for name in ("thigh", "shank")
    )
    # Many laboratories capture legs alone; then hips are what is above the knees.
    top = [b for name in UPPER for b in anatomy.find(name)] or hips
    if not top or not low:
        return None
    up = rest.rest_position[top].mean(axis=0) - rest.rest_position[low].mean(axis=0)
    if np.linalg.norm(up) < 1e-6 or np.linalg.norm(right) < 1e-6:
        return None
    up = up / np.linalg.norm(up)
    right = right - up * (up @ right)
    if np.linalg.norm(right) < 1e-6:
        return None
    right /= np.linalg.norm(right)
    forward = np.cross(up, right)
    toes = np.zeros(3)
    for side in ("left", "right"):
        foot, toe = anatomy.find(f"{side}_foot"), anatomy.find(f"{side}_toes")
        if foot and toe:
            toes += rest.rest_position[toe[0]] - rest.rest_position[foot[0]]
    if forward @ toes < 0:  # toes know better than names which way is forward
        forward, right = -forward, -right
    return np.stack([forward, up, right], axis=1)


def _along(frame: np.ndarray, up: np.ndarray) -> np.ndarray:
    """Return a frame turned the shortest way so that its y axis points along a vector."""
    up = up / np.linalg.norm(up)
    y = frame[:, 1]
    axis, cosine = np.cross(y, up), float(y @ up)
    if cosine < -0.999999:  # upside down: about the sideways axis, as a leg swings up
        half = 2 * np.outer(frame[:, 2], frame[:, 2]) - np.eye(3)
        return np.asarray(half @ frame)
    skew = np.array([[0, -axis[2], axis[1]], [axis[2], 0, -axis[0]], [-axis[1], axis[0], 0]])
    return np.asarray((np.eye(3) + skew + skew @ skew / (1 + cosine)) @ frame)


def _stand_on_soles(
    skeleton: Skeleton,
    rest: Proportions,
    soles: tuple[Sole, ...],
    turn: dict[int, np.ndarray],
    world: dict[str, np.ndarray],
) -> None:
    """Lay the frames of the feet along their soles, in place: y away from it, x to the toes."""
    anatomy = skeleton.anatomy
    assert anatomy is not None
    for side in ("left", "right"):
        for foot in anatomy.find(f"{side}_foot")[:1]:
            toes = anatomy.find(f"{side}_toes")
            outline = next((s.outline for s in soles if s.body == foot), None)
            shank = world.get(f"{side}_shank", world["pelvis"])
            up = rest.rest_rotation[foot].T @ shank[:, 1]
            ahead = rest.rest_rotation[foot].T @ shank[:, 0]
            if outline is not None and len(outline) >= 3:
                flat = np.linalg.svd(outline - outline.mean(axis=0))[2][2]
                up = flat * np.sign(flat @ (skeleton.origin[foot] - outline.mean(axis=0)) or 1.0)
            if toes:
                ahead = skeleton.offset[toes[0]]
            elif outline is not None:  # the ankle stands near the heel; no corner is straight ahead
                ahead = outline.mean(axis=0) - skeleton.origin[foot]
            forward = ahead - up * (up @ ahead)
            if np.linalg.norm(forward) < 1e-6:
                continue
            forward = forward / np.linalg.norm(forward)
            turn[foot] = np.stack([forward, up, np.cross(forward, up)], axis=1)
