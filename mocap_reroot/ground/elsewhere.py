"""A push from elsewhere: a chair, a bar, a partner; whom it acts on, and what of it counts."""

from __future__ import annotations

import numpy as np

from mocap_reroot.mechanics.kinematics import forward
from mocap_reroot.numerics.frames import runs
from mocap_reroot.numerics.vectors import cross, dot
from mocap_reroot.types import STANDARD_GRAVITY, BodyModel, Contacts, Motion, Total

LEAST = 0.05
"""Body weights that a push must reach, or it is left as residual."""


def from_chairs(
    contacts: Contacts, force: np.ndarray, moment: np.ndarray, beyond: np.ndarray,
    external: np.ndarray,
) -> np.ndarray:  # fmt: skip
    """Move what chairs bear from the limbs to the push from elsewhere, all in place.

    Args:
        contacts: Who was seen to touch what.
        force, moment: ``(l, 3, F)`` N, N·m on every limb.
        beyond: ``(l, F)`` m, NaN where a limb is off.
        external: ``(6, F)`` N, N·m.

    Returns:
        ``(F)`` the body that sits on a chair, −1 where none does.
    """
    sitting = np.full(external.shape[1], -1)
    ground = len(contacts.planes) - contacts.chairs
    for k, foot in enumerate(contacts.feet):
        part = next(c for c, sole in enumerate(contacts.soles) if sole.foot == foot)
        there = (contacts.plane[part] >= ground) & np.isfinite(beyond[k])
        external[:3, there] += force[k][:, there]
        external[3:, there] += moment[k][:, there]
        force[k][:, there], moment[k][:, there], beyond[k, there] = 0.0, 0.0, np.nan
        sitting[there] = foot
    return sitting


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
