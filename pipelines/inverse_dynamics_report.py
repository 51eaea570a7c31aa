"""Torques, ground forces and a report of every clip, with a table of the largest moments."""

from __future__ import annotations

import pandas as pd

import mocap_reroot as mr
from mocap_reroot.resources.clips import find_clips
from pipelines.recipe import recipe


def main() -> None:
    """Analyse, save, and write ``largest_moments.csv``."""
    plan = recipe(__file__)
    rows = []
    for clip in find_clips(plan["inputs"]):
        analysis = mr.analyze(clip.path, **plan["options"])
        analysis.save(plan["out"] / clip.place)
        moments = analysis.torques.filter(regex="_m[xyz]$").abs().max()
        largest = moments.nlargest(plan["largest"])
        rows += [
            {"clip": clip.place.as_posix(), "column": name, "moment_nm": value}
            for name, value in largest.items()
        ]
        print(f"{clip.path.name} -> {plan['out'] / clip.place / 'report.html'}")
    table = pd.DataFrame(rows)
    table.to_csv(plan["out"] / "largest_moments.csv", index=False)
    print(table.to_string(index=False, float_format="%.1f"))


if __name__ == "__main__":
    main()
