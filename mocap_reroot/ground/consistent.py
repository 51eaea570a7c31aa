"""consistent_ground(): wrenches of all limbs and the root's path, from one optimisation problem."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from mocap_reroot.contact.poses import contact_poses
from mocap_reroot.ground.closing import limb_wrenches
from mocap_reroot.ground.correction import corrected, how_far, with_root
from mocap_reroot.ground.elsewhere import acts_on, from_chairs
from mocap_reroot.ground.interval import Interval, observe
from mocap_reroot.ground.known import Known
from mocap_reroot.ground.loaded_stances import loaded_stances
from mocap_reroot.ground.problem import Solution
from mocap_reroot.ground.windows import solve_interval
from mocap_reroot.mechanics.whole_body import total_wrench
from mocap_reroot.numerics.frames import runs
from mocap_reroot.parameters import GroundParameters
from mocap_reroot.types import (
    STANDARD_GRAVITY,
    BodyModel,
    Contacts,
    Motion,
    Total,
    read_only,
)

_SHORTEST = 8  # frames of an interval


@dataclass(frozen=True, eq=False)
class Consistent:
    """A motion and the wrenches that are consistent with it.

    Attributes:
        motion: With derivatives.
        contacts: As the forces settled them.
        force, moment: ``(l, 3, F)`` N, N·m on every limb, world axes, about the capture root's
            origin; 0 when it is off.
        correction: ``(6, F)`` m, rad, how the root was moved and turned, world axes; NaN where
            frames are left out.
        total: What the motion needs, of the whole body.
        external: ``(6, F)`` N, N·m: a push from elsewhere, where the limbs cannot carry alone.
        pushed: ``(F)`` the body it most likely acts on, −1 without one.
        fallen_back: ``(F)`` frames whose problem had no solution: as filtered, without forces.
    """

    motion: Motion
    contacts: Contacts
    force: np.ndarray
    moment: np.ndarray
    correction: np.ndarray
    total: Total
    external: np.ndarray
    pushed: np.ndarray
    fallen_back: np.ndarray


def consistent_ground(
    motion: Motion,
    smoothed: Motion,
    body: BodyModel,
    contacts: Contacts,
    parameters: GroundParameters,
    known: Known | None = None,
) -> Consistent:
    """Estimate the ground's wrench on every limb together with the root's path.

    The path of the root is corrected, in position and orientation, so that the equations of motion
    of the whole body hold with wrenches that are smooth over each stance, push, stay within
    friction and the sole, and vanish elsewhere.

    Args:
        motion: As captured and cleaned.
        smoothed: The same with its joint angles smoothed, and derivatives.
        body: Its mass model.
        contacts: Who was seen to touch; the fit decides when exactly.
        parameters: Numbers of the problem.
        known: What plates tell of the limbs; their wrenches stay as they are.
    """
    centre = contact_poses(motion, body, contacts).centre
    limbs, frames = len(contacts.feet), motion.n_frames
    solved: list[tuple[slice, Interval, Solution]] = []
    fallen = np.zeros(frames, bool)
    for start, stop in runs(smoothed.analysed):
        where = slice(start, stop)
        found = None
        if stop - start >= _SHORTEST and limbs:
            interval = observe(
                centre[:, where], smoothed.cut(start, stop), body, _cut(contacts, start, stop),
                None if known is None else known.cut(where), parameters,
            )  # fmt: skip
            found = solve_interval(interval, limbs, parameters)
        if found is None:
            fallen[where] = True
        else:
            solved.append((where, interval, found))
    states = [(w, corrected(smoothed.cut(w.start, w.stop), p, s)) for w, p, s in solved]
    consistent = with_root(smoothed, states)
    total = total_wrench(consistent, body)
    force, moment = np.zeros((2, limbs, 3, frames))
    beyond, external = np.full((limbs, frames), np.nan), np.zeros((6, frames))
    for where, interval, found in solved:
        parts = limb_wrenches(interval, found, total, known, where)
        force[..., where], moment[..., where] = parts.force, parts.moment
        beyond[..., where], external[..., where] = parts.beyond, parts.external
    sitting = from_chairs(contacts, force, moment, beyond, external)
    pushed = acts_on(external, sitting, total, consistent, body, contacts)
    bears = np.isfinite(beyond).any(axis=1)
    kept = [k for k, f in enumerate(contacts.feet) if bears[k] or f not in contacts.others]
    contacts = contacts.limited([contacts.feet[k] for k in kept])
    load = np.linalg.norm(force[kept], axis=1) / (body.total_mass * STANDARD_GRAVITY)
    stood = loaded_stances(contacts, beyond[kept], load=load, least=parameters.touches)
    return Consistent(
        consistent, stood, force[kept], moment[kept],
        how_far(motion, consistent), total, external, pushed, fallen,
    )  # fmt: skip


def _cut(contacts: Contacts, start: int, stop: int) -> Contacts:
    """Return the contacts of some frames, as far as the problem asks for them."""
    k = slice(start, stop)
    return replace(
        contacts, flags=contacts.flags[k], touching=read_only(contacts.touching[:, k], bool),
        score=contacts.score[:, k], plane=contacts.plane[:, k], phase_list=(),
        support_body=contacts.support_body[:, k], candidate=contacts.candidate[:, k],
        external_support=contacts.external_support[k], start=contacts.start + start,
    )  # fmt: skip
