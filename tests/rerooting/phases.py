"""Contacts made of given phases, for tests of re-rooting."""

from __future__ import annotations

from itertools import pairwise

import numpy as np

from mocap_reroot.types import Contacts, Motion, Phase


def phase_contacts(motion: Motion, phases: list[Phase]) -> Contacts:
    """Return contacts that consist of phases only."""
    none = np.zeros((0, motion.n_frames))
    return Contacts(
        skeleton=motion.skeleton,
        fps=motion.fps,
        start=motion.start,
        flags=motion.flags,
        soles=(),
        touching=none,
        score=none,
        planes=(),
        plane=none,
        phase_list=tuple(phases),
    )


def random_phases(
    rng: np.random.Generator, motion: Motion, left_out: tuple[int, ...] = ()
) -> Contacts:
    """Return contacts whose phases have random lengths, roots and support points.

    Args:
        rng: Source of chance.
        motion: What they belong to.
        left_out: Which of the phases are left out of the analysis.
    """
    ends = np.sort(rng.choice(np.arange(1, motion.n_frames), 6, replace=False))
    bounds = motion.start + np.array([0, *ends, motion.n_frames])
    phases = []
    for k, (start, stop) in enumerate(pairwise(bounds)):
        out = k in left_out
        root = motion.skeleton.root if out else int(rng.integers(motion.skeleton.n_bodies))
        index, mode = (-1, "none") if out else (k, "single")
        phases.append(Phase(index, mode, root, (root,), int(start), int(stop), rng.normal(size=3)))
    return phase_contacts(motion, phases)
