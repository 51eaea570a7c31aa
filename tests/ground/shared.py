"""Dynamics with the limbs that carry as they are given: loads shared by a rule, or measured."""

from mocap_reroot.dynamics.inverse import inverse_dynamics
from mocap_reroot.ground.carriers import settle_carriers
from mocap_reroot.ground.estimate import share_ground
from mocap_reroot.ground.placing import place_feet
from mocap_reroot.ground.plates import assign, plates_for
from mocap_reroot.ground.segment_masses import parts_of, weigh_segments
from mocap_reroot.ground.support import support_of
from mocap_reroot.ground.weighing import borne_by_plates, weigh
from mocap_reroot.mechanics.whole_body import part_wrenches, total_wrench


def shared_dynamics(rooted, body, *, forces=None, sharing="balance", **options):
    motion, contacts = rooted.captured, rooted.contacts
    plates, way = plates_for(forces, motion)
    placed, total = place_feet(motion, body, contacts), total_wrench(motion, body)
    ground = share_ground(motion, body, contacts, total, placed, plates, way, sharing)
    return inverse_dynamics(rooted, body, ground, **options)


def borne(motion, body, contacts):
    """What the motion's own plates bore of the body, and the wrenches of its parts."""
    wrenches = part_wrenches(motion, body, list(parts_of(body).values()) or None)
    total = wrenches.total
    support = support_of(contacts, place_feet(motion, body, contacts))
    known = motion.plates is not None and bool(support.feet)
    measured = assign(motion.plates, support, total) if known else None
    return borne_by_plates(total, measured), wrenches


def settled(motion, body, contacts):
    """Who carries by the forces."""
    placed = place_feet(motion, body, contacts)
    return settle_carriers(total_wrench(motion, body), body, contacts, placed)


def weighed_mass(motion, body, contacts):
    """The mass that the plates tell, with its evidence."""
    return weigh(borne(motion, body, contacts)[0], motion.fps, body)


def weighed_parts(motion, body, contacts):
    """The body whose parts the plates weigh, and why."""
    seen, wrenches = borne(motion, body, contacts)
    found = weigh_segments(seen, wrenches, motion.fps, body)
    return None if found is None else (found.body, found.why)
