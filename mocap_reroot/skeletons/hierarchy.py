"""hierarchy_motion(): offsets and channels of a hierarchy (BVH and others) to a Motion.

Position channels *replace* the offset, axis by axis, at the root too. So ``Skeleton.offset`` is the
file's OFFSET and ``Motion.displacement`` what the channels add to it. A joint below the root whose
position channels stand still gets their values as its offset and does not translate.

Joint types: the root is always free, for no channel list can hold a person to the world. Below it,
a joint that slides is free (prismatic, if it slides along one axis and cannot turn); others follow
their number of rotation channels: none fixed, one revolute, two universal, three spherical.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from mocap_reroot.errors import MocapRerootError
from mocap_reroot.inference.channels import columns_of, rotations
from mocap_reroot.types import (
    Anatomy,
    Hierarchy,
    Inference,
    JointType,
    Motion,
    Recording,
    Skeleton,
    Source,
)

_STILL = 1e-6  # of the longest offset: what rounding in print makes of a joint that stands still


def hierarchy_motion(
    recording: Recording,
    unit_scale: float = 1.0,
    up: np.ndarray | None = None,
    unit: str = "",
    *,
    rotation: np.ndarray | None = None,
    anatomy: Anatomy | None = None,
    inferred: tuple[Inference, ...] | None = None,
    warnings: tuple[str, ...] = (),
) -> Motion:
    """Turn a recorded hierarchy into a motion.

    Args:
        recording: With a hierarchy; file units and degrees.
        unit_scale: m per file unit.
        up: ``(3)`` unit vector, by default +y.
        unit: Name of the unit, for ``Motion.source``.
        rotation: From :func:`rotations`, if they are known already.
        anatomy: Who is who.
        inferred: What was inferred; by default what the file states.
        warnings: Sentences besides those of the recording.

    Returns:
        A motion in SI units and the file's axes, without derivatives.
    """
    hierarchy = recording.hierarchy
    if hierarchy is None:
        raise MocapRerootError(f"{recording.path}: a hierarchy was expected; the file has none.")
    skeleton, displacement = _tree(hierarchy, unit_scale, anatomy)
    return Motion(
        skeleton=skeleton,
        fps=recording.fps,
        up=np.array([0.0, 1.0, 0.0]) if up is None else up,
        rotation=rotations(hierarchy) if rotation is None else rotation,
        displacement=displacement,
        flags=recording.flags if recording.flags is not None else np.zeros(recording.n_frames),
        source=Source.of(
            recording,
            unit,
            unit_scale,
            _stated(recording) if inferred is None else inferred,
            warnings,
        ),
    )


def _stated(recording: Recording) -> list[Inference]:
    note = recording.notes.get("frame_time")
    return [Inference("frame_time", 1 / recording.fps, 1.0, note)] if note else []


def _tree(
    hierarchy: Hierarchy, unit_scale: float, anatomy: Anatomy | None
) -> tuple[Skeleton, np.ndarray]:
    """Return the skeleton, and the displacement of the joints that translate; SI units."""
    frames = hierarchy.values.shape[1]
    rows = columns_of(hierarchy.channels).position.tolist()
    offset = np.array(hierarchy.offset, np.float64)
    reach = np.abs(offset).max(initial=0.0)
    moving: list[tuple[int, ...]] = [()] * len(rows)
    slides: list[np.ndarray] = []
    for body, parent in enumerate(hierarchy.parents.tolist()):
        if parent >= 0 and max(rows[body]) < 0:
            continue
        for axis, row in enumerate(rows[body]):
            if row < 0 or not frames:
                continue
            still = None if parent < 0 else _standing(hierarchy.values[row], _STILL * reach)
            if still is None:
                moving[body] += (axis,)
            else:
                offset[body, axis] = still
        if parent < 0 or moving[body]:
            slide = np.zeros((3, frames))
            for axis in moving[body]:
                channel = hierarchy.values[rows[body][axis]]
                slide[axis] = (channel - offset[body, axis]) * unit_scale
            slides.append(slide)
    types, axes = np.full(len(rows), JointType.SPHERICAL), np.zeros((len(rows), 2, 3))
    for body, turns in enumerate(columns_of(hierarchy.channels).rotation_axes):
        types[body], along = _joint(hierarchy.parents[body] < 0, moving[body], turns)
        axes[body, np.arange(len(along)), along] = 1.0
    skeleton = Skeleton(
        names=hierarchy.names,
        parents=hierarchy.parents,
        offset=offset * unit_scale,
        rest=hierarchy.rest,  # type: ignore[arg-type]
        joint_types=types,
        axes=axes,
        site_body=hierarchy.site_body,
        site_offset=hierarchy.site_offset * unit_scale,
        channels=hierarchy.channels,
    )
    return skeleton.with_anatomy(anatomy), np.array(slides)  # never empty: the root is free


def _joint(
    is_root: bool, moving: Sequence[int], turns: Sequence[int]
) -> tuple[JointType, list[int]]:
    """Return the joint's type and its axes."""
    if is_root:
        return JointType.FREE, []
    if moving:
        if len(moving) == 1 and not turns:
            return JointType.PRISMATIC, list(moving)
        return JointType.FREE, []
    if len(turns) == 2 and turns[0] == turns[1]:
        turns = turns[:1]
    kinds = (JointType.FIXED, JointType.REVOLUTE, JointType.UNIVERSAL, JointType.SPHERICAL)
    return kinds[len(turns)], list(turns) if len(turns) < 3 else []


def _standing(channel: np.ndarray, tolerance: float) -> float | None:
    """Return the value of a channel that never changes, or None if it does or has none."""
    known = channel[np.isfinite(channel)]
    if not len(known):
        return None
    low, high = float(known.min()), float(known.max())
    if high - low > tolerance:
        return None
    return low if low == high else 0.5 * (low + high)
