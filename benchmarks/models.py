"""Models of OpenSim on the atlas: fits beside the studies' own, moments beside their dynamics.

    python -m benchmarks.models [DATA]

DATA is a folder ``STUDY/SUBJECT/{model.osim, TRIAL/{markers.trc, ik.mot, grf.mot, id.sto}}``
(default ``../shared/data/atlas``). Prints a table: distance of markers by our fit and by the
coordinates of ``ik.mot``, median difference of hips, knees and ankles, time of fitting 250 frames,
and flexion moments of model, markers and plates against ``id.sto``, but for its first and last
0.05 s; of how many trials all three are alike is told with and without these.
"""

from __future__ import annotations

import sys
import warnings
from collections import defaultdict
from dataclasses import dataclass
from pathlib import Path

import numpy as np

import mocap_reroot as mr
from benchmarks.accuracy import trials
from benchmarks.measuring import race
from mocap_reroot.importers.mot import read_storage
from mocap_reroot.importers.osim import read_osim
from mocap_reroot.importers.trc import read_trc
from mocap_reroot.skeletons.by_model import known_markers, markers_motion
from mocap_reroot.skeletons.model_fitting import fit_model, placed

ANGLES = ("hip_flexion", "hip_adduction", "hip_rotation", "knee_angle", "ankle_angle")
FLEXION = ("hip_flexion", "knee_angle", "ankle_angle")
FRAMES = 250
ALIKE = 0.97  # r
AROUND = 30  # frames around a stance on a plate, in which the study knows the leg
ENDS = 0.05
"""s: at the ends of ``id.sto`` a row of zeros stands for no acceleration, and poses of ``ik.mot``
lie up to 6 cm from the markers that they lie 2 cm from elsewhere; moments there are nobody's."""


@dataclass(frozen=True)
class Fit:
    """A model on markers.

    Attributes:
        ours, theirs: mm, RMS distance of markers by our fit and by the study's.
        degrees: Median difference of both, hips, knees and ankles.
        flagged: Frames that are no sound motion.
        seconds: s of the processor, fitting 250 frames.
    """

    ours: float
    theirs: float
    degrees: float
    flagged: int
    seconds: float


def fitted(folder: Path, rounds: int = 0) -> Fit:
    """Fit the model of a trial, beside the coordinates of its ``ik.mot``.

    Args:
        folder: The trial.
        rounds: How often the time is taken; 0: not.
    """
    model, recording = read_osim(folder.parent / "model.osim"), read_trc(folder / "markers.trc")
    motion = markers_motion(recording, model)
    found = motion.coordinates
    assert found is not None
    assert motion.source is not None
    rows, position = known_markers(recording, model, motion.source.unit_scale)
    ours, table = found.value, read_storage(folder / "ik.mot")
    theirs = ours.copy()
    for k, name in enumerate(model.names):
        if name.lower() in table:
            theirs[k] = np.interp(
                motion.time, table["time"], table[name.lower()], left=np.nan, right=np.nan
            )
    for coupling in model.couplings:
        theirs[coupling.dependent] = coupling.function(theirs[coupling.independent])[0]
    both = np.isfinite(theirs).all(axis=0)
    rms = [
        1000 * np.sqrt(np.nanmean(np.square(
            placed(model, rows, value[:, both].T.copy())[0].transpose(1, 2, 0) - position[..., both]
        ).sum(axis=1)))
        for value in (ours, theirs)
    ]  # fmt: skip
    legs = [k for k, name in enumerate(model.names) if name[:-2] in ANGLES]
    apart = np.abs(np.degrees(ours - theirs))[legs][:, both]
    seconds = np.nan
    if rounds:
        some = np.resize(np.arange(position.shape[-1]), FRAMES)
        turned = np.einsum("ij,mif->mjf", found.world, position)[..., some]
        seconds = race({"fit": lambda: fit_model(model, rows, turned)}, rounds)["fit"].processor
    flagged = int(np.count_nonzero(motion.flags))
    return Fit(float(rms[0]), float(rms[1]), float(np.median(apart)), flagged, seconds)


def analysed(folder: Path) -> mr.Analysis:
    """Analyse a trial by its model, its markers and its plates."""
    model, plates = folder.parent / "model.osim", folder / "grf.mot"
    return mr.analyze(folder / "markers.trc", model=model, plates=plates, forces="measured")


def moments(folder: Path, found: mr.Analysis, ends: float = ENDS) -> dict[str, tuple[float, float]]:
    """Return r and N·m/kg of each flexion moment against the study's, mean of both legs.

    Args:
        folder: The trial.
        found: What was found of it.
        ends: s, left out at both ends of the study's.
    """
    table, gold = found.table("coordinates"), read_storage(folder / "id.sto")
    assert table is not None
    assert found.plates is not None
    first, last = gold["time"].iloc[[0, -1]] + np.array([ends, -ends])
    inside = table["time"].between(first, last).to_numpy()
    known = {}
    for name in FLEXION:
        alike, squares = [], []
        for side in "lr":
            on = found.plates[f"calcn_{side}_fy"].fillna(0) > 20
            ours = table[f"{name}_{side}_force"].to_numpy()
            theirs = np.interp(
                table["time"], gold["time"], gold[f"{name}_{side}_moment"],
                left=np.nan, right=np.nan,
            )  # fmt: skip
            asked = np.convolve(on, np.ones(2 * AROUND + 1), "same") > 0
            asked &= inside & np.isfinite(theirs) & np.isfinite(ours)
            if not asked.any():
                continue
            alike.append(np.corrcoef(ours[asked], theirs[asked])[0, 1])
            squares.append(np.mean(((ours - theirs)[asked] / found.body.total_mass) ** 2))
        known[name] = float(np.mean(alike)), float(np.sqrt(np.mean(squares)))
    return known


def main() -> None:
    """Print a row a trial, then the medians and the worst of every activity."""
    warnings.filterwarnings("ignore")
    data = Path(sys.argv[1] if len(sys.argv) > 1 else "../shared/data/atlas")
    kinds: dict[str, list[list[float]]] = defaultdict(list)
    print("| trial | markers, mm: ours, study's | ° | s | hip, knee, ankle: r | N·m/kg |")
    print("|---|---|---|---|---|---|")
    for trial in trials(data):
        if not (trial.folder.parent / "model.osim").exists():
            continue
        fit, analysis = fitted(trial.folder, 3), analysed(trial.folder)
        found, with_ends = (moments(trial.folder, analysis, ends) for ends in (ENDS, 0.0))
        r, apart = zip(*(found[name] for name in FLEXION), strict=True)
        least = min(with_ends[name][0] for name in FLEXION)
        figures = [fit.ours / fit.theirs, fit.degrees, fit.seconds, *r, *apart, least]
        kinds[f"{trial.activity} ({trial.study})"].append(figures)
        print(
            f"| {trial.folder.relative_to(data)} | {fit.ours:.1f}, {fit.theirs:.1f} "
            f"| {fit.degrees:.2f} | {fit.seconds:.2f} | {' '.join(f'{x:.3f}' for x in r)} "
            f"| {' '.join(f'{x:.3f}' for x in apart)} |",
            flush=True,
        )
    print(
        "\n| activity (trials) | markers, ours / study's | hips, knees, ankles, ° | 250 frames, s "
        f"| r: hip / knee / ankle | all of r ≥ {ALIKE}; with ends | N·m/kg |"
    )
    print("|---|---|---|---|---|---|---|")
    for kind, rows in kinds.items():
        table = np.array(rows)
        middle, low, high = np.median(table, axis=0), table.min(axis=0), table.max(axis=0)
        print(
            f"| {kind[:-1]}, {len(rows)}) | {middle[0]:.2f} (≤ {high[0]:.2f}) "
            f"| {middle[1]:.1f} (≤ {high[1]:.1f}) | {middle[2]:.2f} (≤ {high[2]:.2f}) "
            f"| {' / '.join(f'{x:.3f}' for x in middle[3:6])} (≥ {low[3:6].min():.3f}) "
            f"| {(table[:, 3:6].min(axis=1) >= ALIKE).sum()}; {(table[:, 9] >= ALIKE).sum()} "
            f"| {' / '.join(f'{x:.2f}' for x in middle[6:9])} (≤ {high[6:9].max():.2f}) |"
        )


if __name__ == "__main__":
    main()
