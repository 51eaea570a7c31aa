"""What a plate must obey: every wrong one is told or does no harm, every right one is kept."""

import numpy as np
import pytest

import mocap_reroot as mr
from mocap_reroot.contact.plate_rules import feet_only
from mocap_reroot.importers.mot import read_mot
from mocap_reroot.parameters import GroundParameters
from tests.fuzz.plates import MUTATIONS, TRIALS, Judge, read, write

KEPT = ("as it is", "all forces negated", "pressure in mm", "331 m where unloaded")
SPOILT = {
    "vertical negated": "horizontal force points away",
    "one vertical negated": "horizontal force points away",
    "x and y swapped": "pulls",
    "pressure 1 m aside": "m from the nearest limb",
    "100 s late": "nothing of it while the motion lasts",
    "saturated at 60 %": "saturated",
    "constant throughout": "stuck",
    "one column no number": "holds no numbers",
    "no number anywhere": "holds no numbers",
    "holes of 50 ms": "holds no numbers in",
    "nothing but zeros": "No force plate is loaded",
    "0.1 s late": "does not go with the motion",
    "forces × 10": "they weigh 638 kg",
}


@pytest.fixture(scope="module")
def walk(shared_data, tmp_path_factory):
    return Judge(TRIALS["walk"], tmp_path_factory.mktemp("walk"))


@pytest.mark.parametrize("name", KEPT)
def test_right_plates_are_kept(walk, name):
    found = walk.outcome(name)
    assert found.words == "measured"
    assert found.mass == pytest.approx(walk.right.body.total_mass, rel=1e-3)
    assert found.force < 2e-3


@pytest.mark.parametrize("name", SPOILT)
def test_wrong_plates_are_told(walk, name):
    found = walk.outcome(name)
    assert any(SPOILT[name] in text for text in found.told)
    assert not found.harm
    assert found.mass == pytest.approx(walk.right.body.total_mass, rel=0.03)


@pytest.mark.parametrize(
    "name", ["100 s late", "no number anywhere", "vertical negated", "0.1 s late"]
)
def test_measured_forces_need_plates_that_can_be_used(walk, tmp_path, name):
    path = tmp_path / "wrong.mot"
    write(MUTATIONS[name](walk.table), path)
    trc = walk.trial / "markers.trc"
    with pytest.raises(mr.MocapRerootError, match=r"(forces were asked for|cannot be used)"):
        mr.analyze(trc, plates=str(path), forces="measured")
    if name != "0.1 s late":
        with pytest.raises(mr.MocapRerootError, match=r"Contacts were asked from force plates"):
            mr.analyze(trc, plates=str(path), contact_source="plates")


def test_plates_that_nobody_steps_on_are_no_measurement(walk, tmp_path):
    path = tmp_path / "empty.mot"
    write(MUTATIONS["nothing but zeros"](walk.table), path)
    with pytest.raises(mr.MocapRerootError, match="no force plate is loaded"):
        mr.analyze(walk.trial / "markers.trc", plates=str(path), forces="measured")
    with pytest.raises(mr.MocapRerootError, match="none of them bears a foot"):
        mr.analyze(walk.trial / "markers.trc", plates=str(path), contact_source="plates")


def test_a_seated_person_is_weighed_standing(shared_data):
    trial = shared_data / "atlas" / TRIALS["sit to stand"]
    found = mr.analyze(trial / "markers.trc", plates=str(trial / "grf.mot"))
    assert found.body.total_mass == pytest.approx(60.1, rel=0.03)  # 39 kg, with the chair
    standing = feet_only(found.motion, found.contacts.feet, GroundParameters().upright)
    assert 0.2 < standing.mean() < 0.6
    assert not any("do not agree" in text for text in found.summary["warnings"])


def test_units_are_judged_by_loaded_rows(walk, tmp_path):
    right, far = (tmp_path / f"{name}.mot" for name in ("right", "far"))
    write(walk.table, right)
    write(MUTATIONS["331 m where unloaded"](walk.table), far)
    a, b = read_mot(right), read_mot(far)
    np.testing.assert_allclose(a.corners, b.corners)
    loaded = np.linalg.norm(a.force, axis=1) > 20
    for x, y in zip(a.moment, b.moment, strict=True):
        np.testing.assert_allclose(x[:, loaded[0]], y[:, loaded[0]], atol=1e-9)
    assert np.abs(b.moment).max() < 2 * np.abs(a.moment).max()


def test_every_real_plate_is_kept(shared_data):
    """Held against what the files themselves say, not against what the program made of them."""
    for mot in sorted((shared_data / "atlas").glob("*/*/*/grf.mot"))[::6]:
        static = mot.parent.parent / "static.trc"
        options = {"static": str(static)} if static.exists() else {}
        motion = mr.read(mot.parent / "markers.trc", plates=mot, **options)
        vertical = [c for c in read(mot).columns if c.endswith("vy")]
        assert motion.plates is not None and len(motion.plates.names) == len(vertical)
        assert not any("Force plate" in text for text in motion.source.warnings)


def test_landings_that_smoothing_spread_are_no_disagreement(shared_data):
    """Joint angles at 5 Hz leave 300 N of a landing; with the root corrected plates explain it."""
    folder = shared_data / "atlas" / "opencap" / "subject2" / "DJ1"
    found = mr.analyze(
        folder / "markers.trc", plates=str(folder / "grf.mot"), mass=79.61, height=1.96,
        forces="measured", compare_plates=False,
    )  # fmt: skip
    assert not any("do not agree" in text for text in found.summary["warnings"])
    on = (found.grf["source"] == "measured").to_numpy()
    residual = found.grf.loc[on, [f"residual_f{x}" for x in "xyz"]].to_numpy()
    assert np.sqrt((residual**2).sum(axis=1).mean()) < 0.15 * 79.61 * 9.81
