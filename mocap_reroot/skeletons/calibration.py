"""Calibration: where each marker sits on its segment, from marker set, clip or static trial."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, replace

import numpy as np

from mocap_reroot.mechanics.kinematics import forward
from mocap_reroot.skeletons.labels import plain, subject_labels
from mocap_reroot.skeletons.landmarks import Landmarks
from mocap_reroot.skeletons.markersets import SIDES, MarkerSet
from mocap_reroot.types import Motion, Recording, Skeleton

BODY_OF = {
    "pelvis": ("asis", "psis", "sacrum", "pelvis_centre", "hip_centre"),
    "thigh": ("thigh_wand", "lateral_knee", "medial_knee", "knee_centre"),
    "shank": ("shank_wand", "lateral_ankle", "medial_ankle", "ankle_centre"),
    "foot": ("heel", "toe", "toe_tip", "first_metatarsal", "fifth_metatarsal"),
    "toes": ("hallux",),
    "trunk": (
        "c7", "t10", "sternal_notch", "xiphoid", "neck_centre", "acromion", "shoulder_centre",
    ),
    "head": ("head_top", "head_front", "head_back", "head_side"),
    "upper_arm": ("lateral_elbow", "medial_elbow", "elbow_centre"),
    "forearm": ("radial_wrist", "ulnar_wrist", "wrist_centre"),
    "hand": ("hand",),
}  # fmt: skip
"""Body that bears each landmark."""

LOOSE = 0.025
"""m, scatter in a body's axes above which a marker without a place is not taken to sit on it."""

_LEAST_SEEN = 0.1  # of the frames
_CROWD = 0.5  # of the weight of a set's markers, that others on the same body have together
_CENTRE = 10.0  # weight of a joint's centre; a marker has 1
# Trunk, head and arms hang from the pelvis: a millimetre by which legs drag it along accelerates
# two thirds of the body. Its markers slide least, and they decide where it is.
_FIRM = {"pelvis": 100.0, "trunk": 3.0}


@dataclass(frozen=True, eq=False)
class AttachedMarkers:
    """Markers that ride on bodies.

    Attributes:
        labels: ``(m)`` in lower case.
        body: ``(m)`` index of the body that bears each.
        local: ``(m, 3)`` m, where it sits, in the body's axes.
        weight: ``(m)`` how much its error counts; about 1.
        position: ``(F, m, 3)`` m, where it was measured; NaN in gaps.
        joint: ``(m)`` bool: no marker but a joint's centre, found from markers by a formula.
    """

    labels: tuple[str, ...]
    body: np.ndarray
    local: np.ndarray
    weight: np.ndarray
    position: np.ndarray
    joint: np.ndarray

    def __len__(self) -> int:
        return len(self.labels)

    def __repr__(self) -> str:
        markers = int((~self.joint).sum())
        return f"<AttachedMarkers: {markers} markers on {len(set(self.body.tolist()))} bodies>"


def attached_markers(
    motion: Motion,
    recording: Recording,
    marks: Landmarks,
    marker_set: MarkerSet,
    centres: Mapping[str, np.ndarray] | None = None,
) -> AttachedMarkers:
    """Return the recording's markers with the bodies that bear them.

    Markers that the set knows go where it says. Others (on the back, the arms, extra clusters) go
    to the body in whose axes they move least, if that is little; those that move with none are
    left out. On a body that has markers of the set, the others count half as much together: they
    may be points that some software derived from them.

    Args:
        motion: A skeleton that already follows the markers.
        recording: Its markers.
        marks, marker_set: How they were named.
        centres: ``{joint: (3, F)}`` m, knees and ankles as formulas find them; they count like
            several markers, for the skin slides most about a bent knee.
    """
    assert recording.markers is not None
    rows = subject_labels(recording.markers)[marks.subject]
    position = recording.markers.position[list(rows.values())] * marks.unit_scale
    there = np.asarray(np.isfinite(position).all(axis=1))
    seen = there.mean(axis=1) > _LEAST_SEEN
    labels = [label for label, use in zip(rows, seen, strict=True) if use]
    position = np.where(there[:, None], position, np.nan)[seen]
    known = bodies_by_label(marker_set, motion.skeleton, labels)
    locals_ = _local(motion, position)
    scatter = np.sqrt(np.nanvar(locals_, axis=3).sum(axis=2))  # (n, m)
    body = np.array([known.get(label, -1) for label in labels], int)
    for m in np.flatnonzero(body < 0):
        nearest = int(np.argmin(scatter[:, m]))
        if scatter[nearest, m] < LOOSE:
            body[m] = nearest
    use = np.flatnonzero(body >= 0)
    firm = np.array([_FIRM.get(name, 1.0) for name in motion.skeleton.names])
    named = np.array([labels[m] in known for m in use], bool)
    markers = AttachedMarkers(
        tuple(labels[m] for m in use),
        body[use],
        np.nanmedian(locals_[body[use], use], axis=2),
        _shares(body[use], named) * firm[body[use]],
        np.ascontiguousarray(position[use].transpose(2, 0, 1)),
        np.zeros(len(use), bool),
    )
    return _with_centres(markers, motion.skeleton, centres or {})


def _shares(body: np.ndarray, named: np.ndarray) -> np.ndarray:
    """Return ``(m)`` weights: 1 for markers of the set, less for others that crowd a body."""
    weight = np.ones(len(body))
    for i in np.unique(body[named]):
        others = (body == i) & ~named
        count = ((body == i) & named).sum()
        weight[others] = min(1.0, _CROWD * count / max(others.sum(), 1))
    return weight


def _with_centres(
    markers: AttachedMarkers, skeleton: Skeleton, centres: Mapping[str, np.ndarray]
) -> AttachedMarkers:
    """Return the markers and, as targets of the joints themselves, knees and ankles."""
    found = {
        f"{side}_{joint}": skeleton.names.index(f"{side}_{body}")
        for side in SIDES
        for joint, body in (("knee", "shank"), ("ankle", "foot"))
        if f"{side}_{joint}" in centres and f"{side}_{body}" in skeleton.names
    }
    if not found:
        return markers
    count = len(found)
    points = np.stack([centres[name].T for name in found], axis=1)
    lost = ~np.isfinite(points).all(axis=2, keepdims=True)
    return AttachedMarkers(
        (*markers.labels, *found),
        np.append(markers.body, list(found.values())),
        np.concatenate([markers.local, np.zeros((count, 3))]),
        np.append(markers.weight, np.full(count, _CENTRE)),
        np.concatenate([markers.position, np.where(lost, np.nan, points)], axis=1),
        np.append(markers.joint, np.ones(count, bool)),
    )


def bodies_by_label(marker_set: MarkerSet, skeleton: Skeleton, labels: list[str]) -> dict[str, int]:
    """Return ``{label: body index}`` of the labels that a set places, by landmark or cluster."""
    places: dict[str, str] = {}
    for segment, members in marker_set.clusters.items():
        places.update({plain(member): segment for member in members})
    for landmark, parts in marker_set.found(labels).items():
        side, _, rest = landmark.partition("_")
        sided = side in SIDES
        for part, kinds in BODY_OF.items():
            if (rest if sided else landmark) in kinds:
                central = part in ("pelvis", "trunk", "head") or not sided
                body = part if central else f"{side}_{part}"
                places.update({plain(label): body for label in parts})
    names = skeleton.names
    found = {}
    for label, name in places.items():
        # Partial skeletons: what would sit on toes or a hand that is not there sits above.
        while name not in names and name.rpartition("_")[2] in _ABOVE:
            name = f"{name.split('_')[0]}_{_ABOVE[name.rpartition('_')[2]]}"
        if name in names:
            found[label] = names.index(name)
    return found


_ABOVE = {"toes": "foot"}


def from_static(
    attached: AttachedMarkers,
    skeleton: Skeleton,
    still: AttachedMarkers,
    still_skeleton: Skeleton,
    but: Collection[str] = (),
) -> AttachedMarkers:
    """Return markers placed as a static trial has them, where it has them on the same body.

    Args:
        attached, skeleton: The markers of a clip and what bears them.
        still, still_skeleton: The same of the static trial.
        but: Names of bodies whose markers stay where the clip has them.
    """
    local = attached.local.copy()
    where = {
        (label, still_skeleton.names[body]): at
        for label, body, at in zip(still.labels, still.body, still.local, strict=True)
        if np.isfinite(at).all()
    }
    for m, (label, body) in enumerate(zip(attached.labels, attached.body, strict=True)):
        if not attached.joint[m] and skeleton.names[body] not in but:
            local[m] = where.get((label, skeleton.names[body]), local[m])
    return replace(attached, local=local)


def _local(motion: Motion, position: np.ndarray) -> np.ndarray:
    """Return ``(n, m, 3, F)`` markers ``(m, 3, F)`` in the axes of every body; left-out NaN."""
    world = forward(motion)
    arm = position[None] - world.position[:, None]
    local = np.einsum("nfji,nmjf->nmif", world.matrix, arm)
    return np.where(motion.analysed, local, np.nan)
