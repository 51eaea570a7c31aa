"""Models fitted to markers: as near as published fits, whichever way the file is turned."""

from dataclasses import replace

import numpy as np
import pytest

import mocap_reroot as mr
from mocap_reroot.errors import FileError
from mocap_reroot.importers.mot import read_storage
from mocap_reroot.importers.osim import read_osim
from mocap_reroot.importers.trc import read_trc
from mocap_reroot.skeletons.by_model import known_markers, markers_motion
from mocap_reroot.skeletons.model_fitting import placed
from mocap_reroot.types import Markers

ANGLES = ("hip_flexion", "hip_adduction", "hip_rotation", "knee_angle", "ankle_angle")


@pytest.mark.parametrize(
    ("trial", "degrees"),
    [
        ("opencap/subject2/walking1", 1.0),
        ("opencap/subject4/squats1", 1.5),
        ("hamner/subject01/run300", 2.0),
        ("arnold/subject02/walk2", 1.0),
    ],
)
def test_markers_are_followed_as_in_published_fits(shared_data, trial, degrees) -> None:
    """No farther than in the study's own inverse kinematics, and hips, knees, ankles like there."""
    folder = shared_data / "atlas" / trial
    model, recording = read_osim(folder.parent / "model.osim"), read_trc(folder / "markers.trc")
    motion = markers_motion(recording, model)
    found = motion.coordinates
    assert found is not None and not motion.flags.any()
    rows, position = known_markers(recording, model, motion.source.unit_scale)
    ours = found.value
    table = read_storage(folder / "ik.mot")
    theirs = ours.copy()
    for k, name in enumerate(model.names):
        if name.lower() in table:
            given = table[name.lower()], {"left": np.nan, "right": np.nan}
            theirs[k] = np.interp(motion.time, table["time"], given[0], **given[1])
    for coupling in model.couplings:
        theirs[coupling.dependent] = coupling.function(theirs[coupling.independent])[0]
    both = np.isfinite(theirs).all(axis=0)
    far = [
        np.linalg.norm(placed(model, rows, value[:, both].T.copy())[0].transpose(1, 2, 0)
                       - position[..., both], axis=1)
        for value in (ours, theirs)
    ]  # fmt: skip
    rms = [np.sqrt(np.nanmean(part**2)) for part in far]
    assert rms[0] < 1.1 * rms[1]
    legs = [k for k, name in enumerate(model.names) if name[:-2] in ANGLES]
    apart = np.abs(np.degrees(ours - theirs))[legs][:, both]
    assert np.median(apart) < degrees


def test_a_file_may_have_z_up(shared_data) -> None:
    """The model stands upright in it, and moves as in the file that has y up."""
    folder = shared_data / "atlas" / "hamner" / "subject03"
    model, recording = read_osim(folder / "model.osim"), read_trc(folder / "run300" / "markers.trc")
    assert recording.markers is not None
    few = recording.markers.position[..., :20]
    recording = replace(recording, markers=Markers(recording.markers.labels, few), n_frames=20)
    turned = np.stack([few[:, 0], -few[:, 2], few[:, 1]], axis=1)
    upright, lying = (
        markers_motion(replace(recording, markers=Markers(recording.markers.labels, p)), model)
        for p in (few, turned)
    )
    assert lying.up.tolist() == pytest.approx([0, 0, 1])
    assert upright.coordinates is not None and lying.coordinates is not None
    assert lying.coordinates.value == pytest.approx(upright.coordinates.value, abs=1e-5)
    here, there = mr.forward(upright).position, mr.forward(lying).position
    assert there[:, 2] == pytest.approx(here[:, 1], abs=1e-6)


def test_markers_that_a_model_does_not_know(shared_data) -> None:
    folder = shared_data / "atlas" / "hamner" / "subject03"
    model, recording = read_osim(folder / "model.osim"), read_trc(folder / "run300" / "markers.trc")
    assert recording.markers is not None
    strange = tuple(f"{k}{label}" for k, label in enumerate(recording.markers.labels))
    recording = replace(recording, markers=Markers(strange, recording.markers.position))
    with pytest.raises(FileError, match="of its markers"):
        markers_motion(recording, model)


@pytest.mark.parametrize("trial", ["opencap/subject2/walking1", "hamner/subject01/run300"])
def test_moments_are_those_of_the_study(shared_data, trial) -> None:
    """Markers, model and plates, without a static trial: r of 0.965, 0.12 (0.25) N·m/kg."""
    folder = shared_data / "atlas" / trial
    model, plates = folder.parent / "model.osim", folder / "grf.mot"
    found = mr.analyze(folder / "markers.trc", model=model, plates=plates, forces="measured")
    table, gold = found.table("coordinates"), read_storage(folder / "id.sto")
    assert table is not None
    assert found.body.total_mass == pytest.approx(read_osim(model).mass.sum())
    limit = 0.25 if "run" in trial else 0.12
    loaded = {  # the study knows a leg around its stance on a plate
        side: np.convolve(found.plates[f"calcn_{side}_fy"].fillna(0) > 20, np.ones(61), "same") > 0
        for side in "lr"
    }
    for name in ("hip_flexion", "knee_angle", "ankle_angle"):
        alike, squares = [], []
        for side in "lr":
            ours = table[f"{name}_{side}_force"].to_numpy()
            theirs = np.interp(
                table["time"],
                gold["time"],
                gold[f"{name}_{side}_moment"],
                left=np.nan,
                right=np.nan,
            )
            asked = np.isfinite(theirs) & loaded[side]
            alike.append(np.corrcoef(ours[asked], theirs[asked])[0, 1])
            squares.append(np.mean(((ours - theirs)[asked] / found.body.total_mass) ** 2))
        assert np.mean(alike) > 0.965, name
        assert np.sqrt(np.mean(squares)) < limit, name
