"""TRC and MOT: OpenSim's pair of markers and ground forces."""

from pathlib import Path

import numpy as np
import pytest

from mocap_reroot.errors import FileError
from mocap_reroot.importers.c3d import read_c3d
from mocap_reroot.importers.mot import read_mot
from mocap_reroot.importers.trc import read_trc

TRC = """PathFileType\t4\t(X/Y/Z)\twalk.trc
DataRate\tCameraRate\tNumFrames\tNumMarkers\tUnits\tOrigDataRate\tOrigDataStartFrame\tOrigNumFrames
100.0\t100.0\t3\t2\tmm\t100.0\t1\t3
Frame#\tTime\tLASI\t\t\tRASI\t\t\t
\t\tX1\tY1\tZ1\tX2\tY2\tZ2\t

1\t0.50\t1\t2\t3\t4\t5\t6
2\t0.51\t\t\t\t4\t5\t6
3\t0.52\t7\t8\t9\t0\t0\t0
"""


def test_gaps_times_and_units(tmp_path: Path) -> None:
    path = tmp_path / "walk.trc"
    path.write_text(TRC)
    recording = read_trc(path)
    assert (recording.n_frames, recording.fps, recording.unit) == (3, 100.0, "mm")
    assert recording.start_time == 0.5 and recording.markers is not None
    assert recording.markers.labels == ("LASI", "RASI")
    expected = np.array([[[1, np.nan, 7], [2, np.nan, 8], [3, np.nan, 9]]])
    np.testing.assert_array_equal(recording.markers.position[:1], expected)
    np.testing.assert_array_equal(recording.markers.position[1, 0], [4, 4, np.nan])


def test_opensim_reads_the_same_markers(shared_data: Path) -> None:
    folder = shared_data / "c3d/opensim"
    theirs = read_trc(folder / "std_walking2_markers.trc").markers
    ours = read_c3d(folder / "walking2.c3d").markers
    assert theirs is not None and ours is not None and theirs.labels == ours.labels
    every_tenth = ours.position[:, :, ::10][:, :, : theirs.position.shape[2]]
    difference = every_tenth - theirs.position[:, :, : every_tenth.shape[2]]
    assert np.nanmax(np.abs(difference)) < 0.0501  # mm: the file keeps one decimal
    seen = ~np.isnan(theirs.position)
    assert np.array_equal(seen[..., : every_tenth.shape[2]], ~np.isnan(every_tenth))


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (("PathFileType", "Path"), "PathFileType"),
        (("1\t0.50", "one\t0.50"), None),
        (("Frame#", "Number"), "Frame#"),
    ],
)
def test_broken_files_are_refused(tmp_path: Path, change: tuple[str, str], words: str) -> None:
    path = tmp_path / "broken.trc"
    path.write_text(TRC.replace(*change))
    if words is None:
        assert read_trc(path).n_frames == 2  # the first line is not a frame
        return
    with pytest.raises(FileError, match=words):
        read_trc(path)


def test_forces_of_both_feet(shared_data: Path) -> None:
    folder = shared_data / "gold/opensim_subject01_walk"
    plates = read_mot(folder / "subject01_walk1_grf.mot")
    assert plates.names == ("ground_force", "1_ground_force")
    assert plates.rate == pytest.approx(600.0) and plates.force.shape == (2, 3, 1501)
    np.testing.assert_allclose(plates.force[0, :, 0], [101.5119767, 745.4661142, -47.44870554])
    # The moment about the centre gives back the stated point and torque.
    centre = plates.corners[0].mean(axis=0)
    arm = np.array([0.37898285, -0.0075, 0.12774652]) - centre
    expected = np.cross(arm, plates.force[0, :, 0]) + np.array([0, 13.53783445, 0])
    np.testing.assert_allclose(plates.moment[0, :, 0], expected, atol=1e-9)


def test_other_spellings(shared_data: Path) -> None:
    arnold = read_mot(shared_data / "gold/arnold_subject01_walk/grf.mot")
    assert arnold.names == ("ground_force_r", "ground_force_l") and arnold.start == 3.38
    adapter = read_mot(shared_data / "c3d/opensim/std_walking2_grfs.sto")  # millimetres
    direct = read_c3d(shared_data / "c3d/opensim/walking2.c3d").plates
    assert direct is not None and adapter.names == ("plate_1", "plate_2")
    shift = adapter.corners.mean(axis=1) - direct.corners.mean(axis=1)
    moved = adapter.moment + np.cross(shift[:, :, None], adapter.force, axis=1)
    np.testing.assert_allclose(moved[:, :, 1], direct.moment[:, :, 100], atol=1e-6)


def test_a_table_without_forces_is_refused(shared_data: Path) -> None:
    with pytest.raises(FileError, match="no ground forces"):
        read_mot(shared_data / "gold/opensim_subject01_walk/subject01_walk1_ik.mot")
    with pytest.raises(FileError, match="endheader"):
        read_mot(shared_data / "gold/opensim_subject01_walk/subject01_walk1.trc")
