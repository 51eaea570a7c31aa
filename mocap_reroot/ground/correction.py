"""The root's path corrected in position and orientation, with consistent derivatives."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from mocap_reroot.ground.interval import Interval
from mocap_reroot.ground.problem import Solution
from mocap_reroot.ground.turning import composed, moved, turned
from mocap_reroot.mechanics.kinematics import forward
from mocap_reroot.numerics.vectors import cross
from mocap_reroot.types import Motion

_BLOCK = 4096  # frames that are placed in the world at once
STATES = (
    "rotation", "displacement", "angular_velocity", "angular_acceleration", "linear_velocity",
    "linear_acceleration",
)  # fmt: skip


def corrected(smooth: Motion, interval: Interval, found: Solution) -> dict[str, np.ndarray]:
    """Return the root's states, ``(4, F)`` or ``(3, F)`` each, named as in a motion.

    The centre of mass follows its spline; about it the body is turned as a whole.
    """
    root, slot = smooth.skeleton.root, int(smooth.skeleton.slot[smooth.skeleton.root])
    knots, back = interval.knots, interval.turn.T
    # Forces of limbs are lines between knots; those of plates are not.
    curve = knots.quintic if interval.held.any() else knots.spline
    centre = [back @ x for x in curve(interval.reference + found.path[:3])]
    by = turned(*(back @ x for x in knots.quintic(found.path[3:])))
    whole = interval.whole
    assert smooth.linear_velocity is not None and smooth.linear_acceleration is not None
    assert smooth.angular_velocity is not None and smooth.angular_acceleration is not None
    origin = smooth.skeleton.offset[root][:, None]
    arm = moved(
        by,
        origin + smooth.displacement[slot] - back @ whole.centre,
        smooth.linear_velocity[slot] - back @ whole.velocity,
        smooth.linear_acceleration[slot] - back @ whole.acceleration,
    )
    q, w, al = composed(
        by, smooth.rotation[root], smooth.angular_velocity[root], smooth.angular_acceleration[root]
    )
    states = (
        q, centre[0] + arm[0] - origin, w, al, centre[1] + arm[1], centre[2] + arm[2],
    )  # fmt: skip
    return dict(zip(STATES, states, strict=True))


def with_root(motion: Motion, intervals: list[tuple[slice, dict[str, np.ndarray]]]) -> Motion:
    """Return a motion with other states of its root in some runs of frames."""
    root, slot = motion.skeleton.root, int(motion.skeleton.slot[motion.skeleton.root])
    arrays: dict[str, Any] = {name: np.array(getattr(motion, name)) for name in STATES}
    for frames, states in intervals:
        for name, values in states.items():
            row = root if name in ("rotation", *STATES[2:4]) else slot
            arrays[name][row][:, frames] = values
    return replace(motion, **arrays)


def how_far(captured: Motion, corrected_: Motion) -> np.ndarray:
    """Return ``(6, F)`` m, rad: from the captured root to the corrected one, world axes."""
    root, slot = captured.skeleton.root, int(captured.skeleton.slot[captured.skeleton.root])
    way = corrected_.displacement[slot] - captured.displacement[slot]
    a, b = captured.rotation[root], corrected_.rotation[root]
    # b a*, as a rotation vector
    w = (a * b).sum(axis=0)
    v = a[0] * b[1:] - b[0] * a[1:] - cross(b[1:], a[1:])
    sign = np.where(w < 0, -1.0, 1.0)
    size = np.sqrt((v**2).sum(axis=0))
    scale = np.where(size > 1e-12, 2 * np.arctan2(size, np.abs(w)) / np.maximum(size, 1e-12), 2.0)
    return np.concatenate([way, sign * scale * v])


def moved_figures(captured: Motion, consistent: Motion, correction: np.ndarray) -> dict[str, Any]:
    """Return how far the root, and all bodies, are from the file: 95th percentiles, for quality."""
    moved, turned = (np.sqrt((part**2).sum(axis=0)) for part in (correction[:3], correction[3:]))
    size = np.empty((captured.skeleton.n_bodies, captured.n_frames))
    for a in range(0, captured.n_frames, _BLOCK):
        b = min(a + _BLOCK, captured.n_frames)
        here, there = (_places(m, a, b) for m in (captured, consistent))
        size[:, a:b] = np.sqrt(((there - here) ** 2).sum(axis=1))
    return {
        "root_moved_mm": 1000 * _most(moved),
        "root_turned_deg": float(np.degrees(_most(turned))),
        "body_moved_mm": 1000 * _most(size),
    }


def _places(motion: Motion, start: int, stop: int) -> np.ndarray:
    """Return ``(n, 3, F)`` m, where bodies are in some frames."""
    part = motion.cut(start, stop)
    rates = dict.fromkeys(STATES[2:])
    return forward(replace(part, **rates)).position  # type: ignore[arg-type]


def _most(values: np.ndarray) -> float:
    """Return the 95th percentile of those that are known; the values are put in another order."""
    there = np.isfinite(values)
    known = values.ravel() if there.all() else values[there]
    return float(np.percentile(known, 95, overwrite_input=True)) if len(known) else 0.0
