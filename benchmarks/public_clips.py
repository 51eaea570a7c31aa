"""Public BVH files of people: what the ground explains of them, as docs/public-clips.md.

    python -m benchmarks.public_clips [DATA] [--plots FOLDER]

DATA: a folder of BVH files (``../shared/data/bvh``). ``--plots`` draws the force of every limb, and
where it presses along its own foot, for each of them. Columns as in ``benchmarks.limbs``.
"""

from __future__ import annotations

import argparse
import warnings
from pathlib import Path

import numpy as np

import mocap_reroot as mr
from benchmarks.limbs import row

PAGE = Path(__file__).resolve().parents[1] / "docs" / "public-clips.md"
COLUMNS = (
    "unexplained %", "external %", "pressure under a limb %", "trunk mm", "root °", "grade",
    "who carries, % of frames",
)  # fmt: skip
HEAD = """# Public clips

Made by `python -m benchmarks.public_clips` from BVH files of many makers, nothing given but the
file. Unexplained: frames whose residual and push from elsewhere exceed 5 % of weight or 2 % of
weight × height. Pressure under a limb: share of loaded limbs that press within 50 mm of their
outline. Trunk, root: how far they lie from where the file has them, smoothing included (95th
percentile).

"""


def plot(analysis: mr.Analysis, path: Path) -> None:
    """Draw force upwards, and the pressure along the foot from its heel over its length."""
    import matplotlib as mpl

    mpl.use("Agg")
    import matplotlib.pyplot as plt

    result, support, up = analysis.dynamics, analysis.ground.support, analysis.motion.up
    weight = analysis.body.total_mass * 9.80665
    time = np.arange(analysis.motion.n_frames) / analysis.motion.fps
    _, (above, below) = plt.subplots(2, 1, figsize=(10, 5), sharex=True)
    names = analysis.motion.skeleton.names
    limbs = zip(support.feet, result.foot_pressure, support.corners, strict=True)
    for k, (foot, place, corners) in enumerate(limbs):
        above.plot(time, up @ analysis.ground.loads.force[k] / weight, lw=0.9, label=names[foot])
        heel = corners[0, :2].mean(axis=0)
        tip = corners.reshape(-1, *corners.shape[2:])
        far = ((tip - heel) ** 2).sum(axis=1).argmax(axis=0)
        way = tip[far, :, np.arange(len(time))].T - heel
        along = ((place - heel) * way).sum(axis=0) / (way**2).sum(axis=0)
        below.plot(time, along, lw=0.9)
    above.set(ylabel="force / weight", title=path.stem)
    below.set(ylabel="pressure along sole", xlabel="s", ylim=(-1, 2.5))
    above.legend(fontsize=6)
    plt.tight_layout()
    plt.savefig(path, dpi=70)
    plt.close()


def main() -> None:
    """Measure, print and write."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("data", nargs="?", type=Path, default=Path("../shared/data/bvh"))
    parser.add_argument("--plots", type=Path)
    options = parser.parse_args()
    warnings.filterwarnings("ignore")
    lines = [["clip", "activity", *COLUMNS], ["---"] * (2 + len(COLUMNS))]
    for file in sorted(options.data.rglob("*.bvh")):
        name = str(file.relative_to(options.data).with_suffix(""))
        try:
            found, analysis = row(file, "")
        except mr.MocapRerootError as error:
            lines.append([name, f"refused: {str(error).split(': ')[-1]}", *[""] * len(COLUMNS)])
            continue
        cells = [str(found[column]) for column in COLUMNS]
        lines.append([name, str(analysis.summary["activity"]), *cells])
        print("| " + " | ".join(lines[-1]) + " |", flush=True)
        if options.plots:
            options.plots.mkdir(parents=True, exist_ok=True)
            plot(analysis, options.plots / f"{name.replace('/', '_')}.png")
    table = "\n".join("| " + " | ".join(line) + " |" for line in lines)
    PAGE.write_text(HEAD + table + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
