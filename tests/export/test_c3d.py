"""C3D: labels, units and senses are Vicon's, and every reader finds the same numbers."""

import warnings
from dataclasses import replace

import ezc3d
import numpy as np
import pytest

import mocap_reroot as mr
from mocap_reroot.export.c3d import joint_centres, write_c3d
from mocap_reroot.export.trc import write_trc
from mocap_reroot.importers.c3d import read_c3d
from mocap_reroot.reading import markers_of, read_recording

MASS = 70.0


@pytest.fixture(scope="module")
def walk():
    return mr.analyze("sample_data/walk.bvh", mass=MASS, height=1.75)


@pytest.fixture(scope="module")
def written(walk, tmp_path_factory):
    return write_c3d(walk.motion, tmp_path_factory.mktemp("c3d") / "walk.c3d", result=walk)


def points_of(recording) -> dict[str, np.ndarray]:
    found = {}
    for part in (recording.markers, recording.outputs):
        if part is not None:
            found |= dict(zip(part.labels, part.position, strict=True))
    return found


def test_joint_centres_come_back(walk, written) -> None:
    recording = read_c3d(written)
    points = dict(zip(recording.markers.labels, recording.markers.position, strict=True))
    for label, _, place in joint_centres(walk.motion):
        assert np.abs(points[label] / 1000 - place).max() < 1e-6
    assert (recording.fps, recording.up, recording.unit) == (100.0, "+y", "mm")
    assert (recording.mass, recording.height) == (MASS, pytest.approx(1.75))
    motion = mr.read(written)
    assert motion.source.format == "c3d"
    again = {"left_foot": "LeftFoot", "left_thigh": "LeftUpLeg", "pelvis": "Hips"}
    for segment, name in again.items():
        one = mr.forward(motion).position[motion.skeleton.index(segment)]
        other = mr.forward(walk.motion).position[walk.motion.skeleton.index(name)]
        if segment != "pelvis":  # whose origin a marker set places otherwise
            assert np.linalg.norm(one - other, axis=0).max() < 0.01


def test_ezc3d_and_c3d_read_the_same(written) -> None:
    c3d = pytest.importorskip("c3d")
    theirs = ezc3d.c3d(str(written))
    with written.open("rb") as file, warnings.catch_warnings():
        warnings.simplefilter("ignore")
        reader = c3d.Reader(file)
        frames = [(points[:, :4], analog) for _, points, analog in reader.read_frames()]
        labels = [label.strip() for label in reader.point_labels]
    assert labels == theirs["parameters"]["POINT"]["LABELS"]["value"]
    points = np.stack([p for p, _ in frames], axis=2)
    seen = points[:, 3] >= 0
    assert np.array_equal(
        points[:, :3].transpose(1, 0, 2)[:, seen], theirs["data"]["points"][:3][:, seen]
    )
    analog = np.concatenate([a for _, a in frames], axis=1)
    assert np.allclose(analog, theirs["data"]["analogs"][0], atol=1e-6)


def test_opensim_reads_the_same(written, tmp_path) -> None:
    opensim = pytest.importorskip("opensim")
    if not hasattr(opensim, "C3DFileAdapter"):
        pytest.skip("this build of OpenSim reads no C3D (it has no C3DFileAdapter)")
    table = opensim.C3DFileAdapter().getMarkersTable(opensim.C3DFileAdapter().read(str(written)))
    theirs = ezc3d.c3d(str(written))["data"]["points"]
    for column in (0, 4):
        row = table.getRowAtIndex(100)[column]
        assert [row[k] for k in range(3)] == pytest.approx(theirs[:3, column, 100])


def test_plates_bear_what_was_predicted_and_are_not_taken_for_measured(walk, written) -> None:
    plates = ezc3d.c3d(str(written), extract_forceplat_data=True)["data"]["platform"]
    for foot, plate in zip(("LeftFoot", "RightFoot"), plates, strict=True):
        force, place = (walk.grf[[f"{foot}_{k}{a}" for a in "xyz"]].to_numpy(float).T for k in "fp")
        on = np.isfinite(place).all(axis=0)
        assert np.abs(plate["force"] - force)[:, on].max() < 1e-3  # N
        assert np.abs(plate["center_of_pressure"] / 1000 - place)[:, on].max() < 1e-5  # m
        couple = walk.grf[f"{foot}_tn"].to_numpy(float)
        assert np.abs(plate["Tz"][1] / 1000 - couple)[on].max() < 1e-3  # N·m, y is up
    recording = read_c3d(written)
    assert recording.plates is None
    assert any("predicted by this program" in repair for repair in recording.repairs)


def test_angles_moments_and_powers_bear_vicons_labels_and_units(walk, written) -> None:
    points, anatomy = points_of(read_c3d(written)), walk.anatomy
    angles = points["LKneeAngles"]
    for k, motion in enumerate(("flexion", "adduction", "rotation")):
        assert angles[k] == pytest.approx(anatomy[f"left_knee_{motion}_deg"], abs=1e-3)
    external = -anatomy["right_ankle_dorsiflexion_moment"] / MASS * 1000  # N·mm per kg
    assert points["RAnkleMoment"][0] == pytest.approx(external, rel=1e-5, abs=1e-3)
    assert points["LHipPower"][2] == pytest.approx(walk.torques["LeftUpLeg_power"] / MASS, abs=1e-5)
    assert (points["LHipPower"][:2] == 0).all()
    force = walk.grf[[f"LeftFoot_f{a}" for a in "xyz"]].to_numpy(float).T / MASS
    seen = np.isfinite(points["LGroundReactionForce"]).all(axis=0)
    assert points["LGroundReactionForce"][:, seen] == pytest.approx(force[:, seen], abs=1e-5)
    groups = ezc3d.c3d(str(written))["parameters"]["POINT"]
    assert groups["MOMENT_UNITS"]["value"] == ["Nmm"]
    assert "LKneeAngles" in groups["ANGLES"]["value"]
    assert groups["TYPE_GROUPS"]["value"][:2] == ["ANGLES", "ANGLE"]


def test_events_are_where_they_were(walk, written) -> None:
    events = read_c3d(written).events
    ours = sorted((row.frame / 100, row.event, row.side) for row in walk.events.itertuples())
    assert [(e.event, e.side) for e in events] == [(event, side) for _, event, side in ours]
    assert [e.time for e in events] == pytest.approx([time for time, *_ in ours], abs=1e-5)


def test_a_recorded_walk_keeps_markers_plates_and_vicons_own_senses(shared_data, tmp_path) -> None:
    source = shared_data / "c3d" / "plug_in_gait" / "HC038A" / "HC038A11.c3d"
    walk = mr.analyze(source, forces="measured")
    theirs = read_recording(source)
    path = tmp_path / "again.c3d"
    write_c3d(walk.motion, path, markers=markers_of(theirs, walk.motion), result=walk)
    ours = read_c3d(path)
    assert ours.first_frame == theirs.first_frame
    assert set(theirs.markers.labels) <= set(ours.markers.labels)
    rows = [ours.markers.labels.index(label) for label in theirs.markers.labels]
    apart = ours.markers.position[rows] - theirs.markers.position
    assert np.nanmax(np.abs(apart)) < 1e-3  # mm
    assert np.array_equal(np.isnan(ours.markers.position[rows]), np.isnan(theirs.markers.position))
    assert np.abs(ours.plates.corners - theirs.plates.corners).max() < 1e-6
    assert ours.plates.force.sum() == pytest.approx(walk.motion.plates.force.sum(), rel=1e-5)
    stored, made = points_of(theirs), points_of(ours)
    # What Vicon computed from the same markers has the same axes and senses.
    for label, axis, least in (
        ("HipAngles", 0, 0.99),
        ("HipAngles", 1, 0.99),
        ("HipAngles", 2, 0.95),
        ("KneeAngles", 0, 0.99),
        ("AnkleAngles", 0, 0.95),
        ("AnkleAngles", 2, 0.9),
        ("PelvisAngles", 2, 0.98),
        ("PelvisAngles", 1, 0.85),
        ("SpineAngles", 2, 0.9),
        ("SpineAngles", 1, 0.85),
        ("HipPower", 2, 0.85),
        ("GroundReactionForce", 2, 0.9),
    ):
        for side in "LR":
            a, b = stored[f"{side}{label}"][axis], made[f"{side}{label}"][axis]
            known = np.isfinite(a) & np.isfinite(b) & (a != 0) & (b != 0)
            assert np.corrcoef(a[known], b[known])[0, 1] > least, f"{side}{label}[{axis}]"
            ratio = np.std(b[known]) / np.std(a[known])
            assert 0.5 < ratio < 1.7, f"{side}{label}[{axis}] is not in Vicon's unit"
    measured = (walk.torques["source"] == "measured").to_numpy()
    for side in "LR":
        for label in ("HipMoment", "KneeMoment", "AnkleMoment"):
            a, b = stored[f"{side}{label}"][0], made[f"{side}{label}"][0]
            known = measured & np.isfinite(a) & np.isfinite(b) & (a != 0)
            assert np.corrcoef(a[known], b[known])[0, 1] > 0.8, f"{side}{label}"


def test_more_frames_than_sixteen_bits_count(tmp_path) -> None:
    motion = mr.read("sample_data/walk.bvh")
    times = 65536 // motion.n_frames + 2
    long = replace(
        motion,
        rotation=np.tile(motion.rotation, (1, 1, times)),
        displacement=np.tile(motion.displacement, (1, 1, times)),
        flags=np.tile(motion.flags, times),
    )
    recording = read_c3d(write_c3d(long, tmp_path / "long.c3d"))
    assert recording.n_frames == long.n_frames > 65536
    hips = mr.forward(motion).position[motion.skeleton.root]
    last = recording.markers.position[recording.markers.labels.index("PELO"), :, -1]
    assert last / 1000 == pytest.approx(hips[:, -1], abs=1e-6)


def test_trc_is_what_opensim_and_we_read(walk, tmp_path) -> None:
    motion = walk.motion
    centres = joint_centres(motion)
    labels, place = [label for label, *_ in centres], np.array([p for *_, p in centres])
    place = place.copy()
    place[3, :, 10:13] = np.nan
    path = write_trc(tmp_path / "w.trc", labels, place, motion.fps, motion.time, motion.up)
    recording = read_recording(path)
    assert (recording.fps, recording.unit, recording.n_frames) == (100.0, "m", motion.n_frames)
    assert list(recording.markers.labels) == labels
    known = np.isfinite(place)
    assert np.array_equal(np.isfinite(recording.markers.position), known)
    assert np.abs(recording.markers.position - place)[known].max() < 1e-8
    opensim = pytest.importorskip("opensim")
    table = opensim.TimeSeriesTableVec3(str(path))
    assert (table.getNumRows(), table.getNumColumns()) == (motion.n_frames, len(labels))
    row = table.getRowAtIndex(200)
    for k in (0, 7):
        assert [row[k][c] for c in range(3)] == pytest.approx(place[k, :, 200], abs=1e-8)
