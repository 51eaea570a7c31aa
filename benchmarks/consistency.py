"""How far clips that were made to obey physics do so, beside their sources.

    python -m benchmarks.consistency [--pin-feet] [--cutoff HZ] [--resample HZ] [FILE…]

Without files: all public clips, some of them at 30 Hz, too; with ``--pin-feet`` the table of
``docs/clips-back.md`` is written anew. A line a clip: how it was changed; what analysing it again
finds, from the BVH that was written and with no lag of soft parts; and what MuJoCo leaves over. The
judge low-passes source and result alike, at a frequency at which a motion that obeys Newton exactly
still does so in flight, takes the six root rows of ``qfrc_inverse`` with contacts off, and fits
them by forces within friction cones at sole points that are less than 10 mm above the floor, or
below it.
"""

from __future__ import annotations

import argparse
import tempfile
from concurrent.futures import ProcessPoolExecutor
from dataclasses import replace
from pathlib import Path

import mujoco
import numpy as np
from scipy.optimize import nnls

import mocap_reroot as mr
from mocap_reroot.consistency import SETTLED, Obeyed, obey
from mocap_reroot.contact.stance_feet import stance_feet
from mocap_reroot.export.mjcf import write_mjcf
from mocap_reroot.export.simulators import simulated
from mocap_reroot.ground.estimate import estimate_ground
from mocap_reroot.numerics.vectors import level_axes
from mocap_reroot.signals.resampling import resample
from mocap_reroot.types import STANDARD_GRAVITY, Contacts, Ground, Motion

NEAR = 0.01
"""m above the floor, below which a point of a sole may bear."""
LOW_PASS = 16.0
"""Hz. At the 5 Hz that forces are estimated with, stances leak into flights: of the estimate's own
motions of runs, which obey exactly, the judge then refused up to 90 % of the flight frames."""
FRICTION = 0.9
WITHIN = 0.05
"""Of weight (moments: × 0.4 of stature)."""


def judged(motion: Motion, ground: Ground, contacts: Contacts, cutoff: float) -> float:
    """Return the share of frames whose root rows are explained by forces at the soles."""
    body, calm = ground.body, mr.smooth(motion, cutoff)
    push = np.zeros((len(body.mass), 6, calm.n_frames))
    with tempfile.TemporaryDirectory() as folder:
        xml, npz = write_mjcf(simulated(calm, ground, push), Path(folder) / "clip.xml")
        model, clip = mujoco.MjModel.from_xml_path(str(xml)), np.load(npz)
    model.opt.disableflags |= mujoco.mjtDisableBit.mjDSBL_CONTACT
    data = mujoco.MjData(model)
    feet = stance_feet(replace(calm, **dict.fromkeys(_RATES)), contacts)
    weight = body.total_mass * STANDARD_GRAVITY
    arm = 0.4 * body.height
    sides = level_axes(motion.up)
    edges = [motion.up + FRICTION * (c * sides[0] + s * sides[1]) for c, s in _ROUND]
    good = []
    for f in np.flatnonzero(clip["valid"]):
        data.qpos[:], data.qvel[:], data.qacc[:] = (clip[k][f] for k in ("qpos", "qvel", "qacc"))
        mujoco.mj_inverse(model, data)
        turn = data.xmat[1].reshape(3, 3)
        needed = np.concatenate([data.qfrc_inverse[:3], turn @ data.qfrc_inverse[3:6] / arm])
        columns = [
            np.concatenate([edge, np.cross(foot.corners[k, :, f] - data.xpos[1], edge) / arm])
            for foot in feet
            for k in np.flatnonzero(foot.height[:, f] < NEAR)
            for edge in edges
        ]
        left = needed
        if columns:
            bears = np.array(columns).T
            left = needed - bears @ nnls(bears, needed)[0]
        good.append(max(np.linalg.norm(left[:3]), np.linalg.norm(left[3:])) <= WITHIN * weight)
    return float(np.mean(good))


_RATES = ("angular_velocity", "angular_acceleration", "linear_velocity", "linear_acceleration")
_ROUND = [(np.cos(a), np.sin(a)) for a in np.linspace(0, 2 * np.pi, 8, endpoint=False)]


def jerks(motion: Motion, bodies: list[int]) -> float:
    """Return rad/s², the mean size of second differences of joint rotations."""
    turns = motion.rotation[bodies][..., motion.analysed]
    second = np.diff(turns, 2, axis=-1) * 2 * motion.fps**2
    return float(np.sqrt((second**2).sum(axis=1)).mean())


def again(found: Obeyed) -> tuple[Ground, Contacts, Motion]:
    """Return what analysing the written BVH finds."""
    with tempfile.TemporaryDirectory() as folder:
        path = mr.write_bvh(found.after, Path(folder) / "clip.bvh")
        motion = mr.read(path, unit=found.after.source.unit_scale)
    contacts = mr.detect_contacts(motion, found.body)
    body = replace(found.body, skeleton=motion.skeleton)
    return estimate_ground(motion, body, contacts, SETTLED), contacts, motion


def line(path: Path, pin: bool, cutoff: float, rate: float | None) -> str:
    motion = mr.read(path)
    motion = motion if rate is None else resample(motion, rate)
    body = mr.body_model(motion)
    contacts = mr.detect_contacts(motion, body)
    found = obey(motion, body, contacts, pin_feet=pin)
    told = found.figures
    ground, _, read = again(found)
    quality = mr.inverse_dynamics(mr.reroot(ground.motion, ground.contacts), ground.body, ground)
    legs = [b for foot in contacts.feet for b in motion.skeleton.chain(foot)[:3]]
    every = list(range(motion.skeleton.n_bodies))
    ratio = [jerks(found.after, b) / max(jerks(motion, b), 1.0) for b in (legs, every)]
    hertz = min(cutoff, 0.39 * motion.fps)
    judge = [judged(m, found.ground, found.stances, hertz) for m in (motion, found.after)]
    feet = [f"{told.get(f'{k}_{w}', 0):.1f}" for k in _FEET for w in ("before", "after")]
    cells = [
        path.stem + ("" if rate is None else f", {rate:g} Hz"),
        f"{told['moved_mm']:.1f}", f"{told['turned_deg']:.1f}",
        *(f"{a} → {b}" for a, b in zip(feet[::2], feet[1::2], strict=True)),
        f"{ratio[0]:.2f}, {ratio[1]:.2f}",
        f"{100 * quality.quality['unexplained']:.1f}", f"{ground.figures['root_moved_mm']:.1f}",
        f"{100 * judge[0]:.0f} → {100 * judge[1]:.0f}",
    ]  # fmt: skip
    assert read.n_frames == motion.n_frames
    return f"| {' | '.join(cells)} |"


_FEET = ("skate_mm_s", "floating_mm", "sunk_mm")
HEAD = (
    "| clip | moved mm | joints ° | skate mm/s | float mm | sink mm | acceleration legs, all | "
    "unexplained again % | moved again mm | MuJoCo explains % |\n" + "|---" * 10 + "|"
)


DATA = Path("../shared/data/bvh")
PAGE = Path("docs/clips-back.md")
SLOW = 30.0
"""Hz, to which walks, runs and a jump are resampled, too."""
RESAMPLED = ("02_01", "09_01", "16_01", "49_05", "118_10")


def table(pin: bool, cutoff: float) -> str:
    """Return the rows of all clips, and of some at another rate."""
    paths = [p for d in ("cmu", "cmu_dynamic", "mixamo") for p in sorted((DATA / d).glob("*.bvh"))]
    tasks = [(p, pin, cutoff, None) for p in paths]
    tasks += [(p, pin, cutoff, SLOW) for p in paths if p.stem in RESAMPLED]
    with ProcessPoolExecutor(2) as pool:
        return "\n".join([HEAD, *pool.map(line, *zip(*tasks, strict=True))]) + "\n"


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("files", nargs="*", type=Path, help="none: all public clips, to the page")
    parser.add_argument("--pin-feet", action="store_true")
    parser.add_argument("--cutoff", type=float, default=LOW_PASS)
    parser.add_argument("--resample", type=float)
    given = parser.parse_args()
    if not given.files:
        text, made = PAGE.read_text(encoding="utf-8"), table(given.pin_feet, given.cutoff)
        print(made)
        if given.pin_feet:
            start = text.index(HEAD.split("\n")[0])
            stop = text.index("\n\n", start) + 1
            PAGE.write_text(text[:start] + made + text[stop:], encoding="utf-8")
    else:
        print(HEAD)
    for file in given.files:
        print(line(file, given.pin_feet, given.cutoff, given.resample), flush=True)
