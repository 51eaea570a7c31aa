"""Recordings of a part of the body say what cannot be known."""

from __future__ import annotations

import pytest

import mocap_reroot as mr


@pytest.mark.parametrize(
    ("clip", "missing", "unknown"),
    [
        ("c3d/btk/PiG_Motion3_FF.c3d", "trunk, head and arms", "moments of the back"),
        ("c3d/opensim/walking2.c3d", "arms", "their swing"),
        ("bvh/cmu/02_01.bvh", "", ""),
    ],
)
def test_what_was_not_recorded_is_told_and_counts(shared_data, clip, missing, unknown) -> None:
    summary = mr.analyze(shared_data / clip, forces="predicted").summary
    told = [i for i in summary["inferred"] if i["what"] == "not_recorded"]
    assert [i["value"] for i in told] == [missing] * bool(missing)
    assert all(unknown in i["evidence"] and "cannot be known" in i["evidence"] for i in told)
    reasons = [r for r in summary["grade_reasons"] if "not recorded" in r]
    assert bool(reasons) == bool(missing)
    assert (summary["grade"] == "A") == (not missing)
