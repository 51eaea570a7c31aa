"""Measured ground forces: which plate carries which foot, and what each foot got."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from mocap_reroot.config import FORCES
from mocap_reroot.contact.plate_rules import no_plates
from mocap_reroot.errors import MocapRerootError, UnknownNameError
from mocap_reroot.ground.support import LEAST_FORCE, outside, pressure
from mocap_reroot.numerics.frames import runs
from mocap_reroot.numerics.vectors import cross
from mocap_reroot.types import (
    STANDARD_GRAVITY,
    Loads,
    Measured,
    Motion,
    Plates,
    Support,
    Total,
)

FARTHEST = 0.12
"""m: a pressure farther than this outside a sole is not that foot's."""
FAINT = 5.0
"""N: a run of pressure goes on down to this force, above the noise of plates."""
UNEXPLAINED = 0.25
"""Of body weight: residuals of recordings with their own plates have 0.02 to 0.07."""
PLAUSIBLE = (0.4, 2.5)
"""How far from the assumed mass the person can be; beyond it the plates are not theirs alone."""
LONG_ENOUGH = 0.4
"""s, about one step; over less, plates cannot be held against the motion."""
STEADY = 0.05
"""Of body weight: a force that varies less has no shape to compare."""
TOGETHER = 0.5
"""Correlation of measured and needed vertical force. Right plates have 0.84 to 0.99 (61 trials of
the atlas, 13 C3D), plates that are 0.1 s late −0.4 to 0.67."""
ON_PLATE = 0.02
"""m: how far a sole, whose outline is an estimate, may reach over a plate's edge."""


def plates_for(forces: Plates | str | None, motion: Motion) -> tuple[Plates | None, str]:
    """Return the plates there are, and how they are to be used: auto, predicted or measured.

    Raises:
        MocapRerootError: Measured forces are asked for and there are none.
        UnknownNameError: There is no such way.
    """
    if isinstance(forces, Plates):
        return forces, "measured"
    way = forces or "predicted"
    if way not in FORCES:
        raise UnknownNameError("choice of forces", way, FORCES)
    if way == "measured" and motion.plates is None:
        raise MocapRerootError(
            f"Measured forces were asked for, but {no_plates(motion)} "
            "Give others with --plates (plates=), or leave it with --forces predicted."
        )
    return motion.plates, way


def doubts(
    measured: Measured | None, plates: Plates | None, total: Total, weight: float, way: str
) -> tuple[str, ...]:
    """Return sentences if plates are not used though they are loaded, or do not fit.

    Args:
        measured: What they say of the feet.
        plates: The plates, if there are any.
        total: What moves the body.
        weight: N, of the body.
        way: How they are to be used.

    Raises:
        MocapRerootError: Measured forces are asked for, and plates measured those of no foot.
    """
    if plates is None or way == "predicted":
        return ()
    if measured is None:
        if way == "measured":
            raise MocapRerootError("Measured forces were asked for, but no foot was found.")
        return ()
    if measured.covered.any():
        return _disagreement(measured, total, weight)
    loaded = (np.einsum("c,pcf->pf", total.up, plates.force) > LEAST_FORCE).any()
    why = (
        "none bears one foot alone and whole. Either both feet share a plate, or they stand over "
        "its edge, or the plates belong to another recording, other axes or another time."
        if loaded
        else "no force plate is loaded while the clip lasts. Do the plates belong to this "
        "recording, and to its time?"
    )
    if way == "measured":
        raise MocapRerootError(f"Measured forces were asked for, but {why}")
    told = f"The force plates are loaded, but ground forces are predicted: {why}"
    return (told,) if loaded else ()


def misfit(measured: Measured, total: Total, weight: float, fps: float) -> str:
    """Return why plates cannot be those of this motion, or nothing.

    Judged where they bear the whole body: they must weigh a body like this one, and their force
    must go with its motion.

    Args:
        measured: What they say of the feet.
        total: What moves the body.
        weight: N, of the body.
        fps: Frames per second.
    """
    given, needed = total.up @ measured.loads.force.sum(axis=0), total.vertical
    known = measured.whole & np.isfinite(given + needed)
    if known.sum() < LONG_ENOUGH * fps:
        return ""
    given, needed = given[known], needed[known]
    ratio = float(given.sum() / needed.sum())
    if not PLAUSIBLE[0] < ratio < PLAUSIBLE[1]:
        mass = weight / STANDARD_GRAVITY
        return f"they weigh {ratio * mass:.3g} kg where {mass:.3g} kg are expected"
    if min(needed.std(), given.std()) < STEADY * weight:
        return ""
    together = float(np.corrcoef(given, needed)[0, 1])
    if together > TOGETHER:
        return ""
    return (
        f"their force does not go with the motion (correlation {together:.2f}), as if they were "
        "of another time or another recording"
    )


def _disagreement(measured: Measured, total: Total, weight: float) -> tuple[str, ...]:
    """Return a sentence if plates that bear the whole body leave much of its motion unexplained."""
    missing = total.force - measured.loads.force.sum(axis=0)
    known = measured.whole & np.isfinite(missing).all(axis=0)
    residual = float(np.sqrt((missing[:, known] ** 2).sum(axis=0).mean())) if known.any() else 0.0
    if residual < UNEXPLAINED * weight:
        return ()
    return (
        f"Force plates and motion do not agree: {residual:.0f} N (root mean square), "
        f"{100 * residual / weight:.0f} % of body weight, remain unexplained where plates bear "
        "every foot. Is the mass right, and do the plates belong to this recording, its axes and "
        "its time?",
    )


def assign(
    plates: Plates, support: Support, total: Total, alone: np.ndarray | None = None
) -> Measured:
    """Return what plates measured of each foot: a plate belongs to the foot its pressure is under.

    A foot is covered where its whole sole is over plates and no other foot stands on the same ones.
    Of plates whose outlines are unknown, the second is so if the other foot has none of its own.

    Args:
        plates: The plates, a value a frame.
        support: Who carries, by the motion.
        total: What moves the body.
        alone: ``(F)`` nothing but feet can carry; None: everywhere.
    """
    frames = total.force.shape[-1]
    if plates.force.shape[-1] != frames:
        raise MocapRerootError(
            f"The plates have {plates.force.shape[-1]} frames and the motion {frames}."
        )
    feet, up = len(support.feet), total.up
    force, moment = np.zeros((feet, 3, frames)), np.zeros((feet, 3, frames))
    point, normal = np.array(support.point), np.array(support.normal)
    pressed = np.zeros((feet, frames), bool)
    clash = np.zeros((feet, frames), bool)
    owners = np.full((len(plates.names), frames), -1)
    for p, centre in enumerate(plates.centre):
        plate_normal = plates.normal[p] * np.sign(plates.normal[p] @ up)
        about = np.repeat(centre[:, None], frames, axis=1)
        level = np.repeat(plate_normal[:, None], frames, axis=1)
        place, _ = pressure(plates.force[p], plates.moment[p], about, up, about, level)
        push = up @ plates.force[p]
        owner = _owners(place, push > LEAST_FORCE, support, up)
        owners[p] = owner = _until_it_fades(owner, push > FAINT)
        shifted = plates.moment[p] + cross(about - total.about, plates.force[p])
        for k in range(feet):
            mine = owner == k
            force[k][:, mine] += plates.force[p][:, mine]
            moment[k][:, mine] += shifted[:, mine]
            point[k][:, mine], normal[k][:, mine] = about[:, mine], level[:, mine]
            pressed[k] |= mine
    carrying = pressed | support.on
    landing = np.stack([_landing(carrying[k], pressed[k] | support.seen[k]) for k in range(feet)])
    seen = np.stack([_seen(pressed[k], carrying[k]) for k in range(feet)])
    whole = seen
    if plates.outlined:
        stances = zip(seen, carrying, strict=True)
        whole = np.stack([_whole(k, support, *s, plates, up) for k, s in enumerate(stances)])
    for p, corners in enumerate(plates.corners):
        touching = carrying & ~landing
        over = _over(corners, support, up) & touching & (plates.outlined | ~seen)
        for k in range(feet):
            clash[k] |= (owners[p] == k) & np.delete(over, k, axis=0).any(axis=0)
    unknown = ~np.isfinite(plates.force).all(axis=1)
    covered = carrying & whole & ~clash & ~unknown.any(axis=0)  # a hole is not an empty plate
    loaded = covered | (carrying & ~landing)
    part = np.where((support.part < 0) & covered, np.array(support.feet)[:, None], support.part)
    loads = Loads(
        np.where(covered[:, None], force, 0.0),
        np.where(covered[:, None], moment, 0.0),
        np.zeros(frames, bool),
    )
    carrying = replace(support, part=part, point=point, normal=normal)
    alone = np.ones(frames, bool) if alone is None else alone
    return Measured(carrying, loads, covered, loaded, alone, unknown.all(axis=0))


def combine(
    measured: Measured, support: Support, loads: Loads, way: str
) -> tuple[Support, Loads, np.ndarray]:
    """Return support and loads with plates in place of predictions, and ``(F)`` their source.

    Args:
        measured: What plates say.
        support, loads: What was predicted.
        way: ``"auto"`` takes plates where they cover every loaded foot; ``"measured"`` also where
            they cover some, and predicts the share of the others.
    """
    use = measured.complete if way == "auto" else measured.covered.any(axis=0)
    mine = (measured.covered | ~measured.loaded) & use
    pick = mine[:, None]
    part = np.where(mine, measured.support.part, support.part)
    point = np.where(pick, measured.support.point, support.point)
    normal = np.where(pick, measured.support.normal, support.normal)
    source = np.where(support.count > 0, "predicted", "none").astype(object)
    source[use] = np.where(measured.complete, "measured", "mixed")[use]
    both = Loads(
        np.where(pick, measured.loads.force, loads.force),
        np.where(pick, measured.loads.moment, loads.moment),
        loads.inadmissible & ~use,
    )
    return replace(support, part=part, point=point, normal=normal), both, source


def _owners(place: np.ndarray, active: np.ndarray, support: Support, up: np.ndarray) -> np.ndarray:
    """Return ``(F)`` the foot a plate's pressure is under, −1 where under none.

    A run of pressure belongs to one foot unless the frames clearly say otherwise.
    """
    away = np.stack([outside(place, corners, up) for corners in support.corners])
    away = np.where(np.isfinite(away), away, np.inf)
    owner = np.full(len(active), -1)
    for start, stop in runs(active):
        here = away[:, start:stop]
        typical = np.median(here, axis=1)
        best = int(np.argmin(typical))
        rivals = np.delete(here, best, axis=0)
        mine = here[best]
        taken = np.full(stop - start, best)
        if len(rivals):  # another foot steps on while the plate is still pressed
            names = np.delete(np.arange(len(here)), best)
            near = rivals.argmin(axis=0)
            theirs = (rivals.min(axis=0) < 0.5 * FARTHEST) & (mine > FARTHEST)
            taken[theirs] = names[near[theirs]]
        distance = np.take_along_axis(here, taken[None], axis=0)[0]
        owner[start:stop] = np.where(
            (typical[best] < FARTHEST) & (distance < 3 * FARTHEST), taken, -1
        )
    return owner


def _until_it_fades(owner: np.ndarray, pushed: np.ndarray) -> np.ndarray:
    """Return owners with the faint beginning and end of every run given to the same foot."""
    result = owner.copy()
    for start, stop in runs(pushed):
        mine = np.flatnonzero(owner[start:stop] >= 0)
        if len(mine):
            result[start : start + mine[0]] = owner[start + mine[0]]
            result[start + mine[-1] + 1 : stop] = owner[start + mine[-1]]
    return result


def _over(corners: np.ndarray, support: Support, up: np.ndarray) -> np.ndarray:
    """Return ``(f, F)`` whether any part of each foot is over a plate."""
    return np.stack([_corners_over(corners, o, up, 0.0).any(axis=0) for o in support.outlines])


def _corners_over(
    plate: np.ndarray, outlines: tuple[np.ndarray, ...], up: np.ndarray, reach: float
) -> np.ndarray:
    """Return ``(m, F)`` whether each corner of a sole is over a plate, up to a reach."""
    points = np.concatenate(outlines)  # (m, 3, F)
    edges = np.roll(plate, -1, axis=0) - plate
    turning = np.sign(up @ np.cross(edges[0], edges[1]))
    inside = np.ones((len(points), points.shape[-1]), bool)
    for corner, edge in zip(plate, edges, strict=True):
        inward = turning * np.cross(up, edge) / np.linalg.norm(edge)
        inside &= np.einsum("c,mcf->mf", inward, points - corner[:, None]) > -reach
    return inside


def _landing(carrying: np.ndarray, touching: np.ndarray) -> np.ndarray:
    """Return ``(F)`` whether a foot carries and has not touched yet."""
    result = np.zeros(len(carrying), bool)
    for start, stop in runs(carrying):
        touched = touching[start:stop]
        if touched.any():
            result[start : start + int(np.argmax(touched))] = True
    return result


def _seen(pressed: np.ndarray, loaded: np.ndarray) -> np.ndarray:
    """Return ``(F)`` whether plates saw most of the stance that a frame belongs to.

    Where the force fades at the ends of such a stance, it is still measured.
    """
    result = np.zeros(len(loaded), bool)
    for start, stop in runs(loaded):
        result[start:stop] = pressed[start:stop].mean() > 0.5
    return result


def _whole(
    k: int,
    support: Support,
    seen: np.ndarray,
    loaded: np.ndarray,
    plates: Plates,
    up: np.ndarray,
) -> np.ndarray:
    """Return ``(F)`` whether the stance of a frame was wholly on plates, judged by its middle."""
    corners = [_corners_over(c, support.outlines[k], up, ON_PLATE) for c in plates.corners]
    inside = np.any(corners, axis=0).all(axis=0)
    result = np.zeros(len(inside), bool)
    for start, stop in runs(loaded):
        quarter = (stop - start) // 4
        middle = slice(start + quarter, stop - quarter)
        result[start:stop] = seen[start] and inside[middle].mean() > 0.5
    return result
