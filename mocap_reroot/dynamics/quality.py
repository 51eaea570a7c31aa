"""Quality measures: residuals, centre of pressure, foot skate, agreement with force plates."""

from __future__ import annotations

from typing import Any

import numpy as np

from mocap_reroot.contact.signals import quantile
from mocap_reroot.contact.support import outside
from mocap_reroot.numerics.frames import runs
from mocap_reroot.numerics.vectors import dot, length
from mocap_reroot.types import (
    STANDARD_GRAVITY,
    Contacts,
    Dynamics,
    Ground,
    Loads,
    Measured,
    Support,
    Total,
    read_only,
)

UNEXPLAINED = 0.05
"""Of weight: a frame whose contacts leave more is not explained by them."""


def figures(result: Dynamics, contacts: Contacts, support: Support) -> dict[str, Any]:
    """Return the figures of ``summary.json`` that need no plates."""
    weight = result.body.total_mass * STANDARD_GRAVITY
    sound = result.flags == 0  # frames that are flagged do not speak for the clip
    vertical = dot(result.up, result.foot_force.sum(axis=0))[sound]
    peak = float(np.fmax.reduce(vertical, initial=0.0)) / weight
    return {
        "cop_outside_foot_mm": _cop_outside(result, support),
        "flight_gravity_error": _flight_error(result, weight),
        "foot_skate_mm_s": _skate(contacts, support),
        "residual_force_n": _peak_and_rms(result.residual_force, result.source),
        "residual_moment_nm": _peak_and_rms(result.residual_moment, result.source),
        "peak_vertical_force_bw": peak,
        "joint_moment_nm_kg": _joint_moments(result),
        "analysed_fraction": float(np.mean(result.phase >= 0)) if len(result.phase) else 0.0,
    }


def unexplained(ground: Ground, arm: float) -> np.ndarray:
    """Return ``(F)`` the share of weight that contacts leave unexplained; moments over an arm, m.

    What is left as residual counts, and what was found to come from elsewhere.
    """
    force, moment = length(ground.residual_force), length(ground.residual_moment)
    if ground.external is not None:
        force, moment = force + length(ground.external[:3]), moment + length(ground.external[3:])
    weight = ground.body.total_mass * STANDARD_GRAVITY
    return np.asarray(np.maximum(force, moment / arm) / weight)


def moment_arm(height: float) -> float:
    """Return m by which moments count like forces: 2 % of weight × height like 5 % of weight."""
    return 0.4 * height if np.isfinite(height) else np.inf


def consistency(ground: Ground, alone: np.ndarray) -> dict[str, Any]:
    """Return how much contacts leave unexplained, and the certificate of a consistent ground.

    Args:
        ground: With the total that inverse dynamics found across the support.
        alone: ``(F)`` frames in which one limb bears what there is.
    """
    analysed = ground.motion.analysed
    known = unexplained(ground, moment_arm(ground.body.height))[analysed] <= UNEXPLAINED
    found: dict[str, Any] = {"unexplained": float((~known).mean()) if analysed.any() else 0.0}
    found["external_share"] = 0.0
    if ground.external is not None:
        found["external_share"] = float((ground.external != 0).any(axis=0)[analysed].mean())
    if ground.correction is not None and alone.any():
        found["support_wrench_n"] = float(length(ground.residual_force[:, alone]).max())
    return found


def _joint_moments(result: Dynamics) -> dict[str, float]:
    """Return the moments that ankles, knees and hips bear, N·m/kg, but for 1 % of the frames.

    A percentile, because a single bad frame should not speak for a clip.
    """
    anatomy, parents, found = result.skeleton.anatomy, result.skeleton.parents, {}
    segments = anatomy.segments if anatomy is not None else ()
    for joint, segment in (("ankle", "foot"), ("knee", "shank"), ("hip", "thigh")):
        sides = (f"left_{segment}", f"right_{segment}")
        first = [i for i, s in enumerate(segments) if s in sides and segments[parents[i]] != s]
        moments = [_lengths(result.torque[i][:, result.flags == 0]) for i in first]
        size = np.concatenate(moments or [np.zeros(0)])
        if len(size):
            found[joint] = quantile(size, 0.99) / result.body.total_mass
    return found


def outside_soles(result: Dynamics, support: Support, where: np.ndarray) -> np.ndarray:
    """Return ``(f, F)`` m, centres of pressure outside their soles by so much; NaN if not asked."""
    found = np.full(result.foot_on.shape, np.nan)
    for mine, place, corners in zip(found, result.foot_pressure, support.corners, strict=True):
        known = where & np.isfinite(place).all(axis=0)
        if known.any():
            mine[known] = outside(place, corners, result.up, known)[known]
    return found


def _cop_outside(result: Dynamics, support: Support) -> float | None:
    """Return the 95th percentile of how far pressures are outside the sole, mm, single support."""
    found = outside_soles(result, support, result.mode == "single")
    found = found[np.isfinite(found)]
    return 1000 * quantile(found, 0.95) if len(found) else None


def _flight_error(result: Dynamics, weight: float) -> float | None:
    """Return the median over flights of |mean acceleration − g| / g."""
    errors = []
    for start, stop in runs(result.mode == "flight"):
        force = result.residual_force[:, start:stop]
        force = force[:, np.isfinite(force).all(axis=0)]
        if force.shape[1]:
            errors.append(float(np.linalg.norm(force.mean(axis=1))) / weight)
    return float(np.median(errors)) if errors else None


def _skate(contacts: Contacts, support: Support) -> float | None:
    """Return the median speed, mm/s, of the slowest corner of every sole that carries.

    On a treadmill against its belt.
    """
    from mocap_reroot.kernels.soles import slowest

    if support.on.shape[1] < 3:
        return None
    way = np.empty(support.on.shape)
    for k, corners in enumerate(support.corners):
        if contacts.belt is not None:
            times = np.arange(corners.shape[-1]) / contacts.fps
            corners = corners - contacts.belt[:, None] * times
        slowest(read_only(corners), read_only(support.on[k], bool), way[k])
    way = way[np.isfinite(way)]
    return 1000 * contacts.fps * quantile(way, 0.5) if len(way) else None


def _peak_and_rms(vectors: np.ndarray, source: np.ndarray) -> dict[str, float]:
    """Return the figures of vectors ``(3, F)``; of measured frames apart, where there are any.

    Predicted forces leave no residual, so that frames off the plates make the whole look better.
    """
    size, measured = _lengths(vectors), _lengths(vectors[:, source == "measured"])
    if not len(size):
        return {"peak": 0.0, "rms": 0.0}
    found = {"peak": float(size.max()), "rms": _rms(size)}
    return found | ({"rms_measured": _rms(measured)} if len(measured) else {})


def _rms(values: np.ndarray) -> float:
    return float(np.sqrt((values**2).mean()))


def _lengths(vectors: np.ndarray) -> np.ndarray:
    """Return the lengths of those of ``(3, F)`` vectors that are known."""
    size = length(vectors)
    return np.asarray(size[np.isfinite(size)])


def against_plates(
    measured: Measured, loads: Loads, total: Total, weight: float, mode: np.ndarray
) -> dict[str, Any]:
    """Return predicted against measured, by mode: of the total, of each foot, and of the pressure.

    RMSE in % of body weight; rRMSE in % of the mean of the two ranges; ``r`` the correlation.
    """
    axes = _directions(total)
    result: dict[str, Any] = {}
    complete = measured.complete & np.isfinite(total.force).all(axis=0)
    for name in ("all", "single", "double"):
        frames = complete & (
            np.isin(mode, ("single", "double", "multi")) if name == "all" else mode == name
        )
        if frames.sum() < 10:
            continue
        seen = measured.loads.force.sum(axis=0)[:, frames]
        result[name] = {
            axis: _compare(vector @ total.force[:, frames], vector @ seen, weight)
            for axis, vector in axes.items()
        } | {"frames": int(frames.sum())}
    feet = measured.covered & complete
    if feet.any():
        pairs = [
            (loads.force[k][:, feet[k]], measured.loads.force[k][:, feet[k]])
            for k in range(len(feet))
            if feet[k].any()
        ]
        ours, theirs = (np.concatenate([pair[i] for pair in pairs], axis=1) for i in (0, 1))
        result["each_foot"] = {
            axis: _compare(vector @ ours, vector @ theirs, weight) for axis, vector in axes.items()
        }
    return {"plates": result} if result else {}


def _directions(total: Total) -> dict[str, np.ndarray]:
    """Return unit vectors up, along the way walked (as a whole), and to its side."""
    path = total.about[:, np.isfinite(total.about).all(axis=0)]
    way = path[:, -1] - path[:, 0]
    way = way - total.up * (total.up @ way)
    length = np.linalg.norm(way)
    forward = way / length if length > 0.3 else np.eye(3)[int(np.argmin(np.abs(total.up)))]
    forward = forward - total.up * (total.up @ forward)
    forward /= np.linalg.norm(forward)
    return {"vertical": total.up, "forward": forward, "sideways": np.cross(total.up, forward)}


def _compare(ours: np.ndarray, theirs: np.ndarray, weight: float) -> dict[str, float]:
    rmse = float(np.sqrt(((ours - theirs) ** 2).mean()))
    span = 0.5 * (np.ptp(ours) + np.ptp(theirs))
    spread = ours.std() * theirs.std()
    together = ((ours - ours.mean()) * (theirs - theirs.mean())).mean()
    return {
        "rmse_percent_bw": 100 * rmse / weight,
        "rrmse_percent": 100 * rmse / span if span > 0 else float("nan"),
        "r": float(together / spread) if spread > 0 else float("nan"),
    }
