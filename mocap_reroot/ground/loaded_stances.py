"""Stances by the estimated forces: when a limb is loaded, and whether by heel or toes."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from mocap_reroot.contact.phases import with_support
from mocap_reroot.types import Contacts

SHARED = 0.3
"""Of the greatest force: where others bear more, the body's motion does not show who touches."""


def loaded_stances(
    contacts: Contacts,
    beyond: np.ndarray,
    where: np.ndarray | None = None,
    load: np.ndarray | None = None,
    least: float = 0.0,
) -> Contacts:
    """Return the contacts with stances as they bear.

    Within a stance the toes carry where the pressure has passed their joint. A limb touches where
    it bears more than the error of its force. When it does so while others bear most of the weight
    shows in its own motion, not in the body's: there it touches as was detected.

    Args:
        contacts: As detected.
        beyond: ``(l, F)`` m, how far ahead of the toe joint each limb presses, NaN where it is off.
        where: ``(l, F)`` limbs that are settled, all by default; others stay as detected.
        load: ``(l, F)`` body weights that each bears; without it each touches while it presses.
        least: Body weights; a limb that bears less may be off.
    """
    on = np.isfinite(beyond)
    where = np.ones_like(on) if where is None else where
    support_body = np.full(beyond.shape, -1)
    touching = np.array(contacts.touching)
    felt, touches = where, on
    if load is not None:
        touches = on & (load > least)
        felt = where & (load.sum(axis=0) - load < SHARED * load.sum(axis=0).max(initial=0.0))
    for k, foot in enumerate(contacts.feet):
        parts = [c for c, sole in enumerate(contacts.soles) if sole.foot == foot]
        bodies = [contacts.soles[c].body for c in parts]
        ahead = on[k] & (np.nan_to_num(beyond[k]) > 0)
        support_body[k] = np.where(on[k], np.where(ahead, bodies[-1], bodies[0]), -1)
        for c, body in zip(parts, bodies, strict=True):
            bears = touches[k] & (touching[c] | (support_body[k] == body))
            touching[c] = np.where(felt[k], bears, touching[c])
    support_body = np.where(where, support_body, contacts.support_body)
    return with_support(replace(contacts, touching=touching), support_body)
