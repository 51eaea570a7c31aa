"""Which limb is on which force plate, and the wrench measured on each limb."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from mocap_reroot.contact.support import outside, pressure
from mocap_reroot.errors import MocapRerootError
from mocap_reroot.numerics.frames import runs
from mocap_reroot.numerics.vectors import cross
from mocap_reroot.parameters import GroundParameters
from mocap_reroot.types import LEAST_FORCE, Loads, Measured, Plates, Support


@dataclass(frozen=True, eq=False)
class PlateOwners:
    """Which limb each plate belongs to, frame by frame.

    Attributes:
        owner: ``(p, F)`` the limb a plate's pressure is under, −1 where under none.
        loaded: ``(l, F)`` the limb carries, by plates or by the motion.
        seen: ``(l, F)`` plates saw most of the stance that a frame belongs to.
        shared: ``(l, F)`` it stands on a plate that another limb stands on, too: of neither is it
            known how much of it is theirs.
    """

    owner: np.ndarray
    loaded: np.ndarray
    seen: np.ndarray
    shared: np.ndarray


def plate_owners(
    plates: Plates,
    support: Support,
    up: np.ndarray,
    others: frozenset[int] = frozenset(),
    parameters: GroundParameters | None = None,
) -> PlateOwners:
    """Return whose the plates are: a plate belongs to the limb its pressure is under.

    Strikes and offs (``from_plates``) and wrenches (:func:`assign`) go by the same owners. Plates
    whose outlines are unknown are shared only with a limb that has none of its own.

    Args:
        plates: The plates, a value a frame.
        support: Who carries, by the motion.
        up: ``(3)``.
        others: Bodies among the limbs that are no feet: plates bear them only while they carry.
        parameters: How far pressures may be off.
    """
    frames, numbers = support.part.shape[-1], parameters or GroundParameters()
    if plates.force.shape[-1] != frames:
        raise MocapRerootError(
            f"The plates have {plates.force.shape[-1]} frames and the motion {frames}."
        )
    limbs = np.arange(len(support.feet))[:, None]
    owner = np.full((len(plates.names), frames), -1)
    for p, force in enumerate(plates.force):
        about, level = _surface(plates, p, up, frames)
        place, _ = pressure(force, plates.moment[p], about, up, about, level)
        push = up @ force
        mine = _owners(place, push > LEAST_FORCE, support, up, others, numbers.plate_outside)
        owner[p] = _until_it_fades(mine, push > numbers.plate_faint)
    pressed = (owner[:, None] == limbs).any(axis=0)
    loaded = pressed | support.on
    seen = np.array([_seen(*rows) for rows in zip(pressed, loaded, strict=True)])
    seen = seen.reshape(loaded.shape)
    shared = np.zeros_like(loaded)
    for p, corners in enumerate(plates.corners):
        over = _over(corners, support, up) & loaded & (plates.outlined | ~seen)
        mine = owner[p] == limbs
        theirs = over & ~mine & (owner[p] >= 0)
        shared |= theirs | (mine & theirs.any(axis=0))
    return PlateOwners(owner, loaded, seen, shared)


def assign(
    plates: Plates,
    support: Support,
    up: np.ndarray,
    alone: np.ndarray | None = None,
    others: frozenset[int] = frozenset(),
    parameters: GroundParameters | None = None,
) -> Measured:
    """Return what plates measured of each limb.

    A limb is covered where its whole sole is over plates and no other stands on the same ones.

    Args:
        plates, support, up, others: As in :func:`plate_owners`.
        alone: ``(F)`` nothing but feet can carry; None: everywhere.
        parameters: How far pressures and soles may be off.

    Returns:
        Measured: Moments are about the world's origin.
    """
    frames, numbers = support.part.shape[-1], parameters or GroundParameters()
    owned = plate_owners(plates, support, up, others, numbers)
    force, moment = np.zeros((2, *support.point.shape))
    point, normal = np.array(support.point), np.array(support.normal)
    for p, owner in enumerate(owned.owner):
        about, level = _surface(plates, p, up, frames)
        shifted = plates.moment[p] + cross(about, plates.force[p])
        for k in range(len(support.feet)):
            mine = owner == k
            force[k][:, mine] += plates.force[p][:, mine]
            moment[k][:, mine] += shifted[:, mine]
            point[k][:, mine], normal[k][:, mine] = about[:, mine], level[:, mine]
    loaded, whole = owned.loaded, owned.seen
    if plates.outlined:
        stances = zip(owned.seen, loaded, strict=True)
        whole = np.stack(
            [_whole(k, support, *s, plates, up, numbers.plate_reach) for k, s in enumerate(stances)]
        )
    unknown = ~np.isfinite(plates.force).all(axis=1)
    covered = loaded & whole & ~owned.shared & ~unknown.any(axis=0)  # a hole is no empty plate
    part = np.where((support.part < 0) & covered, np.array(support.feet)[:, None], support.part)
    loads = Loads(
        np.where(covered[:, None], force, 0.0),
        np.where(covered[:, None], moment, 0.0),
        np.zeros(frames, bool),
    )
    where = replace(support, part=part, point=point, normal=normal)
    alone = np.ones(frames, bool) if alone is None else alone
    return Measured(where, loads, covered, loaded, alone, unknown.all(axis=0))


def _surface(plates: Plates, p: int, up: np.ndarray, frames: int) -> tuple[np.ndarray, np.ndarray]:
    """Return ``(3, F)`` m and unit vectors: the centre of a plate, and its normal upwards."""
    normal = plates.normal[p] * np.sign(plates.normal[p] @ up)
    return np.repeat(plates.centre[p][:, None], frames, axis=1), np.repeat(
        normal[:, None], frames, axis=1
    )


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
