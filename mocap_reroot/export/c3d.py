"""C3D out, by ezc3d: points, angles, moments, powers, ground forces and events as Vicon has them.

Labels, axes, senses and units are those of Vicon's Plug-in Gait: lengths in mm, angles in degrees,
moments external in N·mm per kg, powers in W per kg (third component), ground forces in N per kg.
Force plates are the measured ones; without any, a plate under each foot bears its predicted force,
and the group ``MOCAP_REROOT`` says so.
"""

from __future__ import annotations

import shutil
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from mocap_reroot.errors import MocapRerootError
from mocap_reroot.export.folders import complete_file
from mocap_reroot.mechanics.kinematics import forward
from mocap_reroot.numerics.vectors import level_axes
from mocap_reroot.resources.drafts import scratch_folder
from mocap_reroot.resources.package_data import read_toml
from mocap_reroot.types import Markers, Motion, Skeleton
from mocap_reroot.version import __version__

if TYPE_CHECKING:
    from mocap_reroot.analysis import Analysis

OURS = "MOCAP_REROOT"
"""Group of what no other program needs to know, but this one when it reads the file."""
MILLIMETRES = 1e3
_MARGIN = 0.15  # m, how far a drawn plate reaches beyond the pressures on it
_MOST_POINTS = 65535  # what 16 bits count
_MOST_EVENTS = 255  # the largest extent of a parameter
VICON = read_toml("export", "vicon.toml")
"""Plug-in Gait's labels, groups and units."""
SIDES = ("left", "right")


@dataclass(eq=False)
class _Points:
    """Points being collected: ``(3, F)`` each, with label, description and group of outputs."""

    labels: list[str] = field(default_factory=list)
    descriptions: list[str] = field(default_factory=list)
    values: list[np.ndarray] = field(default_factory=list)
    groups: dict[str, list[str]] = field(default_factory=dict)

    def add(self, label: str, values: np.ndarray, group: str = "", told: str = "") -> None:
        if label in self.labels:
            return
        self.labels.append(label)
        self.descriptions.append(told)
        self.values.append(values)
        if group:
            self.groups.setdefault(group, []).append(label)


def write_c3d(
    motion: Motion,
    path: str | Path,
    *,
    markers: Markers | None = None,
    result: Analysis | None = None,
) -> Path:
    """Write a motion, and what was computed of it, as a C3D file.

    Args:
        motion: Any motion.
        path: Where to write; the file appears when it is complete.
        markers: m, of the same frames, where the motion came from markers. Joint centres are then
            modelled markers; else they are the points.
        result: An analysis of the same motion: its angles, moments, powers, forces and events.

    Returns:
        The path.

    Raises:
        FileError: The file cannot be written.
    """
    import ezc3d

    path = Path(path)
    points = _Points()
    if markers is not None:
        for label, place in zip(markers.labels, markers.position, strict=True):
            points.add(label, place * MILLIMETRES)
    group = "MODELED_MARKERS" if markers is not None else ""
    for label, body, place in joint_centres(motion):
        points.add(label, place * MILLIMETRES, group, told=body)
    if result is not None:
        _add_outputs(points, motion.skeleton, result)
    if len(points.labels) > _MOST_POINTS:
        raise MocapRerootError(f"{path}: {len(points.labels)} points are more than C3D can hold.")
    content = ezc3d.c3d()
    _put_points(content, points, motion)
    _put_events(content, motion, result)
    _put_subject(content, motion, result)
    _put_plates(content, motion, result)
    _put(content, OURS, "POINTS", ["joint centres" if markers is None else "markers"])
    with complete_file(path) as draft, scratch_folder() as folder:
        whole = Path(folder) / "whole.c3d"  # a library that writes straight to a path
        try:
            content.write(str(whole))
        except RuntimeError as error:
            raise MocapRerootError(f"{path}: ezc3d could not write it ({error}).") from None
        shutil.copyfile(whole, draft)
    return path


def joint_centres(motion: Motion) -> list[tuple[str, str, np.ndarray]]:
    """Return label, name of the body and ``(3, F)`` m of every joint centre.

    Joints that Vicon has a label for bear it; others the name of their body.
    """
    skeleton, place = motion.skeleton, forward(motion).position
    known: dict[int, str] = {}
    anatomy = skeleton.anatomy
    for segment, label in VICON["centres"].items():
        for side in (*SIDES, "") if anatomy is not None and anatomy.human else ():
            assert anatomy is not None
            bodies = anatomy.find(f"{side}_{segment}" if side else segment)
            if bodies:
                first = min(bodies, key=lambda body: len(skeleton.chain(body)))
                known[first] = f"{side[:1].upper()}{label}"
    names = skeleton.names
    return [(known.get(b, names[b]), names[b], place[b]) for b in range(skeleton.n_bodies)]


def _add_outputs(points: _Points, skeleton: Skeleton, result: Analysis) -> None:
    """Add angles, moments, powers and ground forces under Vicon's labels."""
    mass = result.body.total_mass
    frames = len(result.grf)
    table = result.anatomy
    columns: dict[str, np.ndarray] = {}
    if table is not None:
        columns = {str(c): v.to_numpy(float) for c, v in table.items() if v.dtype.kind == "f"}

    def add(label: str, group: str, motions: list[str], ending: str, scale: float) -> None:
        """Add three columns of the anatomy as a point; where one is missing, nothing."""
        found = [columns.get(motion.removeprefix("-") + ending) for motion in motions]
        rows = np.zeros((3, frames))
        for k, (motion, values) in enumerate(zip(motions, found, strict=True)):
            if values is None:
                return
            rows[k] = values * (-scale if motion.startswith("-") else scale)
        points.add(label, rows, group)

    def sided(kind: str) -> list[tuple[str, list[str]]]:
        """Return the joints of both sides, and their motions by the names of our columns."""
        found = []
        for side in SIDES:
            for joint, motions in VICON[kind].items():
                stem = f"{side}_{joint.lower()}_"
                ours = [f"-{stem}{m[1:]}" if m[0] == "-" else stem + m for m in motions]
                found.append((f"{side[0].upper()}{joint}", ours))
        return found

    for label, motions in (*sided("angles"), *VICON["trunk"].items()):
        add(f"{label}Angles", "ANGLES", motions, "_deg", 1.0)
    for label, motions in sided("moments"):  # ours are internal
        add(f"{label}Moment", "MOMENTS", motions, "_moment", -1e3 / mass)
    for side in SIDES:
        for joint, segment in VICON["powers"].items():
            bodies = skeleton.anatomy.find(f"{side}_{segment}") if skeleton.anatomy else []
            column = f"{skeleton.names[bodies[0]]}_power" if bodies else ""
            if column in result.torques:
                rows = np.zeros((3, frames))
                rows[2] = result.torques[column].to_numpy(float) / mass
                points.add(f"{side[0].upper()}{joint}Power", rows, "POWERS")
    for limb, label in _limbs(skeleton, result).items():
        force, place = (
            result.grf[[f"{limb}_{k}{a}" for a in "xyz"]].to_numpy(float).T for k in "fp"
        )
        points.add(f"{label}GroundReactionForce", force / mass, "FORCES", told=limb)
        told = f"centre of pressure of {limb}"
        points.add(f"{label}CentreOfPressure", place * MILLIMETRES, "MODELED_MARKERS", told)


def _limbs(skeleton: Skeleton, result: Analysis) -> dict[str, str]:
    """Return who carries, and how its labels begin: ``L``, ``R``, or its own name."""
    limbs = [str(c).removesuffix("_on") for c in result.grf.columns if str(c).endswith("_on")]
    segments = skeleton.anatomy.segments if skeleton.anatomy else ()
    words = {"left_foot": "L", "right_foot": "R"}
    found: dict[str, str] = {}
    for limb in limbs:
        label = words.get(segments[skeleton.names.index(limb)], limb) if segments else limb
        found[limb] = limb if label in found.values() else label
    return found


def _put(content: Any, group: str, name: str, value: list[Any] | np.ndarray) -> None:
    """Set a parameter; whole numbers stay whole, which ezc3d's own function makes real."""
    from ezc3d import ezc3d

    array = np.asarray(value)
    parameter = ezc3d.Parameter(name, "")
    parameter.set(array.reshape(-1, order="F").tolist(), list(array.shape))
    content["parameters"].add_parameter(group, parameter)
    if array.dtype.kind in "iu":
        content["parameters"][group][name]["type"] = ezc3d.INT


def _put_points(content: Any, points: _Points, motion: Motion) -> None:
    values = np.array(points.values).transpose(1, 0, 2)
    missing = ~np.isfinite(values).all(axis=0)
    data = np.ones((4, *values.shape[1:]))
    data[:3] = np.where(missing, 0.0, values)
    content["data"]["points"] = data
    content["data"]["meta_points"] = {
        "residuals": np.where(missing, -1.0, 0.0)[None],
        "camera_masks": np.zeros((7, *missing.shape), bool),
    }
    first = _before(motion) + motion.start + 1
    content["header"]["points"]["first_frame"] = first - 1
    for end, frame in (("START", first), ("END", first + motion.n_frames - 1)):  # 16 bits twice
        _put(content, "TRIAL", f"ACTUAL_{end}_FIELD", [frame % 65536, frame // 65536])
    point = content["parameters"]["POINT"]
    point["RATE"]["value"] = [motion.fps]
    point["UNITS"]["value"] = ["mm"]
    point["LABELS"]["value"] = points.labels
    point["DESCRIPTIONS"]["value"] = points.descriptions
    axis = int(np.abs(motion.up).argmax())
    if abs(motion.up[axis]) > 1 - 1e-9:
        sign = "+" if motion.up[axis] > 0 else "-"
        _put(content, "POINT", "X_SCREEN", [f"+{'XYZ'[(axis + 1) % 3]}"])
        _put(content, "POINT", "Y_SCREEN", [f"{sign}{'XYZ'[axis]}"])
    for unit, word in VICON["units"].items():
        _put(content, "POINT", f"{unit}_UNITS", [word])
    pairs = []
    for group, labels in points.groups.items():
        _put(content, "POINT", group, labels)
        pairs += [group, VICON["groups"].get(group, group.removesuffix("S"))]
    if pairs:
        _put(content, "POINT", "TYPE_GROUPS", pairs)


def _put_events(content: Any, motion: Motion, result: Analysis | None) -> None:
    if result is None or not len(result.events):
        return
    table = result.events.iloc[:_MOST_EVENTS]
    sides = [str(side).capitalize() or "General" for side in table["side"]]
    seconds = (table["frame"].to_numpy(float) + _before(motion)) / motion.fps
    words = [VICON["events"].get(str(event), str(event)) for event in table["event"]]
    _put(content, "EVENT", "USED", [len(words)])
    _put(content, "EVENT", "CONTEXTS", sides)
    _put(content, "EVENT", "LABELS", words)
    _put(content, "EVENT", "SUBJECTS", [_subject(motion)] * len(words))
    _put(content, "EVENT", "ICON_IDS", [1 if w == "Foot Strike" else 2 for w in words])
    _put(content, "EVENT", "GENERIC_FLAGS", [0] * len(words))
    # Minutes and seconds, as the format has it.
    _put(content, "EVENT", "TIMES", np.stack([seconds // 60, seconds % 60]))


def _before(motion: Motion) -> int:
    """Return how many frames of the trial came before the first row of the file, by its clock."""
    return max(round(motion.source.start_time * motion.fps), 0)


def _subject(motion: Motion) -> str:
    return motion.source.path.stem[:32] if motion.source.path else "subject"


def _put_subject(content: Any, motion: Motion, result: Analysis | None) -> None:
    _put(content, "SUBJECTS", "USED", [1])
    _put(content, "SUBJECTS", "NAMES", [_subject(motion)])
    _put(content, "SUBJECTS", "USES_PREFIXES", [0])
    _put(content, "MANUFACTURER", "SOFTWARE", ["mocap_reroot"])
    _put(content, "MANUFACTURER", "VERSION_LABEL", [__version__])
    mass = result.body.total_mass if result is not None else motion.source.mass
    height = result.body.height if result is not None else motion.source.height
    if mass is not None and np.isfinite(mass):
        _put(content, "PROCESSING", "Bodymass", [float(mass)])
    if height is not None and np.isfinite(height):
        _put(content, "PROCESSING", "Height", [float(height) * MILLIMETRES])


def _put_plates(content: Any, motion: Motion, result: Analysis | None) -> None:
    """Put measured plates into the file, else one that is drawn under each foot."""
    corners: list[np.ndarray] = []
    channels: list[np.ndarray] = []
    plates = motion.plates
    if plates is not None:
        for where, force, moment in zip(plates.corners, plates.force, plates.moment, strict=True):
            across = np.cross(where[0] - where[1], where[0] - where[3])
            where = where[::-1] if across @ motion.up > 0 else where  # z into the ground
            corners.append(where)
            channels.append(_in_plate(where, force, moment))
    elif result is not None:
        for limb in _limbs(motion.skeleton, result):
            found = _drawn_plate(result, limb)
            if found is not None:
                corners.append(found[0])
                channels.append(_in_plate(*found))
        _put(content, OURS, "FORCES", ["predicted"])
    if not corners:
        return
    count = len(corners)
    # Frames that were left out have no force: none, not a number that stops other programs.
    content["data"]["analogs"] = np.nan_to_num(np.concatenate(channels))[None]
    names = ("Force.Fx", "Force.Fy", "Force.Fz", "Moment.Mx", "Moment.My", "Moment.Mz")
    analog = content["parameters"]["ANALOG"]
    analog["LABELS"]["value"] = [f"{n}{k + 1}" for k in range(count) for n in names]
    analog["DESCRIPTIONS"]["value"] = [f"Force Plate [{1 + k // 6}]" for k in range(6 * count)]
    analog["UNITS"]["value"] = ["N", "N", "N", "Nmm", "Nmm", "Nmm"] * count
    analog["SCALE"]["value"] = [1.0] * (6 * count)
    analog["OFFSET"]["value"] = [0] * (6 * count)
    analog["RATE"]["value"] = [motion.fps]
    group = "FORCE_PLATFORM"
    _put(content, group, "USED", [count])
    _put(content, group, "TYPE", [2] * count)
    _put(content, group, "ZERO", [1, 0])
    where = np.stack(corners).transpose(2, 1, 0) * MILLIMETRES
    _put(content, group, "CORNERS", where)
    _put(content, group, "ORIGIN", np.zeros((3, count)))
    _put(content, group, "CHANNEL", np.arange(1, 6 * count + 1).reshape(count, 6).T)


def _in_plate(corners: np.ndarray, force: np.ndarray, moment: np.ndarray) -> np.ndarray:
    """Return ``(6, F)`` N and N·mm in a plate's axes, moments about the centre of its surface."""
    x, y = corners[0] - corners[1], corners[0] - corners[3]
    z = np.cross(x, y)
    x, z = x / np.linalg.norm(x), z / np.linalg.norm(z)
    axes = np.stack([x, np.cross(z, x), z])
    return np.concatenate([axes @ force, axes @ moment * MILLIMETRES])


def _drawn_plate(result: Analysis, limb: str) -> tuple[np.ndarray, np.ndarray, np.ndarray] | None:
    """Return ``(4, 3)`` corners around the pressures of a limb, its force and moment there."""
    table, up = result.grf, result.motion.up
    force, place = (table[[f"{limb}_{k}{a}" for a in "xyz"]].to_numpy(float).T for k in "fp")
    couple = table[f"{limb}_tn"].to_numpy(float)
    known = np.isfinite(place).all(axis=0)
    if not known.any():
        return None
    ahead, aside = level_axes(up)  # with up a right-handed frame
    low, high = (
        np.array([bound((axis @ place)[known]) for axis in (ahead, aside)])
        for bound in (np.min, np.max)
    )
    middle, half = (low + high) / 2, (high - low) / 2 + _MARGIN
    level = float(np.median((up @ place)[known]))
    centre = middle[0] * ahead + middle[1] * aside + level * up
    # x from corner 2 to 1, y from corner 4 to 1, so that z points into the ground.
    signs = np.array([(1, -1), (-1, -1), (-1, 1), (1, 1)])
    corners = centre + (signs * half) @ np.stack([ahead, aside])
    force = np.where(known, force, 0.0)
    arm = np.where(known, place, centre[:, None]) - centre[:, None]
    moment = np.cross(arm, force, axis=0) + up[:, None] * np.where(known, couple, 0.0)
    return corners, force, moment
