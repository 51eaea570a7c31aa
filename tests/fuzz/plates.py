"""Wrong plates of right recordings: ``python -m tests.fuzz.plates`` (part of ``make fuzz``).

Every mutation is one that laboratories make: a sign, an axis, a clock, a cable. It must be told, or
do no harm: the result is then the one that the right plates give, or the one without plates.
"""

import re
import tempfile
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pandas as pd

import mocap_reroot as mr
from tests.fuzz.seeds import SHARED

TRIALS = {
    "walk": "opencap/subject4/walking1",
    "run": "hamner/subject01/run300",
    "squat": "opencap/subject4/squats1",
    "sit to stand": "sit_to_stand/subject4/STS1",
}
Table = pd.DataFrame


def read(path: Path) -> Table:
    """Return the table of a ``.mot``."""
    lines = path.read_text().splitlines()
    first = next(k for k, line in enumerate(lines) if line.strip().lower() == "endheader")
    rows = [[float(x) for x in line.split()] for line in lines[first + 2 :] if line.strip()]
    return Table(rows, columns=lines[first + 1].split())


def write(table: Table, path: Path) -> None:
    """Write a ``.mot``."""
    head = f"made\nversion=1\nnRows={len(table)}\nnColumns={table.shape[1]}\ninDegrees=yes\n"
    body = table.to_csv(sep="\t", index=False, na_rep="nan")
    path.write_text(f"{head}endheader\n{body}")


def _ends(table: Table, *ends: str) -> list[str]:
    return [c for c in table.columns if c.lower().endswith(ends) and "torque" not in c.lower()]


def _heaviest(table: Table) -> str:
    """Return the vertical force that bears most."""
    return max(_ends(table, "_vy"), key=lambda c: table[c].abs().sum())


def _changed(table: Table, columns: list[str], change: Callable[[pd.Series], pd.Series]) -> Table:
    return table.assign(**{c: change(table[c]) for c in columns})


def _swapped(table: Table, a: str, b: str) -> Table:
    names = {f"{kind}{x}": f"{kind}{y}" for kind in "vp" for x, y in ((a, b), (b, a))}
    new = {c: c[:-2] + names[c[-2:]] for c in _ends(table, *names)}
    return table.rename(columns=new)[table.columns]


def _stuck(table: Table) -> Table:
    vertical = _heaviest(table)
    stem, peak = vertical[:-2], int(table[vertical].abs().argmax())
    mine = [c for c in table.columns if c.startswith(stem)]
    return table.assign(**{c: [*table[c][:peak], *[table[c][peak]] * (len(table) - peak)]
                           for c in mine})  # fmt: skip


MUTATIONS: dict[str, Callable[[Table], Table]] = {
    "as it is": lambda t: t,
    "all forces negated": lambda t: _changed(t, _ends(t, "_vx", "_vy", "_vz"), lambda v: -v),
    "vertical negated": lambda t: _changed(t, _ends(t, "_vy"), lambda v: -v),
    "one vertical negated": lambda t: _changed(t, [_heaviest(t)], lambda v: -v),
    "horizontal negated": lambda t: _changed(t, _ends(t, "_vx", "_vz"), lambda v: -v),
    "x and z swapped": lambda t: _swapped(t, "x", "z"),
    "x and y swapped": lambda t: _swapped(t, "x", "y"),
    "y and z swapped": lambda t: _swapped(t, "y", "z"),
    "pressure 1 m aside": lambda t: _changed(t, _ends(t, "_pz"), lambda v: v + 1.0),
    "pressure in mm": lambda t: _changed(t, _ends(t, "_px", "_py", "_pz"), lambda v: v * 1e3),
    "331 m where unloaded": lambda t: _far_where_unloaded(t),
    "0.1 s late": lambda t: t.assign(time=t["time"] + 0.1),
    "0.5 s late": lambda t: t.assign(time=t["time"] + 0.5),
    "2 s early": lambda t: t.assign(time=t["time"] - 2.0),
    "100 s late": lambda t: t.assign(time=t["time"] + 100.0),
    "saturated at 60 %": lambda t: _changed(
        t, _ends(t, "_vy"), lambda v: v.clip(upper=0.6 * v.max())),
    "one stuck at its peak": _stuck,
    "constant throughout": lambda t: _changed(
        t, [c for c in t.columns if c != "time"], lambda v: v * 0 + v.iloc[len(v) // 2]),
    "one column no number": lambda t: t.assign(**{_heaviest(t): np.nan}),
    "no number anywhere": lambda t: _changed(t, list(t.columns[1:]), lambda v: v * np.nan),
    "holes of 50 ms": lambda t: t.mask(
        np.tile((np.arange(len(t)) % 97 < 12)[:, None], t.shape[1]) & (t.columns != "time")),
    "nothing but zeros": lambda t: _changed(t, list(t.columns[1:]), lambda v: v * 0.0),
    "forces × 10": lambda t: _changed(t, _ends(t, "_vx", "_vy", "_vz"), lambda v: v * 10),
    "forces in kN": lambda t: _changed(t, _ends(t, "_vx", "_vy", "_vz"), lambda v: v / 1e3),
}  # fmt: skip


def _far_where_unloaded(table: Table) -> Table:
    table = table.copy()
    for vertical in _ends(table, "_vy"):
        empty = table[vertical].abs() < 10
        table.loc[empty, [f"{vertical[:-2]}p{a}" for a in "xyz"]] = 331.0
    return table


@dataclass(frozen=True)
class Outcome:
    """What became of a recording with such plates.

    Attributes:
        words: ``"measured"``, ``"left out"`` (some plates), ``"predicted"`` or ``"refused"``.
        told: Sentences that the right plates do not have.
        mass: kg.
        force: Root mean square of what differs from the right result, share of body weight.
        harm: Whether it is wrong in silence.
    """

    words: str
    told: tuple[str, ...]
    mass: float
    force: float
    harm: bool


class Judge:
    """One recording, and what its right plates give."""

    def __init__(self, place: str, folder: Path) -> None:
        self.trial = SHARED / "atlas" / place
        self.folder = folder
        self.table = read(self.trial / "grf.mot")
        static = self.trial.parent / "static.trc"
        self.options = {"static": str(static)} if static.exists() else {}
        write(self.table, folder / "right.mot")
        self.right = self._analysed(folder / "right.mot")
        self.without = mr.analyze(self.trial / "markers.trc", forces="predicted", **self.options)

    def _analysed(self, plates: Path) -> mr.Analysis:
        return mr.analyze(self.trial / "markers.trc", plates=str(plates), **self.options)

    def outcome(self, name: str) -> Outcome:
        """Return what one mutation comes to."""
        path = self.folder / "wrong.mot"
        write(MUTATIONS[name](self.table), path)
        try:
            found = self._analysed(path)
        except mr.MocapRerootError as error:
            return Outcome("refused", (str(error),), 0.0, 0.0, False)
        usual = set(self.right.summary["warnings"] + self.right.summary["repairs"])
        said = found.summary["warnings"] + found.summary["repairs"]
        told = tuple(text for text in said if text not in usual and "plate" in text.lower())
        words = {"measured": "measured"}.get(found.summary["forces"], "predicted")
        if words == "measured" and any("left out" in text for text in told):
            words = "some left out"
        apart = min(self._apart(found, self.right), self._apart(found, self.without))
        masses = self.right.body.total_mass, self.without.body.total_mass
        mass = found.body.total_mass
        wrong = apart > 0.05 or min(abs(mass / m - 1) for m in masses) > 0.05
        return Outcome(words, told, mass, apart, wrong and not told)

    @staticmethod
    def _apart(one: mr.Analysis, other: mr.Analysis) -> float:
        names = [c for c in other.grf if c[-3:] in ("_fx", "_fy", "_fz") and "residual" not in c]
        # Per kilogram: a mass that is only estimated is told as such.
        forces = [a.grf[names].fillna(0).to_numpy() / a.body.total_mass for a in (one, other)]
        return float(np.sqrt(np.mean((forces[0] - forces[1]) ** 2)) / 9.80665)


def main() -> int:
    """Print the table of outcomes; return how many were wrong in silence."""
    warnings.simplefilter("ignore")
    print("| plates | " + " | ".join(TRIALS) + " |\n|---" * 1 + "|---" * len(TRIALS) + "|")
    silent = 0
    with tempfile.TemporaryDirectory() as folder:
        judges = []
        for k, place in enumerate(TRIALS.values()):
            home = Path(folder) / str(k)
            home.mkdir()
            judges.append(Judge(place, home))
        for name in MUTATIONS:
            cells = []
            for judge in judges:
                found = judge.outcome(name)
                silent += found.harm
                why = {re.sub(r"\d", "", text): text for text in map(_short, found.told)}
                why = "; ".join(list(why.values())[:1])
                mass = (
                    f", {found.mass:.1f} kg" if found.words.startswith(("measured", "some")) else ""
                )
                mark = " **in silence**" if found.harm else ""
                cells.append(f"{found.words}{mass}{': ' + why if why else ''}{mark}")
            print(f"| {name} | " + " | ".join(cells) + " |", flush=True)
    print(f"\n{silent} wrong in silence")
    return silent


def _short(text: str) -> str:
    """Return the part of a sentence that says why."""
    return (
        re.split(r"left out: |are predicted: ", text)[-1]
        .split(". ")[0]
        .split(", as if")[0]
        .rstrip(".")
    )


if __name__ == "__main__":
    raise SystemExit(main() > 0)
