"""How much joint torques depend on what nobody knows exactly: one change at a time."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd

import mocap_reroot as mr
from pipelines.recipe import recipe


def variants(plan: dict[str, Any], base: mr.Analysis) -> dict[str, dict[str, Any]]:
    """Return the options of every variant by a name that says what was changed."""
    made: dict[str, dict[str, Any]] = {}
    for hertz in plan["cutoff_hz"]:
        made[f"cut-off {hertz:g} Hz"] = {"cutoff": hertz}
    for share in plan["mass_change"]:
        made[f"mass {share:+.0%}"] = {"mass": base.body.total_mass * (1 + share)}
    for frames in plan["stance_frames"]:
        path = plan["out"] / f"contacts_{frames:+d}.csv"
        stances(base, frames).to_csv(path, index=False)
        made[f"stances {frames:+d} frames at each end"] = {"contacts": str(path)}
    for table in plan["segment_tables"]:
        made[f"segments of {table}"] = {"segment_table": table}
    return made


def stances(analysis: mr.Analysis, longer: int) -> pd.DataFrame:
    """Return the stances of the feet, each longer by some frames at both ends."""
    rows = []
    last = analysis.motion.n_frames
    for foot in (c[:-3] for c in analysis.grf.columns if c.endswith("_on")):
        on = np.concatenate([[False], analysis.grf[f"{foot}_on"].to_numpy(bool), [False]])
        for start, stop in np.flatnonzero(np.diff(on)).reshape(-1, 2):
            start = start - longer if start > 0 else 0  # an edge of the clip is no event
            stop = stop + longer if stop < last else last
            rows.append({"foot": foot, "start_frame": max(start, 0), "stop_frame": min(stop, last)})
    return pd.DataFrame(rows)


def row(name: str, base: mr.Analysis, other: mr.Analysis, joints: list[str]) -> dict[str, Any]:
    """Return how far the moments of some joints are from the base's: RMS and peak, N·m/kg.

    Per kg of the base's mass, so that a change of mass shows.
    """
    found: dict[str, Any] = {"change": name}
    for joint in joints:
        columns = [f"{joint}_m{axis}" for axis in "xyz"]
        a, b = (x.torques[columns].to_numpy() / base.body.total_mass for x in (base, other))
        found[f"{joint} rms"] = float(np.sqrt(np.nanmean(((a - b) ** 2).sum(axis=1))))
        sizes = [float(np.nanmax(np.linalg.norm(x, axis=1))) for x in (a, b)]
        found[f"{joint} peak"] = sizes[1] - sizes[0]
    return found


def main() -> None:
    """Vary one thing at a time and write ``sensitivity.csv``."""
    plan = recipe(__file__)
    plan["out"].mkdir(parents=True, exist_ok=True)
    (clip,) = plan["inputs"]
    base = mr.analyze(clip, **plan["options"])
    rows = [
        row(name, base, mr.analyze(clip, **{**plan["options"], **changed}), plan["joints"])
        for name, changed in variants(plan, base).items()
    ]
    table = pd.DataFrame(rows)
    table.to_csv(plan["out"] / "sensitivity.csv", index=False)
    print(f"{base!r}: change of the joint moments, N·m/kg")
    print(table.to_string(index=False, float_format="%.3f"))


if __name__ == "__main__":
    main()
