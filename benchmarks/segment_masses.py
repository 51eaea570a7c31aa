"""Parts weighed by force plates: are they ever weighed worse than the table has them?

    python -m benchmarks.segment_masses [PEOPLE]

People who walk like the sample walk, whose parts differ from the table by as much as people do, or
not at all, stand on plates that measure what their masses need; then something goes wrong. Prints
how many were weighed, how far the masses were off before and after (root mean square over parts,
%), and how many are worse than by the table.
"""

from __future__ import annotations

import sys
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from benchmarks.walks import table
from mocap_reroot.anthropometry.bodies import body_model
from mocap_reroot.contact.detection import detect_contacts
from mocap_reroot.contact.plate_feet import assign
from mocap_reroot.contact.poses import contact_poses
from mocap_reroot.contact.support import support_of
from mocap_reroot.ground.segment_masses import SPREAD, parts_of, weigh_segments
from mocap_reroot.ground.weighing import Borne, borne_by_plates
from mocap_reroot.mechanics.whole_body import part_wrenches, total_wrench
from mocap_reroot.reading import read
from mocap_reroot.signals.cleaning import clean
from mocap_reroot.signals.smoothing import smooth
from mocap_reroot.types import BodyModel, Loads, Motion, Total

SAMPLE = Path(__file__).resolve().parents[1] / "sample_data" / "walk.c3d"
NOISE = 2.0
"""N, of plates, in every case."""


@dataclass(frozen=True)
class Case:
    """What goes wrong.

    Attributes:
        drift: N, of each force by the end of the clip.
        late: s, by which plates lag.
        mass: Of the whole, by which it is given wrong.
        trunk: m, by which the centre of mass of the trunk is farther ahead than in the table.
        aside: m, by which plates stand elsewhere than the file says.
        jitter: m/s², of slow errors in the acceleration of every part.
    """

    drift: float = 0.0
    late: float = 0.0
    mass: float = 0.0
    trunk: float = 0.0
    aside: float = 0.0
    jitter: float = 0.0


CASES = {
    "plates with 2 N of noise": Case(),
    "and 5 N of drift": Case(drift=5.0),
    "5 ms late": Case(late=0.005),
    "10 ms late": Case(late=0.01),
    "the whole 1 % too heavy": Case(mass=0.01),
    "the whole 5 % too heavy": Case(mass=0.05),
    "trunk's centre 20 mm ahead": Case(trunk=0.02),
    "plates 10 mm aside": Case(aside=0.01),
    "accelerations off by 0.1 m/s²": Case(jitter=0.1),
    "accelerations off by 0.5 m/s²": Case(jitter=0.5),
}


def person(body: BodyModel, rng: np.random.Generator, differs: bool) -> BodyModel:
    """Return a person of the same mass whose parts weigh something else."""
    factor = np.ones(len(body.mass))
    parts = parts_of(body)
    for name, rows in parts.items():
        factor[rows] += differs * np.clip(SPREAD[name] * rng.standard_normal(), -0.5, 0.6)
    factor *= body.total_mass / (factor @ body.mass)
    return replace(body, mass=body.mass * factor, inertia=body.inertia * factor[:, None, None])


def measured(motion: Motion, body: BodyModel, case: Case, rng: np.random.Generator) -> Total:
    """Return what plates say of a person, about the origin of the root."""
    com = np.array(body.com)
    com[body.skeleton.index("trunk"), 0] += case.trunk
    true, frames = total_wrench(motion, replace(body, com=com)), np.arange(motion.n_frames)
    wrench = np.concatenate([true.force, true.moment + np.cross(true.about.T, true.force.T).T])
    late = np.stack([np.interp(frames - case.late * motion.fps, frames, row) for row in wrench])
    force = late[:3] + NOISE * rng.standard_normal((3, motion.n_frames))
    force += case.drift * np.outer(rng.standard_normal(3), frames / motion.n_frames)
    slow = rng.standard_normal((6, 1 + motion.n_frames // 10))
    wave = np.stack([np.interp(frames / 10, np.arange(slow.shape[1]), row) for row in slow])
    force += case.jitter * body.total_mass * wave[:3] / 4  # parts err one against the other
    moment = late[3:] + case.jitter * body.total_mass * 0.2 * wave[3:]
    moment += np.cross([case.aside, 0, 0], force.T).T
    return Total(force, moment - np.cross(true.about.T, force.T).T, true.about, motion.up)


def masses(body: BodyModel) -> np.ndarray:
    """Return kg, of every part."""
    return np.array([body.mass[rows].sum() for rows in parts_of(body).values()])


def weighed(motion: Motion, body: BodyModel, borne: Borne, plates: Total) -> BodyModel | None:
    """Return a body as plates weigh it, if they do."""
    loads = Loads(plates.force[None], plates.moment[None], np.zeros(motion.n_frames, bool))
    loads = loads.about(-plates.about)
    everywhere = np.ones(motion.n_frames, bool)
    seen = Borne(total_wrench(motion, body), replace(borne.measured, loads=loads), everywhere)
    wrenches = part_wrenches(motion, body, list(parts_of(body).values()))
    found = weigh_segments(seen, wrenches, motion.fps, body)
    return found.body if found and found.why.value == "plates" else None


def main() -> None:
    """Print the table."""
    people = int(sys.argv[1]) if len(sys.argv) > 1 else 10
    captured = clean(read(SAMPLE))
    motion = smooth(captured)
    body = body_model(motion.skeleton, source=motion.source)
    contacts, total = detect_contacts(captured, body), total_wrench(motion, body)
    support = support_of(contacts, contact_poses(motion, body, contacts))
    assert motion.plates is not None
    borne = borne_by_plates(total, assign(motion.plates, support, motion.up))
    assert borne is not None
    rows = []
    for name, case in CASES.items():
        row = [name]
        for differs in (True, False):
            errors = []
            for seed in range(people):
                rng = np.random.default_rng(seed)
                true = person(body, rng, differs)
                given = replace(body, mass=body.mass * (1 + case.mass))
                found = weighed(motion, given, borne, measured(motion, true, case, rng))
                if found is not None:
                    share = [masses(b) / b.total_mass for b in (given, found, true)]
                    off = [100 * np.sqrt(np.mean((s / share[2] - 1) ** 2)) for s in share[:2]]
                    errors.append(off)
            worse = sum(after > before for before, after in errors)
            mean = np.mean(errors, axis=0) if errors else (np.nan, np.nan)
            row += [f"{len(errors)} of {people}"]
            if differs:
                row += [f"{mean[0]:.0f} → {mean[1]:.1f}" if errors else "–", str(worse)]
        rows.append(row)
    head = ["", "weighed", "masses off, %", "worse", "weighed, though the table is right"]
    table(head, rows)


if __name__ == "__main__":
    main()
