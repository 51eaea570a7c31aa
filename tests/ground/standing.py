"""Random trees with made-up contacts: phases of every mode on tilted ground."""

from __future__ import annotations

import numpy as np

from mocap_reroot.rerooting.reroot import reroot
from mocap_reroot.types import BodyModel, Contacts, JointType, Phase, Plane, Rooted, Sole
from tests.random_trees import random_body, random_motion, random_skeleton

ALL = tuple(JointType)


def standing(
    seed: int, kinds: tuple[JointType, ...] = ALL, frames: int = 40, feet: int = 3
) -> tuple[Rooted, BodyModel]:
    """Return a motion that stands on 0 to 3 feet in turn, re-rooted, and its body.

    States are random and independent from frame to frame; the body is heavy and slow, so that the
    ground pushes.
    """
    rng = np.random.default_rng(seed)
    skeleton = random_skeleton(rng, 9, kinds)
    motion = random_motion(rng, skeleton, frames)
    slow = {
        k: 0.2 * getattr(motion, k)
        for k in (
            "angular_velocity", "angular_acceleration", "linear_velocity", "linear_acceleration",
        )
    }  # fmt: skip
    motion = type(motion)(
        skeleton, motion.fps, motion.up, motion.rotation, motion.displacement, **slow
    )
    body = random_body(rng, skeleton)
    stand = [int(b) for b in rng.permutation(9)[:feet]]
    soles = tuple(Sole(b, b, 0.2 * rng.normal(size=(4, 3))) for b in stand)
    planes = []
    for _ in range(2):
        normal = np.array([0.0, 1, 0]) + 0.2 * rng.normal(size=3)
        planes.append(Plane(rng.normal(size=3), normal / np.linalg.norm(normal)))
    groups = [(0,), (0, 1), (1,), (), (1, 2), (0, 1, 2), (2,)]
    groups = [tuple(k for k in group if k < feet) for group in groups]
    edges = np.linspace(0, frames, len(groups) + 1).astype(int)
    modes = ("flight", "single", "double", "multi")
    phases, touching = [], np.zeros((feet, frames), bool)
    for number, (group, a, b) in enumerate(zip(groups, edges[:-1], edges[1:], strict=True)):
        root = stand[group[-1]] if group else skeleton.root
        support = tuple(stand[k] for k in group)
        at = rng.normal(size=3) if group else np.zeros(3)
        phases.append(Phase(number, modes[len(group)], root, support, int(a), int(b), at))
        touching[list(group), a:b] = True
    contacts = Contacts(
        skeleton=skeleton,
        fps=motion.fps,
        start=0,
        flags=motion.flags,
        soles=soles,
        touching=touching,
        score=touching.astype(float),
        planes=tuple(planes),
        plane=rng.integers(0, 2, size=(feet, frames)),
        phase_list=tuple(phases),
    )
    return reroot(motion, contacts), body
