"""Which way is up: what the file says, checked against the body."""

from __future__ import annotations

import numpy as np

from mocap_reroot.errors import FileError
from mocap_reroot.numerics.vectors import axis_vector
from mocap_reroot.skeletons.landmarks import Landmarks
from mocap_reroot.types import Inference, Recording


def find_up(recording: Recording, marks: Landmarks) -> tuple[np.ndarray, Inference, list[str]]:
    """Return the ``(3)`` up axis, why, and warnings.

    The file's word counts unless the body contradicts it: feet that are above the pelvis, or
    beside it while the plates lie square to another axis.

    Raises:
        FileError: Pelvis and feet are never seen together.
    """
    points = marks.points.items()
    low = [p for name, p in points if name.split("_", 1)[-1] in ("heel", "toe", "toe_tip")]
    low = low or [p for name, p in points if "ankle" in name]
    high = [p for name, p in points if name.endswith(("asis", "hip_centre"))]
    rise = np.nanmedian(np.mean(high, axis=0) - np.mean(low, axis=0), axis=1)
    if not np.linalg.norm(rise) > 0:
        raise FileError(recording.path, "pelvis and feet are never seen together.")
    rise = rise / np.linalg.norm(rise)
    stated = axis_vector(recording.up) if recording.up else None
    if stated is not None and (rise @ stated > 0.3 or _flat_plates(recording, stated, rise)):
        evidence = (
            f"the file says {recording.up} is up on the screen, and the pelvis is above the feet"
        )
        return stated, Inference("up", recording.up, 1.0, evidence), []
    axis = int(np.argmax(np.abs(rise)))
    word = f"{'+' if rise[axis] > 0 else '-'}{'xyz'[axis]}"
    up = axis_vector(word)
    evidence = f"the pelvis is above the feet along {word}"
    found = Inference("up", word, float(abs(rise[axis])), evidence)
    if stated is None:
        return up, found, []
    warning = f"The file says {recording.up} is up, but {evidence}; {word} is used."
    return up, found, [warning]


def _flat_plates(recording: Recording, stated: np.ndarray, rise: np.ndarray) -> bool:
    """Say whether plates lie square to the stated axis while the body is not upside down."""
    if recording.plates is None or rise @ stated < -0.3:
        return False
    corners = recording.plates.corners
    normal = np.cross(corners[:, 2] - corners[:, 0], corners[:, 3] - corners[:, 1])
    normal = normal / np.linalg.norm(normal, axis=1, keepdims=True)
    return bool((np.abs(normal @ stated) > 0.9).any())
