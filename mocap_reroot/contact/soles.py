"""Soles: the underside of every foot, from skeleton, standing pose and anthropometry."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from mocap_reroot.contact.limbs import Limb, Point
from mocap_reroot.types import Sole

# Shares of the foot's length (heel to tip), after Winter 2009 and Hof 2005's plantar outlines.
HEEL_BEHIND_ANKLE = 0.25
BALL_FROM_HEEL = 0.72
BALL_WIDTH, HEEL_WIDTH, TIP_WIDTH = 0.38, 0.27, 0.28
# Shares of the leg (hip to ankle along the bones), after Winter 2009, figure 4.1.
FOOT_PER_LEG = 0.31
ANKLE_HEIGHT_PER_LEG = 0.08
_PLAUSIBLE = (0.15, 0.5)
"""Foot lengths between these shares of the leg are taken from the skeleton."""
_HAND_WIDTH = 0.45


@dataclass(frozen=True, eq=False)
class Underside:
    """The sole points of a limb and their outlines.

    Attributes:
        points: Heel, ball (if the foot has toes) and tip, all on the sole plane.
        soles: Outline of every part.
        length: m, heel to tip.
        seen: Whether the skeleton tells how far down the sole is; else it was guessed.
    """

    points: tuple[Point, ...]
    soles: tuple[Sole, ...]
    length: float
    seen: bool

    def lowered(self, normals: tuple[np.ndarray, ...], clearance: float) -> Underside:
        """Return the sole farther down, as the ground is below the lowest point that is known.

        Args:
            normals: For every part the way up when it stands, as it was made with.
            clearance: m. A sole that was guessed reaches the ground as it is.
        """
        if not self.seen:
            return self
        down = {sole.body: -clearance * up for sole, up in zip(self.soles, normals, strict=True)}
        return Underside(
            tuple(Point(p.body, p.local + down[p.body], p.role) for p in self.points),
            tuple(Sole(s.body, s.foot, s.outline + down[s.body]) for s in self.soles),
            self.length,
            True,
        )


def underside(
    limb: Limb, normals: tuple[np.ndarray, ...], forward: np.ndarray, leg: float
) -> Underside:
    """Return the sole of a limb, through the lowest point that is known of it.

    Args:
        limb: The limb, with the points its skeleton knows.
        normals: For every part the ``(3)`` unit vector that points up when it stands, in its frame.
        forward: ``(3)`` the way the foot points, in its frame; used where the skeleton is silent.
        leg: m.
    """
    if limb.kind != "foot":
        return _pad(limb, normals[0], leg)
    known = {point.role: point for point in limb.points}
    up = normals[0]
    toe_up = normals[-1]
    has_toes = len(limb.parts) == 2
    ball = known["ball"].local if has_toes else None
    tip = known["tip"].local if "tip" in known else None
    ahead = ball if ball is not None else tip if tip is not None else forward
    axis = _unit(ahead - up * (ahead @ up), forward - up * (forward @ up))
    toe_axis = axis
    if has_toes and tip is not None:
        toe_axis = _unit(tip - toe_up * (tip @ toe_up), axis)
    elif has_toes:
        toe_axis = _unit(axis - toe_up * (axis @ toe_up), axis)

    # along the sole from the ankle, and down to it
    heel_at = float(known["heel"].local @ axis) if "heel" in known else None
    tip_at = None
    if tip is not None:
        tip_at = float(tip @ toe_axis) + float(ball @ axis) if has_toes else float(tip @ axis)
    ball_at = float(ball @ axis) if ball is not None else None
    heel_at, ball_at, tip_at = _lengthwise(heel_at, ball_at, tip_at, leg)
    depths = [float(known["heel"].local @ up)] if "heel" in known else []
    if ball is not None:
        depths.append(float(ball @ up))
        if tip is not None:
            depths.append(float(ball @ up + tip @ toe_up))
    elif tip is not None:
        depths.append(float(tip @ up))
    bottom = min(depths, default=0.0)
    seen = bottom <= -0.25 * ANKLE_HEIGHT_PER_LEG * leg
    if not seen:  # nothing tells how thick the foot is
        bottom = -ANKLE_HEIGHT_PER_LEG * leg

    size = tip_at - heel_at
    base = up * bottom
    if ball is not None:
        base = base + ball - axis * (ball @ axis) - up * (ball @ up)  # as far sideways as the ball
    heel_half, ball_half, tip_half = (0.5 * size * w for w in (HEEL_WIDTH, BALL_WIDTH, TIP_WIDTH))
    rear = [(heel_at, heel_half), (heel_at, -heel_half)]
    middle = [(ball_at, -ball_half), (ball_at, ball_half)]
    front = [(tip_at, -tip_half), (tip_at, tip_half)]
    foot = limb.parts[0]
    line = [(heel_at, 0.0), (ball_at, 0.0), (tip_at, 0.0)]
    if not has_toes:
        on_foot = _laid([*line, *rear, middle[0], *front, middle[1]], axis, up, base)
        roles = zip(on_foot[:3], ("heel", "ball", "tip"), strict=True)
        points = tuple(Point(foot, place, role) for place, role in roles)
        return Underside(points, (Sole(foot, foot, on_foot[3:]),), size, seen)
    toe = limb.parts[1]
    assert ball is not None
    on_foot = _laid([*line[:2], *rear, *middle], axis, up, base)
    reach = tip_at - ball_at
    toes = [(0.0, ball_half), (0.0, -ball_half), (reach, -tip_half), (reach, tip_half)]
    toe_base = toe_up * (bottom - float(ball @ up))
    on_toes = _laid([(reach, 0.0), *toes], toe_axis, toe_up, toe_base)
    points = (
        Point(foot, on_foot[0], "heel"),
        Point(foot, on_foot[1], "ball"),
        Point(toe, on_toes[0], "tip"),
    )
    soles = (Sole(foot, foot, on_foot[2:]), Sole(toe, foot, on_toes[1:]))
    return Underside(points, soles, size, seen)


def _laid(
    places: list[tuple[float, float]], axis: np.ndarray, up: np.ndarray, base: np.ndarray
) -> np.ndarray:
    """Return ``(m, 3)`` m places on a sole, given along its axis and across it, to the left."""
    return np.asarray(np.array(places) @ np.array([axis, _across(up, axis)]) + base)


def _lengthwise(
    heel: float | None, ball: float | None, tip: float | None, leg: float
) -> tuple[float, float, float]:
    """Return where heel, ball and tip are along the sole from the ankle, m; fill in unknowns."""
    if tip is not None and heel is not None:
        size = tip - heel
    elif tip is not None:
        size = tip / (1 - HEEL_BEHIND_ANKLE)
    elif ball is not None and heel is not None:
        size = (ball - heel) / BALL_FROM_HEEL
    elif ball is not None:
        size = ball / (BALL_FROM_HEEL - HEEL_BEHIND_ANKLE)
    else:
        size = FOOT_PER_LEG * leg
    low, high = (share * leg for share in _PLAUSIBLE)
    if not low <= size <= high:
        size = min(max(size, low), high)
        if tip is not None and ball is not None and heel is None:
            size = FOOT_PER_LEG * leg
    if heel is None:
        heel = -HEEL_BEHIND_ANKLE * size
    if ball is None:
        ball = heel + BALL_FROM_HEEL * size
    if tip is None or tip <= ball:
        tip = max(heel + size, ball + 0.15 * size)
    return heel, ball, tip


def _pad(limb: Limb, up: np.ndarray, leg: float) -> Underside:
    """Return the underside of a hand or a knee: a small plate under its points."""
    ends = [point.local for point in limb.points]
    first, last = ends[0], ends[-1]
    along = last - first
    along = along - up * (along @ up)
    size = math.sqrt(along @ along)
    if size < 0.02 * leg:
        any_axis = np.eye(3)[int(np.argmin(np.abs(up)))]
        along = _across(up, any_axis)
        size = 0.1 * leg
        first = first - 0.5 * size * _unit(along, along)
    axis = _unit(along, along)
    bottom = min(float(e @ up) for e in ends)
    base = first - up * (first @ up) + up * bottom
    side = _across(up, axis) * 0.5 * _HAND_WIDTH * size
    tip = base + axis * size
    outline = np.array([base + side, base - side, tip - side, tip + side])
    roles = ("heel", "tip") if limb.kind == "hand" else ("knee", "tip")
    points = tuple(Point(limb.foot, p, role) for p, role in zip((base, tip), roles, strict=True))
    return Underside(points, (Sole(limb.foot, limb.foot, outline),), size, True)


def _across(up: np.ndarray, ahead: np.ndarray) -> np.ndarray:
    """Return ``(3)`` up × ahead: numpy's own takes long for three numbers."""
    (ux, uy, uz), (x, y, z) = up.tolist(), ahead.tolist()
    return np.array([uy * z - uz * y, uz * x - ux * z, ux * y - uy * x])


def _unit(vector: np.ndarray, otherwise: np.ndarray) -> np.ndarray:
    for way in (vector, otherwise):
        size = math.sqrt(way @ way)
        if size > 1e-9:
            return np.asarray(way / size)
    return np.array([1.0, 0, 0])
