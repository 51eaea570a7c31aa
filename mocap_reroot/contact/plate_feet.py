"""Which foot is on which force plate, and the wrench measured on each foot."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from mocap_reroot.contact.support import outside, pressure
from mocap_reroot.errors import MocapRerootError
from mocap_reroot.numerics.frames import runs
from mocap_reroot.numerics.vectors import cross
from mocap_reroot.parameters import GroundParameters
from mocap_reroot.types import LEAST_FORCE, Loads, Measured, Plates, Support


def assign(
    plates: Plates,
    support: Support,
    up: np.ndarray,
    alone: np.ndarray | None = None,
    others: frozenset[int] = frozenset(),
    parameters: GroundParameters | None = None,
) -> Measured:
    """Return what plates measured of each foot: a plate belongs to the foot its pressure is under.

    A foot is covered where its whole sole is over plates and no other foot stands on the same ones.
    Of plates whose outlines are unknown, the second is so if the other foot has none of its own.

    Args:
        plates: The plates, a value a frame.
        support: Who carries, by the motion.
        up: ``(3)``.
        alone: ``(F)`` nothing but feet can carry; None: everywhere.
        others: Bodies among the limbs that are no feet: plates bear them only while they carry.
        parameters: How far pressures and soles may be off.

    Returns:
        Measured: Moments are about the world's origin.
    """
    frames, numbers = support.part.shape[-1], parameters or GroundParameters()
    if plates.force.shape[-1] != frames:
        raise MocapRerootError(
            f"The plates have {plates.force.shape[-1]} frames and the motion {frames}."
        )
    feet = len(support.feet)
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
        owner = _owners(place, push > LEAST_FORCE, support, up, others, numbers.plate_outside)
        owners[p] = owner = _until_it_fades(owner, push > numbers.plate_faint)
        shifted = plates.moment[p] + cross(about, plates.force[p])
        for k in range(feet):
            mine = owner == k
            force[k][:, mine] += plates.force[p][:, mine]
            moment[k][:, mine] += shifted[:, mine]
            point[k][:, mine], normal[k][:, mine] = about[:, mine], level[:, mine]
            pressed[k] |= mine
    loaded = pressed | support.on
    seen = np.stack([_seen(pressed[k], loaded[k]) for k in range(feet)])
    whole = seen
    if plates.outlined:
        stances = zip(seen, loaded, strict=True)
        whole = np.stack(
            [_whole(k, support, *s, plates, up, numbers.plate_reach) for k, s in enumerate(stances)]
        )
    for p, corners in enumerate(plates.corners):
        over = _over(corners, support, up) & loaded & (plates.outlined | ~seen)
        mine = owners[p] == np.arange(feet)[:, None]
        # Whoever else stands on it bears down on it, too: of neither is it known how much.
        theirs = over & ~mine & (owners[p] >= 0)
        clash |= theirs | (mine & theirs.any(axis=0))
    unknown = ~np.isfinite(plates.force).all(axis=1)
    covered = loaded & whole & ~clash & ~unknown.any(axis=0)  # a hole is not an empty plate
    part = np.where((support.part < 0) & covered, np.array(support.feet)[:, None], support.part)
    loads = Loads(
        np.where(covered[:, None], force, 0.0),
        np.where(covered[:, None], moment, 0.0),
        np.zeros(frames, bool),
    )
    where = replace(support, part=part, point=point, normal=normal)
    alone = np.ones(frames, bool) if alone is None else alone
    return Measured(where, loads, covered, loaded, alone, unknown.all(axis=0))


def _owners(
    place: np.ndarray,
    active: np.ndarray,
    support: Support,
    up: np.ndarray,
    others: frozenset[int],
    farthest: float,
) -> np.ndarray:
    """Return ``(F)`` the foot a plate's pressure is under, −1 where under none.

    A run of pressure belongs to one foot unless the frames clearly say otherwise; so do runs
    between which the same feet stand on: where little force presses is not known well.
    """
    away = np.stack([outside(place, corners, up) for corners in support.corners])
    may = support.on | ~np.isin(support.feet, list(others))[:, None]
    away = np.where(np.isfinite(away) & may, away, np.inf)
    owner = np.full(len(active), -1)
    for start, stop in runs(active | _unchanged(active, support.on)):
        here, bears = away[:, start:stop], active[start:stop]
        typical = np.median(here[:, bears], axis=1)
        best = int(np.argmin(typical))
        rivals = np.delete(here, best, axis=0)
        mine = here[best]
        taken = np.full(stop - start, best)
        if len(rivals):  # another foot steps on while the plate is still pressed
            names = np.delete(np.arange(len(here)), best)
            near = rivals.argmin(axis=0)
            theirs = (rivals.min(axis=0) < 0.5 * farthest) & (mine > farthest)
            taken[theirs] = names[near[theirs]]
        distance = np.take_along_axis(here, taken[None], axis=0)[0]
        owner[start:stop] = np.where(
            bears & (typical[best] < farthest) & (distance < 3 * farthest), taken, -1
        )
    return owner


def _unchanged(active: np.ndarray, on: np.ndarray) -> np.ndarray:
    """Return ``(F)`` gaps between runs of pressure in which who stands does not change."""
    result = np.zeros(len(active), bool)
    for start, stop in runs(~active):
        if start > 0 and stop < len(active):
            stood = on[:, start - 1 : stop + 1]
            result[start:stop] = stood[:, 0].any() and (stood == stood[:, :1]).all()
    return result


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
    reach: float,
) -> np.ndarray:
    """Return ``(F)`` whether the stance of a frame was wholly on plates, judged by its middle."""
    corners = [_corners_over(c, support.outlines[k], up, reach) for c in plates.corners]
    inside = np.any(corners, axis=0).all(axis=0)
    result = np.zeros(len(inside), bool)
    for start, stop in runs(loaded):
        quarter = (stop - start) // 4
        middle = slice(start + quarter, stop - quarter)
        result[start:stop] = seen[start] and inside[middle].mean() > 0.5
    return result
