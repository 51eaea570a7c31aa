"""OpenSim files: results, and the setup with which its own tools repeat them.

``_id.sto`` has the joint moments, ``_grf.mot`` the ground forces, ``_external_loads.xml`` says on
which body they act, ``.osim`` is the body, ``_ik.mot`` its motion and ``.trc`` joint centres and
markers. All is in OpenSim's world, y up: the file's world turned the shortest way that lays its up
axis on y (z up: −90° about x, as OpenSim's own C3D import does). Moments about a body's own axes
need no turn. The headers say both.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple
from xml.etree import ElementTree

import numpy as np
import pandas as pd

from mocap_reroot.export.osim import posed, put, tracked, write_osim
from mocap_reroot.export.own_model import (
    FORCES,
    VALUES,
    coordinate_tables,
    own_model,
    write_without_forces,
)
from mocap_reroot.export.storage import combination, opensim_names, to_y_up, write_storage
from mocap_reroot.export.trc import write_trc
from mocap_reroot.numerics.frames import runs
from mocap_reroot.numerics.vectors import cross
from mocap_reroot.schema import XYZ
from mocap_reroot.types import Dynamics, Markers

if TYPE_CHECKING:
    from mocap_reroot.analysis import Analysis

COORDINATES = {
    "hip_flexion": "hip_flexion",
    "hip_adduction": "hip_adduction",
    "hip_rotation": "hip_rotation",
    "knee_flexion": "knee_angle",
    "knee_adduction": "knee_adduction",
    "knee_rotation": "knee_rotation",
    "ankle_dorsiflexion": "ankle_angle",
    "ankle_inversion": "ankle_inversion",
    "ankle_rotation": "ankle_rotation",
    "shoulder_flexion": "arm_flex",
    "shoulder_adduction": "arm_add",
    "shoulder_rotation": "arm_rot",
    "elbow_flexion": "elbow_flex",
    "elbow_adduction": "elbow_adduction",
    "elbow_pronation": "pro_sup",
}
"""Our name of a motion of a limb to OpenSim's name of the coordinate; same sense in all of them."""
TRUNK = {
    "trunk_flexion": ("lumbar_extension", -1.0),
    "trunk_bending": ("lumbar_bending", 1.0),
    "trunk_rotation": ("lumbar_rotation", 1.0),
}
"""The same for the trunk, with the sense; OpenSim counts extension positive."""


_MOMENTS: tuple[str, ...] = (
    "<body>_mx_moment, _my_, _mz_: moment of the parent on the body at its joint, N m, in the "
    "axes of the body as the motion file has them.",
    "hip_flexion_r_moment and the like: the same moment about the axis of the motion named, N m, "
    "internal, positive in the sense of OpenSim's coordinate.",
    "knee_angle is positive in flexion, as in Rajagopal's model; models after gait2392 count "
    "knee flexion negative, so reverse knee_angle to compare with them.",
    "ankle_inversion is about the foot's long axis at the ankle, not about the oblique axis of "
    "OpenSim's subtalar_angle.",
)


def write_opensim(
    analysis: Analysis, stem: str, folder: Path, markers: Markers | None = None
) -> tuple[Path, ...]:
    """Write all files for OpenSim: moments, forces, loads, model, coordinates and points.

    Frames left out of the analysis have no row: OpenSim interpolates over what is not there, and
    no number need be invented.

    Args:
        analysis: A clip from file to torques.
        stem: How the names begin.
        folder: An existing folder.
        markers: m, in the frames of the motion, where it was made from markers.

    Returns:
        The files written; none if no frame was analysed.
    """
    result, motion = analysis.dynamics, analysis.motion
    pose, given, moments = posed(motion), own_model(motion, analysis.body), joint_moments(result)
    values, of_values, of_moments = pose.table, pose.notes, _MOMENTS
    if given is not None:
        values, forces = coordinate_tables(analysis, given)
        moments = moments.drop(columns=forces.columns, errors="ignore").join(forces)
        of_values, of_moments = VALUES, (*_MOMENTS[:2], FORCES)
    tables = [(f"{stem}_id.sto", moments, of_moments), (f"{stem}_ik.mot", values, of_values)]
    loads = loads_of(analysis)
    if loads:
        tables.append((f"{stem}_grf.mot", ground_forces(result, loads), _told_forces(result)))
    written = []
    for name, table, notes in tables:
        sound = np.isfinite(table.to_numpy()).all(axis=1) & (result.phase >= 0)
        if not sound.any():
            return ()
        gone = f"Frames left out of the analysis, which have no row: {int((~sound).sum())}."
        write_storage(table[sound], folder / name, notes if sound.all() else (*notes, gone))
        written.append(folder / name)
    points, model = tracked(motion, markers), folder / f"{stem}.osim"
    if given is None:
        written.append(write_osim(pose, analysis.body, model, points))
    else:
        written.append(write_without_forces(given, model))
    tracks = np.array([point.track for point in points])
    labels = [point.label for point in points]
    trc = folder / f"{stem}.trc"
    written.append(write_trc(trc, labels, tracks, motion.fps, motion.time, motion.up))
    if loads:
        told = folder / f"{stem}_external_loads.xml"
        told.write_text(external_loads(result, loads, f"{stem}_grf.mot"), encoding="utf-8")
        written.append(told)
    return tuple(written)


def joint_moments(result: Dynamics) -> pd.DataFrame:
    """Return the columns of ``_id.sto``, one row a frame."""
    names, joints = opensim_names(result.skeleton.names), result.joints
    columns = {"time": result.time}
    for i in joints:
        columns |= {f"{names[i]}_m{a}_moment": result.torque[i, c] for c, a in enumerate(XYZ)}
    for column, values in result.extra.get("anatomy", pd.DataFrame()).items():
        found = coordinate_of(str(column))
        if found is not None:
            name, sense = found
            columns[name] = sense * values.to_numpy()
    return pd.DataFrame(columns)


def coordinate_of(column: str) -> tuple[str, float] | None:
    """Return OpenSim's name for a moment's column of ``anatomy``, and the sense; None for others.

    ``left_knee_flexion_moment`` is ``knee_angle_l_moment``.
    """
    if not column.endswith("_moment"):
        return None
    motion = column.removesuffix("_moment")
    if motion in TRUNK:
        name, sense = TRUNK[motion]
        return f"{name}_moment", sense
    side, _, motion = motion.partition("_")
    if side in ("left", "right") and motion in COORDINATES:
        return f"{COORDINATES[motion]}_{side[0]}_moment", 1.0
    return None


_KINDS = ("force_v", "force_p", "torque_")
"""How the columns of a force, its point and the couple there end, but for the axis."""


class Load(NamedTuple):
    """A wrench from outside, as columns ``<name>_force_vx`` and so on.

    Attributes:
        name: How its columns begin.
        body: Index of the body it acts on.
        rows: Force, N, its point, m, and the couple there, N·m, ``(3, F)`` each; y up.
        applied: Whether the external loads use it; what several bodies bear is told twice.
    """

    name: str
    body: int
    rows: tuple[np.ndarray, np.ndarray, np.ndarray]
    applied: bool = True


def loads_of(analysis: Analysis) -> list[Load]:
    """Return what pushes the body: the ground on every limb, the right foot first, and others.

    The couple is the one that remains at the point that is written, so that the wrench is ours in
    every frame. What a limb bears by several bodies follows, body by body, then pushes from
    elsewhere, at the root's origin.
    """
    result, ground = analysis.dynamics, analysis.ground
    names, turn = opensim_names(result.skeleton.names), to_y_up(result.up)
    limbs, others = [], []
    for number, k in enumerate(_right_first(result)):
        place = held(result.foot_pressure[k], result.foot_on[k])
        force, moment = ground.loads.force[k], ground.loads.moment[k]
        couple = moment - cross(place - ground.total.about, force)
        rows = turn @ force, turn @ place, turn @ couple
        parts = ground.support.bodies(k)
        alone = all(body == result.feet[k] for body in parts)
        limbs.append(Load(f"{_prefix(number)}ground", result.feet[k], rows, applied=alone))
        if not alone:
            who = ground.support.part[k]
            others += [_borne(names[body], body, who, rows) for body in parts]
    if ground.external is not None and ground.pushed is not None:
        push = turn @ ground.external[:3], turn @ ground.total.about, turn @ ground.external[3:]
        bodies = np.unique(ground.pushed[ground.pushed >= 0]).tolist()
        others += [_borne(f"{names[i]}_pushed", i, ground.pushed, push) for i in bodies]
    return limbs + others


def _borne(
    name: str, body: int, who: np.ndarray, rows: tuple[np.ndarray, np.ndarray, np.ndarray]
) -> Load:
    """Return a load where a body bears it, and nothing elsewhere."""
    bears = np.where(who == body, 1.0, 0.0)
    return Load(name, body, (bears * rows[0], rows[1], bears * rows[2]))


def ground_forces(result: Dynamics, loads: Sequence[Load]) -> pd.DataFrame:
    """Return the columns of ``_grf.mot``, one row a frame."""
    columns: dict[str, np.ndarray] = {"time": result.time}
    last: dict[str, np.ndarray] = {}
    for load in loads:
        for kind, rows in zip(_KINDS, load.rows, strict=True):
            late = kind == "torque_" or not load.name.endswith("ground")
            to = last if late else columns
            to |= {f"{load.name}_{kind}{a}": rows[c] for c, a in enumerate(XYZ)}
    return pd.DataFrame(columns | last)


def _prefix(number: int) -> str:
    return f"{number}_" if number else ""


def external_loads(result: Dynamics, loads: Sequence[Load], datafile: str) -> str:
    """Return the content of ``_external_loads.xml``: which force of the data acts on which body."""
    document = ElementTree.Element("OpenSimDocument", Version="40000")
    content = ElementTree.SubElement(document, "ExternalLoads", name="ground")
    objects = ElementTree.SubElement(content, "objects")
    names = opensim_names(result.skeleton.names)
    for load in loads:
        if load.applied:
            force = ElementTree.SubElement(objects, "ExternalForce", name=f"{load.name}_load")
            put(force, "applied_to_body", names[load.body])
            put(force, "force_expressed_in_body", "ground")
            put(force, "point_expressed_in_body", "ground")
            for word, kind in zip(("force", "point", "torque"), _KINDS, strict=True):
                put(force, f"{word}_identifier", f"{load.name}_{kind}")
    put(content, "datafile", datafile)
    ElementTree.indent(document, "\t")
    return ElementTree.tostring(document, encoding="unicode") + "\n"


def _right_first(result: Dynamics) -> list[int]:
    """Return the order of the feet: right, left, then whatever else carries."""
    anatomy = result.skeleton.anatomy
    words = [anatomy.segments[foot] if anatomy is not None else "" for foot in result.feet]
    rank = {"right_foot": 0, "left_foot": 1}
    return sorted(range(len(words)), key=lambda k: (rank.get(words[k], 2), k))


def held(place: np.ndarray, on: np.ndarray) -> np.ndarray:
    """Return ``(3, F)`` points where some are missing: the last known one, of the stance first.

    A foot that lands has no point yet: it takes its first one, not that of the step before, and
    so does the frame before it, lest a force be interpolated half way between two steps.

    Args:
        place: ``(3, F)`` m, NaN where unknown.
        on: ``(F)`` whether the limb carries.
    """
    rows = pd.DataFrame(place.T)
    for start, stop in runs(on):
        stance = slice(max(start - 1, 0), stop)
        rows.iloc[stance] = rows.iloc[stance].ffill().bfill()
    return np.asarray(rows.ffill().bfill().fillna(0.0).to_numpy().T)


def _told_forces(result: Dynamics) -> tuple[str, ...]:
    """Return the sentences of the header: whose forces, in which axes."""
    names = [result.skeleton.names[result.feet[k]] for k in _right_first(result)]
    feet = ", ".join(f"{name}: {_prefix(number)}ground_force" for number, name in enumerate(names))
    rows = "; ".join(
        f"OpenSim {a} is {combination(row)} of the file"
        for a, row in zip(XYZ, to_y_up(result.up), strict=True)
    )
    return (
        f"Force of the ground on each foot, N, its centre of pressure, m, and the couple that "
        f"remains there, N m. {feet}.",
        f"Turned to OpenSim's ground, y up: {rows}.",
        "Below 20 N the last pressure is held, on landing the first; force and couple there are "
        "those of the frame.",
        "<body>_force, <body>_torque: what a limb that carries by several bodies bears by each, in "
        "addition to its whole above; <body>_pushed_force: a push from elsewhere, at the root's "
        "origin. The external loads use these.",
    )
