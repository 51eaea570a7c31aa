"""Phases: runs of frames with the same support; phase boundaries and the root of each."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise

import numpy as np

from mocap_reroot.numerics.frames import changes
from mocap_reroot.types import Contacts, Phase, Skeleton, Sole


def mode_of(limbs: int) -> str:
    """Return the mode of so many limbs, whichever they are."""
    return ("flight", "single", "double", "multi")[min(limbs, 3)]


def tile(
    skeleton: Skeleton,
    soles: Sequence[Sole],
    support_body: np.ndarray,
    analysed: np.ndarray,
    start: int,
    external: np.ndarray | None = None,
) -> tuple[Phase, ...]:
    """Return phases that tile the clip.

    Args:
        skeleton: The captured tree.
        soles: The parts that can touch.
        support_body: ``(l, F)`` for every limb the index of the *body* in support, −1 where off.
        analysed: ``(F)`` whether the frame takes part.
        start: Row of the file at which the motion starts.
        external: ``(F)`` whether something else supports beside the limbs that are on: multi.
    """
    extra = np.zeros(len(analysed), bool)
    if external is not None:
        extra = external & (support_body >= 0).any(axis=0) & analysed
    key = np.vstack([np.where(analysed, support_body, -2), extra, analysed])
    edges = changes(key)
    middle = {sole.body: sole.outline.sum(axis=0) / len(sole.outline) for sole in soles}
    nowhere = np.zeros(3)
    phases: list[Phase] = []
    numbered = 0
    since: dict[int, int] = {}  # frame at which each limb came down
    modes: dict[tuple[int, ...], str] = {}  # of supports seen before: there are few
    states = zip(*key[:, edges[:-1]].tolist(), strict=True)
    for (first, stop), held in zip(pairwise(edges), states, strict=True):
        *bodies, elsewhere, takes_part = held
        if not takes_part:
            phases.append(
                Phase(-1, "none", skeleton.root, (), start + first, start + stop, nowhere)
            )
            since = {}
            continue
        on = [k for k, body in enumerate(bodies) if body >= 0]
        since = {k: since.get(k, first) for k in on}
        if held not in modes:
            modes[held] = "multi" if elsewhere else mode_of(len(on))
        root, at = skeleton.root, nowhere
        if on:
            root = bodies[min(on, key=since.__getitem__)]  # who came first is still the root
            at = middle[root]
        support = tuple([bodies[k] for k in on])
        phases.append(Phase(numbered, modes[held], root, support, start + first, start + stop, at))
        numbered += 1
    return tuple(phases)


def with_support(
    contacts: Contacts, support_body: np.ndarray, notes: tuple[str, ...] = ()
) -> Contacts:
    """Return the same contacts with other parts carrying.

    Args:
        contacts: As detected.
        support_body: ``(l, F)`` body indices, −1 where off.
        notes: Sentences on why, kept among the warnings.
    """
    on = support_body >= 0
    external = _spread(contacts.external_support, contacts.support_body >= 0, on)
    phases = tile(
        contacts.skeleton, contacts.soles, support_body, contacts.analysed, contacts.start, external
    )
    warnings = (*contacts.warnings, *notes)
    return replace(
        contacts,
        phase_list=phases,
        support_body=support_body,
        external_support=external,
        warnings=warnings,
    )


def _spread(external: np.ndarray, before: np.ndarray, after: np.ndarray) -> np.ndarray:
    """Return ``external`` once other limbs support: frames that joined a stance are as it was."""
    result = external & after.any(axis=0)
    same = (before == after).all(axis=0)
    if same.all():
        return result
    edges = changes(after)
    joining = np.add.reduceat(~same, edges[:-1], dtype=np.int64).tolist()
    for (first, stop), count in zip(pairwise(edges), joining, strict=True):
        if count in (0, stop - first) or not after[:, first].any():
            continue
        known = first + np.flatnonzero(same[first:stop])
        joined = first + np.flatnonzero(~same[first:stop])
        result[joined] = np.interp(joined, known, external[known]) > 0.5
    return result
