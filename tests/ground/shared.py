"""Dynamics with the limbs that carry as they are given, as filtered; and what plates weigh."""

from mocap_reroot.contact.plate_feet import assign
from mocap_reroot.contact.poses import contact_poses
from mocap_reroot.contact.support import support_of
from mocap_reroot.dynamics.inverse import inverse_dynamics
from mocap_reroot.ground.estimate import estimate_ground
from mocap_reroot.ground.segment_masses import parts_of, weigh_segments
from mocap_reroot.ground.weighing import borne_by_plates, weigh
from mocap_reroot.mechanics.whole_body import part_wrenches
from mocap_reroot.rerooting.reroot import reroot


def shared_dynamics(rooted, body, *, forces=None, **options):
    """Return the dynamics of a motion with derivatives, as filtered; plates as they are."""
    ground = estimate_ground(
        rooted.captured, body, rooted.contacts, ground="filtered", forces=forces,
        plates_cutoff="none", segment_masses="table",
    )  # fmt: skip
    again = reroot(ground.motion, ground.contacts)
    return inverse_dynamics(again, ground.body, ground, **options)


def borne(motion, body, contacts):
    """What the motion's own plates bore of the body, and the wrenches of its parts."""
    wrenches = part_wrenches(motion, body, list(parts_of(body).values()) or None)
    support = support_of(contacts, contact_poses(motion, body, contacts))
    known = motion.plates is not None and bool(support.feet)
    measured = assign(motion.plates, support, motion.up) if known else None
    return borne_by_plates(wrenches.total, measured), wrenches


def weighed_mass(motion, body, contacts):
    """The mass that the plates tell, with its evidence."""
    return weigh(borne(motion, body, contacts)[0], motion.fps, body)


def weighed_parts(motion, body, contacts):
    """The body whose parts the plates weigh, and why."""
    seen, wrenches = borne(motion, body, contacts)
    found = weigh_segments(seen, wrenches, motion.fps, body)
    return None if found is None else (found.body, found.why)
