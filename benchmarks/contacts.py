"""Measure contact detection: error of strikes and offs against plates and stored events, and time.

    python -m benchmarks.contacts [DATA]

DATA is a folder with ``c3d/plug_in_gait`` and ``atlas/hamner`` (default ``../shared/data``).
From the motion alone. Errors in ms; F1 over all frames whose contact the plates or events tell. On
runs a foot is down while its plate bears 20 N. Events as detected and as the forces settled them
(``ground.contacts``, what ``events.csv`` holds). The numbers of the detection were chosen on none
of the runs; ``GroundParameters.touches`` was, so that it is chosen once more leaving out each
person. The tables go into docs/accuracy.md.
"""

from __future__ import annotations

import sys
import time
from pathlib import Path

import numpy as np
import pandas as pd

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from mocap_reroot.anthropometry.bodies import body_model
from mocap_reroot.contact.detection import detect_contacts
from mocap_reroot.ground.estimate import estimate_ground
from mocap_reroot.parameters import GroundParameters
from mocap_reroot.reading import read
from tests.contact.runners import SPEEDS, hastened, run_of
from tests.contact.truth import PLUG_IN_GAIT, errors, frames_in_contact, marks_of

PAGE = Path(__file__).resolve().parents[1] / "docs" / "accuracy.md"
MADE = "<!-- table: made by python -m benchmarks.contacts -->"
LEFT_OUT = "Runs at all speeds, `touches` chosen leaving out one person at a time (medians):"
MISSED = 80.0  # ms
RUN = 5.0  # m/s, the fastest that were recorded
TOUCHES = (0.02, 0.03, 0.04, 0.05, 0.06, 0.07, 0.08)  # body weights


def accuracy(folder: Path) -> pd.DataFrame:
    """Print and return the error of every known event of the children's walks and turns."""
    tables, counts = [], np.zeros(3)
    for name in PLUG_IN_GAIT:
        path = folder / f"{name}.c3d"
        motion = read(path)
        contacts = detect_contacts(motion, contact_source="kinematics")
        marks = marks_of(path, motion)
        ground = estimate_ground(motion, body_model(motion), contacts, forces="predicted")
        for word, these in (("detected", contacts), ("settled", ground.contacts)):
            table = errors(marks, these.events, motion)
            tables.append(table.assign(clip=path.stem, by=word, speed="walks and turns"))
        for foot in contacts.feet:
            side = contacts.skeleton.names[foot].split("_")[0]
            truth = frames_in_contact(marks, side, motion.fps, motion.n_frames)
            on = contacts.foot_touching(foot)
            known = truth >= 0
            hit = (on & (truth == 1)).sum()
            counts += hit, (on[known] & (truth[known] == 0)).sum(), (~on & (truth == 1)).sum()
    table = pd.concat(tables, ignore_index=True)
    table["ms"] = 1000 * table.error
    both, table = table, table[table.by == "detected"]
    for clip, rows in table.groupby("clip"):
        each = " ".join(
            f"{'*' * (r.source == 'plate')}{r.event[0]}{r.ms:.0f}" for r in rows.itertuples()
        )
        print(f"{clip}: {each}")
    for (event, source), rows in [
        *table.groupby(["event", "source"]),
        *(((e, "all"), t) for e, t in table.groupby("event")),
    ]:
        size = rows.ms.abs()
        print(
            f"{event:7s}{source:7s} n {len(rows):3d}  bias {rows.ms.median():5.1f}  median "
            f"{size.median():5.1f}  90 % {size.quantile(0.9):5.1f}  within 30 ms "
            f"{(size <= 30).mean():.2f}  missed {(size > 150).sum()}"
        )
    print(f"F1 of frames {2 * counts[0] / (2 * counts[0] + counts[1] + counts[2]):.4f}")
    return both[both.source == "plate"]


def runs(folder: Path) -> pd.DataFrame:
    """Print and return the error of every strike and off of runs, and of sprints made of them."""
    tables = []
    for person in sorted(folder.iterdir()):
        for speed in SPEEDS:
            motion, marks = run_of(person, speed)
            body = body_model(motion)
            contacts = detect_contacts(motion, body)
            belt = contacts.belt
            found = {
                "detected": contacts,
                "settled": estimate_ground(motion, body, contacts).contacts,
            }
            for word, these in found.items():
                table = errors(marks, these.events, motion)
                tables.append(table.assign(who=person.name, speed=speed / 100, by=word))
            if speed < 500 or belt is None:
                continue
            for times, fps in ((1.4, 200.0), (1.8, 250.0), (2.2, 250.0)):
                fast, theirs = hastened(motion, marks, times, fps, belt)
                table = errors(theirs, detect_contacts(fast).events, fast)
                tables.append(table.assign(who=person.name, speed=5 * times, by="detected"))
    table = pd.concat(tables, ignore_index=True)
    table["ms"] = 1000 * table.error
    for keys in (["by", "event", "speed"], ["by", "event", "who"]):
        for names, rows in table.groupby(keys):
            size = rows.ms.abs()
            print(
                f"{' '.join(map(str, names)):28s} n {len(rows):3d}  bias {rows.ms.median():5.1f}  "
                f"median {size.median():5.1f}  90 % {size.quantile(0.9):5.1f}  "
                f"missed {(size > 80).sum()}"
            )
    return table


def left_out(folder: Path) -> list[str]:
    """Return a table: events of each runner by the number that suits the others best.

    Best is the least of the largest medians, of strikes and offs at every speed.
    """
    tables = []
    for person in sorted(folder.iterdir()):
        for speed in SPEEDS:
            motion, marks = run_of(person, speed)
            body = body_model(motion)
            contacts = detect_contacts(motion, body)
            for touches in TOUCHES:
                numbers = GroundParameters(touches=touches)
                settled = estimate_ground(motion, body, contacts, numbers).contacts
                table = errors(marks, settled.events, motion)
                tables.append(table.assign(who=person.name, speed=speed, touches=touches))
    found = pd.concat(tables, ignore_index=True)
    found["ms"] = 1000 * found.error.abs()
    lines = ["| left out | chosen on the others, body weights | strikes, ms | offs, ms |"]
    lines.append("|---|---|---|---|")
    for who in sorted(set(found.who)):
        others = found[found.who != who].groupby(["touches", "event", "speed"]).ms.median()
        best = others.groupby("touches").max().idxmin()
        mine = found[(found.who == who) & (found.touches == best)].groupby("event").ms.median()
        lines.append(f"| {who} | {best:g} | {mine['strike']:.1f} | {mine['off']:.1f} |")
    return lines


def document(table: pd.DataFrame, more: list[str]) -> None:
    """Put the errors against plates into the documentation, as detected and as settled."""
    lines = ["| motion | event | n | detected, ms: median (90 %) | in events.csv | missed |"]
    lines.append("|---|---|---|---|---|---|")
    for (speed, event), rows in table.groupby(["speed", "event"], sort=False):
        size = {by: mine.ms.abs() for by, mine in rows.groupby("by")}
        cells = [
            f"{size[by].median():.1f} ({size[by].quantile(0.9):.1f})" if by in size else ""
            for by in ("detected", "settled")
        ]
        last = size.get("settled", size["detected"])
        head = f"| {speed} | {event} | {len(last)} | "
        lines.append(head + " | ".join(cells) + f" | {(last > MISSED).sum()} |")
    text = PAGE.read_text(encoding="utf-8")
    made = MADE + "\n\n" + "\n".join([*lines, "", LEFT_OUT, "", *more]) + "\n"
    PAGE.write_text(text[: text.index(MADE)] + made, encoding="utf-8")
    print(made)


def cost(files: list[Path]) -> None:
    """Print the time of detection beside that of reading, best of five, in ms."""
    for file in files:
        best = [np.inf, np.inf]
        for _ in range(5):
            begin = time.perf_counter()
            motion = read(file)
            middle = time.perf_counter()
            detect_contacts(motion)
            end = time.perf_counter()
            best = [min(best[0], middle - begin), min(best[1], end - middle)]
        print(
            f"{file.name}: {motion.n_frames} frames, read {1000 * best[0]:.1f} ms, "
            f"contacts {1000 * best[1]:.1f} ms"
        )


def main() -> None:
    """Measure accuracy, then cost."""
    data = Path(sys.argv[1] if len(sys.argv) > 1 else "../shared/data")
    walks = accuracy(data / "c3d" / "plug_in_gait")
    fast = runs(data / "atlas" / "hamner").sort_values("speed", kind="stable")
    fast["speed"] = [
        f"run, {speed:g} m/s" if speed <= RUN else f"run played as {speed:g} m/s"
        for speed in fast.speed
    ]
    document(pd.concat([walks, fast]), left_out(data / "atlas" / "hamner"))
    clips = ("02_01", "49_02", "05_02")
    cost([data / "bvh" / "cmu" / f"{clip}.bvh" for clip in clips])
    cost([data / "c3d" / "plug_in_gait" / "HC030A" / "HC030A22.c3d"])


if __name__ == "__main__":
    main()
