"""Contacts as the forces settled them: a limb stands while it bears."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from mocap_reroot.contact.phases import with_carrier
from mocap_reroot.types import Contacts


def settled(contacts: Contacts, beyond: np.ndarray, where: np.ndarray | None = None) -> Contacts:
    """Return the contacts with stances as they bear.

    Within a stance the toes carry where the pressure has passed their joint.

    Args:
        contacts: As detected.
        beyond: ``(l, F)`` m, how far ahead of the toe joint each limb presses, NaN where it is off.
        where: ``(l, F)`` limbs that are settled, all by default; others stay as detected.
    """
    on = np.isfinite(beyond)
    where = np.ones_like(on) if where is None else where
    carrier = np.full(beyond.shape, -1)
    touching = np.array(contacts.touching)
    for k, foot in enumerate(contacts.feet):
        parts = [c for c, sole in enumerate(contacts.soles) if sole.foot == foot]
        bodies = [contacts.soles[c].body for c in parts]
        ahead = on[k] & (np.nan_to_num(beyond[k]) > 0)
        carrier[k] = np.where(on[k], np.where(ahead, bodies[-1], bodies[0]), -1)
        for c, body in zip(parts, bodies, strict=True):
            bears = (touching[c] & on[k]) | (carrier[k] == body)
            touching[c] = np.where(where[k], bears, touching[c])
    carrier = np.where(where, carrier, contacts.carrier)
    return with_carrier(replace(contacts, touching=touching), carrier)
