"""How heavy a person is, by the plates that carried them."""

from __future__ import annotations

import numpy as np

from mocap_reroot.dynamics.ground import support_of
from mocap_reroot.dynamics.placing import place_feet
from mocap_reroot.dynamics.plates import assign
from mocap_reroot.dynamics.rooted import total_wrench
from mocap_reroot.types import BodyModel, Contacts, Inference, Motion

SHORTEST = 0.4
"""s: about one step; over less, errors of the accelerations do not even out."""
PLAUSIBLE = (0.4, 2.5)
"""How far from the assumed mass the person can be; beyond it the plates are not theirs alone."""


def weigh(motion: Motion, body: BodyModel, contacts: Contacts) -> Inference | None:
    """Return the mass, kg, that the plates tell where they carried the whole person, or None.

    What the ground pushes in all is the mass times what the motion needs for each kilogram, of
    which gravity is most: the quotient of both, summed over all such frames, is the mass.

    Args:
        motion: Captured, with derivatives and plates.
        body: Mass model of any mass; only how it is distributed counts.
        contacts: Who touches the ground.
    """
    if motion.plates is None or not contacts.feet:
        return None
    total = total_wrench(motion, body)
    support = support_of(contacts, place_feet(motion, body, contacts))
    measured = assign(motion.plates, support, total)
    pushed = motion.up @ measured.loads.force.sum(axis=0)
    known = measured.complete & np.isfinite(total.vertical) & np.isfinite(pushed)
    seconds = known.sum() / motion.fps
    if seconds < SHORTEST:
        return None
    ratio = float(pushed[known].sum() / total.vertical[known].sum())
    if not PLAUSIBLE[0] < ratio < PLAUSIBLE[1]:
        return None
    mass = ratio * body.total_mass
    evidence = f"the force plates carried {mass:.1f} kg in {seconds:.2f} s on them alone"
    return Inference("mass", round(mass, 2), 0.9, evidence)
