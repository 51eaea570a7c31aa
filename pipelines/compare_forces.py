"""Predicted ground forces against force plates: figures by mode, and both runs side by side."""

from __future__ import annotations

import pandas as pd

import mocap_reroot as mr
from mocap_reroot.comparison import compare_runs, write_comparison
from mocap_reroot.resources.clips import find_clips
from pipelines.recipe import recipe


def main() -> None:
    """Run every clip with and without its plates; write ``agreement.csv`` and a page each."""
    plan = recipe(__file__)
    rows = []
    for clip in find_clips(plan["inputs"]):
        runs = {}
        for forces in ("measured", "predicted"):
            analysis = mr.analyze(clip.path, forces=forces, **plan["options"])
            runs[forces] = plan["out"] / clip.place / forces
            analysis.save(runs[forces])
        for mode, axes in analysis.summary["quality"]["plates"].items():
            for axis, figures in axes.items():
                if isinstance(figures, dict):
                    rows.append({"clip": clip.path.name, "mode": mode, "axis": axis, **figures})
        page = write_comparison(compare_runs(*runs.values()), plan["out"] / clip.place)
        print(f"{clip.path.name} -> {page}")
    table = pd.DataFrame(rows)
    table.to_csv(plan["out"] / "agreement.csv", index=False)
    print(table.to_string(index=False, float_format="%.2f"))


if __name__ == "__main__":
    main()
