"""estimate_ground(): the ground's wrench on every limb, from motion, body and contacts."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from mocap_reroot.config import GROUNDS
from mocap_reroot.contact.phases import with_support
from mocap_reroot.contact.plate_feet import assign
from mocap_reroot.contact.plate_rules import feet_only
from mocap_reroot.contact.poses import contact_poses
from mocap_reroot.contact.support import support_of
from mocap_reroot.errors import MocapRerootError, UnknownNameError
from mocap_reroot.ground import filtered
from mocap_reroot.ground.consistent import consistent_ground
from mocap_reroot.ground.correction import moved_figures
from mocap_reroot.ground.elsewhere import chaired, off_chairs, on_ground
from mocap_reroot.ground.known import Known, bandwidth, known_wrenches
from mocap_reroot.ground.loaded_stances import loaded_stances
from mocap_reroot.ground.plates import disagreement, doubts, misfit, plates_for
from mocap_reroot.ground.segment_masses import parts_of, weigh_segments
from mocap_reroot.ground.trunk_centre import with_trunk_centre
from mocap_reroot.ground.weighing import borne_by_plates, other_mass, weigh
from mocap_reroot.mechanics.whole_body import part_wrenches, total_wrench
from mocap_reroot.parameters import GroundParameters
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
    plates_cutoff: float | str = "auto",
    segment_masses: str = "auto",
    compare_plates: bool = True,
) -> Ground:
    """Return what the ground does to a moving body, and the motion that goes with it.

    Joint angles are smoothed and differentiated, if the motion has no derivatives yet; plates weigh
    the body where its mass is only estimated. Then the root's path is corrected together with the
    wrenches of the limbs, such that the equations of motion hold: the limbs push, within their
    soles and friction, in smooth curves over their stances, and nothing pushes elsewhere. What
    plates measured of a limb is known and stays as it is; the root is then moved within its noise,
    and what does not fit remains as residual.

    Args:
        motion: Captured.
        body: Mass model.
        contacts: Who may touch, and when.
        parameters: Numbers of the consistent ground (``GroundParameters``).
        ground: ``"consistent"``; or ``"filtered"``: the root is low-passed like the joints, and
            feet share what it needs by the clock.
        cutoff: Hz of the low-pass, or ``"auto"``, as in :func:`mocap_reroot.smooth`.
        smoother: ``"butterworth"`` or ``"spline"``.
        forces: ``"auto"``: measured where plates cover every loaded foot; ``"predicted"``;
            ``"measured"``; or plates to use.
        plates_cutoff: Hz of the low-pass of plates; ``"auto"``: the bandwidth of the motion;
            ``"none"``: as measured.
        segment_masses: ``"auto"``: plates that are used may weigh the parts of the body;
            ``"table"``: its masses stand.
        compare_plates: Whether to predict beside measuring, for comparison (``.predicted``).

    Returns:
        Ground: ``.motion``, ``.contacts``, ``.body``, and the wrench of every limb.

    Raises:
        MocapRerootError: The motion is too short, or measured forces are asked for and there are
            none.
    """
    plates, way = plates_for(forces, motion)
    if ground not in GROUNDS:
        raise UnknownNameError("ground", ground, GROUNDS)
    numbers = parameters or GroundParameters()
    captured = motion
    if not motion.has_derivatives:
        motion = smooth(motion, cutoff, smoother)
    hertz = bandwidth(plates_cutoff, cutoff, motion, ground)
    told = _told(motion, body, contacts, plates, way, hertz, segment_masses, numbers)
    clip = _Clip(captured, told.motion, contacts, numbers if ground == "consistent" else None)
    found = clip.solved(told.body, told.known, told.measured)
    found = replace(
        found, warnings=(*told.warnings, *_disagrees(told, found, numbers), *found.warnings)
    )
    if told.known is None or not compare_plates:
        return found
    # What the motion alone tells is what it tells by the table: else plates would be compared with
    # themselves.
    clip = replace(clip, contacts=contacts.by_motion or contacts)
    alone = clip.solved(told.table, None, None)
    predicted = Prediction(alone.total, alone.support, alone.loads, alone.external)
    return replace(found, predicted=predicted)


def _disagrees(told: _Told, found: Ground, numbers: GroundParameters) -> tuple[str, ...]:
    """Return a sentence if plates do not fit the motion, nor the motion moved as far as it errs."""
    if told.known is None or told.measured is None:
        return ()
    missing, whole = found.residual_force, told.measured.whole
    if found.correction is not None:
        far = np.sqrt((found.correction[:3] ** 2).sum(axis=0)) > numbers.most_moved
        if (far & whole).sum() > 0.05 * whole.sum():
            total = total_wrench(told.motion, told.body)
            missing = total.force - told.known.loads.force.sum(axis=0)
    return disagreement(missing, whole, told.body.total_mass * STANDARD_GRAVITY)


@dataclass(frozen=True, eq=False)
class _Told:
    """What plates tell.

    Attributes:
        motion: With the evidence.
        body: As weighed.
        table: The same before its parts were.
        measured: What they say of each foot, moments about the world's origin; None without them.
        known: The wrenches that are taken from them; None where none is.
        warnings: Sentences.
    """

    motion: Motion
    body: BodyModel
    table: BodyModel
    measured: Measured | None = None
    known: Known | None = None
    warnings: tuple[str, ...] = ()


def _told(
    motion: Motion,
    body: BodyModel,
    contacts: Contacts,
    plates: Plates | None,
    way: str,
    hertz: float | None,
    segment_masses: str,
    numbers: GroundParameters,
) -> _Told:
    """Return what plates tell of the limbs, and of the body's mass."""
    if plates is None:
        return _Told(motion, body, body)
    if not contacts.feet:
        if way == "measured":
            raise MocapRerootError("Measured forces were asked for, but no foot was found.")
        return _Told(motion, body, body)
    support = on_ground(support_of(contacts, contact_poses(motion, body, contacts)), contacts)
    alone = feet_only(motion, support.feet, numbers.upright)
    measured = assign(plates, support, motion.up, alone, contacts.others, numbers)
    if way == "predicted" and body.mass_from != "estimate":
        return _Told(motion, body, body, measured)
    parts = parts_of(body)
    wrenches = part_wrenches(motion, body, list(parts.values()) or None)
    found = weigh(borne_by_plates(wrenches.total, measured), motion.fps, body)
    if body.mass_from == "estimate" and found is not None:
        motion = replace(motion, source=motion.source.adding(inferred=(found,)))
        wrenches = wrenches.times(found.value / body.total_mass)
        body = body.weighing(found.value)
    if way == "predicted":
        return _Told(motion, body, body, measured)
    total, weight = wrenches.total, body.total_mass * STANDARD_GRAVITY
    wrong = misfit(measured, total, weight, motion.fps)
    if wrong and way == "measured":
        raise MocapRerootError(f"The force plates cannot be used: {wrong}.")
    if wrong:
        return _Told(motion, body, body, warnings=(f"The force plates are left out: {wrong}.",))
    warnings = (*doubts(measured, plates, total, weight, way), *other_mass(found, body))
    feet = [foot not in contacts.others for foot in contacts.feet]
    known = known_wrenches(measured, feet, motion.up, way, motion.fps, hertz)
    if not known.on.any():
        return _Told(motion, body, body, measured, None, warnings)
    table = body
    if segment_masses != "table" and body.mass_from != "bodies":
        borne = borne_by_plates(total, replace(measured, loads=known.loads))
        inferred = []
        centred = None if borne is None else with_trunk_centre(borne, motion, body)
        if borne is not None and centred is not None:
            body, why = centred
            inferred.append(why)
            wrenches = part_wrenches(motion, body, list(parts.values()))
            borne = replace(borne, total=wrenches.total)
        weighed = weigh_segments(borne, wrenches, motion.fps, body)
        if weighed is not None:
            body = weighed.body
            inferred.append(weighed.why)
        motion = replace(motion, source=motion.source.adding(inferred=inferred))
    return _Told(motion, body, table, measured, known, warnings)


@dataclass(frozen=True, eq=False)
class _Clip:
    """A clip whose ground is asked for.

    Attributes:
        captured: As read.
        smoothed: With derivatives.
        contacts: Who may touch.
        numbers: Of the one problem; None: as filtered.
    """

    captured: Motion
    smoothed: Motion
    contacts: Contacts
    numbers: GroundParameters | None

    def solved(self, body: BodyModel, known: Known | None, measured: Measured | None) -> Ground:
        """Return root and wrenches from one problem; as filtered where that has no solution."""
        if self.numbers is None:
            contacts = off_chairs(self.contacts)
            stood = np.asarray((contacts.support_body >= 0).any(axis=1))
            feet = zip(contacts.feet, stood, strict=True)
            contacts = contacts.limited([f for f, on in feet if on or f not in contacts.others])
            mine = [self.contacts.feet.index(foot) for foot in contacts.feet]
            known = None if known is None else known.of(mine)
            measured = None if measured is None else measured.of(mine)
            plain = filtered_ground(self.smoothed, body, contacts, known, measured)
            return chaired(plain, self.contacts)
        found = consistent_ground(
            self.captured, self.smoothed, body, self.contacts, self.numbers, known
        )
        motion, fallen = found.motion, found.fallen_back
        rows = [self.contacts.feet.index(foot) for foot in found.contacts.feet]
        known = None if known is None else known.of(rows)
        measured = None if measured is None else measured.of(rows)
        loads, contacts = Loads(found.force, found.moment, fallen), found.contacts
        warnings: tuple[str, ...] = ()
        if fallen.any():
            seen = self.contacts.limited(contacts.feet)
            plain = filtered_ground(motion, body, seen, known, measured)
            if fallen.all():
                return plain
            support_body = np.where(fallen, plain.contacts.support_body, contacts.support_body)
            contacts = with_support(contacts, support_body)
            force = np.where(fallen, plain.loads.force, loads.force)
            loads = Loads(force, np.where(fallen, plain.loads.moment, loads.moment), fallen)
            warnings = (
                f"In {int(fallen.sum())} frames forces and motion could not be brought together; "
                "they are as with --ground filtered.",
            )
        support = support_of(contacts, contact_poses(motion, body, contacts))
        support, source = _sources(support, known)
        return Ground(
            motion, contacts, body, found.total, support, loads, source,
            measured=_about(measured, found.total),
            warnings=warnings, correction=found.correction,
            external=found.external if found.external.any() else None,
            pushed=found.pushed if found.external.any() else None,
            figures=moved_figures(self.captured, motion, found.correction),
        )  # fmt: skip


def filtered_ground(
    motion: Motion,
    body: BodyModel,
    contacts: Contacts,
    known: Known | None = None,
    measured: Measured | None = None,
) -> Ground:
    """Return what limbs that were seen to stand bear of what a motion with derivatives needs."""
    if known is not None:
        contacts = loaded_stances(contacts, np.where(known.on, known.beyond, np.nan), known.there)
    total = total_wrench(motion, body)
    support = support_of(contacts, contact_poses(motion, body, contacts))
    support, source = _sources(support, known)
    loads = filtered.share(total, support, known, motion.fps)
    measured = _about(measured, total)
    return Ground(motion, contacts, body, total, support, loads, source, measured=measured)


def _about(measured: Measured | None, total: Total) -> Measured | None:
    """Return what plates say, about the total's point."""
    if measured is None:
        return None
    return replace(measured, loads=measured.loads.about(total.about))


def _sources(support: Support, known: Known | None) -> tuple[Support, np.ndarray]:
    """Return the support with plates as ground where they bear, and ``(F)`` sources of forces."""
    source = np.where(support.count > 0, "predicted", "none").astype(object)
    if known is None:
        return support, source
    bears = known.on[:, None]
    support = replace(
        support, point=np.where(bears, known.point, support.point),
        normal=np.where(bears, known.normal, support.normal),
    )  # fmt: skip
    some, others = known.on.any(axis=0), (support.on & ~known.there).any(axis=0)
    source[some] = np.where(others, "mixed", "measured")[some]
    return support, source
