"""Seams: where the root changes, both trees describe the same instant; how far do they differ?"""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pandas as pd

from mocap_reroot.mechanics.kinematics import forward
from mocap_reroot.rerooting.state import Switch, switch_root
from mocap_reroot.rerooting.support import projected
from mocap_reroot.types import JointType, Motion, Rooted, read_only

JUMPS = (
    "orientation",
    "position",
    "angular_velocity",
    "angular_acceleration",
    "velocity",
    "acceleration",
)
"""Largest over the bodies' capture frames, world axes: rad, m, rad/s, rad/s², m/s, m/s²."""


def seams(rooted: Rooted) -> pd.DataFrame:
    """Return the jump across every change of root, one row a seam.

    The first frame of a phase is described by the tree of that phase and by the tree of the phase
    before. With free support joints the jump is rounding; joints that discard motion show here.
    Seams beside frames left out of the analysis are not listed.

    Returns:
        DataFrame: ``frame, time, phase`` (the later one), ``root_before, root_after`` and the
        largest jump of every body's :data:`JUMPS`.
    """
    captured, names = rooted.captured, rooted.captured.skeleton.names
    rows: list[tuple[int, float, int, str, str]] = []
    before: list[Motion] = []
    after: list[Motion] = []
    for (phase, piece), (next_phase, next_piece) in pairwise(rooted):
        frame = next_piece.start
        joined = piece.start + piece.n_frames == frame
        if min(phase.index, next_phase.index) < 0 or not joined:
            continue
        roots = names[piece.skeleton.root], names[next_piece.skeleton.root]
        rows.append((frame, frame / captured.fps, next_phase.index, *roots))
        before.append(_as_seen_by(piece, captured, frame - captured.start))
        after.append(next_piece.cut(0, 1))
    table = pd.DataFrame(rows, columns=["frame", "time", "phase", "root_before", "root_after"])
    return table.assign(**(_jumps(before, after) if rows else dict.fromkeys(JUMPS, np.zeros(0))))


def jump(one: Motion, other: Motion) -> dict[str, float]:
    """Return the largest differences in :data:`JUMPS` between two descriptions of the same frames.

    Derivatives are NaN where a motion has none.
    """
    return {name: float(values.max()) for name, values in _jumps([one], [other]).items()}


def _jumps(ones: list[Motion], others: list[Motion]) -> dict[str, np.ndarray]:
    """Return, for every frame of the motions one after the other, the largest jump of any body."""
    here, there = _capture_states(ones), _capture_states(others)
    found = dict.fromkeys(JUMPS, np.full(here[0].shape[-1], np.nan))
    for name, a, b in zip(JUMPS, here, there, strict=False):
        distance = np.linalg.norm(a - b, axis=1)
        if name == "orientation":  # |q − q'| = 2 sin θ/4, whichever of ±q' is nearer
            distance = 4 * np.arcsin(np.minimum(distance, np.linalg.norm(a + b, axis=1)) / 2)
        found[name] = distance.max(axis=0)
    return found


def _as_seen_by(piece: Motion, captured: Motion, frame: int) -> Motion:
    """Return one captured frame in the tree of a piece."""
    tree, root = piece.skeleton, piece.skeleton.root
    at = tree.origin[root]
    if tree.joint_types[root] == JointType.FREE:
        chain = read_only(captured.skeleton.chain(root), np.int64)
        shift = read_only(at - captured.skeleton.origin[root])
        return Switch(captured.skeleton, tree, chain, shift).apply(captured, frame, frame + 1)
    free = switch_root(captured.skeleton, root, at).apply(captured, frame, frame + 1)
    return projected(free, tree)[0]


def _capture_states(motions: list[Motion]) -> list[np.ndarray]:
    """Return world states of the capture frames, ``(n, …, F)`` in the order of :data:`JUMPS`.

    Motions of different trees stand one after the other along the frames.
    """
    worlds = [forward(motion) for motion in motions]
    back = np.concatenate(
        [np.repeat(-m.skeleton.origin[..., None], m.n_frames, axis=2) for m in motions], axis=2
    )
    moving = all(motion.has_derivatives for motion in motions)
    names = JUMPS if moving else JUMPS[:2]
    states = [np.concatenate([getattr(world, k) for world in worlds], axis=2) for k in names]
    q = states[0]
    turn = 2 * np.cross(q[:, 1:], back, axis=1)
    arm = back + q[:, :1] * turn + np.cross(q[:, 1:], turn, axis=1)
    states[1] += arm
    if moving:
        w, al = states[2:4]
        speed = np.cross(w, arm, axis=1)
        states[4] += speed
        states[5] += np.cross(al, arm, axis=1) + np.cross(w, speed, axis=1)
    return states
