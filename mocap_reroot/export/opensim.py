"""OpenSim files: joint moments as ``_id.sto`` and ground forces as ``_grf.mot``.

The ground forces are in OpenSim's world, y up: the file's world turned the shortest way that lays
its up axis on y (z up: −90° about x, as OpenSim's own C3D import does). Moments about a body's
own axes need no turn. The headers say both.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pandas as pd

from mocap_reroot.kernels.printing import WIDTH, print_rows
from mocap_reroot.schema import XYZ
from mocap_reroot.types import Dynamics, read_only

DECIMALS = 9
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

CLOCK = "Time is that of the motion file, from 0 where it has none."
_MOMENTS = (
    "<body>_mx_moment, _my_, _mz_: moment of the parent on the body at its joint, N m, in the "
    "axes of the body as the motion file has them.",
    "hip_flexion_r_moment and the like: the same moment about the axis of the motion named, N m, "
    "internal, positive in the sense of OpenSim's coordinate.",
    "knee_angle is positive in flexion, as in Rajagopal's model; models after gait2392 count "
    "knee flexion negative, so reverse knee_angle to compare with them.",
    "ankle_inversion is about the foot's long axis at the ankle, not about the oblique axis of "
    "OpenSim's subtalar_angle.",
)


def write_opensim(result: Dynamics, stem: str, folder: Path) -> tuple[Path, ...]:
    """Write ``<stem>_id.sto`` and, where there are feet, ``<stem>_grf.mot``.

    Frames left out of the analysis have no row: OpenSim interpolates over what is not there, and
    no number need be invented.

    Args:
        result: Torques and ground forces.
        stem: How the names begin.
        folder: An existing folder.

    Returns:
        The files written; none if no frame was analysed.
    """
    written = []
    files: list[tuple[str, pd.DataFrame, tuple[str, ...]]] = [
        (f"{stem}_id.sto", joint_moments(result), _MOMENTS)
    ]
    if result.feet:
        files.append((f"{stem}_grf.mot", ground_forces(result), _told_forces(result)))
    for name, table, notes in files:
        sound = np.isfinite(table.to_numpy()).all(axis=1) & (result.phase >= 0)
        if not sound.any():
            continue
        gone = f"Frames left out of the analysis, which have no row: {int((~sound).sum())}."
        write_storage(table[sound], folder / name, notes if sound.all() else (*notes, gone))
        written.append(folder / name)
    return tuple(written)


def joint_moments(result: Dynamics) -> pd.DataFrame:
    """Return the columns of ``_id.sto``, one row a frame."""
    names, joints = result.skeleton.names, result.joints
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


def ground_forces(result: Dynamics) -> pd.DataFrame:
    """Return the columns of ``_grf.mot``, one row a frame, y up; the right foot comes first.

    The pressure of a foot that bears nothing is held from the nearest frame in which it did, so
    that no interpolated force acts at a point far away.
    """
    turn = to_y_up(result.up)
    forces: dict[str, np.ndarray] = {}
    torques: dict[str, np.ndarray] = {}
    for number, k in enumerate(_right_first(result)):
        prefix = f"{number}_" if number else ""
        force, place = turn @ result.foot_force[k], turn @ held(result.foot_pressure[k])
        for c, a in enumerate(XYZ):
            forces[f"{prefix}ground_force_v{a}"] = force[c]
        for c, a in enumerate(XYZ):
            forces[f"{prefix}ground_force_p{a}"] = place[c]
            torques[f"{prefix}ground_torque_{a}"] = result.foot_couple[k] * (a == "y")
    return pd.DataFrame({"time": result.time} | forces | torques)


def _right_first(result: Dynamics) -> list[int]:
    """Return the order of the feet: right, left, then whatever else carries."""
    anatomy = result.skeleton.anatomy
    words = [anatomy.segments[foot] if anatomy is not None else "" for foot in result.feet]
    rank = {"right_foot": 0, "left_foot": 1}
    return sorted(range(len(words)), key=lambda k: (rank.get(words[k], 2), k))


def held(place: np.ndarray) -> np.ndarray:
    """Return ``(3, F)`` points with those that are missing taken from the nearest frame."""
    known = np.flatnonzero(np.isfinite(place).all(axis=0))
    if not len(known):
        return np.zeros(place.shape)
    nearest = np.interp(np.arange(place.shape[1]), known, np.arange(len(known)))
    return np.asarray(place[:, known[np.rint(nearest).astype(int)]])


def to_y_up(up: np.ndarray) -> np.ndarray:
    """Return ``(3, 3)`` the smallest rotation that turns a unit vector into (0, 1, 0)."""
    y = np.array([0.0, 1.0, 0.0])
    cosine = float(up @ y)
    if cosine < -1 + 1e-12:  # upside down: half a turn about x
        return np.diag([1.0, -1.0, -1.0])
    axis = np.cross(up, y)
    skew = np.array([[0, -axis[2], axis[1]], [axis[2], 0, -axis[0]], [-axis[1], axis[0], 0]])
    return np.asarray(np.eye(3) + skew + skew @ skew / (1 + cosine))


def _told_forces(result: Dynamics) -> tuple[str, ...]:
    """Return the sentences of the header: whose forces, in which axes."""
    names = [result.skeleton.names[result.feet[k]] for k in _right_first(result)]
    feet = ", ".join(
        f"{name}: {f'{number}_' if number else ''}ground_force" for number, name in enumerate(names)
    )
    rows = "; ".join(
        f"OpenSim {a} is {_combination(row)} of the file"
        for a, row in zip(XYZ, to_y_up(result.up), strict=True)
    )
    return (
        f"Force of the ground on each foot, N, its centre of pressure, m, and the couple that "
        f"remains there, N m. {feet}.",
        f"Turned to OpenSim's ground, y up: {rows}.",
        "The pressure of a foot that bears less than 20 N is held from the nearest frame.",
    )


def _combination(row: np.ndarray) -> str:
    """Return a row of a rotation in words: ``-y``, or ``0.98 y + 0.17 z``."""
    parts: list[str] = []
    for value, axis in zip(row, XYZ, strict=True):
        if abs(value) > 1e-9:
            size = "" if abs(abs(value) - 1) < 1e-9 else f"{abs(value):.6g} "
            parts.append(f"{'-' if value < 0 else '+' if parts else ''}{size}{axis}")
    return " ".join(parts)


def write_storage(table: pd.DataFrame, path: Path, notes: Sequence[str] = ()) -> None:
    """Write a table in OpenSim's storage format, tabs between the numbers.

    Args:
        table: ``time`` and further columns, finite numbers.
        path: ``.sto`` or ``.mot`` file to write.
        notes: Sentences for the header; OpenSim keeps them.
    """
    labels = ["_".join(str(column).split()) for column in table.columns]
    told = [note.replace("=", ":") for note in (CLOCK, *notes)]  # what has '=' is a key to OpenSim
    head = [
        path.name,
        "version=1",
        f"nRows={len(table)}",
        f"nColumns={len(labels)}",
        "inDegrees=no",
        *told,
        "endheader",
        "\t".join(labels),
    ]
    values = read_only(np.ascontiguousarray(table.to_numpy(dtype=float).T))
    text = np.empty(values.size * WIDTH, dtype=np.uint8)
    decimals = read_only(np.full(len(values), DECIMALS), np.int64)
    size = print_rows(values, 0, values.shape[1], decimals, text)
    text = text[:size]
    text[text == ord(" ")] = ord("\t")
    path.write_bytes("\n".join(head).encode() + b"\n" + text.tobytes())
