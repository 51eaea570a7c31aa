"""Limb wrenches known from force plates, low-passed as the motion is."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from mocap_reroot.contact.support import pressures
from mocap_reroot.numerics.vectors import dot
from mocap_reroot.signals.filters import check_cutoff, low_pass
from mocap_reroot.types import LEAST_FORCE, Loads, Measured, Motion, Total

_LINES = 0.32
"""Waves per interval that frames joined by straight lines pass at −3 dB."""


@dataclass(frozen=True, eq=False)
class Known:
    """The wrenches that need no estimate.

    Attributes:
        there: ``(l, F)`` whether the limb's wrench is known, be it nothing.
        loads: The wrenches, moments about the world's origin; 0 where they are not known.
        on: ``(l, F)`` plates bear the limb.
        beyond: ``(l, F)`` m, how far ahead of the toe joint it presses.
        point, normal: ``(l, 3, F)`` m, of the plates under the limbs.
    """

    there: np.ndarray
    loads: Loads
    on: np.ndarray
    beyond: np.ndarray
    point: np.ndarray
    normal: np.ndarray

    def cut(self, frames: slice) -> Known:
        """Return some frames."""
        loads = replace(
            self.loads, force=self.loads.force[..., frames], moment=self.loads.moment[..., frames]
        )
        rows = (x[..., frames] for x in (self.on, self.beyond, self.point, self.normal))
        return Known(self.there[:, frames], loads, *rows)

    def of(self, limbs: list[int]) -> Known:
        """Return some limbs."""
        rows = (x[limbs] for x in (self.on, self.beyond, self.point, self.normal))
        return Known(self.there[limbs], self.loads.of(limbs), *rows)


def known_wrenches(
    measured: Measured, feet: list[bool], up: np.ndarray, way: str, fps: float, hertz: float | None
) -> Known:
    """Return what is known of the limbs.

    A foot's wrench is known over the whole stance that plates bore, and nothing before and after
    it, but what the low-pass spreads.

    Args:
        measured: What plates say of each foot, moments about the world's origin.
        feet: Which limbs are feet.
        up: ``(3)``.
        way: ``"measured"``, or ``"auto"``: only where plates bear every foot that is loaded.
        fps: Frames per second.
        hertz: Cut-off of the low-pass; None: as measured.
    """
    limbs, frames = measured.covered.shape
    stances = zip(measured.covered, measured.loaded, strict=True)
    there = np.array([covered[_nearest(on)] for covered, on in stances]).reshape(limbs, frames)
    if way == "auto":
        there &= (measured.covered | ~measured.loaded)[feet].all(axis=0)
    raw = np.concatenate([measured.loads.force, measured.loads.moment], axis=1)
    smooth = raw if hertz is None else low_pass(raw, hertz, fps)
    smooth = np.where(there[:, None], smooth, 0.0)
    loads = Loads(smooth[:, :3], smooth[:, 3:], np.zeros(frames, bool))
    plane = measured.support.point, measured.support.normal
    on = there & (measured.covered | (np.einsum("c,lcf->lf", up, loads.force) > LEAST_FORCE))
    return Known(there, loads, on, _beyond(measured, loads, on, up), *plane)


def bandwidth(
    plates_cutoff: float | str,
    cutoff: float | str | None,
    motion: Motion,
    ground: str,
) -> float | None:
    """Return the cut-off, Hz, by which plates are low-passed; None where they are not.

    Args:
        plates_cutoff: As given: ``"auto"``, ``"none"`` or Hz.
        cutoff: That of the motion.
        motion: Smoothed.
        ground: ``"consistent"``: the path of the root keeps what its frames tell; ``"filtered"``:
            it is low-passed like the joints.
    """
    if plates_cutoff == "none":
        return None
    if plates_cutoff != "auto":
        return check_cutoff(plates_cutoff, motion.fps)
    if ground == "consistent":
        hertz = _LINES * motion.fps
    else:
        chosen = [one.value for one in motion.source.inferred if one.what == "cutoff"]
        given = chosen[-1] if cutoff == "auto" and chosen else cutoff
        hertz = np.inf if given in (None, "auto") else float(given)
    return hertz if hertz < 0.4 * motion.fps else None


def _nearest(on: np.ndarray) -> np.ndarray:
    """Return ``(F)`` the nearest frame in which something is on; the frame itself if none is."""
    frames = np.flatnonzero(on)
    at = np.arange(len(on))
    if not len(frames):
        return at
    after = np.minimum(np.searchsorted(frames, at), len(frames) - 1)
    before = np.maximum(after - 1, 0)
    return np.where(
        np.abs(at - frames[before]) < np.abs(at - frames[after]), frames[before], frames[after]
    )


def _beyond(measured: Measured, loads: Loads, on: np.ndarray, up: np.ndarray) -> np.ndarray:
    """Return ``(l, F)`` m, how far ahead of the toe joint each limb presses."""
    frames = on.shape[1]
    origin = Total(np.zeros((3, frames)), np.zeros((3, frames)), np.zeros((3, frames)), up)
    place, _ = pressures(measured.support, loads, origin)
    result = np.full(on.shape, np.nan)
    for k, outlines in enumerate(measured.support.outlines):
        if len(outlines) < 2:
            result[k] = -1.0
            continue
        heel, ball = outlines[0][:2].mean(axis=0), outlines[0][2:4].mean(axis=0)
        ahead = ball - heel
        away = dot(place[k] - ball, ahead) / np.sqrt(dot(ahead, ahead))
        firm = on[k] & np.isfinite(away)
        result[k] = np.where(firm.any(), away[_nearest(firm)], -1.0)
    return result
