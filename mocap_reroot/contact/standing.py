"""Standing: what can be said of feet before the ground is known, from their motion alone."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from mocap_reroot.contact.limbs import Limb, Point
from mocap_reroot.contact.signals import Paths, differentiate, height, horizontal, length
from mocap_reroot.kinematics import World
from mocap_reroot.types import STANDARD_GRAVITY

_FIXED = 1e-5
"""A root that moves less than this share of a leg in the whole clip was not tracked."""
_UNLIKE = 0.15
"""Difference of the sine of the bones' steepness by which two feet are not alike."""
_BELT = 0.12
"""A belt runs faster than this, in units of sqrt(g · leg)."""


@dataclass(frozen=True, eq=False)
class Scale:
    """What makes lengths and speeds comparable between a child and an adult.

    Attributes:
        leg: m, hip to ankle along the bones (mean of the feet).
        speed: m/s, ``sqrt(g · leg)``: walking turns to running near half of it.
        fps: Frames a second.
        up: ``(3)`` unit vector.
    """

    leg: float
    speed: float
    fps: float
    up: np.ndarray

    @classmethod
    def of(cls, limbs: tuple[Limb, ...], fps: float, up: np.ndarray) -> Scale:
        """Take the scale from the legs."""
        lengths = [limb.length for limb in limbs if limb.kind == "foot" and limb.length > 0]
        leg = float(np.mean(lengths)) if lengths else 0.9
        return cls(leg, float(np.sqrt(STANDARD_GRAVITY * leg)), fps, up)

    def frames(self, seconds: float, least: int = 1) -> int:
        """Return a duration in whole frames."""
        return max(least, round(seconds * self.fps))


def still_ground(
    world: World, path: Paths, limbs: tuple[Limb, ...], scale: Scale, valid: np.ndarray
) -> tuple[np.ndarray, str]:
    """Return ``(3, F)`` m to add to all positions so that the ground stands still, and why.

    Three captures need it: a root that was never tracked (the lowest foot is then taken to
    stand), a root that does not travel (in place), and a treadmill (its belt carries the feet).
    """
    up, fps = scale.up, scale.fps
    frames = world.position.shape[-1]
    shift = np.zeros((3, frames))
    feet = [limb for limb in limbs if limb.kind == "foot"]
    if not feet or valid.sum() < scale.frames(0.2, 3):
        return shift, ""
    root = world.position[world.motion.skeleton.root][:, valid]
    rise = float(np.ptp(up @ root))
    travel = float(np.ptp(horizontal(root, up), axis=1).max())
    places = [Point(b, np.zeros(3), "part") for limb in feet for b in limb.parts]
    points = [p for limb in feet for p in limb.points] + places
    position = path.of(points)
    fixed = travel < _FIXED * scale.leg
    if fixed and rise < _FIXED * scale.leg:
        # Vertical first: the lowest point of all is on the ground.
        low = height(position, up).min(axis=0)
        shift = shift - up[:, None] * (low - low[valid].min())
        position = position + shift
    speed = horizontal(differentiate(position, fps), up)
    if fixed:
        # The lower a point is, the more likely it stands: a soft choice does not jump.
        h = height(position, up)
        weight = np.exp(-(h - h.min(axis=0)) / (0.01 * scale.leg))
        ground = np.einsum("pf,pcf->cf", weight, speed) / weight.sum(axis=0)
        moved = np.cumsum(ground, axis=1) / fps
        return shift - moved + moved[:, :1], "root_fixed"
    belt = _belt(position, speed, root, scale, valid)
    if belt is not None:
        return shift - belt[:, None] * np.arange(frames) / fps, "treadmill"
    return shift, ""


def _belt(
    position: np.ndarray, speed: np.ndarray, root: np.ndarray, scale: Scale, valid: np.ndarray
) -> np.ndarray | None:
    """Return ``(3)`` m/s the velocity of a treadmill's belt, or None where there is none.

    On a belt the lowest points share one velocity while the body stays where it is.
    """
    up = scale.up
    h = height(position, up)
    lowest = h.argmin(axis=0)
    at = np.arange(position.shape[-1])
    near = valid & (h.min(axis=0) < np.quantile(h.min(axis=0)[valid], 0.5) + 0.01 * scale.leg)
    velocity = speed[lowest, :, at][near]  # (k, 3)
    middle = np.median(velocity, axis=0)
    seconds = root.shape[1] / scale.fps
    drift = (
        float(np.linalg.norm(horizontal(root, up)[:, -1] - horizontal(root, up)[:, 0])) / seconds
    )
    spread = float(np.median(np.linalg.norm(velocity - middle, axis=1)))
    pace = float(np.linalg.norm(middle))
    if pace > _BELT * scale.speed and drift < 0.25 * pace and spread < 0.25 * pace:
        return np.asarray(middle)
    return None


def standing_normals(
    path: Paths, limb: Limb, scale: Scale, valid: np.ndarray
) -> tuple[tuple[np.ndarray, ...], np.ndarray]:
    """Return for every part the way up when it stands flat, in its frame, and the frames used.

    The foot stands flat when all of it is slow; of those frames the ones count in which it is
    low, so that a leg held still in the air has no say.
    """
    places = [Point(b, np.zeros(3), "part") for b in limb.parts]
    position = path.of([*limb.points, *places])
    speed = length(differentiate(position, scale.fps)).max(axis=0)
    low = height(position, scale.up).mean(axis=0)
    slow = np.quantile(speed[valid], 0.2) if valid.any() else 0.0
    still = valid & (speed <= max(slow, 0.05 * scale.speed))
    if not still.any():
        still = valid if valid.any() else np.ones_like(valid)
    flat = still & (low <= np.quantile(low[still], 0.5) + 0.01 * scale.leg)
    if limb.points and limb.points[0].body == limb.foot:
        # On tiptoe the foot is steep: of the low frames the flatter half counts.
        steep = -height(path.turned(limb.foot, limb.points[0].local)[None], scale.up)[0]
        flat &= steep <= np.median(steep[flat]) + 1e-9
    normals = []
    for part in limb.parts:
        way_up = np.median(path.turned_back(part, scale.up)[:, flat], axis=1)
        size = float(np.linalg.norm(way_up))
        normals.append(way_up / size if size > 1e-9 else scale.up)
    return tuple(normals), flat


def alike(
    limbs: tuple[Limb, ...], normals: list[tuple[np.ndarray, ...]]
) -> list[tuple[np.ndarray, ...]]:
    """Return the normals with a foot that was never seen flat corrected by its fellow.

    Left and right feet are built alike: the bone to the ball is as steep in both when they stand
    flat. Where one is steeper (it was seen on tiptoe only), its normal is turned until it is not.
    """
    result = list(normals)
    feet = [k for k, limb in enumerate(limbs) if limb.kind == "foot" and len(limbs[k].points) > 0]
    for number in range(2):
        mine: list[tuple[int, np.ndarray, float]] = []
        for k in feet:
            bone = _bone_of_part(limbs[k], number)
            if bone is not None:
                mine.append((k, bone, float(bone @ result[k][number])))
        if len(mine) < 2:
            continue
        flattest = max(steep for _, _, steep in mine)
        for k, bone, steep in mine:
            if flattest - steep > _UNLIKE:
                across = result[k][number] - bone * steep
                across = across / max(float(np.linalg.norm(across)), 1e-9)
                turned = bone * flattest + across * np.sqrt(max(1 - flattest**2, 0.0))
                result[k] = tuple(turned if j == number else n for j, n in enumerate(result[k]))
    return result


def _bone_of_part(limb: Limb, number: int) -> np.ndarray | None:
    """Return the unit vector from a part's joint to its front end, in the part's frame."""
    if number >= len(limb.parts):
        return None
    for point in limb.points:
        if point.body == limb.parts[number] and point.role in ("ball", "tip"):
            size = float(np.linalg.norm(point.local))
            return point.local / size if size > 0 else None
    return None
