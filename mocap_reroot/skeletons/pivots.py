"""Hip and knee centres fixed in marker clusters, in place of a marker that is missing."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from mocap_reroot.skeletons.gaps import Pivot, placement
from mocap_reroot.skeletons.labels import subject_labels
from mocap_reroot.skeletons.landmarks import Landmarks, find_up
from mocap_reroot.skeletons.limbs import measure
from mocap_reroot.skeletons.markersets import SIDES
from mocap_reroot.types import Recording


def with_pivots(static: Recording, marks: Landmarks, height: float | None, hip: str) -> Landmarks:
    """Return the landmarks of a static trial with the hips and knees that its clusters share.

    Args:
        static: The trial.
        marks: Its landmarks.
        height: m, stature if known.
        hip: How hip centres are found.
    """
    assert static.markers is not None
    centres = measure(marks, find_up(static, marks)[0], height or static.height, hip).centres
    rows = subject_labels(static.markers)[marks.subject]
    placed = {}
    for segment, shape in marks.clusters.items():
        points = static.markers.position[[rows[label] for label in shape]] * marks.unit_scale
        placed[segment] = placement(points, np.array(list(shape.values())))
    pivots = {}
    for side in SIDES:
        for joint, above, below in (
            ("hip", "pelvis", f"{side}_thigh"),
            ("knee", f"{side}_thigh", f"{side}_shank"),
        ):
            centre = centres.get(f"{side}_{joint}")
            if centre is None or above not in placed or below not in placed:
                continue
            there, here = (_local(centre, *placed[segment]) for segment in (above, below))
            if np.isfinite(there).all() and np.isfinite(here).all():
                pivots[below] = Pivot(above, there, here)
    return replace(marks, pivots=pivots)


def _local(centre: np.ndarray, turned: np.ndarray, shift: np.ndarray) -> np.ndarray:
    """Return ``(3)`` the mean of a point ``(3, F)`` in a cluster's axes; NaN if never known."""
    local = np.einsum("fji,fj->fi", turned, centre.T - shift)
    known = np.isfinite(local).all(axis=1)
    return np.asarray(local[known].mean(axis=0)) if known.any() else np.full(3, np.nan)
