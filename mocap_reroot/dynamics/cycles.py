"""Gait cycles: curves of a leg over 0–100 % of its strides, and their peaks.

Angles, moments per kg and powers per kg are those of ``anatomy`` and ``torques``; ground forces are
in body weights along up, forwards (the way the pelvis faces on the whole over the stride, so that
treadmills and turns have a forward too) and outwards of that leg.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np

from mocap_reroot.dynamics.anatomical_frames import Frames, anatomical_frames
from mocap_reroot.dynamics.anatomy import SIDED, ends, relative
from mocap_reroot.numerics.vectors import matrices
from mocap_reroot.schema import Blocks
from mocap_reroot.types import STANDARD_GRAVITY, Dynamics, Motion, Sole

PERCENT = np.arange(101)
_LEG = SIDED[:3]
CURVES = (
    *(f"{j.name}_{motion}_deg" for j in _LEG for motion, _ in j.motions),
    *(f"{j.name}_{motion}_nm_kg" for j in _LEG for motion, _ in j.motions),
    *(f"{j.name}_power_w_kg" for j in _LEG),
    "grf_vertical_bw", "grf_forward_bw", "grf_lateral_bw",
)  # fmt: skip
"""What a cycle has a curve of, by the names of its columns."""
_AT_ONCE = 4096
"""Strides whose peaks are taken at a time: curves of a long clip are never held as a whole."""


def cycle_blocks(
    result: Dynamics, motion: Motion, soles: tuple[Sole, ...], strides: Mapping[str, Any] | None
) -> Blocks | None:
    """Return the rows of ``cycles.parquet``, 101 a sound stride; None where there is no person.

    Args:
        result: Torques and ground forces.
        motion: The captured motion.
        soles: Undersides of the feet.
        strides: Columns of ``strides.csv``.
    """
    frames = anatomical_frames(result.skeleton, soles)
    anatomy = result.extra.noun("anatomy")
    if frames is None or anatomy is None or strides is None:
        return None
    rows = [k for k, sound in enumerate(strides["sound"]) if sound and strides["side"][k]]

    def make(n_rows: int) -> Iterator[dict[str, np.ndarray]]:
        curves = _Curves(result, motion, frames, anatomy)
        some = max(n_rows // len(PERCENT), 1)
        for first in range(0, max(len(rows), 1), some):
            chosen = rows[first : first + some]
            values = curves.over({n: [c[k] for k in chosen] for n, c in strides.items()})
            side = np.array([strides["side"][k] for k in chosen], object)
            yield {
                "stride": np.repeat(np.array(chosen, np.int64), len(PERCENT)),
                "side": np.repeat(side, len(PERCENT)),
                "percent": np.tile(PERCENT, len(chosen)),
                **dict(zip(CURVES, values.reshape(len(CURVES), -1), strict=True)),
            }

    return Blocks(len(rows) * len(PERCENT), 3 + len(CURVES), make)


def peak_columns(cycles: Blocks | None) -> dict[str, list] | None:
    """Return the columns of ``peaks.csv``: least, greatest and mean of every curve of a stride."""
    if cycles is None:
        return None
    found: dict[str, list] = {
        name: []
        for name in (
            "stride", "side", "quantity", "least", "least_at", "greatest", "greatest_at", "mean",
        )
    }  # fmt: skip
    for block in cycles.make(_AT_ONCE * len(PERCENT)):
        strides, sides = (block[n][:: len(PERCENT)].tolist() for n in ("stride", "side"))
        curves = np.array([block[name] for name in CURVES]).reshape(len(CURVES), -1, len(PERCENT))
        known = np.isfinite(curves).all(axis=2)
        # The first and the last percent are both of the strike: the mean is over the time between.
        mean = (curves[..., 1:] + curves[..., :-1]).sum(axis=2) / 2 / (len(PERCENT) - 1)
        low, high = curves.argmin(axis=2), curves.argmax(axis=2)
        for k, (stride, side) in enumerate(zip(strides, sides, strict=True)):
            for q in np.flatnonzero(known[:, k]).tolist():
                least, most = int(low[q, k]), int(high[q, k])
                row = (
                    stride, side, CURVES[q], float(curves[q, k, least]), least,
                    float(curves[q, k, most]), most, float(mean[q, k]),
                )  # fmt: skip
                for column, value in zip(found.values(), row, strict=True):
                    column.append(value)
    return found


class _Curves:
    """Curves of both legs over the frames of a clip.

    Attributes:
        of_leg: By side, ``(len(CURVES) - 3, F)``; NaN where the skeleton lacks a joint.
        force: ``(f, 3, F)`` body weights, on each foot.
        facing: ``(3, F)`` unit vectors, forwards of the pelvis.
    """

    def __init__(
        self, result: Dynamics, motion: Motion, frames: Frames, anatomy: Mapping[str, Any]
    ) -> None:
        mass, empty = result.body.total_mass, np.full(motion.n_frames, np.nan)
        self.result, self.frames = result, frames
        self.of_leg = {}
        for side in frames.rightwards:
            rows = []
            for name in CURVES[:-3]:
                joint, _, motion_and_unit = name.partition("_")
                if motion_and_unit == "power_w_kg":
                    found = ends(
                        result.skeleton, frames, next(j for j in _LEG if j.name == joint), side
                    )
                    rows.append(empty if found is None else result.power[found[2]] / mass)
                elif name.endswith("_deg"):
                    rows.append(anatomy.get(f"{side}_{name}", empty))
                else:
                    moment = anatomy.get(f"{side}_{name.removesuffix('_nm_kg')}_moment", empty)
                    rows.append(moment / mass)
            self.of_leg[side] = np.stack(rows)
        self.force = result.foot_force / (mass * STANDARD_GRAVITY)
        pelvis = _pelvis(motion, frames)
        self.facing = (
            matrices(relative(motion, -1, pelvis)).transpose(2, 0, 1) @ (frames.turn[pelvis][:, 0])
        )

    def over(self, strides: Mapping[str, list]) -> np.ndarray:
        """Return ``(len(CURVES), strides, 101)`` the curves by percent of each stride."""
        start = np.array(strides["start_frame"], int) - self.result.start
        stop = np.array(strides["stop_frame"], int) - self.result.start
        made = np.full((len(CURVES), len(start), len(PERCENT)), np.nan)
        feet = {name: k for k, name in enumerate(self.result.foot_names)}
        up = self.result.up
        for k, (a, b) in enumerate(zip(start.tolist(), stop.tolist(), strict=True)):
            side = strides["side"][k]
            if side not in self.of_leg:
                continue
            at = np.linspace(0, b - a, len(PERCENT))
            low = np.minimum(at.astype(int), b - a - 1)
            share = at - low
            inside = slice(a, b + 1)
            made[:-3, k] = _between(self.of_leg[side][:, inside], low, share)
            force = _between(self.force[feet[strides["foot"][k]]][:, inside], low, share)
            forward = np.nanmean(self.facing[inside], axis=0)
            forward = forward - up * (up @ forward)
            forward /= np.linalg.norm(forward)
            outwards = self.frames.rightwards[side] * np.cross(forward, up)
            made[-3:, k] = np.stack([up, forward, outwards]) @ force
        return made


def _between(curves: np.ndarray, low: np.ndarray, share: np.ndarray) -> np.ndarray:
    """Return curves between their frames: linear from frame ``low`` to the next."""
    return np.asarray(curves[:, low] * (1 - share) + curves[:, low + 1] * share)


def _pelvis(motion: Motion, frames: Frames) -> int:
    """Return the body that faces the way the person does."""
    anatomy = motion.skeleton.anatomy
    assert anatomy is not None
    found = [b for part in ("pelvis", "trunk") for b in anatomy.find(part) if b in frames.turn]
    return found[0] if found else next(iter(frames.turn))
