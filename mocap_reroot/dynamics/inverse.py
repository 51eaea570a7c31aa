"""inverse_dynamics(): joint torques of a motion under the ground's wrenches."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np

from mocap_reroot.contact.poses import contact_poses
from mocap_reroot.contact.support import pressures
from mocap_reroot.dynamics import quality
from mocap_reroot.dynamics.anatomy import anatomy_columns
from mocap_reroot.dynamics.band import SLACK, torque_band
from mocap_reroot.dynamics.coordinates import coordinate_columns
from mocap_reroot.dynamics.feasibility import feasibility
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
from mocap_reroot.ground.estimate import filtered_ground
from mocap_reroot.mechanics.kinematics import forward
from mocap_reroot.mechanics.newton_euler import newton_euler
from mocap_reroot.resources.memory import give_back
from mocap_reroot.schema import Tables
from mocap_reroot.types import (
    LEFT_OUT,
    STANDARD_GRAVITY,
    BodyModel,
    Dynamics,
    Ground,
    Measured,
    Motion,
    Phase,
    Rooted,
    Support,
    Total,
    flag_code,
)

_PLATES = ("measured", "mixed")
"""Sources of a frame whose wrenches plates have a part in."""
_ROUNDING = 1e-6
"""Body weights (× 1 m): a residual that is none."""
FLIP_REACH = 0.2
"""s, over which a low-pass of 6 Hz spreads a flip until 0.1 % of its acceleration is left."""
IMPOSSIBLE = 10.0
"""N·m/kg that no joint of a person bears; the strongest hips hold 5."""


def inverse_dynamics(
    rooted: Rooted | Motion,
    body: BodyModel,
    ground: Ground | None = None,
    *,
    band: bool = False,
    normalise: str = "none",
    threads: int = 1,
) -> Dynamics:
    """Return the joint torques of a motion, and the ground forces that go with them.

    In single support they come from the tree rooted at the foot that carries: the wrench across
    the support *is* the ground reaction. With several feet, or plates, the wrenches of the ground
    act on the tree; in flight nothing carries: what remains is the residual at the capture root.

    Args:
        rooted: A motion re-rooted at its support; or a captured motion, of which nothing is known
            to touch the ground: everything is then residual.
        body: Mass model.
        ground: What the ground does (:func:`mocap_reroot.estimate_ground`); without it, what the
            motion alone tells of the limbs that carry by ``rooted.contacts``.
        band: Whether to add the least and greatest torques over all admissible sharings to the
            torques (``<body>_mx_lo``, ``<body>_mx_hi`` …); costs linear programs.
        normalise: ``"kg"`` or ``"bwh"`` adds a table of normalised torques to ``extra``.
        threads: Threads for Newton-Euler.

    Raises:
        MocapRerootError: The motion has no derivatives, or is not the one of the ground.
    """
    rooted = as_rooted(rooted) if isinstance(rooted, Motion) else rooted
    captured = rooted.captured
    clip = Clip.rooted(rooted, body)
    wrenches, total = support_rooted(clip, threads)
    if ground is None:
        ground = filtered_ground(captured, body, rooted.contacts)
    elif ground.source.size != captured.n_frames:
        raise MocapRerootError(
            f"The ground has {ground.source.size} frames and the motion {captured.n_frames}: "
            "re-root ground.motion with ground.contacts."
        )
    by_support, invariance = _under_loads(wrenches, rooted, clip, ground, total)
    give_back(8 * wrenches.moment.nbytes)
    ground = replace(ground, total=total)
    result = _assemble(rooted, body, wrenches, ground)
    result = replace(result, flags=_flags(captured, ground, result, ground.support))
    asks = feasibility(result, ground)
    figures = {
        "root_invariance_nm": invariance,
        **quality.figures(result, rooted.contacts, ground.support),
        **quality.consistency(ground, by_support),
        **ground.figures,
        "feasibility": asks.medians,
        **_against_plates(result, ground),
    }
    extra: dict[str, Any] = {"feasibility": asks}
    if ground.measured is not None:
        extra["plates"] = as_measured(ground.measured, result, total)
        if ground.predicted is not None:  # what the motion alone says, beside what was measured
            extra["predicted"] = _as_predicted(rooted, body, wrenches, ground)
    if captured.coordinates is not None:
        extra["coordinates"] = partial(coordinate_columns, result, captured)
    extra["anatomy"] = partial(anatomy_columns, result, captured, rooted.contacts.soles)
    if normalise != "none":
        extra["normalised"] = normalised(result, normalise)
    return replace(
        result,
        quality=figures,
        band=_band(result, captured, ground) if band else None,
        extra=Tables(extra),
        warnings=ground.warnings,
    )


def _under_loads(
    wrenches: JointWrenches, rooted: Rooted, clip: Clip, ground: Ground, total: Total
) -> tuple[np.ndarray, float]:
    """Put the ground's loads on the tree where they decide, in place.

    One foot's torques need no wrench at all; those of several need the loads.

    Returns:
        ``(F)`` where one foot's torques are those of the support-rooted tree; N·m, the largest
        difference between torques by two roots, NaN where nothing could be compared.
    """
    support, source = ground.support, ground.source
    single, several, predicted = support.count == 1, support.count > 1, source == "predicted"
    fixed = several | np.isin(source, _PLATES)
    whole = np.ones(len(source), bool)
    if ground.correction is not None:  # what is left over stays at the capture root
        whole = quality.unexplained(ground, 1.0) <= _ROUNDING
        fixed |= single & ~whole
    if ground.pushed is not None:
        fixed |= ground.pushed >= 0
    placed = contact_poses(rooted.captured, clip.body, rooted.contacts)
    loads = loads_on_bodies(placed, ground, total.about)
    del placed  # a long clip fills the memory with what is still needed
    apart = put_loads(wrenches, clip, loads, fixed, predicted & ~fixed)
    together = predicted & several & whole
    apart = max(apart, other_feet_agree(wrenches, rooted, clip, support, loads, together))
    return single & ~fixed, apart if apart >= 0 else float("nan")


def _against_plates(result: Dynamics, ground: Ground) -> dict[str, Any]:
    """Return what the motion alone predicts against plates; nothing where plates were used."""
    measured, alone = ground.measured, ground.alone
    if measured is None or (ground.predicted is None and np.isin(ground.source, _PLATES).any()):
        return {}
    both = [foot for foot in alone.support.feet if foot in ground.support.feet]
    ours, theirs = ([x.feet.index(foot) for foot in both] for x in (alone.support, ground.support))
    weight = result.body.total_mass * STANDARD_GRAVITY
    return quality.against_plates(
        measured.of(theirs), alone.loads.of(ours), alone.total, weight, result.mode
    )


def _band(result: Dynamics, captured: Motion, ground: Ground) -> np.ndarray:
    """Return the band of torques over all admissible sharings."""
    unloaded = newton_euler(captured, result.body).moment
    inadmissible = result.flags == flag_code("inadmissible")
    world = forward(poses_only(captured))
    return torque_band(result, ground.total, ground.support, world, unloaded, inadmissible)


def _as_predicted(
    rooted: Rooted, body: BodyModel, wrenches: JointWrenches, ground: Ground
) -> Dynamics:
    """Return a result with the ground forces that the motion alone tells: ``predicted``."""
    alone = ground.alone
    source = np.where(alone.support.count > 0, "predicted", "none").astype(object)
    told = replace(
        ground, total=alone.total, support=alone.support, loads=alone.loads, source=source,
        external=alone.external,
    )  # fmt: skip
    found = _assemble(rooted, body, wrenches, told)
    words = np.array(["flight", "single", "double", "multi"], object)
    mode = words[np.minimum(alone.support.count, 3)]
    return replace(found, mode=np.where(found.phase < 0, "none", mode))


def as_measured(measured: Measured, result: Dynamics, total: Total) -> Dynamics:
    """Return a result with the ground forces that plates measured: ``plates.parquet``.

    The residual is what plates did not measure, be it because a foot stood beside them. Frames
    that no plate recorded are a gap.
    """
    gap = measured.unmeasured
    source = np.where(measured.complete, "measured", np.where(measured.partial, "mixed", "none"))
    place, couple = pressures(measured.support, measured.loads, total)
    missing = total.force - measured.loads.force.sum(axis=0)
    turning = total.moment - measured.loads.moment.sum(axis=0)
    return replace(
        result,
        foot_on=measured.covered,
        foot_force=measured.loads.force,
        foot_pressure=place,
        foot_couple=couple,
        source=source.astype(object),
        phase=np.where(gap, -1, result.phase),
        flags=np.where(gap & (result.flags == 0), flag_code("gap"), result.flags),
        residual_force=np.where(gap, np.nan, missing),
        residual_moment=np.where(gap, np.nan, turning),
    )


def _each_frame(rooted: Rooted, value: Callable[[Phase], Any], dtype: Any) -> np.ndarray:
    """Return ``(F)`` a value of the phase in every frame."""
    result = np.empty(rooted.captured.n_frames, dtype)
    for k, phase in enumerate(rooted.phases):
        result[slice(*rooted.span(k))] = value(phase)
    return result


def _assemble(rooted: Rooted, body: BodyModel, wrenches: JointWrenches, ground: Ground) -> Dynamics:
    """Put a result together: power, pressure and residual follow from the rest."""
    captured, names = rooted.captured, rooted.captured.skeleton.names
    support, loads = ground.support, ground.loads
    assert captured.angular_velocity is not None  # Newton-Euler has asked for it
    place, couple = pressures(support, loads, ground.total)
    return Dynamics(
        skeleton=captured.skeleton,
        body=body,
        fps=captured.fps,
        start=captured.start,
        start_time=captured.source.start_time,
        up=captured.up,
        flags=captured.flags,
        phase=_each_frame(rooted, lambda phase: phase.index, np.int64),
        mode=_each_frame(rooted, lambda phase: phase.mode, object),
        root=_each_frame(rooted, lambda phase: names[phase.root], object),
        source=ground.source,
        torque=wrenches.moment,
        force=wrenches.force,
        power=np.einsum("ncf,ncf->nf", wrenches.moment, captured.angular_velocity),
        feet=support.feet,
        foot_on=support.on,
        foot_force=loads.force,
        foot_pressure=place,
        foot_couple=couple,
        residual_force=ground.residual_force,
        residual_moment=ground.residual_moment,
        external_force=None if ground.external is None else ground.external[:3],
        external_moment=None if ground.external is None else ground.external[3:],
        pushed=ground.pushed,
    )


def _spread(captured: Motion, result: Dynamics) -> np.ndarray:
    """Return ``(F)`` where a flip nearby, spread by smoothing, asks for what no joint can give."""
    flips = captured.flags == flag_code("glitch")
    if not flips.any():
        return flips
    near, reach = np.zeros_like(flips), round(FLIP_REACH * captured.fps)
    for k in np.flatnonzero(flips).tolist():
        near[max(k - reach, 0) : k + reach + 1] = True
    frames = np.flatnonzero(near)
    torque = np.delete(result.torque, result.skeleton.root, axis=0)[..., frames]
    most = np.abs(torque).max(axis=(0, 1), initial=0.0)
    near[frames] = most > IMPOSSIBLE * result.body.total_mass
    return near


def _flags(captured: Motion, ground: Ground, result: Dynamics, support: Support) -> np.ndarray:
    """Return the motion's flags, with words for frames whose ground forces are doubtful."""
    flags = np.array(captured.flags)
    sound = flags == 0
    empty = result.foot_on & ~np.isfinite(result.foot_pressure).all(axis=1)
    single = (result.foot_on.sum(axis=0) == 1) & empty.any(axis=0)
    if ground.correction is None:  # consistent forces begin and end small
        flags[sound & single] = flag_code("no_pressure")
    flags[sound & (ground.loads.inadmissible | _off_the_soles(result, support))] = flag_code(
        "inadmissible"
    )
    flags[sound & _spread(captured, result)] = flag_code("glitch")
    # Whatever went wrong on the way, no number that is none leaves in silence.
    root = result.skeleton.root
    total = result.foot_force.sum(axis=(0, 1)) + result.foot_couple.sum(axis=0)
    total += (result.residual_force + result.residual_moment).sum(axis=0)
    for rows in (slice(None, root), slice(root + 1, None)):  # views: these arrays are large
        total += result.torque[rows].sum(axis=(0, 1)) + result.force[rows].sum(axis=(0, 1))
        total += result.power[rows].sum(axis=0)
    flags[~np.isfinite(total) & ~np.isin(flags, list(LEFT_OUT))] = flag_code("not_finite")
    return flags


def _off_the_soles(result: Dynamics, support: Support) -> np.ndarray:
    """Return ``(F)`` feet that share a load press outside their soles, as next to single support.

    There the foot that stays has nearly all of the load, and has it where it did alone.
    """
    shared = (support.count > 1) & (result.source == "predicted")
    return np.asarray((quality.outside_soles(result, support, shared) > SLACK).any(axis=0))
