"""External wrench that no limb explains (chair, bar, partner), and the body it acts on."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from mocap_reroot.contact.phases import with_support
from mocap_reroot.mechanics.kinematics import forward
from mocap_reroot.numerics.frames import runs
from mocap_reroot.numerics.vectors import cross, dot
from mocap_reroot.types import (
    LEAST_FORCE,
    STANDARD_GRAVITY,
    BodyModel,
    Contacts,
    Ground,
    Motion,
    Support,
    Total,
)

LEAST = 0.05
"""Body weights that a push must reach, or it is left as residual."""


def from_chairs(
    contacts: Contacts, force: np.ndarray, moment: np.ndarray, beyond: np.ndarray,
    external: np.ndarray,
) -> np.ndarray:  # fmt: skip
    """Move what chairs bear from the limbs to the push from elsewhere, all in place.

    The limb that sits carries still; but nobody captured the chair, so its push is not explained.
    Limbs whose load is too small to tell a pressure are then off: feet that rest or dangle.

    Args:
        contacts: Who was seen to touch what.
        force, moment: ``(l, 3, F)`` N, N·m on every limb.
        beyond: ``(l, F)`` m, NaN where a limb is off.
        external: ``(6, F)`` N, N·m.

    Returns:
        ``(F)`` the body that sits on a chair, −1 where none does.
    """
    sitting = np.full(external.shape[1], -1)
    if not contacts.chairs:
        return sitting
    bears = replace(contacts, support_body=np.where(np.isfinite(beyond), 0, -1))
    for k, (foot, there) in enumerate(zip(contacts.feet, bears.on_chairs, strict=True)):
        _hand_over(k, there, force, moment, external)
        sitting[there] = foot
    for k, foot in enumerate(contacts.feet):
        light = np.isfinite(beyond[k]) & (sitting >= 0) & (sitting != foot)
        light &= np.sqrt(dot(force[k], force[k])) < LEAST_FORCE
        _hand_over(k, light, force, moment, external)
        beyond[k, light] = np.nan
    return sitting


def _hand_over(
    k: int, there: np.ndarray, force: np.ndarray, moment: np.ndarray, external: np.ndarray
) -> None:
    """Move the wrench of a limb, in some frames, to the push from elsewhere."""
    for rows, wrench in ((external[:3], force[k]), (external[3:], moment[k])):
        rows[:, there] += wrench[:, there]
        wrench[:, there] = 0.0


def acts_on(
    external: np.ndarray, sitting: np.ndarray, total: Total, motion: Motion, body: BodyModel,
    contacts: Contacts,
) -> np.ndarray:  # fmt: skip
    """Return ``(F)`` the body a push most likely acts on, −1 without one; drop slight ones.

    Of the bodies that no contact explains it is the one whose joint the line of the push passes
    nearest, over the whole of its time.

    Args:
        external: ``(6, F)`` N, N·m about the total's point; runs below ``LEAST`` are set to 0.
        sitting: ``(F)`` the body on a chair, −1.
        total: For the point that moments are about.
        motion, body: Where bodies are, and how heavy they are.
        contacts: Their feet are not meant.
    """
    result = np.full(external.shape[1], -1)
    weight = body.total_mass * STANDARD_GRAVITY
    segments = motion.skeleton.segments
    carrying = {sole.body for sole in contacts.soles if sole.foot not in contacts.others}
    bodies = [b for b, segment in enumerate(segments) if segment and b not in carrying]
    bodies = bodies or [motion.skeleton.root]
    for start, stop in runs(np.asarray(external.any(axis=0))):
        push, turn = external[:3, start:stop], external[3:, start:stop]
        size = np.sqrt(dot(push, push))
        if size.max() < LEAST * weight:
            external[:, start:stop] = 0.0
            continue
        world, about = forward(motion.cut(start, stop)).position, total.about[:, start:stop]
        rest = [turn - cross(world[b] - about, push) for b in bodies]
        off = [float(dot(r, r).sum()) for r in rest]
        likely = bodies[int(np.argmin(off))]
        result[start:stop] = np.where(sitting[start:stop] >= 0, sitting[start:stop], likely)
    return result


def on_ground(support: Support, contacts: Contacts) -> Support:
    """Return who carries without those on chairs: no plate bears them."""
    if not contacts.chairs:
        return support
    return replace(support, part=np.where(contacts.on_chairs, -1, support.part))


def off_chairs(contacts: Contacts) -> Contacts:
    """Return contacts with nobody on a chair: other limbs have external support there."""
    if not contacts.chairs:
        return contacts
    sits = contacts.on_chairs
    off = replace(contacts, external_support=contacts.external_support | sits.any(axis=0))
    off = with_support(off, np.where(sits, -1, contacts.support_body))
    touch = {f: ~s for f, s in zip(contacts.feet, sits, strict=True)}
    rows = [touch[sole.foot] for sole in contacts.soles]
    off = replace(off, touching=contacts.touching & np.array(rows))
    return off


def chaired(found: Ground, contacts: Contacts) -> Ground:
    """Return the ground with what plates leave over of somebody who sits as the chair's push."""
    sits, bodies = contacts.on_chairs, np.array(contacts.feet)
    there = sits.any(axis=0) & np.isin(found.source, ("measured", "mixed", "none"))
    if found.external is not None or not there.any():
        return found
    rest = np.where(there, np.concatenate([found.residual_force, found.residual_moment]), 0.0)
    pushed = np.where(there, bodies[sits.argmax(axis=0)], -1)
    return replace(found, external=rest, pushed=pushed)
