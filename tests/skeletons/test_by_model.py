"""Models fitted to markers: as near as published fits, whichever way the file is turned."""

from dataclasses import replace

import numpy as np
import pytest

import mocap_reroot as mr
from benchmarks.models import analysed, fitted, moments
from mocap_reroot.errors import FileError
from mocap_reroot.importers.osim import read_osim
from mocap_reroot.importers.trc import read_trc
from mocap_reroot.skeletons.by_model import markers_motion
from mocap_reroot.types import Markers


@pytest.mark.parametrize(
    ("trial", "degrees"),
    [
        ("opencap/subject2/walking1", 1.0),
        ("opencap/subject4/squats1", 1.5),
        ("hamner/subject01/run300", 2.0),
        ("arnold/subject02/walk2", 1.0),
        ("opencap/subject5/DJ1", 1.5),  # arms swing past 180° of a coordinate clamped to ±180°
    ],
)
def test_markers_are_followed_as_in_published_fits(shared_data, trial, degrees) -> None:
    """No farther than in the study's own inverse kinematics, and hips, knees, ankles like there."""
    found = fitted(shared_data / "atlas" / trial)
    assert not found.flagged
    assert found.ours < 1.1 * found.theirs
    assert found.degrees < degrees


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


@pytest.mark.parametrize(
    ("trial", "alike", "limit"),
    [
        ("opencap/subject2/walking1", 0.99, 0.06),
        ("hamner/subject01/run300", 0.99, 0.15),
        ("opencap/subject4/DJ2", 0.97, 0.16),  # knees are no lower than the box he has left
    ],
)
def test_moments_are_those_of_the_study(shared_data, trial, alike, limit) -> None:
    """Markers, model and plates, without a static trial: r and N·m/kg."""
    folder = shared_data / "atlas" / trial
    found = analysed(folder)
    assert found.body.total_mass == pytest.approx(
        read_osim(folder.parent / "model.osim").mass.sum()
    )
    for name, (r, apart) in moments(folder, found).items():
        assert r > alike, name
        assert apart < limit, name
