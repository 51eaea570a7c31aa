"""bvhio's containers and joints to a Motion and back.

bvhio keeps single precision; what comes from it has about seven digits.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from mocap_reroot.config import Reading
from mocap_reroot.errors import MocapRerootError
from mocap_reroot.export.bvh import channel_values, depth_first
from mocap_reroot.importers.bvh_header import CHANNELS
from mocap_reroot.importers.frame_time import nominal_rate
from mocap_reroot.reading import motion_of
from mocap_reroot.types import Hierarchy, JointType, Motion, Recording, Skeleton, flag_code


def from_bvhio(
    source: Any,
    *,
    frame_time: float | None = None,
    unit: str | float = "auto",
    up: str = "auto",
) -> Motion:
    """Turn what bvhio holds into a motion.

    Args:
        source: A ``bvhio.BvhContainer``, or the root ``bvhio.BvhJoint`` or ``bvhio.Joint``.
        frame_time: s; needed for joints, which do not know it.
        unit, up: As in :func:`mocap_reroot.read`.

    Raises:
        MocapRerootError: The object is of another type, or its frame time is unknown.
    """
    import bvhio

    root, has_sites = source, True
    if isinstance(source, bvhio.BvhContainer):
        root = source.Root
        frame_time = source.FrameTime if frame_time is None else frame_time
    elif isinstance(source, bvhio.Joint):
        frames = source.getKeyframeRange()[1] + 1
        root, has_sites = bvhio.convertHierarchyToBvh(source, frames), False
    if not isinstance(root, bvhio.BvhJoint):
        raise MocapRerootError(
            f"Expected a bvhio.BvhContainer, BvhJoint or Joint; found {type(source).__name__}."
        )
    if frame_time is None or not frame_time > 0:
        raise MocapRerootError("Give frame_time in seconds: these joints do not know it.")
    hierarchy = _hierarchy(root, has_sites)
    missing = ~np.isfinite(hierarchy.values).all(axis=0)
    recording = Recording(
        path=Path(f"{root.Name}.bvhio"),
        format="bvhio",
        n_frames=hierarchy.values.shape[1],
        fps=nominal_rate(repr(float(frame_time))),
        hierarchy=hierarchy,
        flags=np.where(missing, flag_code("not_finite"), 0).astype(np.uint8),
    )
    return motion_of(recording, Reading(unit=unit, up=up))


def to_bvhio(motion: Motion, *, unit_scale: float | None = None) -> Any:
    """Turn a motion into a ``bvhio.BvhContainer``.

    Args:
        motion: Any motion, also a re-rooted one.
        unit_scale: m per unit, by default that of the file the motion came from.
    """
    import bvhio
    from glm import quat, vec3

    scale = motion.source.unit_scale if unit_scale is None else float(unit_scale)
    skeleton = motion.skeleton
    order = depth_first(skeleton)
    channels, _ = channel_values(motion, order, scale)
    joints: dict[int, Any] = {}
    for body in order:
        joint = bvhio.BvhJoint(skeleton.names[body], vec3(skeleton.offset[body] / scale))
        joint.Channels = list(channels[body])
        for site in np.flatnonzero(skeleton.site_body == body)[:1]:
            joint.EndSite = vec3((skeleton.site_offset[site] - skeleton.origin[body]) / scale)
        position = np.repeat(skeleton.offset[body][:, None], motion.n_frames, axis=1)
        if skeleton.slot[body] >= 0:
            position = position + motion.displacement[skeleton.slot[body]]
        joint.Keyframes = [
            bvhio.Pose(vec3(p), quat(*q))
            for p, q in zip(position.T / scale, motion.rotation[body].T, strict=True)
        ]
        if skeleton.parents[body] >= 0:
            joints[int(skeleton.parents[body])].Children.append(joint)
        joints[body] = joint
    return bvhio.BvhContainer(joints[skeleton.root], motion.n_frames, 1 / motion.fps)


def _hierarchy(root: Any, has_sites: bool) -> Hierarchy:
    """Return joints, offsets and channel values of a bvhio joint and all below it."""
    joints, parents = [root], [-1]
    ahead = [(0, child) for child in reversed(root.Children)]
    while ahead:
        parent, joint = ahead.pop()
        joints.append(joint)
        parents.append(parent)
        ahead += [(len(joints) - 1, child) for child in reversed(joint.Children)]
    names = tuple(joint.Name for joint in joints)
    lengths = {len(joint.Keyframes) for joint in joints}
    if len(lengths) != 1 or len(set(names)) != len(names):
        raise MocapRerootError("Joints need names of their own and the same number of keyframes.")
    frames = lengths.pop()
    offset = np.array([list(joint.Offset) for joint in joints], dtype=float)
    poses = [pose for joint in joints for pose in joint.Keyframes]
    places = np.array([list(pose.Position) for pose in poses], dtype=float)
    turn = [(q.w, q.x, q.y, q.z) for q in (pose.Rotation for pose in poses)]
    turns = np.array(turn, dtype=float).reshape(-1, 4)
    turns /= np.linalg.norm(turns, axis=1, keepdims=True)
    position = places.reshape(len(joints), frames, 3).transpose(0, 2, 1)
    rotation = turns.reshape(len(joints), frames, 4).transpose(0, 2, 1)
    words = [tuple(CHANNELS[w.lower()] for w in joint.Channels) for joint in joints]
    slides = [not k or any(w.endswith("position") for w in words[k]) for k in range(len(joints))]
    skeleton = Skeleton(
        names=names,
        parents=np.array(parents),
        offset=offset,
        joint_types=np.where(slides, JointType.FREE, JointType.SPHERICAL),
        channels=tuple(words),
    )
    motion = Motion(
        skeleton=skeleton,
        fps=1.0,
        up=np.array([0.0, 1.0, 0.0]),
        rotation=np.ascontiguousarray(rotation),
        displacement=(position - offset[:, :, None])[skeleton.translating],
    )
    channels, values = channel_values(motion, list(range(len(joints))), 1.0)
    leaves = [k for k, joint in enumerate(joints) if not joint.Children and has_sites]
    return Hierarchy(
        names=names,
        parents=skeleton.parents,
        offset=skeleton.offset,
        channels=tuple(channels),
        site_body=np.array(leaves, dtype=np.int64),
        site_offset=np.array([list(joints[k].EndSite) for k in leaves]).reshape(-1, 3),
        values=values,
    )
