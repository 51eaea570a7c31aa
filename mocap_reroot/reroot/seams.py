"""Seams: where the root changes, both trees describe the same instant; how far do they differ?"""

from __future__ import annotations

import numpy as np
import pandas as pd

from mocap_reroot.kinematics import forward
from mocap_reroot.reroot.state import Switch, switch_root
from mocap_reroot.reroot.support import projected
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
    rows, captured = [], rooted.captured
    for (phase, piece), (next_phase, next_piece) in zip(rooted, rooted.pieces[1:], strict=False):
        joined = piece.start + piece.n_frames == next_piece.start
        if min(phase.index, next_phase.index) < 0 or not joined:
            continue
        frame = next_piece.start
        before = _as_seen_by(piece, captured, frame - captured.start)
        jumps = jump(before, next_piece.cut(0, 1))
        names = captured.skeleton.names
        roots = names[piece.skeleton.root], names[next_piece.skeleton.root]
        rows.append((frame, frame / captured.fps, next_phase.index, *roots, *jumps.values()))
    columns = ["frame", "time", "phase", "root_before", "root_after", *JUMPS]
    return pd.DataFrame(rows, columns=columns)


def jump(one: Motion, other: Motion) -> dict[str, float]:
    """Return the largest differences in :data:`JUMPS` between two descriptions of the same frames.

    Derivatives are NaN where a motion has none.
    """
    differences = dict.fromkeys(JUMPS, float("nan"))
    for name, here, there in zip(JUMPS, _capture_states(one), _capture_states(other), strict=False):
        if name == "orientation":  # |q − q'| = 2 sin θ/4, whichever of ±q' is nearer
            chords = [np.linalg.norm(here - sign * there, axis=1) for sign in (1, -1)]
            half = np.minimum(*chords) / 2
            differences[name] = float((4 * np.arcsin(half)).max())
        else:
            differences[name] = float(np.linalg.norm(here - there, axis=1).max())
    return differences


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


def _capture_states(motion: Motion) -> tuple[np.ndarray, ...]:
    """Return world states of the capture frames, in the order of :data:`JUMPS`."""
    world = forward(motion)
    back = -motion.skeleton.origin
    arm = np.einsum("nfij,nj->nif", world.matrix, back)
    w, al = world.angular_velocity, world.angular_acceleration
    if w is None or al is None or world.velocity is None or world.acceleration is None:
        return world.orientation, world.position + arm
    turn = np.cross(w, arm, axis=1)
    velocity = world.velocity + turn
    acceleration = world.acceleration + np.cross(al, arm, axis=1) + np.cross(w, turn, axis=1)
    return world.orientation, world.position + arm, w, al, velocity, acceleration
