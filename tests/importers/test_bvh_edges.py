"""Few frames, odd rates, odd names, deep trees and little memory: BVH at its edges."""

from __future__ import annotations

import tracemalloc

import pytest

from mocap_reroot.importers.bvh import read_bvh
from tests.importers.bvh_files import HEADER, MOTION, PLAIN, chain, edit, read, write


def test_no_frames_and_one(tmp_path):
    none = HEADER + "MOTION\nFrames: 0\nFrame Time: 0.01\n"
    recording = read(tmp_path, none)
    assert (recording.n_frames, recording.hierarchy.values.shape) == (0, (9, 0))
    assert recording.repairs == ()
    recording = read(tmp_path, none.replace("0\nF", "1\nF") + "1 2 3 4 5 6 7 8 9\n")
    assert recording.hierarchy.values.T.tolist() == [[1, 2, 3, 4, 5, 6, 7, 8, 9]]
    assert recording.repairs == ()
    recording = read(tmp_path, HEADER)
    assert recording.n_frames == 0
    assert "Line 16: the file ends before MOTION; it has no frames." in recording.repairs


@pytest.mark.parametrize(
    ("printed", "fps"),
    [
        (".0083333", 120.0),
        ("0.00833333", 120.0),
        ("0.008333", 120.0),
        ("0.033333", 30.0),
        (".03333", 30.0),
        ("0.033", 30.0),
        ("0.016666", 60.0),  # cut, not rounded
        ("0.016667", 60.0),
        ("0.0416667", 24.0),
        ("0.04", 25.0),
        ("0.008", 125.0),  # exactly a whole number: left alone, though 120 would print the same
        ("0.01", 100.0),
        ("1.0", 1.0),
        ("1", 1.0),
        ("8.3333e-3", 120.0),
        ("0.008342", 120 * 1000 / 1001),
        ("0.0417083750417", 1 / 0.0417083750417),  # 23.976, not 24000/1001
        ("0.0123456", 81.0),
        ("0.0070123", 1 / 0.0070123),
    ],
)  # fmt: skip
def test_rate_is_as_exact_as_the_print(tmp_path, printed, fps):
    recording = read(tmp_path, edit("Time: 0.01", f"Time: {printed}"))
    assert recording.fps == fps
    assert recording.repairs == ()
    assert abs(1 / recording.fps - float(printed)) < 10.0 ** -(
        len(printed.partition(".")[2].partition("e")[0]) + (3 if "e" in printed else 0)
    ) or recording.fps == 1 / float(printed)
    assert bool(recording.warnings) == (fps <= 1)


@pytest.mark.parametrize("name", ["Left Upper Leg", "mixamorig:Hips", "EndEffector", "End", "Näme"])
def test_names_are_kept(tmp_path, name):
    recording = read(tmp_path, edit("JOINT Spine", f"JOINT {name}  "))
    assert recording.hierarchy.names == ("Hips", name)
    assert recording.repairs == ()


def test_several_end_sites(tmp_path):
    site = PLAIN[PLAIN.index("\t\tEnd Site") : PLAIN.index("\t}\n}")]
    recording = read(tmp_path, edit(site, site + site.replace("30.0", "31.0")))
    assert recording.hierarchy.site_body.tolist() == [1, 1]
    assert recording.hierarchy.site_offset[:, 1].tolist() == [30, 31]
    assert recording.repairs == ()


def test_of_two_roots_the_first_is_read(tmp_path):
    second = HEADER.removeprefix("HIERARCHY\n").replace("Hips", "Other").replace("Spine", "Back")
    lines = "".join(f"{' '.join(map(str, range(18)))}\n" for _ in range(3))
    head = "".join(MOTION.splitlines(keepends=True)[:3])
    recording = read(tmp_path, HEADER + second + head + lines)
    assert recording.hierarchy.names == ("Hips", "Spine")
    assert recording.hierarchy.values[:, 0].tolist() == list(range(9))
    text = "Line 16: a second ROOT, 'Other'; only the first tree was read."
    assert recording.repairs == recording.warnings == (text,)


def test_hierarchy_of_five_hundred_levels(tmp_path):
    recording = read(tmp_path, chain(500, 2))
    assert len(recording.hierarchy.names) == 500
    assert recording.hierarchy.parents.tolist() == list(range(-1, 499))
    assert recording.hierarchy.values.shape == (1503, 2)
    assert recording.hierarchy.values[-1].tolist() == [1502 * 0.25, 1502 * 0.25 + 1]


def test_short_lines_ask_for_no_memory(tmp_path):
    # 1,503 channels and 200,001 lines of one number would be 2.4 GB, if every line were a row.
    tracemalloc.start()
    recording = read(tmp_path, chain(500, 0) + "1\n" * 200_001)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert recording.n_frames == 200_001 // 1503
    assert (recording.hierarchy.values == 1).all()
    assert peak < 20e6


def test_memory_is_at_most_four_times_the_motion(tmp_path):
    path = write(tmp_path, chain(40, 2000))
    read_bvh(path)
    tracemalloc.start()
    values = read_bvh(path).hierarchy.values
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert values.shape == (123, 2000)
    assert peak < 4 * values.nbytes
