"""Force plates of a C3D, types 1 to 4, as forces and moments on the body in world axes.

The C3D convention: the plate's own axes have x from corner 2 to corner 1, y from corner 4 to corner
1 and z into the ground; ORIGIN is the vector from the transducer's origin to the centre of the
surface, in those axes. What differs between laboratories is decided by physics and reported: a
plate can only push, and the centre of pressure lies on it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from mocap_reroot.types import LEAST_FORCE, RawPlates

CHANNELS = {1: 6, 2: 6, 3: 8, 4: 6}
"""Channels a plate of each type needs."""

_FORCE_UNITS = {"n": 1.0, "nt": 1.0, "newton": 1.0, "newtons": 1.0, "kn": 1e3, "lbf": 4.4482216}
_LENGTH_IN_MOMENT = (("mm", 1e-3), ("cm", 1e-2), ("m", 1.0))
_PLATE_EDGE = (0.1, 6.0)  # m, shortest and longest edge of anything that is a force plate


@dataclass(frozen=True, eq=False)
class PlateSpec:
    """One force plate as a C3D describes it, in the file's units.

    Attributes:
        kind: C3D type.
        corners: ``(4, 3)``.
        origin: ``(3)``.
        channels: ``(c, S)`` its analog channels.
        units: ``(c)`` their units.
        calibration: ``(6, 6)`` for type 4, else None.
    """

    kind: int
    corners: np.ndarray
    origin: np.ndarray
    channels: np.ndarray
    units: Sequence[str]
    calibration: np.ndarray | None = None


def to_raw_plates(
    specs: Sequence[PlateSpec], rate: float, unit_scale: float, up: np.ndarray
) -> tuple[RawPlates | None, list[str], list[str]]:
    """Return the plates in SI units, with repairs and warnings as sentences.

    Args:
        specs: The plates.
        rate: Hz, of the analog channels.
        unit_scale: Metres per unit of the file.
        up: ``(3)`` the file's up axis.
    """
    names, corners, forces, moments = [], [], [], []
    repairs: list[str] = []
    warnings: list[str] = []
    for number, spec in enumerate(specs, start=1):
        name = f"plate_{number}"
        if spec.kind not in CHANNELS:
            warnings.append(
                f"Force plate {number} is of type {spec.kind}; types 1 to 4 can be read, "
                "so it is left out."
            )
            continue
        scale = _length_scale(spec.corners, unit_scale)
        if scale is None:
            warnings.append(f"Force plate {number} has corners that span no plate; it is left out.")
            continue
        if scale != unit_scale:
            repairs.append(
                f"The corners of force plate {number} were taken to be in units of {scale:g} m."
            )
        axes = plate_axes(spec.corners)
        force, moment = _in_plate_axes(spec, scale)
        fixed = _moment_scale(force, moment, spec.corners * scale, axes)
        if fixed != 1:
            repairs.append(
                f"The moments of force plate {number} were multiplied by {fixed:g}: only so "
                "does the centre of pressure lie on the plate."
            )
            moment = moment * fixed
        force, moment = axes @ force, axes @ moment
        if _pulls(force, axes, up):
            repairs.append(
                f"Force plate {number} records the force on the plate; it was reversed to give "
                "the force on the body."
            )
            force, moment = -force, -moment
        names.append(name)
        corners.append(spec.corners * scale)
        forces.append(force)
        moments.append(moment)
    if not names:
        return None, repairs, warnings
    plates = RawPlates(
        tuple(names), np.array(corners), np.array(forces), np.array(moments), float(rate)
    )
    return plates, repairs, warnings


def plate_axes(corners: np.ndarray) -> np.ndarray:
    """Return ``(3, 3)`` the plate's axes as columns, from its ``(4, 3)`` corners."""
    x = corners[0] - corners[1]
    z = np.cross(x, corners[0] - corners[3])
    x, z = x / np.linalg.norm(x), z / np.linalg.norm(z)
    return np.stack([x, np.cross(z, x), z], axis=1)


def _in_plate_axes(spec: PlateSpec, scale: float) -> tuple[np.ndarray, np.ndarray]:
    """Return force (N) and moment (N·m) about the centre of the surface, ``(3, S)`` each."""
    c = spec.channels
    origin = np.array(spec.origin, dtype=float) * scale
    if origin[2] > 0:  # many files give the vector the other way round, to the transducer
        origin = origin * ([1, 1, -1] if spec.kind == 3 else -1)
    if spec.kind == 3:  # Kistler: fx12 fx34 fy14 fy23 fz1 fz2 fz3 fz4, origin = (a, b, az0)
        c = c * _force_scale(spec.units[0])
        a, b, az0 = origin
        force = np.stack([c[0] + c[1], c[2] + c[3], c[4] + c[5] + c[6] + c[7]])
        moment = np.stack(
            [
                b * (c[4] + c[5] - c[6] - c[7]) + force[1] * az0,
                a * (-c[4] + c[5] + c[6] - c[7]) - force[0] * az0,
                b * (c[1] - c[0]) + a * (c[2] - c[3]),
            ]
        )
        return force, moment
    if spec.kind == 4 and spec.calibration is not None:
        c = spec.calibration @ c
    force = c[:3] * _force_scale(spec.units[0])
    if spec.kind == 1:  # centre of pressure and couple instead of moments
        point = np.stack([c[3] * scale - origin[0], c[4] * scale - origin[1], 0 * c[3]])
        couple = np.stack([0 * c[5], 0 * c[5], c[5] * _moment_unit(spec.units[5], scale)])
        return force, np.cross(point, force, axis=0) + couple
    moment = c[3:6] * _moment_unit(spec.units[3], scale)
    return force, moment + np.cross(force, origin[:, None], axis=0)


def _force_scale(unit: str) -> float:
    return _FORCE_UNITS.get(unit.strip().lower(), 1.0)


def _moment_unit(unit: str, length_scale: float) -> float:
    """Return N·m per unit; moments without a known unit are taken in N times the file's length."""
    word = unit.strip().lower().replace(".", "").replace("-", "").replace("*", "").replace("·", "")
    for stem in ("newton", "nt", "n"):
        for suffix, scale in _LENGTH_IN_MOMENT:
            if word == stem + suffix:
                return scale
    return length_scale


def _length_scale(corners: np.ndarray, unit_scale: float) -> float | None:
    """Return metres per unit of the corners: the file's unit unless the plate is then absurd."""
    edges = np.linalg.norm(corners - np.roll(corners, 1, axis=0), axis=1)
    if not np.isfinite(edges).all():
        return None
    for scale in dict.fromkeys((unit_scale, 1.0, 1e-3)):
        if (edges * scale > _PLATE_EDGE[0]).all() and (edges * scale < _PLATE_EDGE[1]).all():
            return scale
    return None


def _moment_scale(
    force: np.ndarray, moment: np.ndarray, corners: np.ndarray, axes: np.ndarray
) -> float:
    """Return 1, or 0.001 or 1000 if only that puts the centre of pressure on the plate."""
    weight = np.abs(force[2])
    loaded = weight > max(LEAST_FORCE, 0.3 * np.max(weight, initial=0.0))
    if loaded.sum() < 5:
        return 1.0
    half = np.abs(axes[:, :2].T @ (corners - corners.mean(axis=0)).T).max(axis=1)
    arms = np.abs(np.stack([moment[1], moment[0]])[:, loaded] / force[2, loaded])
    reach = np.median(arms / half[:, None], axis=1).max()
    if reach > 20 and reach < 2e3:
        return 1e-3
    # A thousandth of the plate: nobody stands that exactly in the middle of a plate all the time.
    return 1e3 if reach < 1.5e-3 and np.ptp(arms, axis=1).max() > 0 else 1.0


def _pulls(force: np.ndarray, axes: np.ndarray, up: np.ndarray) -> bool:
    """Say whether the plate, a floor, seems to pull the body down."""
    normal = axes[:, 2] * np.sign(axes[:, 2] @ up)
    if abs(normal @ up) < 0.5:  # a wall or a handle may do either
        return False
    push = normal @ force
    return bool(len(push) and push[np.argmax(np.abs(push))] < 0)
