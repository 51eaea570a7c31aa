"""An OpenSim model of the body that was used, and its coordinates: ``.osim`` and ``_ik.mot``.

Every joint is a CustomJoint with three rotations, so that speeds are the rates of the coordinates,
which OpenSim's tools take for granted (those of its BallJoint are not), and translations where the
joint slides. The order of the rotations is chosen joint by joint: the one whose second angle stays
farthest from ±90° in this clip, where the first axis and the third coincide.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import permutations
from math import cos, radians
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import numpy as np
import pandas as pd

from mocap_reroot.export.c3d import joint_centres
from mocap_reroot.export.folders import complete_file
from mocap_reroot.export.own_model import VALUES, captured, own_model, write_without_forces
from mocap_reroot.export.storage import opensim_names, to_y_up, write_storage
from mocap_reroot.kernels.rotations import quaternion_to_euler
from mocap_reroot.mechanics.kinematics import forward
from mocap_reroot.numerics.vectors import matrices, product
from mocap_reroot.types import STANDARD_GRAVITY, BodyModel, Markers, Motion, Skeleton, read_only

NEAR_GIMBAL = cos(radians(75))
"""Cosine of the second angle below which another zero of the joint is tried: the clip's mean."""
SPECK = 1e-6, 1e-10
"""kg and kg·m² of bodies that weigh nothing and bear nothing that weighs: without any, OpenSim
cannot solve for accelerations; a milligram changes no force by more than 0.1 mN."""
_SEQUENCES = tuple(permutations(range(3)))
_ENOUGH = 200
"""Frames that tell which body a marker sits on."""


@dataclass(frozen=True, eq=False)
class Posed:
    """A motion in the coordinates of its OpenSim model.

    Attributes:
        skeleton: The tree.
        names: ``(n)`` of the bodies, as OpenSim takes them.
        turn: ``(3, 3)`` the file's world to OpenSim's, y up.
        zero: ``(n, 4)`` rotation of each joint's frame in its parent, at which its angles are 0.
        sequence: ``(n, 3)`` axes of the rotations, 0 to 2, in order.
        angles: ``(n, 3, F)`` rad, in that order, without jumps of 360°.
        margin: ``(n)`` least cosine of the second angle; 0 in gimbal lock.
        slides: Bodies whose joint translates.
        place: ``(slides, 3, F)`` m, translation along the parent's axes.
        time: ``(F)`` s.
    """

    skeleton: Skeleton
    names: tuple[str, ...]
    turn: np.ndarray
    zero: np.ndarray
    sequence: np.ndarray
    angles: np.ndarray
    margin: np.ndarray
    slides: tuple[int, ...]
    place: np.ndarray
    time: np.ndarray

    def rotations(self, body: int) -> list[str]:
        """Return the names of a joint's angles, in the order of the rotations."""
        return [f"{self.names[body]}_r{'xyz'[axis]}" for axis in self.sequence[body]]

    def translations(self, body: int) -> list[str]:
        """Return the names of a joint's translations; none if it does not slide."""
        return [f"{self.names[body]}_t{axis}" for axis in "xyz"] if body in self.slides else []

    @property
    def table(self) -> pd.DataFrame:
        """The coordinates, one row a frame: rad, m."""
        columns = {"time": self.time}
        for body in self.skeleton.order:
            columns |= zip(self.rotations(body), self.angles[body], strict=True)
            if body in self.slides:
                place = self.place[self.slides.index(body)]
                columns |= zip(self.translations(body), place, strict=True)
        return pd.DataFrame(columns)

    @property
    def notes(self) -> tuple[str, ...]:
        """Sentences for the header of a file of coordinates."""
        worst = int(np.argmin(self.margin))
        degrees = np.degrees(np.arccos(self.margin[worst]))
        return (
            "<body>_rx, _ry, _rz: rotations about the axes of the turning body, rad, in the order "
            "that the model lists them; <body>_tx, _ty, _tz: translations along the parent's axes, "
            "m.",
            "Orders are chosen joint by joint so that the second rotation stays away from 90 "
            f"degrees; it is nearest at {self.names[worst]}: {degrees:.0f}.",
        )


def posed(motion: Motion) -> Posed:
    """Express a motion in three angles a joint, as far from gimbal lock as an order allows.

    Args:
        motion: Any motion, captured or re-rooted; frames that are no numbers stay so.
    """
    skeleton, root = motion.skeleton, motion.skeleton.root
    turn = to_y_up(motion.up)
    rotation = np.array(motion.rotation)
    rotation[root] = product(_quaternion(turn)[:, None], rotation[root])
    rotation[..., ~motion.analysed] = np.nan
    zero = np.array(skeleton.rest)
    zero[root] = 1.0, 0.0, 0.0, 0.0
    sequence, angles, margin = _sequenced(_from(zero, rotation))
    tight = np.flatnonzero(margin < NEAR_GIMBAL)
    if len(tight):
        middle = np.nansum(rotation[tight], axis=2)
        middle /= np.linalg.norm(middle, axis=1, keepdims=True)
        again = _sequenced(_from(middle, rotation[tight]))
        for k, body in enumerate(tight):
            if again[2][k] > margin[body]:
                zero[body] = middle[k]
                sequence[body], angles[body], margin[body] = (part[k] for part in again)
    slides = tuple(sorted({root, *skeleton.translating.tolist()}))
    place = np.zeros((len(slides), 3, motion.n_frames))
    for k, body in enumerate(slides):
        slot = skeleton.slot[body]
        if slot >= 0:
            place[k] = motion.displacement[slot]
        if body == root:
            place[k] = turn @ (place[k] + skeleton.offset[root][:, None])
    names = opensim_names(skeleton.names)
    return Posed(
        skeleton, names, turn, zero, sequence, angles, margin, slides, place, motion.time
    )  # fmt: skip


def _from(zero: np.ndarray, rotation: np.ndarray) -> np.ndarray:
    """Return ``(n, 4, F)`` rotations counted from others, ``(n, 4)``."""
    back = zero * [1.0, -1.0, -1.0, -1.0]
    return np.stack([product(b[:, None], q) for b, q in zip(back, rotation, strict=True)])


def _sequenced(rotation: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return for every body the best order of axes, its angles (rad), and its margin."""
    n, _, frames = rotation.shape
    found = np.zeros((n, 3), np.int64), np.empty((n, 3, frames)), np.full(n, -1.0)
    angles = np.empty((n, 3, frames))
    for sequence in _SEQUENCES:
        axes = np.tile(np.array(sequence, np.int64), (n, 1))
        quaternion_to_euler(read_only(rotation), read_only(axes, np.int64), angles)
        margin = np.abs(np.cos(np.radians(angles[:, 1])))
        least = np.where(np.isfinite(margin), margin, 1.0).min(axis=1, initial=1.0)
        better = least > found[2] + 1e-9
        whole = 360 * np.rint(np.nan_to_num(np.nanmedian(angles, axis=2, keepdims=True)) / 360)
        for kept, new in zip(found, (axes, np.radians(angles - whole), least), strict=True):
            kept[better] = new[better]
    return found


def _quaternion(matrix: np.ndarray) -> np.ndarray:
    """Return ``(4)`` the quaternion of a rotation matrix."""
    from scipy.spatial.transform import Rotation

    return np.asarray(np.roll(Rotation.from_matrix(matrix).as_quat(), 1))


def write_osim(
    motion: Posed, body: BodyModel, path: str | Path, markers: Sequence[Tracked]
) -> Path:
    """Write a body as an OpenSim model (version 4), standing as in the motion's first frame.

    Args:
        motion: Its joints and their zeros.
        body: Masses, centres and inertias; in capture frames.
        path: Where to write; the file appears when it is complete.
        markers: Points that bodies bear.

    Returns:
        The path.
    """
    path, skeleton = Path(path), motion.skeleton
    document = ElementTree.Element("OpenSimDocument", Version="40000")
    model = ElementTree.SubElement(document, "Model", name="_".join(path.stem.split()) or "body")
    put(model, "credits", "mocap_reroot: the body as it was used, from a motion-capture file.")
    put(model, "length_units", "meters")
    put(model, "force_units", "N")
    put(model, "gravity", [0.0, -STANDARD_GRAVITY, 0.0])
    bodies = _set(model, "BodySet", "bodyset")
    joints = _set(model, "JointSet", "jointset")
    weighs = np.array(body.mass > 0)
    for i in reversed(skeleton.order):
        if skeleton.parents[i] >= 0 and weighs[i]:
            weighs[skeleton.parents[i]] = True
    for i in skeleton.order:
        element = ElementTree.SubElement(bodies, "Body", name=motion.names[i])
        mass, inertia = float(body.mass[i]), body.moments_of_inertia[i]
        if not weighs[i]:
            mass, inertia = SPECK[0], np.repeat([SPECK[1], 0.0], 3)
        put(element, "mass", mass)
        put(element, "mass_center", body.com[i] - skeleton.origin[i])
        put(element, "inertia", inertia)
        _put_joint(joints, motion, i)
    marks = _set(model, "MarkerSet", "markerset")
    for marker in markers:
        element = ElementTree.SubElement(marks, "Marker", name=marker.label)
        put(element, "socket_parent_frame", f"/bodyset/{motion.names[marker.body]}")
        put(element, "location", marker.place)
    ElementTree.indent(document, "\t")
    text = ElementTree.tostring(document, encoding="unicode")
    with complete_file(path) as draft:
        draft.write_text(f'<?xml version="1.0" encoding="UTF-8" ?>\n{text}\n', encoding="utf-8")
    return path


def write_model(
    motion: Motion, body: BodyModel, path: Path, markers: Markers | None
) -> tuple[Path, Path]:
    """Write a motion as an OpenSim model, and its coordinates beside it as ``<stem>_ik.mot``.

    A model that the motion was fitted with is given back, with its own coordinates.

    Args:
        motion: Any motion, captured or re-rooted.
        body: Its mass model.
        path: The ``.osim`` file to write.
        markers: m, of the same frames and world, or None.

    Returns:
        Both paths.
    """
    coordinates = path.with_name(f"{path.stem}_ik.mot")
    given = own_model(motion, body)
    if given is not None and (table := captured(motion, given)) is not None:
        write_storage(table.dropna(), coordinates, VALUES)
        return write_without_forces(given, path), coordinates
    pose = posed(motion)
    write_storage(pose.table[np.isfinite(pose.table).all(axis=1)], coordinates, pose.notes)
    return write_osim(pose, body, path, tracked(motion, markers)), coordinates


def _put_joint(joints: ElementTree.Element, motion: Posed, i: int) -> None:
    """Add the joint of a body: where it stands, its coordinates and what they do."""
    skeleton, name, parent = motion.skeleton, motion.names[i], int(motion.skeleton.parents[i])
    joint = ElementTree.SubElement(joints, "CustomJoint", name=f"{name}_joint")
    put(joint, "socket_parent_frame", "parent_offset")
    put(joint, "socket_child_frame", f"/bodyset/{name}")
    turns, slides = motion.rotations(i), motion.translations(i)
    place = motion.place[motion.slides.index(i)] if slides else ()
    coordinates = ElementTree.SubElement(joint, "coordinates")
    for coordinate, values in zip((*turns, *slides), (*motion.angles[i], *place), strict=True):
        known = values[np.isfinite(values)]
        element = ElementTree.SubElement(coordinates, "Coordinate", name=coordinate)
        put(element, "default_value", known[0] if len(known) else 0.0)
        reach = np.pi if coordinate in turns else 10.0
        put(element, "range", [known.min(initial=-reach), known.max(initial=reach)])
    frames = ElementTree.SubElement(joint, "frames")
    frame = ElementTree.SubElement(frames, "PhysicalOffsetFrame", name="parent_offset")
    put(frame, "socket_parent", "/ground" if parent < 0 else f"/bodyset/{motion.names[parent]}")
    put(frame, "translation", np.zeros(3) if parent < 0 else skeleton.offset[i])
    put(frame, "orientation", _fixed_angles(motion.zero[i]))
    transform = ElementTree.SubElement(joint, "SpatialTransform")
    for k, axis in enumerate(motion.sequence[i]):
        _put_axis(transform, f"rotation{k + 1}", np.eye(3)[axis], turns[k])
    # Along the parent's axes, whatever the joint's zero.
    for k, axis in enumerate(matrices(motion.zero[i])):
        _put_axis(transform, f"translation{k + 1}", axis, slides[k] if slides else "")


def _put_axis(where: ElementTree.Element, name: str, axis: np.ndarray, coordinate: str) -> None:
    element = ElementTree.SubElement(where, "TransformAxis", name=name)
    if coordinate:
        put(element, "coordinates", coordinate)
    put(element, "axis", axis)
    if coordinate:
        put(ElementTree.SubElement(element, "LinearFunction", name="function"),
             "coefficients", [1.0, 0.0])  # fmt: skip
    else:
        put(ElementTree.SubElement(element, "Constant", name="function"), "value", 0.0)


def _fixed_angles(quaternion: np.ndarray) -> np.ndarray:
    """Return ``(3)`` rad, a constant rotation as OpenSim writes it: about x, then y, then z."""
    angles = np.empty((1, 3, 1))
    axes = read_only(np.arange(3)[None], np.int64)
    quaternion_to_euler(read_only(quaternion[None, :, None]), axes, angles)
    return np.asarray(np.radians(angles[0, :, 0]))


def _set(model: ElementTree.Element, kind: str, name: str) -> ElementTree.Element:
    return ElementTree.SubElement(ElementTree.SubElement(model, kind, name=name), "objects")


def put(where: ElementTree.Element, name: str, value: Any) -> None:
    """Add a property: text, a number, or numbers."""
    text = value if isinstance(value, str) else " ".join(repr(float(v)) for v in np.ravel(value))
    ElementTree.SubElement(where, name).text = text


@dataclass(frozen=True, eq=False)
class Tracked:
    """A point on a body: its label, where it sits in the body's current frame, m, and its path.

    Attributes:
        label: As OpenSim takes it, unique.
        body: Index.
        place: ``(3)`` m.
        track: ``(3, F)`` m, the file's world.
    """

    label: str
    body: int
    place: np.ndarray
    track: np.ndarray


def tracked(motion: Motion, markers: Markers | None) -> list[Tracked]:
    """Return the joint centres, the ends of bodies, and the markers that were fitted.

    A marker sits on the body in whose frame it moves least; its path is the measured one.

    Args:
        motion: Any motion.
        markers: m, of the same frames and world.
    """
    skeleton, world = motion.skeleton, forward(motion)
    found: list[tuple[str, int, np.ndarray, np.ndarray]] = []
    for body, (label, _, track) in enumerate(joint_centres(motion)):
        found.append((label, body, np.zeros(3), track))
    for body, at in zip(skeleton.site_body.tolist(), skeleton.site_offset, strict=True):
        place = at - skeleton.origin[body]
        found.append((f"{skeleton.names[body]}_end", body, place, world.point(body, at)))
    if markers is not None:
        sound = np.flatnonzero(motion.analysed)
        some = sound[:: max(len(sound) // _ENOUGH, 1)]
        axes = matrices(np.moveaxis(world.orientation[..., some], 1, 0))  # (3, 3, n, f)
        for label, track in zip(markers.labels, markers.position, strict=True):
            local = np.einsum("cknf,ncf->nkf", axes, track[:, some] - world.position[..., some])
            seen = np.isfinite(local).all(axis=(0, 1))
            if seen.any():
                body = int(np.argmin(local[..., seen].var(axis=-1).sum(axis=1)))
                found.append((label, body, np.median(local[body][:, seen], axis=1), track))
    labels = opensim_names([label for label, *_ in found])
    return [Tracked(label, *point[1:]) for label, point in zip(labels, found, strict=True)]
