"""Feet and toes: axes from markers, turned so that they are level when the foot stands flat."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from mocap_reroot.assembly.landmarks import Landmarks
from mocap_reroot.assembly.vectors import (
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


@dataclass(frozen=True, eq=False)
class FootShape:
    """What is constant in a foot, in its own axes: x along the sole, y up from it, z right.

    Attributes:
        turn: ``(3, 3)`` from the axes that the markers span to the foot's axes.
        heel, tip: ``(3)`` m, ends of the sole, from the ankle's centre.
        ball: ``(3)`` m, joint of the toes, from the ankle's centre; None without toe markers.
        toe_turn: ``(3, 3)`` the same as ``turn`` for the toes.
    """

    turn: np.ndarray
    heel: np.ndarray
    tip: np.ndarray
    ball: np.ndarray | None = None
    toe_turn: np.ndarray | None = None


def foot_shape(
    marks: Landmarks,
    side: str,
    ankle: np.ndarray,
    knee: np.ndarray,
    up: np.ndarray,
    floors: np.ndarray,
) -> FootShape | None:
    """Return the constant shape of a foot, from the frames in which it stands flat.

    Args:
        marks: Landmarks of a static trial, or of the clip itself.
        side: ``"left"`` or ``"right"``.
        ankle, knee: ``(3, F)`` m, centres.
        up: ``(3)``.
        floors: ``(k)`` m, heights at which a floor may be (plates, zero).

    Returns:
        FootShape | None: None where there is no marker on the toes.
    """
    raw = _span(marks, side, ankle, knee)
    if raw is None:
        return None
    toe = marks.points[f"{side}_toe"]
    flat = flat_frames(marks.points.get(f"{side}_heel", ankle), toe, up, marks.fps)
    turn = level(raw[flat], up)
    axes = raw @ turn
    points = {
        name: median_point(to_local(axes, point - ankle))
        for name in ("toe", "heel", "first_metatarsal", "fifth_metatarsal", "hallux")
        if (point := marks.get(f"{side}_{name}")) is not None
    }
    low = min(point[1] for point in points.values())
    sole = _sole(low, float(np.nanmedian((up @ ankle)[flat])), floors)
    rear = -0.3 * points["toe"][0]
    if "heel" in points:
        rear = points["heel"][0] + marks.marker_radius
    length = (points["toe"][0] - rear) / _BALL_ALONG_FOOT
    heel = np.array([rear, sole, points["heel"][2] if "heel" in points else 0.0])
    tip = np.array([rear + length, sole, points["toe"][2]])
    if "hallux" not in points:
        return FootShape(turn, heel, tip)
    metatarsals = [points[m] for m in ("first_metatarsal", "fifth_metatarsal") if m in points]
    across = np.mean(metatarsals, axis=0) if len(metatarsals) == 2 else points["toe"]
    # The joint lies between the markers on the back of the foot and the sole.
    ball = np.array([across[0], (points["toe"][1] + sole) / 2, across[2]])
    pointing = _toe_span(axes, ankle + to_world(axes, ball), marks.points[f"{side}_hallux"])
    return FootShape(turn, heel, tip, ball, level(pointing[flat], up))


def foot_axes(
    marks: Landmarks, side: str, ankle: np.ndarray, knee: np.ndarray, shape: FootShape
) -> np.ndarray:
    """Return ``(F, 3, 3)`` axes of a foot whose shape is known."""
    raw = _span(marks, side, ankle, knee)
    if raw is None:
        return np.full((marks.n_frames, 3, 3), np.nan)
    return raw @ shape.turn


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


def _span(marks: Landmarks, side: str, ankle: np.ndarray, knee: np.ndarray) -> np.ndarray | None:
    """Return the axes that the foot's markers span, or None without a marker on the toes."""
    toe, heel = marks.get(f"{side}_toe"), marks.get(f"{side}_heel")
    if toe is None:
        return None
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
