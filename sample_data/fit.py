"""Find movements that obey Newton and look like people's: ``python -m sample_data.fit [NAME …]``.

Least squares over spline coefficients: joint angles, forces of each foot and joint moments near
mean curves of people, pressure near its path from heel to toe. What must hold weighs most: in
flight nothing pushes, feet press where they stand, knees do not overstretch, a foot in swing is
clear of the ground. Writes ``coefficients.json``.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np

from sample_data import gait_model as model
from sample_data.balance import Feet, Masses, Needs, feet, joint_moments, whole
from sample_data.gait import (
    GAITS,
    KINDS,
    STORE,
    Gait,
    basis,
    foot_path,
    is_free,
    pack,
    pose,
    stance_place,
    unpack,
)
from sample_data.norms import CURVES, RANGES, mean_curve, peak

SAMPLES = 192
"""Phases of the stride at which the movement is looked at."""
JERK = 500.0
"""Degrees, third derivative by phase in radians that a joint angle may have."""
TOE_TIP = np.array([0.0, -0.015, 0.07])
"""m, under the toes' tip, from the toe joint."""
TOE_BEND = 0.35
"""rad, by which toes may be bent in swing."""
LEG = tuple(model.NAMES.index(f"Left{part}") for part in ("UpLeg", "Leg", "Foot"))


@dataclass(frozen=True)
class Curves:
    """What the left leg does over a stride, ``(F)`` each, in the units of ``norms``."""

    need: Needs
    ground: Feet
    values: dict[str, np.ndarray]


def _spectral(values: np.ndarray, period: float, order: int) -> np.ndarray:
    """Return a derivative along axis 1 of periodic samples."""
    n = values.shape[1]
    rate = (2j * np.pi * np.fft.rfftfreq(n, 1 / n) / period) ** order
    shape = (1, -1) + (1,) * (values.ndim - 2)
    return np.fft.irfft(np.fft.rfft(values, axis=1) * rate.reshape(shape), n, axis=1)


def needs_of_a_stride(gait: Gait, masses: Masses, time: np.ndarray) -> tuple[Needs, dict]:
    """Return what bodies need at equal steps over one stride, differentiated by Fourier series."""
    root, local = pose(gait, time, strict=False)
    rotation, position = model.place(root, local)
    centre = position + np.einsum("nfij,nj->nfi", rotation, masses.com)
    drift = np.array([0, 0, 1]) * (gait.speed * time)[:, None]
    acceleration = _spectral(centre - drift, gait.period, 2)
    acceleration[..., 1] += model.GRAVITY
    spin = _spectral(rotation, gait.period, 1) @ np.swapaxes(rotation, 2, 3)
    omega = np.stack([spin[..., 2, 1], spin[..., 0, 2], spin[..., 1, 0]], axis=-1)
    own = np.einsum("nfji,nfj->nfi", rotation, omega)
    momentum = np.einsum("nfij,njk,nfk->nfi", rotation, masses.inertia, own, optimize=True)
    force = masses.mass[:, None, None] * acceleration
    return Needs(rotation, position, force, _spectral(momentum, gait.period, 1), centre), local


def angles(local: dict[str, np.ndarray]) -> dict[str, np.ndarray]:
    """Return flexion of the left hip, knee and ankle ``(F)``, degrees."""
    signs = {"hip": ("UpLeg", -1), "knee": ("Leg", 1), "ankle": ("Foot", -1)}
    return {
        name: sign
        * np.degrees(np.arctan2(local[f"Left{part}"][:, 2, 1], local[f"Left{part}"][:, 2, 2]))
        for name, (part, sign) in signs.items()
    }


def curves(gait: Gait, masses: Masses, time: np.ndarray) -> Curves:
    """Return angles, forces, moments and powers of the left leg over a stride."""
    need, local = needs_of_a_stride(gait, masses, time)
    ground = feet(gait, masses, time, need)
    mass = masses.mass.sum()
    values = angles(local)
    values["vertical"] = np.where(ground.on[0], ground.force[0, :, 1], 0) / (mass * model.GRAVITY)
    values["forward"] = np.where(ground.on[0], ground.force[0, :, 2], 0) / (mass * model.GRAVITY)
    moment = joint_moments(need, ground, list(LEG))
    for name, i, extends in (("hip", LEG[0], 1), ("knee", LEG[1], -1), ("ankle", LEG[2], 1)):
        values[f"{name}_moment"] = extends * moment[i, :, 0] / mass
        rate = _spectral(np.radians(values[name])[None], gait.period, 1)[0]
        values[f"{name}_power"] = -values[f"{name}_moment"] * rate
    return Curves(need, ground, values)


SIZES = {
    "hip": 4.0, "knee": 3.5, "ankle": 3.0, "vertical": 0.06, "forward": 0.03,
    "hip_moment": 0.15, "knee_moment": 0.1, "ankle_moment": 0.1,
}  # fmt: skip
"""By how much a curve may differ from people's mean, in its unit."""
PRIORS = {
    "tilt": 0.03, "list": 0.01, "yaw": 0.03, "lean": 0.02, "twist": 0.05, "swing": 0.06,
    "elbow": 0.06,
}  # fmt: skip
"""rad, by which a channel may differ from what it starts from."""
STIFF = {"walk": {"tilt": 0.4, "lean": 0.4, "swing": 0.2, "elbow": 0.2}}
"""Factors by which channels differ less than that: arms would pump to keep the balance."""
ROUGHNESS = {
    "root_x": 12.0, "root_y": 12.0, "root_z": 12.0, "tilt": 3.0, "list": 3.0, "yaw": 3.0,
    "lean": 3.0, "twist": 3.0, "pitch": 0.3, "toes": 0.2, "ahead": 1.0, "lift": 1.0, "swing": 1.0,
    "elbow": 1.0,
}  # fmt: skip
"""How much third differences of a channel's coefficients count."""


class Problem:
    """Residuals of a movement, each over the size that it may have."""

    def __init__(self, name: str, gait: Gait, masses: Masses, slack: float, ranges: bool):
        self.slack, self.ranges = slack, RANGES.get(name, ()) if ranges else ()
        self.name, self.masses, self.start = name, masses, gait
        self.phase = np.arange(SAMPLES) / SAMPLES
        self.time = self.phase * gait.period
        self.weight = masses.mass.sum() * model.GRAVITY
        self.goals = {c: mean_curve(name, c, self.phase) for c in CURVES[name]}
        self.off = np.ones((2, SAMPLES))
        for k, sign in enumerate((1.0, -1.0)):
            self.off[k] = stance_place(gait, self.time, sign)[0] > gait.duty
        load = self.goals["vertical"]
        # Load that is meant to be there: what a moment is measured by.
        self.load = load + np.roll(load, round(SAMPLES * gait.delay))

    def __call__(self, values: np.ndarray) -> np.ndarray:
        gait = unpack(self.start, values)
        found = curves(gait, self.masses, self.time)
        parts = [
            (found.values[name] - goal) / SIZES[name] * self.worth(name)
            for name, goal in self.goals.items()
        ]
        for known in self.ranges:
            value, width = (
                peak(known, self.phase, found.values[known.curve]),
                known.high - known.low,
            )
            inner = np.clip(value, known.low + 0.1 * width, known.high - 0.1 * width)
            parts.append(np.array([50 * (value - inner) / width]))
        parts += self.dynamics(gait, found)
        parts += self.legs(gait, found)
        parts += self.shape(gait)
        return np.concatenate([np.ravel(part) for part in parts])

    def worth(self, name: str) -> float:
        return 0.5 if self.name == "run" and name.endswith("moment") else 1.0

    def dynamics(self, gait: Gait, found: Curves) -> list[np.ndarray]:
        """Return what is wrong with forces: in flight, and where feet press."""
        force, moment = whole(found.need)
        flight = self.off.all(axis=0)
        path = self.load + 0.02 * self.slack
        parts = [
            np.where(flight[:, None], force / self.weight / (1e-3 * self.slack), 0.0),
        ]
        # The moment about where the feet should press; m of pressure, by load.
        target = found.ground.pressure - found.ground.on[..., None] * found.ground.shift
        share = found.ground.force[..., 1]
        share = np.abs(share) / np.maximum(np.abs(share).sum(0), 1e-9)
        middle = (share[..., None] * target).sum(0)
        about = moment - np.cross(middle, force)
        size = np.array([0.012, 0.006, 0.012])
        parts.append(about / self.weight / path[:, None] / size)
        return parts

    def legs(self, gait: Gait, found: Curves) -> list[np.ndarray]:
        """Return how far a leg is overstretched, and how near to the ground a swinging foot is."""
        phase, base, out = stance_place(gait, self.time, 1.0, gait.landing)
        ankle, _, toe_bend = foot_path(gait, phase, base, out)
        length = np.linalg.norm(ankle - found.need.position[LEG[0]], axis=1)
        parts = [np.maximum(length - REACH, 0) / 5e-4]
        for joint in ("hip", "knee", "ankle"):
            third = _spectral(found.values[joint][None], 2 * np.pi, 3)[0]
            parts.append(third / JERK)
        foot, toes = (model.NAMES.index(f"Left{part}") for part in ("Foot", "ToeBase"))
        off = gait.duty - gait.landing
        swing = (phase > off) & (gait.duty < 1)
        rise = np.clip((phase - off) / 0.1, 0, 1) * np.clip((1 - phase) / 0.08, 0, 1)
        # The toes' tip stays until the load is gone: the last rocker.
        tip = found.need.position[toes] + model.apply(found.need.rotation[toes], TOE_TIP)
        flat = model.apply(model.turn("y", np.full_like(phase, out)), model.TOE_JOINT + TOE_TIP)
        slip = tip - base - flat
        last = (phase > gait.leaving - gait.landing) & (phase <= off) & (gait.duty < 1)
        parts.append(np.where(last[:, None], slip / 1e-3, 0.0))
        for body, point in ((foot, model.HEEL), (toes, TOE_TIP * [0, 1, 0]), (toes, TOE_TIP)):
            height = found.need.position[body] + model.apply(found.need.rotation[body], point)
            parts.append(np.where(swing, np.maximum(0.02 * rise - height[:, 1], 0), 0) / 2e-3)
        parts.append(np.where(swing, toe_bend / TOE_BEND, 0.0))
        return parts

    def shape(self, gait: Gait) -> list[np.ndarray]:
        """Return how far channels are from where they start, and how rough they are."""
        parts = []
        for name, own in gait.coefficients.items():
            if name in PRIORS:
                size = PRIORS[name] * STIFF.get(self.name, {}).get(name, 1.0)
                parts.append(0.5 * (own - self.start.coefficients[name]) / size)
            rough = own - 3 * np.roll(own, 1) + 3 * np.roll(own, 2) - np.roll(own, 3)
            parts.append(ROUGHNESS[name] * rough * (len(own) / 24) / 0.02)
        return parts


REACH = float(
    np.sqrt(
        model.THIGH**2 + model.SHANK**2 + 2 * model.THIGH * model.SHANK * np.cos(np.radians(4.5))
    )
)
"""m, hip to ankle at 4.5 degrees of knee flexion."""


def nearest(gait: Gait, name: str, curve: np.ndarray) -> np.ndarray:
    """Return a channel's coefficients, of those that are free, nearest to samples of a stride."""
    free = is_free(gait, name)
    out = np.zeros(len(free))
    phase = np.arange(len(curve)) / len(curve)
    rows = basis(phase, len(free))[:, free]
    ridge = 1e-2 * np.eye(free.sum())
    out[free] = np.linalg.solve(rows.T @ rows + ridge, rows.T @ curve)
    return out


def first_guess(name: str, gait: Gait) -> Gait:
    """Return a movement to start from: feet and legs by mean angles, a pelvis above them."""
    phase = np.arange(SAMPLES) / SAMPLES
    still = _stepping(name, gait, phase) if gait.delay else _on_both_feet(name, gait, phase)
    found = {c: nearest(gait, c, still.get(c, 0 * phase)) for c in KINDS}
    return unpack(gait, pack(replace(gait, coefficients=found)))


def _stepping(name: str, gait: Gait, phase: np.ndarray) -> dict[str, np.ndarray]:
    wave, rest, run = 2 * np.pi * phase, phase + gait.landing, name == "run"
    bend = {c: mean_curve(name, c, rest) for c in ("hip", "knee", "ankle")}
    swing = np.radians(30 if run else 22)
    lift = np.sin(np.pi * np.clip((rest - gait.leaving) / (1 - gait.leaving), 0, 1))
    return {
        "root_y": (0.90 if run else 0.93) + 0 * phase,
        "root_z": (-0.24 if run else -0.32) + 0 * phase,
        "tilt": 0.03 + 0 * phase,
        "lean": 0.08 * run + 0 * phase,
        "pitch": np.radians(bend["hip"] - bend["knee"] + bend["ankle"]),
        "yaw": np.radians(-4) * np.cos(wave),
        "twist": np.radians(5) * np.cos(wave),
        "list": np.radians(3.5) * np.sin(wave - 0.4),
        "swing": -swing * np.cos(wave + 0.2) + (0.0 if run else 0.1),
        "elbow": np.radians(85 if run else 25) - 0.3 * swing * np.sin(wave),
        "lift": (0.24 if run else 0.04) * lift,
    }


def _on_both_feet(name: str, gait: Gait, phase: np.ndarray) -> dict[str, np.ndarray]:
    hip, knee, ankle = (np.radians(mean_curve(name, c, phase)) for c in ("hip", "knee", "ankle"))
    airborne = np.maximum(phase - gait.duty, 0) * gait.period
    fall = 0.5 * model.GRAVITY * airborne * ((1 - gait.duty) * gait.period - airborne)
    deep = 0.5 * knee
    return {
        "root_y": model.ANKLE_HEIGHT
        + 0.06
        + (model.THIGH + model.SHANK - 0.002) * np.cos(deep)
        + fall,
        "root_z": 0.04 - 0.1 * np.sin(deep),
        "lean": np.radians(5) + 0.35 * (hip - hip.min()),
        "tilt": 0.15 * (hip - hip.min()),
        "pitch": np.minimum(ankle, 0) * (gait.duty < 1),
        "lift": np.roll(fall, round(-gait.landing * len(phase))),
        "swing": 0.2 + 0.6 * (hip - hip.min()),
        "elbow": 0.5 + 0 * phase,
    }


def solve(
    problem: Callable[[np.ndarray], np.ndarray], start: np.ndarray, rounds: int = 25
) -> np.ndarray:
    """Return the least squares by Levenberg and Marquardt, derivatives by differences."""
    values, damping = start, 1e-2
    residual = problem(values)
    for k in range(rounds):
        slope = np.empty((len(residual), len(values)))
        for j in range(len(values)):
            moved = values.copy()
            moved[j] += 1e-6
            slope[:, j] = (problem(moved) - residual) / 1e-6
        normal, right = slope.T @ slope, slope.T @ residual
        before = residual @ residual
        while damping < 1e8:
            step = np.linalg.solve(normal + damping * np.diag(np.diag(normal) + 1e-9), -right)
            tried = problem(values + step)
            if tried @ tried < before:
                values, residual, damping = values + step, tried, damping / 5
                break
            damping *= 4
        after = residual @ residual
        print(f"{k:3d} {after:12.3f} damping {damping:.1e}", flush=True)
        if before - after < 1e-3 * before:
            break
    return values


STAGES = ((100.0, False), (10.0, False), (1.0, False), (0.25, False), (0.25, True))
"""How little flight and pressure count at first, and whether peaks are held inside their ranges."""


def main(names: list[str]) -> None:
    """Fit movements and store what was found."""
    from sample_data.generate import person

    masses = person()
    for name in names or list(GAITS):
        gait = first_guess(name, GAITS[name])
        found = pack(gait)
        for slack, ranges in STAGES:
            found = solve(Problem(name, gait, masses, slack, ranges), found)
        kept = json.loads(STORE.read_text(encoding="ascii")) if STORE.exists() else {}
        kept[name] = [round(float(v), 9) for v in found]
        STORE.write_text(json.dumps(kept) + "\n", encoding="ascii")


if __name__ == "__main__":
    main(sys.argv[1:])
