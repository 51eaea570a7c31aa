"""Generated movements against what is true of them, by noise and rate.

    python -m benchmarks.known_truth [OUT.md]

Writes a table (default ``docs/known-truth.md``), which says how it is made.
"""

from __future__ import annotations

import sys
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

import mocap_reroot as mr
from mocap_reroot.numerics.vectors import product
from mocap_reroot.parameters import GroundParameters
from sample_data import gait_model as model
from sample_data import generate

RATES = (30.0, 60.0, 120.0, 240.0)
NOISES = (0.0, 0.5, 1.0, 2.0)
ARM = 0.4
"""m, at which noise of a place becomes noise of an angle."""
LEAST = 2e-5
"""m, noise that a file without any still has: digits, splines between frames."""
FEET = ("LeftFoot", "RightFoot")
LEG = ("UpLeg", "Leg", "Foot")
WEIGHT = generate.MASS * 9.80665
ENDS = 0.2
"""s at either end that do not count."""


@dataclass(frozen=True)
class Known:
    """A clip of which everything is known."""

    motion: mr.Motion
    true: pd.DataFrame


def generated(name: str, fps: float) -> Known:
    """Return a generated clip at a rate (Hz), and its truth."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / f"{name}.bvh"
        true = generate.make(name, path, fps)
        return Known(mr.read(path), true)


def at_rate(clip: Known, fps: float) -> Known:
    """Return every so manyth frame."""
    step = round(clip.motion.fps / fps)
    names = ("rotation", "displacement", "flags")
    states = {n: np.array(getattr(clip.motion, n)[..., ::step]) for n in names}
    return Known(replace(clip.motion, fps=fps, **states), clip.true[::step].reset_index(drop=True))


def spoiled(clip: Known, noise: float, seed: int = 0) -> Known:
    """Return a clip with white noise, m, of the root's place, and of all angles at ``ARM``."""
    rng, motion = np.random.default_rng(seed), clip.motion
    place = np.array(motion.displacement)
    slot = int(motion.skeleton.slot[motion.skeleton.root])
    place[slot] += rng.normal(0, noise, place[slot].shape)
    turn = np.array(motion.rotation)
    small = rng.normal(0, 0.5 * noise / ARM, (len(turn), 3, turn.shape[-1]))
    for body, half in enumerate(small):
        q = product(turn[body], np.concatenate([np.ones((1, half.shape[1])), half]))
        turn[body] = q / np.linalg.norm(q, axis=0)
    return replace(clip, motion=replace(motion, displacement=place, rotation=turn))


def told(noise: float, fps: float) -> GroundParameters:
    """Return the numbers of somebody who knows the noise (m) and that nobody lags behind."""
    size = max(noise * np.sqrt(100 / fps), LEAST)
    return GroundParameters(lag=0.0, height_noise=size, path_noise=size, turn_noise=0.15 * size)


def _solved(
    motion: mr.Motion, parameters: GroundParameters, cutoff: float | str
) -> tuple[mr.Dynamics, mr.Motion]:
    body = mr.body_model(motion, mass=generate.MASS, height=model.STATURE)
    contacts = mr.detect_contacts(motion, body)
    ground = mr.estimate_ground(motion, body, contacts, parameters, cutoff=cutoff)
    rooted = mr.reroot(ground.motion, ground.contacts)
    return mr.inverse_dynamics(rooted, ground.body, ground), ground.motion


def judged(
    clip: Known, parameters: GroundParameters, cutoff: float | str = "auto"
) -> dict[str, Any]:
    """Return errors: whole force, and in single support force, pressure and leg torques.

    Pressure and torques of a clip without single support are judged where both feet stand.
    """
    motion, true = clip.motion, clip.true
    result, _ = _solved(motion, parameters, cutoff)
    grf, torques = result.grf, result.torques
    inner = np.zeros(len(true), bool)
    ends = round(ENDS * motion.fps)
    inner[ends:-ends] = True
    on = [true[f"{foot}_on"].to_numpy(bool) for foot in FEET]
    single, double = inner & (on[0] != on[1]), inner & on[0] & on[1]
    sure = single if single.any() else double

    def force(table: pd.DataFrame, foot: str) -> np.ndarray:
        return np.nan_to_num(table[[f"{foot}_f{a}" for a in "xyz"]].to_numpy(float))

    off = [force(grf, foot) - force(true, foot) for foot in FEET]
    gaps = [
        np.linalg.norm(
            (grf[[f"{foot}_p{a}" for a in "xz"]] - true[[f"{foot}_p{a}" for a in "xz"]])[sure & o],
            axis=1,
        )
        for foot, o in zip(FEET, on, strict=True)
    ]
    columns = [f"{side}{joint}_m{a}" for side in ("Left", "Right") for joint in LEG for a in "xyz"]
    moments = (torques[columns] - true[columns]).to_numpy(float)[sure]
    return {
        "whole": 100 * _size(sum(off)[inner]) / WEIGHT,
        "single": 100 * max(_size(o[single]) for o in off) / WEIGHT,
        "double": 100 * max(_size(o[double]) for o in off) / WEIGHT,
        "pressure": 1000 * float(np.nanmedian(np.concatenate(gaps))),
        "torques": _size(moments) / generate.MASS,
        "largest": float(np.abs(true[columns].to_numpy()[sure]).max()) / generate.MASS,
    }


def _size(error: np.ndarray) -> float:
    """Return the root mean square over frames and axes."""
    return float(np.sqrt(np.nanmean(error**2))) if len(error) else np.nan


def rows() -> Iterator[str]:
    """Yield the lines of the table."""
    for name in generate.CLIPS:
        for fps in RATES:
            exact = generated(name, fps)
            for noise in NOISES:
                clip = spoiled(exact, 1e-3 * noise) if noise else exact
                for who, numbers in (
                    ("told", told(1e-3 * noise, fps)),
                    ("people's", GroundParameters(lag=0.0)),
                ):
                    f = judged(clip, numbers)
                    yield (
                        f"| {name} | {fps:.0f} | {noise:g} | {who} | {f['whole']:.1f} | "
                        f"{f['single']:.1f} | {f['double']:.1f} | {f['pressure']:.0f} | "
                        f"{f['torques']:.3f} |"
                    )


HEAD = """# Known truth

Written by `python -m benchmarks.known_truth`. Generated movements (`sample_data/`), whose forces,
pressures and torques are known, at several rates and with white noise of the root's place (of all
angles: the same at 0.4 m). Errors are root mean squares over frames and axes, in % of body weight
and N·m/kg; of the pressure the median distance, mm. In single support everything follows from the
motion; in double support the feet may push against each other, which no motion shows; the squat
stands on both feet throughout. Nobody lags behind in a generated clip
(`lag=0`); "told" means that the problem knows how large the noise is, else it believes what it
believes of people and markers.

| clip | Hz | noise, mm | noise is | whole force | a foot alone | both down | pressure | torques |
|---|---|---|---|---|---|---|---|---|
"""


def main() -> None:
    """Measure, print and write."""
    out = Path(sys.argv[1] if len(sys.argv) > 1 else "docs/known-truth.md")
    lines = []
    for line in rows():
        print(line, flush=True)
        lines.append(line)
    out.write_text(HEAD + "\n".join(lines) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
