"""Rates that are no time base: said, replaced by what the user gives, never computed with."""

import struct

import numpy as np
import pytest

import mocap_reroot as mr
from mocap_reroot.cli import main
from mocap_reroot.importers.frame_time import is_frame_time
from tests.fuzz.c3d_mutations import entries
from tests.hostile.made import Clip


@pytest.mark.parametrize("printed", ["1e-8", "1e-12", "1e-300", "1e300", "4.9e-5", "1.1", "1e-400"])
def test_an_absurd_frame_time_is_said_and_not_used(tmp_path, printed):
    path = tmp_path / "clip.bvh"
    path.write_text(Clip().text().replace("Frame Time: 0.01666667", f"Frame Time: {printed}"))
    motion = mr.read(path)
    assert motion.fps == 30
    assert any(f"Frame Time is '{printed}'" in text for text in motion.source.warnings)
    given = mr.read(path, rate=60.0)
    assert given.fps == 60
    assert not any("assumed" in text for text in given.source.warnings + given.source.repairs)
    assert any("60 Hz was given; the file states none" in text for text in given.source.repairs)


def test_the_given_rate_gives_what_the_right_file_gives(tmp_path):
    right, wrong = tmp_path / "right.bvh", tmp_path / "wrong.bvh"
    right.write_text(Clip().text())
    wrong.write_text(Clip().text().replace("Frame Time: 0.01666667", "Frame Time: 1e-9"))
    a, b = mr.analyze(right, mass=70.0), mr.analyze(wrong, mass=70.0, rate=60.0)
    columns = [c for c in a.torques if c[-3:-1] == "_m"]
    np.testing.assert_array_equal(a.torques[columns], b.torques[columns])
    assert b.summary["config"]["reading"]["rate"] == 60.0


@pytest.mark.parametrize(
    ("printed", "usable"), [("1", True), ("0.00005", True), ("0.00004", False)]
)
def test_the_limits_are_1_and_20000_hz(printed, usable):
    assert is_frame_time(printed) is usable


@pytest.mark.parametrize("rate", [0.0, 1e8, 1e-30, float("nan"), float("inf"), 25_000.0])
def test_a_c3d_without_a_time_base_asks_for_one(shared_data, tmp_path, rate):
    source = shared_data / "c3d/plug_in_gait/HC030A/HC030A05.c3d"
    data = bytearray(source.read_bytes())
    struct.pack_into("<f", data, 20, rate)
    for at, link in entries(data):
        if bytes(data[at + 2 : link]) == b"RATE":
            struct.pack_into("<f", data, link + 4, rate)
    path = tmp_path / "clip.c3d"
    path.write_bytes(data)
    with pytest.raises(mr.MocapRerootError, match=r"no time base.*--rate"):
        mr.read(path)
    given, right = mr.read(path, rate=100.0), mr.read(source)
    assert given.fps == right.fps == 100
    np.testing.assert_array_equal(given.plates.force, right.plates.force)


def test_another_rate_stretches_plates_and_events(shared_data):
    source = shared_data / "c3d/plug_in_gait/HC030A/HC030A05.c3d"
    as_stated, slower = mr.read(source), mr.read(source, rate=50.0)
    np.testing.assert_allclose(slower.plates.force, as_stated.plates.force, atol=1e-9)
    times = [[e.time * m.fps for e in m.source.events] for m in (as_stated, slower)]
    assert times[0] and times[0] == pytest.approx(times[1])


def test_a_trc_without_a_time_base_asks_for_one(shared_data, tmp_path):
    lines = next((shared_data / "gold").glob("*/*.trc")).read_text().splitlines()
    head = lines[2].split("\t")
    lines[2] = "\t".join(["1e9", *head[1:]])
    rows = [line.split("\t") for line in lines[5:]]
    for k, row in enumerate(rows):
        if len(row) > 2 and row[0].strip():
            row[1] = f"{k * 1e-9:.12f}"
    path = tmp_path / "clip.trc"
    path.write_text("\n".join(lines[:5] + ["\t".join(row) for row in rows]))
    with pytest.raises(mr.MocapRerootError, match=r"no time base.*--rate"):
        mr.read(path)
    assert mr.read(path, rate=60.0).fps == 60


@pytest.mark.parametrize("rate", ["0", "-5", "1e9", "0.5"])
def test_the_option_itself_must_be_a_time_base(tmp_path, capsys, rate):
    path = tmp_path / "clip.bvh"
    path.write_text(Clip().text())
    with pytest.raises(SystemExit) as left:
        main(["inspect", str(path), f"--rate={rate}"])
    assert left.value.code == 2
    told = capsys.readouterr().err
    assert "1 to 20000" in told or "expected a positive number" in told
