"""What forces and moments are held against: force plates, Vicon, OpenSim, the sample walk's truth.

Errors: RMSE in % of body weight or N·m/kg; rRMSE is the RMSE over the mean of the two ranges, in %;
r is the correlation.
"""

from __future__ import annotations

import xml.etree.ElementTree as ElementTree
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from scipy import signal

from mocap_reroot.anthropometry.bodies import body_model
from mocap_reroot.contact.detection import detect_contacts
from mocap_reroot.contact.pinning import pin_feet
from mocap_reroot.dynamics.inverse import inverse_dynamics
from mocap_reroot.export.opensim import joint_moments
from mocap_reroot.ground.estimate import estimate_ground
from mocap_reroot.importers.mot import read_storage
from mocap_reroot.reading import read, read_recording
from mocap_reroot.rerooting.reroot import reroot
from mocap_reroot.signals.cleaning import clean
from mocap_reroot.types import STANDARD_GRAVITY, BodyModel, Contacts, Dynamics, Motion

SAMPLES = Path(__file__).resolve().parents[1] / "sample_data"
COMPARED_AT = 6.0
"""Hz: plates are also compared low-passed, since markers of these files are already smoothed."""
SIDES = ("left", "right")
FLEXION = {"hip": "flexion", "knee": "flexion", "ankle": "dorsiflexion"}
LEG = ("UpLeg", "Leg", "Foot")


@dataclass(frozen=True)
class Gold:
    """A walk with OpenSim's inverse dynamics.

    Attributes:
        markers, forces, moments, static: Names of the files.
        mass, height: kg and m, as in OpenSim's model.
        knee: The sense of its ``knee_angle``; 1 is flexion.
        model: Name of the model's file, for its masses.
    """

    markers: str
    forces: str
    moments: str
    mass: float
    height: float | None = None
    static: str | None = None
    knee: int = 1
    model: str | None = None


GOLD = {
    "arnold_subject01_walk": Gold(
        "markers.trc", "grf.mot", "id.sto", 72.84, 1.808, model="subject01.osim"
    ),
    "opensim_subject01_walk": Gold(
        "subject01_walk1.trc",
        "subject01_walk1_grf.mot",
        "inverse_dynamics.sto",
        72.6,
        static="subject01_static.trc",
        knee=-1,
    ),
}
"""By the name of its folder."""


@dataclass(frozen=True, eq=False)
class Walk:
    """A clip as captured, with contacts seen in the motion alone."""

    name: str
    path: Path
    captured: Motion
    contacts: Contacts
    body: BodyModel


def load(data: Path, name: str, **reading: Any) -> Walk:
    """Read one of the Plug-in Gait clips, with options of :func:`mocap_reroot.read`."""
    path = data / "c3d" / "plug_in_gait" / f"{name}.c3d"
    return _walk(path.stem, path, clean(read(path, **reading)))


def pinned(walk: Walk) -> Walk:
    """Return a clip whose stance feet are held where they stand."""
    return replace(walk, captured=pin_feet(walk.captured, walk.contacts))


def load_gold(folder: Path, segment_table: str = "deleva") -> Walk:
    """Read one of the clips with OpenSim's inverse dynamics, forces included."""
    gold = GOLD[folder.name]
    path, static = folder / gold.markers, gold.static and folder / gold.static
    captured = clean(read(path, plates=folder / gold.forces, static=static))
    person = {"mass": gold.mass, "height": gold.height, "segment_table": segment_table}
    return _walk(folder.name, path, captured, **person)


def _walk(name: str, path: Path, captured: Motion, **person: Any) -> Walk:
    contacts = detect_contacts(captured, contact_source="kinematics")
    body = body_model(captured.skeleton, source=captured.source, **person)
    return Walk(name, path, captured, contacts, body)


def solve(
    walk: Walk,
    *,
    method: str = "butterworth",
    cutoff: str | float = "auto",
    forces: str = "predicted",
    body: BodyModel | None = None,
) -> Dynamics:
    """Return torques and forces, as ``analyze`` computes them; a given body is not weighed."""
    ground = estimate_ground(
        walk.captured, body or walk.body, walk.contacts,
        cutoff=cutoff, smoother=method, forces=forces,
        segment_masses="auto" if body is None else "table",
    )  # fmt: skip
    return inverse_dynamics(reroot(ground.motion, ground.contacts), ground.body, ground)


def compare(ours: np.ndarray, theirs: np.ndarray, unit: float = 1.0) -> dict[str, float]:
    """Return RMSE over a unit, rRMSE in % and r."""
    rmse = float(np.sqrt(np.mean((ours - theirs) ** 2)))
    span = 0.5 * (np.ptp(ours) + np.ptp(theirs))
    return {
        "rmse": rmse / unit,
        "rrmse": 100 * rmse / float(span),
        "r": float(np.corrcoef(ours, theirs)[0, 1]),
    }


def vectors(table: pd.DataFrame, stem: str) -> np.ndarray:
    """Return ``(3, F)`` the columns ``<stem>x``, ``<stem>y``, ``<stem>z``."""
    return table[[f"{stem}{axis}" for axis in "xyz"]].to_numpy().T


def directions(walk: Walk, frames: np.ndarray) -> dict[str, np.ndarray]:
    """Return unit vectors up, along the way the root goes in some frames, and sideways."""
    captured = walk.captured
    slot = captured.skeleton.slot[captured.skeleton.root]
    path = captured.displacement[slot][:, frames]
    return frame(captured.up, path[:, -1] - path[:, 0])


def frame(up: np.ndarray, way: np.ndarray) -> dict[str, np.ndarray]:
    """Return the directions, given roughly the way walked."""
    forward = way - up * (up @ way)
    forward = forward / np.linalg.norm(forward)
    return {"vertical": up, "forward": forward, "sideways": np.cross(up, forward)}


def low_passed(values: np.ndarray, known: np.ndarray, cutoff: float, fps: float) -> np.ndarray:
    """Return values ``(…, F)`` low-passed within the run of known frames (4th order, no lag)."""
    first, last = known.nonzero()[0][[0, -1]]
    sections = signal.butter(2, cutoff / 0.802, fs=fps, output="sos")
    result = np.array(values)
    inside = slice(first, last + 1)
    result[..., inside] = signal.sosfiltfilt(sections, values[..., inside], padtype="odd")
    return result


def against_plates(walk: Walk, **options: Any) -> dict[str, Any]:
    """Return total force, force of each foot, pressure and moments, predicted against measured."""
    result = solve(walk, **options)
    held = solve(walk, **options | {"forces": "measured", "body": walk.body})
    plates, grf = result.extra["plates"], result.grf
    weight = result.body.total_mass * STANDARD_GRAVITY
    percent = weight / 100
    complete = (plates.source == "measured").to_numpy()
    ours = sum(vectors(grf, f"{side}_foot_f") for side in SIDES) + vectors(grf, "residual_f")
    theirs = sum(vectors(plates, f"{side}_foot_f") for side in SIDES)
    smooth_ones = low_passed(theirs, complete, COMPARED_AT, result.fps)
    found: dict[str, Any] = {"frames": int(complete.sum())}
    for axis, way in directions(walk, complete).items():
        found[axis] = compare(way @ ours[:, complete], way @ theirs[:, complete], percent)
        found[f"{axis}_low_passed"] = compare(
            way @ ours[:, complete], way @ smooth_ones[:, complete], percent
        )
        single = complete & (result.mode == "single")
        found[f"{axis}_single"] = compare(way @ ours[:, single], way @ theirs[:, single], percent)
    feet, gaps = [], []
    moments: dict[str, list[np.ndarray]] = {joint: [] for joint in FLEXION}
    peaks: list[tuple[float, float]] = []
    for side in SIDES:
        on = plates[f"{side}_foot_on"].to_numpy(bool)
        if not on.any():
            continue
        up = (
            result.up @ vectors(grf, f"{side}_foot_f"),
            result.up @ vectors(plates, f"{side}_foot_f"),
        )
        feet.append(compare(up[0][on], up[1][on], percent))
        gap = np.linalg.norm(
            vectors(grf, f"{side}_foot_p") - vectors(plates, f"{side}_foot_p"), axis=0
        )
        gaps.append(gap[on & (result.mode == "single") & np.isfinite(gap)])
        mine = on & (held.source == "measured")
        if not mine.any():
            continue
        for joint, motion in FLEXION.items():
            name = f"{side}_{joint}_{motion}_moment"
            pair = [r.extra["anatomy"][name].to_numpy()[mine] for r in (result, held)]
            moments[joint].append(np.array(pair) / result.body.total_mass)
        peaks.append(tuple(-moments["ankle"][-1].min(axis=1)))
    found["foot"] = {key: float(np.mean([foot[key] for foot in feet])) for key in feet[0]}
    found["pressure_mm"] = 1000 * float(np.median(np.concatenate(gaps)))
    for joint, pairs in moments.items():
        found[f"{joint}_moment"] = float(np.mean([compare(*pair)["rmse"] for pair in pairs]))
    found["peak_ankle"], found["peak_ankle_measured"] = np.mean(peaks, axis=0).tolist()
    return found


def _each_and_all(
    pairs: dict[str, tuple[np.ndarray, np.ndarray]],
) -> dict[str, dict[str, float]]:
    """Return how every pair of curves compares, and all of them as one (``"all"``)."""
    whole = [np.concatenate(curves) for curves in zip(*pairs.values(), strict=True)]
    found = {name: compare(*curves) for name, curves in pairs.items()}
    return found | {"all": compare(*whole)}


def against_vicon(walk: Walk) -> dict[str, dict[str, float]]:
    """Return flexion moments under measured forces against Vicon's own, N·m/kg.

    Vicon's are external in sense and N·mm per kg, whatever the file says of their unit.
    """
    outputs = read_recording(walk.path).outputs
    assert outputs is not None
    result = solve(walk, forces="measured")
    plates, anatomy = result.extra["plates"], result.extra["anatomy"]
    pairs = {}
    for side in SIDES:
        on = plates[f"{side}_foot_on"].to_numpy(bool)
        for joint, motion in FLEXION.items():
            label = f"{side[0].upper()}{joint.capitalize()}Moment"
            theirs = outputs.position[outputs.labels.index(label)][0] / 1000
            ours = -anatomy[f"{side}_{joint}_{motion}_moment"].to_numpy() / result.body.total_mass
            known = on & np.isfinite(theirs) & (theirs != 0)
            if known.sum() > 20:
                pairs[f"{side}_{joint}"] = ours[known], theirs[known]
    return _each_and_all(pairs)


def against_gold(
    folder: Path,
    *,
    masses: str = "auto",
    **smoothing: Any,
) -> dict[str, dict[str, float]]:
    """Return flexion moments under measured forces against OpenSim's inverse dynamics, N·m/kg.

    Args:
        folder: One of :data:`GOLD`.
        masses: ``"auto"``: de Leva's, or as the plates tell; ``"deleva"`` and ``"winter"``: by that
            table; ``"opensim"``: of the legs, those of OpenSim's model: what then differs is not
            the person but the mechanics.
        **smoothing: As for :func:`solve`.
    """
    gold = GOLD[folder.name]
    walk = load_gold(folder, "winter" if masses == "winter" else "deleva")
    body = None if masses == "auto" else walk.body
    if masses == "opensim" and gold.model:
        body = with_legs_of(folder / gold.model, walk.body)
    result = solve(walk, forces="measured", body=body, **smoothing)
    ours, theirs = joint_moments(result), read_storage(folder / gold.moments)
    at = ours.time
    known = np.asarray((at >= theirs.time.min()) & (at <= theirs.time.max()))
    known = known & (result.source == "measured")
    pairs = {}
    for side in "lr":
        for name, sense in (("hip_flexion", 1), ("knee_angle", gold.knee), ("ankle_angle", 1)):
            column = f"{name}_{side}_moment"
            other = sense * np.interp(at, theirs.time, theirs[column]) / gold.mass
            mine = ours[column].to_numpy() / gold.mass
            pairs[f"{name}_{side}"] = mine[known], other[known]
    return _each_and_all(pairs)


def with_legs_of(model: Path, body: BodyModel) -> BodyModel:
    """Return a body with the masses, centres and inertias of the legs of an OpenSim model.

    Thigh and shank have OpenSim's axes (y along the bone); of the foot, which OpenSim splits in
    three, the mass and the size of the inertia are taken.
    """
    found = {b.get("name"): b for b in ElementTree.parse(model).getroot().iter("Body")}

    def numbers(name: str, what: str) -> np.ndarray:
        return np.array(found[name].findtext(what, "").split(), float)

    mass, com, inertia = np.array(body.mass), np.array(body.com), np.array(body.inertia)
    for side in SIDES:
        for segment, bone in (("thigh", "femur"), ("shank", "tibia")):
            i, name = body.skeleton.index(f"{side}_{segment}"), f"{bone}_{side[0]}"
            mass[i], com[i] = numbers(name, "mass")[0], numbers(name, "mass_center")
            inertia[i] = np.diag(numbers(name, "inertia")[:3])
        foot = body.skeleton.index(f"{side}_foot")
        parts = sum(numbers(f"{b}_{side[0]}", "mass")[0] for b in ("talus", "calcn", "toes"))
        inertia[foot] *= parts / mass[foot]
        mass[foot] = parts
    return replace(body, mass=mass, com=com, inertia=inertia)


def against_truth(**smoothing: Any) -> dict[str, Any]:
    """Return the generated walk against its truth; single support, away from the ends."""
    path = SAMPLES / "walk.bvh"
    walk = _walk("walk", path, clean(read(path)), mass=70.0, height=1.75)
    result = solve(walk, **smoothing)
    truth, grf, torques = (
        pd.read_parquet(SAMPLES / "walk_truth.parquet"),
        result.grf,
        result.torques,
    )
    feet = ("LeftFoot", "RightFoot")
    single = (truth[f"{feet[0]}_on"] != truth[f"{feet[1]}_on"]).to_numpy(copy=True)
    single[:20] = single[-20:] = False
    axes = frame(result.up, np.array([0.0, 0, 1]))
    found: dict[str, Any] = {}
    for axis, way in axes.items():
        pairs = [(way @ vectors(t, f"{f}_f"))[single] for f in feet for t in (grf, truth)]
        ours, theirs = np.concatenate(pairs[::2]), np.concatenate(pairs[1::2])
        found[axis] = compare(ours, theirs, 0.7 * STANDARD_GRAVITY)
    for joint in LEG:
        columns = [f"{side}{joint}_m{a}" for side in ("Left", "Right") for a in "xyz"]
        ours, theirs = (t.loc[single, columns].to_numpy().ravel() for t in (torques, truth))
        found[joint] = compare(ours, theirs, 70.0)
    gaps = []
    for foot in feet:
        gap = np.linalg.norm(vectors(grf, f"{foot}_p") - vectors(truth, f"{foot}_p"), axis=0)
        gaps.append(gap[single & truth[f"{foot}_on"].to_numpy(bool) & np.isfinite(gap)])
    found["pressure_mm"] = 1000 * float(np.median(np.concatenate(gaps)))
    return found
