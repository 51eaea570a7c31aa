"""Force plates: whether they are used, and whether they belong to the motion."""

from __future__ import annotations

import numpy as np

from mocap_reroot.config import FORCES
from mocap_reroot.contact.plate_rules import no_plates
from mocap_reroot.errors import MocapRerootError, UnknownNameError
from mocap_reroot.types import (
    LEAST_FORCE,
    STANDARD_GRAVITY,
    Measured,
    Motion,
    Plates,
    Total,
)

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
        return ()
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


def disagreement(missing: np.ndarray, known: np.ndarray, weight: float) -> tuple[str, ...]:
    """Return a sentence if plates that bear the whole body leave much of its motion unexplained.

    Args:
        missing: ``(3, F)`` N, what the motion needs beyond the plates.
        known: ``(F)`` plates bear every foot.
        weight: N, of the body.
    """
    known = known & np.isfinite(missing).all(axis=0)
    residual = float(np.sqrt((missing[:, known] ** 2).sum(axis=0).mean())) if known.any() else 0.0
    if residual < UNEXPLAINED * weight:
        return ()
    return (
        f"Force plates and motion do not agree: {residual:.0f} N (root mean square), "
        f"{100 * residual / weight:.0f} % of body weight, remain unexplained where plates bear "
        "every foot. Is the mass right, and do the plates belong to this recording, its axes and "
        "its time?",
    )
