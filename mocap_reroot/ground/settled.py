"""Contacts as the forces settled them: a limb stands while it bears."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from mocap_reroot.contact.phases import with_carrier
from mocap_reroot.types import Contacts


def settled(contacts: Contacts, along: np.ndarray, balls: list[float]) -> Contacts:
    """Return the contacts with stances as they bear.

    Within a stance the toes carry where the pressure has passed their joint.

    Args:
        contacts: As detected.
        along: ``(l, F)`` m from the heel where each limb presses, NaN where it is off.
        balls: For every limb m from its heel to the joint of its toes, infinite without.
    """
    on = np.isfinite(along)
    carrier = np.full(along.shape, -1)
    touching = np.array(contacts.touching)
    for k, foot in enumerate(contacts.feet):
        parts = [c for c, sole in enumerate(contacts.soles) if sole.foot == foot]
        bodies = [contacts.soles[c].body for c in parts]
        ahead = on[k] & (np.nan_to_num(along[k]) > balls[k])
        carrier[k] = np.where(on[k], np.where(ahead, bodies[-1], bodies[0]), -1)
        for c, body in zip(parts, bodies, strict=True):
            touching[c] = (touching[c] & on[k]) | (carrier[k] == body)
    return with_carrier(replace(contacts, touching=touching), carrier)
