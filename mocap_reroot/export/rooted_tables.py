"""The re-rooted motion as tables: joint states a frame, and the trees they belong to."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd

from mocap_reroot.columns import WXYZ, XYZ, beside, body_columns, wide
from mocap_reroot.types import BodyModel, Motion, Rooted

_STATE = [f"q{a}" for a in WXYZ] + [f"w{a}" for a in XYZ] + [f"al{a}" for a in XYZ]
_SLIDE = [f"j{a}" for a in XYZ] + [f"jv{a}" for a in XYZ] + [f"ja{a}" for a in XYZ]
_ROOT = [f"p{a}" for a in XYZ] + [f"v{a}" for a in XYZ] + [f"a{a}" for a in XYZ]


def rooted_table(rooted: Rooted) -> pd.DataFrame:
    """Return joint states against the current parent, one row a frame: ``rooted.parquet``.

    Quaternions run on without a change of sign within a phase. Frames left out (phase −1) have
    empty values. A body has ``_j*`` columns if its joint translates in any phase; where it does
    not, or where the body is the root, they are empty.
    """
    captured = rooted.captured
    names, frames = captured.skeleton.names, captured.n_frames
    sliding = _sliding_bodies(rooted)
    moving = captured.has_derivatives
    state = np.full((len(names), 10 if moving else 4, frames), np.nan)
    slide = np.full((len(sliding), 9 if moving else 3, frames), np.nan)
    root = np.full((1, 9 if moving else 3, frames), np.nan)
    phase_of, root_of = np.full(frames, -1), np.full(frames, "", dtype=object)
    for phase, motion in rooted:
        rows = slice(motion.start - captured.start, motion.start - captured.start + motion.n_frames)
        phase_of[rows], root_of[rows] = phase.index, names[motion.skeleton.root]
        if phase.index < 0:
            continue
        state[:, :4, rows] = motion.rotation
        for row, body in enumerate(sliding):
            if body != motion.skeleton.root and motion.skeleton.slot[body] >= 0:
                slide[row, :, rows] = _slides(motion, body)
        root[0, :, rows] = _root_point(motion)
        if moving:
            state[:, 4:7, rows] = motion.angular_velocity
            state[:, 7:, rows] = motion.angular_acceleration
        left_out = ~motion.analysed
        for block in (state, slide, root):
            block[..., rows][..., left_out] = np.nan
    head = {"frame": captured.frame, "time": captured.time, "phase": phase_of, "root": root_of}
    return beside(
        pd.DataFrame(head),
        wide(body_columns(names, _STATE[: state.shape[1]]), state),
        wide(body_columns([names[b] for b in sliding], _SLIDE[: slide.shape[1]]), slide),
        wide(body_columns(["root"], _ROOT[: root.shape[1]]), root),
    )


def rooted_tree_table(rooted: Rooted, body: BodyModel) -> pd.DataFrame:
    """Return the support-rooted trees, one row a phase and body: ``rooted_tree.csv``.

    Args:
        rooted: The motion, a piece a phase.
        body: For the centres of mass; they are given in the frames of the tree in use.
    """
    tables = []
    for phase, motion in rooted:
        if phase.index < 0:
            continue
        skeleton = motion.skeleton
        names = skeleton.names
        table: dict[str, Any] = {
            "phase": phase.index,
            "root": names[skeleton.root],
            "body": names,
            "parent": [names[p] if p >= 0 else "" for p in skeleton.parents],
        }
        for prefix, vectors in (("offset", skeleton.offset), ("com", body.com - skeleton.origin)):
            table |= {f"{prefix}_{axis}": vectors[:, k] for k, axis in enumerate(XYZ)}
        tables.append(pd.DataFrame(table))
    if not tables:
        vectors = [f"{prefix}_{axis}" for prefix in ("offset", "com") for axis in XYZ]
        return pd.DataFrame(columns=["phase", "root", "body", "parent", *vectors])
    return pd.concat(tables, ignore_index=True)


def _sliding_bodies(rooted: Rooted) -> list[int]:
    """Return the bodies whose joint translates against another body in some phase."""
    found: set[int] = set()
    for phase, motion in rooted:
        if phase.index >= 0:
            found |= set(motion.skeleton.translating.tolist()) - {motion.skeleton.root}
    return sorted(found)


def _slides(motion: Motion, body: int) -> np.ndarray:
    """Return ``(3 or 9, F)`` displacement of a joint and its derivatives, parent's axes."""
    row = motion.skeleton.slot[body]
    arrays = (motion.displacement, motion.linear_velocity, motion.linear_acceleration)
    return np.concatenate([array[row] for array in arrays if array is not None])


def _root_point(motion: Motion) -> np.ndarray:
    """Return ``(3 or 9, F)`` position, velocity and acceleration of the support point, world."""
    root = motion.skeleton.root
    count = 9 if motion.has_derivatives else 3
    point = np.zeros((count, motion.n_frames))
    if motion.skeleton.slot[root] >= 0:
        point += _slides(motion, root)
    point[:3] += motion.skeleton.offset[root][:, None]
    return point
