"""Accuracy by activity: forces from motion alone against force plates, moments against OpenSim's.

    python -m benchmarks.accuracy [DATA] [--left-out] [--out FILE.json]

DATA is a folder ``STUDY/SUBJECT/TRIAL/{markers.trc, grf.mot, id.sto}`` (default
``../shared/data/atlas``). Which frames count is decided by the plates, never by what the program
says of them. ``--left-out`` also tries every number of the ground problem halved and doubled,
chooses for each person what is best for all others, and measures him with that; then it writes
docs/accuracy.md and, for ``quality.expected``, what was found to the package. Trials of one person
may lie in several studies: persons are left out, not folders.
"""

from __future__ import annotations

import argparse
import json
import re
import warnings
from collections.abc import Iterator
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

import mocap_reroot as mr
from mocap_reroot.config import Config, resolve
from mocap_reroot.dynamics import expected
from mocap_reroot.parameters import GroundParameters

G = 9.80665
FIGURES = ("vertical", "forward", "sideways", "pressure", "hip", "knee", "ankle")
"""% of weight, mm, N·m/kg."""
KINDS = {
    "run": "running", "DJ": "jumping, from a box", "squatsAsym": "squatting, uneven",
    "squats": "squatting", "walkingTS": "walking, trunk sways", "walk": "walking",
}  # fmt: skip
SAME = {"arnold": "hamner"}
"""Studies whose people are those of another one."""
SIGNS = {"hamner": {"knee": -1.0}}
"""Where flexion is not positive in the reference."""
GOLD = {
    "hip": ("hip_flexion_moment", "hip_flexion_{}_moment"),
    "knee": ("knee_flexion_moment", "knee_angle_{}_moment"),
    "ankle": ("ankle_dorsiflexion_moment", "ankle_angle_{}_moment"),
}
FIXED = (
    "knot", "newton", "slack", "most_moved", "most_turned", "push", "push_arm", "asked", "far",
    "spun_moved", "spun_turned",
)  # fmt: skip
"""Numbers of the solver and of what lies outside the atlas: not chosen on it."""


@dataclass(frozen=True)
class Trial:
    """A recording with plates."""

    folder: Path
    activity: str
    person: str
    study: str
    mass: float
    height: float


def trials(data: Path) -> Iterator[Trial]:
    """Yield the recordings of an atlas whose activity is known."""
    for info in sorted(data.glob("*/*/subject.json")):
        study, told = info.parent.parent.name, json.loads(info.read_text())
        mass = told.get("plateMassKg", told["massKg"])  # what is stated is up to 6 % off
        for folder in sorted(p.parent for p in info.parent.glob("*/grf.mot")):
            word = next((w for start, w in KINDS.items() if folder.name.startswith(start)), None)
            if word is None:
                continue
            if word == "running":
                word += f", {int(re.sub('[^0-9]', '', folder.name)) / 100:.0f} m/s"
            person = f"{SAME.get(study, study)} {info.parent.name.lstrip('subject0')}"
            yield Trial(folder, word, person, study, mass, told["heightM"])


def read_storage(path: Path) -> pd.DataFrame:
    """Return the table of one of OpenSim's files."""
    lines = path.read_text().splitlines()
    head = next(i for i, line in enumerate(lines) if line.strip().lower() == "endheader") + 1
    rows = [[float(x) for x in line.split()] for line in lines[head + 1 :] if line.strip()]
    return pd.DataFrame(rows, columns=lines[head].split())


def runs(true: np.ndarray) -> list[tuple[int, int]]:
    """Return begin and end of every stretch that is true."""
    edge = np.diff(np.concatenate([[0], true.astype(int), [0]]))
    return list(zip(np.flatnonzero(edge > 0), np.flatnonzero(edge < 0), strict=True))


def judged(trial: Trial, config: Config) -> dict[str, Any]:
    """Return the figures of one recording, with the numbers that a configuration has."""
    static = trial.folder.parent / "static.trc"
    given = {"static": str(static)} if static.exists() else {}
    plates = str(trial.folder / "grf.mot")
    a = mr.analyze(
        trial.folder / "markers.trc", plates=plates, mass=trial.mass, height=trial.height,
        forces="predicted", config=config, **given,
    )  # fmt: skip
    assert a.plates is not None
    fps, up, weight = a.motion.fps, int(np.argmax(np.abs(a.motion.up))), trial.mass * G
    feet = [c[:-3] for c in a.plates if c.endswith("_fx") and "residual" not in c]
    hips = np.mean([_vectors(a.kinematics, f"{s}_thigh", "p") * k for s, k in _SIDES], axis=0)
    level = sorted({0, 1, 2} - {up}, key=lambda k: float(np.nanmean(np.abs(hips[:, k]))))
    axes = [up, *level]
    true, ours = ({f: np.nan_to_num(_vectors(t, f, "f")) for f in feet} for t in (a.plates, a.grf))
    spans = {foot: runs(force[:, up] > 20) for foot, force in true.items()}
    frames, pad = len(a.grf), max(round(0.05 * fps), 1)
    whole = [
        (foot, max(b - pad, 0), min(e + pad, frames))
        for foot in feet
        for b, e in spans[foot]
        if e - b >= 0.08 * fps and b > 0 and e < frames
    ]
    squares, pressures = [], []
    for foot, b, e in whole or [(foot, 0, frames) for foot in feet]:
        squares.append(((ours[foot] - true[foot])[b:e, axes] / weight * 100) ** 2)
        place = (_vectors(a.grf, foot, "p") - _vectors(a.plates, foot, "p"))[b:e, level]
        away = np.linalg.norm(place, axis=1)[true[foot][b:e, up] > 0.2 * weight]
        pressures.append(1000 * np.median(np.where(np.isfinite(away), away, 1.0)))
    forces = np.sqrt(np.concatenate(squares).mean(axis=0))
    quality = a.summary["quality"]
    return {
        "activity": trial.activity, "person": trial.person, "study": trial.study,
        **dict(zip(FIGURES[:3], forces.tolist(), strict=True)), "pressure": np.mean(pressures),
        **_moments(a, trial, spans), "unexplained": 100 * quality["unexplained"],
        "moved": quality["root_moved_mm"], "word": a.summary["activity"],
    }  # fmt: skip


_SIDES = (("left", 1.0), ("right", -1.0))


def _vectors(table: pd.DataFrame, name: str, what: str) -> np.ndarray:
    return table[[f"{name}_{what}{x}" for x in "xyz"]].to_numpy(float)


def _moments(a: mr.Analysis, trial: Trial, spans: dict[str, Any]) -> dict[str, float]:
    """Return RMSE of flexion moments against OpenSim's with plates, N·m/kg."""
    path = trial.folder / "id.sto"
    if not path.exists() or a.anatomy is None:
        return {}
    gold, found = read_storage(path), {}
    lines = (trial.folder / "markers.trc").read_text().splitlines()[5:]
    start = float(next(line for line in lines if line.strip()).split()[1])
    time = np.arange(len(a.grf)) / a.motion.fps + start
    for joint, (mine, theirs) in GOLD.items():
        squares = []
        for side, _ in _SIDES:
            if f"{side}_{mine}" not in a.anatomy or theirs.format(side[0]) not in gold:
                continue
            true = np.interp(time, gold["time"], gold[theirs.format(side[0])], np.nan, np.nan)
            known = np.isfinite(true)
            if trial.activity.startswith("walking"):  # a leg is known only around its plate
                near, reach = np.zeros(len(time), bool), round(0.3 * a.motion.fps)
                for b, e in next((s for f, s in spans.items() if f.startswith(side)), []):
                    near[max(b - reach, 0) : e + reach] = True
                known &= near
            sign = SIGNS.get(trial.study, {}).get(joint, 1.0)
            ours = sign * np.nan_to_num(a.anatomy[f"{side}_{mine}"].to_numpy(float))
            if known.sum() >= 20:
                squares.append(np.mean(((ours - true)[known] / trial.mass) ** 2))
        if squares:
            found[joint] = float(np.sqrt(np.mean(squares)))
    return found


def measured(data: Path, **numbers: float) -> pd.DataFrame:
    """Return the figures of all recordings, with other numbers of the ground problem."""
    config = resolve(parameters={"ground": numbers})
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return pd.DataFrame([judged(trial, config) for trial in trials(data)])


def medians(rows: pd.DataFrame) -> pd.DataFrame:
    """Return medians by activity, and how many recordings and people they are of."""
    groups = rows.groupby(["study", "activity"])
    found = groups[[*FIGURES, "unexplained", "moved"]].median()
    return found.assign(recordings=groups.size(), people=groups.person.nunique())


def variants() -> dict[str, dict[str, float]]:
    """Return the numbers as they are, and each of them halved and doubled."""
    found: dict[str, dict[str, float]] = {"as they are": {}}
    for number in fields(GroundParameters):
        value = getattr(GroundParameters(), number.name)
        if number.name not in FIXED and isinstance(value, float):
            for word, times in (("halved", 0.5), ("doubled", 2.0)):
                changed = min(value * times, 1.0) if number.name in _SHARES else value * times
                found[f"{number.name} {word}"] = {number.name: changed}
    return found


_SHARES = ("heel", "ball", "aim_ahead", "width")


def figure(rows: pd.DataFrame, usual: pd.DataFrame) -> float:
    """Return the mean over activities and figures of medians over those of the usual numbers."""
    return float(np.nanmean((medians(rows) / usual)[list(FIGURES)].to_numpy()))


def left_out(data: Path) -> tuple[pd.DataFrame, list[str]]:
    """Return every person's figures with what is best for all others; what it depends on."""
    tried = {name: measured(data, **numbers) for name, numbers in variants().items()}
    usual = tried["as they are"]
    lines = ["| number | halved | doubled |", "|---|---|---|"]
    change = {n: 100 * (figure(rows, medians(usual)) - 1) for n, rows in tried.items()}
    for name in dict.fromkeys(n.rsplit(" ", 1)[0] for n in tried if tried[n] is not usual):
        value = getattr(GroundParameters(), name)
        both = (f"{change[f'{name} {word}']:+.1f} %" for word in ("halved", "doubled"))
        lines.append(f"| `{name}`, {value:.3g} | " + " | ".join(both) + " |")
    chosen, words = [], []
    for person in sorted(usual.person.unique()):
        others = medians(usual[usual.person != person])
        best = min(tried, key=lambda n: figure(tried[n][tried[n].person != person], others))
        words.append(f"{person}: {best}")
        chosen.append(tried[best][tried[best].person == person])
    return pd.concat(chosen), [*lines, "", "Chosen on all others: " + "; ".join(words) + "."]


def shown(rows: pd.DataFrame) -> list[str]:
    """Return the figures as a table."""
    head = (
        "activity", "each foot, % of weight", "pressure, mm", "hip / knee / ankle, N·m/kg",
        "unexplained, %", "root moved, mm", "recordings, people",
    )  # fmt: skip
    lines = ["| " + " | ".join(head) + " |", "|---" * len(head) + "|"]
    for (study, activity), row in medians(rows).iterrows():
        cells = (
            f"{activity} ({study})", " / ".join(f"{row[k]:.1f}" for k in FIGURES[:3]),
            f"{row.pressure:.0f}", " / ".join(f"{row[k]:.2f}" for k in FIGURES[4:]),
            f"{row.unexplained:.1f}", f"{row.moved:.1f}", f"{row.recordings:.0f}, {row.people:.0f}",
        )  # fmt: skip
        lines.append("| " + " | ".join(cells) + " |")
    return lines


PAGE = Path(__file__).resolve().parents[1] / "docs" / "accuracy.md"
TEXT = """# How right forces from motion alone are

Made by `python -m benchmarks.accuracy --left-out`: people on force plates, the mass as plates weigh
it, frames chosen by the plates. Root mean squares of each foot's force over its stances (vertical /
fore-aft / sideways), median distance of the pressure, flexion moments against OpenSim's inverse
dynamics with plates; medians over recordings. Each person is measured with the numbers that are
best for all others.

{table}

Published for the same job: walking from kinematics alone, rRMSE of the vertical force 4–6 %,
pressure 21–23 mm (OpenGRF); walking and running by a diffusion model (GaitDynamics) 11.8 / 3.3 /
2.2 % of weight; running from three accelerometers (Alcantara 2022) 16 %; fast running from a
musculoskeletal model without learning (ISBS 2022) 25.7 / 33 / 69 %. For squats and drop jumps
nothing unlearned was found. Weak here: [what limits it](decisions/0065-what-limits-it.md).

## How much depends on each number

Change of the mean over activities and figures when one number is halved or doubled (shares at most
1); `residual`, `residual_arm` and `stand_noise` count with plates only.

{numbers}

"""
MADE = "<!-- made up to here by python -m benchmarks.accuracy --left-out -->"


def main() -> None:
    """Measure, print and write."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("data", nargs="?", type=Path, default=Path("../shared/data/atlas"))
    parser.add_argument("--left-out", action="store_true")
    parser.add_argument("--out", type=Path, default=Path("out/accuracy.json"))
    options = parser.parse_args()
    rows, numbers = left_out(options.data) if options.left_out else (measured(options.data), [])
    table = "\n".join(shown(rows))
    print(table)
    options.out.parent.mkdir(parents=True, exist_ok=True)
    options.out.write_text(rows.to_json(orient="records", indent=1))
    if options.left_out:
        expected.FILE.write_text(json.dumps(_expectations(rows), indent=1) + "\n")
        rest = PAGE.read_text(encoding="utf-8").partition(MADE)[2]
        text = TEXT.format(table=table, numbers="\n".join(numbers))
        PAGE.write_text(text + MADE + rest, encoding="utf-8")
        print(f"{expected.FILE}\n{PAGE}")


def _expectations(rows: pd.DataFrame) -> list[dict[str, Any]]:
    """Return what to expect of every activity that the program tells apart."""
    names = rows.activity.where(
        rows.activity.str.startswith("running"), rows.activity.str.split(",").str[0]
    )
    found = []
    for name, group in rows.groupby(names):
        entry: dict[str, Any] = {"activity": name}
        if "m/s" in name:
            entry["speed_m_s"] = float(name.split()[1])
        values = {k: round(float(v), 3) for k, v in group[list(FIGURES)].median().items()}
        entry |= {
            "force_percent_bw": {k: values[k] for k in FIGURES[:3]},
            "pressure_mm": values["pressure"],
            "moment_nm_kg": {k: values[k] for k in FIGURES[4:]},
        }
        found.append(entry | {"people": int(group.person.nunique())})
    return found


if __name__ == "__main__":
    main()
