"""A marker of a thigh's cluster out of sight: two and the hip place it, for some frames or all."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import mocap_reroot as mr
from mocap_reroot.reading import read_recording
from mocap_reroot.skeletons.from_markers import markers_motion
from mocap_reroot.types import Recording


@pytest.fixture(scope="module")
def run(shared_data):
    folder = shared_data / "atlas" / "hamner" / "subject01"
    recording, static = (read_recording(folder / f) for f in ("run300/markers.trc", "static.trc"))
    return recording, static, markers_motion(recording, static=static)


def without(recording: Recording, label: str, frames: slice) -> Recording:
    assert recording.markers is not None
    position = np.array(recording.markers.position)
    position[recording.markers.labels.index(label)][:, frames] = np.nan
    return replace(recording, markers=replace(recording.markers, position=position))


@pytest.mark.parametrize(("label", "body"), [("RTH2", "right_thigh"), ("LTB2", "left_shank")])
@pytest.mark.parametrize("frames", [slice(40, 120), slice(20, None)])
def test_two_markers_and_the_joint_above_place_a_limb(run, label, body, frames) -> None:
    """Before, frames were left out, and a run with a marker that is hardly seen was refused."""
    recording, static, whole = run
    motion = markers_motion(without(recording, label, frames), static=static)
    assert motion.analysed.all()
    assert any(r.startswith(f"{body} is placed by two markers") for r in motion.source.repairs)
    assert not any("left out" in r for r in motion.source.repairs)
    apart = np.linalg.norm(mr.forward(motion).position - mr.forward(whole).position, axis=1)
    assert np.quantile(apart, 0.95) < 0.025  # m: skin moves by as much
    if frames == slice(40, 120):
        flagged = motion.flag_words == "filled"
        assert flagged[40:120].all() and not flagged[:40].any()
