"""The file's own clock: one start for tables, events, phases, strides and files for others."""

from __future__ import annotations

from pathlib import Path

import ezc3d
import numpy as np
import pandas as pd
import pytest

import mocap_reroot as mr
from mocap_reroot.contact.detection import detect_contacts
from mocap_reroot.export.storage import write_storage

FRAMEWISE = ("torques", "grf", "contacts", "kinematics", "rooted", "reactions", "anatomy")


@pytest.fixture(scope="module")
def walk(shared_data: Path) -> mr.Analysis:
    return mr.analyze(shared_data / "c3d" / "plug_in_gait" / "HC030A" / "HC030A05.c3d")


def test_a_c3d_starts_at_its_first_frame_over_its_rate(walk: mr.Analysis) -> None:
    path = walk.motion.source.path
    header = ezc3d.c3d(str(path))["header"]["points"]
    start = header["first_frame"] / header["frame_rate"]  # ezc3d counts from 0
    assert start > 0
    assert walk.summary["start_time"] == pytest.approx(start, abs=1e-12)
    for name in FRAMEWISE:
        table = walk.table(name)
        assert table is not None
        expected = start + table.frame / walk.motion.fps
        np.testing.assert_allclose(table.time, expected, atol=1e-12, err_msg=name)
    for table in (walk.phases, walk.table("strides")):
        assert len(table)
        for edge in ("start", "stop"):
            expected = start + table[f"{edge}_frame"] / walk.motion.fps
            np.testing.assert_allclose(table[f"{edge}_time"], expected, atol=1e-12)
    np.testing.assert_allclose(walk.events.time, start + walk.events.frame / walk.motion.fps)


def test_plates_beside_a_c3d_run_on_its_clock_or_from_its_first_frame(
    walk: mr.Analysis, tmp_path: Path
) -> None:
    path, foot = walk.motion.source.path, walk.dynamics.feet[0]
    name = walk.motion.skeleton.names[foot]
    axes = [(f"{name}_f{a}", f"ground_force_v{a}") for a in "xyz"]
    axes += [(f"{name}_p{a}", f"ground_force_p{a}") for a in "xyz"]
    table = walk.grf.rename(columns=dict(axes))[["time", *(b for _, b in axes)]].ffill().bfill()
    for start in (walk.summary["start_time"], 0.0):
        write_storage(table.assign(time=table.time - table.time[0] + start), tmp_path / "g.mot")
        plates = mr.read(path, plates=tmp_path / "g.mot").plates
        assert plates is not None
        given = table["ground_force_vz"].to_numpy()[2:-2]
        found = plates.force[0, 2, 2:-2]
        assert np.abs(found - given).max() < 0.05 * given.max(), start  # means over a frame


def test_contacts_given_in_seconds_are_seconds_of_the_file(walk: mr.Analysis) -> None:
    events = walk.events
    strike = events[events.event == "strike"].iloc[0]
    off = events[(events.event == "off") & (events.foot == strike.foot)]
    off = off[off.frame > strike.frame].iloc[0]
    row = {"foot": [strike.foot], "start_time": [strike.time], "stop_time": [off.time]}
    found = detect_contacts(walk.motion, walk.body, contacts=pd.DataFrame(row)).events
    mine = found[found.foot == strike.foot]
    assert list(mine.frame) == [strike.frame, off.frame]


def test_another_rate_stretches_the_start_too(walk: mr.Analysis) -> None:
    path, start = walk.motion.source.path, walk.summary["start_time"]
    slower = mr.read(path, rate=walk.motion.fps / 2)
    assert slower.time[0] == pytest.approx(2 * start)


def test_a_trc_keeps_its_times_and_a_bvh_begins_at_0(shared_data: Path) -> None:
    folder = shared_data / "gold" / "arnold_subject01_walk"
    first = float((folder / "markers.trc").read_text().splitlines()[6].split()[1])
    assert first > 0
    motion = mr.read(folder / "markers.trc")
    assert motion.time[0] == pytest.approx(first) and motion.source.start_time == first
    assert mr.read(shared_data / "bvh" / "cmu" / "02_01.bvh").time[0] == 0.0
