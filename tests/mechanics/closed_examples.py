"""Closed chains to try things on: a two- or three-legged body that stands, in a random pose."""

from __future__ import annotations

import numpy as np

from mocap_reroot.mechanics.closed_chain import ClosedChain, contact
from mocap_reroot.mechanics.kinematics import forward
from mocap_reroot.types import BodyModel, JointType, Motion, Skeleton
from tests.random_trees import random_body, random_motion, random_unit

GRAVITY = np.array([0.0, -9.81, 0.0])


def legged_skeleton(rng: np.random.Generator, legs: int) -> Skeleton:
    """Return a trunk with legs of thigh (spherical), shank (revolute) and foot (spherical)."""
    names, parents, kinds = ["trunk"], [-1], [JointType.FREE]
    for leg in range(legs):
        top = len(names)
        names += [f"{part}{leg}" for part in ("thigh", "shank", "foot")]
        parents += [0, top, top + 1]
        kinds += [JointType.SPHERICAL, JointType.REVOLUTE, JointType.SPHERICAL]
    names += ["arm", "hand"]
    parents += [0, len(names) - 2]
    kinds += [JointType.UNIVERSAL, JointType.PRISMATIC]
    n = len(names)
    return Skeleton(
        tuple(names),
        np.array(parents),
        0.4 * rng.normal(size=(n, 3)),
        rest=random_unit(rng, n, 4),
        joint_types=np.array(kinds),
        axes=random_unit(rng, n, 2, 3),
    )


def standing(seed: int, legs: int, kind: str) -> tuple[ClosedChain, np.ndarray, np.ndarray]:
    """Return a chain whose feet are held where they are, and a state ``q, speed`` it can have."""
    rng = np.random.default_rng(seed)
    skeleton = legged_skeleton(rng, legs)
    body: BodyModel = random_body(rng, skeleton)
    motion: Motion = random_motion(rng, skeleton)
    world = forward(motion)
    closures = []
    for leg in range(legs):
        foot = skeleton.index(f"foot{leg}")
        at = 0.1 * rng.normal(size=3)
        place = world.point(foot, at)[:, 0]
        turn = world.orientation[foot, :, 0]
        closures.append(contact(kind, foot, at, place, turn, random_unit(rng, 3), f"foot{leg}"))
    chain = ClosedChain(skeleton, body, tuple(closures), gravity=GRAVITY)
    q, _, _ = chain.coordinates.of_motion(motion)
    move = chain.mobility(q)
    return chain, q, move.W @ rng.normal(size=move.n_freedoms)
