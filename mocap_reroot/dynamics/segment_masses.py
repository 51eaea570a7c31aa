"""What the parts of a person weigh, by the plates that carried them.

Tables tell how the mass of a body is distributed in the mean over people without shoes. Plates
know better, if the motion is good enough: what they measure beyond the force that the tables call
for must come from somewhere, and while a leg swings, or a trunk leans, each part's share of it has
a shape of its own.

The masses of thighs, shanks, feet, arms, pelvis and trunk are sought that leave least residual, in
all six components, weighed by how far tables may be wrong; both sides weigh the same, and the whole
stays what it is. Most recordings are not good enough: what skin and filters did to the motion is
larger than what tables did to the masses. So masses found in one half of the frames must explain
the other half, which they have not seen; else the tables' stay.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from mocap_reroot.dynamics.rooted import total_wrench
from mocap_reroot.dynamics.weight import SHORTEST, borne_by_plates
from mocap_reroot.types import BodyModel, Contacts, Dynamics, Inference, Motion

SPREAD = {"thigh": 0.15, "shank": 0.1, "foot": 0.25, "arm": 0.15, "pelvis": 0.15, "trunk": 0.1}
"""Of the tables' mass, by which parts of people differ from them: thighs as much as tables do among
themselves, feet by their shoes."""

EXPLAINED = 0.5
"""Of the squared residual in frames that were not looked at, what may be left at most."""

LIGHTEST = 0.3
"""Of the tables' mass: lighter than that, no part is believed."""

_WHOLE = 0.005  # of the mass of the body, by which the sum of its parts may be off
_END = 0.04  # s at the ends of a run of frames, where accelerations are known less well
_ROUNDS = 6  # in which residuals and their sizes are found in turns
_PART = {"toes": "foot", "upper_arm": "arm", "forearm": "arm", "hand": "arm"}


def weigh_segments(
    motion: Motion, body: BodyModel, contacts: Contacts
) -> tuple[BodyModel, Inference] | None:
    """Return a body whose parts weigh what the plates tell; None if they tell too little.

    Args:
        motion: Captured, with derivatives and plates.
        body: Mass model by a table.
        contacts: Who touches the ground.
    """
    parts = _parts(body)
    borne = borne_by_plates(motion, body, contacts)
    if borne is None or len(parts) < 2:
        return None
    known = _without_ends(borne.known, round(_END * motion.fps))
    if known.sum() / motion.fps < 2 * SHORTEST:
        return None
    residual = np.concatenate([borne.residual_force, borne.residual_moment])[:, known]
    wrench = np.stack([_wrench(motion, body, rows) for rows in parts.values()])[:, :, known]
    prior = _prior(body, parts)
    first = np.arange(residual.shape[1]) < residual.shape[1] // 2
    left = _left_in_the_other_half(wrench, residual, prior, first)
    change, _ = _found(wrench, residual, prior)
    if not left <= EXPLAINED or (1 + change < LIGHTEST).any():
        return None
    factor = np.ones(len(body.mass))
    for rows, part in zip(parts.values(), change, strict=True):
        factor[rows] += part
    factor *= body.total_mass / (factor @ body.mass)
    said = ", ".join(f"{name} {100 * (factor[rows[0]] - 1):+.0f} %" for name, rows in parts.items())
    evidence = (
        f"Masses found in one half of the {known.sum()} frames on plates leave {100 * left:.0f} % "
        f"of the squared residual of the other half; against {body.table}: {said} "
        "(segment_masses = 'table' keeps the table's)."
    )
    weighed = replace(
        body,
        mass=body.mass * factor,
        inertia=body.inertia * factor[:, None, None],
        table=f"{body.table}, parts weighed by force plates",
    )
    return weighed, Inference("segment_masses", "plates", 0.9, evidence)


def predicted_by(alone: Dynamics, weighed: Dynamics) -> Dynamics:
    """Return a result with weighed parts, beside what was predicted without plates.

    What the motion alone tells is what it tells by the table: else plates would be compared with
    themselves.
    """
    quality = dict(weighed.quality)
    if "plates" in alone.quality:
        quality["plates"] = alone.quality["plates"]
    extra = weighed.extra.replaced(predicted=alone.extra.columns("predicted"))
    return replace(weighed, quality=quality, extra=extra)


def _parts(body: BodyModel) -> dict[str, list[int]]:
    """Return the bodies that belong to each part of a person; nothing if it is none."""
    anatomy = body.skeleton.anatomy
    if anatomy is None or not anatomy.human:
        return {}
    found: dict[str, list[int]] = {}
    for i, segment in enumerate(anatomy.segments):
        if body.mass[i] > 0:
            word = segment.removeprefix("left_").removeprefix("right_")
            word = _PART.get(word, word)
            found.setdefault(word if word in SPREAD else "trunk", []).append(i)
    return found


def _prior(body: BodyModel, parts: dict[str, list[int]]) -> np.ndarray:
    """Return ``(k, k)`` how surely the tables are right, as the inverse of a covariance."""
    share = np.array([body.mass[rows].sum() for rows in parts.values()]) / body.total_mass
    each = np.array([SPREAD[name] ** -2 for name in parts])
    return np.diag(each) + np.outer(share, share) / _WHOLE**2


def _wrench(motion: Motion, body: BodyModel, rows: list[int]) -> np.ndarray:
    """Return ``(6, F)`` what moves some bodies alone, about the origin of the root."""
    alone = np.zeros(len(body.mass))
    alone[rows] = 1
    part = replace(body, mass=body.mass * alone, inertia=body.inertia * alone[:, None, None])
    total = total_wrench(motion, part)
    return np.concatenate([total.force, total.moment])


def _found(
    wrench: np.ndarray, residual: np.ndarray, prior: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Return ``(k)`` by how much each part is heavier, and ``(6)`` the size of what remains.

    A component counts by its own size and by how many independent samples it has: residuals are
    smooth curves, not noise.

    Args:
        wrench: ``(k, 6, F)`` of each part.
        residual: ``(6, F)``, what the parts ask for beyond the plates.
        prior: ``(k, k)``.
    """
    change = np.zeros(len(prior))
    for _ in range(_ROUNDS):
        rest = residual + np.einsum("k,kcf->cf", change, wrench)
        square = (rest**2).mean(axis=1)
        power = np.abs(np.fft.fft(rest, axis=1)) ** 2
        samples = power.sum(axis=1) ** 2 / np.maximum((power**2).sum(axis=1), 1e-300)
        weight = samples / residual.shape[1] / np.maximum(square, 1e-12)
        information = np.einsum("c,kcf,lcf->kl", weight, wrench, wrench)
        pull = -np.einsum("c,kcf,cf->k", weight, wrench, residual)
        change = np.linalg.solve(prior + information, pull)
    return change, np.sqrt(np.maximum(square, 1e-12))


def _left_in_the_other_half(
    wrench: np.ndarray, residual: np.ndarray, prior: np.ndarray, first: np.ndarray
) -> float:
    """Return how much of the squared residual masses from the other half leave, in both halves."""
    size = _found(wrench, residual, prior)[1][:, None]
    before = after = 0.0
    for seen in (first, ~first):
        change, _ = _found(wrench[:, :, seen], residual[:, seen], prior)
        rest = residual + np.einsum("k,kcf->cf", change, wrench)
        before += float(((residual / size)[:, ~seen] ** 2).sum())
        after += float(((rest / size)[:, ~seen] ** 2).sum())
    return after / before


def _without_ends(known: np.ndarray, count: int) -> np.ndarray:
    """Return ``(F)`` a mask without some frames at the ends of every run, and of the clip."""
    if not count:
        return known
    padded = np.pad(known, count)
    windows = np.lib.stride_tricks.sliding_window_view(padded, 2 * count + 1)
    return np.asarray(windows.all(axis=1))
