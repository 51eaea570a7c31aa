"""Markers fitted by a model: the coordinates of OpenSim's own inverse kinematics."""

import numpy as np
import pytest

from mocap_reroot.importers.mot import read_storage
from mocap_reroot.importers.osim import read_osim
from mocap_reroot.importers.trc import read_trc
from mocap_reroot.skeletons.by_model import markers_motion
from mocap_reroot.skeletons.model_fitting import LANDMARK
from tests.peers.opensim_solver import opensim


@pytest.mark.parametrize(
    ("trial", "start"),
    [
        ("opencap/subject3/walkingTS4", 0.5),  # where the study's own pose is 3 cm from the thigh
        ("opencap/subject4/squats1", 1.0),
        ("hamner/subject04/run300", 1.0),
        ("arnold/subject01/walk2", 4.0),
    ],
)
def test_coordinates_are_those_of_opensims_inverse_kinematics(
    shared_data, tmp_path, trial, start
) -> None:
    """The same weights: hips, knees and ankles within 0.02° (median), all within 0.3°."""
    folder = shared_data / "atlas" / trial
    model, recording = read_osim(folder.parent / "model.osim"), read_trc(folder / "markers.trc")
    ours = markers_motion(recording, model)
    tool = opensim.InverseKinematicsTool()
    theirs = opensim.Model(str(folder.parent / "model.osim"))
    theirs.initSystem()
    tool.setModel(theirs)
    tool.setMarkerDataFileName(str(folder / "markers.trc"))
    for label, fixed in zip(model.labels, model.marker_fixed, strict=True):
        if label in recording.markers.labels:
            task = opensim.IKMarkerTask()
            task.setName(label)
            task.setWeight(LANDMARK if fixed else 1.0)
            tool.upd_IKTaskSet().cloneAndAppend(task)
    tool.setStartTime(start)
    tool.setEndTime(start + 0.05)
    tool.set_accuracy(1e-7)
    tool.set_report_errors(False)
    tool.setOutputMotionFileName(str(tmp_path / "ik.mot"))
    assert tool.run()
    found = read_storage(tmp_path / "ik.mot")
    legs = [n for n in model.names if n.startswith(("hip", "knee", "ankle")) and "beta" not in n]
    here = ours.coordinates.value[[model.names.index(n) for n in legs]]
    here = np.array([np.interp(found["time"], ours.time, row) for row in here])
    there = found[[n.lower() for n in legs]].to_numpy().T
    apart = np.abs(np.degrees(here) - there)  # it writes degrees
    assert apart.shape[1] >= 6
    assert np.median(apart) < 0.02
    assert apart.max() < 0.3
