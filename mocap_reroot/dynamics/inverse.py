"""inverse_dynamics(): joint torques and ground forces of a motion."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np

from mocap_reroot.columns import Made, Tables
from mocap_reroot.dynamics import quality
from mocap_reroot.dynamics.anatomy import anatomy_columns
from mocap_reroot.dynamics.band import torque_band
from mocap_reroot.dynamics.normalised import normalised
from mocap_reroot.dynamics.rooted import (
    Clip,
    JointWrenches,
    loads_on_bodies,
    other_feet_agree,
    poses_only,
    put_loads,
    support_rooted,
)
from mocap_reroot.dynamics.unsupported import as_rooted
from mocap_reroot.errors import MocapRerootError
from mocap_reroot.ground.admissible import SLACK
from mocap_reroot.ground.effort import legs_of
from mocap_reroot.ground.placing import place_feet
from mocap_reroot.ground.plates import assign, combine, doubts, plates_for
from mocap_reroot.ground.sharing import share
from mocap_reroot.ground.support import Loads, Support, Total, outside, pressures, support_of
from mocap_reroot.kernels.memory import give_back
from mocap_reroot.mechanics.kinematics import forward
from mocap_reroot.mechanics.newton_euler import newton_euler
from mocap_reroot.types import (
    LEFT_OUT,
    STANDARD_GRAVITY,
    BodyModel,
    Dynamics,
    Motion,
    Phase,
    Plates,
    Rooted,
    flag_code,
)


def inverse_dynamics(
    rooted: Rooted | Motion,
    body: BodyModel,
    *,
    forces: Plates | str | None = None,
    sharing: str = "balance",
    band: bool = False,
    normalise: str = "none",
    threads: int = 1,
) -> Dynamics:
    """Return the joint torques and the ground forces of a motion.

    In single support they come from the tree rooted at the foot that carries: the wrench across
    the support *is* the ground reaction. In double support the total is shared by a rule, and in
    flight nothing carries: what remains is the residual at the capture root.

    Args:
        rooted: A motion re-rooted at its support; or a captured motion, of which nothing is known
            to touch the ground: everything is then residual.
        body: Mass model.
        forces: Force plates to use; ``"measured"`` for the motion's own, ``"auto"`` for those if
            they cover every loaded foot, None or ``"predicted"`` to do without.
        sharing: Rule by which feet share the load (``mocap_reroot.ground.sharing.RULES``).
        band: Whether to add the least and greatest torques over all admissible sharings to the
            torques (``<body>_mx_lo``, ``<body>_mx_hi`` …); costs linear programs.
        normalise: ``"kg"`` or ``"bwh"`` adds a table of normalised torques to ``extra``.
        threads: Threads for Newton-Euler.

    Raises:
        MocapRerootError: The motion has no derivatives; or measured forces are asked for and
            there are none, or for a plain motion.
    """
    if isinstance(rooted, Motion):
        if isinstance(forces, Plates) or forces == "measured":
            raise MocapRerootError(
                "Measured forces act on feet, and of a plain motion it is not known which feet "
                "stand when: give reroot(motion, detect_contacts(motion)) instead."
            )
        rooted = as_rooted(rooted)
    captured = rooted.captured
    clip = Clip.rooted(rooted, body)
    wrenches, total = support_rooted(clip, threads)
    placed = place_feet(captured, body, rooted.contacts)
    support = support_of(rooted.contacts, placed)
    legs = partial(legs_of, captured, body, support.feet)
    loads = share(total, support, placed.centre, captured.fps, sharing, legs)
    give_back(8 * wrenches.moment.nbytes)
    plates, way = plates_for(forces, captured)
    measured = assign(plates, support, total) if plates is not None and support.feet else None
    used, applied = support, loads
    source = _predicted(support)
    if measured is not None and way != "predicted":
        used, applied, source = combine(measured, support, loads, way)
    # One foot's torques need no wrench at all; those of several need the loads.
    several, predicted = support.count > 1, source == "predicted"
    fixed = several | np.isin(source, ("measured", "mixed"))
    on_bodies = loads_on_bodies(placed, used, applied, total.about)
    del placed, legs  # a long clip fills the memory with what is still needed
    apart = put_loads(wrenches, clip, on_bodies, fixed, predicted & ~several)
    together = predicted & several
    apart = max(apart, other_feet_agree(wrenches, rooted, clip, support, on_bodies, together))
    del on_bodies
    give_back(8 * wrenches.moment.nbytes)
    result = _assemble(rooted, body, wrenches, total, used, applied, source)
    figures: dict[str, Any] = {"root_invariance_nm": apart if apart >= 0 else float("nan")}
    figures |= quality.figures(result, rooted.contacts, support)
    extra: dict[str, Made] = {}
    if measured is not None:
        weight = body.total_mass * STANDARD_GRAVITY
        figures |= quality.against_plates(measured, loads, total, weight, result.mode)
        extra["plates"] = measured.table(result, total)
        if way != "predicted":  # what the motion alone says, beside what was measured
            alone = _predicted(support)
            extra["predicted"] = _assemble(rooted, body, wrenches, total, support, loads, alone).grf
    extra["anatomy"] = partial(anatomy_columns, result, captured, rooted.contacts.soles)
    if normalise != "none":
        extra["normalised"] = normalised(result, normalise)
    flags = _flags(captured, applied, result, support)
    if band:
        unloaded = newton_euler(captured, body).moment
        world = forward(poses_only(captured))
        told = flags == flag_code("inadmissible")
        extra["band"] = torque_band(result, total, support, world, unloaded, told)
    warnings = doubts(measured, plates, total, body.total_mass * STANDARD_GRAVITY, way)
    return replace(result, quality=figures, extra=Tables(extra), flags=flags, warnings=warnings)


def _predicted(support: Support) -> np.ndarray:
    """Return ``(F)`` where ground forces come from if there are no plates."""
    return np.where(support.count > 0, "predicted", "none").astype(object)


def _each_frame(rooted: Rooted, value: Callable[[Phase], Any], dtype: Any) -> np.ndarray:
    """Return ``(F)`` a value of the phase in every frame."""
    result = np.empty(rooted.captured.n_frames, dtype)
    for phase in rooted.contacts.phase_list:
        start = rooted.captured.start
        result[phase.start - start : phase.stop - start] = value(phase)
    return result


def _assemble(
    rooted: Rooted,
    body: BodyModel,
    wrenches: JointWrenches,
    total: Total,
    support: Support,
    loads: Loads,
    source: np.ndarray,
) -> Dynamics:
    """Put a result together: power, pressure and residual follow from the rest."""
    captured, names = rooted.captured, rooted.captured.skeleton.names
    assert captured.angular_velocity is not None  # Newton-Euler has asked for it
    place, couple = pressures(support, loads, total)
    return Dynamics(
        skeleton=captured.skeleton,
        body=body,
        fps=captured.fps,
        start=captured.start,
        up=captured.up,
        flags=captured.flags,
        phase=_each_frame(rooted, lambda phase: phase.index, np.int64),
        mode=_each_frame(rooted, lambda phase: phase.mode, object),
        root=_each_frame(rooted, lambda phase: names[phase.root], object),
        source=source,
        torque=wrenches.moment,
        force=wrenches.force,
        power=np.einsum("ncf,ncf->nf", wrenches.moment, captured.angular_velocity),
        feet=support.feet,
        foot_on=support.on,
        foot_force=loads.force,
        foot_pressure=place,
        foot_couple=couple,
        residual_force=total.force - loads.force.sum(axis=0),
        residual_moment=total.moment - loads.moment.sum(axis=0),
    )


def _flags(captured: Motion, loads: Loads, result: Dynamics, support: Support) -> np.ndarray:
    """Return the motion's flags, with words for frames whose ground forces are doubtful."""
    flags = np.array(captured.flags)
    sound = flags == 0
    empty = result.foot_on & ~np.isfinite(result.foot_pressure).all(axis=1)
    single = (result.foot_on.sum(axis=0) == 1) & empty.any(axis=0)
    flags[sound & single] = flag_code("no_pressure")
    flags[sound & (loads.inadmissible | _off_the_soles(result, support))] = flag_code(
        "inadmissible"
    )
    # Whatever went wrong on the way, no number that is none leaves in silence.
    root = result.skeleton.root
    total = result.foot_force.sum(axis=(0, 1))
    for rows in (slice(None, root), slice(root + 1, None)):  # views: these arrays are large
        total += result.torque[rows].sum(axis=(0, 1)) + result.force[rows].sum(axis=(0, 1))
        total += result.power[rows].sum(axis=0)
    flags[~np.isfinite(total) & ~np.isin(flags, list(LEFT_OUT))] = flag_code("not_finite")
    return flags


def _off_the_soles(result: Dynamics, support: Support) -> np.ndarray:
    """Return ``(F)`` feet that share a load press outside their soles, as next to a seam they may.

    There the foot that stays bears nearly all, and bears it where it did alone.
    """
    shared = (support.count > 1) & (result.source == "predicted")
    found = np.zeros(len(shared), bool)
    for place, corners in zip(result.foot_pressure, support.corners, strict=True):
        asked = shared & np.isfinite(place).all(axis=0)
        if asked.any():
            found[asked] |= outside(place, corners, result.up, asked)[asked] > SLACK
    return found
