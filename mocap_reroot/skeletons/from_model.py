"""An OpenSim model as a Skeleton: its bodies, their segments, and where its feet end.

Every body keeps the model's axes and originates at its joint's frame; joints whose slides follow a
coordinate are free ones here, all others turn only: the model's own kinematics move them.
"""

from __future__ import annotations

import re

import numpy as np

from mocap_reroot.mechanics.model import joint_motion, model_states
from mocap_reroot.numerics.vectors import matrices, product
from mocap_reroot.skeletons.vectors import quaternions
from mocap_reroot.types import (
    Anatomy,
    Generalised,
    JointType,
    Model,
    Motion,
    Skeleton,
    Source,
    read_only,
)

_PARTS = (
    ("pelvis", r"pelvis|hips?|sacrum"),
    ("thigh", r"femur|thigh|upper_?leg"),
    ("shank", r"tibia|shank|lower_?leg|crus"),
    ("talus", r"talus"),
    ("foot", r"calcn|calcaneus|foot|hindfoot"),
    ("toes", r"toes?|forefoot"),
    ("trunk", r"torso|trunk|thorax|chest|abdomen|spine|lumbar_?\d*|upper_?body|hat"),
    ("neck", r"neck|cervical\d*"),
    ("head", r"head|skull|head_?neck"),
    ("clavicle", r"clavicle|scapula"),
    ("upper_arm", r"humerus|upper_?arm"),
    ("forearm", r"ulna|forearm|lower_?arm"),
    ("hand", r"hand"),
)
_CENTRAL = ("pelvis", "trunk", "neck", "head")
_SIDE = re.compile(r"^(?:(right|left|[rl])[_.]?(?=.{3}))?(.*?)(?:[_.](right|left|[rl]))?$", re.I)


def model_skeleton(model: Model, world: np.ndarray) -> Skeleton:
    """Return the skeleton of a model, at rest where all coordinates are zero.

    Args:
        model: The model.
        world: ``(3, 3)`` turn of the model's ground into the axes of the file.
    """
    n = len(model.bodies)
    zero = np.zeros((len(model.coordinates), 1))
    placed = [joint_motion(model, body, zero) for body in range(n)]
    rest = np.array([moved.rotation[:, 0] for moved in placed])
    offset = np.array([moved.position[:, 0] for moved in placed])
    rest[0] = product(quaternions(world[None]), rest[0][:, None])[:, 0]
    offset[0] = 0.0
    types = np.full(n, JointType.SPHERICAL)
    for body, joint in enumerate(model.joints):
        if body == 0 or any(c >= 0 for c in joint.coordinates[3:]):
            types[body] = JointType.FREE
    segments = model_segments(model.bodies)
    legs = {f"{side}_{part}" for side in ("left", "right") for part in ("thigh", "shank")}
    sites = _foot_sites(model, segments, rest, offset)
    return Skeleton(
        names=model.bodies,
        parents=model.parents,
        offset=offset,
        rest=rest,
        joint_types=types,
        site_body=np.array([body for body, _ in sites], dtype=np.int64),
        site_offset=np.array([place for _, place in sites]).reshape(-1, 3),
        anatomy=Anatomy(
            segments=segments,
            confidence=np.array([1.0 if segment else 0.0 for segment in segments]),
            reasons=tuple(f"named {name!r} in the model" for name in model.bodies),
            human=legs | {"pelvis"} <= set(segments),
            convention="OpenSim",
        ),
    )


def model_segments(bodies: tuple[str, ...]) -> tuple[str, ...]:
    """Return the part of a person that every body is by its name; empty where it is none."""
    found = []
    for body in bodies:
        match = _SIDE.match(body)
        before, stem, after = match.groups() if match else ("", body, "")
        side = {"r": "right_", "l": "left_"}.get((before or after or " ")[0].lower(), "")
        part = next((part for part, words in _PARTS if re.fullmatch(words, stem, re.I)), "")
        if part in _CENTRAL:
            found.append(part if not side else "")
        else:
            found.append(f"{side}{part}" if part and side else "")
    return tuple(found)


def _foot_sites(
    model: Model, segments: tuple[str, ...], rest: np.ndarray, offset: np.ndarray
) -> list[tuple[int, np.ndarray]]:
    """Return heel and tip of every foot: where its markers and joints reach along the sole."""
    sites: list[tuple[int, np.ndarray]] = []
    for side in ("left", "right"):
        if f"{side}_foot" not in segments:
            continue
        foot = segments.index(f"{side}_foot")
        toes = segments.index(f"{side}_toes") if f"{side}_toes" in segments else None
        up = _stood(model, foot, rest).T @ model.up
        marks = _marks(model, foot)
        if toes is not None:
            ahead = offset[toes]
        elif len(marks):
            ahead = marks[np.argmax(np.linalg.norm(marks, axis=1))]
        else:
            continue
        ahead = ahead - up * (up @ ahead)
        ahead = ahead / np.linalg.norm(ahead)
        raised = f"{side}_talus" not in segments  # else the frame lies at the heel, on the sole
        low = min(0.0, *(marks @ up)) if len(marks) and raised else 0.0
        sites.append((foot, ahead * min(0.0, *(marks @ ahead), 0.0) + up * low))
        end = _marks(model, foot if toes is None else toes)
        if len(end) and (end @ ahead).max() > 0.02:
            level = 0.0 if toes is not None else low
            sites.append((foot if toes is None else toes, ahead * (end @ ahead).max() + up * level))
    return sites


def _marks(model: Model, body: int) -> np.ndarray:
    """Return ``(m, 3)`` m, a body's markers in its frame here."""
    return model.marker_place[model.marker_body == body] - model.joints[body].child_place


def _stood(model: Model, body: int, rest: np.ndarray) -> np.ndarray:
    """Return ``(3, 3)`` the axes of a body at rest in those of the model's ground."""
    turn = np.eye(3)
    while body > 0:  # the root at rest stands as the ground does
        turn = matrices(rest[body]) @ turn
        body = int(model.parents[body])
    return turn


def model_motion(
    coordinates: Generalised,
    fps: float,
    *,
    flags: np.ndarray | None = None,
    source: Source | None = None,
) -> Motion:
    """Return the motion that a model makes by its coordinates.

    Args:
        coordinates: Over frames; with rates, the motion has derivatives.
        fps: Frames per second.
        flags: ``(F)``, index into ``FLAGS``.
        source: Where it came from.
    """
    from mocap_reroot.kernels.rotations import make_continuous

    skeleton = model_skeleton(coordinates.model, coordinates.world)
    states = model_states(coordinates, skeleton)
    make_continuous(states["rotation"])
    frames = coordinates.value.shape[1]
    return Motion(
        skeleton=skeleton,
        fps=fps,
        up=read_only(coordinates.world @ coordinates.model.up),
        **states,  # type: ignore[arg-type]
        flags=np.zeros(frames, np.uint8) if flags is None else flags,
        source=source or Source(),
        coordinates=coordinates,
    )
