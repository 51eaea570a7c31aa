"""body_model(): mass, centre of mass and inertia of every body of a skeleton."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np

from mocap_reroot.anthropometry.bodies_file import read_bodies
from mocap_reroot.anthropometry.human import human_parts
from mocap_reroot.anthropometry.proportions import Proportions
from mocap_reroot.anthropometry.rigid_parts import RigidPart, combine, norm, oriented
from mocap_reroot.anthropometry.segment_table import load_table
from mocap_reroot.config import MASSES, STATURES, size_beyond
from mocap_reroot.errors import MocapRerootError
from mocap_reroot.types import BodyModel, Model, Motion, Skeleton, Source
from mocap_reroot.types.body import MASS_UNKNOWN

_DENSITY = 1000.0  # kg/m³, of bodies that are no person's
_SLENDERNESS = 8.0  # length / radius of their bones
_SAME_MASS = 0.005  # of the mass; less is rounding
_BMI_HEIGHT = (1.1, 1.3, 1.45, 1.55)  # m
_BMI = (15.4, 16.0, 18.5, 22.5)  # kg/m²: medians of children of that height, and of adults


def body_model(
    of: Motion | Skeleton,
    mass: float | None = None,
    height: float | None = None,
    sex: str | None = None,
    segment_table: str = "deleva",
    bodies: str | Path | None = None,
    source: Source | None = None,
    any_size: bool = False,
) -> BodyModel:
    """Give every body of a skeleton its mass, centre of mass and inertia.

    Published segment parameters are laid along the bones according to ``skeleton.anatomy``: the
    joints of the spine divide the trunk, fingers and toes share hand and foot, clavicles and
    dummies weigh nothing, and parts the skeleton lacks ride on their neighbour. A skeleton that is
    no person's gets solid bones of stated density.

    Args:
        of: A motion, whose file may state mass and height; or a captured tree alone.
        mass: kg; None: as the file says, else estimated from stature.
        height: m; None: as the file says, else estimated from the bones.
        sex: ``"male"``, ``"female"`` or None (the mean of both).
        segment_table: ``"deleva"`` (de Leva 1996) or ``"winter"`` (Dempster after Winter).
        bodies: File in the format of ``bodies.csv`` whose rows override everything else.
        source: Where a tree alone came from, for the mass and height it states.
        any_size: Whether the body may be larger or smaller than any person; else a given mass or
            height that is none is refused, and one that is inferred warned of.

    Returns:
        BodyModel: Masses add up to ``mass`` exactly; assumptions are in ``warnings``.

    Raises:
        MocapRerootError: Impossible mass or height, an unknown table, or a file that does not fit.
    """
    for what, value in (("mass", mass), ("height", height)):
        if value is not None and not (np.isfinite(value) and value > 0):
            raise MocapRerootError(f"The {what} must be a positive number; found {value}.")
    if not any_size and size_beyond(mass, height) > 1:
        given = " and ".join(
            f"{v:g} {u}" for v, u in ((mass, "kg"), (height, "m")) if v is not None
        )
        raise MocapRerootError(
            f"No person is of {given} (people have {MASSES[0]:g} to {MASSES[1]:g} kg, "
            f"{STATURES[0]:g} to {STATURES[1]:g} m); for other bodies say any_size."
        )
    if isinstance(of, Motion) and of.coordinates is not None:
        return _of_model(of, of.coordinates.model, mass, height, bodies)
    skeleton = of.skeleton if isinstance(of, Motion) else of
    source = of.source if isinstance(of, Motion) else source
    known = "given"
    if source is not None and mass is None and source.mass is not None:
        mass, known = source.mass, "file"
    if source is not None:
        height = source.height if height is None else height
    made = _made(_Shape.of(skeleton), mass, height, sex, segment_table)
    model = BodyModel(skeleton, *made, mass_from="estimate" if mass is None else known)
    model = model if bodies is None else read_bodies(bodies, model)
    if any_size or not size_beyond(model.total_mass, model.height) > 1:
        return model
    return replace(model, warnings=(*model.warnings, _no_person(model)))


def _of_model(
    motion: Motion, model: Model, mass: float | None, height: float | None, bodies: Any
) -> BodyModel:
    """Return the masses of the model that a motion was made with.

    They stand as they are. Those of a model that was scaled come to the given mass, or the file's;
    else they are an estimate that plates may overrule.
    """
    skeleton, warnings = motion.skeleton, []
    place = np.array([joint.child_place for joint in model.joints])
    known = "bodies"
    ratio = 1.0
    mass = motion.source.mass if mass is None else mass
    if model.scaled:
        known = "estimate" if mass is None else "given"
        ratio = 1.0 if mass is None else mass / float(model.mass.sum())
        if mass is None:
            warnings.append(
                f"{MASS_UNKNOWN}: {model.mass.sum():.1f} kg, the model's by its size. Forces and "
                "torques grow with it; give the mass if you can."
            )
    elif mass is not None and abs(mass / model.mass.sum() - 1) > _SAME_MASS:
        warnings.append(
            f"A mass of {mass:.1f} kg was stated; the model's {model.mass.sum():.1f} kg stand "
            "(--scale-model takes it to the mass)."
        )
    height = motion.source.height if height is None else height
    if height is None:
        proportions = Proportions(skeleton) if skeleton.anatomy and skeleton.anatomy.human else None
        height = (
            np.nan if proportions is None else proportions.stature(load_table("deleva", None))[0]
        )
    made = BodyModel(
        skeleton, model.mass * ratio, model.com - place, model.inertia * ratio, float(height),
        f"the model {model.name}", tuple(warnings), known,
    )  # fmt: skip
    return made if bodies is None else read_bodies(bodies, made)


def _no_person(model: BodyModel) -> str:
    """Return a sentence about a body that cannot be a person's."""
    tall = "" if np.isnan(model.height) else f" and {model.height:.4g} m"
    return (
        f"No person is of {model.total_mass:.4g} kg{tall}: forces and torques of such a body are "
        f"not physics. People have {MASSES[0]:g} to {MASSES[1]:g} kg and {STATURES[0]:g} to "
        f"{STATURES[1]:g} m; check the unit of the file (--unit), or say --any-size."
    )


@dataclass(frozen=True)
class _Shape:
    """A skeleton that equals another of the same content, as far as masses depend on it."""

    content: tuple[bytes | tuple[str, ...] | bool, ...]
    skeleton: Skeleton = field(compare=False)

    @classmethod
    def of(cls, skeleton: Skeleton) -> _Shape:
        anatomy = skeleton.anatomy
        human = anatomy is not None and anatomy.human
        arrays = (
            skeleton.parents, skeleton.offset, skeleton.rest, skeleton.site_body,
            skeleton.site_offset,
        )  # fmt: skip
        words = anatomy.segments if anatomy is not None and human else ()
        return cls((*(array.tobytes() for array in arrays), words, human), skeleton)

    @property
    def human(self) -> bool:
        return bool(self.content[-1])


Made = tuple[np.ndarray, np.ndarray, np.ndarray, float, str, tuple[str, ...]]
"""What a body model holds beside its skeleton, in order."""


@lru_cache(maxsize=64)  # the clips of one subject share their skeleton
def _made(
    shape: _Shape, mass: float | None, height: float | None, sex: str | None, name: str
) -> Made:
    make = _person if shape.human else _solid_bones
    return make(shape.skeleton, mass, height, sex, name)


def _person(
    skeleton: Skeleton, mass: float | None, height: float | None, sex: str | None, name: str
) -> Made:
    table, proportions, warnings = load_table(name, sex), Proportions(skeleton), []
    estimate, how = proportions.stature(table)
    if height is None:
        height = estimate
        warnings.append(f"Stature is not known: {height:.2f} m, estimated from {how}.")
    elif not 0.8 < estimate / height < 1.25:
        warnings.append(
            f"The bones suggest a stature of {estimate:.2f} m, but {height:.2f} m was given; "
            "check the unit of the file."
        )
    if not np.isfinite(height):
        raise MocapRerootError("Stature cannot be estimated without legs; give the height.")
    if mass is None:
        index = float(np.interp(height, _BMI_HEIGHT, _BMI))
        mass = index * height**2
        warnings.append(
            f"{MASS_UNKNOWN}: {mass:.1f} kg, {index:.1f} kg/m² at a stature of {height:.2f} m. "
            "Forces and torques grow with it; give the mass if you can."
        )
    if not proportions.upper_body:
        warnings.append(
            "The skeleton ends at the pelvis: the upper body is taken as a mass on top of it that "
            "does not turn with it, so ground forces from the motion alone are rough."
        )
    parts = human_parts(proportions, table, height)
    return _model(skeleton, parts, mass, height, table.title, warnings)


def _solid_bones(
    skeleton: Skeleton, mass: float | None, height: float | None, sex: str | None, name: str
) -> Made:
    """Return a body whose bones are solid cylinders, eight times as long as their radius."""
    load_table(name, sex)  # a word that is wrong is wrong here too
    parts = []
    for body in range(skeleton.n_bodies):
        ends = [skeleton.offset[c] for c in skeleton.children[body]]
        ends += list(skeleton.site_offset[skeleton.site_body == body])
        for end in ends:
            length = norm(end)
            if length < 1e-4:
                continue
            radius = length / _SLENDERNESS
            own = _DENSITY * np.pi * radius**2 * length
            cross = length**2 / 12 + radius**2 / 4
            inertia = oriented((cross, cross, radius**2 / 2), end / length, np.eye(3)[0])
            parts.append(RigidPart(body, own, end / 2, own * inertia))
    if not parts:
        raise MocapRerootError(
            "No bone of this skeleton has a length, so that masses cannot be estimated; "
            "give them in a file (bodies)."
        )
    estimate = sum(part.mass for part in parts)
    title = f"solid bones, {_DENSITY:g} kg/m³, radius 1/{_SLENDERNESS:g} of their length"
    warnings = [f"Not a human skeleton: masses follow the length of the bones ({title})."]
    if mass is None:
        mass = estimate
        warnings.append(f"{MASS_UNKNOWN}: {mass:.3g} kg follows from density.")
    return _model(skeleton, parts, mass, np.nan if height is None else height, title, warnings)


def _model(
    skeleton: Skeleton,
    parts: list[RigidPart],
    mass: float,
    height: float,
    title: str,
    warnings: list[str],
) -> Made:
    """Return the parts as a body model of exactly the given mass."""
    masses, com, inertia = combine(parts, skeleton.n_bodies)
    scale = mass / masses.sum()
    masses = masses * scale
    masses[masses.argmax()] += mass - masses.sum()  # exact to the last bit but one
    inertia = (inertia + inertia.transpose(0, 2, 1)) / 2 * scale
    return masses, com, inertia, float(height), title, tuple(warnings)
