"""A motion without contacts: one flight phase, everything residual at the root."""

from __future__ import annotations

from itertools import pairwise

import numpy as np

from mocap_reroot.errors import MocapRerootError
from mocap_reroot.numerics.frames import changes
from mocap_reroot.types import Contacts, Motion, Phase, Rooted


def as_rooted(motion: Motion) -> Rooted:
    """Return a captured motion as a sequence of phases without support.

    Raises:
        MocapRerootError: The motion is re-rooted: what holds its root is not known.
    """
    skeleton, rows = motion.skeleton, (motion.start, motion.start + motion.n_frames)
    if np.any(skeleton.origin != 0):
        raise MocapRerootError(
            f"This motion is re-rooted at {skeleton.names[skeleton.root]!r}; inverse_dynamics "
            "takes a captured motion, or reroot(motion, contacts), which says what carries it."
        )
    bounds = changes(motion.analysed[None])
    phases = []
    number = 0
    for a, b in pairwise(bounds):
        analysed = bool(motion.analysed[a])
        index, mode = (number, "flight") if analysed else (-1, "none")
        number += analysed
        row = rows[0] + a, rows[0] + b
        phases.append(Phase(index, mode, skeleton.root, (), *row, np.zeros(3)))
    nothing = np.zeros((0, motion.n_frames))
    contacts = Contacts(
        skeleton=skeleton,
        fps=motion.fps,
        start=motion.start,
        start_time=motion.source.start_time,
        flags=motion.flags,
        soles=(),
        touching=nothing,
        score=nothing,
        planes=(),
        plane=nothing,
        phase_list=tuple(phases),
        warnings=("No contacts were given: the whole clip is taken as flight.",),
    )
    trees = (skeleton,) * len(phases)
    return Rooted(tuple(phases), trees, contacts, motion, lambda k: motion.cut(*bounds[k : k + 2]))
