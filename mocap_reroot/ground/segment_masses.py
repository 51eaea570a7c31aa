"""Segment masses by regression on force plates.

Tables tell how the mass of a body is distributed in the mean over people without shoes. Plates
know better, if the motion is good enough: what they measure beyond the force that the tables call
for must come from somewhere, and while a leg swings, or a trunk leans, each part's share of it has
a shape of its own.

The masses of thighs, shanks, feet, arms, pelvis and trunk are sought that leave least residual, in
all six components, weighed by how far tables may be wrong; both sides weigh the same. That the
whole may be given too heavy or too light is found beside them and credited to none: its mass stays.

Most recordings are not good enough: what skin and filters did to the motion is larger than what
tables did to the masses. So masses found in one half of the frames must explain the other half,
which they have not seen; else the tables' stay.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from mocap_reroot.ground.weighing import SHORTEST, Borne
from mocap_reroot.mechanics.whole_body import PartWrenches
from mocap_reroot.types import BodyModel, Inference

SPREAD = {"thigh": 0.15, "shank": 0.1, "foot": 0.25, "arm": 0.15, "pelvis": 0.15, "trunk": 0.1}
"""Of the tables' mass, by which parts of people differ from them: thighs as much as tables do among
themselves, feet by their shoes."""

EXPLAINED = 0.5
"""Of the squared residual in frames that were not looked at, what may be left at most."""

BELIEVED = (0.4, 2.5)
"""Times the tables' mass, between which a part is believed to be."""

WHOLE = 0.05
"""By which the mass of the whole may be wrong."""

_SUM = 0.001  # of the mass of the whole, by which changes of the parts may not even out
_END = 0.04  # s at the ends of a run of frames, where accelerations are known less well
_MOST = 20_000  # frames that are looked at: more tell nothing new
_ROUNDS, _SETTLED = 200, 1e-4  # in which residuals and their sizes are found in turns
_NONE = 1e-9  # N/kg and N·m/kg, a residual that is none
_NOTHING = 1e-12  # N² and (N·m)²
_PART = {"toes": "foot", "upper_arm": "arm", "forearm": "arm", "hand": "arm"}


@dataclass(frozen=True, eq=False)
class Weighed:
    """What plates tell of the parts of a body.

    Attributes:
        body: With the parts' masses, or the same where plates do not tell them well.
        factor: ``(p)`` by which each part is heavier than the table has it.
        why: The evidence.
    """

    body: BodyModel
    factor: np.ndarray
    why: Inference


def weigh_segments(
    borne: Borne | None, wrenches: PartWrenches, fps: float, body: BodyModel
) -> Weighed | None:
    """Return a body whose parts weigh what the plates tell, and why; None if they tell nothing.

    Args:
        borne: What plates bore of what the motion asks for.
        wrenches: What moves each part of :func:`parts_of` the body.
        fps: Frames per second.
        body: Mass model by a table.
    """
    parts = parts_of(body)
    if borne is None or len(parts) < 2:
        return None
    looked_at = frames_to_look_at(borne, fps)
    if looked_at is None:
        return None
    residual = np.concatenate([borne.residual_force, borne.residual_moment])[:, looked_at]
    if np.abs(residual).max() < _NONE * body.total_mass:
        return None
    wrench = wrenches.wrench[..., looked_at]
    wrench = np.concatenate([wrench.sum(axis=0)[None], wrench])  # the whole, then its parts
    prior = _prior(body, parts)
    first = np.arange(len(looked_at)) < len(looked_at) // 2
    left = _left_in_the_other_half(wrench, residual, prior, first)
    found = _found(wrench, residual, prior)
    if found is None or not np.isfinite(left):
        return None
    seen = (
        f"Masses found in one half of {len(looked_at)} frames on plates leave {100 * left:.0f} % "
        "of the squared residual of the other half"
    )
    factor = 1 + found.change[1:]
    factor = factor * body.total_mass / (factor @ wrenches.mass)
    believed = factor.min() >= BELIEVED[0] and factor.max() <= BELIEVED[1]
    if not (believed and left <= EXPLAINED):
        stay = f"{seen}: those of {body.table} stay."
        table = Inference("segment_masses", "table", 0.9, stay)
        return Weighed(body, np.ones(len(parts)), table)
    said = ", ".join(
        f"{name} {100 * (times - 1):+.0f} %" for name, times in zip(parts, factor, strict=True)
    )
    each = np.ones(len(body.mass))
    for rows, times in zip(parts.values(), factor, strict=True):
        each[rows] = times
    weighed = replace(
        body,
        mass=body.mass * each,
        inertia=body.inertia * each[:, None, None],
        table=f"{body.table}, parts weighed by force plates",
        warnings=(
            *body.warnings,
            f"Force plates weighed the parts of the body, against {body.table}: {said} "
            "(--segment-masses table keeps the table's).",
        ),
    )
    return Weighed(weighed, factor, Inference("segment_masses", "plates", 0.9, f"{seen}: {said}."))


def parts_of(body: BodyModel) -> dict[str, list[int]]:
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
    """Return ``(1 + k, 1 + k)`` how surely whole and tables are right: an inverse covariance."""
    share = np.array([body.mass[rows].sum() for rows in parts.values()]) / body.total_mass
    prior = np.zeros((1 + len(parts), 1 + len(parts)))
    prior[0, 0] = WHOLE**-2
    prior[1:, 1:] = np.diag([SPREAD[name] ** -2 for name in parts])
    prior[1:, 1:] += np.outer(share, share) / _SUM**2
    return prior


@dataclass(frozen=True, eq=False)
class _Found:
    """Masses that leave least residual.

    Attributes:
        change: ``(1 + k)`` by how much the whole, and each part beyond that, is heavier.
        size: ``(6)`` root mean square of what remains.
    """

    change: np.ndarray
    size: np.ndarray

    def rest(self, wrench: np.ndarray, residual: np.ndarray) -> np.ndarray:
        """Return ``(6, F)`` what remains of a residual."""
        return np.asarray(residual + np.einsum("k,kcf->cf", self.change, wrench))


def _found(wrench: np.ndarray, residual: np.ndarray, prior: np.ndarray) -> _Found | None:
    """Return the masses that leave least residual; None if they do not settle.

    A component counts by its own size and by how many independent samples it has: residuals are
    smooth curves, not noise.

    Args:
        wrench: ``(1 + k, 6, F)`` of the whole and of each part.
        residual: ``(6, F)``, what the parts ask for beyond the plates.
        prior: ``(1 + k, 1 + k)``.
    """
    products = np.einsum("kcf,lcf->ckl", wrench, wrench)
    pulls = -np.einsum("kcf,cf->ck", wrench, residual)
    found = _Found(np.zeros(len(prior)), np.zeros(6))
    for _ in range(_ROUNDS):
        rest = found.rest(wrench, residual)
        size = np.sqrt(np.maximum((rest**2).mean(axis=1), _NOTHING))
        power = np.abs(np.fft.rfft(rest, axis=1)) ** 2
        samples = 2 * power.sum(axis=1) ** 2 / np.maximum((power**2).sum(axis=1), _NOTHING)
        weight = samples / residual.shape[1] / size**2
        information = np.einsum("c,ckl->kl", weight, products)
        change = np.linalg.solve(prior + information, weight @ pulls)
        settled = np.abs(change - found.change).max() < _SETTLED
        # Half a step: sizes and masses would otherwise chase each other about the solution.
        found = _Found((change + found.change) / 2, size)
        if settled:
            return found
    return None


def _left_in_the_other_half(
    wrench: np.ndarray, residual: np.ndarray, prior: np.ndarray, first: np.ndarray
) -> float:
    """Return how much of the squared residual masses from the other half leave, in both halves.

    What another mass of the whole would explain is no merit of the parts.
    """
    every = _found(wrench, residual, prior)
    before = after = 0.0
    for seen in (first, ~first):
        whole = _found(wrench[:1, :, seen], residual[:, seen], prior[:1, :1])
        parts = _found(wrench[:, :, seen], residual[:, seen], prior)
        if every is None or whole is None or parts is None:
            return np.inf
        unseen, size = ~seen, every.size[:, None]
        before += float(((whole.rest(wrench[:1], residual)[:, unseen] / size) ** 2).sum())
        after += float(((parts.rest(wrench, residual)[:, unseen] / size) ** 2).sum())
    return after / before if before > 0 else np.inf


def frames_to_look_at(borne: Borne, fps: float) -> np.ndarray | None:
    """Return the frames in which plates bore the whole body, of many only the first and last ones.

    None: they are too few to be halved. Ends of every run are left out.
    """
    known, count = borne.known, round(_END * fps)
    if count:
        windows = np.lib.stride_tricks.sliding_window_view(np.pad(known, count), 2 * count + 1)
        known = np.asarray(windows.all(axis=1))
    if known.sum() / fps < 2 * SHORTEST:
        return None
    frames = np.flatnonzero(known)
    if len(frames) <= _MOST:
        return frames
    return np.concatenate([frames[: _MOST // 2], frames[-_MOST // 2 :]])
