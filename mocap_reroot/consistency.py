"""make_consistent(): a clip corrected to obey Newton's laws, its stance feet not sliding.

The estimate of the ground knows a motion near the captured one that obeys Newton, but with joint
angles smoothed as forces need it. Here the clip keeps its own angles and is given that motion's
momentum (``ground.clip_fit``), by its root alone or, with feet pinned, by root and legs. As that
moves feet and centre of mass, the ground is estimated again.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from mocap_reroot.anthropometry.bodies import body_model
from mocap_reroot.contact.detection import detect_contacts
from mocap_reroot.contact.pinning import pin_feet as pin_feet_of
from mocap_reroot.contact.stance_feet import foot_skate, stance_feet
from mocap_reroot.contact.support import pressures
from mocap_reroot.dynamics.coordinates import root_values
from mocap_reroot.ground.clip_fit import ClipFit, Wanted, fitted
from mocap_reroot.ground.estimate import estimate_ground
from mocap_reroot.mechanics.whole_body import part_wrenches
from mocap_reroot.numerics.vectors import cross, dot
from mocap_reroot.parameters import GroundParameters
from mocap_reroot.signals.smoothing import smooth
from mocap_reroot.types import STANDARD_GRAVITY, BodyModel, Contacts, Ground, Motion

SETTLED = GroundParameters(lag=0.0)
"""A result is no capture: no soft parts hang behind it."""
_FIRST = GroundParameters(early=0.02, clear=0.005)
"""A foot that is in the air must not push: it would have to be brought down."""
_LATER = replace(_FIRST, lag=0.0)
_STILL: dict[str, Any] = dict.fromkeys(
    ("angular_velocity", "angular_acceleration", "linear_velocity", "linear_acceleration")
)


@dataclass(frozen=True)
class Obeying:
    """Numbers of the iteration.

    Attributes:
        rounds: Times that the ground is estimated and the clip fitted to it.
        firm: Hz, up to which legs that hold feet keep their own.
        loaded: Body weights from which a foot stands.
        high: m above the ground as captured, from which a foot does not stand.
        fit: How the clip is fitted.
    """

    rounds: int = 2
    firm: float = 30.0
    loaded: float = 0.05
    high: float = 0.03
    fit: ClipFit = field(default_factory=ClipFit)


@dataclass(frozen=True, eq=False)
class Obeyed:
    """A clip before and after.

    Attributes:
        before, after: The clip.
        body: Its mass model.
        stances: Which feet stood, and when, as the forces have it.
        ground: What the ground does, as estimated last; None where only feet were held.
        where: ``(F)`` frames that were moved.
    """

    before: Motion
    after: Motion
    body: BodyModel
    stances: Contacts
    ground: Ground | None
    where: np.ndarray

    @property
    def moved(self) -> np.ndarray:
        """``(F)`` m, how far the root was moved."""
        slot = self.before.skeleton.slot[self.before.skeleton.root]
        way = self.after.displacement[slot] - self.before.displacement[slot]
        return np.where(self.where, np.sqrt(dot(way, way)), 0.0)

    @property
    def figures(self) -> dict[str, float]:
        """How far the clip was moved, and how feet stood before and after; mm, mm/s, degrees."""
        moved = 1000 * self.moved
        known = moved[self.where] if self.where.any() else np.zeros(1)
        joints = [b for b in range(len(self.before.rotation)) if b != self.before.skeleton.root]
        one, two = (c.rotation[joints][..., self.where] for c in (self.before, self.after))
        turned = np.degrees(2 * np.arccos(np.clip(np.abs((one * two).sum(axis=1)), 0, 1)))
        found = {
            "moved_mm": float(np.percentile(known, 95)),
            "most_moved_mm": float(known.max()),
            "most_moved_frame": float(self.before.start + int(moved.argmax())),
            "turned_deg": float(np.percentile(turned, 95)) if turned.size else 0.0,
        }
        for word, clip in (("before", self.before), ("after", self.after)):
            found |= {f"{k}_{word}": v for k, v in feet_of(clip, self.stances).items()}
        return found

    @property
    def line(self) -> str:
        """What was done, in a line."""
        f = self.figures
        frames = self.before.frame[self.where]
        if not len(frames):
            return "left as it was: nothing near it was found to change it to"
        said = (
            f"root moved by {f['moved_mm']:.1f} mm (95 %), most {f['most_moved_mm']:.1f} at frame "
            f"{f['most_moved_frame']:.0f}; frames {frames[0]}–{frames[-1]}"
        )
        if len(frames) < len(self.where):
            said += f", {len(self.where) - len(frames)} as in the file"
        if "skate_mm_s_before" in f:
            said += (
                f"; stance feet skate {f['skate_mm_s_before']:.0f} → {f['skate_mm_s_after']:.0f} "
                f"mm/s, float {f['floating_mm_before']:.0f} → {f['floating_mm_after']:.0f} mm, "
                f"sink {f['sunk_mm_before']:.0f} → {f['sunk_mm_after']:.0f} mm"
            )
        return said


def make_consistent(
    motion: Motion,
    *,
    mass: float | None = None,
    height: float | None = None,
    sex: str | None = None,
    pin_feet: bool = False,
    cutoff: float | str = "auto",
) -> Motion:
    """Return the clip so that it obeys physics, near the captured one and with all its frames.

    The root's path is corrected so that the centre of mass moves as the ground can move it: in
    flight it falls. Joint angles stay as they are, unless feet are pinned. Frames that could not be
    analysed keep their pose.

    Args:
        motion: Captured.
        mass: kg; else the file's, else estimated.
        height: m; else the file's, else the skeleton's.
        sex: ``"male"``, ``"female"`` or None.
        pin_feet: Whether legs also hold stance feet where they stand.
        cutoff: Hz of the low-pass with which forces are estimated.

    Returns:
        Motion: Without derivatives; ``source.repairs`` says how far it was moved.

    Raises:
        MocapRerootError: The motion is too short to know its accelerations.
    """
    body = body_model(motion, mass=mass, height=height, sex=sex)
    contacts = detect_contacts(motion, body)
    return obey(motion, body, contacts, pin_feet=pin_feet, cutoff=cutoff).after


def obey(
    motion: Motion,
    body: BodyModel,
    contacts: Contacts,
    numbers: Obeying = Obeying(),
    *,
    pin_feet: bool = False,
    **smoothing: Any,
) -> Obeyed:
    """Return a clip before and after it was made to obey physics.

    Args:
        motion: Captured, without derivatives.
        body: Its mass model.
        contacts: Who may touch, and when.
        numbers: Of the iteration.
        pin_feet: Whether legs also hold stance feet.
        **smoothing: Cut-off and smoother of :func:`mocap_reroot.estimate_ground`.
    """

    clip = captured = replace(motion, coordinates=None, **_STILL)
    near, stances, place = _firm(clip, contacts, numbers.firm) if pin_feet else clip, contacts, None
    where = np.zeros(motion.n_frames, bool)
    for k in range(numbers.rounds):
        known = {"forces": "predicted", **smoothing}
        ground = estimate_ground(clip, body, contacts, _LATER if k else _FIRST, **known)
        if ground.correction is None:
            break
        where = clip.analysed & np.isfinite(ground.correction).all(axis=0)
        where &= ~ground.loads.inadmissible
        if not where.any():
            break
        if pin_feet:
            stances = _low(captured, _loaded(ground, numbers.loaded), numbers.high)
        centre, momentum = _momentum(ground)
        place = centre if place is None else place
        pressed = pressures(ground.support, ground.loads, ground.total)[0]
        wanted = Wanted(
            near, stances if pin_feet else None, place, centre, momentum,
            ground.motion.rotation[motion.skeleton.root],
            dict(zip(ground.support.feet, pressed, strict=True)),
        )  # fmt: skip
        clip = fitted(clip, body, wanted, where, numbers.fit)
    after = _whole(motion, clip, where)
    if (given := motion.coordinates) is not None:  # a model's, of which pinned legs are none
        given = None if pin_feet else replace(given, value=root_values(given, after))
    found = Obeyed(motion, replace(after, coordinates=given), body, stances, ground, where)
    source = motion.source.adding(repairs=[f"Made to obey physics: {found.line}."])
    return replace(found, after=replace(found.after, source=source))


def pinned(motion: Motion, body: BodyModel, contacts: Contacts) -> Obeyed:
    """Return a clip before and after its stance feet were held, its path left as it is."""
    held = pin_feet_of(motion, contacts)
    changed = (held.rotation != motion.rotation).any(axis=(0, 1)) & motion.analysed
    after = replace(_whole(motion, held, changed), source=held.source)
    return Obeyed(motion, after, body, contacts, None, changed)


def feet_of(motion: Motion, stances: Contacts) -> dict[str, float]:
    """Return how stance feet skate (mm/s, median), float (95 %) and sink (most; mm), if any."""

    feet = stance_feet(motion, stances)
    if not feet:
        return {}
    low = np.concatenate([foot.height.min(axis=0)[foot.in_stance] for foot in feet])
    told = foot_skate(feet, motion.fps)
    floating = 1000 * max(0.0, float(np.percentile(low, 95)))
    return {"skate_mm_s": told["skate"], "floating_mm": floating, "sunk_mm": told["below"]}


def _momentum(ground: Ground) -> tuple[np.ndarray, np.ndarray]:
    """Return ``(3, F)`` m centre of mass and ``(3, F)`` kg·m²/s angular momentum about it."""
    whole = part_wrenches(ground.motion, ground.body)
    centre, momentum = whole.centre, whole.momentum[0]
    return centre, momentum[6:] - cross(centre - whole.about, momentum[3:6])


def _firm(clip: Motion, contacts: Contacts, hertz: float) -> Motion:
    """Return the clip with its legs low-passed."""
    feet = [foot for foot in contacts.feet if foot not in contacts.others]
    legs = sorted({body for foot in feet for body in clip.skeleton.chain(foot)[:3]})
    calm, rotation = smooth(clip, min(hertz, 0.39 * clip.fps)).rotation, np.array(clip.rotation)
    rotation[legs] = np.where(clip.analysed, calm[legs], rotation[legs])
    return replace(clip, rotation=rotation)


def _loaded(ground: Ground, least: float) -> Contacts:
    """Return the contacts, only those of limbs that bear some of the weight."""
    weight = ground.body.total_mass * STANDARD_GRAVITY
    upright = dot(ground.motion.up, ground.loads.force.swapaxes(0, 1))
    contacts = ground.contacts
    limb = [contacts.feet.index(sole.foot) for sole in contacts.soles]
    bears = upright >= least * weight
    touching = contacts.touching & (bears[limb] if limb else True)
    return replace(contacts, touching=touching)


def _low(clip: Motion, contacts: Contacts, high: float) -> Contacts:
    """Return the contacts without those of feet that are still, or again, in the air."""
    touching = np.array(contacts.touching)
    for foot in stance_feet(clip, contacts):
        rows = [r for r, sole in enumerate(contacts.soles) if sole.foot == foot.foot]
        touching[rows] &= foot.height.min(axis=0) < high
    return replace(contacts, touching=touching)


def _whole(source: Motion, clip: Motion, where: np.ndarray) -> Motion:
    """Return the clip with the source's pose in all other frames; the nearest where it has none."""
    rotation = np.where(where, clip.rotation, source.rotation)
    displacement = np.where(where, clip.displacement, source.displacement)
    missing = ~(np.isfinite(rotation).all(axis=(0, 1)) & np.isfinite(displacement).all(axis=(0, 1)))
    known = np.flatnonzero(~missing)
    if missing.any() and len(known):
        at = np.rint(np.interp(np.flatnonzero(missing), known, np.arange(len(known)))).astype(int)
        rotation[..., missing] = rotation[..., known[at]]
        displacement[..., missing] = displacement[..., known[at]]
    return replace(source, rotation=rotation, displacement=displacement, **_STILL)
