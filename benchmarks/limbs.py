"""Who carries in clips that are no walks: a table and a picture for docs/who-carries.md.

    python -m benchmarks.limbs [DATA]

DATA: a folder of BVH with ``INDEX.csv`` (``../shared/data/bvh/cmu_dynamic``). Columns: share of
frames unexplained and with a push from elsewhere, and on whom; share of loaded limbs (20 N) whose
pressure is within 50 mm of them; how far the trunk and the root were moved and turned (95th
percentiles); who carries.
"""

from __future__ import annotations

import sys
import warnings
from collections import Counter
from pathlib import Path

import numpy as np
import pandas as pd

import mocap_reroot as mr
from mocap_reroot.contact.support import outside

PAGE = Path(__file__).resolve().parents[1] / "docs" / "who-carries.md"
PICTURE = PAGE.parent / "pictures" / "who-carries.png"
DRAWN = ("118_10", "49_05", "85_07", "85_15", "87_05", "143_19")
RATES = {"87_05": 60.0, "139_19": 60.0}
"""Hz, tried beside the file's own where a clip's falls contradict that."""
FIGURES = 12  # a clip
NEAR = 0.05  # m
MADE = "<!-- table: made by python -m benchmarks.limbs -->"


def carriers(analysis: mr.Analysis) -> str:
    """Return who carries for at least 2 % of the frames, most first; the sides as one."""
    names, frames = analysis.motion.skeleton.names, Counter[str]()
    segments = analysis.motion.skeleton.segments
    for phase in analysis.contacts.phase_list:
        if phase.mode == "none":
            continue
        words = [segments[b].split("_")[-1] or names[b] for b in phase.support]
        who = " + ".join(sorted({"foot" if w == "toes" else w for w in words})) or "flight"
        frames[who] += phase.stop - phase.start
    total = sum(frames.values())
    return ", ".join(
        f"{w} {100 * n / total:.0f}" for w, n in frames.most_common() if n > 0.02 * total
    )


def under_limbs(analysis: mr.Analysis) -> float:
    """Return the share of loaded limbs that press within 50 mm of their outline."""
    result, support = analysis.dynamics, analysis.ground.support
    near = []
    for place, corners in zip(result.foot_pressure, support.corners, strict=True):
        known = np.isfinite(place).all(axis=0)
        near.append(outside(place, corners, result.up, known)[known] < NEAR)
    return float(np.concatenate(near).mean()) if near else np.nan


def trunk_moved(analysis: mr.Analysis, file: Path, rate: float | None) -> float:
    """Return mm, 95th percentile of how far pelvis and trunk are from where the file has them."""
    there, here = mr.forward(mr.read(file, rate=rate)), mr.forward(analysis.motion)
    segments = analysis.motion.skeleton.segments
    bodies = [b for b, s in enumerate(segments) if s in ("pelvis", "trunk")]
    way = np.linalg.norm(there.position[bodies] - here.position[bodies], axis=1)
    return 1000 * float(np.nanpercentile(way[:, analysis.motion.analysed], 95))


def row(file: Path, words: str, rate: float | None) -> tuple[dict[str, object], mr.Analysis]:
    """Return what is found in a clip, at its file's rate or another one."""
    analysis = mr.analyze(file, rate=rate)
    quality, grf = analysis.summary["quality"], analysis.grf
    pushed = Counter(grf["external_body"]) if "external_body" in grf else Counter()
    del pushed[""]
    return {
        "clip": f"{file.stem}, {rate:g} Hz" if rate else file.stem, "shows": words,
        "unexplained %": f"{100 * quality['unexplained']:.1f}",
        "external %": f"{100 * quality['external_share']:.1f}",
        "on": ", ".join(body for body, _ in pushed.most_common(2)),
        "pressure under a limb %": f"{100 * under_limbs(analysis):.1f}",
        "trunk mm": f"{trunk_moved(analysis, file, rate):.0f}",
        "root °": f"{quality.get('root_turned_deg', np.nan):.1f}",
        "grade": analysis.verdict.grade, "who carries, % of frames": carriers(analysis),
    }, analysis  # fmt: skip


def draw(analyses: dict[str, mr.Analysis]) -> None:
    """Draw figures of some clips, limbs that carry as dots; a push from elsewhere is a square."""
    import matplotlib as mpl

    mpl.use("Agg")
    import matplotlib.pyplot as plt

    size = 1.35 * FIGURES, 2.0 * len(analyses)
    canvas, axes = plt.subplots(len(analyses), FIGURES, figsize=size)
    for line, (name, analysis) in zip(axes, analyses.items(), strict=True):
        motion, contacts = analysis.motion, analysis.contacts
        place, up = mr.forward(motion).position, motion.up
        floor = float(contacts.ground[0].point @ up) if contacts.ground else 0.0
        frames = np.linspace(0, motion.n_frames - 1, FIGURES + 2).astype(int)[1:-1]
        for ax, frame in zip(line, frames, strict=True):
            points = place[..., frame]
            level = points - np.outer(points @ up, up)
            level = level - level.mean(axis=0)
            x, z = level @ np.linalg.svd(level)[2][0], points @ up - floor
            for body, parent in enumerate(motion.skeleton.parents):
                if parent >= 0:
                    ax.plot(x[[parent, body]], z[[parent, body]], "k-", lw=0.9)
            on = contacts.support_body[:, frame]
            ax.plot(x[on[on >= 0]], z[on[on >= 0]], "o", ms=5, color="tab:green")
            pushed = analysis.ground.pushed
            if pushed is not None and pushed[frame] >= 0:
                ax.plot(x[pushed[frame]], z[pushed[frame]], "s", ms=5, color="tab:orange")
            ax.axhline(0, lw=0.6, color="0.6")
            ax.set(xlim=(-1.1, 1.1), ylim=(-0.2, 2.0), aspect="equal")
            ax.axis("off")
            mode = next(p.mode for p in contacts.phase_list if p.start <= frame < p.stop)
            ax.set_title(f"{frame / motion.fps:.1f} s {mode}", fontsize=6)
        line[0].text(-1.1, 1.9, name, fontsize=8, weight="bold")
    canvas.tight_layout()
    canvas.savefig(PICTURE, dpi=80)


def main(data: Path) -> None:
    """Measure, print, and put table and picture into the documentation."""
    warnings.filterwarnings("ignore")
    index = pd.read_csv(data / "INDEX.csv")
    rows, drawn = [], {}
    for name, words in zip(index["id"], index["desc"], strict=True):
        for rate in dict.fromkeys((None, RATES.get(name))):
            found, analysis = row(data / f"{name}.bvh", " ".join(words.split()), rate)
            rows.append(found)
        if name in DRAWN:
            drawn[name] = analysis
    draw({name: drawn[name] for name in DRAWN})
    head = list(rows[0])
    lines = [head, ["---"] * len(head), *([str(r[c]) for c in head] for r in rows)]
    table = "\n".join("| " + " | ".join(line) + " |" for line in lines)
    text = PAGE.read_text(encoding="utf-8")
    PAGE.write_text(text[: text.index(MADE)] + MADE + "\n\n" + table + "\n", encoding="utf-8")
    print(table)


if __name__ == "__main__":
    main(Path(sys.argv[1] if len(sys.argv) > 1 else "../shared/data/bvh/cmu_dynamic"))
