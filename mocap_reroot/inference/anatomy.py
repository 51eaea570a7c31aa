"""Anatomy: which body is which segment, from names and shape together."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from mocap_reroot.errors import UnknownNameError
from mocap_reroot.inference.naming import SIDED, Naming, part_of, side_of
from mocap_reroot.inference.sampling import Poses
from mocap_reroot.inference.sides import Sides, find_sides
from mocap_reroot.inference.topology import BodyPlan, find_body_plan
from mocap_reroot.types import Anatomy, Inference

_CORE = ("thigh", "shank", "foot", "upper_arm", "forearm", "hand", "pelvis", "head")
"""Parts by which names and shape are compared."""
_LIMBS = (
    ("thigh", "shank", "foot", "toes"),
    ("clavicle", "upper_arm", "forearm", "hand", "fingers"),
)
_NO_BEAST, _WELL_NAMED = 4.0, 0.75
"""Cost below and agreement above which one with a tail is an avatar of a person."""
_AGREE = 0.6
"""Share of the core on which names and shape must agree for the names to be believed."""

_NO_TRUNK = (
    "nothing above the pelvis was recorded: how trunk and arms move is in no predicted force, and "
    "moments of the back and the arms, the centre of the whole body and its momentum cannot be "
    "known; with force plates the legs' moments do not depend on it"
)
_NO_ARMS = (
    "no arms were recorded: they ride on the trunk, so that their swing is in no predicted force "
    "and their moments cannot be known"
)


@dataclass(frozen=True, eq=False)
class Found:
    """The anatomy with what the user should hear about it, and the person it was read from."""

    anatomy: Anatomy
    plan: BodyPlan
    warnings: tuple[str, ...]
    names_agree: float


def find_anatomy(poses: Poses, naming: Naming, stated: Mapping[str, str] | None = None) -> Found:
    """Say of every body which part it is, with confidence and reason.

    Args:
        poses: Sampled frames.
        naming: What the names say.
        stated: Segments the user states, by body name; they are not questioned.
    """
    unknown = [name for name in stated or {} if name not in poses.names]
    if unknown:
        raise UnknownNameError("body", unknown[0], poses.names)
    plan = find_body_plan(poses)
    agree, compared = _agreement(plan, naming)
    warnings: list[str] = []
    n = poses.n_bodies
    believed = [bool(segment) for segment in naming.segments]
    lying = plan.human and compared >= 4 and agree < _AGREE
    if lying:
        believed = [False] * n
        warnings.append(
            f"The names contradict the shape of the tree ({agree:.0%} of {compared} key bodies "
            "agree): names are ignored and the parts follow from the shape. State them with "
            "--segments if that is wrong."
        )
    a_is_left, side_confidence, side_why = _decide_sides(
        find_sides(poses, plan), plan, naming, believed, warnings
    )
    segments, confidence, reasons = [], np.zeros(n), []
    for body in range(n):
        shape = _with_side(plan.parts[body], plan.side[body], a_is_left)
        segment, sure, why = _reconcile(
            body, shape, plan, naming, believed, a_is_left, warnings, poses
        )
        if side_of(segment):
            sure *= side_confidence
            why += f"; {side_why}" if side_why else ""
        segments.append(segment)
        confidence[body] = sure
        reasons.append(why)
    _fill_gaps(plan, naming, a_is_left, segments, confidence, reasons)
    _demote_helpers(poses, segments, confidence, reasons)
    if plan.cost == float("inf"):
        warnings += _check_order(poses, segments, confidence)
    for name, segment in (stated or {}).items():
        body = poses.names.index(name)
        segments[body], confidence[body], reasons[body] = segment, 1.0, "stated by the user"
    human = _is_human(plan, naming, segments)
    if naming.animal and human:
        human = plan.cost < _NO_BEAST and agree > _WELL_NAMED and compared >= 14
        beast = ", ".join(naming.animal[:3])
        warnings.append(
            f"No human has a {beast}: they are taken for ornaments without mass."
            if human
            else f"No human has a {beast}: not taken for a person."
        )
    convention = naming.convention.name if naming.convention and not lying else ""
    anatomy = Anatomy(tuple(segments), confidence, tuple(reasons), human, convention)
    return Found(anatomy, plan, tuple(dict.fromkeys(warnings)), agree)


def _demote_helpers(
    poses: Poses, segments: list[str], confidence: np.ndarray, reasons: list[str]
) -> None:
    """Give a helper beside the joint that carries on a limb its parent's segment, in place.

    Rigs have meshes, twist bones and targets at their joints (``L_Tibia_RIGMESH`` beside the knee
    from which the foot hangs). Of bodies called alike the one counts from which the limb goes on.
    """
    parents = poses.parents.tolist()
    below: list[set[str]] = [set() for _ in parents]  # segments that hang from a body
    for body in range(len(parents)):
        above = parents[body]
        while above >= 0:
            below[above].add(segments[body])
            above = parents[above]
    for body, segment in enumerate(list(segments)):
        part, above = part_of(segment), parents[body]
        limb = next((parts for parts in _LIMBS if part in parts[:-1]), None)
        if limb is None or above < 0 or segments[above] == segment:
            continue
        further = {segment.replace(part, p) for p in limb[limb.index(part) + 1 :]}
        others = [
            k for k, name in enumerate(segments)
            if name == segment and k != body and parents[k] == above and below[k] & further
        ]  # fmt: skip
        if others and not below[body] & further:
            for helper in (body, *_below(parents, body)):
                segments[helper], confidence[helper] = segments[above], 0.5
                reasons[helper] = f"beside {poses.names[others[0]]!r}, which carries the limb on"


def _below(parents: list[int], body: int) -> list[int]:
    """Return all that hangs from a body; parents come first."""
    found = {body}
    for k, above in enumerate(parents):
        if above in found:
            found.add(k)
    return sorted(found - {body})


def _agreement(plan: BodyPlan, naming: Naming) -> tuple[float, int]:
    """Return on what share of the core parts names and shape agree, and how many there are."""
    whole = bool(plan.legs and plan.arms)  # else the shape is silent on the other limbs
    pairs = [
        (shape, part_of(name))
        for shape, name in zip(plan.parts, naming.segments, strict=True)
        if name and (shape in _CORE or (whole and part_of(name) in _CORE))
    ]
    same = sum(_compatible(shape, name) for shape, name in pairs)
    return (same / len(pairs) if pairs else 0.0), len(pairs)


def _compatible(shape: str, name: str) -> bool:
    """Whether two parts are the same or such neighbours as rigs draw the line between freely."""
    if shape == name:
        return True
    soft = (
        {"pelvis", "trunk"},
        {"pelvis", "hip_dummy"},
        {"thigh", "hip_dummy"},
        {"trunk", "neck"},
        {"neck", "head"},
        {"trunk", "clavicle"},
        {"hand", "fingers"},
        {"foot", "toes"},
    )
    return {shape, name} in soft


def _with_side(part: str, side: str, a_is_left: bool) -> str:
    if part not in SIDED:
        return part
    if not side:
        return ""
    return f"{'left' if (side == 'a') == a_is_left else 'right'}_{part}"


def _decide_sides(
    sides: Sides, plan: BodyPlan, naming: Naming, believed: Sequence[bool], warnings: list[str]
) -> tuple[bool, float, str]:
    """Return whether limbs ``a`` are left, with what confidence, and why if it needs saying."""
    votes = {"leg": 0, "arm": 0}  # for a being left
    for body, (side, word) in enumerate(zip(plan.side, naming.sides, strict=True)):
        if side and word and believed[body]:
            kind = "leg" if any(body in limb.bodies for limb in plan.legs) else "arm"
            votes[kind] += 1 if (side == "a") == (word == "left") else -1
    total = sum(votes.values())
    count = sum(
        bool(s and w and b) for s, w, b in zip(plan.side, naming.sides, believed, strict=True)
    )
    crossed = votes["leg"] * votes["arm"] < 0
    mixed = count > 0 and abs(total) < 0.5 * count
    if sides.a_is_left is None:
        if count == 0:
            if plan.legs or plan.arms:
                warnings.append(
                    f"Left and right are a guess: the names do not say, and {sides.why}."
                )
            return True, 0.5, "side guessed"
        if crossed or mixed:
            warnings.append(
                "The names call limbs of both sides left: arms and legs, or the bones of one limb, "
                "contradict each other. State the sides with --segments."
            )
            return votes["leg"] > 0, 0.5, "side uncertain"
        return total > 0, 0.95, ""
    if count and (crossed or mixed):
        warnings.append(
            "The names call limbs of both sides left; sides were told by geometry instead "
            f"({sides.why})."
        )
        return sides.a_is_left, 0.7, sides.why
    if count and (total > 0) != sides.a_is_left:
        if sides.strength > 0.5:
            warnings.append(
                "Left and right are swapped in the names, or the file is mirrored: sides were "
                f"told by geometry instead ({sides.why}). State them with --segments if the "
                "names are right."
            )
            return sides.a_is_left, 0.6, sides.why
        warnings.append(
            f"The names and the geometry disagree on left and right ({sides.why}, but weakly): "
            "the names are followed."
        )
        return total > 0, 0.6, "side by name"
    return sides.a_is_left, 1.0 if count else 0.9 * sides.strength, "" if count else sides.why


def _reconcile(
    body: int,
    shape: str,
    plan: BodyPlan,
    naming: Naming,
    believed: Sequence[bool],
    a_is_left: bool,
    warnings: list[str],
    poses: Poses,
) -> tuple[str, float, str]:
    """Return segment, confidence and reason of one body."""
    name, why = naming.segments[body], naming.reasons[body]
    by_shape = f"shape of the tree ({shape})" if shape else "the shape tells nothing"
    if any(believed) and poses.names[body] in naming.animal:
        return "", 0.8, f"{poses.names[body]!r} is no part of a human body"
    if naming.helpers[body] and any(believed) and body != plan.pelvis:
        return "", 0.9, f"{why}: a helper, no part of the body" if why else "a helper"
    if not believed[body]:
        return shape, 0.75 if shape and plan.human else 0.4 if shape else 0.0, by_shape
    part = part_of(name)
    if not shape:
        silent = ("pelvis", "head", *_other_limbs(plan))
        if plan.human and part in _CORE and part not in silent:
            warnings.append(
                f"{poses.names[body]!r} is named as a {part} but does not hang where one does."
            )
            return "", 0.3, f"{why}, but it is no part of the limbs found"
        if (
            part == "pelvis"
            and plan.pelvis >= 0
            and part_of(naming.segments[plan.pelvis]) == "pelvis"
        ):
            return "", 0.8, f"{why}, but {poses.names[plan.pelvis]!r} bears the legs"
        return name, 0.7, why
    shape_part = part_of(shape)
    side = plan.side[body]
    named = _with_side(part, side, a_is_left) if part in SIDED and side else name
    if shape_part in ("", "trunk") and part in _other_limbs(plan):
        return name, 0.7, f"{why}; the shape is silent on such limbs here"
    if shape_part == part:
        return named, 1.0, f"{why}; shape agrees"
    bearer = part_of(naming.segments[plan.pelvis]) if plan.pelvis >= 0 else ""
    if part == bearer == "pelvis" and shape_part == "trunk":
        return shape, 0.8, f"{by_shape}; another pelvis bears the legs"
    if _compatible(shape_part, part) or (not plan.human and _monotone(body, plan, naming)):
        return named, 0.9, f"{why}; by shape it could also be {shape_part}"
    if _same_limb(shape_part, part) and _monotone(body, plan, naming):
        return named, 0.8, f"{why}, in the right order along the limb; by shape {shape_part}"
    if not plan.human:
        return name, 0.5, f"{why}; by shape {shape_part}"
    warnings.append(
        f"{poses.names[body]!r} is named as {part.replace('_', ' ')} but stands where the "
        f"{shape.replace('_', ' ')} is: taken as the latter."
    )
    return shape, 0.6, f"{by_shape}, against {why}"


def _fill_gaps(
    plan: BodyPlan,
    naming: Naming,
    a_is_left: bool,
    segments: list[str],
    confidence: np.ndarray,
    reasons: list[str],
) -> None:
    """Give a part of the core that the shape shows and no name speaks of to the shape's bodies.

    Names differ on where one part ends and the next begins; they must not do away with either.
    """
    named = list(segments)
    for body, part in enumerate(plan.parts):
        shape = _with_side(part, plan.side[body], a_is_left)
        spare = not named[body] or named.count(named[body]) > 1 or body == plan.pelvis
        if part in _CORE and shape not in named and spare and not naming.helpers[body]:
            segments[body], confidence[body] = shape, 0.7
            reasons[body] = f"shape of the tree; no name speaks of a {part.replace('_', ' ')}"


def _other_limbs(plan: BodyPlan) -> tuple[str, ...]:
    """Return the parts on which the shape is silent because it found no such limbs."""
    legs, arms = _LIMBS
    silent = () if plan.legs else legs
    return silent if plan.arms else (*silent, *arms, "neck", "head")


def _same_limb(first: str, second: str) -> bool:
    return any(first in limb and second in limb for limb in _LIMBS)


def _monotone(body: int, plan: BodyPlan, naming: Naming) -> bool:
    """Whether the names along the limb of a body come in the order in which a limb is built."""
    for limb in (*plan.legs, *plan.arms):
        if body in limb.bodies:
            order = _LIMBS[0] if limb.kind == "leg" else _LIMBS[1]
            parts = [part_of(naming.segments[b]) for b in limb.path if naming.segments[b]]
            if any(p not in (*order, "hip_dummy") for p in parts):
                return False
            places = [order.index(p) for p in parts if p in order]
            return places == sorted(places) and len(set(places)) >= 2
    return False


def _check_order(poses: Poses, segments: list[str], confidence: np.ndarray) -> list[str]:
    """Doubt names that contradict the tree where no shape was found: a shank bearing its thigh."""
    warnings = []
    for body, segment in enumerate(segments):
        parent = int(poses.parents[body])
        while parent >= 0 and not segments[parent]:
            parent = int(poses.parents[parent])
        if parent < 0 or not segment:
            continue
        above = segments[parent]
        order = next((limb for limb in _LIMBS if part_of(segment) in limb), ())
        backwards = part_of(above) in order and order.index(part_of(above)) > order.index(
            part_of(segment)
        )
        if backwards and side_of(above) == side_of(segment):
            confidence[[body, parent]] = 0.3
            warnings.append(
                f"{poses.names[body]!r} ({segment}) hangs from {poses.names[parent]!r} ({above}): "
                "the names, or the tree, run backwards."
            )
    return warnings


def _is_human(plan: BodyPlan, naming: Naming, segments: Sequence[str]) -> bool:
    """Whether there are two legs that hang from a pelvis, of a person's shape or so named."""
    legs = all(f"{s}_{p}" in segments for s in ("left", "right") for p in ("thigh", "shank"))
    by_name = naming.convention is not None and plan.cost < 3 * 9.0
    return legs and (plan.human or by_name) and "pelvis" in segments


def unrecorded(anatomy: Anatomy | None) -> list[Inference]:
    """Return what of a person is missing: trunk, head and arms, or the arms; else nothing."""
    if anatomy is None or not anatomy.human:
        return []
    parts = {s.removeprefix("left_").removeprefix("right_") for s in anatomy.segments}
    if not parts & {"trunk", "neck", "head", "clavicle", "upper_arm"}:
        return [Inference("not_recorded", "trunk, head and arms", 1.0, _NO_TRUNK)]
    if not parts & {"upper_arm", "forearm"}:
        return [Inference("not_recorded", "arms", 1.0, _NO_ARMS)]
    return []
