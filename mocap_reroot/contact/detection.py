"""detect_contacts(): stances of every limb, ground planes, phases and gait."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pandas as pd

from mocap_reroot.config import CONTACT_SOURCES
from mocap_reroot.contact import force_line, gait, phases
from mocap_reroot.contact.chairs import find_chairs
from mocap_reroot.contact.from_annotations import event_stances, read_table, table_stances
from mocap_reroot.contact.from_plates import plate_stances
from mocap_reroot.contact.observation import Observation, observe
from mocap_reroot.contact.pads import named, with_pads
from mocap_reroot.contact.parts import share_parts
from mocap_reroot.contact.plate_feet import plate_owners
from mocap_reroot.contact.plate_rules import no_plates
from mocap_reroot.contact.stances import (
    Stance,
    find_stances,
    point_scores,
    speed_limit,
)
from mocap_reroot.contact.support import support_of
from mocap_reroot.contact.support_force import free_fall
from mocap_reroot.contact.support_gaps import fill_gaps
from mocap_reroot.errors import MocapRerootError, UnknownNameError
from mocap_reroot.kernels.stances import most_likely
from mocap_reroot.mechanics.kinematics import forward
from mocap_reroot.options import renamed
from mocap_reroot.parameters import ContactParameters
from mocap_reroot.types import BodyModel, Contacts, Motion, Plates

Stances = list[list[Stance]]
"""Of every limb."""


@renamed(source="contact_source", table="contacts")
def detect_contacts(
    motion: Motion,
    body: BodyModel | None = None,
    *,
    contact_source: str = "auto",
    contacts: str | Path | pd.DataFrame | None = None,
    limbs: str | Sequence[str] = "auto",
    hands: bool = False,
    knees: bool = False,
    parameters: ContactParameters | None = None,
) -> Contacts:
    """Find which limbs may carry the body, frame by frame, and on what ground.

    Works on any motion, smoothed or not, at any frame rate and of any size: a foot stands where
    a point of its sole is low above the ground and slow, both judged in leg lengths; strikes and
    offs are then placed where the sole is braked by the ground and where its ball moves off.
    So do hands, forearms, knees, seat and back; where a limb is only near the ground it is a
    candidate (``.candidate``), for :func:`mocap_reroot.estimate_ground` to decide on.

    Args:
        motion: The clip. Frames left out of the analysis have no contacts.
        body: Its mass model; by default one of usual proportions.
        contact_source: ``"kinematics"``: from the motion alone. ``"plates"``: only stances on force
            plates. ``"events"``: from the file's own events, the motion filling in what they
            leave open. ``"auto"``: from the motion, with strikes and offs from plates where a
            foot stood on one.
        contacts: Given by the user instead: a CSV or Parquet file or a DataFrame with
            columns ``foot, start_frame, stop_frame`` (or ``start_time, stop_time``), one row a
            stance, or in the form of ``contacts.parquet``.
        limbs: Who may carry. ``"auto"``: feet, and hands, forearms, knees, seat and back where they
            are low and still, or where the motion needs them. ``"feet"``; ``"all"``: every limb
            that is near the ground; or names: ``feet``, ``hands``, ``forearms``, ``knees``,
            ``seat``, ``back``, ``left_hand`` …, or bodies.
        hands, knees: Of the version before: now ``limbs="feet,hands,knees"``.
        parameters: Numbers of the stage (``ContactParameters``).

    Returns:
        Contacts: ``.contacts``, ``.phases``, ``.events``, ``.ground``, ``.gait``, ``.strides``;
        ``.explain(frame, foot)`` says why.

    Raises:
        MocapRerootError: The source has nothing to tell, or the table cannot be understood.
    """
    if contact_source not in CONTACT_SOURCES:
        raise UnknownNameError("source of contacts", contact_source, CONTACT_SOURCES)
    p = parameters or ContactParameters()
    names = named(limbs, motion.skeleton, hands=hands, knees=knees)
    seen = with_pads(observe(motion, body, p), names, always=contacts is not None)
    falling = free_fall(seen.force, motion.n_frames, p)
    distance = force_line.distances(seen.signals, seen.force, motion.up)
    idle = force_line.unloaded(distance, len(seen.limbs), motion.n_frames, seen.scale, p)
    slow = [speed_limit(signals, seen.scale, p) for signals in seen.signals]
    scores = [
        point_scores(signals, limit, seen.scale, falling, unloaded, p)
        for signals, limit, unloaded in zip(seen.signals, slow, idle, strict=True)
    ]
    found: Stances = [
        find_stances(score, signals, seen.scale, seen.valid, p)
        for score, signals in zip(scores, seen.signals, strict=True)
    ]
    seen, found, chairs = find_chairs(seen, found)
    found, filled = fill_gaps(found, seen.signals, seen.force, distance, seen.scale, seen.valid, p)
    annotated_parts: dict[int, np.ndarray] = {}
    method, by_motion = "kinematics", None
    if contacts is not None:
        found, annotated_parts = table_stances(read_table(contacts), seen.limbs, motion)
        method = "table"
    elif contact_source == "events":
        found = event_stances(motion.source.events, seen.limbs, motion, found)
        method = "events"
    elif contact_source == "plates" or (contact_source == "auto" and motion.plates is not None):
        if motion.plates is None:
            raise MocapRerootError(
                f"Contacts were asked from force plates, but {no_plates(motion)} "
                "Use contact_source='kinematics'."
            )
        by_motion = found
    warnings = list(seen.warnings)
    if chairs:
        warnings.append(
            "The subject sits on something that was not captured: its force is in the columns "
            "external_f of the ground forces, not under the feet."
        )
    if filled and method.startswith("kinematics"):
        warnings.append(
            f"In {filled} frames no limb is low and slow enough to stand, yet the body does not "
            "fall: the most likely one was taken as its support (the capture drifts or slides)."
        )

    def decided(stances: Stances, how: str, alone: Contacts | None = None) -> Contacts:
        result = _contacts(seen, slow, scores, distance, stances, annotated_parts, how, warnings)
        near = _candidates(seen, stances, limbs == "all")
        result = replace(result, chairs=chairs, candidate=near, by_motion=alone)
        kept = [
            foot
            for foot, limb, low in zip(result.feet, seen.limbs, near, strict=True)
            if (limb.kind == "foot" and "feet" in names) or low.any()
        ]
        return result.limited(kept)

    if by_motion is None or motion.plates is None:
        return decided(found, method)
    alone = decided(by_motion, "kinematics")
    only = contact_source == "plates"
    found, method = _with_plates(seen, by_motion, alone, motion.plates, only)
    return decided(found, method, alone)


def _candidates(seen: Observation, found: Stances, every: bool) -> np.ndarray:
    """Return ``(l, F)`` where limbs are near the ground and slow enough to carry."""
    p, result = seen.parameters, np.zeros((len(seen.limbs), seen.motion.n_frames), bool)
    for k, signals in enumerate(seen.signals):
        low = signals.lowest < p.candidate_height * seen.scale.leg
        result[k] = low & (signals.slowest < p.candidate_speed * seen.scale.speed) & seen.valid
        for strike, off in found[k]:
            result[k, max(round(strike), 0) : round(off)] = True
    return result


def _with_plates(
    seen: Observation, found: Stances, alone: Contacts, plates: Plates, only: bool
) -> tuple[Stances, str]:
    """Return stances with the edges that plates measured; all stances, or only those.

    Whose the plates are goes by the contacts that the motion alone tells.
    """
    motion, rows = seen.motion, [k for k, li in enumerate(seen.limbs) if li.foot in alone.feet]
    support = support_of(alone, forward(motion))
    owned = plate_owners(plates, support, motion.up, alone.others)
    limbs = [found[k] for k in rows]
    edges = plate_stances(plates, owned, limbs, motion.up, motion.fps, seen.parameters)
    measured: Stances = [[] for _ in found]
    for k, stances in zip(rows, edges, strict=True):
        measured[k] = stances
    if only:
        if not any(measured):
            raise MocapRerootError(
                "Contacts were asked from force plates, but none of them bears a foot alone "
                "while the clip lasts. Use --contact-source auto."
            )
        return measured, "plates"
    result = []
    for mine, theirs in zip(found, measured, strict=True):
        kept = [s for s in mine if not any(s[0] < t[1] and t[0] < s[1] for t in theirs)]
        result.append(sorted(kept + theirs))
    return result, "kinematics+plates" if any(measured) else "kinematics"


def _contacts(
    seen: Observation,
    slow: list[float],
    scores: list[np.ndarray],
    distance: np.ndarray | None,
    found: Stances,
    annotated_parts: dict[int, np.ndarray],
    method: str,
    warnings: list[str],
) -> Contacts:
    """Put the parts, phases and gait parameters together."""
    motion = seen.motion
    soles = tuple(sole for under in seen.undersides for sole in under.soles)
    parts = _share(seen, scores, found, annotated_parts, len(soles))
    held, n_parts = parts.support_body, [len(limb.parts) for limb in seen.limbs]
    reasons = {
        "height": parts.height,
        "speed": parts.speed,
        "height_limit": np.full(len(soles), seen.parameters.height * seen.scale.leg),
        "speed_limit": np.repeat(np.array(slow, float), n_parts),
    }
    others = frozenset(limb.foot for limb in seen.limbs if limb.kind != "foot")
    external = force_line.needs_external(
        held >= 0, distance, seen.signals, seen.force, seen.scale, seen.valid, seen.parameters
    )
    if external.any():
        warnings.append(
            f"In {int(external.sum())} frames the feet that touch cannot alone hold the body up: a "
            "seat or a handhold supports it too (mode multi), or the capture is out of balance."
        )
    tiled = phases.tile(motion.skeleton, soles, held, motion.analysed, motion.start, external)
    if seen.limbs and not (held >= 0).any():
        warnings.append(
            "No foot was found to stand on the ground in any frame: the clip is taken as flight "
            "throughout."
        )
    return Contacts(
        skeleton=motion.skeleton,
        fps=motion.fps,
        start=motion.start,
        start_time=motion.source.start_time,
        flags=motion.flags,
        soles=soles,
        touching=parts.touching,
        score=parts.score,
        planes=seen.ground.planes,
        plane=np.repeat(seen.ground.index, n_parts, axis=0),
        ground_kind=seen.ground.kind,
        belt=seen.belt,
        inferred=(seen.surface,) if seen.surface else (),
        method=method,
        reasons=reasons,
        phase_list=tiled,
        support_body=held,
        external_support=external,
        others=others,
        stepping=gait.describe(seen, held),
        warnings=tuple(warnings),
    )


class _Parts(NamedTuple):
    """What the parts do.

    Attributes:
        touching: ``(c, F)`` bool.
        score, height, speed: ``(c, F)`` 0–1, m, m/s, of each part's most likely point.
        support_body: ``(l, F)`` the body that supports each limb, −1 where off.
    """

    touching: np.ndarray
    score: np.ndarray
    height: np.ndarray
    speed: np.ndarray
    support_body: np.ndarray


def _share(
    seen: Observation,
    scores: list[np.ndarray],
    found: Stances,
    annotated: dict[int, np.ndarray],
    n_parts: int,
) -> _Parts:
    """Return which parts of the limbs touch within their stances, and which of them carry."""
    frames = seen.motion.n_frames
    likely = np.empty((n_parts, 3, frames))
    touches = np.empty((n_parts, frames), bool)
    held = np.empty((len(seen.limbs), frames), np.int64)
    first = 0
    for k, limb in enumerate(seen.limbs):
        signals = seen.signals[k]
        touching, part_on = share_parts(
            found[k], signals, len(limb.parts), seen.scale, seen.parameters
        )
        for p, part in enumerate(limb.parts):
            if part in annotated:
                touching[p] = annotated[part]
        touching &= seen.valid
        part_on = np.where(touching.any(axis=0), np.maximum(part_on, 0), -1)
        held[k] = np.array([*limb.parts, -1])[part_on]
        touches[first : first + len(limb.parts)] = touching
        for p, points in enumerate(_points_of_parts(signals.roles, len(limb.parts)), first):
            most_likely(
                scores[k], signals.height, signals.speed, points, touches[p], seen.valid, likely[p]
            )
        first += len(limb.parts)
    return _Parts(touches, likely[:, 0], likely[:, 1], likely[:, 2], held)


def _points_of_parts(roles: tuple[str, ...], n_parts: int) -> list[np.ndarray]:
    """Return for every part the rows of its sole points; the ball belongs to both."""
    if n_parts == 1:
        return [np.arange(len(roles))]
    heel = [k for k, role in enumerate(roles) if role != "tip"]
    toes = [k for k, role in enumerate(roles) if role in ("ball", "tip")]
    return [np.array(heel), np.array(toes)]
