"""Joints, coordinates and couplings of an OpenSim model, 3.x and 4.x."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from pathlib import Path

import numpy as np
from scipy.spatial.transform import Rotation

from mocap_reroot.errors import FileError
from mocap_reroot.importers.osim_functions import function_of
from mocap_reroot.importers.osim_xml import Element, numbers
from mocap_reroot.types import Coupling, Function, ModelCoordinate, ModelJoint

GROUND = "ground"
_SIMPLE: dict[str, tuple[int, ...]] = {
    "WeldJoint": (),
    "PinJoint": (2,),
    "SliderJoint": (3,),
    "UniversalJoint": (0, 1),
    "PlanarJoint": (2, 3, 4),
    "GimbalJoint": (0, 1, 2),
    "BallJoint": (0, 1, 2),
    "FreeJoint": (0, 1, 2, 3, 4, 5),
}
"""Joint to the turns about x, y, z (0–2) and slides (3–5) that its coordinates are, in order."""
_BY_SPEED = ("BallJoint", "FreeJoint")
_STEPS = ("rotation1", "rotation2", "rotation3", "translation1", "translation2", "translation3")
_FIXED = Function.polynomial(0.0)
_AS_IS = Function.polynomial(0.0, 1.0)
_UNBOUND = 1e3  # rad or m; a range that reaches so far is none


@dataclass(frozen=True, eq=False)
class Joined:
    """A joint with the names of the bodies that it joins."""

    parent: str
    child: str
    joint: ModelJoint


@dataclass(eq=False)
class JointReader:
    """Reads joint after joint; coordinates are numbered in the order in which they come.

    Attributes:
        path: The file.
        frames: Frames on bodies that stand by themselves in the model, by name.
        coordinates: Those found so far.
        warnings: Sentences.
    """

    path: Path
    frames: dict[str, Element]
    coordinates: list[ModelCoordinate] = field(default_factory=list)
    warnings: list[str] = field(default_factory=list)

    def joint(self, element: Element, child: str | None = None) -> Joined:
        """Return one joint.

        Args:
            element: e.g. a ``CustomJoint``.
            child: The body that it stands in (3.x); None: as its sockets say (4.x).

        Raises:
            FileError: It is of a kind that is not understood.
        """
        kind = element.tag
        if kind != "CustomJoint" and kind not in _SIMPLE:
            raise FileError(
                self.path,
                f"the joint {element.name!r} is a {kind}, which is not understood; there may be "
                f"CustomJoint, {', '.join(_SIMPLE)}.",
                line=element.line,
            )
        if element.true("reverse"):
            raise FileError(
                self.path, f"the joint {element.name!r} is reversed; this is not understood.",
                line=element.line,
            )  # fmt: skip
        if child is not None:
            ends = [
                (element.last("parent_body"), *self._pose(element, "_in_parent")),
                (child, *self._pose(element, "")),
            ]
        else:
            inner = {frame.name: frame for frame in element.objects("frames")}
            ends = [
                self._frame(element, inner, f"socket_{end}_frame", f"{end}_frame")
                for end in ("parent", "child")
            ]
        own = self._coordinates(element)
        axes, functions, of = np.tile(np.eye(3), (2, 1)), [_FIXED] * 6, [-1] * 6
        if kind == "CustomJoint":
            self._custom(element, own, axes, functions, of)
        else:
            if len(own) != len(_SIMPLE[kind]):
                raise FileError(
                    self.path,
                    f"the {kind} {element.name!r} has {len(own)} coordinates; "
                    f"{len(_SIMPLE[kind])} were expected.",
                    line=element.line,
                )
            for step, name in zip(_SIMPLE[kind], own, strict=True):
                functions[step], of[step] = _AS_IS, own[name]
        (above, at_turn, at_place), (below, on_turn, on_place) = ends
        joint = ModelJoint(
            element.name, kind, at_turn, at_place, on_turn, on_place, axes, tuple(functions),
            tuple(of), by_rates=kind not in _BY_SPEED,
        )  # fmt: skip
        return Joined(above, below, joint)

    def _pose(self, element: Element, suffix: str) -> tuple[np.ndarray, np.ndarray]:
        """Return turn and place of a frame, as 3.x writes them beside the joint."""
        angles = numbers(self.path, element.child(f"orientation{suffix}"), 3)
        return body_fixed(angles), numbers(self.path, element.child(f"location{suffix}"), 3)

    def _frame(
        self, element: Element, inner: dict[str, Element], *sockets: str
    ) -> tuple[str, np.ndarray, np.ndarray]:
        """Return the body at one end of a joint, and turn and place of the joint's frame on it."""
        name = element.last(*sockets, *(f"{socket}_connectee_name" for socket in sockets))
        return self.on_body(name, inner, element)

    def on_body(
        self, name: str, inner: dict[str, Element], asked: Element
    ) -> tuple[str, np.ndarray, np.ndarray]:
        """Return the body that a frame is fixed to, with its turn ``(3, 3)`` and place there."""
        turn, place = np.eye(3), np.zeros(3)
        for _ in range(32):  # frames on frames
            frame = inner.get(name) or self.frames.get(name)
            if frame is None:
                return name, turn, place
            own = body_fixed(numbers(self.path, frame.child("orientation"), 3))
            place = own @ place + numbers(self.path, frame.child("translation"), 3)
            turn = own @ turn
            name = frame.last("socket_parent", "socket_parent_connectee_name")
        raise FileError(self.path, f"the frame {name!r} hangs from itself.", line=asked.line)

    def _coordinates(self, element: Element) -> dict[str, int]:
        """Return the indices of a joint's coordinates by name, in their order."""
        found = {}
        for given in element.objects("coordinates", "CoordinateSet"):
            if given.tag != "Coordinate":
                continue
            low, high = numbers(self.path, given.child("range"), 2)
            bounded = high > low and max(-low, high) < _UNBOUND
            if given.true("prescribed"):
                self.warnings.append(
                    f"The model prescribes {given.name} as a function of time; that is not used."
                )
            found[given.name] = len(self.coordinates)
            self.coordinates.append(
                ModelCoordinate(
                    given.name,
                    turns=True,
                    default=float(numbers(self.path, given.child("default_value"), 1)[0]),
                    lowest=float(low) if bounded else -np.inf,
                    highest=float(high) if bounded else np.inf,
                    clamped=given.true("clamped"),
                    locked=given.true("locked"),
                )
            )
        return found

    def _custom(
        self,
        element: Element,
        own: dict[str, int],
        axes: np.ndarray,
        functions: list[Function],
        of: list[int],
    ) -> None:
        """Fill in what a SpatialTransform says."""
        spatial = element.child("SpatialTransform")
        for given in [] if spatial is None else spatial.children:
            if given.tag != "TransformAxis" or given.name not in _STEPS:
                continue
            step = _STEPS.index(given.name)
            axis = numbers(self.path, given.child("axis"), 3)
            if np.linalg.norm(axis) > 0:
                axes[step] = axis / np.linalg.norm(axis)
            names = given.word("coordinates").split()
            if len(names) > 1 or any(name not in own for name in names):
                raise FileError(
                    self.path,
                    f"{given.name} of {element.name!r} depends on {' '.join(names)!r}; one of the "
                    f"joint's own coordinates was expected ({', '.join(own)}).",
                    line=given.line,
                )
            function = function_of(self.path, given)
            functions[step] = function or (_AS_IS if names else _FIXED)
            of[step] = own[names[0]] if names else -1
            if not names:  # without a coordinate it is what its function is at zero
                functions[step] = Function.polynomial(float(functions[step](0.0)[0]))


def kinds(coordinates: list[ModelCoordinate], joints: list[ModelJoint]) -> list[ModelCoordinate]:
    """Return the coordinates, told which are angles: those that turn about an axis as they are."""
    turning = set()
    for joint in joints:
        slides = {c for c in joint.coordinates[3:] if c >= 0}
        for step, c in enumerate(joint.coordinates[:3]):
            plain = joint.functions[step].coefficients.shape == (1, 2)
            if c >= 0 and (plain or c not in slides):
                turning.add(c)
    return [replace(one, turns=k in turning) for k, one in enumerate(coordinates)]


def couplings(
    path: Path, elements: list[Element], names: list[str], warnings: list[str]
) -> tuple[Coupling, ...]:
    """Return coordinates that follow others; other constraints are named in ``warnings``."""
    found = []
    for element in elements:
        if element.true("isDisabled") or not element.true("isEnforced", True):
            continue
        if element.tag != "CoordinateCouplerConstraint":
            if element.tag.endswith(("Constraint", "Motion")):
                warnings.append(
                    f"The model's {element.tag} {element.name!r} is not used: bodies move by "
                    "their coordinates alone."
                )
            continue
        independent = element.word("independent_coordinate_names").split()
        dependent = element.word("dependent_coordinate_name")
        function = function_of(path, element)
        known = all(name in names for name in (dependent, *independent))
        if function is None or len(independent) != 1 or not known:
            raise FileError(
                path,
                f"{element.name!r} couples {dependent!r} to {' '.join(independent)!r}; one "
                "coordinate of the model that follows another was expected.",
                line=element.line,
            )
        scale = float(numbers(path, element.child("scale_factor"), 1, 1.0)[0])
        at = names.index(dependent), names.index(independent[0])
        found.append(Coupling(*at, function.times(scale)))
    return tuple(found)


def body_fixed(angles: np.ndarray) -> np.ndarray:
    """Return ``(3, 3)`` the turn by angles about x, then the new y, then the new z, rad."""
    return Rotation.from_euler("XYZ", angles).as_matrix()
