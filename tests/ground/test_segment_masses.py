"""What parts weigh, by the plates: a walk whose masses are known, and real recordings."""

from __future__ import annotations

import xml.etree.ElementTree as ElementTree
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import mocap_reroot as mr
from mocap_reroot.ground.segment_masses import weigh_segments
from mocap_reroot.importers.mot import read_storage
from mocap_reroot.signals.cleaning import clean
from tests.contact.truth import PLUG_IN_GAIT
from tests.ground.shared import borne, weighed_parts

SAMPLE = Path(__file__).parents[2] / "sample_data" / "walk.c3d"
CHANGED = {"thigh": 0.8, "foot": 1.3, "shank": 1.05}


@pytest.fixture(scope="module")
def walk():
    """Motion, body and contacts of the generated walk, whose plates obey the table's masses."""
    captured = clean(mr.read(SAMPLE))
    motion = mr.smooth(captured)
    body = mr.body_model(motion.skeleton, source=motion.source)
    return motion, body, mr.detect_contacts(captured)


def wrong(body: mr.BodyModel) -> mr.BodyModel:
    """Return a body of the same mass, whose legs weigh something else."""
    words = [name.split("_", 1)[-1] for name in body.skeleton.names]
    factor = np.array([CHANGED.get(word, 1.0) for word in words])
    core = np.isin(words, ("pelvis", "trunk", "head"))
    factor[core] += (body.mass * (1 - factor)).sum() / body.mass[core].sum()
    return replace(body, mass=body.mass * factor, inertia=body.inertia * factor[:, None, None])


def told(analysis: mr.Analysis) -> list[str]:
    """Return what was inferred of masses."""
    return [i.value for i in analysis.motion.source.inferred if i.what == "segment_masses"]


def by_word(body: mr.BodyModel) -> dict[str, float]:
    found: dict[str, float] = {}
    for name, mass in zip(body.skeleton.names, body.mass, strict=True):
        word = name.split("_", 1)[-1]
        found[word] = found.get(word, 0.0) + float(mass)
    return found


def test_legs_are_given_their_masses_back(walk) -> None:
    motion, truth, contacts = walk
    before = wrong(truth)
    found = weighed_parts(motion, before, contacts)
    assert found is not None
    after, why = found
    assert after.total_mass == pytest.approx(truth.total_mass)
    true, old, new = (by_word(body) for body in (truth, before, after))
    for word, left in (("thigh", 0.4), ("foot", 0.7)):  # feet are light, and stand most of the time
        assert abs(new[word] - true[word]) < left * abs(old[word] - true[word]), (word, new, true)
    assert why.what == "segment_masses" and "thigh +" in why.evidence
    factor = after.mass / before.mass
    np.testing.assert_allclose(after.inertia, before.inertia * factor[:, None, None])


@pytest.mark.parametrize("scale", [0.95, 0.98, 0.99, 1.0, 1.01, 1.03, 1.05])
def test_right_masses_stay_if_the_whole_is_wrong(walk, scale) -> None:
    motion, truth, contacts = walk
    heavier = replace(truth, mass=scale * truth.mass, inertia=scale * truth.inertia)
    same, why = weighed_parts(motion, heavier, contacts)
    assert same is heavier and why.value == "table" and "stay" in why.evidence


def test_a_wrong_mass_of_the_whole_is_no_matter(walk) -> None:
    motion, truth, contacts = walk
    before = wrong(truth)
    heavier = replace(before, mass=1.03 * before.mass, inertia=1.03 * before.inertia)
    one, other = (weighed_parts(motion, body, contacts) for body in (before, heavier))
    assert one is not None and other is not None
    assert other[0].total_mass == pytest.approx(heavier.total_mass)
    np.testing.assert_allclose(other[0].mass / 1.03, one[0].mass, rtol=0.03)


def test_a_residual_of_nothing_is_explained_by_nothing(walk) -> None:
    motion, truth, contacts = walk
    seen, wrenches = borne(motion, truth, contacts)
    none = replace(seen, known=np.ones(motion.n_frames, bool))
    still = np.zeros((3, motion.n_frames))
    measured = none.measured
    loads = replace(measured.loads, force=none.total.force[None], moment=none.total.moment[None])
    exact = replace(none, measured=replace(measured, loads=loads.about(-none.total.about)))
    np.testing.assert_array_equal(exact.residual_force, still)
    assert weigh_segments(exact, wrenches, motion.fps, truth) is None


def test_a_step_is_too_short_and_strangers_are_not_weighed(walk) -> None:
    motion, truth, contacts = walk
    before = wrong(truth)
    assert motion.plates is not None
    assert weighed_parts(replace(motion, plates=None), before, contacts) is None
    faster, seen = replace(motion, fps=3 * motion.fps), replace(contacts, fps=3 * contacts.fps)
    assert weighed_parts(faster, before, seen) is None
    anatomy = replace(before.skeleton.anatomy, human=False)
    stranger = replace(before, skeleton=replace(before.skeleton, anatomy=anatomy))
    assert weighed_parts(motion, stranger, contacts) is None


def test_prediction_stays_the_motions_own() -> None:
    """Plates that weighed the parts are not compared with themselves."""
    options = {"forces": "measured", "segment_table": "winter"}
    weighed = mr.analyze(SAMPLE, **options)
    table = mr.analyze(SAMPLE, **options, segment_masses="table")
    assert told(weighed) == ["plates"] and told(table) == []
    assert any(said.startswith("Force plates weighed") for said in weighed.summary["warnings"])
    figures = [a.dynamics.quality["plates"]["all"]["vertical"] for a in (weighed, table)]
    assert figures[0] == pytest.approx(figures[1], rel=1e-9)  # the same mass, but for rounding
    one, other = weighed.table("predicted"), table.table("predicted")
    assert one is not None and other is not None and one.equals(other)
    measured = (weighed.grf.source == "measured").to_numpy()
    columns = [f"residual_{part}{axis}" for part in "fm" for axis in "xyz"]
    squares = [np.square(a.grf.loc[measured, columns]).to_numpy().mean() for a in (weighed, table)]
    assert squares[0] < 0.6 * squares[1]  # of what the corrected root has left
    np.testing.assert_allclose(weighed.bodies.mass.sum(), table.bodies.mass.sum())


def test_a_users_own_bodies_stay(tmp_path) -> None:
    options = {"forces": "measured", "segment_table": "winter"}
    path = tmp_path / "bodies.csv"
    mr.analyze(SAMPLE, **options, segment_masses="table").bodies.to_csv(path, index=False)
    given = mr.analyze(SAMPLE, forces="measured", bodies=str(path))
    assert told(given) == []


@pytest.mark.parametrize("name", PLUG_IN_GAIT)
def test_smoothed_markers_tell_nothing_of_masses(shared_data, name) -> None:
    path = shared_data / "c3d" / "plug_in_gait" / f"{name}.c3d"
    found = mr.analyze(path, forces="measured")
    assert told(found) in ([], ["table"])  # some are too short to be asked


def test_the_body_of_a_consistent_walk_is_found(shared_data) -> None:
    """Arnold's walk obeys the masses of an OpenSim model, which the program has never seen."""
    folder = shared_data / "gold" / "arnold_subject01_walk"
    found = mr.analyze(
        folder / "markers.trc",
        plates=str(folder / "grf.mot"),
        mass=72.84,
        height=1.808,
        forces="measured",
    )
    masses = {
        b.get("name"): float(b.findtext("mass", "0"))
        for b in ElementTree.parse(folder / "subject01.osim").getroot().iter("Body")
    }
    ours = by_word(found.body)
    for word, bones in {
        "thigh": ("femur",), "shank": ("tibia",), "foot": ("talus", "calcn", "toes"),
    }.items():  # fmt: skip
        theirs = sum(masses[f"{bone}_{side}"] for bone in bones for side in "lr")
        assert ours[word] == pytest.approx(theirs, rel=0.12), word
    moments = read_storage(folder / "id.sto")
    time = found.torques.time
    anatomy = found.anatomy
    assert anatomy is not None
    for side in ("left", "right"):
        for joint, motion, name in (
            ("hip", "flexion", "hip_flexion"),
            ("knee", "flexion", "knee_angle"),
            ("ankle", "dorsiflexion", "ankle_angle"),
        ):
            theirs = np.interp(time, moments.time, moments[f"{name}_{side[0]}_moment"])
            mine = anatomy[f"{side}_{joint}_{motion}_moment"].to_numpy()
            known = np.asarray((time >= moments.time.min()) & (time <= moments.time.max()))
            known = np.flatnonzero(known)[5:-5]  # 25 ms: ends of smoothed angles are weak
            assert np.corrcoef(mine[known], theirs[known])[0, 1] > 0.97, (side, joint)
