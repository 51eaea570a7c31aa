"""OpenSim models (``.osim``, 3.x and 4.x): bodies, joints, coordinates and markers.

What moves nobody (geometry, muscles, contact) is not read. Bodies that hang from the ground beside
the person (platforms, objects) are left out; what is not understood is named.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from pathlib import Path

import numpy as np

from mocap_reroot.errors import FileError
from mocap_reroot.importers.osim_joints import GROUND, Joined, JointReader, couplings, kinds
from mocap_reroot.importers.osim_xml import Element, numbers, read_xml
from mocap_reroot.types import STANDARD_GRAVITY, Model

_INERTIA = ("xx", "yy", "zz", "xy", "xz", "yz")
_OFFSETS = ("PhysicalOffsetFrame", "OffsetFrame")
_PULLING = ("Muscle", "Actuator", "Reserve", "Motor", "Ligament", "PathSpring")
_GRAVITY = 1e-3  # relative; less is rounding


def read_osim(path: str | Path) -> Model:
    """Read a model.

    Args:
        path: An ``.osim`` file.

    Returns:
        Model: SI, in the axes of the model; ``warnings`` name what was left out.

    Raises:
        FileError: It is no model, or has joints or functions that are not understood.
    """
    path = Path(path)
    document = read_xml(path)
    model = document if document.tag == "Model" else document.child("Model")
    if model is None:
        raise FileError(
            path, f"there is no <Model> in <{document.tag}>; an OpenSim model was expected."
        )
    frames = {e.name: e for e in model.walk() if e.tag in _OFFSETS}
    reader = JointReader(path, frames)
    bodies = _bodies(path, model)
    joined = [  # 3.x: every body bears its joint
        reader.joint(joint, element.name)
        for element in model.objects("BodySet")
        for joint in (element.child("Joint") or Element("", "", 0)).children
    ]
    joined += [reader.joint(e) for e in model.objects("JointSet") if e.tag.endswith("Joint")]
    order = _person(path, bodies, joined, reader.warnings)
    coordinates, renumbered = _own_coordinates(reader, order)
    names = [coordinate.name for coordinate in coordinates]
    constraints = [e for e in model.objects("ConstraintSet") if _concerns(e, names)]
    coupled = couplings(path, constraints, names, reader.warnings)
    labels, bearer, place, fixed = _markers(path, model, reader, [one.child for one in order])
    _name_forces(model, reader.warnings)
    masses = [bodies[one.child] for one in order]
    index = {one.child: k for k, one in enumerate(order)}
    return Model(
        name=model.name or path.stem,
        path=path,
        bodies=tuple(index),
        parents=np.array([index.get(one.parent, -1) for one in order]),
        mass=np.array([mass for mass, _, _ in masses]),
        com=np.array([com for _, com, _ in masses]),
        inertia=np.array([inertia for _, _, inertia in masses]),
        joints=renumbered,
        coordinates=coordinates,
        couplings=coupled,
        labels=tuple(labels),
        marker_body=np.array(bearer, dtype=np.int64),
        marker_place=np.array(place).reshape(-1, 3),
        marker_fixed=np.array(fixed, dtype=bool),
        up=_up(path, model, reader.warnings),
        warnings=tuple(dict.fromkeys(reader.warnings)),
    )


def _bodies(path: Path, model: Element) -> dict[str, tuple[float, np.ndarray, np.ndarray]]:
    """Return mass, centre and inertia of every body by name."""
    found = {}
    for element in model.objects("BodySet"):
        if element.tag != "Body" or element.name == GROUND:
            continue
        six = element.child("inertia")
        if six is None:
            xx, yy, zz, xy, xz, yz = (
                float(numbers(path, element.child(f"inertia_{axes}"), 1)[0]) for axes in _INERTIA
            )
        else:
            xx, yy, zz, xy, xz, yz = numbers(path, six, 6)
        mass = float(numbers(path, element.child("mass"), 1)[0])
        if mass < 0:
            raise FileError(path, f"{element.name!r} weighs {mass:g} kg.", line=element.line)
        found[element.name] = (
            mass,
            numbers(path, element.child("mass_center"), 3),
            np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]]),
        )
    if not found:
        raise FileError(path, "the model has no bodies.")
    return found


def _person(
    path: Path, bodies: dict[str, tuple], joined: list[Joined], warnings: list[str]
) -> list[Joined]:
    """Return the joints of the heaviest tree that hangs from the ground, parents first."""
    twice = [name for name, count in Counter(one.child for one in joined).items() if count > 1]
    if twice:
        raise FileError(
            path, f"{twice[0]!r} hangs from several joints; a tree of bodies was expected."
        )
    unknown = [
        name
        for one in joined
        for name in (one.parent, one.child)
        if name not in bodies and name != GROUND
    ]
    if unknown:
        raise FileError(path, f"a joint names {unknown[0]!r}, which is no body of the model.")
    below: dict[str, list[Joined]] = {}
    for one in joined:
        below.setdefault(one.parent, []).append(one)
    trees = []
    for root in below.get(GROUND, []):
        tree = [root]
        for one in tree:  # grows while it is walked
            tree.extend(below.get(one.child, []))
        trees.append(tree)
    if not trees:
        raise FileError(path, "no joint of the model hangs from the ground.")
    person = max(trees, key=lambda tree: sum(bodies[one.child][0] for one in tree))
    if not sum(bodies[one.child][0] for one in person) > 0:
        raise FileError(path, "the bodies of the model weigh nothing.")
    kept = {one.child for one in person}
    if apart := [name for name in bodies if name not in kept]:
        warnings.append(
            f"Bodies of the model that do not hang from {person[0].child}: "
            f"{', '.join(apart[:6])}; left out."
        )
    return person


def _own_coordinates(reader: JointReader, order: list[Joined]) -> tuple:
    """Return coordinates of the person, in the order of the file, and joints that number them."""
    used = sorted({c for one in order for c in one.joint.own})
    place = {c: k for k, c in enumerate(used)} | {-1: -1}
    joints = tuple(
        replace(one.joint, coordinates=tuple(place[c] for c in one.joint.coordinates))
        for one in order
    )
    return tuple(kinds([reader.coordinates[c] for c in used], list(joints))), joints


def _concerns(constraint: Element, names: list[str]) -> bool:
    """Whether a constraint is about the person; those among objects go with them."""
    dependent = constraint.word("dependent_coordinate_name")
    return not dependent or dependent in names


def _markers(
    path: Path, model: Element, reader: JointReader, bodies: list[str]
) -> tuple[list[str], list[int], list[np.ndarray], list[bool]]:
    """Return labels, bearers and places of markers on the person, and which are landmarks."""
    labels: list[str] = []
    bearer: list[int] = []
    place: list[np.ndarray] = []
    fixed: list[bool] = []
    for element in model.objects("MarkerSet"):
        if element.tag != "Marker" or element.name in labels:
            continue
        name = element.last(
            "socket_parent_frame", "socket_parent_frame_connectee_name", "body", "parent_frame"
        )
        body, turn, at = reader.on_body(name, {}, element)
        if body in bodies:
            labels.append(element.name)
            bearer.append(bodies.index(body))
            place.append(turn @ numbers(path, element.child("location"), 3) + at)
            fixed.append(element.true("fixed"))
    return labels, bearer, place, fixed


def _name_forces(model: Element, warnings: list[str]) -> None:
    """Name forces that would act in OpenSim, muscles and actuators apart."""
    found = Counter(
        e.tag
        for e in model.objects("ForceSet")
        if e.child("isDisabled", "appliesForce", "socket_slip_friction") is not None
        and not e.tag.endswith(_PULLING)
        and not any(word in e.tag for word in _PULLING)
        and not e.true("isDisabled")
        and e.true("appliesForce", True)
    )
    if found:
        what = ", ".join(f"{count} {tag}" for tag, count in found.items())
        warnings.append(f"Forces of the model that are not used: {what}.")


def _up(path: Path, model: Element, warnings: list[str]) -> np.ndarray:
    """Return the ``(3)`` unit vector against the model's gravity; y where it has none."""
    gravity = numbers(path, model.child("gravity"), 3)
    size = float(np.linalg.norm(gravity))
    if not size > 0:
        return np.array([0.0, 1.0, 0.0])
    if abs(size / STANDARD_GRAVITY - 1) > _GRAVITY:
        warnings.append(
            f"The model's gravity is {size:.4g} m/s²; {STANDARD_GRAVITY:g} is used, as everywhere."
        )
    return -gravity / size
