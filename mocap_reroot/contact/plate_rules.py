"""Plausibility of force plates: one that fails a check is left out, with the reason.

A plate pushes and does not pull. What it measures changes while somebody moves on it, and is not
cut off at the top. Its pressure lies where a limb is, and its force points towards the body, not
away from it. All of it is judged by samples under load: with nobody on a plate, a file holds
anything, 331 m for a place of pressure, say.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from mocap_reroot.mechanics.kinematics import forward
from mocap_reroot.numerics.frames import runs
from mocap_reroot.parameters import PlateParameters
from mocap_reroot.types import LEAST_FORCE, Motion, Plates, RawPlates, Skeleton


def credible_plates(
    raw: RawPlates, plates: Plates, motion: Motion, rules: PlateParameters | None = None
) -> tuple[Plates | None, list[str]]:
    """Return the plates that can be believed, and a sentence about each that cannot.

    Args:
        raw: As recorded.
        plates: The same, a value a frame of the motion.
        motion: Who moves on them.
        rules: Numbers.

    Returns:
        The plates, or None if none is left.
    """
    rules, sentences, kept = rules or PlateParameters(), [], []
    limbs = _Limbs.of(motion)
    for k, name in enumerate(plates.names):
        wrong = _recorded(raw, plates, k, motion, rules) or _physics(plates, k, limbs, rules)
        if wrong:
            sentences.append(f"{_spoken(name)} is left out: {wrong}.")
        else:
            kept.append(k)
            sentences += _holes(name, plates.force[k])
    push = np.einsum("c,pcf->pf", motion.up, plates.force[kept])
    if not sentences and not (push > LEAST_FORCE).any():
        sentences.append("No force plate is loaded while the clip lasts.")
    if len(kept) == len(plates.names):
        return plates, sentences
    if not kept:
        return None, sentences
    chosen = replace(
        plates,
        corners=plates.corners[kept],
        force=plates.force[kept],
        moment=plates.moment[kept],
        names=tuple(plates.names[k] for k in kept),
    )
    return chosen, sentences


def _holes(name: str, force: np.ndarray) -> list[str]:
    """Return a sentence if there are frames without numbers between others."""
    known = np.flatnonzero(np.isfinite(force).all(axis=0))
    lost = known[-1] - known[0] + 1 - len(known)
    if not lost:
        return []
    return [f"{_spoken(name)} holds no numbers in {lost} frames: not used there."]


def feet_only(motion: Motion, feet: tuple[int, ...], upright: float) -> np.ndarray:
    """Return ``(F)`` where nothing but feet can carry: the pelvis is as high as on straight legs.

    A seated person loads the plates under the feet by half. ``upright``: as in
    :class:`mocap_reroot.parameters.GroundParameters`.
    """
    skeleton, place = motion.skeleton, forward(motion).position
    alone, pelvis = np.zeros(motion.n_frames, bool), _pelvis(skeleton)
    for foot in feet:
        above_it = set(skeleton.chain(pelvis))
        bones = [b for b in skeleton.chain(foot) if b not in above_it]
        leg = sum(float(np.linalg.norm(skeleton.offset[b])) for b in bones)
        above = motion.up @ (place[pelvis] - place[foot])
        alone |= above > upright * leg
    return alone


def _pelvis(skeleton: Skeleton) -> int:
    """Return the body that legs hang from: the pelvis, where it is known, else the root."""
    anatomy = skeleton.anatomy
    segments = anatomy.segments if anatomy is not None and anatomy.human else ()
    return segments.index("pelvis") if "pelvis" in segments else int(skeleton.root)


def no_plates(motion: Motion) -> str:
    """Return the sentence for those who ask for plates where there are none to be believed."""
    told = [text for text in motion.source.warnings if text.startswith("Force plate ")]
    return " ".join(told) if told else "this motion has no force plates."


def _spoken(name: str) -> str:
    return f"Force plate {name.removeprefix('plate_').replace('_', ' ')}"


def _recorded(
    raw: RawPlates, plates: Plates, k: int, motion: Motion, rules: PlateParameters
) -> str:
    """Return what is wrong with what a plate recorded, or nothing."""
    force = raw.force[k]
    known = np.isfinite(force).all(axis=0) & np.isfinite(raw.moment[k]).all(axis=0)
    if not known.any():
        return "a column of its forces or pressures holds no numbers"
    if not np.isfinite(plates.force[k]).all(axis=0).any():
        first, last = raw.start, raw.start + (force.shape[1] - 1) / raw.rate
        return (
            f"it was recorded from {first:.2f} to {last:.2f} s, and nothing of it while the "
            "motion lasts"
        )
    push = np.where(known, motion.up @ np.nan_to_num(force), 0.0)
    push = push * np.sign(push[np.argmax(np.abs(push))])  # force on the plate or on the body
    loaded = push > LEAST_FORCE
    if not loaded.any():
        return ""
    whole = np.concatenate([force, raw.moment[k]])
    same = np.zeros(len(push), bool)
    same[1:] = (whole[:, 1:] == whole[:, :-1]).all(axis=0)
    longest = max((b - a for a, b in runs(same & loaded)), default=0) / raw.rate
    if longest > rules.held and _moves(motion, rules):
        return f"its values do not change for {longest:.2f} s under load: it is stuck"
    top = push >= push.max() - 1e-9 * abs(push.max())
    flat = sum(b - a for a, b in runs(top) if b - a >= max(rules.cut_run * raw.rate, 3))
    if flat > rules.cut * loaded.sum() and _moves(motion, rules):
        return f"its force is cut off at {push.max():.0f} N: it is saturated"
    return ""


def _moves(motion: Motion, rules: PlateParameters) -> bool:
    """Whether the body moves at all: under a statue a plate may well be constant."""
    usable = motion.analysed
    if not usable.any():
        return False
    path, turned = motion.displacement[..., usable], motion.rotation[..., usable]
    return bool(max(np.ptp(a, axis=-1).max(initial=0.0) for a in (path, turned)) > rules.statue)


@dataclass(frozen=True, eq=False)
class _Limbs:
    """Where limbs are.

    Attributes:
        up: ``(3)``.
        place: ``(m, 3, F)`` m, of joints and ends of limbs.
        pelvis: Its index among them.
    """

    up: np.ndarray
    place: np.ndarray
    pelvis: int

    @classmethod
    def of(cls, motion: Motion) -> _Limbs:
        world, skeleton = forward(motion), motion.skeleton
        ends = [
            world.point(int(b), at)
            for b, at in zip(skeleton.site_body, skeleton.site_offset, strict=True)
        ]
        place = np.concatenate([world.position, np.array(ends).reshape(-1, 3, motion.n_frames)])
        return cls(motion.up, place, _pelvis(skeleton))


def _physics(plates: Plates, k: int, limbs: _Limbs, rules: PlateParameters) -> str:
    """Return which rule what a plate measured breaks, or nothing."""
    up = limbs.up
    force, moment = plates.force[k], plates.moment[k]
    push = np.nan_to_num(up @ force)
    down, upward = -push[push < 0].sum(), push[push > 0].sum()
    if max(down, upward) > LEAST_FORCE and down > rules.pulled * upward:
        return "it pulls: a floor can only push"
    loaded = push > LEAST_FORCE
    if loaded.sum() < rules.few:
        return ""
    frames = np.flatnonzero(loaded)
    f, centre = force[:, frames], plates.centre[k][:, None]
    # The point of the plate's plane about which no moment but one along the normal remains.
    pressure = (
        centre
        + np.cross(np.broadcast_to(up[:, None], f.shape), moment[:, frames], axis=0) / push[frames]
    )
    place = limbs.place[..., frames] - pressure
    height = np.einsum("c,mcf->mf", up, place)
    flat = place - up[:, None] * height[:, None]
    distance = np.sqrt(np.einsum("mcf,mcf->mf", flat, flat))
    may_press = np.abs(height) < rules.low
    may_press[limbs.pelvis] |= np.abs(height[limbs.pelvis]) < rules.seat
    nearest = np.where(may_press & np.isfinite(distance), distance, np.inf).min(axis=0)
    seen = np.isfinite(place).any(axis=(0, 1))
    if seen.sum() < rules.few:
        return ""
    under = nearest[seen] < rules.near
    if under.mean() < rules.mostly:
        middle = float(np.median(nearest[seen]))
        far = f"{middle:.2f} m from the nearest limb" if np.isfinite(middle) else "near no limb"
        return f"its pressure lies {far} while it is loaded"
    level = f - up[:, None] * (up @ f)
    way = flat[limbs.pelvis]
    known = np.isfinite(level + way).all(axis=0)
    both = np.sqrt((level[:, known] ** 2).sum() * (way[:, known] ** 2).sum())
    lean = float((level[:, known] * way[:, known]).sum() / both) if both > 0 else 0.0
    slant = np.sqrt((level[:, known] ** 2).sum() / (push[frames][known] ** 2).sum())
    if lean < -rules.away and slant > rules.slant:
        return "its horizontal force points away from the body"
    return ""
