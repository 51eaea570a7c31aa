"""Soles: the underside of every foot, from skeleton, standing pose and anthropometry."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import NamedTuple

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
_BALL = 0.62, 0.85
"""Joints of toes between these shares of the foot, from the heel, are at its ball."""


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

    def shifted(self, body: int, by: np.ndarray) -> Underside:
        """Return the same with what is on one body moved, ``(3)`` m."""
        return replace(
            self,
            points=tuple(
                replace(p, local=p.local + by) if p.body == body else p for p in self.points
            ),
            soles=tuple(
                replace(s, outline=s.outline + by) if s.body == body else s for s in self.soles
            ),
        )

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
            tuple(replace(s, outline=s.outline + down[s.body]) for s in self.soles),
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
    if limb.radius:
        return _pad(limb, normals[0])
    if limb.ankle.any():  # everything below is told from the ankle
        at = limb.ankle
        own = [replace(p, local=p.local - at) if p.body == limb.foot else p for p in limb.points]
        moved = replace(limb, points=tuple(own), ankle=np.zeros(3))
        return underside(moved, normals, forward, leg).shifted(limb.foot, at)
    foot = _Foot.of(limb, normals, forward)
    heel_at, ball_at, tip_at = _lengthwise(*foot.along(), leg)
    bottom = min(foot.depths(), default=0.0)
    seen = bottom <= -0.25 * ANKLE_HEIGHT_PER_LEG * leg
    if not seen:  # nothing tells how thick the foot is
        bottom = -ANKLE_HEIGHT_PER_LEG * leg
    size = tip_at - heel_at
    heel_half, ball_half, tip_half = (0.5 * size * w for w in (HEEL_WIDTH, BALL_WIDTH, TIP_WIDTH))
    line = [(heel_at, 0.0), (ball_at, 0.0), (tip_at, 0.0)]
    rear = [(heel_at, heel_half), (heel_at, -heel_half)]
    middle = [(ball_at, -ball_half), (ball_at, ball_half)]
    base, body = foot.base(bottom), limb.parts[0]
    if len(limb.parts) == 1:
        front = [(tip_at, -tip_half), (tip_at, tip_half)]
        around = [*rear, middle[0], *front, middle[1]]
        on_foot = _laid([*line, *around], foot.axis, foot.up, base)
        roles = zip(on_foot[:3], ("heel", "ball", "tip"), strict=True)
        points = tuple(Point(body, place, role) for place, role in roles)
        return Underside(points, (Sole(body, body, on_foot[3:], ball=(2, 5)),), size, seen)
    assert foot.ball is not None
    on_foot = _laid([*line[:2], *rear, *middle], foot.axis, foot.up, base)
    toe, reach = limb.parts[1], tip_at - ball_at
    toes = [(0.0, ball_half), (0.0, -ball_half), (reach, -tip_half), (reach, tip_half)]
    toe_base = foot.toe_up * (bottom - float(foot.ball @ foot.up))
    on_toes = _laid([(reach, 0.0), *toes], foot.toe_axis, foot.toe_up, toe_base)
    points = (
        Point(body, on_foot[0], "heel"),
        Point(body, on_foot[1], "ball"),
        Point(toe, on_toes[0], "tip"),
    )
    # In some rigs toes begin in the middle of the foot: that is no ball.
    ball = (2, 3) if _BALL[0] * size < ball_at - heel_at < _BALL[1] * size else ()
    soles = (Sole(body, body, on_foot[2:], ball), Sole(toe, body, on_toes[1:]))
    return Underside(points, soles, size, seen)


class _Foot(NamedTuple):
    """What the skeleton knows of a foot, in its frame; the tip of toes in theirs.

    Attributes:
        heel, ball, tip: ``(3)`` m, or None; there is a ball only where there are toes.
        up, toe_up: ``(3)`` unit vectors up when the parts stand; the same without toes.
        axis, toe_axis: ``(3)`` unit vectors along the soles, to the front.
    """

    heel: np.ndarray | None
    ball: np.ndarray | None
    tip: np.ndarray | None
    up: np.ndarray
    toe_up: np.ndarray
    axis: np.ndarray
    toe_axis: np.ndarray

    @classmethod
    def of(cls, limb: Limb, normals: tuple[np.ndarray, ...], forward: np.ndarray) -> _Foot:
        """Take it from the limb; ``forward`` counts where its bones do not say."""
        known = {point.role: point.local for point in limb.points}
        has_toes, up, toe_up = len(limb.parts) == 2, normals[0], normals[-1]
        ball, tip = known["ball"] if has_toes else None, known.get("tip")
        ahead = ball if ball is not None else tip if tip is not None else forward
        axis = _unit(ahead - up * (ahead @ up), forward - up * (forward @ up))
        toe_axis = axis
        if has_toes and tip is not None:
            toe_axis = _unit(tip - toe_up * (tip @ toe_up), axis)
        elif has_toes:
            toe_axis = _unit(axis - toe_up * (axis @ toe_up), axis)
        return cls(known.get("heel"), ball, tip, up, toe_up, axis, toe_axis)

    def along(self) -> tuple[float | None, float | None, float | None]:
        """Return where heel, ball and tip are along the sole from the ankle, m, where known."""
        heel = float(self.heel @ self.axis) if self.heel is not None else None
        ball = float(self.ball @ self.axis) if self.ball is not None else None
        tip = None
        if self.tip is not None:
            tip = float(self.tip @ self.toe_axis) + (ball if ball is not None else 0.0)
        return heel, ball, tip

    def depths(self) -> list[float]:
        """Return how high the known points are above the ankle, m: most are below it."""
        depths = [float(self.heel @ self.up)] if self.heel is not None else []
        if self.ball is not None:
            depths.append(float(self.ball @ self.up))
            if self.tip is not None:
                depths.append(float(self.ball @ self.up + self.tip @ self.toe_up))
        elif self.tip is not None:
            depths.append(float(self.tip @ self.up))
        return depths

    def base(self, bottom: float) -> np.ndarray:
        """Return ``(3)`` m, the point of the sole below the ankle, as far sideways as the ball."""
        base = self.up * bottom
        if self.ball is None:
            return base
        along, high = self.axis * (self.ball @ self.axis), self.up * (self.ball @ self.up)
        return np.asarray(base + self.ball - along - high)


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


def _pad(limb: Limb, up: np.ndarray) -> Underside:
    """Return the underside of a round part: a plate as wide as it under its own points."""
    own = [point.local for point in limb.points if point.body == limb.foot]
    first, last = own[0], own[-1]
    along = last - first
    along = along - up * (along @ up)
    axis = _unit(along, _across(up, np.eye(3)[int(np.argmin(np.abs(up)))]))
    lowest = min(float(end @ up) for end in own) - limb.radius
    middle = 0.5 * (first + last)
    half = max(0.5 * math.sqrt(along @ along), limb.radius)
    base = middle + up * (lowest - float(middle @ up))
    side = _across(up, axis) * limb.radius
    rear, front = base - axis * half, base + axis * half
    outline = np.array([rear + side, rear - side, front - side, front + side])
    core = tuple((point.body, point.local) for point in limb.points)
    sole = Sole(limb.foot, limb.foot, outline, core=core, radius=limb.radius)
    return Underside(limb.points, (sole,), 2 * half, True)


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
