"""Accuracy of forces and moments against force plates, Vicon, OpenSim and the sample walk's truth.

    python -m benchmarks.walks [DATA] [OUT]

DATA is a folder of recordings (default ``../shared/data``), OUT the JSON file to write (default
``out/walks.json``). Forces are predicted from the motion alone, contacts included; moments use
measured forces.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from benchmarks.references import (
    COMPARED_AT,
    FLEXION,
    GOLD,
    LEG,
    SIDES,
    Walk,
    against_gold,
    against_plates,
    against_truth,
    against_vicon,
    load,
    load_gold,
    pinned,
)
from tests.contact.truth import PLUG_IN_GAIT, errors, marks_of

STRAIGHT, TURNS = PLUG_IN_GAIT[::2], PLUG_IN_GAIT[1::2]
AXES = ("vertical", "forward", "sideways")
SMOOTHINGS: tuple[tuple[str, str | float], ...] = (
    ("butterworth", "auto"), ("butterworth", 5.0), ("butterworth", 6.0), ("butterworth", 8.0),
    ("butterworth", 10.0), ("butterworth", 15.0), ("spline", "auto"), ("spline", 6.0),
)  # fmt: skip


def mean_of(rows: Iterable[dict[str, Any]]) -> dict[str, Any]:
    """Return the mean of nested figures over clips."""
    rows = list(rows)
    return {
        key: mean_of(row[key] for row in rows)
        if isinstance(value, dict)
        else float(np.mean([row[key] for row in rows]))
        for key, value in rows[0].items()
    }


def table(head: list[str], rows: list[list[str]]) -> None:
    print("\n| " + " | ".join(head) + " |")
    print("|" + "---|" * len(head))
    for row in rows:
        print("| " + " | ".join(row) + " |")


HEAD = ["", "total, %BW", "in single support", f"plates at {COMPARED_AT:g} Hz", "foot rRMSE, r",
        "pressure, mm", "hip / knee / ankle, N·m/kg", "ankle peak, with plates"]  # fmt: skip


def line(name: str, row: dict[str, Any]) -> list[str]:
    """Return one row of a table of forces."""
    ways = [" / ".join(f"{row[a + tail]['rmse']:.2f}" for a in AXES)
            for tail in ("", "_single", "_low_passed")]  # fmt: skip
    foot = f"{row['foot']['rrmse']:.1f} %, {row['foot']['r']:.3f}"
    moments = " / ".join(f"{row[f'{joint}_moment']:.2f}" for joint in FLEXION)
    peaks = f"{row['peak_ankle']:.2f}, {row['peak_ankle_measured']:.2f}"
    return [name, *ways, foot, f"{row['pressure_mm']:.0f}", moments, peaks]


def forces(walks: list[Walk], data: Path) -> dict[str, Any]:
    """Print and return predicted forces by clip and by smoothing."""
    straight = [w for w in walks if any(w.name in name for name in STRAIGHT)]
    clips = {w.name: against_plates(w) for w in walks}
    others = {
        f"{name}, {cutoff}": against_plates(load_gold(data / "gold" / name), cutoff=cutoff)
        for name in GOLD
        for cutoff in ("auto", 6.0)
    }
    means = {
        "straight, mean": mean_of(clips[w.name] for w in straight),
        "turns, mean": mean_of(row for name, row in clips.items() if name not in
                               {w.name for w in straight}),
    }  # fmt: skip
    for kind, names in (("straight", STRAIGHT), ("turns", TURNS)):
        means[f"{kind}, markers as stored"] = mean_of(
            against_plates(load(data, name, fitting="stored")) for name in names
        )
        means[f"{kind}, feet pinned"] = mean_of(
            against_plates(pinned(load(data, name))) for name in names
        )
    table(HEAD, [line(k, v) for k, v in (clips | means | others).items()])
    smoothing = {
        f"{method}, {cutoff}": mean_of(
            against_plates(w, method=method, cutoff=cutoff) for w in straight
        )
        for method, cutoff in SMOOTHINGS
    }
    table(HEAD, [line(k, v) for k, v in smoothing.items()])
    return {"clips": clips | means | others, "smoothing": smoothing}


def moments(walks: list[Walk], data: Path) -> dict[str, Any]:
    """Print and return moments under measured forces against Vicon's and OpenSim's."""
    found = {w.name: against_vicon(w) for w in walks}
    for name in GOLD:
        found[name] = against_gold(data / "gold" / name)
        for masses in ("deleva", "winter", *(["opensim"] if GOLD[name].model else [])):
            for cutoff in ("auto", 20.0):
                found[f"{name}, masses of {masses}, {cutoff}"] = against_gold(
                    data / "gold" / name, masses=masses, cutoff=cutoff
                )
    rows = [
        [clip, *(f"{row[k]['r']:.3f}, {row[k]['rmse']:.3f}" if k in row else "" for k in keys)]
        for clip, row in found.items()
        for keys in (
            [*(f"{s}_{j}" for s in SIDES for j in FLEXION), "all"]
            if "left_hip" in row or "right_hip" in row
            else list(row),
        )
    ]
    table(["r, N·m/kg", *(f"{side} {joint}" for side in SIDES for joint in FLEXION), "all"], rows)
    return found


def events(walks: list[Walk]) -> dict[str, Any]:
    """Print and return the error of strikes and offs seen in the motion alone, ms."""
    every = pd.concat(
        errors(marks_of(w.path, w.captured), w.contacts.events, w.captured) for w in walks
    )
    found = {}
    for event, rows in every.groupby("event"):
        size = 1000 * rows.error.abs()
        found[str(event)] = {
            "events": len(rows),
            "bias_ms": float(1000 * rows.error.median()),
            "median_ms": float(size.median()),
            "within_30_ms": float((size <= 30).mean()),
        }
    table(["event", *found["strike"]], [[k, *(f"{x:.3g}" for x in v.values())]
                                        for k, v in found.items()])  # fmt: skip
    return found


def main() -> None:
    """Print all tables and write them as JSON."""
    data = Path(sys.argv[1] if len(sys.argv) > 1 else "../shared/data")
    out = Path(sys.argv[2] if len(sys.argv) > 2 else "out/walks.json")
    walks = [load(data, name) for name in PLUG_IN_GAIT]
    found = {
        "events": events(walks),
        "forces": forces(walks, data),
        "moments": moments(walks, data),
        "sample_walk": against_truth(),
    }
    truth = found["sample_walk"]
    rows = [[k, f"{v['rmse']:.3f}", f"{v['r']:.4f}"] for k, v in truth.items() if k in AXES + LEG]
    rows.append(["pressure, mm", f"{truth['pressure_mm']:.1f}", ""])
    table(["sample walk, single support", "RMSE", "r"], rows)
    out.parent.mkdir(parents=True, exist_ok=True)
    out.write_text(json.dumps(found, indent=2) + "\n", encoding="utf-8")
    print(f"\n{out}")


if __name__ == "__main__":
    main()
