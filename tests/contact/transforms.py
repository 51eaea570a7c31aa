"""Changes of a motion that must not change who stands when."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from scipy.interpolate import CubicSpline

from mocap_reroot.kernels.rotations import make_continuous
from mocap_reroot.types import Motion, Skeleton


def mirrored(motion: Motion) -> Motion:
    """Return the motion seen in a vertical mirror; names stay where they are."""
    axis = int(np.argmin(np.abs(motion.up)))  # level
    flip = np.ones(3)
    flip[axis] = -1
    turn = np.concatenate([[1.0], -flip])  # S R S: the turn about the mirror's normal stays
    skeleton = motion.skeleton
    other = Skeleton(
        skeleton.names, skeleton.parents, skeleton.offset * flip, rest=skeleton.rest * turn,
        site_body=skeleton.site_body, site_offset=skeleton.site_offset * flip,
        channels=skeleton.channels, anatomy=skeleton.anatomy,
    )  # fmt: skip
    return replace(
        motion, skeleton=other, rotation=motion.rotation * turn[:, None],
        displacement=motion.displacement * flip[:, None], plates=None,
    )  # fmt: skip


def turned(motion: Motion, angle: float, move: np.ndarray) -> Motion:
    """Return the motion turned about the vertical by an angle and moved by ``(3)`` m."""
    half = 0.5 * angle
    q = np.concatenate([[np.cos(half)], np.sin(half) * motion.up])
    root = motion.skeleton.root
    rotation = np.array(motion.rotation)
    rotation[root] = _product(q, rotation[root])
    matrix = _matrix(q)
    displacement = np.array(motion.displacement)
    offset = motion.skeleton.offset[root][:, None]
    displacement[0] = matrix @ (displacement[0] + offset) - offset + move[:, None]
    return replace(motion, rotation=rotation, displacement=displacement, plates=None)


def backwards(motion: Motion) -> Motion:
    """Return the motion from its last frame to its first."""
    return replace(
        motion, rotation=motion.rotation[..., ::-1].copy(),
        displacement=motion.displacement[..., ::-1].copy(), flags=motion.flags[::-1].copy(),
        plates=None,
    )  # fmt: skip


def resized(motion: Motion, factor: float) -> Motion:
    """Return the motion of a person this much larger, who moves more slowly in proportion."""
    skeleton = replace(
        motion.skeleton,
        offset=motion.skeleton.offset * factor,
        site_offset=motion.skeleton.site_offset * factor,
    )
    return replace(
        motion, skeleton=skeleton, displacement=motion.displacement * factor, plates=None,
        fps=motion.fps / np.sqrt(factor),
    )  # fmt: skip


def resampled(motion: Motion, fps: float) -> Motion:
    """Return a motion without frames left out at another rate, by splines through its frames."""
    time = np.arange(motion.n_frames) / motion.fps
    new = np.arange(int(time[-1] * fps) + 1) / fps
    rotation = np.array(motion.rotation)
    make_continuous(rotation)
    rotation = CubicSpline(time, rotation, axis=-1)(new)
    rotation /= np.linalg.norm(rotation, axis=1, keepdims=True)
    displacement = CubicSpline(time, motion.displacement, axis=-1)(new)
    return replace(
        motion, fps=fps, rotation=rotation, displacement=displacement, plates=None,
        flags=np.zeros(len(new)),
    )  # fmt: skip


def _product(q: np.ndarray, p: np.ndarray) -> np.ndarray:
    """Return the product of a quaternion ``(4)`` and quaternions ``(4, F)``."""
    vector = q[0] * p[1:] + p[0] * q[1:, None] + np.cross(q[1:, None], p[1:], axis=0)
    return np.concatenate([[q[0] * p[0] - q[1:] @ p[1:]], vector])


def _matrix(q: np.ndarray) -> np.ndarray:
    basis = np.concatenate([np.zeros((1, 3)), np.eye(3)])
    back = q * np.array([1.0, -1, -1, -1])
    turned = _product(q, basis)
    columns = [_product(turned[:, k], back[:, None])[1:, 0] for k in range(3)]
    return np.stack(columns, axis=1)
