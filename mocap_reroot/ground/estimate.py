"""estimate_ground(): the wrench of the ground on every limb, from motion, body and contacts."""

from __future__ import annotations

from dataclasses import replace
from functools import partial

import numpy as np

from mocap_reroot.config import GROUNDS
from mocap_reroot.contact.phases import with_carrier
from mocap_reroot.contact.plate_rules import on_feet_alone
from mocap_reroot.errors import MocapRerootError, UnknownNameError
from mocap_reroot.ground.carriers import settle_carriers
from mocap_reroot.ground.consistent import consistent_ground
from mocap_reroot.ground.correction import moved_figures
from mocap_reroot.ground.effort import legs_of
from mocap_reroot.ground.parameters import GroundParameters
from mocap_reroot.ground.placing import Placed, place_feet
from mocap_reroot.ground.plates import assign, combine, doubts, misfit, plates_for
from mocap_reroot.ground.segment_masses import parts_of, weigh_segments
from mocap_reroot.ground.sharing import share
from mocap_reroot.ground.support import support_of
from mocap_reroot.ground.weighing import borne_by_plates, weigh
from mocap_reroot.mechanics.whole_body import PartWrenches, part_wrenches
from mocap_reroot.signals.smoothing import smooth
from mocap_reroot.types import (
    STANDARD_GRAVITY,
    BodyModel,
    Contacts,
    Ground,
    Loads,
    Measured,
    Motion,
    Plates,
    Prediction,
    Support,
    Total,
)


def estimate_ground(
    motion: Motion,
    body: BodyModel,
    contacts: Contacts,
    parameters: GroundParameters | None = None,
    *,
    ground: str = "consistent",
    cutoff: float | str | None = "auto",
    smoother: str = "butterworth",
    forces: Plates | str | None = "auto",
    sharing: str = "balance",
    segment_masses: str = "auto",
) -> Ground:
    """Return what the ground does to a moving body, and the motion that goes with it.

    Joint angles are smoothed and differentiated, if the motion has no derivatives yet; plates weigh
    the body where its mass is only estimated. Then the root's path is corrected together with the
    wrenches of the limbs, such that the equations of motion hold: the limbs push, within their
    soles and friction, in smooth curves over their stances, and nothing pushes elsewhere. Filtered,
    and where plates are used, the root is smoothed like the joints; who carries is settled by the
    forces, and what each limb bears by a rule of sharing, or by plates where they bear a foot.

    Args:
        motion: Captured.
        body: Mass model.
        contacts: Who may touch, and when.
        parameters: Numbers of the consistent ground (``GroundParameters``).
        ground: ``"consistent"`` or ``"filtered"``.
        cutoff: Hz of the low-pass, or ``"auto"``, as in :func:`mocap_reroot.smooth`.
        smoother: ``"butterworth"`` or ``"spline"``.
        forces: ``"auto"``: measured where plates cover every loaded foot; ``"predicted"``;
            ``"measured"``; or plates to use.
        sharing: Rule by which feet share the load (``mocap_reroot.ground.sharing.RULES``).
        segment_masses: ``"auto"``: plates that are used may weigh the parts of the body;
            ``"table"``: its masses stand.

    Returns:
        Ground: ``.motion``, ``.contacts``, ``.body``, and the wrench of every limb.

    Raises:
        MocapRerootError: The motion is too short, or measured forces are asked for and there are
            none.
    """
    plates, way = plates_for(forces, motion)
    captured = motion
    if not motion.has_derivatives:
        motion = smooth(motion, cutoff, smoother)
    if ground not in GROUNDS:
        raise UnknownNameError("ground", ground, GROUNDS)
    numbers = parameters or GroundParameters()
    consistent = ground == "consistent" and (plates is None or way == "predicted")
    if consistent and (plates is None or body.mass_from != "estimate"):
        return _consistent(captured, motion, body, contacts, plates, numbers)
    parts = parts_of(body)
    wrenches = part_wrenches(motion, body, list(parts.values()) or None)
    standing = _off_chairs(contacts)
    placed = place_feet(motion, body, standing)
    if plates is not None and body.mass_from == "estimate":
        motion, body, wrenches = _weighed(motion, body, standing, wrenches, placed, plates)
    if consistent:
        return _consistent(captured, motion, body, contacts, plates, numbers)
    weighs = segment_masses == "auto" and body.mass_from != "bodies"
    found = _filtered(motion, body, standing, wrenches, placed, plates, way, sharing, weighs)
    return _chaired(found, contacts)


def _filtered(
    motion: Motion,
    body: BodyModel,
    contacts: Contacts,
    wrenches: PartWrenches,
    placed: Placed,
    plates: Plates | None,
    way: str,
    sharing: str,
    weighs: bool,
) -> Ground:
    """Return what limbs share of what a motion needs; plates may weigh the parts of the body."""
    total = wrenches.total
    if contacts.feet:
        carriers = settle_carriers(total, body, contacts, placed)
        contacts = with_carrier(contacts, carriers.carrier, carriers.notes)
    found = share_ground(motion, body, contacts, total, placed, plates, way, sharing)
    if not weighs or "measured" not in found.source:
        return found
    weighed = weigh_segments(borne_by_plates(total, found.measured), wrenches, motion.fps, body)
    if weighed is None:
        return found
    source = motion.source.adding(inferred=[weighed.why])
    motion = replace(motion, source=source)
    if weighed.body is body:
        return replace(found, motion=motion)
    total = wrenches.scaled(weighed.factor)
    again = share_ground(motion, weighed.body, contacts, total, placed, plates, way, sharing)
    # What the motion alone tells is what it tells by the table: else plates would be compared with
    # themselves.
    return replace(again, predicted=found.predicted)


def _consistent(
    captured: Motion,
    smoothed: Motion,
    body: BodyModel,
    contacts: Contacts,
    plates: Plates | None,
    parameters: GroundParameters,
) -> Ground:
    """Return root and wrenches from one problem; as filtered where that has no solution."""
    found = consistent_ground(captured, smoothed, body, contacts, parameters)
    motion, total, fallen = found.motion, found.total, found.fallen_back
    placed = place_feet(motion, body, found.contacts)
    loads, settled = Loads(found.force, found.moment, fallen), found.contacts
    contacts = contacts.limited(settled.feet)
    warnings: tuple[str, ...] = ()
    if fallen.any():
        if contacts.feet:
            carriers = settle_carriers(total, body, contacts, placed)
            contacts = with_carrier(contacts, carriers.carrier, carriers.notes)
        filtered = share_ground(motion, body, contacts, total, placed, plates, "predicted")
        if fallen.all():
            return filtered
        settled = with_carrier(settled, np.where(fallen, contacts.carrier, settled.carrier))
        force = np.where(fallen, filtered.loads.force, loads.force)
        loads = Loads(force, np.where(fallen, filtered.loads.moment, loads.moment), fallen)
        warnings = (
            f"In {int(fallen.sum())} frames forces and motion could not be brought together; they "
            "are as with --ground filtered.",
        )
    support = support_of(settled, placed)
    measured = _measured(motion, plates, _on_ground(support, settled), total)
    weight = body.total_mass * STANDARD_GRAVITY
    source = np.where(support.count > 0, "predicted", "none").astype(object)
    return Ground(
        motion, settled, body, total, support, loads, source, measured=measured,
        warnings=(*doubts(measured, plates, total, weight, "predicted"), *warnings),
        correction=found.correction, external=found.external if found.external.any() else None,
        pushed=found.pushed if found.external.any() else None,
        figures=moved_figures(captured, motion, found.correction),
    )  # fmt: skip


def share_ground(
    motion: Motion,
    body: BodyModel,
    contacts: Contacts,
    total: Total,
    placed: Placed,
    plates: Plates | None,
    way: str,
    sharing: str = "balance",
) -> Ground:
    """Return what each limb bears of a total, among limbs that are known to carry."""
    support = support_of(contacts, placed)
    legs = partial(legs_of, motion, body, support.feet)
    loads = share(total, support, placed.centre, motion.fps, sharing, legs)
    measured = _measured(motion, plates, support, total)
    weight, wrong = body.total_mass * STANDARD_GRAVITY, ""
    if measured is not None and way != "predicted":
        wrong = misfit(measured, total, weight, motion.fps)
        if wrong and way == "measured":
            raise MocapRerootError(f"The force plates cannot be used: {wrong}.")
        if wrong:
            measured, plates = None, None
    warnings = doubts(measured, plates, total, weight, way)
    if wrong:
        warnings = (f"The force plates are left out: {wrong}.", *warnings)
    source = np.where(support.count > 0, "predicted", "none").astype(object)
    known: tuple[Support, Loads, np.ndarray] = (support, loads, source)
    predicted = None
    if measured is not None and way != "predicted":
        known = combine(measured, support, loads, way)
        predicted = Prediction(total, support, loads)
    return Ground(
        motion, contacts, body, total, *known,
        predicted=predicted, measured=measured, warnings=warnings,
    )  # fmt: skip


def _on_ground(support: Support, contacts: Contacts) -> Support:
    """Return who carries without those on chairs: no plate bears them."""
    if not contacts.chairs:
        return support
    return replace(support, part=np.where(contacts.on_chairs, -1, support.part))


def _off_chairs(contacts: Contacts) -> Contacts:
    """Return contacts of which nobody is on a chair: the limbs that are on are helped there."""
    if not contacts.chairs:
        return contacts
    sits = contacts.on_chairs
    off = replace(contacts, helped=contacts.helped | sits.any(axis=0))
    off = with_carrier(off, np.where(sits, -1, contacts.carrier))
    touch = {f: ~s for f, s in zip(contacts.feet, sits, strict=True)}
    rows = [touch[sole.foot] for sole in contacts.soles]
    off = replace(off, touching=contacts.touching & np.array(rows))
    stood = np.asarray((off.carrier >= 0).any(axis=1))
    return off.limited(
        [f for f, s in zip(off.feet, stood, strict=True) if s or f not in off.others]
    )


def _chaired(found: Ground, contacts: Contacts) -> Ground:
    """Return the ground with what plates leave over of somebody who sits as the chair's push."""
    sits, bodies = contacts.on_chairs, np.array(contacts.feet)
    there = sits.any(axis=0) & np.isin(found.source, ("measured", "mixed", "none"))
    if found.external is not None or not there.any():
        return found
    rest = np.where(there, np.concatenate([found.residual_force, found.residual_moment]), 0.0)
    pushed = np.where(there, bodies[sits.argmax(axis=0)], -1)
    return replace(found, external=rest, pushed=pushed)


def _measured(
    motion: Motion, plates: Plates | None, support: Support, total: Total
) -> Measured | None:
    """Return what plates say of each foot; None without plates or feet."""
    if plates is None or not support.feet:
        return None
    return assign(plates, support, total, on_feet_alone(motion, support.feet))


def _weighed(
    motion: Motion,
    body: BodyModel,
    contacts: Contacts,
    wrenches: PartWrenches,
    placed: Placed,
    plates: Plates,
) -> tuple[Motion, BodyModel, PartWrenches]:
    """Return motion, body and wrenches with the mass that the plates tell, if they do."""
    support, total = support_of(contacts, placed), wrenches.total
    measured = _measured(motion, plates, support, total)
    found = weigh(borne_by_plates(total, measured), motion.fps, body)
    if found is None:
        return motion, body, wrenches
    motion = replace(motion, source=motion.source.adding(inferred=(found,)))
    return motion, body.weighing(found.value), wrenches.times(found.value / body.total_mass)
