"""C3D files: every processor type, every broken one, and what is in them."""

import subprocess
import sys
import warnings
from dataclasses import replace
from pathlib import Path

import c3d
import ezc3d
import numpy as np
import pytest

from mocap_reroot.errors import FileError
from mocap_reroot.importers.c3d import read_c3d
from mocap_reroot.importers.c3d_data import C3DData, decode
from mocap_reroot.importers.c3d_parameters import read_layout
from tests.fuzz.c3d_mutations import entries

PROCESSORS = ("pc_int", "pc_real", "dec_int", "dec_real", "sgi_int", "sgi_real")


def test_every_file_is_read_or_refused_in_one_sentence(shared_data: Path) -> None:
    refused = []
    for path in sorted((shared_data / "c3d").rglob("*.c3d")):
        try:
            recording = read_c3d(path)
        except FileError as error:
            assert "\n" not in str(error) and str(path) in str(error)
            refused.append(path.name)
            continue
        assert recording.n_frames > 0 and recording.fps > 0
        assert recording.markers is not None or recording.segments is not None
    assert sorted(refused) == ["Empty.c3d", "badParameterOffset.c3d", "parameterOverflow.c3d"]


def test_processor_types_agree(shared_data: Path) -> None:
    folder = shared_data / "c3d/processor_types"
    trials = {name: read_c3d(folder / f"{name}.c3d") for name in PROCESSORS}
    first = trials["pc_real"]
    assert first.markers is not None and first.plates is not None and first.analogs is not None
    one_count = 0.2812  # mm, the scale of the integer files
    for trial in trials.values():
        assert trial.markers is not None and trial.plates is not None and trial.analogs is not None
        assert trial.markers.labels == first.markers.labels
        difference = trial.markers.position - first.markers.position
        assert np.nanmax(np.abs(difference)) <= one_count
        assert np.array_equal(np.isnan(difference), np.isnan(first.markers.position))
        np.testing.assert_allclose(trial.analogs.values, first.analogs.values, atol=1e-6)
        np.testing.assert_allclose(trial.plates.force, first.plates.force, atol=1e-6)
        assert (trial.mass, trial.height) == (first.mass, first.height)
        gait = [[e for e in t.events if e.event in ("strike", "off")] for t in (trial, first)]
        assert gait[0] == gait[1] and len(gait[0]) == 4


def _as_the_c3d_package_reads(path: Path) -> tuple[np.ndarray, np.ndarray]:
    with path.open("rb") as handle, warnings.catch_warnings():
        warnings.simplefilter("ignore")
        frames = list(c3d.Reader(handle).read_frames())
    points = np.stack([np.where(p[:, 3:4] < 0, np.nan, p[:, :3]) for _, p, _ in frames], axis=-1)
    points.transpose(0, 2, 1)[(points == 0).all(axis=1)] = np.nan
    return points, np.concatenate([np.atleast_2d(analog) for *_, analog in frames], axis=1)


def read_with_ezc3d(path: Path) -> C3DData:
    data = ezc3d.c3d(str(path))["data"]
    points = np.array(data["points"][:3].transpose(1, 0, 2))
    residuals = data["meta_points"]["residuals"] if len(data["meta_points"]) else None
    if residuals is not None and residuals.shape[-1] == points.shape[-1]:
        points.transpose(0, 2, 1)[residuals[0] < 0] = np.nan
    points.transpose(0, 2, 1)[(points == 0).all(axis=1)] = np.nan
    rotations = np.asarray(data.get("rotations", np.zeros((4, 4, 0, 0))))
    whole = rotations.transpose(2, 0, 1, 3).copy() if rotations.shape[2] else None
    return C3DData(points, np.array(data["analogs"][0]), whole)


def test_our_decoder_agrees_with_ezc3d_and_c3d(shared_data: Path) -> None:
    compared = []
    for path in sorted((shared_data / "c3d").rglob("*.c3d")):
        data = path.read_bytes()
        try:
            layout = read_layout(path, data)
        except FileError:
            continue
        if layout.doubts and layout.processor == "intel":  # ezc3d is not to be trusted with it
            continue
        ours = decode(path, data, layout)
        if layout.processor == "intel":
            theirs = read_with_ezc3d(path)
            points, analog, tolerance = theirs.points, theirs.analog, 0.0
            if theirs.rotations is not None:
                np.testing.assert_array_equal(ours.rotations[:, :3], theirs.rotations[:, :3])
        else:
            points, analog = _as_the_c3d_package_reads(path)
            tolerance = 1e-3  # mm: it multiplies counts in 32 bits
        np.testing.assert_allclose(ours.points, points, rtol=0, atol=tolerance)
        if analog.size:
            np.testing.assert_allclose(ours.analog, analog, rtol=0, atol=tolerance)
        compared.append(layout.processor)
    assert {"intel", "dec", "sgi"} == set(compared) and len(compared) > 20


@pytest.mark.parametrize("name", ["FRAMES", "USED", "RATE", "SCALE", "LABELS", "UNITS"])
@pytest.mark.parametrize("dimensions", [2, 3, 7])
def test_a_parameter_of_odd_dimensions_ends_no_process(
    shared_data: Path, tmp_path: Path, name: str, dimensions: int
) -> None:
    # One byte: ezc3d ended the process with a segmentation fault at POINT:FRAMES.
    data = bytearray((shared_data / "c3d/plug_in_gait/HC038A/HC038A01.c3d").read_bytes())
    named = [link for at, link in entries(data) if bytes(data[at + 2 : link]) == name.encode()]
    data[named[0] + 3] = dimensions  # behind the link and the type
    path = tmp_path / "odd.c3d"
    path.write_bytes(data)
    code = f"from mocap_reroot.importers.c3d import read_c3d; read_c3d({str(path)!r})"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, check=False)
    assert done.returncode in (0, 1)
    assert done.returncode == 0 or b"FileError" in done.stderr


def test_more_frames_than_the_header_can_count(shared_data: Path) -> None:
    path = shared_data / "c3d/processor_types/pc_real.c3d"
    layout = read_layout(path, path.read_bytes())
    long = {"ACTUAL_START_FIELD": np.array([1.0, 0.0]), "ACTUAL_END_FIELD": np.array([4464.0, 1.0])}
    full = replace(layout, first_frame=1, last_frame=65535, parameters={"TRIAL": long, "POINT": {}})
    assert full.frames == 70_000
    assert layout.frames == layout.last_frame - layout.first_frame + 1


def test_model_outputs_are_not_markers(shared_data: Path) -> None:
    recording = read_c3d(shared_data / "c3d/plug_in_gait/HC030A/HC030A05.c3d")
    assert recording.markers is not None and recording.outputs is not None
    assert {"LASI", "RASI", "LKNE", "LANK", "LHEE", "LTOE", "C7"} <= set(recording.markers.labels)
    outputs = {"LHipAngles", "LKneeMoment", "LAnklePower", "LGroundReactionForce", "LFEO", "LHJC"}
    assert outputs | {"CentreOfMass", "RWristMoment"} <= set(recording.outputs.labels)
    assert not outputs & set(recording.markers.labels)


def test_events_count_from_the_first_frame(shared_data: Path) -> None:
    recording = read_c3d(shared_data / "c3d/plug_in_gait/HC030A/HC030A05.c3d")
    assert recording.first_frame == 286
    first = recording.events[0]
    assert (first.event, first.side) == ("strike", "right")
    assert first.time == pytest.approx(3.02 - 2.85, abs=1e-6)
    length = recording.n_frames / recording.fps
    assert len(recording.events) == 8 and all(0 <= e.time <= length for e in recording.events)
    old = read_c3d(shared_data / "c3d/processor_types/sgi_int.c3d")  # events in the header
    assert ("strike", "right") in {(e.event, e.side) for e in old.events}


def test_subject_and_units(shared_data: Path) -> None:
    recording = read_c3d(shared_data / "c3d/plug_in_gait/HC030A/HC030A05.c3d")
    assert recording.mass == pytest.approx(45.8) and recording.height == pytest.approx(1.48)
    assert (recording.unit, recording.up) == ("mm", "+z")
    assert recording.subject["LKNEEWIDTH"] == 102


def test_missing_description_lengths_are_mended(shared_data: Path) -> None:
    recording = read_c3d(shared_data / "c3d/btk/mocap36.c3d")
    assert recording.markers is not None and len(recording.markers.labels) == 36
    assert any("description length" in repair for repair in recording.repairs)


def test_a_missing_analog_parameter_does_not_crash(shared_data: Path, tmp_path: Path) -> None:
    # Without ANALOG:OFFSET ezc3d ends with a segmentation fault.
    source = shared_data / "c3d/processor_types/pc_int.c3d"
    data = bytearray(source.read_bytes())
    at = data.index(b"\x06\x02OFFSET") + 2
    data[at : at + 6] = b"OFFSAT"
    broken = tmp_path / "no_offset.c3d"
    broken.write_bytes(data)
    layout = read_layout(broken, bytes(data))
    values = decode(broken, bytes(data), layout)
    assert any("OFFSET" in doubt for doubt in layout.doubts)
    content = source.read_bytes()
    whole = decode(source, content, read_layout(source, content))
    np.testing.assert_allclose(values.points, whole.points)
    scale = np.ravel(layout.get("ANALOG", "SCALE"))[:16] * layout.number("ANALOG", "GEN_SCALE", 1)
    np.testing.assert_allclose(values.analog, whole.analog + 2048 * scale[:, None], atol=1e-6)


def test_damage_is_refused_with_its_place(shared_data: Path, tmp_path: Path) -> None:
    data = (shared_data / "c3d/processor_types/pc_real.c3d").read_bytes()
    cases = {
        "cut": (data[: len(data) // 2], "cut short"),
        "not": (b"BVH!" + data[4:], "not a C3D"),
        "processor": (data[:515] + b"\x09" + data[516:], "processor type 9"),
        "chain": (data[:524] + b"\xff\x7f" + data[526:], "damaged"),
    }
    for name, (content, words) in cases.items():
        path = tmp_path / f"{name}.c3d"
        path.write_bytes(content)
        with pytest.raises(FileError, match=words):
            read_c3d(path)


def test_random_damage_never_escapes(shared_data: Path, tmp_path: Path) -> None:
    source = (shared_data / "c3d/processor_types/sgi_int.c3d").read_bytes()
    path = tmp_path / "damaged.c3d"
    outcomes = set()
    for seed in range(60):
        rng = np.random.default_rng(seed)
        data = bytearray(source)
        for _ in range(rng.integers(1, 6)):
            data[rng.integers(0, 6144)] = rng.integers(0, 256)
        path.write_bytes(data)
        try:
            outcomes.add(type(read_c3d(path)).__name__)
        except FileError as error:
            outcomes.add(type(error).__name__)
    assert outcomes == {"Recording", "FileError"}
