"""make_consistent(): a clip given back so that it obeys physics, and its feet stand.

The estimate of the ground knows a motion near the captured one that obeys Newton, but with joint
angles smoothed as forces need it. Here the clip keeps its own angles: its centre of mass follows
that motion's, the body as a whole is turned as it was turned. With feet pinned, root and legs keep
what is below ``Obeying.firm``, and legs follow stance feet by displacement constraints, smoothly
in time; as that moves the centre of mass, root and legs take turns, and as it changes momentum, the
ground is estimated again.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from scipy.ndimage import gaussian_filter1d

from mocap_reroot.anthropometry.bodies import body_model
from mocap_reroot.contact.detection import detect_contacts
from mocap_reroot.contact.footing import Footing, figures, footings
from mocap_reroot.contact.pinning import follow, toes_lifted
from mocap_reroot.contact.pinning import pin_feet as pin_feet_of
from mocap_reroot.contact.placing import place_feet
from mocap_reroot.contact.rolling import Rolling, rolling
from mocap_reroot.dynamics.coordinates import root_values
from mocap_reroot.ground.estimate import estimate_ground
from mocap_reroot.numerics.vectors import dot, product
from mocap_reroot.parameters import GroundParameters
from mocap_reroot.signals.smoothing import smooth
from mocap_reroot.types import STANDARD_GRAVITY, BodyModel, Contacts, Ground, Motion

SETTLED = GroundParameters(lag=0.0)
"""A result is no capture: no soft parts hang behind it."""
_FIRST = GroundParameters(early=0.02, clear=0.005)
"""A foot that is in the air must not push: it would have to be brought down."""
_LATER = replace(_FIRST, lag=0.0)
_NONE = np.array([1.0, 0.0, 0.0, 0.0])[:, None]
_BACK = np.array([1.0, -1.0, -1.0, -1.0])[:, None]
_STILL: dict[str, Any] = dict.fromkeys(
    ("angular_velocity", "angular_acceleration", "linear_velocity", "linear_acceleration")
)


@dataclass(frozen=True)
class Obeying:
    """Numbers of the iteration.

    Attributes:
        rounds: Times that the ground is estimated and the clip moved after it.
        turns: Times in a round that legs follow feet and the root follows the centre of mass.
        firm: Hz, up to which corrections go, and, with feet pinned, root and legs keep their own.
        loaded: Body weights from which a foot stands.
        high: m above the ground, from which a foot does not stand, whatever it is said to bear.
        yielding: Hz, up to which legs follow feet.
        rolling: How a foot stands.
    """

    rounds: int = 3
    turns: int = 4
    firm: float = 12.0
    loaded: float = 0.05
    high: float = 0.02
    yielding: float = 40.0
    rolling: Rolling = field(default_factory=Rolling)


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

    clip, held, stances = replace(motion, coordinates=None, **_STILL), None, contacts
    where = np.zeros(motion.n_frames, bool)
    for k in range(numbers.rounds if pin_feet else 2):
        known = {"forces": "predicted", **smoothing}
        ground = estimate_ground(clip, body, contacts, _FIRST if k == 0 else _LATER, **known)
        if ground.correction is None:
            break
        where = clip.analysed & np.isfinite(ground.correction).all(axis=0)
        where &= ~ground.loads.inadmissible
        if not where.any():
            break
        path = place_feet(ground.motion, body, contacts).centre
        clip = _turned(clip, ground, where, smoothing)
        if not pin_feet:
            clip = _centred(clip, body, contacts, path, where, numbers.firm)
            continue
        legs = _legs(clip, contacts)
        clip = _firm(clip, legs, where, numbers.firm) if k == 0 else clip
        clip = _placed(clip, body, contacts, path, where, numbers.firm)
        if held is None:
            stances = _low(clip, _loaded(ground, numbers.loaded), numbers.high)
            clip = toes_lifted(clip, stances, numbers.rolling.sink)
            feet = footings(clip, stances)
            held = [foot.shifted(rolling(foot, clip.fps, numbers.rolling)) for foot in feet]
        for _ in range(numbers.turns):
            clip = _legs_after(clip, held, stances, numbers.yielding)
            clip = _placed(clip, body, contacts, path, where, numbers.firm)
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

    feet = footings(motion, stances)
    if not feet:
        return {}
    low = np.concatenate([foot.height.min(axis=0)[foot.standing] for foot in feet])
    told = figures(feet, motion.fps)
    floating = 1000 * max(0.0, float(np.percentile(low, 95)))
    return {"skate_mm_s": told["skate"], "floating_mm": floating, "sunk_mm": told["below"]}


def _turned(clip: Motion, ground: Ground, where: np.ndarray, smoothing: dict[str, Any]) -> Motion:
    """Return the clip with its root turned as the estimate turned the smoothed one."""
    root = clip.skeleton.root
    before = smooth(clip, smoothing.get("cutoff", "auto"), smoothing.get("smoother", "butterworth"))
    by = product(ground.motion.rotation[root], before.rotation[root] * _BACK)
    return _with_rotation(clip, {root: product(by, clip.rotation[root])}, where)


def _with_rotation(clip: Motion, turns: dict[int, np.ndarray], where: np.ndarray) -> Motion:
    from mocap_reroot.kernels.quaternion import make_continuous

    rotation = np.array(clip.rotation)
    for body, turn in turns.items():
        rotation[body][:, where] = turn[:, where]
    make_continuous(rotation)
    return replace(clip, rotation=rotation)


def _legs(clip: Motion, contacts: Contacts) -> set[int]:
    """Return the bodies from hips to feet."""
    feet = [foot for foot in contacts.feet if foot not in contacts.others]
    return {body for foot in feet for body in clip.skeleton.chain(foot)[:-1]}


def _firm(clip: Motion, legs: set[int], where: np.ndarray, hertz: float) -> Motion:
    """Return the clip with root and legs low-passed; what else hangs from the root stays put."""
    root = clip.skeleton.root
    calm = smooth(clip, _below(clip, hertz)).rotation
    turns = {body: calm[body] for body in (root, *legs)}
    for body in clip.skeleton.children[root]:
        if body not in legs:
            turns[body] = product(
                calm[root] * _BACK, product(clip.rotation[root], clip.rotation[body])
            )
    return _with_rotation(clip, turns, where)


def _below(clip: Motion, hertz: float) -> float:
    """Return a cut-off that the frame rate allows."""
    return min(hertz, 0.39 * clip.fps)


def _low_passed(clip: Motion, path: np.ndarray, hertz: float) -> np.ndarray:
    """Return a path ``(3, F)`` low-passed as the root's is, gaps and ends included."""
    slot = clip.skeleton.slot[clip.skeleton.root]
    displacement = np.array(clip.displacement)
    displacement[slot] = path
    return smooth(replace(clip, displacement=displacement), _below(clip, hertz)).displacement[slot]


def _at(clip: Motion, place: np.ndarray, where: np.ndarray) -> Motion:
    """Return the clip with its root's displacement ``(3, F)`` changed in some frames."""
    displacement = np.array(clip.displacement)
    slot = clip.skeleton.slot[clip.skeleton.root]
    displacement[slot][:, where] = place[:, where]
    return replace(clip, displacement=displacement)


def _centred(
    clip: Motion,
    body: BodyModel,
    contacts: Contacts,
    path: np.ndarray,
    where: np.ndarray,
    hz: float,
) -> Motion:
    """Return the clip with its centre of mass on a path; moved smoothly, so feet stay calm."""
    way = np.where(where, path - place_feet(clip, body, contacts).centre, 0.0)
    slot = clip.skeleton.slot[clip.skeleton.root]
    return _at(clip, clip.displacement[slot] + _low_passed(clip, way, hz), where)


def _placed(
    clip: Motion,
    body: BodyModel,
    contacts: Contacts,
    path: np.ndarray,
    where: np.ndarray,
    hz: float,
) -> Motion:
    """Return the clip with its root where a centre of mass on the path wants it, low-passed."""
    slot = clip.skeleton.slot[clip.skeleton.root]
    arm = clip.displacement[slot] - place_feet(clip, body, contacts).centre
    return _at(clip, path + _low_passed(clip, arm, hz), where)


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
    for foot in footings(clip, contacts):
        rows = [r for r, sole in enumerate(contacts.soles) if sole.foot == foot.foot]
        touching[rows] &= foot.height.min(axis=0) < high
    return replace(contacts, touching=touching)


def _legs_after(clip: Motion, targets: list[Footing], stances: Contacts, hertz: float) -> Motion:
    """Return the clip with legs that follow feet, their change smooth in time."""

    if not targets:
        return clip
    feet = footings(clip, stances)
    moved = follow(clip, feet, targets, [np.zeros((2, clip.n_frames))] * len(feet))
    width = clip.fps / (2 * np.pi * _below(clip, hertz))
    turns = {}
    for body in range(len(clip.rotation)):
        change = product(clip.rotation[body] * _BACK, moved.rotation[body])
        change = np.where(clip.analysed, change * np.where(change[0] < 0, -1.0, 1.0), _NONE)
        if body != clip.skeleton.root and change[1:].any():
            calm = gaussian_filter1d(change, width, axis=1, mode="nearest")
            calm /= np.sqrt((calm**2).sum(axis=0))
            turns[body] = product(clip.rotation[body], calm)
    return _with_rotation(clip, turns, clip.analysed)


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
