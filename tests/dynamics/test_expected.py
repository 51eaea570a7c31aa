"""What accuracy to expect: told for what was measured, and for nothing else."""

from pathlib import Path

import pytest

import mocap_reroot as mr
from mocap_reroot.dynamics.expected import expected_accuracy
from mocap_reroot.report.notes import expected_words

SAMPLES = Path(__file__).resolve().parents[2] / "sample_data"


@pytest.mark.parametrize("activity", ["walking", "jumping", "squatting"])
def test_what_was_measured_is_told(activity):
    found = expected_accuracy(activity, None)
    assert found["activity"] == activity and found["people"] >= 4
    forces = found["force_percent_bw"]
    assert 0 < forces["sideways"] < forces["vertical"] or activity == "squatting"
    assert set(found["moment_nm_kg"]) == {"hip", "knee", "ankle"}


def test_runs_are_told_by_speed():
    slow, fast = (expected_accuracy("running", speed) for speed in (2.2, 4.9))
    assert slow["speed_m_s"] == 2 and fast["speed_m_s"] == 5
    assert slow["force_percent_bw"]["vertical"] < fast["force_percent_bw"]["vertical"]
    assert expected_accuracy("running", 9.0) == {} == expected_accuracy("running", None)


def test_what_nobody_measured_is_empty():
    assert expected_accuracy("other", 1.0) == {} == expected_accuracy("standing", None)


def test_a_clip_carries_it():
    summary = mr.analyze(SAMPLES / "walk.bvh", mass=70.0).summary
    assert summary["quality"]["expected"] == expected_accuracy("walking", None)
    assert "people) " not in expected_words(summary) and "people)" in expected_words(summary)
