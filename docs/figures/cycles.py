"""Draw gait cycles beside those of Vicon (Plug-in Gait) and of OpenSim's inverse dynamics.

    python -m docs.figures.cycles [cycles.png]

Children: sound strides of the straight walks, calibrated by their static trials, means over
strides; moments over those strides whose foot stood on a plate. Arnold's adults: their files are
cut at the strikes of the right foot, so that the whole clip is one cycle of the right leg. The
recordings are not part of the repository.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.figure import Figure

import mocap_reroot as mr
from benchmarks.references import read_storage
from mocap_reroot.reading import read_recording

DATA = Path(__file__).resolve().parents[3] / "shared" / "data"
CHILDREN = ("HC030A/HC030A05", "HC032A/HC032A03", "HC038A/HC038A11", "HC044A/HC044A15")
MOTIONS = {"hip": "flexion", "knee": "flexion", "ankle": "dorsiflexion"}
PERCENT = np.arange(101)
Curves = dict[str, list[np.ndarray]]
"""Curves by percent, of every stride, by who has computed them."""


def over(curve: np.ndarray, first: int, last: int) -> np.ndarray:
    """Return a curve over the frames of a stride by percent."""
    return np.interp(np.linspace(first, last, 101), np.arange(len(curve)), curve)


def children() -> tuple[dict[str, Curves], dict[str, Curves]]:
    """Return angles (°) and moments (N·m/kg) of all strides, ours and Vicon's, by joint."""
    angles: dict[str, Curves] = {joint: {} for joint in MOTIONS}
    moments: dict[str, Curves] = {joint: {} for joint in MOTIONS}
    for clip in CHILDREN:
        path = DATA / "c3d/plug_in_gait" / f"{clip}.c3d"
        static = path.with_name(f"{path.parent.name}01.c3d")
        runs = {way: mr.analyze(path, static=static, forces=way) for way in ("auto", "predicted")}
        vicon = read_recording(path).outputs
        assert vicon is not None
        table = {label: vicon.position[k] for k, label in enumerate(vicon.labels)}
        cycles = runs["auto"].cycles
        for stride in runs["auto"].strides.query("sound").itertuples():
            span = stride.start_frame, stride.stop_frame
            mine = cycles[cycles.stride == stride.stride]
            for joint, motion in MOTIONS.items():
                stem = f"{stride.side[0].upper()}{joint.capitalize()}"
                theirs = over(table[f"{stem}Angles"][0], *span)
                _add(angles[joint], "this program", mine[f"{joint}_{motion}_deg"])
                _add(angles[joint], "Vicon", theirs)
                # Vicon's are external, and N·mm/kg whatever the file says; none without a plate.
                borne = table[f"{stem}Moment"][0] / -1000
                loaded = borne[span[0] : span[0] + (span[1] - span[0]) // 2]
                if not (np.isfinite(loaded) & (loaded != 0)).mean() > 0.9:
                    continue
                held = np.where(np.isfinite(borne), borne, 0)
                _add(moments[joint], "Vicon", over(held, *span))
                _add(moments[joint], "this program", mine[f"{joint}_{motion}_nm_kg"])
                alone = runs["predicted"].anatomy[f"{stride.side}_{joint}_{motion}_moment"]
                mass = runs["predicted"].body.total_mass
                _add(moments[joint], "from motion alone", over(alone.to_numpy() / mass, *span))
    return angles, moments


def arnold() -> dict[str, Curves]:
    """Return moments of the right leg, N·m/kg, over Arnold's clips, ours and OpenSim's."""
    found: dict[str, Curves] = {joint: {} for joint in MOTIONS}
    for person in ("subject01", "subject02"):
        folder = DATA / "atlas/arnold" / person
        about = json.loads((folder / "subject.json").read_text())
        mass = float(about.get("plateMassKg") or about["massKg"])
        options: dict[str, Any] = {"mass": mass, "plates": folder / "walk2/grf.mot"}
        theirs = read_storage(folder / "walk2/id.sto")
        for name, way in (("this program", "auto"), ("from motion alone", "predicted")):
            analysis = mr.analyze(folder / "walk2/markers.trc", forces=way, **options)
            for joint, motion in MOTIONS.items():
                curve = analysis.anatomy[f"right_{joint}_{motion}_moment"].to_numpy() / mass
                known = np.flatnonzero(np.isfinite(curve))
                _add(found[joint], name, over(curve, known[0], known[-1]))
        for joint, column in (
            ("hip", "hip_flexion"),
            ("knee", "knee_angle"),
            ("ankle", "ankle_angle"),
        ):
            curve = theirs[f"{column}_r_moment"].to_numpy() / mass
            _add(found[joint], "OpenSim", over(curve, 0, len(curve) - 1))
    return found


def _add(curves: Curves, who: str, curve: np.ndarray | pd.Series) -> None:
    curves.setdefault(who, []).append(np.asarray(curve, float))


def agreement(curves: Curves, other: str) -> str:
    """Return r and RMSE over all strides, of this program against another."""
    ours, theirs = np.concatenate(curves["this program"]), np.concatenate(curves[other])
    r = np.corrcoef(ours, theirs)[0, 1]
    return f"r {r:.2f}, RMSE {np.sqrt(np.mean((ours - theirs) ** 2)):.2f}"


def main(path: Path) -> None:
    """Draw the figure into a file."""
    angles, moments = children()
    columns = (
        ("children, angle (°)", angles, "Vicon"),
        ("children, internal moment (N·m/kg)", moments, "Vicon"),
        ("Arnold's adults, internal moment (N·m/kg)", arnold(), "OpenSim"),
    )
    styles = {
        "this program": {"color": "#0072b2", "linewidth": 1.8},
        "from motion alone": {"color": "#009e73", "linewidth": 1.0},
        "Vicon": {"color": "#d55e00", "linestyle": "--"},
        "OpenSim": {"color": "#d55e00", "linestyle": "--"},
    }
    figure = Figure(figsize=(10.5, 7.5), layout="constrained")
    axes = figure.subplots(3, 3, sharex=True)
    for row, joint in zip(axes, MOTIONS, strict=True):
        for axis, (title, curves, other) in zip(row, columns, strict=True):
            for who, lines in curves[joint].items():
                mean, sd = np.mean(lines, axis=0), np.std(lines, axis=0, ddof=1)
                name = f"{who}, n = {len(lines)}"
                axis.plot(PERCENT, mean, label=name, **styles[who])
                if who == "this program":
                    axis.fill_between(PERCENT, mean - sd, mean + sd, color="#0072b2", alpha=0.15)
            axis.axhline(0, color="#999999", linewidth=0.5)
            words = f"{joint} {MOTIONS[joint]}: {title}"
            axis.set_title(f"{words}\n{agreement(curves[joint], other)}", fontsize=7)
            axis.legend(fontsize=6, frameon=False)
    for axis in axes[-1]:
        axis.set_xlabel("gait cycle (%)")
    figure.savefig(path, dpi=110)


if __name__ == "__main__":
    main(Path(sys.argv[1] if len(sys.argv) > 1 else Path(__file__).with_suffix(".png")))
