"""Residuals with force plates by activity, beside OpenSim's guidance, and what plates weigh.

    python -m benchmarks.plates [DATA]

DATA as in ``benchmarks.accuracy``. Writes docs/plates.md. A weighing is asked for by giving no
mass; it is held against what the plates weigh over all trials of a person (``plateMassKg``).
"""

from __future__ import annotations

import argparse
import time
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

import mocap_reroot as mr
from benchmarks.accuracy import Trial, trials

PAGE = Path(__file__).resolve().parents[1] / "docs" / "plates.md"
HEAD = """# Force plates in the same problem

Made by `python -m benchmarks.plates`. With plates under the feet their forces are known and the
root's path is corrected within its noise so that motion and plates agree; what remains is the
residual at the pelvis, over frames in which plates carry all. OpenSim's guidance: peaks below
10–25 N and 75 N·m; its RRA gets there in minutes, with weights that are tuned by hand. Medians over
trials; peaks are 95th percentiles. *Unexplained* are frames whose residual exceeds 5 % of weight or
2 % of weight × height: the median, and the trial with most. *Weighed* is the mass that is found
where none is given, against what the plates weigh over all trials of the person (median, and the
trial farthest off); where a foot is beside the plates, nothing is weighed. Time is that of one
core, from file to torques. The walks with most are of a person whose plates weigh 6 % more in walks
than in squats, which a warning says; what parts moments from OpenSim's is in
[decision 81](decisions/0081-plates-beside-opensim.md).

| activity | N: rms, peak | N·m: rms, peak | unexplained, % | mm moved | ° | weighed, % | ms | of |
|---|---|---|---|---|---|---|---|---|
"""


def judged(trial: Trial) -> dict[str, Any]:
    """Return the figures of one recording."""
    static = trial.folder.parent / "static.trc"
    given: dict[str, Any] = {"plates": str(trial.folder / "grf.mot"), "height": trial.height}
    if static.exists():
        given["static"] = str(static)
    began = time.process_time()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        a = mr.analyze(
            trial.folder / "markers.trc", mass=trial.mass, forces="measured",
            compare_plates=False, **given,
        )  # fmt: skip
        took = time.process_time() - began
        free = mr.analyze(trial.folder / "markers.trc", compare_plates=False, **given)
    on = (a.grf["source"] == "measured").to_numpy()
    force, moment = (
        np.linalg.norm(a.grf[[f"residual_{w}{x}" for x in "xyz"]].to_numpy()[on], axis=1)
        for w in "fm"
    )
    told = [i for i in free.summary["inferred"] if i["what"] == "mass"]
    weighed = any(i["evidence"].startswith("the force plates") for i in told)
    quality = a.summary["quality"]
    return {
        "activity": f"{trial.activity} ({trial.study})",
        "force": _rms(force), "force_peak": _high(force),
        "moment": _rms(moment), "moment_peak": _high(moment),
        "moved": quality["root_moved_mm"], "turned": quality["root_turned_deg"], "ms": 1000 * took,
        "unexplained": 100 * quality["unexplained"],
        "weighed": 100 * abs(free.summary["mass"] / trial.mass - 1) if weighed else np.nan,
    }  # fmt: skip


def _rms(x: np.ndarray) -> float:
    return float(np.sqrt(np.nanmean(x**2))) if len(x) else np.nan


def _high(x: np.ndarray) -> float:
    return float(np.nanpercentile(x, 95)) if len(x) else np.nan


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("data", nargs="?", type=Path, default=Path("../shared/data/atlas"))
    there = list(trials(parser.parse_args().data))
    judged(there[0])  # compiles
    rows = pd.DataFrame([judged(trial) for trial in there])
    lines = []
    for activity, group in rows.groupby("activity"):
        m = group.median(numeric_only=True)
        known = group["weighed"].notna().sum()
        most = group[["unexplained", "weighed"]].max()
        weighed = f"{m['weighed']:.1f}, {most['weighed']:.1f} ({known} trials)" if known else "–"
        lines.append(
            f"| {activity} | {m['force']:.0f}, {m['force_peak']:.0f} | {m['moment']:.1f}, "
            f"{m['moment_peak']:.1f} | {m['unexplained']:.0f}, {most['unexplained']:.0f} | "
            f"{m['moved']:.1f} | {m['turned']:.1f} | {weighed} | "
            f"{m['ms']:.0f} | {len(group)} |\n"
        )
    PAGE.write_text(HEAD + "".join(lines), encoding="utf-8")
    print("".join(lines))


if __name__ == "__main__":
    main()
