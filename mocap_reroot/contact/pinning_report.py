"""What pinning the feet changed: contacts, forces and torques before and after, in one sentence."""

from __future__ import annotations

import numpy as np

from mocap_reroot.types import STANDARD_GRAVITY, Dynamics, Inference


def pinning_effect(before: Dynamics, after: Dynamics) -> Inference:
    """Return how contacts, ground forces and torques differ between two analyses of a clip.

    Args:
        before, after: Of the same skeleton and frames, without and with pinned feet.
    """
    skate = [found.quality.get("foot_skate_mm_s") for found in (before, after)]
    feet = [k for k, foot in enumerate(before.feet) if foot in after.feet]
    same = [after.feet.index(before.feet[k]) for k in feet]
    changed = int((before.foot_on[feet] != after.foot_on[same]).sum())
    weight = before.body.total_mass * STANDARD_GRAVITY
    force = [np.einsum("c,kcf->f", found.up, found.foot_force) for found in (before, after)]
    moved = _rms(force[1] - force[0]) / weight
    peaks = [np.nanmax(found, initial=0.0) / weight for found in force]
    torque = [found.torque for found in (before, after)]
    legs = sorted({b for foot in before.feet for b in before.skeleton.chain(foot)[:3]})
    turned = _rms(torque[1][legs] - torque[0][legs])
    worst = [float(np.nanmax(np.abs(found[legs]), initial=0.0)) for found in torque]
    value = {
        "contact_frames_changed": changed,
        "skate_mm_s": [None if s is None else round(s, 2) for s in skate],
        "vertical_force_change_bw_rms": round(moved, 4),
        "peak_vertical_force_bw": [round(float(p), 3) for p in peaks],
        "leg_torque_change_nm_rms": round(turned, 3),
        "peak_leg_torque_nm": [round(w, 2) for w in worst],
    }
    evidence = (
        f"pinning the feet changed {changed} contact frames, the vertical ground force by "
        f"{100 * moved:.1f} % of body weight RMS (peak {peaks[0]:.2f} before, {peaks[1]:.2f} "
        f"after) and the legs' torques by {turned:.1f} N·m RMS (greatest {worst[0]:.0f} before, "
        f"{worst[1]:.0f} after)"
    )
    return Inference("pinned_feet", value, 1.0, evidence)


def _rms(values: np.ndarray) -> float:
    good = values[np.isfinite(values)]
    return float(np.sqrt(np.mean(good**2))) if len(good) else 0.0
